import UIKit
import XCTest

/// Where tabs are on each platform, and what that leaves to the pane.
@MainActor final class TabPlacementTests: XCTestCase {
    private func pane(_ controller: UITabBarController) throws -> UIView {
        try XCTUnwrap(controller.selectedViewController?.view)
    }

    /// Compares where the tabs are, the pane's frame and insets, and the frame of the content guide.
    private func check(
        _ controller: UITabBarController, _ placement: UISystem.TabBarPlacement, pane frame: CGRect,
        _ insets: UIEdgeInsets = .zero, content: CGRect? = nil, message: String = "", line: UInt = #line
    ) throws {
        XCTAssertEqual(UISystem.current?.tabPlacement(of: controller), placement, message, line: line)
        XCTAssertEqual(try pane(controller).frame, frame, message, line: line)
        XCTAssertEqual(try pane(controller).safeAreaInsets, insets, message, line: line)
        guard let content else { return }
        XCTAssertEqual(controller.contentLayoutGuide.layoutFrame, content, message, line: line)
    }

    func testAPhoneHasTheBarAtTheBottom() async throws {
        let app = try TestApp(platform: .phone).launched()
        let controller = UITabBarController(tabs: tabs("a", "b"))
        let window = app.show(controller)
        try check(
            controller, .bottom, pane: window.bounds, UIEdgeInsets(0, 0, 49, 0), content: CGRect(0, 0, 402, 825),
            message: "the bar covers the pane")
        XCTAssertEqual(controller.tabBar.frame, CGRect(0, 825, 402, 49))
        XCTAssertFalse(controller.sidebar.isAvailable)
    }

    func testAPadHasTheBarAtTheTopOrInCompactWidthAtTheBottom() async throws {
        let app = try TestApp(.pad, 900, 700)
        let controller = app.showing(UITabBarController(tabs: tabs("a", "b")))
        let (top, wide, content) = (UIEdgeInsets(50, 0, 0, 0), CGRect(0, 0, 900, 700), CGRect(0, 50, 900, 650))
        try check(controller, .top, pane: wide, top, content: content)
        try app.resize(500, 700)
        try check(
            controller, .bottom, pane: CGRect(0, 0, 500, 700), UIEdgeInsets(0, 0, 49, 0),
            content: CGRect(0, 0, 500, 651))
        try app.resize(900, 700)
        try check(controller, .top, pane: wide, top, content: content)
    }

    func testAPadsSidebarOverlapsOrTiles() async throws {
        let app = try TestApp(.pad, 1200, 800)
        let controller = UITabBarController(tabs: tabs("a", "b"))
        controller.mode = .tabSidebar
        app.show(controller)
        let (whole, content) = (CGRect(0, 0, 1200, 800), CGRect(320, 0, 880, 800))
        try check(
            controller, .sidebar, pane: whole, UIEdgeInsets(0, 320, 0, 0), content: content, message: "in landscape")
        XCTAssertTrue(controller.tabBar.isHidden)
        controller.sidebar.preferredLayout = .tile
        try check(controller, .tiledSidebar, pane: content, content: content)
        controller.sidebar.isHidden = true
        try check(controller, .top, pane: whole, UIEdgeInsets(50, 0, 0, 0))
        var platform = UISystem.Platform.pad
        platform.layoutDirection = .rightToLeft
        let mirroredApp = try TestApp(platform, 1200, 800)
        let mirrored = UITabBarController(tabs: tabs("a"))
        mirrored.mode = .tabSidebar
        mirroredApp.show(mirrored)
        try check(mirrored, .sidebar, pane: whole, UIEdgeInsets(0, 0, 0, 320), message: "from right to left")
        mirrored.sidebar.preferredLayout = .tile
        try check(mirrored, .tiledSidebar, pane: CGRect(0, 0, 880, 800), message: "from right to left")
    }

    func testAMacHasTheTabsInTheToolbarOrATiledSidebar() async throws {
        let app = try TestApp(.mac, 1000, 700)
        let controller = app.showing(UITabBarController(tabs: tabs("a", "b")))
        let whole = CGRect(0, 0, 1000, 700)
        try check(controller, .toolbar, pane: whole)
        controller.mode = .tabSidebar
        try check(controller, .tiledSidebar, pane: CGRect(320, 0, 680, 700))
        controller.sidebar.isHidden = true
        try check(controller, .toolbar, pane: whole)
    }

