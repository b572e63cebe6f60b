import UIKit
import XCTest

/// Tabs that change in a callback, or late.
@MainActor final class TabInCallbacksTests: AppTestCase {
    override func makeApp() throws -> TestApp { try TestApp(platform: .phone).launched() }

    private func tab(_ controller: HookedController) -> UITab {
        UITab(title: controller.name, image: nil, identifier: controller.name) { _ in controller }
    }

    func testASelectionInAnyCallbackCounts() async throws {
        for moment in ["loaded", "will enter", "will appear", "is appearing", "appeared"] {
            let app = try TestApp(platform: .phone).launched()
            let all = hooked("home", "account", "login")
            let (controller, delegate) = (UITabBarController(tabs: all.map(tab)), RecordingTabDelegate())
            controller.delegate = delegate
            app.show(controller)
            all[1].at[moment] = { controller.selectedTab = controller.tabs[2] }
            controller.selectedTab = controller.tabs[1]
            XCTAssertEqual(controller.selectedTab?.identifier, "login", moment)
            checkShown("login", of: all, moment)
            XCTAssertEqual(
                DelegateCalls.drain().filter { $0.contains("select") },
                ["did select account after home", "did select login after account"], moment)
            controller.selectedTab = controller.tabs[0]
            checkShown("home", of: all, moment)
        }
        for moment in ["will disappear", "disappeared"] {
            let app = try TestApp(platform: .phone).launched()
            let all = hooked("home", "account", "login")
            let (controller, delegate) = (UITabBarController(tabs: all.map(tab)), RecordingTabDelegate())
            controller.delegate = delegate
            app.show(controller)
            all[0].at[moment] = { controller.selectedTab = controller.tabs[2] }
            controller.selectedTab = controller.tabs[1]
            checkShown("login", of: all, moment)
            XCTAssertEqual(
                DelegateCalls.drain().filter { $0.contains("did select") },
                ["did select account after home", "did select login after account"], moment)
            // The next one's turn comes before the old one has disappeared.
            XCTAssertEqual(all[1].isViewLoaded, moment == "disappeared")
        }
    }

    func testAProviderThatSelectsAnotherTabHasItsWay() async throws {
        let all = hooked("a", "b")
        let controller = UITabBarController()
        let first = UITab(title: "a", image: nil, identifier: "a") { _ in
            controller.selectedTab = controller.tabs[1]
            return all[0]
        }
        controller.tabs = [first, tab(all[1])]
        app.show(controller)
        XCTAssertEqual(controller.selectedTab?.identifier, "b")
        checkShown("b", of: all)
    }

    func testTheFirstTabIsSelectedHoweverLateItComes() async throws {
        let (all, delegate) = (hooked("a", "b", "c"), RecordingTabDelegate())
        var controller = UITabBarController()
        controller.delegate = delegate
        app.show(controller)
        let first = tab(all[0])
        controller.tabs = [first]
        XCTAssertIdentical(controller.selectedTab, first)
        XCTAssertEqual(DelegateCalls.drain().filter { $0.contains("did select") }, ["did select a after none"])
        checkShown("a", of: all)
        first.isHidden = true
        XCTAssertNil(controller.selectedTab)
        checkShown("", of: all)
        first.isHidden = false
        checkShown("a", of: all)
        controller.tabs = []
        checkShown("", of: all)
        controller.tabs = [tab(all[1])]
        checkShown("b", of: all)

        controller = UITabBarController()
        app.show(controller)
        controller.viewControllers = [all[2]]
        XCTAssertEqual(controller.selectedIndex, 0)
        XCTAssertTrue(all[2].isVisible)
    }

    func testTheBarFollowsItsTabsAtOnce() async throws {
        let app = try TestApp(.pad, 900, 700)
        let all = tabs("a", "b", "c", "d")
        let controller = app.showing(UITabBarController(tabs: all))
        all[1].preferredPlacement = .sidebarOnly
        all[3].preferredPlacement = .fixed
        XCTAssertEqual(controller.barTitles, ["d", "a", "c"])
        all[0].title = "first"
        all[2].badgeValue = "2"
        all[2].isEnabled = false
        XCTAssertEqual(controller.barTitles, ["d", "first", "c"])
        XCTAssertEqual(controller.tabBar.items?.map(\.badgeValue), [nil, nil, "2"])
        XCTAssertEqual(controller.tabBar.items?.map(\.isEnabled), [true, true, false])
    }

    private final class Removing: NSObject, UITabBarControllerDelegate {
        var run: () -> Void = {}
        func tabBarController(_ tabBarController: UITabBarController, shouldSelectTab tab: UITab) -> Bool {
            run()
            return true
        }
    }

