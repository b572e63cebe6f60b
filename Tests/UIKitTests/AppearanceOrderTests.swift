import UIKit
import XCTest

/// In which order views that appear, and take each other's place, are notified.
@MainActor final class AppearanceOrderTests: AppTestCase {
    override func makeApp() throws -> TestApp { try TestApp(.pad, 800, 600) }

    // MARK: Scenes in the background

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
