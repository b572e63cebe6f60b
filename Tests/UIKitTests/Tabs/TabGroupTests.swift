import TestSupport
import UIKit
import XCTest

/// The stack of a group's managing navigation controller.
@MainActor final class TabGroupTests: AppTestCase {
    override func makeApp() throws -> TestApp { try TestApp(.pad, 1200, 800) }

    /// A library with artists and albums, rock among the albums, beside a home tab.
    @MainActor private struct Library {
        let home = UITab("home")
        let artists = UITab("artists")
        let rock = UITab("rock")
        let albums: UITabGroup
        let library: UITabGroup
        let navigation = UINavigationController()
        let delegate = RecordingTabDelegate()
        let controller: UITabBarController

        init(isManaged: Bool = true) {
            albums = UITabGroup("albums", [rock])
            library = UITabGroup("library", [artists, albums])
            if isManaged { library.managingNavigationController = navigation }
            controller = UITabBarController(tabs: [home, library])
            controller.delegate = delegate
        }

        var stack: String { navigation.viewControllers.titles }
    }

    func testATabInAHiddenGroupCannotBeChosen() async throws {
        let tabs = Library(isManaged: false)
        app.show(tabs.controller)
        tabs.library.isHidden = true
        assertRefused(try app.system.select(tabs.rock), .tabNotSelectable(identifier: "rock"))
        XCTAssertIdentical(tabs.controller.selectedTab, tabs.home)
        tabs.library.isHidden = false
        try app.system.select(tabs.rock)
        XCTAssertIdentical(tabs.controller.selectedTab, tabs.rock)
    }

    func testAGroupIsMadeAsATabIs() async throws {
        _ = try TestApp(.pad, 1200, 800)
        let group = UITabGroup(title: "Library", image: nil, identifier: "library")
        XCTAssertEqual(group.children, [])
        XCTAssertNil(group.viewController)
        let tab = UITab("tab")
        group.children = [tab]
        XCTAssertIdentical(tab.parent, group)
        let other = UITabGroup(title: "Other", image: nil, identifier: "other") { _ in NamedController("other") }
        XCTAssertEqual(other.viewController?.title, "other")
        XCTAssertEqual(other.children, [])
    }

    // MARK: Tabs that move

    func testATabThatHasMovedToAnotherControllerStaysThere() async throws {
        let old = app.showing(UITabBarController(tabs: ["a", "b"].map { UITab($0) }))
        let new = UITabBarController(tabs: old.tabs)
        old.tabs = []
        app.show(new)
        let last = try XCTUnwrap(new.tabs.last)
        XCTAssertIdentical(last.tabBarController, new)
        new.selectedTab = last
        XCTAssertIdentical(new.selectedViewController, last.viewController)
        try app.system.select(new.tabs[0])
        XCTAssertIdentical(new.selectedTab, new.tabs[0])
    }

    func testATabIsInOneGroup() async throws {
        let (moved, other) = (UITab("moved"), UITab("other"))
        let (first, second) = (UITabGroup("first", [moved, other]), UITabGroup("second", []))
        let controller = app.showing(UITabBarController(tabs: [first, second]))
        controller.selectedTab = moved
        second.children = [moved]
        XCTAssertEqual([first.children, second.children], [[other], [moved]])
        XCTAssertIdentical(moved.parent, second)
        XCTAssertIdentical(controller.selectedTab, moved, "it is still there")
        second.children.append(other)
        XCTAssertEqual([first.children, second.children], [[], [moved, other]])
        let third = UITabGroup("third", [other])
        XCTAssertEqual([second.children, third.children], [[moved], [other]])
        XCTAssertIdentical(other.parent, third)
    }

    // MARK: Selections within selections

    private func selections() -> [String] { DelegateCalls.drain().filter { $0.contains("did select") } }

