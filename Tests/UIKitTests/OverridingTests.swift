import UIKit
import XCTest

/// Members that apps override, as Apple's are open. Most of the test is that it compiles: the module
/// is not imported for testing.
@MainActor final class OverridingTests: XCTestCase {
    private final class Split: UISplitViewController {
        var calls: [String] = []
        override var displayMode: DisplayMode { .oneBesideSecondary }
        override var splitBehavior: SplitBehavior { .tile }
        override func setViewController(_ vc: UIViewController?, for column: Column) {
            calls.append("set \(column)")
            super.setViewController(vc, for: column)
        }
        override func viewController(for column: Column) -> UIViewController? { super.viewController(for: column) }
        override func show(_ column: Column) {
            calls.append("show \(column)")
            super.show(column)
        }
        override func hide(_ column: Column) {
            calls.append("hide \(column)")
            super.hide(column)
        }
        override func isShowing(_ column: Column) -> Bool { super.isShowing(column) }
    }

    private final class Page: UIViewController {
        let ownNavigation = UINavigationController()
        let ownSplit = UISplitViewController(style: .doubleColumn)
        let ownTabs = UITabBarController()
        var overridden: [UITraitCollection?] = []
        override var navigationController: UINavigationController? { ownNavigation }
        override var splitViewController: UISplitViewController? { ownSplit }
        override var tabBarController: UITabBarController? { ownTabs }
        override var isBeingPresented: Bool { true }
        override var isBeingDismissed: Bool { super.isBeingDismissed }
        override var isMovingToParent: Bool { super.isMovingToParent }
        override var isMovingFromParent: Bool { super.isMovingFromParent }
        override func setOverrideTraitCollection(
            _ collection: UITraitCollection?, forChild childViewController: UIViewController
        ) {
            overridden.append(collection)
            super.setOverrideTraitCollection(collection, forChild: childViewController)
        }
        override func overrideTraitCollection(forChild childViewController: UIViewController) -> UITraitCollection? {
            super.overrideTraitCollection(forChild: childViewController)
        }
        override func beginAppearanceTransition(_ isAppearing: Bool, animated: Bool) {
            super.beginAppearanceTransition(isAppearing, animated: animated)
        }
        override func endAppearanceTransition() { super.endAppearanceTransition() }
    }

    func testASplitViewControllersColumnsCanBeOverridden() async throws {
        let app = try TestApp(.pad, 1000, 800)
        let split = Split(style: .doubleColumn)
        app.show(split)
        let primary = UIViewController()
        (split as UISplitViewController).setViewController(primary, for: .primary)
        (split as UISplitViewController).hide(.primary)
        (split as UISplitViewController).show(.primary)
        XCTAssertEqual(split.calls, ["set primary", "hide primary", "show primary"])
        XCTAssertIdentical(split.viewController(for: .primary), primary)
        XCTAssertTrue(split.isShowing(.primary))
        XCTAssertEqual((split as UISplitViewController).displayMode, .oneBesideSecondary)
        XCTAssertEqual((split as UISplitViewController).splitBehavior, .tile)
    }

    func testAViewControllersContainersCanBeOverridden() async throws {
        let (page, child) = (Page(), UIViewController())
        let plain = page as UIViewController
        XCTAssertIdentical(plain.navigationController, page.ownNavigation)
        XCTAssertIdentical(plain.splitViewController, page.ownSplit)
        XCTAssertIdentical(plain.tabBarController, page.ownTabs)
        XCTAssertTrue(plain.isBeingPresented)
        page.addChild(child)
        let traits = UITraitCollection(horizontalSizeClass: .compact)
        plain.setOverrideTraitCollection(traits, forChild: child)
        XCTAssertEqual(page.overridden, [traits])
        XCTAssertEqual(plain.overrideTraitCollection(forChild: child), traits)
        XCTAssertEqual(child.traitCollection.horizontalSizeClass, .compact)
    }
}
