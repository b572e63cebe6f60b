import TestSupport
import XCTest

@testable import UIKit

/// What the app or a person asks for anew replaces what a split view had no space for, or had before.
@MainActor final class SplitChangeTests: XCTestCase {
    func testAModeThatIsSetAgainIsShownAsSoonAsItFits() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000) {
            $0.minimumPrimaryColumnWidth = 400
            $0.preferredDisplayMode = .oneBesideSecondary
        }
        for width in [719, 725] as [CGFloat] {
            try app.resize(width)
            XCTAssertEqual(app.mode, .secondaryOnly, "\(width)")
        }
        app.split.preferredDisplayMode = .oneBesideSecondary
        XCTAssertEqual(app.mode, .oneBesideSecondary)
    }

    func testAnInspectorThatIsShownAgainIsShownAsSoonAsItFits() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000) {
            $0.minimumInspectorColumnWidth = 400
            $0.preferredDisplayMode = .secondaryOnly
        }
        app.split.show(.inspector)
        XCTAssertTrue(app.split.isShowing(.inspector))
        for width in [719, 725] as [CGFloat] {
            try app.resize(width)
            XCTAssertFalse(app.split.isShowing(.inspector), "\(width)")
        }
        app.split.show(.inspector)
        XCTAssertTrue(app.split.isShowing(.inspector))
    }

    func testADragGoesOnFromWhereTheSeparatorIsInAnotherWidth() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_200) { $0.preferredDisplayMode = .secondaryOnly }
        app.split.show(.inspector)
        let separator = try XCTUnwrap(app.system.separators(of: app.split).first { $0.after == .inspector })
        try app.system.beginDrag(separator)
        try app.system.drag(separator, to: 900)
        XCTAssertEqual(app.frame(.inspector)?.width, 300)
        try app.resize(1_000)
        XCTAssertEqual(app.frame(.inspector)?.width, 300)
        try app.system.drag(separator, to: 680)
        XCTAssertEqual(app.frame(.inspector)?.width, 320)
        app.system.endDrag(separator)
    }

    func testColumnsThatMoveToAnotherSceneDoNotEndWithTheirFirst() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_000)
        let first = app.scene
        RecordingSceneDelegate.onConnect = { _, _ in }
        let second = try XCTUnwrap(app.system.connect() as? UIWindowScene)
        try app.system.resize(second, to: CGSize(1_000, 800))
        first.windows[0].rootViewController = nil
        let window = UIWindow.show(app.split, in: second)
        _ = app.drain()
        try app.system.disconnect(first)
        try app.system.resize(second, to: CGSize(1_100, 800))
        XCTAssertEqual(app.drain(), [.secondary: [CGSize(780, 800)]], "the primary one has the size that was built")
        XCTAssertIdentical(app.split.view.window, window)
    }
}