    func testASelectionInTheDelegatesCallIsReportedNext() async throws {
        @MainActor final class Redirecting: NSObject, UITabBarControllerDelegate {
            func tabBarController(
                _ tabBarController: UITabBarController, didSelectTab selectedTab: UITab, previousTab: UITab?
            ) {
                DelegateCalls.all.append("did select \(selectedTab.identifier) after \(previousTab?.identifier ?? "")")
                if selectedTab.identifier == "b" { tabBarController.selectedTab = tabBarController.tabs[2] }
            }
        }
        let app = try TestApp(.pad, 1200, 800)
        let (controller, delegate) = (UITabBarController(tabs: ["a", "b", "c"].map { UITab($0) }), Redirecting())
        app.show(controller)
        controller.delegate = delegate
        controller.selectedTab = controller.tabs[1]
        XCTAssertEqual(selections(), ["did select b after a", "did select c after b"])
        XCTAssertEqual(controller.selectedTab?.identifier, "c")
    }

    private func displayed() -> [String] { DelegateCalls.drain().filter { $0.contains(": ") } }

    func testSelectingALeafPushesTheChainOntoTheManagingStack() async throws {
        let tabs = Library()
        app.show(tabs.controller)
        tabs.controller.selectedTab = tabs.rock
        XCTAssertEqual(tabs.stack, "library albums rock")
        XCTAssertEqual(displayed(), ["library: library", "albums: albums", "rock: rock"], "once for each tab")
        XCTAssertIdentical(tabs.controller.selectedViewController, tabs.navigation)
        XCTAssertIdentical(tabs.rock.recording.view.superview, tabs.navigation.view)
        XCTAssertIdentical(tabs.rock.managingTabGroup, tabs.library)
        XCTAssertFalse(tabs.albums.recording.isViewLoaded, "only the top is loaded")
        tabs.controller.selectedTab = tabs.artists
        XCTAssertEqual(tabs.stack, "library artists")
        tabs.controller.selectedTab = tabs.home
        XCTAssertIdentical(tabs.controller.selectedViewController, tabs.home.viewController)
        XCTAssertEqual(tabs.stack, "library artists", "it keeps its state")
    }

    func testTheDelegateCustomisesWhatIsDisplayedForEachTab() async throws {
        let (tabs, extra) = (Library(), NamedController("extra"))
        tabs.delegate.displayed = { tab, proposed in
            switch tab.identifier {
            case "library": []
            case "albums": proposed + [extra]
            default: proposed
            }
        }
        app.show(tabs.controller)
        tabs.controller.selectedTab = tabs.rock
        XCTAssertEqual(tabs.stack, "albums extra rock")
        tabs.controller.selectedTab = tabs.artists
        XCTAssertEqual(tabs.stack, "artists")
    }

    func testATabWithoutAControllerProposesNone() async throws {
        let (leaf, navigation, delegate) = (UITab("leaf"), UINavigationController(), RecordingTabDelegate())
        let inner = UITabGroup(title: "inner", image: nil, identifier: "inner", children: [leaf])
        let outer = UITabGroup(title: "outer", image: nil, identifier: "outer", children: [inner])
        outer.managingNavigationController = navigation
        let controller = UITabBarController(tabs: [outer])
        controller.delegate = delegate
        controller.selectedTab = leaf
        let window = UIWindow(windowScene: app.scene)
        window.rootViewController = controller
        DelegateCalls.all = []
        window.makeKeyAndVisible()
        XCTAssertEqual(displayed(), ["outer: ", "inner: ", "leaf: leaf"])
        XCTAssertEqual(navigation.viewControllers.titles, "leaf")
    }

    func testAnEmptyStackIsReplacedByTheLeafsOwnControllerAndLogged() async throws {
        let tabs = Library()
        tabs.delegate.displayed = { _, _ in [] }
        app.show(tabs.controller)
        tabs.controller.selectedTab = tabs.rock
        XCTAssertEqual(tabs.stack, "rock")
        XCTAssertTrue(app.system.messages.contains { $0.contains("the tab rock") })
    }

