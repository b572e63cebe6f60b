/// The app. The system makes one instance.
@preconcurrency @MainActor open class UIApplication: UIResponder {
    /// The running system's app. Stops the program if there is no system.
    public static var shared: UIApplication { UISystem.running.application }

    /// The app delegate, which the app retains.
    open var delegate: (any UIApplicationDelegate)?

    /// The app's own quick actions, for the app's own use: a host passes one to
    /// `UISystem.performAction`.
    open var shortcutItems: [UIApplicationShortcutItem]?

    private var system: UISystem { .running }

    /// The default body of a launch method has run, so the app delegate does not have it.
    var ranDefaultLaunchMethod = false

    func defaultLaunchAnswer() -> Bool {
        ranDefaultLaunchMethod = true
        return true
    }

    public var connectedScenes: Set<UIScene> { Set(system.scenes) }
    /// All sessions, with a scene or without.
    public var openSessions: Set<UISceneSession> { Set(system.app.sessions) }

    /// Whether several scenes may be connected: the Info.plist says so, and the platform
    /// can show them.
    public var supportsMultipleScenes: Bool { system.supportsMultipleScenes }

    /// Active if a scene is active, inactive if one is in the foreground.
    public var applicationState: State {
        let states = system.scenes.map(\.activationState)
        if states.contains(.foregroundActive) { return .active }
        return states.contains(.foregroundInactive) ? .inactive : .background
    }

    /// The state of the app as a whole. The raw values are Apple's.
    public enum State: Int, Sendable {
        /// A scene is active.
        case active = 0
        /// No scene is active, and one is in the foreground.
        case inactive = 1
        /// No scene is in the foreground.
        case background = 2
    }

    /// Requests a scene: a new one, or a session's. A session's connected scene is brought to
    /// the front. The request is met once the callback that makes it, if any, has returned.
    /// It is denied if callbacks have requested `UISystem.stateChangesMax` changes before.
    ///
    /// - Parameters:
    ///   - request: The scene that the app wants.
    ///   - errorHandler: Gets a `UISceneError` if the request is denied, after this call has
    ///     returned.
    public func activateSceneSession(
        for request: UISceneSessionActivationRequest, errorHandler: ((any Error) -> Void)? = nil
    ) {
        let system = system
        guard system.turn.allowsStateChange() else { return system.connections.deny(errorHandler) }
        system.turn.afterCallbacks {
            do { try system.activate(request) } catch {
                if let errorHandler { system.turn.onNextTurn { errorHandler(error) } }
            }
        }
    }

    /// Requests that a session is closed for good. Its scene disconnects.
    ///
    /// - Parameters:
    ///   - sceneSession: The session to close.
    ///   - options: Ignored.
    ///   - errorHandler: Gets a `UISceneError` if the session is not open, or the app was
    ///     terminated, or callbacks have requested `UISystem.stateChangesMax` changes before.
    ///     It is called after this call has returned.
    public func requestSceneSessionDestruction(
        _ sceneSession: UISceneSession, options: UISceneDestructionRequestOptions?,
        errorHandler: ((any Error) -> Void)? = nil
    ) {
        let system = system
        guard system.turn.allowsStateChange() else { return system.connections.deny(errorHandler) }
        system.turn.afterCallbacks {
            guard sceneSession.isOpen, !system.hasEnded else { return system.connections.deny(errorHandler) }
            system.connections.discardNow(sceneSession)
        }
    }

    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The first URL that the app is launched to open, a `URL`.
        public static let url = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsURLKey")
        /// The quick action that the app is launched to run, a `UIApplicationShortcutItem`.
        public static let shortcutItem = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsShortcutItemKey")
        /// The bundle identifier of the app that asks for the launch, a `String`.
        public static let sourceApplication = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsSourceApplicationKey")
    }

    /// A key of the options for opening a URL.
    public struct OpenURLOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The bundle identifier of the app that requests it, a `String`.
        public static let sourceApplication = OpenURLOptionsKey(
            rawValue: "UIApplicationOpenURLOptionsSourceApplicationKey")
    }
}

/// Options for closing a session. There are none here.
@preconcurrency @MainActor open class UISceneDestructionRequestOptions: NSObject {}

extension UIApplication {
    // The object of each notification is the app.

    /// Posted after the launch methods.
    public nonisolated static let didFinishLaunchingNotification = NSNotification.Name(
        "UIApplicationDidFinishLaunchingNotification")
    /// Posted before the app ends.
    public nonisolated static let willTerminateNotification = NSNotification.Name(
        "UIApplicationWillTerminateNotification")
    /// Posted when the first scene becomes active.
    public nonisolated static let didBecomeActiveNotification = NSNotification.Name(
        "UIApplicationDidBecomeActiveNotification")
    /// Posted before the last active scene becomes inactive.
    public nonisolated static let willResignActiveNotification = NSNotification.Name(
        "UIApplicationWillResignActiveNotification")
    /// Posted when the last scene has entered the background.
    public nonisolated static let didEnterBackgroundNotification = NSNotification.Name(
        "UIApplicationDidEnterBackgroundNotification")
    /// Posted before the first scene enters the foreground.
    public nonisolated static let willEnterForegroundNotification = NSNotification.Name(
        "UIApplicationWillEnterForegroundNotification")
}
