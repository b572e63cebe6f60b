import XCTest

@testable import UIKit

/// What a split view's delegate decides, and what the app may call in vain.
@MainActor final class SplitDelegateTests: AppTestCase {
    private typealias Column = UISplitViewController.Column

    /// Takes over what a test wants.
    private final class Delegate: UISplitViewControllerDelegate {
        var shows = false
        var shown: [UIViewController] = []
        var target = UISplitViewController.DisplayMode.automatic
        var collapsingPrimary: UIViewController?
        var expandingPrimary: UIViewController?

        func splitViewController(
            _ splitViewController: UISplitViewController, show vc: UIViewController, sender: Any?
        ) -> Bool {
            shown.append(vc)
            return shows
        }
        func splitViewController(
            _ splitViewController: UISplitViewController, showDetail vc: UIViewController, sender: Any?
        ) -> Bool {
            shown.append(vc)
            return shows
        }
        func targetDisplayModeForAction(in svc: UISplitViewController) -> UISplitViewController.DisplayMode { target }
        func primaryViewController(forCollapsing splitViewController: UISplitViewController) -> UIViewController? {
            collapsingPrimary
        }
        func primaryViewController(forExpanding splitViewController: UISplitViewController) -> UIViewController? {
            expandingPrimary
        }
    }

    func testTheDelegateMayShowAViewControllerItself() async throws {
        let (app, delegate) = (try SplitApp(.doubleColumn, width: 1_000), Delegate())
        app.split.delegate = delegate
        let (list, detail) = (Pane("list"), Pane("detail"))
        for (shows, stacks) in [(true, ["primary", "", "secondary"]), (false, ["list", "", "detail"])] {
            (delegate.shows, delegate.shown) = (shows, [])
            app.split.show(list, sender: nil)
            app.split.showDetailViewController(detail, sender: nil)
            XCTAssertEqual(delegate.shown, [list, detail])
            XCTAssertEqual(app.stacks, stacks)
        }
    }

    func testTheDisplayModeButtonChangesTheMode() async throws {
        let (app, delegate) = (try SplitApp(.tripleColumn, width: 1_366), Delegate())
        app.split.delegate = delegate
        let action = try XCTUnwrap(app.split.displayModeButtonItem.primaryAction)
        for (target, mode) in [
            (.automatic, .oneBesideSecondary), (.automatic, .secondaryOnly), (.automatic, .twoBesideSecondary),
            (.secondaryOnly, .secondaryOnly), (.oneBesideSecondary, .oneBesideSecondary),
        ] as [(UISplitViewController.DisplayMode, UISplitViewController.DisplayMode)] {
            delegate.target = target
            action.handler(action)
            XCTAssertEqual(app.mode, mode, "the delegate's target is \(target)")
        }
        app.split.preferredDisplayMode = .twoBesideSecondary
        app.split.presentsWithGesture = false
        action.handler(action)
        XCTAssertEqual(app.mode, .twoBesideSecondary, "people cannot change it")
    }

    func testTheClassicStyleAsksForThePrimaryViewController() async throws {
        let (split, delegate) = (UISplitViewController(nibName: nil, bundle: nil), Delegate())
        let (list, detail, compact, wide) = (Pane("list"), Pane("detail"), Pane("compact"), Pane("wide"))
        split.viewControllers = [list, detail]
        split.delegate = delegate
        app.show(split)
        try app.resize(1_000, 800)
        delegate.collapsingPrimary = compact
        try app.resize(500, 800)
        XCTAssertEqual(split.viewControllers, [compact])
        delegate.expandingPrimary = wide
        try app.resize(1_000, 800)
        XCTAssertEqual(split.viewControllers, [wide, detail])
        XCTAssertEqual(wide.view.superview, split.view)
    }

    // MARK: Columns of the engine

    func testDecisionsNameTheirSplitViewAndAreForShownColumns() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        let inner = UISplitViewController(style: .doubleColumn)
        inner.setViewController(Pane("inner"), for: .secondary)
        app.split.setViewController(inner, for: .secondary)
        var told: [String] = []
        app.system.onColumnDecision = { [unowned split = app.split] decided, column, _ in
            told.append("\(decided === split ? "outer" : "inner") \(column)")
        }
        app.split.hide(.primary)
        told = []
        try app.resize(1_200)
        XCTAssert(told.contains("outer secondary"), "\(told)")
        XCTAssert(told.contains("inner secondary"), "\(told)")
        XCTAssertFalse(told.contains("outer primary"), "a hidden column: nothing is decided")
        app.split.show(.primary)
        let separator = try app.separator(.primary)
        try app.system.beginDrag(separator)
        try app.system.drag(separator, to: 400)
        told = []
        app.split.hide(.primary)
        XCTAssert(told.contains("outer secondary"), "\(told)")
        XCTAssertEqual(told.filter { $0 == "outer primary" }.count, 1, "only the end of its drag")
    }
}
