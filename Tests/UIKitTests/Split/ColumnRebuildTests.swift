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

    private func built(_ primary: CGFloat, _ secondary: CGFloat) -> [UISplitViewController.Column: [CGSize]] {
        [.primary: [CGSize(primary, 800)], .secondary: [CGSize(secondary, 800)]]
    }

    func testColumnsInTheBackgroundOrAHiddenWindowWaitAndADragEnds() async throws {
        let ways: [(String, (SplitApp) throws -> Void, (SplitApp) throws -> Void)] = [
            (
                "background", { try $0.system.bring($0.scene, to: .background) },
                { try $0.system.bring($0.scene, to: .foregroundActive) }
            ),
            ("hidden", { $0.scene.windows[0].isHidden = true }, { $0.scene.windows[0].isHidden = false }),
        ]
        for (name, leave, comeBack) in ways {
            let app = try SplitApp(.doubleColumn, width: 1_000)
            let separator = try app.separator(.primary)
            try app.system.beginDrag(separator)
            try app.system.drag(separator, to: 400)
            _ = app.drain()
            try leave(app)
            XCTAssertNil(app.split.drag, name)
            XCTAssertEqual(app.drain(), [:], name)
            assertRefused(try app.system.drag(separator, to: 450), .notShown)
            try comeBack(app)
            XCTAssertEqual(app.drain(), built(400, 600), name)
            try leave(app)
            try app.resize(1_100)
            XCTAssertEqual(app.drain(), [:], name)
            try comeBack(app)
            XCTAssertEqual(app.drain(), [.secondary: [CGSize(700, 800)]], name)
        }
    }

    func testAHiddenColumnIsHeldUntilItIsShown() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        _ = app.drain()
        app.split.hide(.primary)
        try app.resize(1_000, 700)
        XCTAssertNil(app.drain()[.primary])
        app.split.show(.primary)
        XCTAssertEqual(app.drain()[.primary], [CGSize(320, 700)])
        app.split.hide(.primary)
        app.split.show(.primary)
        XCTAssertNil(app.drain()[.primary], "its size is built")
    }

    func testAWindowsDragIsADragOfItsColumns() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        XCTAssertEqual(app.drain(), built(320, 680))
        try app.system.beginResize(app.scene)
        for width in 1_001...1_100 { try app.resize(CGFloat(width)) }
        XCTAssertEqual(app.drain(), [:])
        try app.system.endResize(app.scene)
        XCTAssertEqual(app.drain(), [.secondary: [CGSize(780, 800)]])
    }

    func testADelayedRebuildOfAHiddenColumnWaits() async throws {
        let app = try SplitApp(
            .doubleColumn, width: 1_000, policy: Policy(discreteDelay: .milliseconds(50), lockDelay: .zero))
        _ = app.drain()
        app.split.preferredPrimaryColumnWidth = 300
        app.split.hide(.primary)
        app.system.advance(by: .milliseconds(200))
        XCTAssertNil(app.drain()[.primary])
        app.split.show(.primary)
        app.system.advance(by: .milliseconds(200))
        XCTAssertEqual(app.drain()[.primary], [CGSize(300, 800)])
    }

    func testADragHoldsTheColumnsOfItsSeparatorOnly() async throws {
        let app = try SplitApp(.tripleColumn, width: 1_400)
        app.split.show(.inspector)
        _ = app.drain()
        let separator = try app.separator(.secondary)
        try app.system.beginDrag(separator)
        try app.system.drag(separator, to: 1_100)
        app.split.preferredPrimaryColumnWidth = 250
        XCTAssertEqual(app.drain(), [.primary: [CGSize(250, 800)]])
        app.system.endDrag(separator)
        XCTAssertEqual(app.drain(), [.secondary: [CGSize(530, 800)], .inspector: [CGSize(300, 800)]])
    }

    func testAReplacedViewControllerIsBuiltAnew() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        _ = app.drain()
        let new = Pane("new")
        app.split.setViewController(new, for: .secondary)
        XCTAssertEqual(new.settled, [CGSize(680, 800)])
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

    func testCollapsedTheColumnOnTopHasTheWholeSizeAndTheOthersAreHeld() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        _ = app.drain()
        try app.resize(500)
        XCTAssertEqual(app.drain(), [.secondary: [CGSize(500, 800)]])
        app.split.show(.primary)
        XCTAssertEqual(app.drain(), [.primary: [CGSize(500, 800)]])
        try app.resize(450)
        XCTAssertEqual(app.drain(), [.primary: [CGSize(450, 800)]])
        try app.resize(1_000)
        XCTAssertEqual(app.drain(), [.primary: [CGSize(320, 800)], .secondary: [CGSize(680, 800)]])
    }
}
