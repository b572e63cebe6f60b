import UIKit
import XCTest

/// In which order views that appear, and take each other's place, are notified.
@MainActor final class AppearanceOrderTests: AppTestCase {
    override func makeApp() throws -> TestApp { try TestApp(.pad, 800, 600) }

    private static let appears = ["willAppear", "isAppearing 800", "safeArea", "layout 800", "didAppear 800"]

    func testAViewThatAppearsIsLaidOutBeforeItHasAppeared() async throws {
        let (root, child) = (OrderController("root"), OrderController("child"))
        // A safe area that is not zero.
        root.additionalSafeAreaInsets.top = 10
        root.addChild(child)
        root.view.addSubview(child.view)
        child.view.frame = root.view.bounds
        let window = UIWindow(windowScene: app.scene)
        window.rootViewController = root
        DelegateCalls.all = []
        window.makeKeyAndVisible()
        let calls = DelegateCalls.drain()
        XCTAssertEqual(calls.of("root"), Self.appears)
        XCTAssertEqual(calls.of("child"), Self.appears)
        XCTAssertEqual(calls.filter { $0.contains("ppear ") || $0.hasSuffix("ppear") }.count, 4)
    }

    /// What one takes the place of another: the calls of both, without their layouts.
    private func exchange(_ body: () throws -> Void) rethrows -> [String] {
        DelegateCalls.all = []
        try body()
        return DelegateCalls.drain().filter { $0.contains("ppear") && !$0.contains("isAppearing") }
    }

    private static let forwards = ["a willDisappear", "b willAppear", "a didDisappear", "b didAppear 800"]
    private static let back = ["b willDisappear", "a willAppear", "b didDisappear", "a didAppear 800"]

    func testPushAndPopInterleave() async throws {
        let (a, b) = (OrderController("a"), OrderController("b"))
        let navigation = app.showing(UINavigationController(rootViewController: a))
        XCTAssertEqual(exchange { navigation.pushViewController(b, animated: false) }, Self.forwards)
        XCTAssertEqual(exchange { navigation.popViewController(animated: false) }, Self.back)
        XCTAssertEqual(exchange { navigation.setViewControllers([b], animated: false) }, Self.forwards)
    }

    func testTabsInterleave() async throws {
        let (a, b) = (OrderController("a"), OrderController("b"))
        let tabs = UITabBarController()
        tabs.viewControllers = [a, b]
        app.show(tabs)
        XCTAssertEqual(exchange { tabs.selectedIndex = 1 }, Self.forwards)
        XCTAssertEqual(exchange { tabs.selectedIndex = 0 }, Self.back)
    }

    func testFullScreenPresentationsInterleave() async throws {
        for style in [UIModalPresentationStyle.fullScreen, .currentContext] {
            let app = try TestApp(.pad, 800, 600)
            let (a, b) = (app.showing(OrderController("a")), OrderController("b"))
            b.modalPresentationStyle = style
            XCTAssertEqual(exchange { a.present(b, animated: false) }, Self.forwards)
            XCTAssertEqual(exchange { a.dismiss(animated: false) }, Self.back)
        }
    }

    /// All calls of what comes, between those of what leaves.
    func testWhatLeavesHasDisappearedOnceTheNextIsLaidOut() async throws {
        let (a, b) = (OrderController("a"), OrderController("b"))
        let navigation = app.showing(UINavigationController(rootViewController: a))
        DelegateCalls.all = []
        navigation.pushViewController(b, animated: false)
        assertCalls([
            "a willDisappear", "b willAppear", "b isAppearing 800", "b safeArea", "b layout 800", "a didDisappear",
            "b didAppear 800",
        ])
    }

    // MARK: Scenes in the background

    func testTheBackgroundIsNoChangeOfAppearance() async throws {
        let root = app.showing(OrderController("root"))
        DelegateCalls.all = []
        try app.system.bring(app.scene, to: .background)
        try app.system.bring(app.scene, to: .foregroundActive)
        assertCalls("willResignActive, didEnterBackground, willEnterForeground, didBecomeActive")
        try app.system.disconnect(app.scene)
        assertCalls("willResignActive, didEnterBackground, root willDisappear, root didDisappear, didDisconnect")
    }

    func testWhatIsPushedInTheBackgroundAppearsWithItsLayoutInTheForeground() async throws {
        let (a, b) = (OrderController("a"), OrderController("b"))
        let navigation = app.showing(UINavigationController(rootViewController: a))
        try app.system.bring(app.scene, to: .background)
        DelegateCalls.all = []
        navigation.pushViewController(b, animated: false)
        assertCalls("a willDisappear, b willAppear, a didDisappear")
        try app.resize(700, 600)
        try app.system.bring(app.scene, to: .foregroundInactive)
        assertText(DelegateCalls.drain().of("b"), "isAppearing 700, safeArea, layout 700, didAppear 700")
        XCTAssertEqual(exchange { navigation.popViewController(animated: false) }.first, "b willDisappear")
    }

    func testASceneThatConnectsInTheBackgroundShowsItsContentInTheForeground() async throws {
        let app = try TestApp().launched(connectsScene: false)
        let root = OrderController("root")
        RecordingSceneDelegate.onConnect = { scene, delegate in
            delegate.window = UIWindow.show(root, in: scene)
        }
        let scene = try app.system.connect(state: .background)
        XCTAssertEqual(DelegateCalls.drain().of("root"), [])
        try app.system.bring(scene, to: .foregroundInactive)
        XCTAssertEqual(DelegateCalls.drain().of("root").first, "willAppear")
    }

    // MARK: Traits

    func testTraitsChangeAfterBothNotifications() async throws {
        let (root, child) = (OrderController("root"), OrderController("child"))
        let navigation = UINavigationController(rootViewController: child)
        root.addChild(navigation)
        root.view.addSubview(navigation.view)
        navigation.view.frame = root.view.bounds
        navigation.view.autoresizingMask = [.flexibleWidth, .flexibleHeight]
        app.show(root)
        app.turn()
        DelegateCalls.all = []
        try app.resize(500, 600)
        let calls = DelegateCalls.drain()
        let expected = ["willTraits compact, has regular", "size 500", "traits compact", "layout 500"]
        XCTAssertEqual(calls.of("root"), expected)
        XCTAssertEqual(calls.of("child"), expected)
        XCTAssertEqual(
            calls.lastIndex { $0.contains("size") }! + 1, calls.firstIndex { $0.hasSuffix(" traits compact") })
        try app.resize(450, 600)
        XCTAssertEqual(DelegateCalls.drain().of("child"), ["size 450", "layout 450"])
    }

    func testAPaneIsNotifiedOfTheSizeThatTheNextTraitsGiveIt() async throws {
        let app = try TestApp(.pad, 900, 600)
        let pane = OrderController("pane")
        let tabs = UITabBarController(tabs: [
            UITabGroup(title: "g", image: nil, identifier: "g", children: []) { _ in pane }
        ])
        tabs.sidebar.preferredLayout = .tile
        app.show(tabs)
        XCTAssertEqual(pane.view.bounds.width, 580, "beside the sidebar")
        DelegateCalls.all = []
        try app.resize(500, 600)
        assertText(
            Array(DelegateCalls.drain().of("pane").filter { !$0.contains("raits") }.prefix(2)), "size 500, safeArea")
        XCTAssertEqual(pane.view.bounds.width, 500)
    }
}