    func testAVisionHasAnOrnamentAndGroupsASidebar() async throws {
        let app = try TestApp(.vision, 1000, 700)
        let (tab, group) = (UITab("a"), UITabGroup("g", [UITab("b")]))
        let controller = app.showing(UITabBarController(tabs: [tab, group]))
        try check(controller, .ornament, pane: CGRect(0, 0, 1000, 700))
        controller.selectedTab = group.children[0]
        try check(controller, .ornamentWithSidebar, pane: CGRect(320, 0, 680, 700))
    }

    func testANavigationBarIsInTheRowOfTheTabBarOnAPad() async throws {
        let app = try TestApp(.pad, 900, 700)
        let root = NamedController("root")
        let navigation = UINavigationController(rootViewController: root)
        let tab = UITab(title: "a", image: nil, identifier: "a") { _ in navigation }
        let controller = app.showing(UITabBarController(tabs: [tab]))
        XCTAssertEqual(root.view.safeAreaInsets.top, 50, "nothing more for the navigation bar")
        XCTAssertEqual(navigation.navigationBar.frame, CGRect(0, 0, 900, 50))
        controller.isTabBarHidden = true
        XCTAssertEqual(root.view.safeAreaInsets.top, 50, "now the navigation bar's own")
        try app.resize(500, 700)
        controller.isTabBarHidden = false
        XCTAssertEqual(root.view.safeAreaInsets, UIEdgeInsets(50, 0, 49, 0))
    }

    func testTheSidebarFollowsTheShapeUntilSomebodyDecides() async throws {
        final class Delegate: NSObject, UITabBarController.Sidebar.Delegate {
            func tabBarController(
                _ tabBarController: UITabBarController, sidebarVisibilityWillChange sidebar: UITabBarController.Sidebar,
                animator: any UITabBarController.Sidebar.Animating
            ) {
                let hidden = sidebar.isHidden
                DelegateCalls.all.append(hidden ? "will hide" : "will show")
                animator.addAnimations { DelegateCalls.all.append("alongside") }
                animator.addCompletion { DelegateCalls.all.append("done") }
            }
        }
        let app = try TestApp(.pad, 1000, 800)
        let (controller, delegate) = (UITabBarController(tabs: tabs("a")), Delegate())
        controller.mode = .tabSidebar
        controller.sidebar.delegate = delegate
        app.show(controller)
        XCTAssertFalse(controller.sidebar.isHidden)
        DelegateCalls.all = []
        try app.resize(800, 1000)
        XCTAssertTrue(controller.sidebar.isHidden)
        assertCalls("geometry, will hide, alongside, done")
        try app.resize(1000, 800)
        XCTAssertFalse(controller.sidebar.isHidden)
        try app.system.setSidebarHidden(true, of: controller)
        DelegateCalls.all = []
        try app.resize(800, 1000)
        try app.resize(1000, 800)
        XCTAssertTrue(controller.sidebar.isHidden, "that stays")
        assertCalls("geometry, geometry")
        controller.sidebar.isHidden = false
        assertCalls("will show, alongside, done")
        try app.resize(800, 1000)
        XCTAssertFalse(controller.sidebar.isHidden)
        try app.resize(500, 1000)
        XCTAssertTrue(controller.sidebar.isHidden, "there is none in compact width")
        assertRefused(try app.system.setSidebarHidden(false, of: controller), .sidebarNotAvailable)
        try app.resize(800, 1000)
        XCTAssertFalse(controller.sidebar.isHidden, "shown again")
    }