    func testWhatWasPushedByHandIsProposedWithTheLeafWhileItIsOnTop() async throws {
        let (tabs, song) = (Library(), NamedController("song"))
        app.show(tabs.controller)
        tabs.controller.selectedTab = tabs.artists
        tabs.navigation.pushViewController(song, animated: false)
        _ = displayed()
        try app.resize(500, 800)
        XCTAssertEqual(displayed(), ["library: library", "artists: artists song"], "another size class")
        XCTAssertEqual(tabs.stack, "library artists song")
        XCTAssertEqual(song.loads, 1)
        tabs.controller.selectedTab = tabs.rock
        XCTAssertEqual(tabs.stack, "library albums rock")
        tabs.controller.selectedTab = tabs.artists
        XCTAssertEqual(tabs.stack, "library artists song", "each tab keeps what was pushed on it")
        tabs.navigation.popViewController(animated: false)
        _ = displayed()
        try app.resize(1200, 800)
        XCTAssertEqual(displayed(), ["library: library", "artists: artists"])
        XCTAssertEqual(tabs.stack, "library artists")
    }

    func testTheStackIsRebuiltForChildrenSizeClassAndSidebarOnly() async throws {
        let tabs = Library()
        tabs.delegate.displayed = { [unowned controller = tabs.controller] tab, proposed in
            tab.identifier == "library" && controller.sidebar.isAvailable ? [] : proposed
        }
        app.show(tabs.controller)
        tabs.controller.selectedTab = tabs.artists
        XCTAssertEqual(tabs.stack, "artists")
        _ = displayed()
        try app.resize(1100, 800)
        tabs.controller.sidebar.isHidden = true
        XCTAssertEqual(displayed(), [], "neither a size nor the sidebar's visibility")
        try app.resize(500, 800)
        XCTAssertEqual(tabs.stack, "library artists")
        try app.resize(1200, 800)
        XCTAssertEqual(tabs.stack, "artists")
        _ = displayed()
        tabs.controller.mode = .tabBar
        XCTAssertEqual(tabs.stack, "library artists", "the sidebar is not available")
        tabs.controller.mode = .tabSidebar
        _ = displayed()
        tabs.library.children.append(UITab("songs"))
        XCTAssertEqual(displayed(), ["library: library", "artists: artists"])
    }

    func testAnEqualStackChangesNothing() async throws {
        let tabs = Library()
        tabs.delegate.recordsDisplayed = false
        app.show(tabs.controller)
        tabs.controller.selectedTab = tabs.artists
        DelegateCalls.all = []
        tabs.library.children.append(UITab("songs"))
        tabs.controller.selectedTab = tabs.artists
        assertCalls("")
    }

    func testWithoutAManagingControllerOnlyTheRootTabsControllerIsShown() async throws {
        let tabs = Library(isManaged: false)
        app.show(tabs.controller)
        tabs.controller.selectedTab = tabs.rock
        XCTAssertIdentical(tabs.controller.selectedTab, tabs.rock)
        XCTAssertIdentical(tabs.controller.selectedViewController, tabs.library.viewController)
        XCTAssertNil(tabs.rock.managingTabGroup)
        XCTAssertEqual(displayed(), [])
    }

    func testTheOutermostManagingGroupCounts() async throws {
        let tabs = Library()
        tabs.albums.managingNavigationController = UINavigationController()
        app.show(tabs.controller)
        tabs.controller.selectedTab = tabs.rock
        XCTAssertIdentical(tabs.controller.selectedViewController, tabs.navigation)
        tabs.library.managingNavigationController = nil
        XCTAssertIdentical(tabs.rock.managingTabGroup, tabs.albums)
        XCTAssertIdentical(tabs.controller.selectedViewController, tabs.albums.managingNavigationController)
        XCTAssertEqual(tabs.albums.managingNavigationController?.viewControllers.titles, "albums rock")
    }

    func testAPersonWhoTapsAGroupGetsItOrWithASidebarOneOfItsChildren() async throws {
        let tabs = Library()
        app.show(tabs.controller)
        func check(_ selected: UITab, _ why: String, line: UInt = #line) throws {
            tabs.controller.selectedTab = tabs.home
            try app.system.select(tabs.library)
            XCTAssertIdentical(tabs.controller.selectedTab, selected, why, line: line)
        }
        try check(tabs.artists, "the first")
        tabs.controller.selectedTab = tabs.rock
        XCTAssertIdentical(tabs.library.selectedChild, tabs.albums)
        try check(tabs.rock, "the one selected last")
        tabs.library.selectedChild = nil
        tabs.library.defaultChildIdentifier = "artists"
        try check(tabs.artists, "the default")
        try app.resize(500, 800)
        try check(tabs.library, "without a sidebar")
        XCTAssertEqual(tabs.stack, "library")
    }

