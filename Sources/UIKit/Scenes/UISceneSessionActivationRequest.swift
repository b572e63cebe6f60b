/// A wish for a scene: an existing session's, or a new one.
@preconcurrency @MainActor public final class UISceneSessionActivationRequest: NSObject {
    public let role: UISceneSession.Role
    /// The session to activate; `nil` for a new one.
    public let session: UISceneSession?
    /// What the scene is to show.
    public var userActivity: NSUserActivity?
    public var options: UIScene.ActivationRequestOptions?

    /// Asks for a new scene.
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

    /// Asks for a session's scene to come to the front, connected anew if need be.
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

extension UIScene {
    /// Who asks for a scene.
    @preconcurrency @MainActor open class ActivationRequestOptions: NSObject {
        open var requestingScene: UIScene?

        public override init() { super.init() }
    }
}

/// Why a request about a scene failed. The codes are Apple's.
public struct UISceneError: Error, Hashable, Sendable {
    public enum Code: Int, Sendable {
        /// The app or the platform has one scene at a time.
        case multipleScenesNotSupported = 0
        /// The system refused: no such session, or a role that only the system gives.
        case requestDenied = 1
    }

    public let code: Code

    public init(_ code: Code) {
        self.code = code
    }

    public static var multipleScenesNotSupported: Code { .multipleScenesNotSupported }
    public static var requestDenied: Code { .requestDenied }
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
            "the app has one scene at a time: its Info.plist lacks UIApplicationSupportsMultipleScenes, "
                + "or the platform cannot show more"
        case .requestDenied: "the system refused the scene: the session is unknown, or only the system gives its role"
        }
    }
}
