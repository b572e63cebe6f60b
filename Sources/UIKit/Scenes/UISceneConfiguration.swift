/// How to make a scene: its class, its delegate's class, its storyboard.
@preconcurrency @MainActor open class UISceneConfiguration: NSObject {
    /// Names an entry of the Info.plist's scene manifest; `nil` when there is none.
    public internal(set) var name: String?
    public let role: UISceneSession.Role

    /// The scene's class; `nil` for `UIWindowScene`.
    open var sceneClass: AnyClass?
    /// The class of the scene's delegate; `nil` for none.
    open var delegateClass: AnyClass?
    /// What holds the scene's first view controller; `nil` for none.
    open var storyboard: UIStoryboard?

    /// A configuration from the scene manifest of the running system's Info.plist.
    ///
    /// - Parameters:
    ///   - name: The entry's name; `nil` for the role's first. A name that the manifest
    ///     does not have leaves everything unset, and a scene can connect only if the app
    ///     then sets `delegateClass`.
    ///   - sessionRole: The role under which the entry stands.
    public init(name: String?, sessionRole: UISceneSession.Role) {
        self.name = name
        role = sessionRole
        super.init()
        UISystem.current?.fill(self)
    }

    /// Whether the manifest has an entry of this name and role. An entry may lack a
    /// delegate's class, so the properties do not tell.
    var isDeclared = false

    /// A fault in the entry: a class of its that does not exist or is of another kind.
    var fault: UISystem.Error?

    /// What the default body of `application(_:configurationForConnecting:options:)`
    /// returns: how the system sees that an app delegate has none of its own.
    static let undecided = UISceneConfiguration(name: nil, sessionRole: .windowApplication)
}
