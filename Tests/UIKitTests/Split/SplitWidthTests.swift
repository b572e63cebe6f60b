import XCTest

@testable import UIKit

/// The width of a column, from what the app and the person ask for.
@MainActor final class SplitWidthTests: XCTestCase {
    private typealias Column = UISplitViewController.Column

    private func request(_ style: UISplitViewController.Style = .doubleColumn) -> SplitRequest {
        SplitRequest(style: style)
    }

    func testTheDefaultsAre320And270() async {
        let widths = SplitWidths()
        for total: CGFloat in [500, 1_000, 3_000] {
            XCTAssertEqual(widths.natural(.primary, in: total), 320)
            XCTAssertEqual(widths.natural(.supplementary, in: total), 320)
            XCTAssertEqual(widths.natural(.inspector, in: total), 270)
        }
    }

    func testAnExplicitWidthBeatsAFraction() async {
        let widths = SplitWidths(preferred: 280, fraction: 0.1)
        XCTAssertEqual(widths.natural(.primary, in: 1_000), 280)
    }

    func testTheAutomaticMaximumBoundsFractionsAndNoExplicitWidth() async {
        XCTAssertEqual(SplitWidths(fraction: 0.5).natural(.primary, in: 1_200), 320)
        XCTAssertEqual(SplitWidths(fraction: 0.5, maximum: .greatestFiniteMagnitude).natural(.primary, in: 1_200), 600)
        XCTAssertEqual(SplitWidths(fraction: 0.2).natural(.primary, in: 1_200), 240)
        XCTAssertEqual(SplitWidths(preferred: 500).natural(.supplementary, in: 1_200), 500)
        XCTAssertEqual(SplitWidths(dragged: 600).natural(.primary, in: 1_200), 600)
        XCTAssertEqual(SplitWidths(fraction: 0.9).natural(.inspector, in: 1_200), 400)
        XCTAssertEqual(SplitWidths(preferred: 450).natural(.inspector, in: 1_200), 450)
    }

    func testTheMinimumWinsOverTheMaximum() async {
        XCTAssertEqual(SplitWidths(minimum: 300, maximum: 250).natural(.primary, in: 1_000), 300)
        XCTAssertEqual(SplitWidths(preferred: 100, minimum: 200).natural(.primary, in: 1_000), 200)
        XCTAssertEqual(SplitWidths(preferred: 500, maximum: 400).natural(.primary, in: 1_000), 400)
        XCTAssertEqual(SplitWidths(maximum: 100, dragged: 300).natural(.primary, in: 1_000), 100)
        XCTAssertEqual(SplitWidths(minimum: 340).natural(.primary, in: 1_000), 340)
    }

    func testColumnsGiveWayToTheSecondaryOnePrimaryFirst() async {
        var request = request(.tripleColumn)
        request.widths.primary.minimum = 200
        request.widths.primary.maximum = 400
        request.widths.supplementary.preferred = 500
        let expected: [(CGFloat, [CGFloat])] = [
            (1_366, [320, 500, 546]), (1_140, [320, 500, 320]), (1_024, [204, 500, 320]), (1_020, [200, 500, 320]),
            (900, [200, 380, 320]), (720, [200, 200, 320]),
        ]
        for (width, columns) in expected {
            let layout = request.layout(width: width)
            let shown = [Column.primary, .supplementary, .secondary].map { layout.columns[$0].visibleWidth }
            XCTAssertEqual(shown, columns, "at \(width)")
            XCTAssertEqual(layout.mode, .twoBesideSecondary)
        }
    }

    func testAColumnGivesWayDownToItsMinimumOr200OrLess() async {
        var request = request()
        XCTAssertEqual(request.layout(width: 560).columns.primary.width, 240)
        XCTAssertEqual(request.layout(width: 520).columns.primary.width, 200)
        XCTAssertFalse(request.layout(width: 519).columns.primary.isShown)
        request.widths.primary.minimum = 280
        XCTAssertEqual(request.layout(width: 600).columns.primary.width, 280)
        XCTAssertFalse(request.layout(width: 599).columns.primary.isShown)
        request.widths.primary = SplitWidths(preferred: 120)
        XCTAssertEqual(request.layout(width: 440).columns.primary.width, 120)
        XCTAssertFalse(request.layout(width: 439).columns.primary.isShown)
    }

    func testTheInspectorGivesWayLast() async {
        var request = request()
        request.showsInspector = true
        let layout = request.layout(width: 800)
        XCTAssertEqual(layout.columns.primary.width, 210)
        XCTAssertEqual(layout.columns.inspector.width, 270)
        XCTAssertEqual(layout.columns.secondary.visibleWidth, 320)
        XCTAssertEqual(request.layout(width: 720).columns.inspector.width, 200)
        XCTAssertFalse(request.layout(width: 719).columns.inspector.isShown)
        XCTAssert(request.layout(width: 719).columns.primary.isShown)
    }

