/// A request for a scene: of an existing session, or a new one.
@preconcurrency @MainActor public final class UISceneSessionActivationRequest: NSObject {
    public let role: UISceneSession.Role
    /// The session to activate; `nil` for a new one.
    public let session: UISceneSession?
    /// The activity that the scene is to continue.
    public var userActivity: NSUserActivity?
    /// Who makes the request.
    public var options: UIScene.ActivationRequestOptions?

    /// Requests a new scene.
    public init(
        role: UISceneSession.Role = .windowApplication, userActivity: NSUserActivity? = nil,
        options: UIScene.ActivationRequestOptions? = nil
    ) {
        self.role = role
        session = nil
        self.userActivity = userActivity
        self.options = options
        super.init()
    }

    /// Requests that a session's scene is brought to the front, and connected before if it is
    /// not connected.
    public init(
        session: UISceneSession, userActivity: NSUserActivity? = nil,
        options: UIScene.ActivationRequestOptions? = nil
    ) {
        role = session.role
        self.session = session
        self.userActivity = userActivity
        self.options = options
        super.init()
    }
}

extension UIWindowScene {
    /// How a new window appears.
    public enum PresentationStyle: UInt, Sendable {
        /// The system chooses.
        case automatic = 0
        /// Like other windows.
        case standard = 1
        /// In front of the others, for one content.
        case prominent = 2
    }

    /// Options of a request for a window scene.
    @preconcurrency @MainActor open class ActivationRequestOptions: UIScene.ActivationRequestOptions {
        /// How the window is to appear. The system does not use it.
        open var preferredPresentationStyle = PresentationStyle.automatic
    }

    /// Why a window is closed, which changes its animation. There are no animations.
    public enum DismissalAnimation: Int, Sendable {
        /// A person closes it.
        case standard = 1
        /// Its work is done.
        case commit = 2
        /// Its work is discarded.
        case decline = 3
    }
}

/// Options for closing a window's session.
@preconcurrency @MainActor open class UIWindowSceneDestructionRequestOptions: UISceneDestructionRequestOptions {
    /// How the window disappears. The system does not use it.
    open var windowDismissalAnimation = UIWindowScene.DismissalAnimation.standard
}

extension UIScene {
    /// Options of a request for a scene.
    @preconcurrency @MainActor open class ActivationRequestOptions: NSObject {
        /// The scene whose interface makes the request.
        open var requestingScene: UIScene?

        public override init() { super.init() }
    }
}

/// Why a request about a scene failed. The codes are Apple's.
public struct UISceneError: Error, Hashable, Sendable {
    /// The kinds of failure.
    public enum Code: Int, Sendable {
        /// The app or the platform supports one scene at a time.
        case multipleScenesNotSupported = 0
        /// The system denied the request: the session is unknown, or only the system connects
        /// scenes of that role.
        case requestDenied = 1
        /// The requested geometry is invalid, or not supported by the platform or the window.
        case geometryRequestUnsupported = 100
        /// The requested geometry is valid, and the system denied it.
        case geometryRequestDenied = 101
    }

    /// The kind of failure.
    public let code: Code

    /// What the system found, where it says more than the code.
    private var reason: String?

    /// An error of that kind.
    public init(_ code: Code) {
        self.code = code
    }

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    public static var multipleScenesNotSupported: Code { .multipleScenesNotSupported }
    public static var requestDenied: Code { .requestDenied }
    public static var geometryRequestUnsupported: Code { .geometryRequestUnsupported }
    public static var geometryRequestDenied: Code { .geometryRequestDenied }
}

extension UISceneError: CustomNSError, LocalizedError, CustomStringConvertible {
    public static var errorDomain: String { "UISceneErrorDomain" }
    public var errorCode: Int { code.rawValue }
    public var errorDescription: String? { description }
    /// Linux's Foundation asks a `CustomNSError` for no description but this one.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }

    public var description: String {
        switch code {
        case .multipleScenesNotSupported:
            "the app has one scene at a time: set UIApplicationSupportsMultipleScenes in its Info.plist, "
                + "on a platform that can show more"
        case .requestDenied:
            "the system denied the request: the session is unknown, or only the system connects scenes of that role"
        case .geometryRequestUnsupported:
            "the geometry cannot be requested: \(reason ?? "the platform or the window does not support it")"
        case .geometryRequestDenied: "the system denied the geometry: \(reason ?? "it cannot be met now")"
        }
    }
}
