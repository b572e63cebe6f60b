import UIKit
import XCTest

/// How often the system reads what an app may override, of eight times as many: 8 times is linear, 64 quadratic.
@MainActor final class ReadsTests: XCTestCase {
    private static var reads = 0

    private final class Window: UIWindow {
        override var isHidden: Bool {
            get {
                ReadsTests.reads += 1
                return super.isHidden
            }
            set { super.isHidden = newValue }
        }
    }

    private final class Controller: UIViewController {
        override var additionalSafeAreaInsets: UIEdgeInsets {
            get {
                ReadsTests.reads += 1
                return super.additionalSafeAreaInsets
            }
            set { super.additionalSafeAreaInsets = newValue }
        }
    }

    private final class Tab: UITab {
        override var isHidden: Bool {
            get {
                ReadsTests.reads += 1
                return super.isHidden
            }
            set { super.isHidden = newValue }
        }
    }

    private final class Group: UITabGroup {
        override var children: [UITab] {
            get {
                ReadsTests.reads += 1
                return super.children
            }
            set { super.children = newValue }
        }
    }

    private final class Label: UIView {
        override var intrinsicContentSize: CGSize {
            ReadsTests.reads += 1
            return CGSize(10, 10)
        }
    }

    private func check(_ what: String, line: UInt = #line, _ prepare: (Int) throws -> () throws -> Void) throws {
        let reads = try [10, 80].map { count in
            let body = try prepare(count)
            Self.reads = 0
            try body()
            return Self.reads
        }
        XCTAssertLessThanOrEqual(reads[1], 12 * max(reads[0], 10), "\(what): \(reads)", line: line)
    }

    private func window(_ app: TestApp) -> UIWindow {
        let window = Window(windowScene: app.system.windowScenes[0])
        window.rootViewController = UIViewController()
        return window
    }

    func testShowingEachWindow() async throws {
        try check("windows") { count in
            let app = try TestApp(.pad, 800, 600)
            return { for _ in 0..<count { self.window(app).isHidden = false } }
        }
        try check("key windows") { count in
            let app = try TestApp(.pad, 800, 600)
            return { for _ in 0..<count { self.window(app).makeKeyAndVisible() } }
        }
        try check("changing one window's traits") { count in
            let app = try TestApp(.pad, 800, 600)
            let windows = (0..<count).map { _ in self.window(app) }
            for window in windows { window.isHidden = false }
            return {
                for window in windows {
                    window.traitOverrides.userInterfaceStyle = .dark
                    window.updateTraitsIfNeeded()
                }
            }
        }
    }

    func testResizingWhatIsNestedDeeply() async throws {
        try check("nesting") { count in
            let app = try TestApp(.pad, 800, 600)
            var top: UIViewController = Controller()
            app.show(top)
            for _ in 0..<count {
                let next = Controller()
                top.addChild(next)
                top.view.addSubview(next.view)
                next.didMove(toParent: top)
                top = next
            }
            return { try app.resize(700, 500) }
        }
    }

    func testSelectingInEachGroup() async throws {
        try check("groups") { count in
            let app = try TestApp(.pad, 800, 600)
            let groups = (0..<count).map { group in
                let tabs = (0..<3).map { tab in
                    Tab(title: "", image: nil, identifier: "\(group) \(tab)") { _ in UIViewController() }
                }
                return UITabGroup(title: "", image: nil, identifier: "\(group)", children: tabs)
            }
            let controller = UITabBarController(tabs: groups)
            app.show(controller)
            return {
                for (index, group) in groups.enumerated() {
                    controller.selectedTab = group.children[1]
                    XCTAssertIdentical(controller.tabBar.selectedItem, controller.tabBar.items?[index])
                }
            }
        }
    }

    func testPresentingALongChain() async throws {
        for style in [UIModalPresentationStyle.pageSheet, .fullScreen] {
            let app = try TestApp(.pad, 800, 600)
            @MainActor func present(_ count: Int) -> [UIViewController] {
                let chain = (0...count).map { _ in Controller() }
                app.show(chain[0])
                for (below, above) in zip(chain, chain.dropFirst()) {
                    above.modalPresentationStyle = style
                    below.present(above, animated: false)
                }
                return chain
            }
            try check("presenting") { count in { _ = present(count) } }
            try check("dismissing each") { count in
                let chain = present(count)
                return { for controller in chain.dropFirst().reversed() { controller.dismiss(animated: false) } }
            }
            try check("dismissing all") { count in
                let chain = present(count)
                return { chain[0].dismiss(animated: false) }
            }
        }
    }

    func testFindingEachTabOfAGroup() async throws {
        try check("finding") { count in
            let groups = (0..<count).map { Group(title: "", image: nil, identifier: "\($0)") }
            let group = Group(title: "", image: nil, identifier: "all", children: groups)
            return { for one in groups { XCTAssertIdentical(group.tab(forIdentifier: one.identifier), one) } }
        }
        let group = Group(title: "", image: nil, identifier: "all", children: [])
        let (inner, tab) = (
            Group(title: "", image: nil, identifier: "inner"), UITab(title: "", image: nil, identifier: "tab")
        )
        XCTAssertNil(group.tab(forIdentifier: "tab"))
        group.children = [inner]
        XCTAssertNil(group.tab(forIdentifier: "tab"))
        inner.children = [tab]
        XCTAssertIdentical(group.tab(forIdentifier: "tab"), tab, "a change within is seen")
        let other = Group(title: "", image: nil, identifier: "other", children: [tab])
        XCTAssertNil(group.tab(forIdentifier: "tab"), "it has moved to another group")
        XCTAssertIdentical(other.tab(forIdentifier: "other"), other)
    }

    func testMovingTheTabsOfAGroupToAnother() async throws {
        try check("moving") { count in
            let tabs = (0..<count).map { Tab(title: "", image: nil, identifier: "\($0)") }
            let groups = ["a", "b"].map { Group(title: "", image: nil, identifier: $0) }
            groups[0].children = tabs
            return {
                groups[1].children = tabs
                XCTAssertEqual(groups.map(\.children.count), [0, count])
            }
        }
    }

    func testAddingOneViewAfterTheOther() async throws {
        try check("labels") { count in
            let app = try TestApp(.pad, 800, 600)
            let view = app.showing(Controller()).view!
            return {
                for number in 0..<count {
                    let label = Label()
                    label.translatesAutoresizingMaskIntoConstraints = false
                    view.addSubview(label)
                    label.sides(of: view, top: CGFloat(number), leading: 0).activate()
                    app.turn()
                    XCTAssertEqual(label.frame, CGRect(0, CGFloat(number), 10, 10))
                }
            }
        }
        try check("controllers") { count in
            let app = try TestApp(.pad, 800, 600)
            let root = app.showing(Controller())
            return {
                for _ in 0..<count {
                    let child = Controller()
                    root.addChild(child)
                    app.turn { root.view.addSubview(child.view) }
                }
            }
        }
    }
}
