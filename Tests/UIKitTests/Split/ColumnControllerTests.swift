import XCTest

@testable import UIKit

/// The view controllers of columns.
@MainActor final class ColumnControllerTests: XCTestCase {
    private typealias Column = UISplitViewController.Column

    func testATabBarControllerMayBeThePrimaryOneOfTheClassicStyle() async throws {
        let app = try TestApp().launched()
        let split = UISplitViewController(nibName: nil, bundle: nil)
        let (tabs, detail) = (UITabBarController(), UINavigationController(rootViewController: Pane("detail")))
        tabs.viewControllers = [Pane("list")]
        split.viewControllers = [tabs, detail]
        app.show(split)
        try app.resize(1_000, 800)
        XCTAssertEqual(split.viewControllers, [tabs, detail])
        XCTAssertEqual(tabs.view.frame, CGRect(0, 0, 320, 800))
        try app.resize(500, 800)
        XCTAssertEqual(split.viewControllers, [tabs], "it takes no stack")
    }

    func testAViewControllerThatLeftItsColumnCanBeSetAgain() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        let list = try XCTUnwrap(app.panes[.primary])
        list.navigationController?.viewControllers = [Pane("other")]
        XCTAssertNil(list.parent)
        app.split.setViewController(list, for: .primary)
        XCTAssert(list.navigationController?.parent === app.split)
        XCTAssertEqual(app.frame(.primary), CGRect(0, 0, 320, 800))
        XCTAssertEqual(app.stacks, ["primary", "", "secondary"])
        try app.resize(500)
        app.split.setViewController(list, for: .primary)
        XCTAssertEqual(app.split.viewControllers.count, 1)
        XCTAssertEqual(list.navigationController?.viewControllers.count, 2, "it is on the stack, and stays there")
    }

    func testAChildThatMovesElsewhereLeavesItsColumn() async throws {
        for width: CGFloat in [1_000, 500] {
            for column in [Column.primary, .secondary] {
                let app = try SplitApp(.doubleColumn, width: width)
                let child = try XCTUnwrap(app.split.slots[column].child)
                let pane = try XCTUnwrap(app.panes[column])
                let other = UIViewController()
                other.embed(child)
                let settled = pane.settled.count
                for next: CGFloat in [1_100, 500, 1_000] {
                    try app.resize(next)
                    XCTAssert(child.view.superview === other.view, "\(column)")
                    XCTAssert(child.parent === other)
                }
                XCTAssertNil(app.split.viewController(for: column))
                XCTAssertEqual(app.split.viewControllers.count, 1)
                XCTAssertEqual(app.stacks, column == .primary ? ["", "", "secondary"] : ["primary", "", ""])
                XCTAssertEqual(pane.settled.count, settled, "it is no column any more")
                XCTAssertEqual(pane.navigationController?.viewControllers, [pane])
            }
        }
    }

    func testAChildThatTheAppRemovesLeavesItsColumn() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200)
        app.split.show(.inspector)
        let child = try XCTUnwrap(app.split.slots.inspector.child)
        child.removeFromParent()
        XCTAssertNil(app.split.viewController(for: .inspector))
        XCTAssertFalse(app.split.isShowing(.inspector))
        XCTAssertNil(child.view.superview)
        app.split.show(.inspector)
        XCTAssertFalse(app.split.isShowing(.inspector), "there is none")
    }

    func testTheDelegateDecidesAboutOrientations() async throws {
        final class Delegate: UISplitViewControllerDelegate {
            var orientations = UIInterfaceOrientationMask.landscape
            func splitViewControllerSupportedInterfaceOrientations(
                _ splitViewController: UISplitViewController
            ) -> UIInterfaceOrientationMask { orientations }
        }
        let app = try TestApp(platform: .phone).launched()
        let (split, delegate) = (app.showing(UISplitViewController(style: .doubleColumn)), Delegate())
        XCTAssertEqual(split.supportedInterfaceOrientations, .allButUpsideDown, "the platform's default")
        XCTAssert(app.scene.interfaceOrientation.isPortrait)
        split.delegate = delegate
        for (orientations, isLandscape) in [(UIInterfaceOrientationMask.landscape, true), (.portrait, false)] {
            delegate.orientations = orientations
            XCTAssertEqual(split.supportedInterfaceOrientations, orientations)
            split.setNeedsUpdateOfSupportedInterfaceOrientations()
            XCTAssertEqual(app.scene.interfaceOrientation.isLandscape, isLandscape)
        }
        split.delegate = nil
        XCTAssertEqual(split.supportedInterfaceOrientations, .allButUpsideDown)
    }

    func testAViewControllerIsInOneColumn() async throws {
        for width: CGFloat in [1_000, 500] {
            let app = try SplitApp(.doubleColumn, width: width)
            let list = try XCTUnwrap(app.panes[.primary])
            app.split.setViewController(list, for: .compact)
            XCTAssert(app.split.viewController(for: .compact) === list)
            XCTAssert(list.parent === app.split)
            XCTAssertNil(app.split.viewController(for: .primary))
            app.split.setViewController(list, for: .primary)
            XCTAssertNil(app.split.viewController(for: .compact))
            XCTAssert(app.split.viewController(for: .primary) === list)
            try app.resize(1_100)
            XCTAssertEqual(app.stacks, ["primary", "", "secondary"])
            XCTAssertNotNil(app.frame(.primary))
            XCTAssertEqual(list.loads, 1)
        }
    }

    func testAViewControllerIsPutIntoANavigationController() async throws {
        let app = try SplitApp(.tripleColumn, width: 1_366)
        let primary = try XCTUnwrap(app.panes[.primary])
        XCTAssert(app.split.viewController(for: .primary) === primary)
        XCTAssert(primary.navigationController?.parent === app.split)
        XCTAssert(primary.splitViewController === app.split)
        XCTAssertEqual(app.split.viewControllers.count, 3)
        let own = UINavigationController(rootViewController: Pane("own"))
        app.split.setViewController(own, for: .secondary)
        XCTAssert(app.split.children.contains { $0 === own })
        let compact = Pane("compact")
        app.split.setViewController(compact, for: .compact)
        XCTAssert(app.split.children.contains { $0 === compact })
        let tabs = UITabBarController()
        app.split.setViewController(tabs, for: .secondary)
        XCTAssert(app.split.children.contains { $0 === tabs })
        XCTAssertNil(own.parent)
        app.split.setViewController(nil, for: .secondary)
        XCTAssertNil(app.split.viewController(for: .secondary))
        XCTAssertNil(tabs.parent)
    }
}
