/// What the system remembers of a scene: it outlives the scene, and the process where
/// the system keeps its state on disk.
@preconcurrency @MainActor public final class UISceneSession: NSObject {
    public let role: Role
    /// Unique among the app's sessions, and the same whenever the scene comes back.
    public let persistentIdentifier: String
    /// How the session's scene is made.
    public internal(set) var configuration: UISceneConfiguration
    /// The session's scene while it is connected. The system takes it away when the scene
    /// disconnects: a weak reference would make every use of a scene slower.
    public internal(set) var scene: UIScene?
    /// Known to the system, connected or not.
    var isOpen = false
    var configurationStatus = ConfigurationStatus.undecided
    /// Orders the sessions by when their scenes were in front last; 0 for a scene that never
    /// was.
    var activationOrder: UInt64 = 0
    /// What will bring the scene back as it was. The system asks the scene's delegate for
    /// it in the background, and keeps what the app sets here where the delegate has no
    /// `stateRestorationActivity(for:)`.
    public var stateRestorationActivity: NSUserActivity?
    /// The app's own, kept with the session. It may hold what `NSUserActivity.userInfo` may.
    public var userInfo: [String: Any]?

    init(role: Role, persistentIdentifier: String, configuration: UISceneConfiguration) {
        self.role = role
        self.persistentIdentifier = persistentIdentifier
        self.configuration = configuration
        super.init()
    }

    /// A session without a scene and with the manifest's default configuration.
    convenience init(role: Role, persistentIdentifier: String = UUID().uuidString) {
        self.init(
            role: role, persistentIdentifier: persistentIdentifier,
            configuration: UISceneConfiguration(name: nil, sessionRole: role))
    }

    /// Whether `configuration` is the one of the session's scenes.
    enum ConfigurationStatus {
        /// The app decides when a scene connects.
        case undecided
        /// It is: a scene was made with it.
        case known
        /// An earlier launch made a scene with it, and this launch cannot.
        case lost
    }

    /// What a scene is for.
    public struct Role: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Shows the app's interface on a display that people touch or point at.
        public static let windowApplication = Role(rawValue: "UIWindowSceneSessionRoleApplication")
        /// Shows content on a connected display that only shows.
        public static let windowExternalDisplayNonInteractive = Role(
            rawValue: "UIWindowSceneSessionRoleExternalDisplayNonInteractive")
    }
}