    func testTheAutomaticModeHasASidebarForGroupsWhereThePlatformDoes() async throws {
        let expected: [(UISystem.Platform, plain: UISystem.TabBarPlacement, grouped: UISystem.TabBarPlacement)] = [
            (.phone, .bottom, .bottom), (.pad, .top, .sidebar), (.mac, .toolbar, .tiledSidebar),
            (.vision, .ornament, .ornamentWithSidebar),
        ]
        for (platform, plain, grouped) in expected {
            let app = try TestApp(platform: platform).launched()
            app.system.rotate(to: .landscapeLeft)
            let controller = app.showing(UITabBarController(tabs: tabs("a")))
            XCTAssertEqual(app.system.tabPlacement(of: controller), plain, "\(platform.kind)")
            controller.tabs = [UITabGroup("g", [UITab("b")])]
            XCTAssertEqual(app.system.tabPlacement(of: controller), grouped, "\(platform.kind)")
            controller.mode = .tabBar
            XCTAssertEqual(app.system.tabPlacement(of: controller), plain, "\(platform.kind)")
        }
    }

    func testHiddenBarsLeaveNoInset() async throws {
        for platform in [UISystem.Platform.phone, .pad, .mac, .vision] {
            let app = try TestApp(platform: platform).launched()
            let controller = UITabBarController(tabs: tabs("a"))
            let bounds = app.show(controller).bounds
            controller.setTabBarHidden(true, animated: true)
            try check(controller, .hidden, pane: bounds, content: bounds, message: "\(platform.kind)")
        }
    }

    func testOfMoreThanFiveTheFirstFourAndMoreAreInAPhonesBar() async throws {
        let app = try TestApp(platform: .phone).launched()
        let controller = app.showing(UITabBarController(tabs: tabs("a", "b", "c", "d", "e")))
        XCTAssertEqual(controller.barTitles, ["a", "b", "c", "d", "e"])
        controller.tabs = tabs("a", "b", "c", "d", "e", "f")
        XCTAssertEqual(controller.barTitles, ["a", "b", "c", "d", "More"])
        controller.selectedTab = controller.tab(forIdentifier: "f")
        XCTAssertEqual(controller.tabBar.selectedItem?.title, "More")
        XCTAssertEqual(controller.selectedViewController?.title, "f")
        controller.compactTabIdentifiers = ["a", "f"]
        XCTAssertEqual(controller.barTitles, ["a", "f"])
        XCTAssertEqual(controller.tabBar.selectedItem?.title, "f")
        controller.tabs[0].isHidden = true
        XCTAssertEqual(controller.barTitles, ["f"])
    }

    func testAPadsBarFollowsThePreferredPlacements() async throws {
        let app = try TestApp(.pad, 900, 1000)
        let all = tabs("plain", "pinned", "fixed", "optional", "sidebarOnly", "movable")
        all[1].preferredPlacement = .pinned
        all[2].preferredPlacement = .fixed
        all[3].preferredPlacement = .optional
        all[4].preferredPlacement = .sidebarOnly
        all[5].preferredPlacement = .movable
        let group = UITabGroup("group", tabs("in group", "in bar"))
        group.children[1].preferredPlacement = .default
        let controller = app.showing(UITabBarController(tabs: all + [group]))
        XCTAssertEqual(controller.barTitles, ["fixed", "plain", "movable", "group", "in bar", "pinned"])
        XCTAssertTrue(group.children[1].hasVisiblePlacement)
        XCTAssertFalse(group.children[0].hasVisiblePlacement)
        XCTAssertFalse(all[3].hasVisiblePlacement)
        try app.resize(500, 1000)
        XCTAssertEqual(
            controller.barTitles, ["plain", "pinned", "fixed", "optional", "More"], "placements do not count here")
        XCTAssertFalse(all[0].hasVisiblePlacement)
    }

    func testNoSizeIsTooSmallOrTooLarge() async throws {
        for mode in [UITabBarController.Mode.tabBar, .tabSidebar] {
            let app = try TestApp(.mac, 900, 700)
            let controller = UITabBarController(tabs: tabs("a"))
            controller.mode = mode
            app.show(controller)
            for size in [CGSize(1, 1), CGSize(100, 1e7), CGSize(1e7, 10)] {
                try app.resize(size.width, size.height)
                let frame = try pane(controller).frame
                XCTAssertGreaterThanOrEqual(frame.width, 0)
                XCTAssertEqual(frame.maxX, size.width)
            }
        }
    }
}
