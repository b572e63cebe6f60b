/// The app that runs: what it declares, how far its life is, and its sessions.
@MainActor final class RunningApp {
    /// `UIApplication.shared`.
    let application: UIApplication
    let infoPlist: InfoPropertyList
    var phase = Phase.made
    /// All open sessions, connected or not: first those of earlier launches, ordered by
    /// `activationOrder`; then the others, oldest first.
    var sessions: [UISceneSession] = []

    enum Phase {
        case made
        case launching
        /// The app adopts the scene life cycle.
        case scenes
        /// It does not: its app delegate gets what scene delegates would.
        case withoutScenes
        case ended
    }

    init(_ application: UIApplication, _ infoPlist: InfoPropertyList) {
        self.application = application
        self.infoPlist = infoPlist
    }

    var delegate: (any UIApplicationDelegate)? { application.delegate }

    /// The connected scenes, in the order of their sessions.
    var scenes: [UIScene] { sessions.compactMap(\.scene) }
    var windowScenes: [UIWindowScene] { sessions.compactMap { $0.scene as? UIWindowScene } }

    /// Of the sessions of the app's windows that have no scene, the one whose scene was in
    /// front last.
    var lastActiveSession: UISceneSession? {
        sessions.filter { $0.role == .windowApplication && $0.scene == nil }
            .max { $0.activationOrder < $1.activationOrder }
    }
}
