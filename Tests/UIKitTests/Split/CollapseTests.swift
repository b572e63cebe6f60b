import TestSupport
import XCTest

@testable import UIKit

/// Columns become one stack where the width is compact, and columns again.
@MainActor final class CollapseTests: XCTestCase {
    private typealias Column = UISplitViewController.Column

    private final class Item {}

    // MARK: The stack as a value

    func testTheStackHasTheColumnsInTheirOrder() async {
        let items = (0..<5).map { _ in Item() }
        var columns = PerColumn<[Item]>(repeating: [])
        columns.primary = [items[0]]
        columns.supplementary = [items[1], items[2]]
        columns.secondary = [items[3]]
        let stack = ColumnStack(columns, bottom: .primary)
        XCTAssert(stack.items(from: .primary, through: .secondary).elementsEqual(items[..<4], by: ===))
        XCTAssert(stack.items(from: .primary, through: .supplementary).elementsEqual(items[..<3], by: ===))
        let pushed = [items[0], items[1], items[4]]
        XCTAssertEqual(stack.columns(of: pushed).supplementary.count, 2, "what was pushed stays with the column below")
        XCTAssertEqual(stack.top(of: pushed), .supplementary)
        XCTAssertEqual(stack.top(of: items), .secondary)
    }

    func testAColumnThatLeavesTheStackKeepsItsItems() async {
        let items = (0..<4).map { _ in Item() }
        var columns = PerColumn<[Item]>(repeating: [])
        columns.primary = [items[0]]
        columns.secondary = [items[1], items[2]]
        var stack = ColumnStack(columns, bottom: .primary)
        stack.update([items[0], items[1], items[3]])
        XCTAssert(stack.items.secondary.elementsEqual([items[1], items[3]], by: ===))
        stack.update([items[0]])
        XCTAssert(stack.items.secondary.elementsEqual([items[1], items[3]], by: ===))
        XCTAssertEqual(stack.top(of: [items[0]]), .primary)
    }

    // MARK: In a window

    func testCollapseCallsInTheirOrder() async throws {
        let app = try SplitApp(.tripleColumn, width: 1_000)
        try app.resize(590)
        app.assertCalls(
            "top secondary, willHide primary, willHide supplementary, didHide primary, didHide supplementary, "
                + "didCollapse collapsed")
        XCTAssert(app.split.isCollapsed)
        XCTAssertEqual(app.split.viewControllers.count, 1)
        XCTAssertEqual(app.stack, ["primary", "supplementary", "secondary"])
        try app.resize(620)
        app.assertCalls("", "between the thresholds nothing changes")
        try app.resize(740)
        app.assertCalls(
            "expanding twoBesideSecondary collapsed, willShow primary collapsed, willShow supplementary collapsed, "
                + "didShow primary collapsed, didShow supplementary collapsed, didExpand")
        XCTAssertEqual(app.stacks, ["primary", "supplementary", "secondary"])
        for column in [Column.primary, .supplementary, .secondary] { XCTAssertEqual(app.pane(column).loads, 1) }
        try app.resize(620)
        XCTAssertFalse(app.split.isCollapsed)
    }

    func testTheTopColumnIsTheDelegatesChoice() async throws {
        let app = try SplitApp(.tripleColumn, width: 1_000)
        app.recorder.topColumn = .primary
        try app.resize(590)
        func check(_ stack: [String], _ why: String = "", after change: Void, line: UInt = #line) {
            XCTAssertEqual(app.stack, stack, why, line: line)
        }
        check(["primary"], after: ())
        XCTAssert(app.split.isShowing(.primary))
        check(["primary", "supplementary", "secondary"], "with those between", after: app.split.show(.secondary))
        XCTAssert(app.split.isShowing(.secondary))
        check(["primary", "supplementary"], "what covers it is popped", after: app.split.show(.supplementary))
        check(["primary", "supplementary"], after: app.split.show(.supplementary))
        check(["primary"], after: app.split.hide(.supplementary))
        check(["primary"], after: app.split.hide(.primary))
        XCTAssertEqual(app.recorder.drain().filter { $0.contains("Show") || $0.contains("show") }, [])
        try app.resize(1_000)
        XCTAssertEqual(app.stacks, ["primary", "supplementary", "secondary"])
    }

    func testTheProposedColumnIsTheTopMostWithAViewController() async throws {
        let app = try SplitApp(.tripleColumn, width: 1_000, columns: [.primary, .supplementary])
        app.recorder.topColumn = .secondary
        try app.resize(500)
        XCTAssertEqual(app.recorder.drain().first, "top supplementary")
        XCTAssertEqual(app.stack, ["primary", "supplementary"], "the delegate's choice has no view controller")
        XCTAssert(app.split.isShowing(.supplementary))
        let compact = try SplitApp(.doubleColumn, width: 1_000, columns: [.primary, .secondary, .compact])
        try compact.resize(500)
        compact.assertCalls(
            "top compact, willHide primary, willHide secondary, didHide primary, didHide secondary, "
                + "didCollapse collapsed")
        XCTAssertEqual(compact.split.viewControllers, [compact.pane(.compact)])
        XCTAssert(compact.split.isShowing(.compact))
        XCTAssertEqual(compact.pane(.compact).layouts.last, CGSize(500, 800))
        try compact.resize(900)
        XCTAssertNil(compact.frame(.compact))
        XCTAssertEqual(compact.width(.primary), 320)
    }

