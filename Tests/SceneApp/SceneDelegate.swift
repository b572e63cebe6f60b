import UIKit

class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    private var visits = 1
    private var built = CGSize.zero
    private var rebuilds = 0

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession, options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let windowScene = scene as? UIWindowScene else { return }
        window = UIWindow(windowScene: windowScene)
        window?.rootViewController = RootViewController(greeting: "hello")
        window?.makeKeyAndVisible()
    }

    func sceneDidBecomeActive(_ scene: UIScene) {
        guard ProcessInfo.processInfo.environment["UIKIT_REPLAY"] == nil else { return }
        say("active, visit \(visits)")
        _ = Timer.scheduledTimer(withTimeInterval: 0.01, repeats: false) { _ in
            say("timer")
            Task { @MainActor in
                try await Task.sleep(for: .milliseconds(1))
                say("task")
            }
        }
    }

    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? {
        let activity = NSUserActivity(activityType: "visiting")
        activity.userInfo = ["visits": visits]
        return activity
    }

    func scene(_ scene: UIScene, restoreInteractionStateWith stateRestorationActivity: NSUserActivity) {
        visits = 1 + (stateRestorationActivity.userInfo?["visits"] as? Int ?? 0)
    }

    func sceneDidEnterBackground(_ scene: UIScene) { say("background, \(rebuilds) rebuilds, \(scene.title ?? "")") }

    func windowScene(
        _ windowScene: UIWindowScene, didUpdateEffectiveGeometry previousEffectiveGeometry: UIWindowScene.Geometry
    ) {
        let size = windowScene.effectiveGeometry.coordinateSpace.bounds.size
        guard !windowScene.effectiveGeometry.isInteractivelyResizing, size != built else { return }
        built = size
        rebuilds += 1
    }
}

/// Has its own initializer, as many view controllers have.
class RootViewController: UIViewController {
    let greeting: String

    init(greeting: String) {
        self.greeting = greeting
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { fatalError("there are no archives") }

    override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        guard ProcessInfo.processInfo.environment["UIKIT_REPLAY"] == nil else { return }
        say("\(greeting) at \(view.bounds.width)×\(view.bounds.height)")
    }
}
