/// Which content a scene is for: where the system chooses a scene for a URL, an activity, a
/// quick action or a notification.
///
/// Both predicates are evaluated with the content's identifier, a string: a URL's absolute
/// string, or the `targetContentIdentifier` of the other kinds. Without an identifier they do
/// not count. On Linux use `NSPredicate(value:)` or `NSPredicate(block:)`, as Foundation has no
/// predicate formats there.
@preconcurrency @MainActor open class UISceneActivationConditions: NSObject {
    /// Whether the scene can be activated for the content. By default for all.
    open var canActivateForTargetContentIdentifierPredicate = NSPredicate(value: true)
    /// Whether the scene is better for the content than others that can be. By default for none.
    open var prefersToActivateForTargetContentIdentifierPredicate = NSPredicate(value: false)

    /// The default conditions.
    public override init() { super.init() }
}

extension Connections {
    /// The connected scene that is activated for content: the front-most of those that prefer it,
    /// else of those that can be; `nil` if there is none.
    ///
    /// - Parameter identifier: The content's identifier; `nil` for the scene in front.
    func scene(for identifier: String?) -> UIScene? {
        let scenes = app.scenes.filter { $0.session.role == .windowApplication }.sorted { rank($0) > rank($1) }
        guard let identifier else { return scenes.first }
        func allows(_ predicate: NSPredicate) -> Bool { predicate.evaluate(with: identifier) }
        let able = scenes.filter {
            $0.storedConditions.map { allows($0.canActivateForTargetContentIdentifierPredicate) } ?? true
        }
        let eager = able.first {
            $0.storedConditions.map { allows($0.prefersToActivateForTargetContentIdentifierPredicate) } ?? false
        }
        // An app with one scene has no other.
        return eager ?? able.first ?? (supportsMultipleScenes ? nil : scenes.first)
    }

    private func rank(_ scene: UIScene) -> (Int, UInt64) {
        (scene.activationState.isInForeground ? 1 : 0, scene.session.activationOrder)
    }

    func connectForOpening(_ options: UIScene.ConnectionOptions) throws {
        let hasScene = app.scenes.contains { $0.session.role == .windowApplication }
        let session = hasScene ? nil : app.lastActiveSession
        _ = try connect(session ?? UISceneSession(role: .windowApplication), options)
    }
}
