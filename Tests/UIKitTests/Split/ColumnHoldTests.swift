import XCTest

@testable import UIKit

/// Which columns the engine decides for, within drags and in a collapsed interface.
@MainActor final class ColumnHoldTests: XCTestCase {
    func testADragOfAColumnIsADragOfTheColumnsInIt() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        let inner = UISplitViewController(style: .doubleColumn)
        inner.preferredDisplayMode = .secondaryOnly
        let detail = Pane("detail")
        inner.setViewController(detail, for: .secondary)
        app.split.setViewController(inner, for: .primary)
        XCTAssertEqual(detail.drainSettled(), [CGSize(width: 320, height: 800)])

        let separator = try app.separator(.primary)
        try app.system.beginDrag(separator)
        for x in [340, 370, 400] { try app.system.drag(separator, to: CGFloat(x)) }
        XCTAssertEqual(detail.layouts.last, CGSize(width: 400, height: 800))
        XCTAssertEqual(detail.drainSettled(), [], "nothing is rebuilt while the person drags")
        app.system.endDrag(separator)
        XCTAssertEqual(detail.drainSettled(), [CGSize(width: 400, height: 800)])
    }

    func testCollapsedTheColumnOnTopHasTheWholeSizeAndTheOthersAreHeld() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        _ = app.drain()
        try app.resize(500)
        XCTAssertEqual(app.drain(), [.secondary: [CGSize(width: 500, height: 800)]])
        app.split.show(.primary)
        XCTAssertEqual(app.drain(), [.primary: [CGSize(width: 500, height: 800)]])
        try app.resize(450)
        XCTAssertEqual(app.drain(), [.primary: [CGSize(width: 450, height: 800)]])
        try app.resize(1_000)
        XCTAssertEqual(
            app.drain(), [.primary: [CGSize(width: 320, height: 800)], .secondary: [CGSize(width: 680, height: 800)]])
    }
}
