import UIKit
import XCTest

/// When view controllers load their views, appear and are laid out.
@MainActor final class AppearanceTests: AppTestCase {
    private typealias Controller = NamedController

    private func window(_ app: TestApp, _ controller: Controller) -> UIWindow {
        let window = UIWindow(windowScene: app.scene)
        window.rootViewController = controller
        return window
    }

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

    func testARootViewIsLoadedWhenItsWindowIsShown() async throws {
        let window = window(app, Controller("root"))
        assertCalls("", "not before")
        window.makeKeyAndVisible()
        assertCalls("root loaded, root will appear, root appeared")
        window.rootViewController = Controller("next")
        assertCalls("root will disappear, root disappeared, next loaded, next will appear, next appeared")

        let other = self.window(app, Controller("other"))
        other.isHidden = false
        assertCalls("other loaded, other will appear, other appeared")
        other.isHidden = true
        assertCalls("other will disappear, other disappeared")
        other.isHidden = false
        assertCalls("other will appear, other appeared", "loaded once")
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

    func testChildrenAppearAndDisappearWithTheirParent() async throws {
        let (root, child, grandchild) = (Controller("root"), Controller("child"), Controller("grandchild"))
        // A view of its own between a parent's and a child's.
        let container = UIView(frame: .zero)
        root.view.addSubview(container)
        root.embed(child, in: container)
        child.embed(grandchild)
        let window = window(app, root)
        let appear =
            "root will appear, child will appear, grandchild will appear, root appeared, child appeared, "
            + "grandchild appeared"
        let disappear = appear.replacingOccurrences(of: "appear", with: "disappear")
        assertCalls(appear) { window.makeKeyAndVisible() }
        assertCalls(disappear) { window.isHidden = true }
        assertCalls(appear) { window.isHidden = false }
        assertCalls(disappear) { window.windowScene = nil }
    }

    func testAChildAppearsWithItsViewAndNotBefore() async throws {
        let (root, child) = (app.showing(Controller("root")), Controller("child"))
        assertCalls("child will enter") { root.addChild(child) }
        assertCalls("child loaded, child will appear", "the layout waits for a turn") {
            root.view.addSubview(child.view)
        }
        assertCalls("child appeared") { app.turn() }
        assertCalls("", "it was there") { root.view.addSubview(child.view) }
        assertCalls("child will disappear, child disappeared") { child.view.removeFromSuperview() }
        assertCalls("child left") { child.removeFromParent() }
        func appearances(_ body: () -> Void) -> [String] { calls("appear", body) }
        let whole = "child will appear, child appeared, child will disappear, child disappeared"
        assertText(
            appearances {
                app.turn { root.embed(child) }
                child.removeFromParent()
                child.view.removeFromSuperview()
            }, whole, "in either order")
        assertText(
            appearances {
                root.embed(child)
                app.turn { child.view.removeFromSuperview() }
            }, "child will appear, child will disappear, child disappeared", "it was never laid out")
    }

    func testChildrenThatAreNotShownGetNoCalls() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000) { $0.preferredDisplayMode = .secondaryOnly }
        assertText(app.pane(.secondary).appearances, "will appear, did appear")
        XCTAssertEqual(app.pane(.primary).appearances, [])

        let navigation = UINavigationController(rootViewController: NamedController("below"))
        navigation.pushViewController(NamedController("top"), animated: false)
        let window = try TestApp().launched().show(navigation)
        window.isHidden = true
        window.isHidden = false
        assertCalls("top will disappear, top disappeared, top will appear, top appeared")
    }

    func testAChildThatIsAddedAsItsParentAppearsAppearsOnce() async throws {
        let (root, child) = (Controller("root"), Controller("child"))
        root.onAppearance = { [unowned root] in if $0 == "will appear" { root.embed(child) } }
        let appearances = calls("appear") { UIWindow.show(root, in: app.scene) }
        assertText(appearances, "root will appear, child will appear, root appeared, child appeared")
    }

    func testHiddenWindowsAreLaidOutAsWell() async throws {
        let (never, shown) = (window(app, Controller("never")), window(app, Controller("shown")))
        shown.isHidden = false
        shown.isHidden = true
        try app.resize(700, 500)
        for window in [never, shown] { XCTAssertEqual(window.frame, CGRect(0, 0, 700, 500)) }
        XCTAssertEqual(shown.rootViewController?.viewIfLoaded?.frame, shown.bounds)
        never.isHidden = false
        XCTAssertEqual(never.rootViewController?.viewIfLoaded?.frame, never.bounds)
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

    func testAChildThatAnotherOnesAppearanceRemovesDoesNotAppear() async throws {
        for (moment, expected) in [
            ("will appear", ""), ("is appearing", "second will appear, second will disappear, second disappeared"),
            ("appeared", "second will appear, second will disappear, second disappeared"),
        ] {
            let app = try TestApp(.pad, 1000, 800)
            let (root, first, second) = (NamedController("root"), NamedController("first"), NamedController("second"))
            let window = app.show(root)
            window.isHidden = true
            for child in [first, second] { root.embed(child) }
            first.onAppearance = { call in if call == moment { second.view.removeFromSuperview() } }
            assertText(calls("second") { window.isHidden = false }, expected, moment)
        }
    }
}
