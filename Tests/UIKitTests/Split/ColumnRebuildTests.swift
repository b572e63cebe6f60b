import Settle
import XCTest

@testable import UIKit

/// Columns are scenes of the engine, which are rebuilt, wait or are held with their windows.
@MainActor final class ColumnRebuildTests: XCTestCase {
    func testAReleasedSplitViewControllerDisconnectsItsColumns() async throws {
        let app = try TestApp().launched()
        let before = app.system.statistics.scenes
        let window: UIWindow
        weak var released: UISplitViewController?
        do {
            let split = UISplitViewController(style: .doubleColumn)
            split.setViewController(Pane("list"), for: .primary)
            split.setViewController(Pane("detail"), for: .secondary)
            window = app.show(split)
            released = split
        }
        XCTAssertEqual(app.system.statistics.scenes, before + 2)
        try app.system.beginResize(app.scene)
        try app.resize(900, 700)
        app.turn { window.rootViewController = UIViewController() }
        XCTAssertNil(released)
        XCTAssertEqual(app.system.statistics.scenes, before)
        app.system.onColumnDecision = { _, _, _ in XCTFail("of a column that is disconnected") }
        try app.system.endResize(app.scene)
    }

    // MARK: Columns within columns, and stacked

    func testADragOfAColumnIsADragOfTheColumnsInIt() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        let inner = UISplitViewController(style: .doubleColumn)
        inner.preferredDisplayMode = .secondaryOnly
        let detail = Pane("detail")
        inner.setViewController(detail, for: .secondary)
        app.split.setViewController(inner, for: .primary)
        XCTAssertEqual(detail.drainSettled(), [CGSize(320, 800)])

        let separator = try app.separator(.primary)
        try app.system.beginDrag(separator)
        for x in [340, 370, 400] { try app.system.drag(separator, to: CGFloat(x)) }
        XCTAssertEqual(detail.layouts.last, CGSize(400, 800))
        XCTAssertEqual(detail.drainSettled(), [], "nothing is rebuilt while the person drags")
        app.system.endDrag(separator)
        XCTAssertEqual(detail.drainSettled(), [CGSize(400, 800)])
    }
}
