/// The base class of what can respond to events: scenes, views, view controllers and
/// delegates.
@preconcurrency @MainActor open class UIResponder: NSObject, UIUserActivityRestoring {
    public override init() { super.init() }

    /// The next responder; `nil` at the end of the chain.
    open var next: UIResponder? { nil }

    // MARK: The first responder

    /// The responder that `becomeFirstResponder()` was called of last. A host passes it what a person types.
    static weak var first: UIResponder?

    /// Whether `becomeFirstResponder()` makes this the first responder. By default it does not.
    open var canBecomeFirstResponder: Bool { false }
    /// Whether this responder gives way to another one. By default it does.
    open var canResignFirstResponder: Bool { true }
    /// Whether this is the first responder. An app has one at a time.
    open var isFirstResponder: Bool { UIResponder.first === self }

    /// Makes this the first responder, if it can be that and the present one gives way.
    ///
    /// - Returns: Whether it is.
    @discardableResult open func becomeFirstResponder() -> Bool {
        guard !isFirstResponder else { return true }
        guard canBecomeFirstResponder, UIResponder.first?.resignFirstResponder() ?? true else { return false }
        UIResponder.first = self
        return true
    }

    /// Stops being the first responder.
    ///
    /// - Returns: Whether it is none any more.
    @discardableResult open func resignFirstResponder() -> Bool {
        guard isFirstResponder else { return true }
        guard canResignFirstResponder else { return false }
        UIResponder.first = nil
        return true
    }

    /// The keys that do something while this is in the chain of responders, for a host; `nil` for none.
    open var keyCommands: [UIKeyCommand]? { nil }

    /// Updates an activity of this responder for the app's present state. An override sets it.
    open func updateUserActivityState(_ activity: NSUserActivity) {}

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
