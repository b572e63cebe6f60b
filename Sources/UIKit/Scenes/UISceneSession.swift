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
    var setup = Setup.none
    /// Greater than that of every session whose scene was in front before; 0 before the
    /// scene first was.
    var activation: UInt64 = 0
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

    /// What is known of `configuration`.
    enum Setup {
        /// The app is to be asked for it.
        case none
        /// A scene was made by it, and the next is as well.
        case known
        /// An earlier launch made a scene by it, and this one cannot.
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
