/// A quick action of an app, which a person chooses from its icon.
@preconcurrency @MainActor open class UIApplicationShortcutItem: NSObject {
    /// What the action does, for the app's own use.
    open internal(set) var type: String
    /// What people read.
    open internal(set) var localizedTitle: String
    /// A second line.
    open internal(set) var localizedSubtitle: String?
    /// The action's icon.
    open internal(set) var icon: UIApplicationShortcutIcon?
    /// The app's own data.
    open internal(set) var userInfo: [String: any NSSecureCoding]?
    /// Names the content, a `String`, to choose the scene that runs the action; see
    /// `UISceneActivationConditions`.
    open internal(set) var targetContentIdentifier: Any?

    /// An action.
    public init(
        type: String, localizedTitle: String, localizedSubtitle: String?, icon: UIApplicationShortcutIcon?,
        userInfo: [String: any NSSecureCoding]? = nil
    ) {
        self.type = type
        self.localizedTitle = localizedTitle
        self.localizedSubtitle = localizedSubtitle
        self.icon = icon
        self.userInfo = userInfo
        super.init()
    }

    /// An action with a title alone.
    public convenience init(type: String, localizedTitle: String) {
        self.init(type: type, localizedTitle: localizedTitle, localizedSubtitle: nil, icon: nil)
    }
}

/// A quick action that can be changed.
@preconcurrency @MainActor open class UIMutableApplicationShortcutItem: UIApplicationShortcutItem {
    open override var type: String {
        get { super.type }
        set { super.type = newValue }
    }
    open override var localizedTitle: String {
        get { super.localizedTitle }
        set { super.localizedTitle = newValue }
    }
    open override var localizedSubtitle: String? {
        get { super.localizedSubtitle }
        set { super.localizedSubtitle = newValue }
    }
    open override var icon: UIApplicationShortcutIcon? {
        get { super.icon }
        set { super.icon = newValue }
    }
    open override var userInfo: [String: any NSSecureCoding]? {
        get { super.userInfo }
        set { super.userInfo = newValue }
    }
    open override var targetContentIdentifier: Any? {
        get { super.targetContentIdentifier }
        set { super.targetContentIdentifier = newValue }
    }
}

/// The icon of a quick action. Nothing is drawn.
@preconcurrency @MainActor open class UIApplicationShortcutIcon: NSObject {
    private let name: String

    /// An image of the app.
    public init(templateImageName: String) {
        name = templateImageName
        super.init()
    }

    public init(systemImageName: String) {
        name = systemImageName
        super.init()
    }
}

extension UISystem {
    /// A person chooses a quick action. The scene in front, or the one that the action's
    /// `targetContentIdentifier` chooses, becomes active and runs it; without a connected scene
    /// one connects with it. In an app without scenes the app delegate runs it.
    ///
    /// - Parameters:
    ///   - shortcutItem: The action.
    ///   - scene: A connected scene; `nil` for the system's choice.
    ///   - completionHandler: Gets what the app says, whenever it says it; not called if a scene
    ///     connects.
    /// - Throws: What `connect` throws; `ended`.
    public func performAction(
        for shortcutItem: UIApplicationShortcutItem, in scene: UIScene? = nil,
        completionHandler: @escaping (Bool) -> Void = { _ in }
    ) throws {
        try turn.changeState { [unowned self] in
            let target = shortcutItem.targetContentIdentifier as? String
            if let scene = scene ?? connections.scene(for: target) {
                try connections.perform(shortcutItem, in: scene, completionHandler)
            } else {
                try connections.connectForOpening(UIScene.ConnectionOptions(OpeningRequest(shortcutItem: shortcutItem)))
            }
        }
    }
}

extension Connections {
    func perform(
        _ shortcutItem: UIApplicationShortcutItem, in scene: UIScene, _ completion: @escaping (Bool) -> Void
    ) throws {
        try transitionNow(scene, through: .foregroundActive)
        if app.phase == .withoutScenes {
            reports.traceCallback("performActionFor", nil, shortcutItem.type)
            app.delegate?.application(
                app.application, performActionFor: shortcutItem, completionHandler: completion)
            return
        }
        guard let scene = scene as? UIWindowScene, let delegate = scene.windowDelegate else { return completion(false) }
        reports.traceCallback("performActionFor", scene.session, shortcutItem.type)
        delegate.windowScene(scene, performActionFor: shortcutItem, completionHandler: completion)
    }
}
