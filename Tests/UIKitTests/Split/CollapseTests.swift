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
