import TestSupport
import XCTest

@testable import UIKit

/// Which columns are shown, and where.
@MainActor final class SplitModeTests: XCTestCase {
    private typealias Column = UISplitViewController.Column
    private typealias Mode = UISplitViewController.DisplayMode

    private func request(
        _ style: UISplitViewController.Style, _ mode: Mode = .automatic,
        _ behavior: UISplitViewController.SplitBehavior = .automatic
    ) -> SplitRequest {
        var request = SplitRequest(style: style)
        request.preferredMode = mode
        request.preferredBehavior = behavior
        return request
    }

    func testTheRawValuesAreApples() async {
        XCTAssertEqual([Mode.automatic, .twoDisplaceSecondary].map(\.rawValue), [0, 6])
        XCTAssertEqual(
            [Column.primary, .supplementary, .secondary, .compact, .inspector].map(\.rawValue), [0, 1, 2, 3, 4])
        XCTAssertEqual(UISplitViewController.Style.tripleColumn.rawValue, 2)
        XCTAssertEqual(UISplitViewController.SplitBehavior.displace.rawValue, 3)
        XCTAssertEqual(UISplitViewController.LayoutEnvironment.collapsed.rawValue, 2)
    }

    func testEachBehaviorHasThreeModes() async {
        let wide: CGFloat = 2_000
        let expected: [(UISplitViewController.SplitBehavior, [Mode])] = [
            (.tile, [.secondaryOnly, .oneBesideSecondary, .twoBesideSecondary]),
            (.overlay, [.secondaryOnly, .oneOverSecondary, .twoOverSecondary]),
            (.displace, [.secondaryOnly, .oneBesideSecondary, .twoDisplaceSecondary]),
        ]
        let counts: [(Mode, Int)] = [
            (.secondaryOnly, 0), (.oneBesideSecondary, 1), (.oneOverSecondary, 1), (.twoBesideSecondary, 2),
            (.twoOverSecondary, 2), (.twoDisplaceSecondary, 2),
        ]
        for (behavior, modes) in expected {
            for (preferred, count) in counts {
                let triple = request(.tripleColumn, preferred, behavior).layout(width: wide)
                XCTAssertEqual(triple.mode, modes[count], "\(behavior) \(preferred)")
                XCTAssertEqual(triple.behavior, behavior)
                let double = request(.doubleColumn, preferred, behavior).layout(width: wide)
                XCTAssertEqual(double.mode, modes[min(1, count)], "\(behavior) \(preferred)")
            }
        }
    }

    func testTheModeChoosesAnAutomaticBehavior() async {
        XCTAssertEqual(request(.tripleColumn).layout(width: 1_366).behavior, .tile)
        XCTAssertEqual(request(.tripleColumn, .oneOverSecondary).layout(width: 1_000).mode, .oneOverSecondary)
        XCTAssertEqual(request(.tripleColumn, .twoDisplaceSecondary).layout(width: 1_000).behavior, .displace)
        XCTAssertEqual(request(.doubleColumn, .oneBesideSecondary).layout(width: 1_000).behavior, .tile)
    }

    /// The widths at which columns leave, the inspector first, and at which they return, 20 points later.
    func testAsManyColumnsAsFitAreShownAndAHiddenOneReturns20PointsLater() async {
        var request = request(.tripleColumn)
        request.showsInspector = true
        let all = "primary supplementary secondary inspector"
        let (two, one) = ("primary supplementary secondary", "supplementary secondary")
        for (width, shown) in [
            (920, all), (919, two), (939, two), (940, all), (720, two), (719, one), (739, one), (740, two), (520, one),
            (519, "secondary"), (539, "secondary"), (540, one), (940, all),
        ] {
            let layout = request.layout(width: CGFloat(width))
            request.squeezed = layout.squeezed
            let columns = Column.expanded.filter { layout.columns[$0].isShown }
            XCTAssertEqual(columns.map { "\($0)" }.joined(separator: " "), shown, "at \(width)")
            let modes: [Mode] = [.secondaryOnly, .oneBesideSecondary, .twoBesideSecondary]
            XCTAssertEqual(layout.mode, modes[columns.filter { $0 != .inspector }.count - 1], "at \(width)")
        }
    }

    func testWithoutGesturesAModeIsNeverReduced() async {
        for (preferred, width, expected) in [
            (.twoBesideSecondary, 400, .twoBesideSecondary), (.secondaryOnly, 2_000, .secondaryOnly),
            (.automatic, 2_000, .twoBesideSecondary), (.automatic, 650, .oneBesideSecondary),
            (.automatic, 400, .secondaryOnly),
        ] as [(Mode, CGFloat, Mode)] {
            var request = request(.tripleColumn, preferred)
            request.isStrict = true
            XCTAssertEqual(request.layout(width: width).mode, expected, "\(preferred) at \(width)")
        }
    }

