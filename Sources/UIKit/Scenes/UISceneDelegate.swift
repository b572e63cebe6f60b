/// Hears what happens to a scene. All methods may be left out.
@preconcurrency @MainActor public protocol UISceneDelegate: NSObjectProtocol {
    /// The scene was made and is about to be shown; make its window here.
    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions)
    /// The scene is gone. Its session may come back with another.
    func sceneDidDisconnect(_ scene: UIScene)

    func sceneDidBecomeActive(_ scene: UIScene)
    func sceneWillResignActive(_ scene: UIScene)
    func sceneWillEnterForeground(_ scene: UIScene)
    func sceneDidEnterBackground(_ scene: UIScene)

    /// URLs came in while the scene was connected.
    func scene(_ scene: UIScene, openURLContexts urlContexts: Set<UIOpenURLContext>)
    /// An activity is to go on in the scene.
    func scene(_ scene: UIScene, continue userActivity: NSUserActivity)

    /// What will bring the scene back as it is now. Asked after the scene has entered
    /// the background; `nil` keeps nothing. A delegate without this method keeps what the
    /// session has.
    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity?
    /// What was kept, after the scene has connected and before it enters the foreground.
    func scene(_ scene: UIScene, restoreInteractionStateWith stateRestorationActivity: NSUserActivity)
}

extension UISceneDelegate {
    public func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {}
    public func sceneDidDisconnect(_ scene: UIScene) {}
    public func sceneDidBecomeActive(_ scene: UIScene) {}
    public func sceneWillResignActive(_ scene: UIScene) {}
    public func sceneWillEnterForeground(_ scene: UIScene) {}
    public func sceneDidEnterBackground(_ scene: UIScene) {}
    public func scene(_ scene: UIScene, openURLContexts urlContexts: Set<UIOpenURLContext>) {}
    public func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {}
    public func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? {
        scene.session.stateRestorationActivity
    }
    public func scene(_ scene: UIScene, restoreInteractionStateWith stateRestorationActivity: NSUserActivity) {}
}
