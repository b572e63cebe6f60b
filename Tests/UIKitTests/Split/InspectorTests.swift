import XCTest

@testable import UIKit

/// Row 25: the inspector is a trailing column or, collapsed, a sheet.
@MainActor final class InspectorTests: XCTestCase {
    func testRow25_anInspectorIsHiddenUntilItIsShown() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200)
        XCTAssertFalse(app.split.isShowing(.inspector))
        XCTAssertNil(app.frame(.inspector))
        app.split.show(.inspector)
        XCTAssert(app.split.isShowing(.inspector))
        XCTAssertEqual(app.frame(.inspector), CGRect(x: 930, y: 0, width: 270, height: 800))
        XCTAssertEqual(app.split.slots.secondary.child?.coveredInsets.right, 270)
        app.split.hide(.inspector)
        XCTAssertNil(app.frame(.inspector))
        XCTAssertEqual(app.split.slots.secondary.child?.coveredInsets.right, 0)
        XCTAssertEqual(app.recorder.drain(), [], "the app's own changes")
        app.split.show(.inspector)
        app.split.setViewController(Pane("new"), for: .inspector)
        XCTAssertFalse(app.split.isShowing(.inspector))
    }

    func testRow25_withoutAViewControllerShowDoesNothing() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200, columns: [.primary, .secondary])
        app.split.show(.inspector)
        XCTAssertFalse(app.split.isShowing(.inspector))
        app.split.setViewController(Pane("inspector"), for: .inspector)
        XCTAssertFalse(app.split.isShowing(.inspector))
    }

    func testRow25_showBeforeTheFirstLayoutIsRemembered() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200) { $0.show(.inspector) }
        XCTAssert(app.split.isShowing(.inspector))
        XCTAssertEqual(app.frame(.inspector)?.width, 270)
        let narrow = try SplitApp(.doubleColumn, width: 500) { $0.show(.inspector) }
        XCTAssert(narrow.split.isShowing(.inspector))
        XCTAssert(narrow.split.presentedViewController === narrow.panes[.inspector]?.navigationController)
    }

    func testRow25_collapsedTheInspectorIsASheet() async throws {
        let app = try SplitApp(.doubleColumn, width: 500)
        app.split.show(.inspector)
        let pane = try XCTUnwrap(app.panes[.inspector])
        XCTAssert(app.split.presentedViewController === pane.navigationController)
        XCTAssert(app.split.isShowing(.inspector))
        app.split.hide(.inspector)
        XCTAssertNil(app.split.presentedViewController)
        XCTAssertFalse(app.split.isShowing(.inspector))
        XCTAssertEqual(pane.loads, 1)
    }

    func testRow25_collapseMakesItASheetAndExpandAColumn() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200)
        app.split.show(.inspector)
        let pane = try XCTUnwrap(app.panes[.inspector])
        for _ in 0..<3 {
            try app.resize(500)
            XCTAssert(app.split.isShowing(.inspector))
            XCTAssert(app.split.presentedViewController === pane.navigationController)
            try app.resize(1_200)
            XCTAssert(app.split.isShowing(.inspector))
            XCTAssertNil(app.split.presentedViewController)
            XCTAssertEqual(app.frame(.inspector)?.width, 270)
        }
        XCTAssertEqual(pane.loads, 1)
        XCTAssertFalse(app.recorder.drain().contains { $0.contains("inspector") })
    }

    func testRow25_aPersonsDismissalIsReported() async throws {
        let app = try SplitApp(.doubleColumn, width: 500)
        app.split.show(.inspector)
        _ = app.recorder.drain()
        try app.system.dismiss(in: app.scene)
        XCTAssertEqual(app.recorder.drain(), ["willHide inspector, collapsed", "didHide inspector, collapsed"])
        XCTAssertFalse(app.split.isShowing(.inspector))
        try app.resize(1_200)
        XCTAssertNil(app.frame(.inspector))
        app.split.show(.inspector)
        XCTAssertEqual(app.frame(.inspector)?.width, 270)
    }

    func testRow25_theAppMayDismissTheSheetItself() async throws {
        let app = try SplitApp(.doubleColumn, width: 500)
        app.split.show(.inspector)
        app.split.dismiss(animated: false)
        XCTAssertFalse(app.split.isShowing(.inspector))
        app.split.show(.inspector)
        XCTAssert(app.split.isShowing(.inspector))
    }

    func testRow25_aSheetIsAColumnOfTheEngine() async throws {
        let app = try SplitApp(.doubleColumn, width: 500)
        _ = app.drain()
        app.split.show(.inspector)
        let size = try XCTUnwrap(app.panes[.inspector]?.navigationController?.view.bounds.size)
        XCTAssertEqual(app.drain()[.inspector], [size])
        try app.resize(1_200)
        XCTAssertEqual(app.drain()[.inspector], [CGSize(width: 270, height: 800)])
    }

    func testRow25_theInspectorLeavesWhenThereIsNoSpace() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200)
        app.split.show(.inspector)
        try app.resize(700)
        XCTAssertEqual(app.recorder.drain(), ["willHide inspector", "didHide inspector"])
        try app.resize(1_200)
        XCTAssertEqual(app.recorder.drain(), ["willShow inspector", "didShow inspector"])
    }
}