    func testATabRemovedAsItIsChosenIsNotSelected() async throws {
        for hides in [false, true] {
            let app = try TestApp(platform: .phone).launched()
            let (all, delegate) = (tabs("a", "b"), Removing())
            let controller = UITabBarController(tabs: all)
            controller.delegate = delegate
            app.show(controller)
            delegate.run = { if hides { all[1].isHidden = true } else { controller.tabs = [all[0]] } }
            try app.system.select(all[1])
            XCTAssertIdentical(controller.selectedTab, all[0])
            XCTAssertNil(all[1].recording.viewIfLoaded)
        }
    }

    func testAPersonWhoChoosesTheSelectedTabAgainReturnsToItsRoot() async throws {
        let (delegate, all) = (RecordingTabDelegate(), hooked("root", "more"))
        let navigation = UINavigationController(rootViewController: all[0])
        let controller = UITabBarController(tabs: [
            UITab(title: "a", image: nil, identifier: "a") { _ in navigation }, UITab("b"),
        ])
        controller.delegate = delegate
        app.show(controller)
        navigation.pushViewController(all[1], animated: false)
        controller.selectedTab = controller.tabs[0]
        checkShown("more", of: all, "the app's own choice changes nothing")
        delegate.allows = false
        try app.system.select(controller.tabs[0])
        checkShown("more", of: all)
        delegate.allows = true
        try app.system.select(controller.tabs[0])
        checkShown("root", of: all)
        navigation.pushViewController(all[1], animated: false)
        try app.system.select(controller.tabs[1])
        try app.system.select(controller.tabs[0])
        checkShown("more", of: all, "another tab was selected")
    }

    // MARK: Groups

    private func library(_ all: [HookedController]) -> UITabGroup {
        UITabGroup(title: "library", image: nil, identifier: "library", children: [tab(all[1])]) { _ in all[0] }
    }

    func testAPersonWhoChoosesTheSelectedLeafAgainReturnsToIt() async throws {
        let all = hooked("library", "artists", "song")
        let group = library(all)
        let navigation = UINavigationController()
        group.managingNavigationController = navigation
        let controller = app.showing(UITabBarController(tabs: [group, UITab("home")]))
        controller.selectedTab = group.children[0]
        navigation.pushViewController(all[2], animated: false)
        try app.system.select(group.children[0])
        XCTAssertEqual(navigation.viewControllers.titles, "library artists")
        checkShown("artists", of: all)
        controller.selectedTab = controller.tabs[1]
        controller.selectedTab = group.children[0]
        checkShown("artists", of: all)
    }

    func testAManagingNavigationControllerSetLateIsTheOnlyPane() async throws {
        let all = hooked("library", "artists", "song", "home")
        let group = library(all)
        let controller = app.showing(UITabBarController(tabs: [group, tab(all[3])]))
        controller.selectedTab = group.children[0]
        checkShown("library", of: all)
        for isCleared in [true, false, true] {
            if isCleared {
                group.managingNavigationController = nil
                checkShown("library", of: all)
            }
            let navigation = UINavigationController()
            group.managingNavigationController = navigation
            checkShown("artists", of: all)
            XCTAssertEqual(navigation.viewControllers.titles, "library artists")
            XCTAssertEqual(controller.children.titles, "-")
            controller.selectedTab = controller.tabs[1]
            checkShown("home", of: all)
            controller.selectedTab = group.children[0]
            checkShown("artists", of: all)
            controller.tabs[1].viewController?.removeFromParent()
        }
        group.managingNavigationController?.pushViewController(all[2], animated: false)
        group.managingNavigationController = UINavigationController()
        checkShown("song", of: all, "what the app pushed moves along")
    }

    func testALeafThatLeavesAsItAppearsAppearsOnce() async throws {
        for moment in ["loaded", "will appear", "is appearing", "appeared"] {
            let app = try TestApp(platform: .phone).launched()
            let all = hooked("library", "artists", "home")
            let group = library(all)
            group.managingNavigationController = UINavigationController()
            let controller = app.showing(UITabBarController(tabs: [tab(all[2]), group]))
            all[1].at[moment] = { controller.selectedTab = controller.tabs[0] }
            controller.selectedTab = group.children[0]
            XCTAssertEqual(controller.selectedTab?.identifier, "home")
            checkShown("home", of: all, moment)
            XCTAssertLessThanOrEqual(all[1].calls.filter { $0 == "will appear" }.count, 1, moment)
        }
    }

    func testALeafThatPopsItselfAsItAppearsSelectsItsGroup() async throws {
        for moment in ["loaded", "will appear", "appeared"] {
            let app = try TestApp(platform: .phone).launched()
            let all = hooked("library", "artists", "home")
            let group = library(all)
            let navigation = UINavigationController()
            group.managingNavigationController = navigation
            let controller = app.showing(UITabBarController(tabs: [tab(all[2]), group]))
            all[1].at[moment] = { navigation.popViewController(animated: false) }
            controller.selectedTab = group.children[0]
            XCTAssertIdentical(controller.selectedTab, group, moment)
            checkShown("library", of: all, moment)
        }
    }
}
