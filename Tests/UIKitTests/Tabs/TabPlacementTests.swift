import UIKit
import XCTest

/// Where tabs are on each platform, and what that leaves to the pane.
@MainActor final class TabPlacementTests: XCTestCase {
    private func pane(_ controller: UITabBarController) throws -> UIView {
        try XCTUnwrap(controller.selectedViewController?.view)
    }

    func testAPhoneHasTheBarAtTheBottom() async throws {
        let app = try TestApp(platform: .phone).launched()
        let controller = UITabBarController(tabs: tabs("a", "b"))
        let window = app.show(controller)
        XCTAssertEqual(app.system.tabPlacement(of: controller), .bottom)
        let view = try pane(controller)
        XCTAssertEqual(view.frame, window.bounds, "the bar covers the pane")
        XCTAssertEqual(view.safeAreaInsets, UIEdgeInsets(top: 0, left: 0, bottom: 49, right: 0))
        XCTAssertEqual(controller.tabBar.frame, CGRect(x: 0, y: 825, width: 402, height: 49))
        XCTAssertEqual(controller.contentLayoutGuide.layoutFrame, CGRect(x: 0, y: 0, width: 402, height: 825))
        XCTAssertFalse(controller.sidebar.isAvailable)
    }

    func testAPadHasTheBarAtTheTopOrInCompactWidthAtTheBottom() async throws {
        let app = try TestApp(.pad, 900, 700)
        let controller = UITabBarController(tabs: tabs("a", "b"))
        app.show(controller)
        XCTAssertEqual(app.system.tabPlacement(of: controller), .top)
        XCTAssertEqual(try pane(controller).safeAreaInsets, UIEdgeInsets(top: 50, left: 0, bottom: 0, right: 0))
        XCTAssertEqual(
            controller.contentLayoutGuide.layoutFrame, CGRect(x: 0, y: 50, width: 900, height: 650))
        try app.resize(500, 700)
        XCTAssertEqual(app.system.tabPlacement(of: controller), .bottom)
        XCTAssertEqual(try pane(controller).safeAreaInsets, UIEdgeInsets(top: 0, left: 0, bottom: 49, right: 0))
        XCTAssertEqual(
            controller.contentLayoutGuide.layoutFrame, CGRect(x: 0, y: 0, width: 500, height: 651))
        try app.resize(900, 700)
        XCTAssertEqual(app.system.tabPlacement(of: controller), .top)
    }

    func testANavigationBarIsInTheRowOfTheTabBarOnAPad() async throws {
        let app = try TestApp(.pad, 900, 700)
        let root = NamedController("root")
        let navigation = UINavigationController(rootViewController: root)
        let tab = UITab(title: "a", image: nil, identifier: "a") { _ in navigation }
        let controller = UITabBarController(tabs: [tab])
        app.show(controller)
        XCTAssertEqual(root.view.safeAreaInsets.top, 50, "nothing more for the navigation bar")
        XCTAssertEqual(navigation.navigationBar.frame, CGRect(x: 0, y: 0, width: 900, height: 50))
        controller.isTabBarHidden = true
        XCTAssertEqual(root.view.safeAreaInsets.top, 50, "now the navigation bar's own")
        try app.resize(500, 700)
        controller.isTabBarHidden = false
        XCTAssertEqual(root.view.safeAreaInsets, UIEdgeInsets(top: 50, left: 0, bottom: 49, right: 0))
    }

    func testAPadsSidebarOverlapsOrTiles() async throws {
        let app = try TestApp(.pad, 1200, 800)
        let controller = UITabBarController(tabs: tabs("a", "b"))
        controller.mode = .tabSidebar
        app.show(controller)
        XCTAssertEqual(app.system.tabPlacement(of: controller), .sidebar, "shown in landscape")
        XCTAssertEqual(try pane(controller).frame, CGRect(x: 0, y: 0, width: 1200, height: 800))
        XCTAssertEqual(try pane(controller).safeAreaInsets, UIEdgeInsets(top: 0, left: 320, bottom: 0, right: 0))
        let content = CGRect(x: 320, y: 0, width: 880, height: 800)
        XCTAssertEqual(controller.contentLayoutGuide.layoutFrame, content)
        XCTAssertTrue(controller.tabBar.isHidden)
        controller.sidebar.preferredLayout = .tile
        XCTAssertEqual(app.system.tabPlacement(of: controller), .tiledSidebar)
        XCTAssertEqual(try pane(controller).frame, content)
        XCTAssertEqual(try pane(controller).safeAreaInsets, .zero)
        XCTAssertEqual(controller.contentLayoutGuide.layoutFrame, content)
        controller.sidebar.isHidden = true
        XCTAssertEqual(app.system.tabPlacement(of: controller), .top)
        XCTAssertEqual(try pane(controller).safeAreaInsets, UIEdgeInsets(top: 50, left: 0, bottom: 0, right: 0))
    }

