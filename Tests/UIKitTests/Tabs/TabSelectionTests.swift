import UIKit
import XCTest

/// Which tab is selected, and the panes of tabs.
@MainActor final class TabSelectionTests: AppTestCase {
    override func makeApp() throws -> TestApp { try TestApp(.pad, 900, 700) }

    // MARK: Panes

    func testTheFirstVisibleTabIsSelectedAtTheFirstLayout() async throws {
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
        assertCalls("b will enter, b loaded, b will appear, b entered, did select b after none, b appeared")
    }

    func testPanesAreMadeOnceAndKeepTheirState() async throws {
        var made: [String] = []
        let all = ["a", "b"].map { name in
            UITab(title: name, image: nil, identifier: name) { tab in
                made.append(tab.identifier)
                return NamedController(name)
            }
        }
        let controller = app.showing(UITabBarController(tabs: all))
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

    func testAHiddenPaneIsNotLaidOutAndGetsOneTransitionWhenItReturns() async throws {
        let all = tabs("a", "b")
        let controller = app.showing(UITabBarController(tabs: all))
        let a = all[0].recording
        controller.selectedTab = all[1]
        let layouts = a.layouts
        for width in [800, 850, 820] { try app.resize(CGFloat(width), 700) }
        XCTAssertEqual(all[1].recording.transitions.map(\.width), [800, 850, 820])
        XCTAssertEqual(a.transitions, [])
        XCTAssertEqual(a.layouts, layouts)
        controller.selectedTab = all[0]
        XCTAssertEqual(a.transitions, [CGSize(820, 700)])
        XCTAssertEqual(a.layouts, layouts + 1)
        controller.selectedTab = all[1]
        controller.selectedTab = all[0]
        XCTAssertEqual(a.transitions.count, 1, "the size is the same")
    }

    func testATransitionHasThePanesSizeBesideATiledSidebar() async throws {
        let app = try TestApp(.pad, 1200, 800)
        let all = tabs("a")
        let controller = UITabBarController(tabs: all)
        controller.mode = .tabSidebar
        controller.sidebar.preferredLayout = .tile
        app.show(controller)
        try app.resize(1100, 700)
        XCTAssertEqual(all[0].recording.transitions, [CGSize(780, 700)])
        XCTAssertEqual(all[0].recording.view.frame.size, CGSize(780, 700))
    }

    // MARK: Choices

    func testOnlyAPersonsChoiceIsAskedAboutAndEveryChangeIsReported() async throws {
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
            assertRefused(try app.system.select(tab), .tabNotSelectable(identifier: tab.identifier))
        }
        assertRefused(try app.system.select(tab: "no", in: app.scene), .unknownTab(identifier: "no"))
        controller.selectedTab = all[1]
        XCTAssertIdentical(controller.selectedTab, all[1], "the app may select a disabled one")
    }

    func testWhenTheSelectedTabIsRemovedTheFirstVisibleOneIsSelected() async throws {
        let all = tabs("a", "b", "c")
        let controller = app.showing(UITabBarController(tabs: all))
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

    func testViewControllersAreNotConsultedOnceThereAreTabs() async throws {
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
}
