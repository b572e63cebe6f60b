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
        override func show(_ column: Column) { calls.append("show \(column)") }
        override func hide(_ column: Column) { calls.append("hide \(column)") }
        override func isShowing(_ column: Column) -> Bool { true }
    }

    private final class View: UIView {
        var calls: [String] = []
        override var safeAreaInsets: UIEdgeInsets { UIEdgeInsets(7, 0, 0, 0) }
        override var layoutMargins: UIEdgeInsets { didSet { calls.append("margins") } }
        override var directionalLayoutMargins: NSDirectionalEdgeInsets {
            didSet { calls.append("directional margins") }
        }
        override func layoutGuide(for layoutRegion: LayoutRegion) -> UILayoutGuide {
            calls.append("guide")
            return super.layoutGuide(for: layoutRegion)
        }
        override func insertSubview(_ view: UIView, aboveSubview siblingSubview: UIView) { calls.append("insert") }
        override func convert(_ point: CGPoint, to view: UIView?) -> CGPoint {
            calls.append("convert")
            return super.convert(point, to: view)
        }
        override func isDescendant(of view: UIView) -> Bool {
            calls.append("descendant")
            return super.isDescendant(of: view)
        }
        override func addConstraint(_ constraint: NSLayoutConstraint) { calls.append("constraint") }
    }

    func testASplitViewControllersColumnsCanBeOverridden() async throws {
        let app = try TestApp(.pad, 1000, 800)
        let (split, primary) = (app.showing(Split(style: .doubleColumn)), UIViewController())
        let plain = split as UISplitViewController
        plain.setViewController(primary, for: .primary)
        plain.hide(.primary)
        plain.show(.primary)
        assertText(split.calls, "set primary, hide primary, show primary")
        XCTAssertIdentical(plain.viewController(for: .primary), primary)
        XCTAssertTrue(plain.isShowing(.compact))
        XCTAssertEqual(plain.displayMode, .oneBesideSecondary)
        XCTAssertEqual(plain.splitBehavior, .tile)
    }

    func testAViewsMembersCanBeOverridden() async throws {
        let view = View(frame: CGRect(0, 0, 100, 100))
        let (plain, back, front) = (view as UIView, UIView(), UIView())
        XCTAssertEqual(plain.edgeInsets(for: .safeArea()).top, 7)
        plain.layoutMargins = UIEdgeInsets(1, 1, 1, 1)
        XCTAssertEqual(plain.safeAreaLayoutGuide.layoutFrame, CGRect(0, 7, 100, 93))
        plain.addSubview(back)
        plain.insertSubview(front, aboveSubview: back)
        XCTAssertEqual(plain.convert(CGRect(1, 2, 3, 4), to: back).origin, CGPoint(1, 2))
        XCTAssertFalse(plain.isDescendant(of: back))
        plain.addConstraint(plain.widthAnchor.constraint(equalToConstant: 100))
        XCTAssertEqual(
            Set(view.calls),
            ["margins", "directional margins", "guide", "insert", "convert", "descendant", "constraint"])
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
