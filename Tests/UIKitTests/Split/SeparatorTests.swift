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
        func directions() throws -> Set<Direction> { try app.separator(.primary).directions }
        XCTAssertEqual(try directions(), [.leading, .trailing])
        app.split.preferredPrimaryColumnWidth = 250
        XCTAssertEqual(try directions(), [.trailing])
        app.split.preferredPrimaryColumnWidth = 400
        XCTAssertEqual(try directions(), [.leading])
        app.split.primaryEdge = .trailing
        XCTAssertEqual(try directions(), [.trailing])
        app.split.minimumPrimaryColumnWidth = 400
        XCTAssertEqual(try directions(), [])
        assertRefused(try app.system.beginDrag(app.separator(.primary)), .notDraggable)
        app.split.show(.inspector)
        app.split.maximumInspectorColumnWidth = 270
        app.split.primaryEdge = .leading
        XCTAssertEqual(try app.separator(.secondary).directions, [.trailing])
    }

    func testADragRebuildsOnceAtItsEnd() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        XCTAssertEqual(
            app.drain(), [.primary: [CGSize(width: 320, height: 800)], .secondary: [CGSize(width: 680, height: 800)]])
        let separator = try app.separator(.primary)
        try app.system.beginDrag(separator)
        for x in 321...420 { try app.system.drag(separator, to: CGFloat(x)) }
        XCTAssertEqual(app.frame(.primary)?.width, 420)
        XCTAssertEqual(app.drain(), [:])
        app.system.endDrag(separator)
        let expected = [CGSize(width: 420, height: 800), CGSize(width: 580, height: 800)]
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

    func testADragBackToTheBuiltWidthRebuildsNothing() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        _ = app.drain()
        let separator = try app.separator(.primary)
        try app.system.beginDrag(separator)
        try app.system.drag(separator, to: 400)
        try app.system.drag(separator, to: 320)
        app.system.endDrag(separator)
        XCTAssertEqual(app.drain(), [:])
    }

    func testADragAgainstAStopRebuildsNothing() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000) {
            $0.preferredPrimaryColumnWidth = 400
            $0.maximumPrimaryColumnWidth = 400
        }
        _ = app.drain()
        let separator = try app.separator(.primary)
        try app.system.beginDrag(separator)
        for x in 400...900 { try app.system.drag(separator, to: CGFloat(x)) }
        try app.system.drag(separator, to: .infinity)
        try app.system.drag(separator, to: .nan)
        app.system.endDrag(separator)
        XCTAssertEqual(app.frame(.primary)?.width, 400)
        XCTAssertEqual(app.drain(), [:])
    }

    func testADragIsBoundedByMinimumMaximumAndTheSecondaryColumn() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        func drag(to x: CGFloat) throws -> CGFloat {
            let separator = try app.separator(.primary)
            try app.system.beginDrag(separator)
            try app.system.drag(separator, to: x)
            app.system.endDrag(separator)
            return try XCTUnwrap(app.frame(.primary)?.width)
        }
        XCTAssertEqual(try drag(to: 10), 200, "the automatic minimum")
        XCTAssertEqual(try drag(to: 999), 680, "the secondary column keeps 320")
        app.split.maximumPrimaryColumnWidth = 500
        XCTAssertEqual(try drag(to: 999), 500)
        app.split.minimumPrimaryColumnWidth = 150
        XCTAssertEqual(try drag(to: 10), 150)
        app.split.minimumSecondaryColumnWidth = 600
        XCTAssertEqual(try drag(to: 999), 400)
    }

    func testADragTakesFromWhatTheSecondaryColumnPrefers() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000) { $0.preferredSecondaryColumnWidth = 700 }
        let separator = try app.separator(.primary)
        XCTAssertEqual(separator.directions, [.leading, .trailing])
        try app.system.beginDrag(separator)
        try app.system.drag(separator, to: 500)
        XCTAssertEqual(app.frame(.primary)?.width, 500)
        XCTAssertEqual(try app.separator(.primary).x, 500)
        try app.system.drag(separator, to: 999)
        app.system.endDrag(separator)
        XCTAssertEqual(app.split.primaryColumnWidth, 680, "the secondary column keeps its minimum")
    }

    func testTheAppsNextWidthReplacesTheDraggedOne() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        let separator = try app.separator(.primary)
        try app.system.beginDrag(separator)
        try app.system.drag(separator, to: 450)
        app.system.endDrag(separator)
        try app.resize(1_200)
        XCTAssertEqual(app.split.primaryColumnWidth, 450)
        app.split.minimumPrimaryColumnWidth = 100
        XCTAssertEqual(app.split.primaryColumnWidth, 320)
    }

    func testADragLeavesColumnsThatGaveWayAsTheyAre() async throws {
        let app = try SplitApp(.tripleColumn, width: 900) { $0.preferredSupplementaryColumnWidth = 500 }
        XCTAssertEqual(app.frame(.primary)?.width, 200)
        let separator = try app.separator(.supplementary)
        XCTAssertEqual(separator.x, 580)
        try app.system.beginDrag(separator)
        try app.system.drag(separator, to: 500)
        app.system.endDrag(separator)
        XCTAssertEqual(app.frame(.primary)?.width, 200)
        XCTAssertEqual(app.split.supplementaryColumnWidth, 300)
        XCTAssertEqual(try app.separator(.supplementary).x, 500)
    }

    func testTheInspectorsSeparatorMovesItsLeadingEdge() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200)
        app.split.show(.inspector)
        let separator = try app.separator(.secondary)
        try app.system.beginDrag(separator)
        try app.system.drag(separator, to: 900)
        app.system.endDrag(separator)
        XCTAssertEqual(app.frame(.inspector), CGRect(x: 900, y: 0, width: 300, height: 800))
    }

    func testRightToLeftADragMovesTheOtherWay() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000) { $0.view.semanticContentAttribute = .forceRightToLeft }
        let separator = try app.separator(.primary)
        XCTAssertEqual(separator.x, 680)
        try app.system.beginDrag(separator)
        try app.system.drag(separator, to: 600)
        app.system.endDrag(separator)
        XCTAssertEqual(app.frame(.primary), CGRect(x: 600, y: 0, width: 400, height: 800))
    }

    func testOnlyTheSidebarsEdgeCanBeDraggedOverOthers() async throws {
        let app = try SplitApp(.tripleColumn, width: 1_000) { $0.preferredDisplayMode = .twoOverSecondary }
        let separators = app.system.separators(of: app.split)
        XCTAssertEqual(separators.map(\.directions.isEmpty), [false, true])
        try app.system.beginDrag(separators[0])
        try app.system.drag(separators[0], to: 400)
        app.system.endDrag(separators[0])
        XCTAssertEqual(app.frame(.primary)?.width, 400)
        XCTAssertEqual(app.frame(.secondary)?.width, 1_000)
        assertRefused(try app.system.beginDrag(separators[1]), .notDraggable)
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
        XCTAssertEqual(app.drain()[.secondary]?.last, CGSize(width: 1_000, height: 800), "the drag has ended")
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
        func run(_ text: String) throws {
            try UISystem.Script(text, name: "s").run(on: app.system) { _ in }
        }
        let start = app.system.now
        try run("separator primary 280 100")
        XCTAssertEqual(app.split.primaryColumnWidth, 280)
        XCTAssertEqual(start.duration(to: app.system.now), .milliseconds(100))
        XCTAssertEqual(app.recorder.drain(), [])
        try run("inspector show\nseparator inspector 300 10")
        XCTAssertEqual(app.frame(.inspector), CGRect(x: 900, y: 0, width: 300, height: 800))
        try run("inspector hide\nsidebar hide")
        XCTAssertNil(app.frame(.primary))
        XCTAssertEqual(
            app.recorder.drain(),
            [
                "willShow inspector", "didShow inspector", "willHide inspector", "didHide inspector",
                "mode secondaryOnly", "willHide primary", "didHide primary",
            ])
        XCTAssertThrowsError(try run("separator primary 300 10")) {
            XCTAssert("\($0)".contains("line 1"), "\($0)")
        }
        for bad in ["separator", "separator secondary 1 1", "separator primary x 1", "inspector", "sidebar maybe"] {
            XCTAssertThrowsError(try UISystem.Script(bad, name: "s"), bad)
        }
    }

    func testWithoutGesturesAPersonCannotChangeTheSidebar() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200) {
            $0.preferredDisplayMode = .oneBesideSecondary
            $0.presentsWithGesture = false
        }
        func run(_ text: String) throws {
            try UISystem.Script(text, name: "s").run(on: app.system) { _ in }
        }
        XCTAssertThrowsError(try run("\nsidebar hide")) {
            XCTAssert("\($0)".contains("line 2"), "\($0)")
            XCTAssert("\($0)".contains("no sidebar to show or hide"), "\($0)")
        }
        XCTAssertNotNil(app.frame(.primary))
        try app.resize(500)
        try run("sidebar show")
        XCTAssert(app.split.isShowing(.primary), "collapsed, a person goes back")
        app.split.presentsWithGesture = true
        try app.resize(1_200)
        try run("sidebar hide")
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
        try system.resize(system.windowScenes[0], to: CGSize(width: 900, height: 900))
        XCTAssertEqual(system.messages.filter { $0.contains("columnsMax") }.count, 1)
    }
}
