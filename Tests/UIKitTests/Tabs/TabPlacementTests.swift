import UIKit
import XCTest

/// Row 26: where tabs are on each platform, and what that leaves to the pane.
@MainActor final class TabPlacementTests: XCTestCase {
    private func tabs(_ names: String...) -> [UITab] { names.map { UITab($0) } }

    private func pane(_ controller: UITabBarController) throws -> UIView {
        try XCTUnwrap(controller.selectedViewController?.view)
    }

    func testRow26_aPhoneHasTheBarAtTheBottom() async throws {
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

    func testRow26_aPadHasTheBarAtTheTopOrInCompactWidthAtTheBottom() async throws {
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

    func testRow26_aNavigationBarIsInTheRowOfTheTabBarOnAPad() async throws {
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

    func testRow26_aPadsSidebarOverlapsOrTiles() async throws {
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

    func testRow26_rightToLeftMirrorsTheSidebar() async throws {
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

    func testRow26_theSidebarFollowsTheShapeUntilSomebodyDecides() async throws {
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
        XCTAssertEqual(DelegateCalls.drain(), ["geometry", "will hide", "alongside", "done"])
        try app.resize(1000, 800)
        XCTAssertFalse(controller.sidebar.isHidden)
        try app.system.setSidebarHidden(true, of: controller)
        DelegateCalls.all = []
        try app.resize(800, 1000)
        try app.resize(1000, 800)
        XCTAssertTrue(controller.sidebar.isHidden, "that stays")
        XCTAssertEqual(DelegateCalls.drain(), ["geometry", "geometry"])
        controller.sidebar.isHidden = false
        XCTAssertEqual(DelegateCalls.drain(), ["will show", "alongside", "done"])
        try app.resize(800, 1000)
        XCTAssertFalse(controller.sidebar.isHidden)
        try app.resize(500, 1000)
        XCTAssertTrue(controller.sidebar.isHidden, "there is none in compact width")
        XCTAssertThrowsError(try app.system.setSidebarHidden(false, of: controller)) {
            XCTAssertEqual($0 as? UISystem.Error, .sidebarNotAvailable)
        }
        try app.resize(800, 1000)
        XCTAssertFalse(controller.sidebar.isHidden, "shown again")
    }

    func testRow26_aMacHasTheTabsInTheToolbarOrATiledSidebar() async throws {
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

    func testRow26_aVisionHasAnOrnamentAndGroupsASidebar() async throws {
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

    func testRow26_theAutomaticModeHasASidebarForGroupsWhereThePlatformDoes() async throws {
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

    func testRow26_hiddenBarsLeaveNoInset() async throws {
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

    func testRow26_ofMoreThanFiveTheFirstFourAndMoreAreInAPhonesBar() async throws {
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

    func testRow26_aPadsBarFollowsThePreferredPlacements() async throws {
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

    // MARK: Panes

    func testRow26_theFirstVisibleTabIsSelectedAtTheFirstLayout() async throws {
        let app = try TestApp(.pad, 900, 700)
        let (all, delegate) = (tabs("a", "b"), RecordingTabDelegate())
        all[0].isHidden = true
        let controller = UITabBarController(tabs: all)
        controller.delegate = delegate
        XCTAssertNil(controller.selectedTab)
        let window = UIWindow(windowScene: app.scene)
        window.rootViewController = controller
        DelegateCalls.all = []
        window.makeKeyAndVisible()
        XCTAssertIdentical(controller.selectedTab, all[1])
        XCTAssertEqual(
            DelegateCalls.drain(),
            ["b will enter", "b loaded", "b will appear", "b entered", "did select b after none", "b appeared"])
    }

    func testRow26_panesAreMadeOnceAndKeepTheirState() async throws {
        let app = try TestApp(.pad, 900, 700)
        var made: [String] = []
        let all = ["a", "b"].map { name in
            UITab(title: name, image: nil, identifier: name) { tab in
                made.append(tab.identifier)
                return NamedController(name)
            }
        }
        let controller = UITabBarController(tabs: all)
        app.show(controller)
        XCTAssertEqual(made, ["a"], "when first needed")
        let a = all[0].recording
        XCTAssertIdentical(a.tab, all[0])
        XCTAssertIdentical(a.tabBarController, controller)
        controller.selectedTab = all[1]
        controller.selectedTab = all[0]
        controller.selectedTab = all[1]
        XCTAssertEqual(made, ["a", "b"])
        XCTAssertEqual(a.loads, 1)
        XCTAssertEqual(controller.children.titles, "a b")
        XCTAssertNil(a.view.window)
        XCTAssertIdentical(all[1].recording.view.superview, controller.view)
    }

    func testRow26_aHiddenPaneIsNotLaidOutAndGetsOneTransitionWhenItReturns() async throws {
        let app = try TestApp(.pad, 900, 700)
        let all = tabs("a", "b")
        let controller = UITabBarController(tabs: all)
        app.show(controller)
        let a = all[0].recording
        controller.selectedTab = all[1]
        let layouts = a.layouts
        for width in [800, 850, 820] { try app.resize(CGFloat(width), 700) }
        XCTAssertEqual(all[1].recording.transitions.map(\.width), [800, 850, 820])
        XCTAssertEqual(a.transitions, [])
        XCTAssertEqual(a.layouts, layouts)
        controller.selectedTab = all[0]
        XCTAssertEqual(a.transitions, [CGSize(width: 820, height: 700)])
        XCTAssertEqual(a.layouts, layouts + 1)
        controller.selectedTab = all[1]
        controller.selectedTab = all[0]
        XCTAssertEqual(a.transitions.count, 1, "the size is the same")
    }

    func testRow26_aTransitionHasThePanesSizeBesideATiledSidebar() async throws {
        let app = try TestApp(.pad, 1200, 800)
        let all = tabs("a")
        let controller = UITabBarController(tabs: all)
        controller.mode = .tabSidebar
        controller.sidebar.preferredLayout = .tile
        app.show(controller)
        try app.resize(1100, 700)
        XCTAssertEqual(all[0].recording.transitions, [CGSize(width: 780, height: 700)])
        XCTAssertEqual(all[0].recording.view.frame.size, CGSize(width: 780, height: 700))
    }

    // MARK: Choices

    func testRow26_onlyAPersonsChoiceIsAskedAboutAndEveryChangeIsReported() async throws {
        let app = try TestApp(.pad, 900, 700)
        let (all, delegate) = (tabs("a", "b"), RecordingTabDelegate())
        let controller = UITabBarController(tabs: all)
        controller.delegate = delegate
        app.show(controller)
        for tab in all { tab.viewController?.loadViewIfNeeded() }
        func calls() -> [String] { DelegateCalls.drain().filter { $0.contains("select") } }
        _ = calls()
        controller.selectedTab = all[1]
        XCTAssertEqual(calls(), ["did select b after a"])
        controller.selectedTab = all[1]
        XCTAssertEqual(calls(), [])
        try app.system.select(all[0])
        XCTAssertEqual(calls(), ["should select a", "did select a after b"])
        delegate.allows = false
        try app.system.select(tab: "b", in: app.scene)
        XCTAssertEqual(calls(), ["should select b"])
        XCTAssertIdentical(controller.selectedTab, all[0])
        delegate.allows = true
        all[1].isEnabled = false
        for tab in [all[1], UITab("elsewhere")] {
            XCTAssertThrowsError(try app.system.select(tab)) {
                XCTAssertEqual($0 as? UISystem.Error, .tabNotSelectable(identifier: tab.identifier))
            }
        }
        XCTAssertThrowsError(try app.system.select(tab: "no", in: app.scene)) {
            XCTAssertEqual($0 as? UISystem.Error, .unknownTab(identifier: "no"))
        }
        controller.selectedTab = all[1]
        XCTAssertIdentical(controller.selectedTab, all[1], "the app may select a disabled one")
    }

    func testRow26_whenTheSelectedTabGoesTheFirstVisibleOneIsSelected() async throws {
        let app = try TestApp(.pad, 900, 700)
        let all = tabs("a", "b", "c")
        let controller = UITabBarController(tabs: all)
        app.show(controller)
        controller.selectedTab = all[2]
        controller.setTabs([all[1], all[2]], animated: false)
        XCTAssertIdentical(controller.selectedTab, all[2])
        XCTAssertEqual(controller.children.titles, "c", "the pane of a is gone")
        all[2].isHidden = true
        XCTAssertIdentical(controller.selectedTab, all[1])
        controller.tabs = []
        XCTAssertNil(controller.selectedTab)
        XCTAssertEqual(controller.children, [])
        XCTAssertNil(all[0].tabBarController)
    }

    func testRow26_viewControllersAreNotConsultedOnceThereAreTabs() async throws {
        let app = try TestApp(.pad, 900, 700)
        let (panes, delegate) = (["x", "y"].map { NamedController($0) }, RecordingTabDelegate())
        let controller = UITabBarController()
        controller.delegate = delegate
        controller.viewControllers = panes
        app.show(controller)
        XCTAssertEqual(controller.selectedIndex, 0)
        XCTAssertEqual(controller.barTitles, ["x", "y"])
        XCTAssertNil(controller.selectedTab)
        XCTAssertNil(panes[0].tab)
        DelegateCalls.all = []
        controller.selectedIndex = 1
        XCTAssertIdentical(controller.selectedViewController, panes[1])
        XCTAssertEqual(DelegateCalls.drain().filter { $0.contains("select") }, [])
        try app.system.select(tab: "0", in: app.scene)
        XCTAssertEqual(
            DelegateCalls.drain().filter { $0.contains("select") },
            ["should select controller x", "did select controller x"])
        controller.selectedIndex = 7
        XCTAssertEqual(controller.selectedIndex, 0)
        controller.selectedViewController = panes[1]
        XCTAssertEqual(controller.selectedIndex, 1)

        controller.tabs = tabs("a", "b")
        XCTAssertEqual(controller.selectedIndex, 0)
        controller.selectedIndex = 1
        controller.viewControllers = panes
        XCTAssertEqual(controller.selectedTab?.identifier, "a")
        XCTAssertEqual(controller.selectedViewController?.title, "a")
        XCTAssertEqual(controller.children.titles, "a")
    }

    func testRow26_theSelectedPaneDecidesAboutTheLock() async throws {
        final class Locking: UIViewController {
            override var prefersInterfaceOrientationLocked: Bool { true }
        }
        let app = try TestApp(platform: .pad).launched()
        let all = [UITab("a"), UITab(title: "b", image: nil, identifier: "b") { _ in Locking() }]
        let controller = UITabBarController(tabs: all)
        app.show(controller)
        controller.selectedTab = all[1]
        app.system.advance(by: .seconds(1))
        XCTAssertTrue(app.scene.effectiveGeometry.isInterfaceOrientationLocked)
        controller.selectedTab = all[0]
        app.system.advance(by: .seconds(1))
        XCTAssertFalse(app.scene.effectiveGeometry.isInterfaceOrientationLocked)
    }

    func testRow26_noSizeIsTooSmallOrTooLarge() async throws {
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
