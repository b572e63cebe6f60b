import UIKit

/// The window of a driver.
final class CockpitSceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    private let race = Race()
    private let textures = Textures()

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let windowScene = scene as? UIWindowScene else { return }
        // A smaller dashboard would be illegible.
        windowScene.sizeRestrictions?.minimumSize = CGSize(width: 480, height: 320)
        let window = UIWindow(windowScene: windowScene)
        window.rootViewController = RaceViewController(race: race)
        window.makeKeyAndVisible()
        self.window = window
        for context in connectionOptions.urlContexts { race.open(context.url) }
    }

    func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) {
        for context in contexts { race.open(context.url) }
    }

    func windowScene(
        _ windowScene: UIWindowScene, didUpdateEffectiveGeometry previousEffectiveGeometry: UIWindowScene.Geometry
    ) {
        let geometry = windowScene.effectiveGeometry
        let wasLocked = previousEffectiveGeometry.isInterfaceOrientationLocked
        if wasLocked, !geometry.isInterfaceOrientationLocked {
            race.stop(because: "the picture may turn now")
        }
        textures.update(for: geometry)
    }

    func sceneWillResignActive(_ scene: UIScene) {
        race.stop(because: "the driver looks elsewhere")
    }

    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? { race.activity }

    func scene(_ scene: UIScene, restoreInteractionStateWith stateRestorationActivity: NSUserActivity) {
        race.restore(stateRestorationActivity)
    }
}