    // MARK: Frames

    /// The place and width of each shown column, with what is covered before and after.
    func testFramesOfEachBehavior() async {
        func check(_ what: String, _ request: SplitRequest, width: CGFloat, _ expected: [[CGFloat]]) {
            let layout = request.layout(width: width)
            let places = Column.expanded.map { layout.columns[$0] }.filter(\.isShown)
            XCTAssertEqual(places.map { [$0.x, $0.width, $0.coveredBefore, $0.coveredAfter] }, expected, what)
        }
        let (primary, inspector): ([CGFloat], [CGFloat]) = ([0, 320, 0, 0], [1_096, 270, 0, 0])
        var tiled = request(.doubleColumn)
        check(
            "the column beside the primary one extends below it", tiled, width: 1_366, [primary, [0, 1_366, 320, 0]])
        tiled.showsInspector = true
        check("and below the inspector", tiled, width: 1_366, [primary, [0, 1_366, 320, 270], inspector])
        tiled.style = .tripleColumn
        check("three", tiled, width: 1_366, [primary, [0, 640, 320, 0], [640, 726, 0, 270], inspector])
        tiled.columns = 1
        check("without the primary one", tiled, width: 1_366, [primary, [320, 1_046, 0, 270], inspector])
        tiled.columns = 0
        check("alone", tiled, width: 1_366, [[0, 1_366, 0, 270], inspector])

        let (one, two) = (request(.doubleColumn, .oneOverSecondary), request(.tripleColumn, .twoOverSecondary))
        check("an overlay leaves the secondary column as it is", one, width: 800, [primary, [0, 800, 0, 0]])
        check("two over it", two, width: 800, [primary, [320, 320, 0, 0], [0, 800, 0, 0]])
        check(
            "the primary one gives way first", two, width: 500, [[0, 200, 0, 0], [200, 300, 0, 0], [0, 500, 0, 0]])
        XCTAssertEqual(two.layout(width: 399).mode, .oneOverSecondary)

        let beside = request(.tripleColumn, .oneBesideSecondary, .displace)
        check("one displaces nothing", beside, width: 1_000, [primary, [320, 680, 0, 0]])
        let displaced = request(.tripleColumn, .twoDisplaceSecondary)
        check(
            "displaced, it keeps its width and moves", displaced, width: 1_000,
            [primary, [320, 320, 0, 0], [640, 680, 0, 0]])
    }

    func testDisplacedTheSecondaryColumnKeepsItsMinimumBesideTheInspector() async {
        var request = request(.tripleColumn, .twoDisplaceSecondary)
        request.showsInspector = true
        for width in stride(from: CGFloat(400), through: 1_400, by: 1) {
            let layout = request.layout(width: width)
            guard layout.columns.supplementary.isShown || layout.columns.inspector.isShown else { continue }
            XCTAssertGreaterThanOrEqual(layout.columns.secondary.visibleWidth, 320, "at \(width)")
        }
        XCTAssert(request.layout(width: 720).columns.inspector.isShown)
        XCTAssertFalse(request.layout(width: 719).columns.inspector.isShown)
    }

    func testTheInspectorDoesNotComeBackWhileTheWidthShrinks() async {
        var random = SplitMix64(seed: 25)
        for _ in 0..<300 {
            var request = request(
                random.pick([.doubleColumn, .tripleColumn]), random.pick([.automatic, .twoBesideSecondary]))
            request.showsInspector = true
            request.columns = random.pick([nil, nil, 1, 2])
            for column in Column.expanded {
                if random.chance(50) { request.widths[column].minimum = CGFloat(random.below(450)) }
                if random.chance(30) { request.widths[column].preferred = CGFloat(random.below(700)) }
            }
            var shown = ColumnSet([.init(.primary), .init(.supplementary), .init(.secondary), .init(.inspector)])
            for width in stride(from: CGFloat(2_400), through: 300, by: -7) {
                let layout = request.layout(width: width)
                request.squeezed = layout.squeezed
                XCTAssert(shown.isSuperset(of: layout.shownColumns), "at \(width): \(request)")
                shown = layout.shownColumns
                let hasAll = layout.squeezed.columns == nil
                let prefersMore = request.isAutomatic && request.widths.secondary.preferred > 0
                if !hasAll, !prefersMore { XCTAssertFalse(layout.columns.inspector.isShown, "at \(width): \(request)") }
            }
        }
    }

