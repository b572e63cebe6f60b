/// An instance of the app's interface. Scenes live and go one by one.
@preconcurrency @MainActor open class UIScene: UIResponder {
    /// The scene's description, which outlives it.
    public let session: UISceneSession

    /// Who hears of the scene; the scene keeps it.
    open var delegate: (any UISceneDelegate)? {
        didSet { delegateDidChange() }
    }

    public internal(set) var activationState = ActivationState.unattached

    /// What the scene is called where windows are listed.
    open var title: String! = ""

    /// The system makes scenes, with the class that their configuration names.
    public required init(session: UISceneSession, connectionOptions: ConnectionOptions) {
        self.session = session
        super.init()
    }

    /// Where the scene is in its life.
    public enum ActivationState: Int, Sendable, CaseIterable {
        /// Not connected, or not yet.
        case unattached = -1
        /// On screen and receiving events.
        case foregroundActive = 0
        /// On screen and not receiving events.
        case foregroundInactive = 1
        /// Not on screen.
        case background = 2

        var isInForeground: Bool { self == .foregroundActive || self == .foregroundInactive }
    }

    open override var next: UIResponder? { UISystem.current?.application }

    func delegateDidChange() {}
}

extension UIScene {
    public nonisolated static let willConnectNotification = NSNotification.Name("UISceneWillConnectNotification")
    public nonisolated static let didDisconnectNotification = NSNotification.Name("UISceneDidDisconnectNotification")
    public nonisolated static let didActivateNotification = NSNotification.Name("UISceneDidActivateNotification")
    public nonisolated static let willDeactivateNotification = NSNotification.Name("UISceneWillDeactivateNotification")
    public nonisolated static let willEnterForegroundNotification = NSNotification.Name(
        "UISceneWillEnterForegroundNotification")
    public nonisolated static let didEnterBackgroundNotification = NSNotification.Name(
        "UISceneDidEnterBackgroundNotification")
}
