import Settle
import XCTest

@testable import UIKit

/// Separators of a mirrored split view, and widths in a window.
@MainActor final class SeparatorMirrorTests: XCTestCase {
    private typealias Column = UISplitViewController.Column
    private typealias Direction = UISystem.Separator.Direction

    /// What a drag of a separator by a distance from the primary edge makes of a split view.
    private struct Outcome: Equatable {
        var xs: [CGFloat]
        var directions: Set<UISystem.Separator.Direction>
        /// Those of the columns, from the primary edge.
        var frames: [CGRect?]
    }

    private static let width: CGFloat = 1_400

    private func drag(
        _ index: Int, by distance: CGFloat, _ mode: UISplitViewController.DisplayMode, isMirrored: Bool,
        _ configure: (UISplitViewController) -> Void
    ) throws -> Outcome {
        let app = try SplitApp(.tripleColumn, width: Self.width) {
            $0.preferredDisplayMode = mode
            $0.show(.inspector)
            configure($0)
        }
        let separators = app.system.separators(of: app.split)
        XCTAssertEqual(separators.count, 3)
        let separator = separators[index]
        if separator.directions.isEmpty {
            XCTAssertThrowsError(try app.system.beginDrag(separator))
        } else {
            try app.system.beginDrag(separator)
            try app.system.drag(separator, to: separator.x + (isMirrored ? -distance : distance))
            app.system.endDrag(separator)
        }
        let xs = app.system.separators(of: app.split).map { isMirrored ? Self.width - $0.x : $0.x }
        let frames = Column.expanded.map { app.frame($0) }.map { (frame: CGRect?) -> CGRect? in
            guard isMirrored, let frame else { return frame }
            return CGRect(Self.width - frame.maxX, frame.minY, frame.width, frame.height)
        }
        return Outcome(xs: xs, directions: separator.directions, frames: frames)
    }

    func testMirroredDragsGiveMirroredFrames() async throws {
        for mode in [UISplitViewController.DisplayMode.twoBesideSecondary, .twoOverSecondary, .twoDisplaceSecondary] {
            for index in 0..<3 {
                for distance: CGFloat in [-40, 40, 2_000] {
                    let place = "\(mode), separator \(index), by \(distance)"
                    let plain = try drag(index, by: distance, mode, isMirrored: false) { _ in }
                    let rightToLeft = try drag(index, by: distance, mode, isMirrored: true) {
                        $0.view.semanticContentAttribute = .forceRightToLeft
                    }
                    XCTAssertEqual(rightToLeft, plain, place)
                    var trailing = try drag(index, by: distance, mode, isMirrored: true) { $0.primaryEdge = .trailing }
                    trailing.directions = Set(
                        trailing.directions.map { $0 == .leading ? Direction.trailing : .leading })
                    XCTAssertEqual(trailing, plain, place)
                }
            }
        }
    }

    func testThereAreFourColumnsForEachSceneUnlessTheHostSaysSo() async {
        func bound(_ scenes: Int, _ columns: Int?) -> Int {
            UISystem.Configuration(scenesMax: scenes, columnsMax: columns, log: { _ in }).columnsBound
        }
        XCTAssertEqual(bound(3, nil), 12)
        XCTAssertEqual(bound(3, 5), 5)
        XCTAssertEqual(bound(3, -1), 0)
        XCTAssertEqual(bound(Engine.scenesLimit - 1, nil), 1, "the engine has no more")
        XCTAssertEqual(bound(0, nil), 0)
    }
}
