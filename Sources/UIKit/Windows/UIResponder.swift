/// The base class of what can respond to events: scenes, views, view controllers and
/// delegates.
@preconcurrency @MainActor open class UIResponder: NSObject {
    public override init() { super.init() }

    /// The next responder; `nil` at the end of the chain.
    open var next: UIResponder? { nil }

    /// The activity that the responder supports. The system does not use it.
    open var userActivity: NSUserActivity?
}
