import UIKit
import XCTest

/// What tabs and groups have unless an app says otherwise, and what it says for itself.
@MainActor final class TabDefaultsTests: XCTestCase {
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
