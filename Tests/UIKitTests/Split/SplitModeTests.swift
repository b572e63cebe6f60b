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

    func testAutomaticTilesAsManyColumnsAsFit() async {
        let request = request(.tripleColumn)
        XCTAssertEqual(request.layout(width: 720).mode, .twoBesideSecondary)
        XCTAssertEqual(request.layout(width: 719).mode, .oneBesideSecondary)
        XCTAssertEqual(request.layout(width: 520).mode, .oneBesideSecondary)
        XCTAssertEqual(request.layout(width: 519).mode, .secondaryOnly)
        XCTAssertEqual(request.layout(width: 1_366).behavior, .tile)
    }

    func testTheModeChoosesAnAutomaticBehavior() async {
        XCTAssertEqual(request(.tripleColumn, .oneOverSecondary).layout(width: 1_000).mode, .oneOverSecondary)
        XCTAssertEqual(request(.tripleColumn, .twoDisplaceSecondary).layout(width: 1_000).behavior, .displace)
        XCTAssertEqual(request(.doubleColumn, .oneBesideSecondary).layout(width: 1_000).behavior, .tile)
    }

    func testTheInspectorIsHiddenFirstThenPrimaryThenSupplementary() async {
        var request = request(.tripleColumn)
        request.showsInspector = true
        func shown(_ width: CGFloat) -> [Column] {
            let layout = request.layout(width: width)
            return Column.expanded.filter { layout.columns[$0].isShown }
        }
        XCTAssertEqual(shown(920), [.primary, .supplementary, .secondary, .inspector])
        XCTAssertEqual(shown(919), [.primary, .supplementary, .secondary])
        XCTAssertEqual(shown(719), [.supplementary, .secondary])
        XCTAssertEqual(shown(519), [.secondary])
    }

    func testAHiddenColumnReturns20PointsLater() async {
        var request = request(.tripleColumn)
        request.showsInspector = true
        func mode(_ width: CGFloat) -> (Mode, Bool) {
            let layout = request.layout(width: width)
            request.squeezed = layout.squeezed
            return (layout.mode, layout.columns.inspector.isShown)
        }
        XCTAssert(mode(920) == (.twoBesideSecondary, true))
        XCTAssert(mode(919) == (.twoBesideSecondary, false))
        XCTAssert(mode(939) == (.twoBesideSecondary, false))
        XCTAssert(mode(940) == (.twoBesideSecondary, true))
        XCTAssert(mode(719) == (.oneBesideSecondary, false))
        XCTAssert(mode(739) == (.oneBesideSecondary, false))
        XCTAssert(mode(740) == (.twoBesideSecondary, false))
        XCTAssert(mode(519) == (.secondaryOnly, false))
        XCTAssert(mode(539) == (.secondaryOnly, false))
        XCTAssert(mode(540) == (.oneBesideSecondary, false))
        XCTAssert(mode(940) == (.twoBesideSecondary, true))
    }

    func testWithoutGesturesAModeIsNeverReduced() async {
        var request = request(.tripleColumn, .twoBesideSecondary)
        request.isStrict = true
        XCTAssertEqual(request.layout(width: 400).mode, .twoBesideSecondary)
        request.preferredMode = .secondaryOnly
        XCTAssertEqual(request.layout(width: 2_000).mode, .secondaryOnly)
        request.preferredMode = .automatic
        XCTAssertEqual(request.layout(width: 2_000).mode, .twoBesideSecondary)
        XCTAssertEqual(request.layout(width: 650).mode, .oneBesideSecondary, "as many as fit")
        XCTAssertEqual(request.layout(width: 400).mode, .secondaryOnly)
    }

    // MARK: Frames

    private func places(_ layout: SplitLayout) -> [[CGFloat]] {
        Column.expanded.filter { layout.columns[$0].isShown }.map {
            let place = layout.columns[$0]
            return [place.x, place.width, place.coveredBefore, place.coveredAfter]
        }
    }

    func testTiledTheColumnBesideThePrimaryOneExtendsBelowIt() async {
        var request = request(.doubleColumn)
        XCTAssertEqual(places(request.layout(width: 1_366)), [[0, 320, 0, 0], [0, 1_366, 320, 0]])
        request.showsInspector = true
        XCTAssertEqual(
            places(request.layout(width: 1_366)), [[0, 320, 0, 0], [0, 1_366, 320, 270], [1_096, 270, 0, 0]])
        request.style = .tripleColumn
        XCTAssertEqual(
            places(request.layout(width: 1_366)),
            [[0, 320, 0, 0], [0, 640, 320, 0], [640, 726, 0, 270], [1_096, 270, 0, 0]])
        request.columns = 1
        XCTAssertEqual(
            places(request.layout(width: 1_366)), [[0, 320, 0, 0], [320, 1_046, 0, 270], [1_096, 270, 0, 0]])
        request.columns = 0
        XCTAssertEqual(places(request.layout(width: 1_366)), [[0, 1_366, 0, 270], [1_096, 270, 0, 0]])
    }

    func testAnOverlayLeavesTheSecondaryColumnAsItIs() async {
        let one = request(.doubleColumn, .oneOverSecondary).layout(width: 800)
        XCTAssertEqual(places(one), [[0, 320, 0, 0], [0, 800, 0, 0]])
        let two = request(.tripleColumn, .twoOverSecondary).layout(width: 800)
        XCTAssertEqual(places(two), [[0, 320, 0, 0], [320, 320, 0, 0], [0, 800, 0, 0]])
        XCTAssertEqual(request(.tripleColumn, .twoOverSecondary).layout(width: 399).mode, .oneOverSecondary)
    }

    func testDisplacedTheSecondaryColumnKeepsItsWidthAndMoves() async {
        let one = request(.tripleColumn, .oneBesideSecondary, .displace).layout(width: 1_000)
        let two = request(.tripleColumn, .twoDisplaceSecondary).layout(width: 1_000)
        XCTAssertEqual(places(one), [[0, 320, 0, 0], [320, 680, 0, 0]])
        XCTAssertEqual(places(two), [[0, 320, 0, 0], [320, 320, 0, 0], [640, 680, 0, 0]])
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
        let split = UISplitViewController(style: .tripleColumn)
        XCTAssertEqual(split.preferredDisplayMode, .automatic)
        XCTAssertEqual(split.displayMode, .twoBesideSecondary)
        XCTAssertEqual(split.preferredSplitBehavior, .automatic)
        XCTAssertEqual(split.splitBehavior, .tile)
        XCTAssertEqual(UISplitViewController(nibName: nil, bundle: nil).style, .unspecified)
        XCTAssertEqual(UISplitViewController(nibName: nil, bundle: nil).displayMode, .oneBesideSecondary)
    }

    func testTheDefaultsOfProperties() async throws {
        _ = try TestApp()
        let split = UISplitViewController(style: .doubleColumn)
        XCTAssertNil(split.delegate)
        XCTAssert(split.presentsWithGesture)
        XCTAssertEqual(split.displayModeButtonVisibility, .automatic)
        XCTAssertFalse(split.showsSecondaryOnlyButton)
        XCTAssertEqual(split.primaryEdge, .leading)
        XCTAssertFalse(split.isCollapsed)
        XCTAssertEqual(split.viewControllers, [])
    }

    func testFramesFollowTheWindow() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_366)
        XCTAssertEqual(app.frame(.primary), CGRect(x: 0, y: 0, width: 320, height: 800))
        XCTAssertEqual(app.frame(.secondary), CGRect(x: 0, y: 0, width: 1_366, height: 800))
        XCTAssertEqual(app.split.slots.secondary.child?.coveredInsets.left, 320)
        try app.resize(1_000, 700)
        XCTAssertEqual(app.frame(.primary), CGRect(x: 0, y: 0, width: 320, height: 700))
        XCTAssertEqual(app.frame(.secondary), CGRect(x: 0, y: 0, width: 1_000, height: 700))
        app.split.primaryEdge = .trailing
        XCTAssertEqual(app.frame(.primary), CGRect(x: 680, y: 0, width: 320, height: 700))
        XCTAssertEqual(app.split.slots.secondary.child?.coveredInsets.right, 320)
        XCTAssertEqual(app.split.slots.secondary.child?.coveredInsets.left, 0)
    }

    func testASidebarInsetsTheAdjacentColumnOnly() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_366)
        let secondary = try XCTUnwrap(app.split.slots.secondary.child?.view)
        XCTAssertEqual(secondary.safeAreaInsets, UIEdgeInsets(top: 0, left: 320, bottom: 0, right: 0))
        XCTAssertEqual(secondary.frame.width, 1_366)
        XCTAssertEqual(app.split.slots.primary.child?.view.safeAreaInsets, .zero)
        app.split.show(.inspector)
        XCTAssertEqual(secondary.safeAreaInsets, UIEdgeInsets(top: 0, left: 320, bottom: 0, right: 270))
        app.split.preferredSplitBehavior = .overlay
        app.split.show(.primary)
        XCTAssertEqual(secondary.safeAreaInsets.left, 0)
        XCTAssertEqual(app.split.displayMode, .oneOverSecondary)
    }

    func testARightToLeftInterfaceHasThePrimaryColumnAtTheRight() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_366) { $0.view.semanticContentAttribute = .forceRightToLeft }
        XCTAssertEqual(app.frame(.primary), CGRect(x: 1_046, y: 0, width: 320, height: 800))
        XCTAssertEqual(app.split.slots.secondary.child?.coveredInsets.right, 320)
    }

    func testShowAndHideChooseTheNearestMode() async throws {
        let app = try SplitApp(.tripleColumn, width: 1_366)
        XCTAssertEqual(app.split.displayMode, .twoBesideSecondary)
        app.split.show(.primary)
        XCTAssertEqual(app.recorder.drain(), [], "visible already")
        app.split.hide(.primary)
        XCTAssertEqual(app.split.displayMode, .oneBesideSecondary)
        XCTAssertNil(app.frame(.primary))
        XCTAssertEqual(app.frame(.supplementary)?.width, 320)
        app.split.hide(.supplementary)
        XCTAssertEqual(app.split.displayMode, .secondaryOnly)
        app.split.hide(.secondary)
        XCTAssert(app.split.isShowing(.secondary))
        app.split.show(.primary)
        XCTAssertEqual(app.split.displayMode, .twoBesideSecondary)
        app.split.hide(.supplementary)
        XCTAssertEqual(app.split.displayMode, .secondaryOnly)
        app.split.show(.supplementary)
        XCTAssertEqual(app.split.displayMode, .oneBesideSecondary)
        let calls = app.recorder.drain()
        XCTAssertEqual(calls.count, 5, "\(calls)")
        XCTAssert(calls.allSatisfy { $0.hasPrefix("mode ") }, "the app's own changes: \(calls)")
        app.split.show(.compact)
        XCTAssert(app.system.messages.last?.contains("show(.compact) is refused") == true)
    }

    func testAColumnThatIsHiddenWithoutSpaceDoesNotReturn() async throws {
        let app = try SplitApp(.tripleColumn, width: 1_366)
        try app.resize(700)
        XCTAssertEqual(app.split.displayMode, .oneBesideSecondary)
        _ = app.recorder.drain()
        app.split.hide(.primary)
        XCTAssertEqual(app.recorder.drain(), [])
        try app.resize(1_366)
        XCTAssertNil(app.frame(.primary))
        XCTAssertEqual(app.split.displayMode, .oneBesideSecondary)
        app.split.show(.primary)
        XCTAssertNotNil(app.frame(.primary))
        let narrow = try SplitApp(.tripleColumn, width: 510, platform: .pad) {
            $0.traitOverrides.horizontalSizeClass = .regular
        }
        XCTAssertEqual(narrow.split.displayMode, .secondaryOnly)
        try narrow.resize(530)
        narrow.split.hide(.primary)
        XCTAssertEqual(narrow.split.displayMode, .secondaryOnly, "the supplementary column returns at 540")
    }

    func testShowingTheSecondaryColumnEndsADisplacement() async throws {
        let app = try SplitApp(.tripleColumn, width: 1_000) { $0.preferredDisplayMode = .twoDisplaceSecondary }
        XCTAssertEqual(app.split.displayMode, .twoDisplaceSecondary)
        app.split.show(.secondary)
        XCTAssertEqual(app.split.displayMode, .oneBesideSecondary)
    }

    func testTheDelegateIsToldOfTheSystemsChanges() async throws {
        let app = try SplitApp(.tripleColumn, width: 1_366)
        XCTAssertEqual(app.recorder.drain(), [])
        try app.resize(700)
        XCTAssertEqual(
            app.recorder.drain(), ["mode oneBesideSecondary", "willHide primary", "didHide primary"])
        try app.resize(739)
        XCTAssertEqual(app.recorder.drain(), [])
        try app.resize(740)
        XCTAssertEqual(
            app.recorder.drain(), ["mode twoBesideSecondary", "willShow primary", "didShow primary"])
        app.split.preferredDisplayMode = .secondaryOnly
        XCTAssertEqual(app.split.displayMode, .secondaryOnly)
        try app.resize(1_366)
        XCTAssertEqual(app.split.displayMode, .secondaryOnly)
    }

    func testAHiddenColumnDisappears() async throws {
        let app = try SplitApp(.doubleColumn, width: 1_366)
        let primary = try XCTUnwrap(app.panes[.primary])
        XCTAssertEqual(primary.appearances, ["will appear", "did appear"])
        app.split.hide(.primary)
        XCTAssertEqual(primary.appearances.last, "did disappear")
        app.split.show(.primary)
        XCTAssertEqual(
            primary.appearances, ["will appear", "did appear", "did disappear", "will appear", "did appear"])
        XCTAssertEqual(primary.loads, 1)
    }
}
