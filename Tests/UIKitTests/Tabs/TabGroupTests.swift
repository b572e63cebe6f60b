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

    // MARK: Selections within selections

    private func displayed() -> [String] { DelegateCalls.drain().filter { $0.contains(": ") } }

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
