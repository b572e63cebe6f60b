/// The base class of what can respond to events: scenes, views, view controllers and
/// delegates.
@preconcurrency @MainActor open class UIResponder: NSObject, UIUserActivityRestoring {
    public override init() { super.init() }

    /// The next responder; `nil` at the end of the chain.
    open var next: UIResponder? { nil }

    /// Restores the state of an activity that the app continues.
    open func restoreUserActivityState(_ activity: NSUserActivity) {}

    /// The activity that the responder supports. The system does not use it.
    open var userActivity: NSUserActivity?
}

/// What can restore the state of an activity that the app continues.
@preconcurrency @MainActor public protocol UIUserActivityRestoring: NSObjectProtocol {
    /// Restores the activity's state.
    func restoreUserActivityState(_ activity: NSUserActivity)
}
