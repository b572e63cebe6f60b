import UIKit

/// An external display for the audience.
final class GrandstandSceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    private let textures = Textures()

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {
        // Without a race there is no content for the display, and the system mirrors the screen.
        guard let windowScene = scene as? UIWindowScene, let race = AppDelegate.currentRace else { return }
        let window = UIWindow(windowScene: windowScene)
        window.rootViewController = UIViewController()
        window.makeKeyAndVisible()
        self.window = window
        say("shows track \(race.track) to the grandstand")
    }

    func windowScene(
        _ windowScene: UIWindowScene, didUpdateEffectiveGeometry previousEffectiveGeometry: UIWindowScene.Geometry
    ) {
        if window != nil { textures.update(for: windowScene.effectiveGeometry) }
    }
}
