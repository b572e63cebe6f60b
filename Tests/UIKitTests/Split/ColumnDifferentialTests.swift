import Settle
import TestSupport
import XCTest

@testable import UIKit

/// A delegate that tests `!interacting && size != built` for each column after every change, and
/// the engine, rebuild the columns for the same sizes.
@MainActor final class ColumnDifferentialTests: XCTestCase {
    func testRandomScripts() async throws {
        let first = try SplitApp(.doubleColumn, width: 900)
        var rebuilds = 0
        var separatorDrags = 0
        for seed: UInt64 in 0..<tried(2_000) {
            let script = try ColumnScript(seed: seed, like: first)
            try script.run()
            XCTAssertEqual(script.app.rebuilds, script.expected, "seed \(seed): \(script.steps)")
            if script.app.rebuilds != script.expected { return }
            for (column, pane) in script.app.panes {
                XCTAssertEqual(pane.settled, script.expected[column] ?? [], "seed \(seed), \(column)")
            }
            rebuilds += script.expected.values.reduce(0) { $0 + $1.count }
            separatorDrags += script.separatorDrags
        }
        // The scripts do what they are for.
        XCTAssertGreaterThan(rebuilds, tried(20_000))
        XCTAssertGreaterThan(separatorDrags, tried(2_000))
    }

    /// The comparison must see a delegate that rebuilds in the middle of a drag.
    func testAHastyDelegateIsSeen() async throws {
        let first = try SplitApp(.doubleColumn, width: 900)
        var seen = 0
        for seed: UInt64 in 0..<100 {
            let script = try ColumnScript(seed: seed, like: first, isHasty: true)
            try script.run()
            if script.app.rebuilds != script.expected { seen += 1 }
        }
        XCTAssertGreaterThan(seen, 50)
    }
}

/// Random changes of a split view: window drags, separator drags, rotations, shown and hidden
/// columns, collapse, expand and the background.
@MainActor private final class ColumnScript {
    let app: SplitApp
    private(set) var expected: [UISplitViewController.Column: [CGSize]] = [:]
    private(set) var steps: [String] = []
    private(set) var separatorDrags = 0
    private let isHasty: Bool
    private var random: SplitMix64
    private var held: UISystem.Separator?
    private var isWindowHeld = false

    init(seed: UInt64, like other: SplitApp, isHasty: Bool = false) throws {
        random = SplitMix64(seed: seed)
        self.isHasty = isHasty
        let style = random.pick([UISplitViewController.Style.doubleColumn, .tripleColumn])
        let mode = random.pick([
            UISplitViewController.DisplayMode.automatic, .automatic, .twoOverSecondary, .twoDisplaceSecondary,
        ])
        app = try SplitApp(style, width: CGFloat(random.pick([500, 800, 1_200])), like: other) {
            $0.preferredDisplayMode = mode
        }
        observe()
    }

    func run() throws {
        for _ in 0..<30 {
            try step()
            observe()
        }
        if let held { app.system.endDrag(held) }
        held = nil
        if isWindowHeld { try app.system.endResize(app.scene) }
        isWindowHeld = false
        observe()
    }

    private func step() throws {
        let system = app.system
        switch random.below(10) {
        case 0 where !isWindowHeld:
            note("hold the window")
            isWindowHeld = true
            try system.beginResize(app.scene)
        case 1 where isWindowHeld:
            note("release the window")
            isWindowHeld = false
            try system.endResize(app.scene)
        case 0, 1, 2:
            let size = CGSize(width: 350 + 50 * random.below(20), height: random.pick([600, 800]))
            note("resize \(size)")
            try system.resize(app.scene, to: size)
        case 3, 4, 5: try dragSeparator()
        case 6:
            let orientation = random.pick([UIInterfaceOrientation.portrait, .landscapeLeft])
            note("rotate \(orientation)")
            system.rotate(to: orientation)
        case 7:
            note("advance")
            system.advance(by: .milliseconds(10))
        case 8 where random.chance(20):
            note("background")
            try system.bring(app.scene, to: .background)
            // What is not on the screen is not being dragged.
            isWindowHeld = false
            held = nil
            try system.bring(app.scene, to: .foregroundActive)
        default:
            let column = random.pick([UISplitViewController.Column.primary, .supplementary, .secondary, .inspector])
            if column == .supplementary, app.split.style != .tripleColumn { return }
            let shows = random.chance(60)
            note("\(shows ? "show" : "hide") \(column)")
            if shows { app.split.show(column) } else { app.split.hide(column) }
        }
    }

    private func dragSeparator() throws {
        if let separator = held {
            if random.chance(25) {
                note("release the separator")
                app.system.endDrag(separator)
                held = nil
            } else {
                let x = CGFloat(random.below(1_300))
                note("separator to \(x)")
                try app.system.drag(separator, to: x)
            }
            return
        }
        let all = app.system.separators(of: app.split).filter { !$0.directions.isEmpty }
        guard !all.isEmpty else { return }
        let separator = random.pick(all)
        note("hold the separator after \(separator.before)")
        try app.system.beginDrag(separator)
        held = separator
        separatorDrags += 1
    }

    private func note(_ step: String) { steps.append(step) }

    /// What a delegate does that receives every change.
    private func observe() {
        let split = app.split
        if let separator = held,
            split.isCollapsed || !split.isShowing(separator.before) || !split.isShowing(separator.after)
        {
            held = nil
        }
        for (column, pane) in app.panes where split.isShowing(column) {
            let isHeld = held.map { [$0.before, $0.after, .secondary].contains(column) } ?? false
            let isInteracting = isHeld || app.scene.effectiveGeometry.isInteractivelyResizing
            guard let size = visibleSize(pane), size != expected[column]?.last ?? .zero else { continue }
            if isInteracting, !isHasty { continue }
            expected[column, default: []].append(size)
        }
    }

    /// The size of what nothing covers of the view controller's part of the window.
    private func visibleSize(_ pane: Pane) -> CGSize? {
        let split = app.split
        if split.isCollapsed, !(split.presentedViewController === pane.navigationController) {
            return split.view.bounds.size
        }
        guard let outer = pane.navigationController, let view = outer.viewIfLoaded else { return nil }
        let covered = outer.coveredInsets
        return CGSize(view.bounds.width - covered.left - covered.right, view.bounds.height)
    }
}