    func testWhatTheSecondaryColumnWantsComesBeforeMoreColumns() async {
        var request = request()
        request.widths.secondary.preferred = 700
        XCTAssertEqual(request.layout(width: 900).columns.primary.width, 320, "shown, it gives way to the minimum")
        XCTAssertFalse(request.layout(width: 899).columns.primary.isShown)
        // The app has asked for the column.
        request.columns = 1
        XCTAssertEqual(request.layout(width: 899).columns.primary.width, 320)
        request.columns = nil
        request.widths.secondary = SplitWidths(fraction: 0.75)
        XCTAssertFalse(request.layout(width: 700).columns.primary.isShown)
        XCTAssert(request.layout(width: 800).columns.primary.isShown)
        request.widths.secondary = SplitWidths(minimum: 500)
        XCTAssertEqual(request.layout(width: 720).columns.primary.width, 220)
    }

    // MARK: The properties

    func testWhatIsNoWidthIsIgnoredAndLogged() async throws {
        let app = try TestApp().launched()
        let split = UISplitViewController(style: .tripleColumn)
        split.preferredPrimaryColumnWidth = 250
        let before = app.system.messages.count
        for bad: CGFloat in [.nan, .infinity, -.infinity, -1] {
            split.preferredPrimaryColumnWidth = bad
            split.minimumSecondaryColumnWidth = bad
            split.maximumInspectorColumnWidth = bad
            split.preferredSupplementaryColumnWidthFraction = bad
        }
        XCTAssertEqual(app.system.messages.count, before + 16)
        XCTAssert(app.system.messages.last?.contains("preferredSupplementaryColumnWidthFraction") == true)
        XCTAssertEqual(split.preferredPrimaryColumnWidth, 250)
        for width in [
            split.minimumSecondaryColumnWidth, split.maximumInspectorColumnWidth,
            split.preferredSupplementaryColumnWidthFraction,
        ] {
            XCTAssertEqual(width, UISplitViewController.automaticDimension)
        }
        split.preferredPrimaryColumnWidth = UISplitViewController.automaticDimension
        XCTAssertEqual(split.primaryColumnWidth, 320)
        XCTAssertEqual(app.system.messages.count, before + 16)
    }

    func testFractionsAreAtMost1() async throws {
        _ = try TestApp()
        let split = UISplitViewController(style: .doubleColumn)
        split.preferredPrimaryColumnWidthFraction = 7
        XCTAssertEqual(split.preferredPrimaryColumnWidthFraction, 1)
    }

    func testAllWidthsAreAutomaticAtFirst() async throws {
        _ = try TestApp()
        let split = UISplitViewController(style: .tripleColumn)
        let all = [
            split.preferredPrimaryColumnWidth, split.preferredPrimaryColumnWidthFraction,
            split.minimumPrimaryColumnWidth, split.maximumPrimaryColumnWidth, split.preferredSupplementaryColumnWidth,
            split.preferredSupplementaryColumnWidthFraction, split.minimumSupplementaryColumnWidth,
            split.maximumSupplementaryColumnWidth, split.preferredSecondaryColumnWidth,
            split.preferredSecondaryColumnWidthFraction, split.minimumSecondaryColumnWidth,
            split.preferredInspectorColumnWidth, split.preferredInspectorColumnWidthFraction,
            split.minimumInspectorColumnWidth, split.maximumInspectorColumnWidth,
        ]
        XCTAssertEqual(Set(all), [-CGFloat.greatestFiniteMagnitude])
    }

    func testTheWidthOfAHiddenColumnIsWhatItWouldBe() async throws {
        let app = try SplitApp(.tripleColumn, width: 1_366)
        XCTAssertEqual(app.split.primaryColumnWidth, 320)
        app.split.preferredPrimaryColumnWidth = 260
        XCTAssertEqual(app.split.primaryColumnWidth, 260)
        app.split.hide(.primary)
        XCTAssertEqual(app.split.primaryColumnWidth, 260)
        XCTAssertEqual(app.split.supplementaryColumnWidth, 320)
    }

    func testNoWidthIsNotFinite() async {
        let odd: [CGFloat] = [0, -1, .nan, .infinity, -.infinity, 1e-300, 1e300, .greatestFiniteMagnitude, 5]
        for style in [UISplitViewController.Style.unspecified, .doubleColumn, .tripleColumn] {
            for asked in odd where SplitWidths.accepts(asked) {
                for isStrict in [false, true] {
                    var request = request(style)
                    request.isStrict = isStrict
                    request.showsInspector = true
                    for column in Column.expanded {
                        request.widths[column].preferred = asked
                        request.widths[column].minimum = asked
                    }
                    for behavior in 0...3 {
                        request.preferredBehavior = .init(rawValue: behavior)!
                        request.columns = style.columnsMax
                        for width in odd {
                            let layout = request.layout(width: width)
                            for column in Column.expanded {
                                let place = layout.columns[column]
                                XCTAssert(place.x.isFinite && place.width.isFinite && place.visibleWidth >= 0)
                            }
                            XCTAssertEqual(layout.width.isFinite, true)
                        }
                    }
                }
            }
        }
    }
}
