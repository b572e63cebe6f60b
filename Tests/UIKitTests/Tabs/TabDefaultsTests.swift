import UIKit
import XCTest

/// What tabs and groups have unless an app says otherwise, and what it says for itself.
@MainActor final class TabDefaultsTests: XCTestCase {
    func testTheDefaultsOfTabs() async throws {
        _ = try TestApp(.pad, 1200, 800)
        let tab = UITab(title: "Home", image: UIImage(named: "house"), identifier: "home")
        XCTAssertEqual(tab.title, "Home")
        XCTAssertEqual(tab.identifier, "home")
        XCTAssertNotNil(tab.image)
        XCTAssertNil(tab.subtitle)
        XCTAssertNil(tab.badgeValue)
        XCTAssertNil(tab.userInfo)
        XCTAssertTrue(tab.isEnabled)
        XCTAssertFalse(tab.isHidden)
        XCTAssertFalse(tab.isHiddenByDefault)
        XCTAssertFalse(tab.allowsHiding)
        XCTAssertEqual(tab.preferredPlacement, .automatic)
        XCTAssertNil(tab.parent)
        XCTAssertNil(tab.managingTabGroup)
        XCTAssertNil(tab.tabBarController)
        XCTAssertNil(tab.viewController)
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

    func testATabIsHiddenByDefaultUntilItIsDecided() async throws {
        let app = try TestApp(.pad, 1200, 800)
        let (home, extra) = (UITab("home"), UITab("extra"))
        extra.isHiddenByDefault = true
        XCTAssertTrue(extra.isHidden)
        let controller = UITabBarController(tabs: [home, extra])
        app.show(controller)
        XCTAssertEqual(controller.barTitles, ["home"])
        extra.isHiddenByDefault = false
        XCTAssertEqual(controller.barTitles, ["home", "extra"])
        extra.isHidden = true
        XCTAssertEqual(controller.barTitles, ["home"])
        extra.isHiddenByDefault = true
        extra.isHidden = false
        XCTAssertEqual(controller.barTitles, ["home", "extra"], "the decision counts")
    }

    func testTheBadgeOfATabIsInTheBar() async throws {
        let app = try TestApp(.pad, 1200, 800)
        let controller = UITabBarController(tabs: ["a", "b"].map { UITab($0) })
        app.show(controller)
        controller.tabs[1].badgeValue = "3"
        app.system.advance(by: .zero)
        XCTAssertEqual(controller.tabBar.items?.map(\.badgeValue), [nil, "3"])
    }
}
