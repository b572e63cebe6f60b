import TestSupport
import UIKit
import XCTest

/// Tabs that change, or come back, and what must not stay of before.
@MainActor final class TabChangeTests: AppTestCase {
    override func makeApp() throws -> TestApp { try TestApp(.pad, 1200, 800) }

    func testATabThatAnotherControllerHasStaysThere() async throws {
        let tab = UITab("a")
        let controllers = (0..<2).map { _ in UITabBarController(tabs: []) }
        for controller in controllers { controller.tabs = [tab] }
        XCTAssertIdentical(tab.tabBarController, controllers[1])
        controllers[0].tabs = []
        XCTAssertIdentical(tab.tabBarController, controllers[1])
        controllers[1].tabs = []
        XCTAssertNil(tab.tabBarController)
    }

    func testAGroupFindsWhatGroupsWithinItGot() async throws {
        let (inner, other) = (UITabGroup("inner", []), UITabGroup("other", [UITab("x"), UITab("y")]))
        let outer = UITabGroup("outer", [UITabGroup("middle", [inner])])
        XCTAssertNil(outer.tab(forIdentifier: "x"))
        XCTAssertEqual(other.tab(forIdentifier: "x"), other.children[0])
        let third = UITabGroup("third", [UITab("z")])
        let moved = [other.children[0], third.children[0]]
        inner.children = moved
        XCTAssertEqual(outer.tab(forIdentifier: "x"), moved[0])
        XCTAssertEqual(outer.tab(forIdentifier: "z"), moved[1])
        XCTAssertNil(other.tab(forIdentifier: "x"))
        XCTAssertNil(third.tab(forIdentifier: "z"))
        XCTAssertEqual(
            other.children.map(\.identifier) + third.children.map(\.identifier), ["y"], "each has left its own")
    }

    func testTheItemOfTheOthersIsNoTabs() async throws {
        try app.resize(500, 800)
        let tabs = (0..<6).map { UITab("t\($0)") }
        let controller = app.showing(UITabBarController(tabs: tabs))
        for _ in 0..<2 {
            controller.tabs = tabs
            XCTAssertEqual(controller.barTitles, ["t0", "t1", "t2", "t3", "More"])
            controller.tabs = Array(tabs.prefix(5))
            XCTAssertEqual(controller.barTitles, ["t0", "t1", "t2", "t3", "t4"])
        }
        controller.tabs = tabs
        tabs[1].isHidden = true
        controller.compactTabIdentifiers = ["t1", "t2", "t5"]
        XCTAssertEqual(controller.barTitles, ["t2", "t5"], "what is hidden is shown nowhere")
    }

    func testWhatWasPushedIsThereOnReturnAndGoneOnceItWasPopped() async throws {
        let (a, b) = (UITab("a"), UITab("b"))
        let group = UITabGroup("group", [a, b])
        let navigation = UINavigationController()
        group.managingNavigationController = navigation
        let controller = app.showing(UITabBarController(tabs: [group]))
        let own = try XCTUnwrap(group.viewController)
        controller.selectedTab = a
        navigation.pushViewController(NamedController("pushed"), animated: false)
        try app.system.select(b)
        XCTAssertEqual(navigation.viewControllers.titles, "group b")
        try app.system.select(a)
        XCTAssertEqual(navigation.viewControllers.titles, "group a pushed", "another tab was selected")
        try app.system.select(a)
        XCTAssertEqual(navigation.viewControllers.titles, "group a", "it was selected already")
        navigation.pushViewController(NamedController("pushed"), animated: false)
        navigation.popToViewController(own, animated: false)
        XCTAssertEqual(controller.selectedTab, group)
        controller.selectedTab = a
        XCTAssertEqual(navigation.viewControllers.titles, "group a")
    }
}
