/// The app. The system makes one.
@preconcurrency @MainActor open class UIApplication: UIResponder {
    /// The running system's app. Without a system it stops the program.
    public static var shared: UIApplication { UISystem.running.application }

    open var delegate: (any UIApplicationDelegate)?

    private var system: UISystem { .running }

    /// The default body of an app delegate's method has answered.
    var answersByDefault = false

    func answerByDefault() -> Bool {
        answersByDefault = true
        return true
    }

    /// The scenes that are connected.
    public var connectedScenes: Set<UIScene> { Set(system.scenes) }
    /// All sessions, with a scene or without.
    public var openSessions: Set<UISceneSession> { Set(system.sessions) }

    /// Whether the app may have several scenes: the Info.plist says so, and the platform
    /// can show them.
    public var supportsMultipleScenes: Bool { system.supportsMultipleScenes }

    /// Active when a scene is.
    public var applicationState: State {
        let states = system.scenes.map(\.activationState)
        if states.contains(.foregroundActive) { return .active }
        return states.contains(.foregroundInactive) ? .inactive : .background
    }

    public enum State: Int, Sendable {
        case active = 0
        case inactive = 1
        case background = 2
    }

    /// Asks for a scene: a new one, or a session's, which comes to the front rather than
    /// be made twice. It happens once the app has returned from the callback, if any,
    /// that asks.
    ///
    /// - Parameter errorHandler: Gets a `UISceneError` when there will be none, after this
    ///   call has returned.
    public func activateSceneSession(
        for request: UISceneSessionActivationRequest, errorHandler: ((any Error) -> Void)? = nil
    ) {
        let system = system
        system.afterCallbacks {
            do { try system.activate(request) } catch {
                if let errorHandler { system.onNextTurn { errorHandler(error) } }
            }
        }
    }

    /// Asks to close a session for good; its scene disconnects.
    ///
    /// - Parameter errorHandler: Gets a `UISceneError` when the session is not open, after
    ///   this call has returned.
    public func requestSceneSessionDestruction(
        _ sceneSession: UISceneSession, options: UISceneDestructionRequestOptions?,
        errorHandler: ((any Error) -> Void)? = nil
    ) {
        let system = system
        system.afterCallbacks {
            guard sceneSession.isOpen else {
                if let errorHandler { system.onNextTurn { errorHandler(UISceneError(.requestDenied)) } }
                return
            }
            system.discard(sceneSession)
        }
    }

    /// Why the app was launched.
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public static let url = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsURLKey")
    }

    /// How a URL is to be opened.
    public struct OpenURLOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public static let sourceApplication = OpenURLOptionsKey(
            rawValue: "UIApplicationOpenURLOptionsSourceApplicationKey")
    }
}

/// How a session is to be closed. There is nothing to choose.
@preconcurrency @MainActor open class UISceneDestructionRequestOptions: NSObject {}

extension UIApplication {
    public nonisolated static let didFinishLaunchingNotification = NSNotification.Name(
        "UIApplicationDidFinishLaunchingNotification")
    public nonisolated static let willTerminateNotification = NSNotification.Name(
        "UIApplicationWillTerminateNotification")
    public nonisolated static let didBecomeActiveNotification = NSNotification.Name(
        "UIApplicationDidBecomeActiveNotification")
    public nonisolated static let willResignActiveNotification = NSNotification.Name(
        "UIApplicationWillResignActiveNotification")
    public nonisolated static let didEnterBackgroundNotification = NSNotification.Name(
        "UIApplicationDidEnterBackgroundNotification")
    public nonisolated static let willEnterForegroundNotification = NSNotification.Name(
        "UIApplicationWillEnterForegroundNotification")
}
