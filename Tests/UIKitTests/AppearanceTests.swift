import UIKit
import XCTest

/// When view controllers load their views, appear and are laid out.
@MainActor final class AppearanceTests: AppTestCase {
    private final class Controller: LoggingController {
        override func viewDidLoad() { record("loaded") }
        override func viewWillAppear(_ animated: Bool) { record("will appear") }
        override func viewDidAppear(_ animated: Bool) { record("appeared") }
        override func viewWillDisappear(_ animated: Bool) { record("will disappear") }
        override func viewDidDisappear(_ animated: Bool) { record("disappeared") }
    }

    private func window(_ app: TestApp, _ controller: Controller) -> UIWindow {
        let window = UIWindow(windowScene: app.scene)
        window.rootViewController = controller
        return window
    }

    func testARootControllersNextViewTakesThePlaceOfItsView() async throws {
        final class Root: UIViewController {
            override func viewDidDisappear(_ animated: Bool) { DelegateCalls.all.append("disappeared") }
        }
        let app = try TestApp().launched()
        let root = Root()
        let window = UIWindow.show(root, in: app.scene)
        let old = try XCTUnwrap(root.view)
        root.view = UIView(frame: .zero)
        XCTAssertNil(old.window)
        XCTAssertIdentical(root.view.window, window)
        window.rootViewController = UIViewController()
        assertCalls(["disappeared"])
        XCTAssertEqual(window.subviews.count, 1)
    }

    func testARootViewIsLoadedWhenItsWindowIsShown() async throws {
        let window = window(app, Controller("root"))
        assertCalls([], "not before")
        window.makeKeyAndVisible()
        assertCalls(["root loaded", "root will appear", "root appeared"])
        window.rootViewController = Controller("next")
        assertCalls(["root will disappear", "root disappeared", "next loaded", "next will appear", "next appeared"])

        let other = self.window(app, Controller("other"))
        other.isHidden = false
        assertCalls(["other loaded", "other will appear", "other appeared"])
        other.isHidden = true
        assertCalls(["other will disappear", "other disappeared"])
        other.isHidden = false
        assertCalls(["other will appear", "other appeared"], "loaded once")
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
        assertCalls(
            ["willResignActive", "didEnterBackground", "root will disappear", "root disappeared", "didDisconnect"])
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
        DelegateCalls.all = []
        try app.system.launch(Delegate())
        assertCalls(["root loaded", "root will appear", "root appeared"])
    }

    func testChildrenAppearAndDisappearWithTheirParent() async throws {
        let (root, child, grandchild) = (Controller("root"), Controller("child"), Controller("grandchild"))
        // A view of its own between a parent's and a child's.
        let container = UIView(frame: .zero)
        root.view.addSubview(container)
        root.embed(child, in: container)
        child.embed(grandchild)
        assertCalls(["root loaded", "child loaded", "grandchild loaded"])
        let window = window(app, root)
        let appear = [
            "root will appear", "child will appear", "grandchild will appear", "root appeared", "child appeared",
            "grandchild appeared",
        ]
        let disappear = appear.map { $0.replacingOccurrences(of: "appear", with: "disappear") }
        window.makeKeyAndVisible()
        assertCalls(appear)
        window.isHidden = true
        assertCalls(disappear)
        window.isHidden = false
        assertCalls(appear)
        window.windowScene = nil
        assertCalls(disappear)
    }

    func testAChildAppearsWithItsViewAndNotBefore() async throws {
        let (root, child) = (Controller("root"), Controller("child"))
        window(app, root).makeKeyAndVisible()
        DelegateCalls.all = []
        root.addChild(child)
        assertCalls([])
        root.view.addSubview(child.view)
        assertCalls(["child loaded", "child will appear"], "the layout waits for a turn")
        app.turn()
        assertCalls(["child appeared"])
        root.view.addSubview(child.view)
        assertCalls([], "it was there")
        child.view.removeFromSuperview()
        assertCalls(["child will disappear", "child disappeared"])
        child.removeFromParent()
        assertCalls([])
        root.embed(child)
        app.turn()
        child.removeFromParent()
        child.view.removeFromSuperview()
        assertCalls(
            ["child will appear", "child appeared", "child will disappear", "child disappeared"], "in either order")
        root.embed(child)
        child.view.removeFromSuperview()
        app.turn()
        assertCalls(["child will appear", "child will disappear", "child disappeared"], "it was never laid out")
    }

    func testChildrenThatAreNotShownGetNoCalls() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000) { $0.preferredDisplayMode = .secondaryOnly }
        XCTAssertEqual(app.panes[.secondary]?.appearances, ["will appear", "did appear"])
        XCTAssertEqual(app.panes[.primary]?.appearances, [])

        let navigation = UINavigationController(rootViewController: NamedController("below"))
        navigation.pushViewController(NamedController("top"), animated: false)
        let window = try TestApp().launched().show(navigation)
        window.isHidden = true
        window.isHidden = false
        assertCalls(["top will disappear", "top disappeared", "top will appear", "top appeared"])
    }

    func testAChildThatIsAddedAsItsParentAppearsAppearsOnce() async throws {
        final class Late: UIViewController {
            let child = Controller("child")
            override func viewWillAppear(_ animated: Bool) {
                addChild(child)
                view.addSubview(child.view)
            }
            override func viewDidAppear(_ animated: Bool) { DelegateCalls.all.append("parent appeared") }
        }
        let app = try TestApp().launched()
        UIWindow.show(Late(), in: app.scene)
        assertCalls(["child loaded", "child will appear", "parent appeared", "child appeared"])
    }

    func testHiddenWindowsAreLaidOutAsWell() async throws {
        let (never, shown) = (window(app, Controller("never")), window(app, Controller("shown")))
        shown.isHidden = false
        shown.isHidden = true
        try app.resize(700, 500)
        for window in [never, shown] { XCTAssertEqual(window.frame, CGRect(x: 0, y: 0, width: 700, height: 500)) }
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
        for moment in ["will appear", "is appearing", "appeared"] {
            let app = try TestApp(.pad, 1000, 800)
            let (root, first, second) = (NamedController("root"), NamedController("first"), NamedController("second"))
            let window = app.show(root)
            window.isHidden = true
            for child in [first, second] {
                root.embed(child)
            }
            first.onAppearance = { call in
                if call == moment { second.view.removeFromSuperview() }
            }
            DelegateCalls.all = []
            window.isHidden = false
            let calls = DelegateCalls.drain().filter { $0.hasPrefix("second") }
            XCTAssertEqual(
                calls,
                moment == "will appear"
                    ? []
                    : [
                        "second will appear", "second will disappear", "second disappeared",
                    ])
        }
    }
}
