/// What the system refuses, where, and what to do.
public enum UISystemError: Error, Hashable, Sendable {
    /// A scene cannot go from one state to the other in one step.
    case illegalTransition(from: UIScene.ActivationState, to: UIScene.ActivationState)
    /// The scene is not connected.
    case notConnected
    /// The manifest has no configuration of this name for the role.
    case unknownConfiguration(name: String, role: String, known: [String])
    /// A class that the Info.plist names does not exist, or is no class of that kind.
    case unusableClass(name: String, key: String, expected: String)
    /// The app delegate answered with a configuration for another role.
    case wrongRole(found: String, expected: String)
    /// Nothing says how to make a scene of this role.
    case noConfiguration(role: String)
    case multipleScenesNotSupported
    /// The scene's window has one size on this platform or for this app.
    case windowsCannotVary
    /// `UISceneSizeRestrictions.allowsFullScreen` is off.
    case fullScreenNotAllowed
    /// The app does not adopt the scene life cycle, and this release requires it.
    case scenesRequired
    case launchedBefore
    /// The screen is the device's own, or not attached.
    case notAnExternalDisplay
    /// The Info.plist cannot be used.
    case infoPlist(String)
    /// A setting of the environment cannot be used.
    case environment(name: String, value: String, expected: String)
    /// A host's script cannot be run.
    case script(String)
}

extension UISystemError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .illegalTransition(let from, let to):
            "a scene cannot go from \(from) to \(to); it goes through foregroundInactive"
        case .notConnected: "the scene is not connected; connect its session again"
        case .unknownConfiguration(let name, let role, let known):
            "the Info.plist has no scene configuration \"\(name)\" for \(role)"
                + (known.isEmpty ? "; it has none for that role" : "; it has \(known.joined(separator: ", "))")
        case .unusableClass(let name, let key, let expected):
            "\(key) is \"\(name)\", which names no \(expected); write MODULE.CLASS, "
                + "and let the class be neither nested nor private"
        case .wrongRole(let found, let expected):
            "application(_:configurationForConnecting:options:) returned a configuration for \(found); the session "
                + "is for \(expected), so pass connectingSceneSession.role as the sessionRole"
        case .noConfiguration(let role):
            "nothing says how to make a scene of the role \(role); declare it in the Info.plist's "
                + "UIApplicationSceneManifest or in application(_:configurationForConnecting:options:)"
        case .multipleScenesNotSupported: UISceneError(.multipleScenesNotSupported).localizedDescription
        case .windowsCannotVary: "the window has one size: on a phone there are no others"
        case .fullScreenNotAllowed: "the scene's size restrictions do not allow it to cover the screen"
        case .scenesRequired:
            "UIScene lifecycle is required: declare a scene manifest in the Info.plist, or implement "
                + "application(_:configurationForConnecting:options:)"
        case .launchedBefore: "the app was launched before; make another UISystem"
        case .notAnExternalDisplay: "the screen is no attached external display"
        case .infoPlist(let problem), .script(let problem): problem
        case .environment(let name, let value, let expected): "\(name) is \"\(value)\"; it must be \(expected)"
        }
    }
}
