import Settle
import XCTest

@testable import UIKit

/// A person drags a separator, which is an interactive resize of the columns.
@MainActor final class SeparatorTests: XCTestCase {
    private typealias Direction = UISystem.Separator.Direction

    func testSeparatorsAreBetweenShownColumns() async throws {
        let app = try SplitApp(.tripleColumn, width: 1_366)
        app.split.show(.inspector)
        let separators = app.system.separators(of: app.split)
        XCTAssertEqual(separators.map(\.before), [.primary, .supplementary, .secondary])
        XCTAssertEqual(separators.map(\.after), [.supplementary, .secondary, .inspector])
        XCTAssertEqual(separators.map(\.x), [320, 640, 1_096])
        app.split.primaryEdge = .trailing
        XCTAssertEqual(app.system.separators(of: app.split).map(\.x), [1_046, 726, 270])
        try app.resize(500)
        XCTAssertEqual(app.system.separators(of: app.split).count, 0)
    }

    func testAPointersShapeIsTheAllowedDirections() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000) {
            $0.minimumPrimaryColumnWidth = 250
            $0.maximumPrimaryColumnWidth = 400
        }
        func check(_ directions: Set<Direction>, line: UInt = #line, in change: () -> Void = {}) {
            change()
            XCTAssertEqual(try app.separator(.primary).directions, directions, line: line)
        }
        check([.leading, .trailing])
        check([.trailing]) { app.split.preferredPrimaryColumnWidth = 250 }
        check([.leading]) { app.split.preferredPrimaryColumnWidth = 400 }
        check([.trailing]) { app.split.primaryEdge = .trailing }
        check([]) { app.split.minimumPrimaryColumnWidth = 400 }
        assertRefused(try app.system.beginDrag(app.separator(.primary)), .notDraggable)
        app.split.show(.inspector)
        app.split.maximumInspectorColumnWidth = 270
        app.split.primaryEdge = .leading
        XCTAssertEqual(try app.separator(.secondary).directions, [.trailing])
    }

    func testADragRebuildsOnceAtItsEnd() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        XCTAssertEqual(app.drain(), [.primary: [CGSize(320, 800)], .secondary: [CGSize(680, 800)]])
        let separator = try app.separator(.primary)
        try app.system.beginDrag(separator)
        for x in 321...420 { try app.system.drag(separator, to: CGFloat(x)) }
        XCTAssertEqual(app.frame(.primary)?.width, 420)
        XCTAssertEqual(app.drain(), [:])
        app.system.endDrag(separator)
        let expected = [CGSize(420, 800), CGSize(580, 800)]
        XCTAssertEqual(app.drain(), [.primary: [expected[0]], .secondary: [expected[1]]])
        XCTAssertEqual(app.panes[.primary]?.settled.last, expected[0])
        XCTAssertEqual(app.panes[.secondary]?.settled.last, expected[1])
        XCTAssertEqual(app.panes[.primary]?.settled.count, 2)
        XCTAssertEqual(app.split.primaryColumnWidth, 420)
    }

    func testAColumnsTransitionRunsItsWorkBeforeItsCompletion() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        let pane = try XCTUnwrap(app.panes[.primary])
        var calls: [String] = []
        pane.onTransition = { size, coordinator in
            calls.append("transition \(Int(size.width))")
            let isQueued = coordinator.animate { _ in
                calls.append("alongside \(Int(pane.view.bounds.width))")
            } completion: { _ in
                calls.append("completion")
            }
            XCTAssertTrue(isQueued)
        }
        let separator = try app.separator(.primary)
        try app.system.beginDrag(separator)
        try app.system.drag(separator, to: 400)
        let expected = ["transition 400", "alongside 400", "completion"]
        XCTAssertEqual(calls, expected)
        app.system.endDrag(separator)
        XCTAssertEqual(calls, expected, "the size is the same")
    }

    func testADragBackToTheBuiltWidthOrAgainstAStopRebuildsNothing() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        _ = app.drain()
        try app.drag(to: 400, 320)
        XCTAssertEqual(app.drain(), [:])
        app.split.preferredPrimaryColumnWidth = 400
        app.split.maximumPrimaryColumnWidth = 400
        _ = app.drain()
        try app.drag(to: 410, 900, .infinity, .nan)
        XCTAssertEqual(app.width(.primary), 400)
        XCTAssertEqual(app.drain(), [:])
    }

    func testADragIsBoundedByMinimumMaximumAndTheSecondaryColumn() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        func check(_ width: CGFloat, _ why: String, draggedTo x: CGFloat, line: UInt = #line) throws {
            try app.drag(to: x)
            XCTAssertEqual(app.width(.primary), width, why, line: line)
        }
        try check(200, "the automatic minimum", draggedTo: 10)
        try check(680, "the secondary column keeps 320", draggedTo: 999)
        app.split.maximumPrimaryColumnWidth = 500
        try check(500, "the maximum", draggedTo: 999)
        app.split.minimumPrimaryColumnWidth = 150
        try check(150, "the minimum", draggedTo: 10)
        app.split.minimumSecondaryColumnWidth = 600
        try check(400, "the secondary column keeps its minimum", draggedTo: 999)
        app.split.minimumSecondaryColumnWidth = UISplitViewController.automaticDimension
        app.split.preferredSecondaryColumnWidth = 700
        XCTAssertEqual(try app.separator(.primary).directions, [.leading, .trailing])
        try check(500, "it takes from what the secondary column prefers", draggedTo: 500)
        try app.resize(1_200)
        XCTAssertEqual(app.split.primaryColumnWidth, 500)
        app.split.maximumPrimaryColumnWidth = 600
        XCTAssertEqual(app.split.primaryColumnWidth, 320, "the app's next width replaces the dragged one")
    }

    func testADragLeavesColumnsThatGaveWayAsTheyAre() async throws {
        let app = try SplitApp(.tripleColumn, width: 900) { $0.preferredSupplementaryColumnWidth = 500 }
        XCTAssertEqual(app.width(.primary), 200)
        XCTAssertEqual(try app.separator(.supplementary).x, 580)
        try app.drag(.supplementary, to: 500)
        XCTAssertEqual(app.width(.primary), 200)
        XCTAssertEqual(app.split.supplementaryColumnWidth, 300)
        XCTAssertEqual(try app.separator(.supplementary).x, 500)
    }

    func testADragMovesTheEdgeThatFacesTheSecondaryColumn() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200) { $0.show(.inspector) }
        try app.drag(.secondary, to: 900)
        XCTAssertEqual(app.frame(.inspector), CGRect(900, 0, 300, 800))
        let mirrored = try SplitApp(.doubleColumn, width: 1_000) {
            $0.view.semanticContentAttribute = .forceRightToLeft
        }
        XCTAssertEqual(try mirrored.separator(.primary).x, 680)
        try mirrored.drag(to: 600)
        XCTAssertEqual(mirrored.frame(.primary), CGRect(600, 0, 400, 800))
        let over = try SplitApp(.tripleColumn, width: 1_000) { $0.preferredDisplayMode = .twoOverSecondary }
        XCTAssertEqual(over.system.separators(of: over.split).map(\.directions.isEmpty), [false, true])
        try over.drag(to: 400)
        XCTAssertEqual([over.width(.primary), over.width(.secondary)], [400, 1_000])
        assertRefused(try over.system.beginDrag(over.separator(.supplementary)), .notDraggable)
    }

    func testADragOfTheOneColumnThatDisplacesNothingStopsAtTheSecondaryMinimum() async throws {
        for style in [UISplitViewController.Style.doubleColumn, .tripleColumn] {
            let app = try SplitApp(style, width: 1_000) { $0.preferredSplitBehavior = .displace }
            let column: UISplitViewController.Column = style == .doubleColumn ? .primary : .supplementary
            XCTAssertEqual(app.split.displayMode, .oneBesideSecondary)
            let separator = try app.separator(column)
            try app.system.beginDrag(separator)
            try app.system.drag(separator, to: 999)
            XCTAssertEqual(app.frame(column)?.width, 680)
            XCTAssertEqual(try app.separator(column).directions, [.leading])
            app.system.endDrag(separator)
            try app.resize(1_400)
            XCTAssertEqual(app.frame(column)?.width, 680, "it was not dragged farther")
        }
    }

    func testCollapseHideAndDisconnectEndADrag() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        var separator = try app.separator(.primary)
        assertRefused(try app.system.drag(separator, to: 300), .notDraggable)
        try app.system.beginDrag(separator)
        try app.system.drag(separator, to: 400)
        app.split.hide(.primary)
        assertRefused(try app.system.drag(separator, to: 300), .notShown)
        XCTAssertEqual(app.drain()[.secondary]?.last, CGSize(1_000, 800), "the drag has ended")
        app.split.show(.primary)
        separator = try app.separator(.primary)
        try app.system.beginDrag(separator)
        try app.resize(500)
        XCTAssertNil(app.split.drag)
        app.system.endDrag(separator)
        try app.resize(1_000)
        try app.system.beginDrag(app.separator(.primary))
        _ = app.drain()
        try app.system.disconnect(app.scene)
        XCTAssertNil(app.split.drag)
        XCTAssertEqual(app.drain(), [:])
        XCTAssertEqual(app.system.separators(of: app.split).count, 0)
        XCTAssertEqual(app.system.statistics.scenes, 0, "columns disconnect with their scene")
    }

    func testScriptsDragSeparatorsAndShowColumns() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200)
        let start = app.system.now
        try app.run("separator primary 280 100")
        XCTAssertEqual(app.split.primaryColumnWidth, 280)
        XCTAssertEqual(start.duration(to: app.system.now), .milliseconds(100))
        app.assertCalls("")
        try app.run("inspector show\nseparator inspector 300 10")
        XCTAssertEqual(app.frame(.inspector), CGRect(900, 0, 300, 800))
        app.assertCalls("willShow inspector, didShow inspector")
        try app.run("inspector hide\nsidebar hide")
        XCTAssertNil(app.frame(.primary))
        app.assertCalls("willHide inspector, didHide inspector, mode secondaryOnly, willHide primary, didHide primary")
        assertError(try app.run("separator primary 300 10"), "line 1")
        for bad in ["separator", "separator secondary 1 1", "separator primary x 1", "inspector", "sidebar maybe"] {
            XCTAssertThrowsError(try UISystem.Script(bad, name: "s"), bad)
        }
    }

    func testWithoutGesturesAPersonCannotChangeTheSidebar() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200) {
            $0.preferredDisplayMode = .oneBesideSecondary
            $0.presentsWithGesture = false
        }
        assertError(try app.run("\nsidebar hide"), "line 2", "no sidebar to show or hide")
        XCTAssertNotNil(app.frame(.primary))
        try app.resize(500)
        try app.run("sidebar show")
        XCTAssert(app.split.isShowing(.primary), "collapsed, a person goes back")
        app.split.presentsWithGesture = true
        try app.resize(1_200)
        try app.run("sidebar hide")
        XCTAssertNil(app.frame(.primary))
    }

    func testMoreColumnsThanTheHostAllowsAreLogged() async throws {
        let app = try TestApp()
        let system = try UISystem(
            UISystem.Configuration(infoPlist: app.infoPlist, scenesMax: 2, columnsMax: 1, log: { _ in }))
        let split = UISplitViewController(style: .doubleColumn)
        let (list, detail) = (Pane("list"), Pane("detail"))
        split.setViewController(list, for: .primary)
        split.setViewController(detail, for: .secondary)
        RecordingSceneDelegate.onConnect = { scene, delegate in
            delegate.window = UIWindow.show(split, in: scene)
        }
        try system.launch(PlainAppDelegate.self)
        XCTAssertEqual(list.settled.count, 1)
        XCTAssertEqual(detail.settled.count, 0)
        XCTAssertEqual(system.messages.filter { $0.contains("columnsMax") }.count, 1)
        try system.resize(system.windowScenes[0], to: CGSize(900, 900))
        XCTAssertEqual(system.messages.filter { $0.contains("columnsMax") }.count, 1)
    }
}
