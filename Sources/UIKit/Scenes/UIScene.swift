/// An instance of the app's interface. Each scene has a life cycle of its own.
@preconcurrency @MainActor open class UIScene: UIResponder {
    /// The scene's session, which stays when the scene disconnects.
    public let session: UISceneSession

    /// The app's part of the scene's life. The scene retains it.
    open var delegate: (any UISceneDelegate)? {
        didSet { delegateDidChange() }
    }

    // `@exclusivity(unchecked)`: see UISystem.swift.
    /// The scene's present state.
    @exclusivity(unchecked) public internal(set) var activationState = ActivationState.unattached

    /// The scene's name in a list of windows.
    open var title: String! = ""

    /// A second line in a list of windows, on a Mac.
    open var subtitle = ""

    /// Makes the system wait for the end of a restoration that takes longer than its callback. Nothing
    /// here waits for that.
    open func extendStateRestoration() {}

    /// Ends what `extendStateRestoration()` has begun.
    open func completeStateRestoration() {}

    /// Which content the scene is for.
    open var activationConditions: UISceneActivationConditions {
        get {
            let conditions = storedConditions ?? UISceneActivationConditions()
            storedConditions = conditions
            return conditions
        }
        set { storedConditions = newValue }
    }

    private(set) var storedConditions: UISceneActivationConditions?

    /// The system makes scenes, of the class that their configuration has.
    public required init(session: UISceneSession, connectionOptions: ConnectionOptions) {
        self.session = session
        super.init()
    }

    /// A state in the life of a scene. The raw values are Apple's.
    public enum ActivationState: Int, Sendable {
        /// Not connected, or not in any other state yet.
        case unattached = -1
        /// In the foreground and receiving events.
        case foregroundActive = 0
        /// In the foreground and not receiving events.
        case foregroundInactive = 1
        /// Not visible.
        case background = 2

        var isInForeground: Bool { self == .foregroundActive || self == .foregroundInactive }
    }

    open override var next: UIResponder? { UISystem.current?.application }

    func delegateDidChange() {}
}

extension UIScene {
    // The object of each notification is the scene.

    /// Posted after `scene(_:willConnectTo:options:)`.
    public nonisolated static let willConnectNotification = NSNotification.Name("UISceneWillConnectNotification")
    /// Posted after `sceneDidDisconnect(_:)`.
    public nonisolated static let didDisconnectNotification = NSNotification.Name("UISceneDidDisconnectNotification")
    /// Posted after `sceneDidBecomeActive(_:)`.
    public nonisolated static let didActivateNotification = NSNotification.Name("UISceneDidActivateNotification")
    /// Posted after `sceneWillResignActive(_:)`.
    public nonisolated static let willDeactivateNotification = NSNotification.Name("UISceneWillDeactivateNotification")
    /// Posted after `sceneWillEnterForeground(_:)`.
    public nonisolated static let willEnterForegroundNotification = NSNotification.Name(
        "UISceneWillEnterForegroundNotification")
    /// Posted after `sceneDidEnterBackground(_:)`.
    public nonisolated static let didEnterBackgroundNotification = NSNotification.Name(
        "UISceneDidEnterBackgroundNotification")
}
