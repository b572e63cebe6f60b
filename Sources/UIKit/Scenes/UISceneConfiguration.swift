/// What a scene is made of: its class, its delegate's class, its storyboard.
@preconcurrency @MainActor open class UISceneConfiguration: NSObject {
    /// The name of the scene manifest's entry; `nil` if it has none.
    public internal(set) var name: String?
    public let role: UISceneSession.Role

    /// The scene's class; `nil` for `UIWindowScene`.
    open var sceneClass: AnyClass?
    /// The class of the scene's delegate; `nil` for none.
    open var delegateClass: AnyClass?
    /// The storyboard with the scene's first view controller; `nil` for none.
    open var storyboard: UIStoryboard?

    /// A configuration with the values of an entry of the running system's scene manifest.
    ///
    /// - Parameters:
    ///   - name: The entry's name; `nil` for the role's first entry. If the manifest has no
    ///     such entry, nothing is set, and a scene can connect only if the app sets
    ///     `delegateClass`.
    ///   - sessionRole: The entry's role.
    public init(name: String?, sessionRole: UISceneSession.Role) {
        self.name = name
        role = sessionRole
        super.init()
        UISystem.current?.connections.fill(self)
    }

    /// Whether the manifest has an entry of this name and role. The properties do not show
    /// it, as an entry may have no delegate class.
    var isDeclared = false

    /// What is wrong with the entry: a class that does not exist or is of the wrong kind.
    var fault: UISystem.Error?

    /// The result of the default body of
    /// `application(_:configurationForConnecting:options:)`, which shows the system that the
    /// app delegate does not have the method.
    static let undecided = UISceneConfiguration(name: nil, sessionRole: .windowApplication)
}