    func testWithoutAColumnThatTheAppHidTheInspectorIsShown() async {
        var request = request(.tripleColumn)
        request.showsInspector = true
        request.columns = 1
        XCTAssert(request.layout(width: 720).columns.inspector.isShown)
        XCTAssertFalse(request.layout(width: 719).columns.inspector.isShown)
        XCTAssert(request.layout(width: 719).columns.supplementary.isShown)
    }

    func testRightToLeftMirrorsLeftToRight() async {
        var random = SplitMix64(seed: 22)
        for _ in 0..<1_000 {
            var request = request(
                random.pick([.doubleColumn, .tripleColumn]), random.pick([.automatic, .twoOverSecondary]))
            request.showsInspector = random.chance(50)
            let width = CGFloat(300 + random.below(1_500))
            let layout = request.layout(width: width)
            for column in Column.expanded where layout.columns[column].isShown {
                let (left, right) = (false, true)
                let frame = layout.frame(column, height: 10, isMirrored: left)
                let mirrored = layout.frame(column, height: 10, isMirrored: right)
                XCTAssertEqual(mirrored.minX, width - frame.maxX)
                XCTAssertEqual(mirrored.width, frame.width)
                let covered = layout.covered(column, isMirrored: left)
                XCTAssert(layout.covered(column, isMirrored: right) == (covered.right, covered.left))
            }
        }
    }

    func testVisibleWidthsFillTheSplitView() async {
        var random = SplitMix64(seed: 7)
        for _ in 0..<5_000 {
            var request = request(random.pick([.doubleColumn, .tripleColumn]))
            request.showsInspector = random.chance(50)
            request.columns = random.pick([nil, 0, 1, 2])
            for column in Column.expanded {
                if random.chance(40) { request.widths[column].preferred = CGFloat(random.below(700)) }
                if random.chance(30) { request.widths[column].minimum = CGFloat(random.below(400)) }
                if random.chance(30) { request.widths[column].maximum = CGFloat(random.below(800)) }
                if random.chance(30) { request.widths[column].fraction = CGFloat(random.below(100)) / 100 }
            }
            request.squeezed.columns = random.pick([nil, 0, 1])
            request.squeezed.inspector = random.chance(50)
            let width = CGFloat(random.below(2_000))
            let layout = request.layout(width: width)
            let total = Column.expanded.reduce(0) { $0 + layout.columns[$1].visibleWidth }
            XCTAssertEqual(total, width, accuracy: 1e-9, "\(request)")
            let others = Column.expanded.filter { $0 != .secondary && layout.columns[$0].isShown }
            if !others.isEmpty {
                XCTAssertGreaterThanOrEqual(
                    layout.columns.secondary.visibleWidth + 1e-9, request.widths.secondary.secondaryLeast)
            }
            for column in others {
                let natural = request.widths[column].natural(column, in: width)
                XCTAssertLessThanOrEqual(layout.columns[column].visibleWidth, natural)
                XCTAssertGreaterThanOrEqual(
                    layout.columns[column].visibleWidth,
                    min(natural, request.widths[column].lowest(natural: natural)))
                if layout.columns.secondary.visibleWidth > request.widths.secondary.secondaryWanted(in: width) + 1 {
                    XCTAssertEqual(layout.columns[column].visibleWidth, natural, "nothing is missing")
                }
            }
        }
    }

    // MARK: In a window

    func testDisplayModeAndSplitBehaviorAreNeverAutomatic() async throws {
        _ = try TestApp()
        let (split, classic) = (
            UISplitViewController(style: .tripleColumn), UISplitViewController(nibName: nil, bundle: nil)
        )
        XCTAssertEqual([split.preferredDisplayMode, split.displayMode], [.automatic, .twoBesideSecondary])
        XCTAssertEqual([split.preferredSplitBehavior, split.splitBehavior], [.automatic, .tile])
        XCTAssertEqual(classic.style, .unspecified)
        XCTAssertEqual(classic.displayMode, .oneBesideSecondary)
        XCTAssertNil(split.delegate)
        XCTAssert(split.presentsWithGesture && !split.showsSecondaryOnlyButton && !split.isCollapsed)
        XCTAssertEqual(split.displayModeButtonVisibility, .automatic)
        XCTAssertEqual(split.primaryEdge, .leading)
        XCTAssertEqual(split.viewControllers, [])
    }
}