    func testSettingTheSelectedChildOfTheSelectedGroupSelectsIt() async throws {
        let tabs = Library()
        app.show(tabs.controller)
        tabs.library.selectedChild = tabs.albums
        XCTAssertIdentical(tabs.controller.selectedTab, tabs.home, "the group is not selected")
        tabs.controller.selectedTab = tabs.artists
        DelegateCalls.all = []
        tabs.library.selectedChild = tabs.albums
        XCTAssertIdentical(tabs.controller.selectedTab, tabs.albums)
        XCTAssertTrue(DelegateCalls.drain().contains("did select albums after artists"))
    }

    func testPoppingTheLeafByHandSelectsTheGroupBelow() async throws {
        let app = try TestApp(.pad, 500, 800)
        let tabs = Library()
        app.show(tabs.controller)
        tabs.controller.selectedTab = tabs.rock
        DelegateCalls.all = []
        tabs.navigation.popViewController(animated: false)
        XCTAssertIdentical(tabs.controller.selectedTab, tabs.albums)
        XCTAssertTrue(DelegateCalls.drain().contains("did select albums after rock"))
        tabs.navigation.popToRootViewController(animated: false)
        XCTAssertIdentical(tabs.controller.selectedTab, tabs.library)
        XCTAssertEqual(tabs.stack, "library")
        try app.resize(520, 800)
        XCTAssertEqual(tabs.stack, "library", "it does not come back")
        tabs.controller.selectedTab = tabs.rock
        XCTAssertEqual(tabs.stack, "library albums rock")
    }

    func testTheDisplayOrderSortsWhatItNamesFirst() async {
        let group = UITabGroup("g", ["a", "b", "c", "d"].map { UITab($0) })
        group.displayOrderIdentifiers = ["c", "x", "a", "c"]
        XCTAssertEqual(group.displayOrder.map(\.identifier), ["c", "a", "b", "d"])
        XCTAssertEqual(group.tab(forIdentifier: "d")?.parent, group)
        XCTAssertNil(group.tab(forIdentifier: "x"))
        let removed = group.children[0]
        group.children.removeFirst()
        XCTAssertNil(removed.parent)
    }

    /// Random selections, pushes, pops and sizes against the rule written down again: the
    /// chain's controllers, then what was pushed on the leaf.
    func testRandomLivesOfAGroupFollowTheRule() async throws {
        for seed: UInt64 in 0..<40 {
            var random = SplitMix64(seed: seed)
            let tabs = Library()
            tabs.delegate.recordsDisplayed = false
            let window = app.show(tabs.controller)
            defer { window.windowScene = nil }
            var pushed: [String: [UIViewController]] = [:]
            let chains = ["artists": "library artists", "rock": "library albums rock"]
            var selected = "home"
            for step in 0..<60 {
                let onLeaf = pushed[selected, default: []]
                switch random.below(5) {
                case 0, 1:
                    selected = random.pick(["home", "artists", "rock"])
                    tabs.controller.selectedTab = tabs.controller.tab(forIdentifier: selected)
                case 2 where selected != "home":
                    let new = NamedController("\(step)")
                    pushed[selected] = onLeaf + [new]
                    tabs.navigation.pushViewController(new, animated: false)
                case 3 where !onLeaf.isEmpty:
                    pushed[selected]?.removeLast()
                    tabs.navigation.popViewController(animated: false)
                default: try app.resize(random.pick([500, 700, 1200]), 800)
                }
                guard let chain = chains[selected] else { continue }
                let expected = ([chain] + pushed[selected, default: []].map { $0.title ?? "" }).joined(separator: " ")
                XCTAssertEqual(tabs.stack, expected, "seed \(seed), step \(step)")
            }
        }
    }
}