    func testWhatWasPushedStaysWithTheColumnBelow() async throws {
        let app = try SplitApp(.tripleColumn, width: 1_000)
        try app.resize(500)
        let top = try XCTUnwrap(app.split.viewControllers.first as? UINavigationController)
        let pushed = Pane("pushed")
        top.pushViewController(pushed, animated: false)
        XCTAssert(app.split.isShowing(.secondary))
        try app.resize(1_000)
        let secondary = try XCTUnwrap(app.panes[.secondary])
        XCTAssertEqual(secondary.navigationController?.viewControllers, [secondary, pushed])
        try app.resize(500)
        XCTAssertEqual(app.stack, ["primary", "supplementary", "secondary", "pushed"])
        top.popToRootViewController(animated: false)
        XCTAssert(app.split.isShowing(.primary))
        let other = Pane("other")
        top.pushViewController(other, animated: false)
        try app.resize(1_000)
        XCTAssertEqual(app.panes[.primary]?.navigationController?.viewControllers.last, other)
        XCTAssertEqual(secondary.navigationController?.viewControllers, [secondary, pushed], "nothing is lost")
    }

    func testTheDelegateMayChangeModeAndWidthsOnExpanding() async throws {
        let app = try SplitApp(.tripleColumn, width: 500)
        XCTAssert(app.split.isCollapsed, "also at the first layout")
        XCTAssertEqual(app.stack, ["primary", "supplementary", "secondary"])
        app.recorder.mode = .oneBesideSecondary
        app.recorder.onExpanding = { $0.preferredSupplementaryColumnWidth = 280 }
        try app.resize(1_000)
        XCTAssertEqual(app.split.displayMode, .oneBesideSecondary)
        XCTAssertEqual(app.frame(.supplementary)?.width, 280)
        XCTAssertNil(app.frame(.primary))
    }

    func testCollapsedWidthsAndModeAreWhatTheyWouldBe() async throws {
        let app = try SplitApp(.tripleColumn, width: 1_000)
        try app.resize(500)
        app.split.preferredPrimaryColumnWidth = 250
        app.split.minimumSupplementaryColumnWidth = 330
        XCTAssertEqual(app.split.primaryColumnWidth, 250)
        XCTAssertEqual(app.split.supplementaryColumnWidth, 330)
        XCTAssertEqual(app.split.displayMode, .twoBesideSecondary)
        app.split.preferredDisplayMode = .oneOverSecondary
        XCTAssertEqual(app.split.displayMode, .oneOverSecondary)
        XCTAssertEqual(app.split.splitBehavior, .overlay)
        try app.resize(1_000)
        XCTAssertEqual(app.split.displayMode, .oneOverSecondary)
    }

    func testAReplacedViewControllerTakesItsPlaceInTheStack() async throws {
        let app = try SplitApp(.tripleColumn, width: 500)
        let new = Pane("new")
        app.split.showDetailViewController(new, sender: nil)
        XCTAssertEqual(app.stack, ["primary", "supplementary", "new"])
        app.split.setViewController(Pane("list"), for: .primary)
        XCTAssertEqual(app.stack, ["list", "supplementary", "new"])
        app.split.setViewController(nil, for: .secondary)
        XCTAssertEqual(app.stack, ["list", "supplementary"])
        try app.resize(1_000)
        XCTAssertEqual(app.split.viewControllers.count, 2)
    }

    func testTheClassicStyleAsksForItsOwnMethods() async throws {
        let app = try TestApp()
        let split = UISplitViewController(nibName: nil, bundle: nil)
        let (list, detail) = (Pane("list"), Pane("detail"))
        split.viewControllers = [
            UINavigationController(rootViewController: list), UINavigationController(rootViewController: detail),
        ]
        let delegate = ClassicDelegate()
        split.delegate = delegate
        RecordingSceneDelegate.onConnect = { scene, own in
            own.window = UIWindow.show(split, in: scene)
        }
        _ = try app.launched()
        XCTAssertEqual(split.viewControllers.count, 2)
        try app.resize(500, 800)
        XCTAssertEqual(split.viewControllers.count, 1)
        XCTAssertEqual(list.navigationController?.viewControllers, [list, detail])
        try app.resize(1_000, 800)
        XCTAssertEqual(detail.navigationController?.viewControllers, [detail])
        delegate.discardsDetail = true
        try app.resize(500, 800)
        XCTAssertEqual(list.navigationController?.viewControllers, [list])
        let other = Pane("other")
        delegate.separated = other
        try app.resize(1_000, 800)
        XCTAssertEqual(split.viewControllers.last, other)
        XCTAssertEqual(delegate.calls, ["collapse", "separate", "collapse", "separate"])
    }