    func testRightToLeftMirrorsTheSidebar() async throws {
        var platform = UISystem.Platform.pad
        platform.layoutDirection = .rightToLeft
        let app = try TestApp(platform, 1200, 800)
        let controller = UITabBarController(tabs: tabs("a"))
        controller.mode = .tabSidebar
        app.show(controller)
        XCTAssertEqual(try pane(controller).safeAreaInsets, UIEdgeInsets(top: 0, left: 0, bottom: 0, right: 320))
        controller.sidebar.preferredLayout = .tile
        XCTAssertEqual(try pane(controller).frame, CGRect(x: 0, y: 0, width: 880, height: 800))
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
        assertCalls(["geometry", "will hide", "alongside", "done"])
        try app.resize(1000, 800)
        XCTAssertFalse(controller.sidebar.isHidden)
        try app.system.setSidebarHidden(true, of: controller)
        DelegateCalls.all = []
        try app.resize(800, 1000)
        try app.resize(1000, 800)
        XCTAssertTrue(controller.sidebar.isHidden, "that stays")
        assertCalls(["geometry", "geometry"])
        controller.sidebar.isHidden = false
        assertCalls(["will show", "alongside", "done"])
        try app.resize(800, 1000)
        XCTAssertFalse(controller.sidebar.isHidden)
        try app.resize(500, 1000)
        XCTAssertTrue(controller.sidebar.isHidden, "there is none in compact width")
        assertRefused(try app.system.setSidebarHidden(false, of: controller), .sidebarNotAvailable)
        try app.resize(800, 1000)
        XCTAssertFalse(controller.sidebar.isHidden, "shown again")
    }

    func testAMacHasTheTabsInTheToolbarOrATiledSidebar() async throws {
        let app = try TestApp(.mac, 1000, 700)
        let controller = UITabBarController(tabs: tabs("a", "b"))
        app.show(controller)
        XCTAssertEqual(app.system.tabPlacement(of: controller), .toolbar)
        XCTAssertEqual(try pane(controller).safeAreaInsets, .zero)
        XCTAssertEqual(try pane(controller).frame.width, 1000)
        controller.mode = .tabSidebar
        XCTAssertEqual(app.system.tabPlacement(of: controller), .tiledSidebar)
        XCTAssertEqual(try pane(controller).safeAreaInsets, .zero)
        XCTAssertEqual(try pane(controller).frame, CGRect(x: 320, y: 0, width: 680, height: 700))
        controller.sidebar.isHidden = true
        XCTAssertEqual(app.system.tabPlacement(of: controller), .toolbar)
    }

    func testAVisionHasAnOrnamentAndGroupsASidebar() async throws {
        let app = try TestApp(.vision, 1000, 700)
        let (tab, group) = (UITab("a"), UITabGroup("g", [UITab("b")]))
        let controller = UITabBarController(tabs: [tab, group])
        app.show(controller)
        XCTAssertEqual(app.system.tabPlacement(of: controller), .ornament)
        XCTAssertEqual(try pane(controller).frame, CGRect(x: 0, y: 0, width: 1000, height: 700))
        XCTAssertEqual(try pane(controller).safeAreaInsets, .zero)
        controller.selectedTab = group.children[0]
        XCTAssertEqual(app.system.tabPlacement(of: controller), .ornamentWithSidebar)
        XCTAssertEqual(try pane(controller).frame, CGRect(x: 320, y: 0, width: 680, height: 700))
        XCTAssertEqual(try pane(controller).safeAreaInsets, .zero)
    }

    func testTheAutomaticModeHasASidebarForGroupsWhereThePlatformDoes() async throws {
        let expected: [(UISystem.Platform, plain: UISystem.TabBarPlacement, grouped: UISystem.TabBarPlacement)] = [
            (.phone, .bottom, .bottom), (.pad, .top, .sidebar), (.mac, .toolbar, .tiledSidebar),
            (.vision, .ornament, .ornamentWithSidebar),
        ]
        for (platform, plain, grouped) in expected {
            let app = try TestApp(platform: platform).launched()
            app.system.rotate(to: .landscapeLeft)
            let controller = UITabBarController(tabs: tabs("a"))
            app.show(controller)
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
            let window = app.show(controller)
            controller.setTabBarHidden(true, animated: true)
            XCTAssertEqual(app.system.tabPlacement(of: controller), .hidden)
            XCTAssertEqual(try pane(controller).safeAreaInsets, .zero)
            XCTAssertEqual(try pane(controller).frame, window.bounds)
            XCTAssertEqual(controller.contentLayoutGuide.layoutFrame, window.bounds)
        }
    }

    func testOfMoreThanFiveTheFirstFourAndMoreAreInAPhonesBar() async throws {
        let app = try TestApp(platform: .phone).launched()
        let controller = UITabBarController(tabs: tabs("a", "b", "c", "d", "e"))
        app.show(controller)
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
        let controller = UITabBarController(tabs: all + [group])
        app.show(controller)
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
            for size in [CGSize(width: 1, height: 1), CGSize(width: 100, height: 1e7), CGSize(width: 1e7, height: 10)] {
                try app.resize(size.width, size.height)
                let frame = try pane(controller).frame
                XCTAssertGreaterThanOrEqual(frame.width, 0)
                XCTAssertEqual(frame.maxX, size.width)
            }
        }
    }
}
