import Settle
import SettleLog
import XCTest

@testable import SettleCommand
@testable import SettleReport

/// Where the texts of the table of `settle watch` stand.
final class TableLayoutTests: XCTestCase {
    private func table(_ titles: [String]) throws -> LiveTable {
        let names = SceneNames()
        let live = try LiveScenes(policy: .default)
        for (index, title) in titles.enumerated() {
            let scene = names.number(of: "window \(index)")
            let at = Timestamp(nanoseconds: UInt64(index) * 1_000_000)
            try live.add(.geometry(scene, at: at, size: Size(width: 800, height: 600)), names: names) { _, _ in }
            live.setTitle(title, of: scene, names: names)
        }
        let now = Timestamp(nanoseconds: 5_000_000_000)
        live.advance(to: now, names: names) { _, _ in }
        return LiveTable(rows: live.rows(at: now), total: live.total(at: now), events: live.events)
    }

    private func lines(
        _ layout: inout TableLayout, _ table: LiveTable, _ rows: Int, _ columns: Int, message: String? = nil
    ) -> [[TableLayout.Cell]] {
        layout.lines(table, LogHeader(source: "x11"), rows: rows, columns: columns, message: message)
    }

    private func texts(_ line: [TableLayout.Cell]) -> [String] { line.map(\.text) }

    func testARowPerWindowBetweenHeadAndFoot() throws {
        var layout = TableLayout()
        let lines = lines(&layout, try table(["one", "two"]), 24, 120)
        XCTAssertEqual(lines.count, 24)
        XCTAssertEqual(texts(lines[0]), ["settle watch (x11): 2 windows, 0 dragged, 0 owing, 2 events"])
        XCTAssertEqual(
            texts(lines[1]), ["rebuilds so far: 2 at every change, 2 with a 100 ms debounce, 2 with Settle"])
        XCTAssertEqual(Array(texts(lines[3])[1...].prefix(4)), ["window", "size", "state", "events/s"])
        XCTAssertEqual(Array(texts(lines[4]).prefix(4)), ["one", "800×600", "resting", "·"])
        XCTAssertEqual(Array(texts(lines[5]).suffix(2)), ["first", "0 s"])
        XCTAssertEqual(texts(lines[23]), ["q quits"])
    }

    func testOfANarrowTerminalTheLeastImportantColumnsAreLeftOut() throws {
        for width in 1...200 {
            var layout = TableLayout()
            let lines = lines(&layout, try table(["one"]), 24, width)
            let cells = lines[4]
            XCTAssertLessThanOrEqual(cells.map { $0.column + $0.width }.max() ?? 0, max(width, 0), "width \(width)")
            for (a, b) in zip(cells, cells.dropFirst()) {
                XCTAssertLessThanOrEqual(a.column + a.width, b.column, "width \(width)")
            }
        }
        var layout = TableLayout()
        let narrow = texts(lines(&layout, try table(["one"]), 24, 60)[3])
        XCTAssertTrue(narrow.contains("Settle") && narrow.contains("state"), "\(narrow)")
        XCTAssertFalse(narrow.contains("previews"), "\(narrow)")
    }

    func testWindowsThatDoNotFitAreScrolled() throws {
        var layout = TableLayout()
        let table = try table((0..<50).map { "w\($0)" })
        func shown() -> [String] {
            lines(&layout, table, 15, 100)[4..<14].compactMap { $0.first?.text }
        }
        XCTAssertEqual(shown(), (0..<10).map { "w\($0)" })
        XCTAssertEqual(texts(lines(&layout, table, 15, 100)[14]), ["1 to 10 of 50: arrows scroll, q quits"])
        layout.scroll(by: 3)
        XCTAssertEqual(shown().first, "w3")
        layout.scroll(by: .max)
        XCTAssertEqual(shown().last, "w49")
        layout.scroll(by: 1)
        XCTAssertEqual(shown().last, "w49")
        layout.scroll(by: .min)
        layout.scroll(by: -1)
        XCTAssertEqual(shown().first, "w0")
    }

    func testTheSmallestTerminalsAreNoError() throws {
        let table = try table((0..<5).map { "w\($0)" })
        for rows in 1...8 {
            for columns in 1...8 {
                var layout = TableLayout()
                _ = lines(&layout, table, rows, columns, message: "a message")
                layout.scroll(by: layout.page)
            }
        }
    }

    func testNothingOfATitleCommandsTheTerminal() throws {
        var layout = TableLayout()
        let lines = lines(&layout, try table(["a\u{1B}[2Jb"]), 24, 100, message: "c\u{7}d")
        XCTAssertEqual(lines[4][0].text, "a\\u001b[2Jb")
        XCTAssertEqual(texts(lines[22]), ["c\\u0007d"])
    }
}
