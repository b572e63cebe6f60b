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

    private func names(_ app: SplitApp) -> [String] {
        let top = app.split.viewControllers.first as? UINavigationController
        return top?.viewControllers.compactMap { ($0 as? Pane)?.name } ?? []
    }

    func testCollapseCallsInTheirOrder() async throws {
        let app = try SplitApp(.tripleColumn, width: 1_000)
        XCTAssertEqual(app.recorder.drain(), [])
        try app.resize(590)
        XCTAssertEqual(
            app.recorder.drain(),
            [
                "top secondary", "willHide primary", "willHide supplementary", "didHide primary",
                "didHide supplementary", "didCollapse, collapsed",
            ])
        XCTAssert(app.split.isCollapsed)
        XCTAssertEqual(app.split.viewControllers.count, 1)
        XCTAssertEqual(names(app), ["primary", "supplementary", "secondary"])
        try app.resize(620)
        XCTAssertEqual(app.recorder.drain(), [], "between the thresholds nothing changes")
        try app.resize(740)
        XCTAssertEqual(
            app.recorder.drain(),
            [
                "expanding twoBesideSecondary, collapsed", "willShow primary, collapsed",
                "willShow supplementary, collapsed", "didShow primary, collapsed", "didShow supplementary, collapsed",
                "didExpand",
            ])
        XCTAssertFalse(app.split.isCollapsed)
        for column in [Column.primary, .supplementary, .secondary] {
            let pane = try XCTUnwrap(app.panes[column])
            XCTAssertEqual(pane.navigationController?.viewControllers, [pane])
            XCTAssertEqual(pane.loads, 1)
        }
        try app.resize(620)
        XCTAssertFalse(app.split.isCollapsed)
    }

    func testTheTopColumnIsTheDelegatesChoice() async throws {
        let app = try SplitApp(.tripleColumn, width: 1_000)
        app.recorder.topColumn = .primary
        try app.resize(590)
        XCTAssertEqual(names(app), ["primary"])
        XCTAssert(app.split.isShowing(.primary))
        app.split.show(.secondary)
        XCTAssertEqual(names(app), ["primary", "supplementary", "secondary"], "with those between")
        XCTAssert(app.split.isShowing(.secondary))
        app.split.show(.supplementary)
        XCTAssertEqual(names(app), ["primary", "supplementary"], "what covers it is popped")
        app.split.show(.supplementary)
        XCTAssertEqual(names(app), ["primary", "supplementary"])
        app.split.hide(.supplementary)
        XCTAssertEqual(names(app), ["primary"])
        app.split.hide(.primary)
        XCTAssertEqual(names(app), ["primary"])
        XCTAssertEqual(app.recorder.drain().filter { $0.contains("Show") || $0.contains("show") }, [])
        try app.resize(1_000)
        for column in [Column.primary, .supplementary, .secondary] {
            let pane = try XCTUnwrap(app.panes[column])
            XCTAssertEqual(pane.navigationController?.viewControllers, [pane])
        }
    }

    func testTheProposedColumnIsTheTopMostWithAViewController() async throws {
        let app = try SplitApp(.tripleColumn, width: 1_000, columns: [.primary, .supplementary])
        try app.resize(500)
        XCTAssertEqual(app.recorder.drain().first, "top supplementary")
        let compact = try SplitApp(.doubleColumn, width: 1_000, columns: [.primary, .secondary, .compact])
        try compact.resize(500)
        XCTAssertEqual(
            compact.recorder.drain(),
            [
                "top compact", "willHide primary", "willHide secondary", "didHide primary", "didHide secondary",
                "didCollapse, collapsed",
            ])
        XCTAssertEqual(compact.split.viewControllers, [compact.panes[.compact]!])
        XCTAssert(compact.split.isShowing(.compact))
        XCTAssertEqual(compact.panes[.compact]?.layouts.last, CGSize(width: 500, height: 800))
        try compact.resize(900)
        XCTAssertNil(compact.frame(.compact))
        XCTAssertEqual(compact.frame(.primary)?.width, 320)
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
        XCTAssertEqual(names(app), ["primary", "supplementary", "secondary", "pushed"])
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
        XCTAssertEqual(names(app), ["primary", "supplementary", "secondary"])
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
        XCTAssertEqual(names(app), ["primary", "supplementary", "new"])
        app.split.setViewController(Pane("list"), for: .primary)
        XCTAssertEqual(names(app), ["list", "supplementary", "new"])
        app.split.setViewController(nil, for: .secondary)
        XCTAssertEqual(names(app), ["list", "supplementary"])
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

    func testTheEnvironmentFlipsOncePerCollapseAndExpand() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        let pane = try XCTUnwrap(app.panes[.secondary])
        XCTAssertEqual(pane.traitCollection.splitViewControllerLayoutEnvironment, .expanded)
        XCTAssertEqual(app.split.traitCollection.splitViewControllerLayoutEnvironment, .none)
        var changes: [UISplitViewController.LayoutEnvironment] = []
        pane.registerForTraitChanges([UITraitSplitViewControllerLayoutEnvironment.self]) {
            (pane: Pane, previous: UITraitCollection) in
            changes.append(pane.traitCollection.splitViewControllerLayoutEnvironment)
        }
        try app.resize(590)
        XCTAssertEqual(changes, [.collapsed])
        try app.resize(500)
        try app.resize(630)
        XCTAssertEqual(changes, [.collapsed])
        try app.resize(700)
        XCTAssertEqual(changes, [.collapsed, .expanded])
    }

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

    /// Drags the window across the threshold, 1,000 times, while the app pushes and pops.
    func testAThousandCrossingsLoseNothing() async throws {
        let app = try SplitApp(.tripleColumn, width: 1_000)
        var random = SplitMix64(seed: 23)
        var stacks: [Column: [Pane]] = [:]
        for column in [Column.primary, .supplementary, .secondary] {
            stacks[column] = [try XCTUnwrap(app.panes[column])]
        }
        var all = stacks.values.flatMap { $0 }
        for crossing in 0..<1_000 {
            if random.chance(20), all.count < 40 {
                // Pushed while the columns are shown, or on the stack.
                let pane = Pane("\(crossing)")
                all.append(pane)
                if app.split.isCollapsed {
                    (app.split.viewControllers.first as? UINavigationController)?
                        .pushViewController(pane, animated: false)
                    stacks[.secondary]?.append(pane)
                } else {
                    let column = random.pick([Column.primary, .supplementary, .secondary])
                    stacks[column]?.last?.navigationController?.pushViewController(pane, animated: false)
                    stacks[column]?.append(pane)
                }
            }
            let isCollapsed = app.split.isCollapsed
            try app.system.beginResize(app.scene)
            let from = app.scene.effectiveGeometry.coordinateSpace.bounds.width
            let to = CGFloat(isCollapsed ? 760 + random.below(600) : 320 + random.below(250))
            for step in 1...4 { try app.resize((from + (to - from) * CGFloat(step) / 4).rounded()) }
            try app.system.endResize(app.scene)
            XCTAssertNotEqual(app.split.isCollapsed, isCollapsed)
            let calls = app.recorder.drain().filter { $0.hasPrefix("didExpand") || $0.hasPrefix("didCollapse") }
            XCTAssertEqual(calls, [isCollapsed ? "didExpand" : "didCollapse, collapsed"], "crossing \(crossing)")
            let order = [Column.primary, .supplementary, .secondary]
            if app.split.isCollapsed {
                XCTAssertEqual(names(app), order.flatMap { stacks[$0]!.map(\.name) }, "crossing \(crossing)")
            } else {
                for column in order {
                    XCTAssertEqual(
                        stacks[column]!.first?.navigationController?.viewControllers, stacks[column]!,
                        "crossing \(crossing), \(column)")
                }
            }
            XCTAssert(all.allSatisfy { $0.loads <= 1 })
        }
        XCTAssert(app.panes.values.filter { $0.name != "inspector" }.allSatisfy { $0.loads == 1 })
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
