/// What takes part in an app's event handling: the base of scenes, views, view
/// controllers and delegates.
@preconcurrency @MainActor open class UIResponder: NSObject {
    public override init() { super.init() }

    /// Who is asked next.
    open var next: UIResponder? { nil }

    /// What the person is doing, for state restoration and Handoff.
    open var userActivity: NSUserActivity?
}
