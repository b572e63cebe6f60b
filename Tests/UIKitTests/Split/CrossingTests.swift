import TestSupport
import XCTest

@testable import UIKit

/// What an app and a person do between crossings of the threshold loses no view controller.
@MainActor final class CrossingTests: XCTestCase {
    private typealias Column = UISplitViewController.Column

    /// What the columns have, as the rules say.
    @MainActor private struct Model {
        var columns: [UISplitViewController.Column: [Pane]] = [:]
        /// The column on top, collapsed.
        var top = UISplitViewController.Column.secondary

        /// The names on the collapsed stack.
        var stack: [String] {
            Column.stacked.filter { $0.rawValue <= top.rawValue }.flatMap { columns[$0, default: []].map(\.name) }
        }

        /// The names in each column.
        var stacks: [String] { Column.stacked.map { columns[$0, default: []].map(\.name).joined(separator: " ") } }

        /// A person goes back. A column whose last view controller leaves the stack keeps it.
        mutating func pop() {
            if columns[top, default: []].count > 1 {
                columns[top]?.removeLast()
            } else if top != .primary {
                top = top == .secondary ? .supplementary : .primary
            }
        }

        mutating func popToRoot() {
            columns[.primary] = Array(columns[.primary, default: []].prefix(1))
            top = .primary
        }
    }

    func testRandomChangesBetweenCrossingsLoseNothing() async throws {
        let app = try SplitApp(.tripleColumn, width: 1_200)
        var random = SplitMix64(seed: 2_023)
        var model = Model()
        for column in Column.stacked { model.columns[column] = [try XCTUnwrap(app.panes[column])] }
        var all = Array(app.panes.values)
        var hasInspector = false
        func newPane(_ step: Int) -> Pane {
            let pane = Pane("\(step)")
            all.append(pane)
            return pane
        }
        for step in 0..<1_500 {
            let column = random.pick(Column.stacked)
            let move = random.below(8)
            switch move {
            case 0, 1:
                model.top = app.split.isCollapsed ? model.top : random.pick(Column.stacked)
                app.recorder.topColumn = model.top
                // A drag of the window's edge across the threshold: one collapse or one expansion.
                let isCollapsed = app.split.isCollapsed
                let from = app.scene.effectiveGeometry.coordinateSpace.bounds.width
                let to = CGFloat(isCollapsed ? 1_000 + random.below(400) : 320 + random.below(250))
                let between: [CGFloat] = [(3 * from + to) / 4, (from + to) / 2, (from + 3 * to) / 4]
                // On the way there is no space for an inspector.
                let widths = hasInspector ? [to] : between + [to]
                try app.app.drag(through: widths.map { CGSize($0.rounded(), 800) })
                let calls = app.recorder.drain().filter { $0.hasPrefix("didExpand") || $0.hasPrefix("didCollapse") }
                XCTAssertEqual(calls, [isCollapsed ? "didExpand" : "didCollapse collapsed"], "step \(step)")
            case 2:
                let pane = newPane(step)
                app.split.setViewController(pane, for: column)
                model.columns[column] = [pane]
            case 3:
                hasInspector = random.chance(50)
                if hasInspector { app.split.show(.inspector) } else { app.split.hide(.inspector) }
            case 4 where app.split.isCollapsed:
                app.split.show(column)
                model.top = column
            case 5 where app.split.isCollapsed:
                app.split.hide(column)
                if column == model.top, column != .primary {
                    model.top = column == .secondary ? .supplementary : .primary
                }
            case 6 where app.split.isCollapsed:
                let host = try XCTUnwrap(app.split.viewControllers.first as? UINavigationController)
                if random.chance(70) {
                    host.popViewController(animated: false)
                    model.pop()
                } else {
                    host.popToRootViewController(animated: false)
                    model.popToRoot()
                }
            default:
                let target = app.split.isCollapsed ? model.top : column
                guard let last = model.columns[target]?.last else { continue }
                let pane = newPane(step)
                try XCTUnwrap(last.navigationController).pushViewController(pane, animated: false)
                model.columns[target]?.append(pane)
            }
            let place = "step \(step), move \(move)"
            if app.split.isCollapsed {
                XCTAssertEqual(app.stack, model.stack, place)
                XCTAssert(app.split.isShowing(model.top), place)
            } else {
                XCTAssertEqual(app.stacks, model.stacks, place)
            }
            XCTAssertEqual(app.split.isShowing(.inspector), hasInspector, place)
            XCTAssertEqual(app.split.presentedViewController != nil, hasInspector && app.split.isCollapsed, place)
            checkChildren(app, place)
        }
        XCTAssert(all.allSatisfy { $0.loads <= 1 })
    }

    /// The children of each navigation controller are its stack, and the columns are the split view's.
    private func checkChildren(_ app: SplitApp, _ place: String) {
        for column in Column.expanded {
            guard let child = app.split.slots[column].child as? UINavigationController else { continue }
            XCTAssertEqual(child.children.count, child.viewControllers.count, place)
            XCTAssertEqual(Set(child.children), Set(child.viewControllers), place)
            let isSheet = column == .inspector && app.split.presentedViewController === child
            XCTAssert(child.parent === (isSheet ? nil : app.split), place)
        }
        XCTAssertEqual(app.split.children.count, app.split.presentedViewController == nil ? 4 : 3, place)
    }
}
