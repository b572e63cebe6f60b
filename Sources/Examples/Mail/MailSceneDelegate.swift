import UIKit

/// A window of the app.
final class MailSceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    private let interface = MailInterface()

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let windowScene = scene as? UIWindowScene else { return }
        // A message would be illegible in less.
        windowScene.sizeRestrictions?.minimumSize = CGSize(width: 360, height: 320)
        let window = UIWindow(windowScene: windowScene)
        window.rootViewController = interface.splitViewController
        window.makeKeyAndVisible()
        self.window = window
        for context in connectionOptions.urlContexts { interface.open(context.url) }
    }

    func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) {
        for context in contexts { interface.open(context.url) }
    }
}
