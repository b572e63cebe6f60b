import UIKit
import XCTest

/// When view controllers load their views, appear and are laid out.
@MainActor final class AppearanceTests: AppTestCase {
    private typealias Controller = NamedController

    func testARootControllersNextViewTakesThePlaceOfItsView() async throws {
        let root = Controller("root")
        let window = app.show(root)
        let old = try XCTUnwrap(root.view)
        root.view = UIView(frame: .zero)
        XCTAssertNil(old.window)
        XCTAssertIdentical(root.view.window, window)
        assertCalls("root will disappear, root disappeared") { window.rootViewController = UIViewController() }
        XCTAssertEqual(window.subviews.count, 1)
    }

    func testASceneThatConnectsLoadsItsRootViewAndShowsItInTheForeground() async throws {
        let app = try TestApp()
        // The windows of the system before have gone with it.
        DelegateCalls.all = []
        RecordingSceneDelegate.onConnect = { scene, delegate in
            delegate.window = UIWindow.show(Controller("root"), in: scene)
        }
        try app.system.launch(PlainAppDelegate.self)
        assertCalls([
            "didFinishLaunching", "willConnectTo", "root loaded", "willEnterForeground", "root will appear",
            "geometry", "didBecomeActive", "root appeared",
        ])
        try app.system.disconnect(app.scene)
        assertCalls("willResignActive, didEnterBackground, root will disappear, root disappeared, didDisconnect")
    }

    func testASceneThatConnectsInTheBackgroundShowsItsContentInTheForeground() async throws {
        let app = try TestApp().launched(connectsScene: false)
        RecordingSceneDelegate.onConnect = { scene, delegate in
            delegate.window = UIWindow.show(Controller("root"), in: scene)
        }
        let scene = try app.system.connect(state: .background)
        XCTAssertFalse(DelegateCalls.drain().contains { $0.contains("appear") })
        try app.system.bring(scene, to: .foregroundInactive)
        XCTAssertEqual(DelegateCalls.drain().filter { $0.contains("appear") }, ["root will appear", "root appeared"])
    }

    func testAnAppWithoutScenesLoadsItsRootViewAsWell() async throws {
        let app = try TestApp(scenes: nil)
        final class Delegate: UIResponder, UIApplicationDelegate {
            func application(
                _ application: UIApplication,
                didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
            ) -> Bool {
                window = UIWindow(frame: UIScreen.main.bounds)
                window?.rootViewController = Controller("root")
                window?.makeKeyAndVisible()
                return true
            }
            var window: UIWindow?
        }
        try assertCalls("root loaded, root will appear, root appeared") { try app.system.launch(Delegate()) }
    }

    func testARemovedChildIsInTheWindowUntilItHasBegunToDisappear() async throws {
        final class Leaving: UIViewController {
            var calls: [String] = []
            override func viewWillDisappear(_ animated: Bool) { record("will disappear") }
            override func viewDidDisappear(_ animated: Bool) { record("disappeared") }
            private func record(_ call: String) {
                calls.append("\(call) \(view.superview != nil) \(view.window != nil)")
            }
        }
        let app = try TestApp().launched()
        let (root, child) = (UIViewController(), Leaving())
        root.addChild(child)
        root.view.addSubview(child.view)
        app.show(root)
        child.view.removeFromSuperview()
        XCTAssertEqual(child.calls, ["will disappear true true", "disappeared false false"])
        root.view.addSubview(child.view)
        let other = UIView()
        root.view.addSubview(other)
        child.calls = []
        other.addSubview(child.view)
        XCTAssertEqual(child.calls, [], "it stays visible")
    }
}
