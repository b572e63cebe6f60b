import UIKit

/// A display on which others watch the race.
final class GrandstandSceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    private let textures = Textures()

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {
        // Without a race there is nothing of our own to show, and the system mirrors.
        guard let windowScene = scene as? UIWindowScene, let race = AppDelegate.raceOfTheDay else { return }
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
