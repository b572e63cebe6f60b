import UIKit
import XCTest

/// What tabs and groups have unless an app says otherwise, and what it says for itself.
@MainActor final class TabDefaultsTests: XCTestCase {
    /// View controllers that stay keep their tabs, and one that is selected stays so, wherever it stands then.
    func testASelectedViewControllerThatStaysIsSelected() async throws {
        let app = try TestApp(.pad, 1200, 800)
        let all = ["a", "b", "c", "d"].map { NamedController($0) }
        let controller = app.showing(UITabBarController())
        controller.viewControllers = Array(all[..<3])
        controller.selectedIndex = 1
        var appeared = 0
        all[1].onAppearance = { call in if call == "appeared" { appeared += 1 } }
        for order in [[2, 1], [3, 2, 1, 0], [1, 3], [0, 3, 1]] {
            let items = all.map(\.tabBarItem)
            controller.viewControllers = order.map { all[$0] }
            XCTAssertEqual(controller.selectedIndex, order.firstIndex(of: 1), "\(order)")
            XCTAssertIdentical(controller.selectedViewController, all[1])
            XCTAssertEqual(appeared, 0, "\(order): it did not leave")
            XCTAssertEqual(all.map(\.tabBarItem), items)
        }
        controller.viewControllers = [all[0], all[2]]
        XCTAssertEqual(controller.selectedIndex, 0)
    }

    func testTheDefaultsOfTabs() async throws {
        _ = try TestApp(.pad, 1200, 800)
        let tab = UITab(title: "Home", image: UIImage(named: "house"), identifier: "home")
        XCTAssertEqual([tab.title, tab.identifier], ["Home", "home"])
        XCTAssertNotNil(tab.image)
        let nothing: [Any?] = [
            tab.subtitle, tab.badgeValue, tab.userInfo, tab.parent, tab.managingTabGroup, tab.tabBarController,
            tab.viewController,
        ]
        XCTAssert(nothing.allSatisfy { $0 == nil }, "\(nothing)")
        XCTAssertEqual(
            [tab.isEnabled, tab.isHidden, tab.isHiddenByDefault, tab.allowsHiding], [true, false, false, false])
        XCTAssertEqual(tab.preferredPlacement, .automatic)
        let group = UITabGroup(title: "Group", image: nil, identifier: "group", children: [tab])
        XCTAssertFalse(group.allowsReordering)
        XCTAssertEqual(group.sidebarAppearance, .automatic)
        XCTAssertEqual(group.sidebarActions, [])
        XCTAssertNil(group.defaultChildIdentifier)
        XCTAssertNil(group.selectedChild)
        XCTAssertNil(group.managingNavigationController)
        let controller = UITabBarController()
        XCTAssertNil(controller.customizationIdentifier)
        XCTAssertNil(controller.compactTabIdentifiers)
        XCTAssertEqual(controller.mode, .automatic)
        XCTAssertFalse(UINavigationController().navigationBar.prefersLargeTitles)
    }
}
