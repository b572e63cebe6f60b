/// The app's own part of a scene's life. Every method has a default body. The system calls
/// them on the main thread.
@preconcurrency @MainActor public protocol UISceneDelegate: NSObjectProtocol {
    /// The scene connects. Make its window here.
    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions)
    /// The scene has disconnected: its last callback. Its session may connect with another
    /// scene.
    func sceneDidDisconnect(_ scene: UIScene)

    func sceneDidBecomeActive(_ scene: UIScene)
    /// The scene is about to become inactive.
    func sceneWillResignActive(_ scene: UIScene)
    /// The scene is about to enter the foreground. A geometry that changed meanwhile follows.
    func sceneWillEnterForeground(_ scene: UIScene)
    func sceneDidEnterBackground(_ scene: UIScene)

    /// Opens URLs in the connected scene. URLs with which a scene connects are in its
    /// connection options.
    func scene(_ scene: UIScene, openURLContexts urlContexts: Set<UIOpenURLContext>)
    /// An activity of that type is being fetched, for `scene(_:continue:)`.
    func scene(_ scene: UIScene, willContinueUserActivityWithType userActivityType: String)
    /// The activity that was being fetched is not available.
    func scene(
        _ scene: UIScene, didFailToContinueUserActivityWithType userActivityType: String, error: any Error)
    /// Continues an activity in the connected scene.
    func scene(_ scene: UIScene, continue userActivity: NSUserActivity)

    /// Returns an activity that can restore the scene as it is now; `nil` stores nothing. The
    /// system calls it after the scene has entered the background. For a delegate without
    /// this method it stores the session's `stateRestorationActivity`.
    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity?
    /// Restores the scene from the stored activity, if there is one: after the scene has
    /// connected and before it enters the foreground.
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
    public func scene(_ scene: UIScene, willContinueUserActivityWithType userActivityType: String) {}
    public func scene(
        _ scene: UIScene, didFailToContinueUserActivityWithType userActivityType: String, error: any Error
    ) {}
    public func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {}
    public func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? {
        scene.session.stateRestorationActivity
    }
    public func scene(_ scene: UIScene, restoreInteractionStateWith stateRestorationActivity: NSUserActivity) {}
}
