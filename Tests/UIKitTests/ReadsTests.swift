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
}
