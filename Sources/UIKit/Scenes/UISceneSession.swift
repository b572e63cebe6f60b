/// What the system stores of a scene. It stays when the scene disconnects and, if the system
/// has a state folder, when the process ends.
@preconcurrency @MainActor public final class UISceneSession: NSObject {
    /// The role of the session's scenes.
    public let role: Role
    /// Unique among the app's sessions, and the same whenever the session connects.
    public let persistentIdentifier: String
    /// What the session's scenes are made of.
    public internal(set) var configuration: UISceneConfiguration
    /// The session's scene while it is connected.
    // The system sets it to nil when the scene disconnects: a weak reference would make every
    // use of a scene slower.
    public internal(set) var scene: UIScene?
    var isOpen = false
    var configurationStatus = ConfigurationStatus.undecided
    /// Orders the sessions by when their scenes were in front last; 0 for a scene that never
    /// was.
    var activationOrder: UInt64 = 0
    /// The activity that can restore the scene. The system sets it to what the scene's
    /// delegate returns in the background, or stores what the app sets here if the delegate
    /// does not have `stateRestorationActivity(for:)`.
    public var stateRestorationActivity: NSUserActivity?
    /// The app's own data, stored with the session. Its values may be those of
    /// `NSUserActivity.userInfo`.
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

    /// The purpose of a scene. The raw values are those of the Info.plist.
    public struct Role: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Shows the app's interface on an interactive display.
        public static let windowApplication = Role(rawValue: "UIWindowSceneSessionRoleApplication")
        /// Shows content on a non-interactive external display.
        public static let windowExternalDisplayNonInteractive = Role(
            rawValue: "UIWindowSceneSessionRoleExternalDisplayNonInteractive")
    }
}
