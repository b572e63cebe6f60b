import XCTest

@testable import UIKit

/// The width of a column, from what the app and the person ask for.
@MainActor final class SplitWidthTests: XCTestCase {
    private typealias Column = UISplitViewController.Column

    private func request(_ style: UISplitViewController.Style = .doubleColumn) -> SplitRequest {
        SplitRequest(style: style)
    }

    func testTheWidthThatAColumnAsksFor() async {
        let rows: [(String, SplitWidths, Column, in: CGFloat, CGFloat)] = [
            ("the default", SplitWidths(), .primary, 500, 320), ("the default", SplitWidths(), .primary, 3_000, 320),
            ("the default", SplitWidths(), .supplementary, 1_000, 320),
            ("an inspector's default", SplitWidths(), .inspector, 500, 270),
            ("an inspector's default", SplitWidths(), .inspector, 3_000, 270),
            ("an explicit width beats a fraction", SplitWidths(preferred: 280, fraction: 0.1), .primary, 1_000, 280),
            ("a fraction", SplitWidths(fraction: 0.2), .primary, 1_200, 240),
            ("the automatic maximum bounds a fraction", SplitWidths(fraction: 0.5), .primary, 1_200, 320),
            ("an explicit one", SplitWidths(fraction: 0.5, maximum: .greatestFiniteMagnitude), .primary, 1_200, 600),
            ("the automatic maximum and an explicit width", SplitWidths(preferred: 500), .supplementary, 1_200, 500),
            ("the automatic maximum and a dragged width", SplitWidths(dragged: 600), .primary, 1_200, 600),
            ("an inspector's automatic maximum", SplitWidths(fraction: 0.9), .inspector, 1_200, 400),
            ("an inspector's explicit width", SplitWidths(preferred: 450), .inspector, 1_200, 450),
            ("the minimum beats the maximum", SplitWidths(minimum: 300, maximum: 250), .primary, 1_000, 300),
            ("the minimum", SplitWidths(preferred: 100, minimum: 200), .primary, 1_000, 200),
            ("the maximum", SplitWidths(preferred: 500, maximum: 400), .primary, 1_000, 400),
            ("the maximum and a dragged width", SplitWidths(maximum: 100, dragged: 300), .primary, 1_000, 100),
            ("the minimum and the automatic maximum", SplitWidths(minimum: 340), .primary, 1_000, 340),
        ]
        for (name, widths, column, total, expected) in rows {
            XCTAssertEqual(widths.natural(column, in: total), expected, "\(name): \(column) in \(total)")
        }
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

    /// The widths of the primary column, the visible part of the secondary one, and the inspector.
    func testWhichColumnsGiveWayAndHowFar() async {
        let rows: [(String, CGFloat, [CGFloat], (inout SplitRequest) -> Void)] = [
            ("the primary column gives way", 560, [240, 320, 0], { _ in }), ("to 200", 520, [200, 320, 0], { _ in }),
            ("and is hidden", 519, [0, 519, 0], { _ in }),
            ("to its minimum", 600, [280, 320, 0], { $0.widths.primary.minimum = 280 }),
            ("and is hidden", 599, [0, 599, 0], { $0.widths.primary.minimum = 280 }),
            ("to its width", 440, [120, 320, 0], { $0.widths.primary.preferred = 120 }),
            ("and is hidden", 439, [0, 439, 0], { $0.widths.primary.preferred = 120 }),
            ("the inspector gives way last", 800, [210, 320, 270], { $0.showsInspector = true }),
            ("to 200", 720, [200, 320, 200], { $0.showsInspector = true }),
            ("and is hidden first", 719, [320, 399, 0], { $0.showsInspector = true }),
            ("what the secondary column wants", 900, [320, 580, 0], { $0.widths.secondary.preferred = 700 }),
            ("comes before more columns", 899, [0, 899, 0], { $0.widths.secondary.preferred = 700 }),
            (
                "but not before one that the app asked for", 899, [320, 579, 0],
                { ($0.widths.secondary.preferred, $0.columns) = (700, 1) }
            ),
            ("as a fraction", 800, [320, 480, 0], { $0.widths.secondary.fraction = 0.75 }),
            ("as a fraction", 700, [0, 700, 0], { $0.widths.secondary.fraction = 0.75 }),
            ("its minimum", 720, [220, 500, 0], { $0.widths.secondary.minimum = 500 }),
        ]
        for (name, width, expected, change) in rows {
            var request = SplitRequest(style: .doubleColumn)
            change(&request)
            let columns = request.layout(width: width).columns
            let shown = [columns.primary, columns.secondary, columns.inspector].map { $0.isShown ? $0.visibleWidth : 0 }
            XCTAssertEqual(shown, expected, "\(name), at \(width)")
        }
    }

    // MARK: The properties

    private static let widths: [ReferenceWritableKeyPath<UISplitViewController, CGFloat>] = [
        \.preferredPrimaryColumnWidth, \.minimumPrimaryColumnWidth, \.maximumPrimaryColumnWidth,
        \.preferredSupplementaryColumnWidth, \.minimumSupplementaryColumnWidth, \.maximumSupplementaryColumnWidth,
        \.preferredSecondaryColumnWidth, \.minimumSecondaryColumnWidth, \.preferredInspectorColumnWidth,
        \.minimumInspectorColumnWidth, \.maximumInspectorColumnWidth, \.preferredPrimaryColumnWidthFraction,
        \.preferredSupplementaryColumnWidthFraction, \.preferredSecondaryColumnWidthFraction,
        \.preferredInspectorColumnWidthFraction,
    ]

    func testWhatIsNoWidthIsIgnoredAndLogged() async throws {
        let app = try TestApp().launched()
        let split = UISplitViewController(style: .tripleColumn)
        for width in Self.widths {
            XCTAssertEqual(split[keyPath: width], -CGFloat.greatestFiniteMagnitude, "automatic at first: \(width)")
            split[keyPath: width] = 0.5
            let before = app.system.messages.count
            let bounds = [
                \UISplitViewController.maximumPrimaryColumnWidth, \.maximumSupplementaryColumnWidth,
                \.maximumInspectorColumnWidth,
            ]
            let isMaximum = bounds.contains { $0 == width }
            let bad: [CGFloat] = [.nan, -.infinity, -1] + (isMaximum ? [] : [.infinity])
            for bad in bad { split[keyPath: width] = bad }
            XCTAssertEqual(split[keyPath: width], 0.5, "\(width)")
            XCTAssertEqual(app.system.messages.count, before + bad.count, "\(width)")
        }
        XCTAssert(app.system.messages.last?.contains("preferredInspectorColumnWidthFraction") == true)
        split.preferredPrimaryColumnWidthFraction = 7
        XCTAssertEqual(split.preferredPrimaryColumnWidthFraction, 1)
        let logged = app.system.messages.count
        for width in Self.widths { split[keyPath: width] = UISplitViewController.automaticDimension }
        XCTAssertEqual(split.primaryColumnWidth, 320)
        XCTAssertEqual(app.system.messages.count, logged)
    }

    func testNoWidthIsNotFinite() async {
        let odd: [CGFloat] = [0, -1, .nan, .infinity, -.infinity, 1e-300, 1e300, .greatestFiniteMagnitude, 5]
        for style in [UISplitViewController.Style.unspecified, .doubleColumn, .tripleColumn] {
            for asked in odd where SplitWidths.accepts(asked, as: \.preferred) {
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