    // MARK: The layout environment

    func testTheNearestSplitViewControllerDecides() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        let inner = UISplitViewController(style: .doubleColumn)
        let pane = Pane("inner")
        inner.setViewController(pane, for: .secondary)
        inner.traitOverrides.horizontalSizeClass = .compact
        app.split.setViewController(inner, for: .secondary)
        XCTAssertEqual(pane.traitCollection.splitViewControllerLayoutEnvironment, .collapsed)
        XCTAssertEqual(inner.traitCollection.splitViewControllerLayoutEnvironment, .expanded)
        XCTAssertEqual(Pane("free").traitCollection.splitViewControllerLayoutEnvironment, .none)
    }

    // MARK: Many crossings

    // MARK: What the delegate finds in its calls

    /// The calls of the delegate for another width, each with the width of the secondary column's
    /// view in the split view.
    private func calls(_ app: SplitApp, _ width: CGFloat) throws -> [String] {
        var calls: [String] = []
        app.recorder.onCall = { _, call in
            calls.append("\(call): \(app.frame(.secondary).map { "\(Int($0.width))" } ?? "none")")
        }
        try app.resize(width)
        return calls
    }

    func testDidHideFindsTheStackAndDidShowTheColumns() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        assertText(
            try calls(app, 590),
            "top secondary: 1000, willHide primary: 1000, didHide primary: none, didCollapse: none")
        assertText(
            try calls(app, 1_000),
            "expanding oneBesideSecondary: none, willShow primary: none, didShow primary: 1000, didExpand: 1000")
    }

    func testTheEnvironmentChangesOnceWithTheSizeClassBeforeTheDelegateIsCalled() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        let pane = app.pane(.secondary)
        XCTAssertEqual(pane.traitCollection.splitViewControllerLayoutEnvironment, .expanded)
        XCTAssertEqual(app.split.traitCollection.splitViewControllerLayoutEnvironment, .none)
        var calls: [String] = []
        let traits: [UITrait] = [UITraitHorizontalSizeClass.self, UITraitSplitViewControllerLayoutEnvironment.self]
        pane.registerForTraitChanges(traits) { (pane: Pane, previous: UITraitCollection) in
            let present = pane.traitCollection
            calls.append("\(present.horizontalSizeClass) \(present.splitViewControllerLayoutEnvironment)")
        }
        app.recorder.onCall = { _, call in calls.append(call) }
        for (width, expected) in [
            (590, "compact collapsed, top secondary, willHide primary, didHide primary, didCollapse"), (500, ""),
            (630, ""),
            (1_000, "regular expanded, expanding oneBesideSecondary, willShow primary, didShow primary, didExpand"),
        ] {
            calls = []
            try app.resize(CGFloat(width))
            assertText(calls, expected, "at \(width)")
        }
    }

    func testACoveredSplitViewCollapsesOnceItReturns() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200)
        let pane = try XCTUnwrap(app.panes[.secondary])
        var sizes: [CGFloat] = []
        pane.onTransition = { size, _ in sizes.append(size.width) }
        let cover = UIViewController()
        cover.modalPresentationStyle = .fullScreen
        app.split.present(cover, animated: false)
        let before = pane.appearances
        try app.resize(500)
        XCTAssertEqual(sizes, [], "in no window")
        cover.dismiss(animated: false)
        XCTAssertTrue(app.split.isCollapsed)
        XCTAssertEqual(sizes, [500])
        XCTAssertEqual(pane.appearances.dropFirst(before.count), ["will appear", "did appear"])
        for covered in [1_000, 900] as [CGFloat] {
            (sizes, app.recorder.calls) = ([], [])
            app.split.present(cover, animated: false)
            let before = pane.appearances
            try app.resize(covered)
            XCTAssertEqual(sizes, [], "\(covered)")
            cover.dismiss(animated: false)
            XCTAssertEqual(app.frame(.secondary)?.width, covered)
            XCTAssertEqual(sizes, [covered])
            XCTAssertEqual(pane.appearances.dropFirst(before.count), ["will appear", "did appear"], "\(covered)")
        }
    }
}

/// The classic style's methods.
private final class ClassicDelegate: UISplitViewControllerDelegate {
    var calls: [String] = []
    var discardsDetail = false
    var separated: UIViewController?

    func splitViewController(
        _ splitViewController: UISplitViewController, collapseSecondary secondaryViewController: UIViewController,
        onto primaryViewController: UIViewController
    ) -> Bool {
        calls.append("collapse")
        return discardsDetail
    }

    func splitViewController(
        _ splitViewController: UISplitViewController, separateSecondaryFrom primaryViewController: UIViewController
    ) -> UIViewController? {
        calls.append("separate")
        return separated
    }
}
