import Settle
import SettleLog
import XCTest

@testable import SettleCommand

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
        XCTAssertEqual(texts(lines[0]), ["settle watch (x11): 2 windows, 0 dragged, 0 pending, 2 events"])
        XCTAssertEqual(
            texts(lines[1]), ["rebuilds so far: 2 at every change, 2 with a 100 ms debounce, 2 with Settle"])
        XCTAssertEqual(Array(texts(lines[3])[1...].prefix(4)), ["window", "size", "state", "events/s"])
        XCTAssertEqual(Array(texts(lines[4]).prefix(4)), ["one", "800×600", "resting", "·"])
        XCTAssertEqual(Array(texts(lines[5]).suffix(2)), ["first", "0 s"])
        XCTAssertEqual(texts(lines[23]), ["q quits"])
    }

    /// Rows that differ in every column.
    private var differing: LiveTable {
        typealias Row = LiveScenes.Row
        let rows = [
            Row(
                scene: SceneNumber(rawValue: 0), name: "a", title: "dragged one",
                size: Size(width: 1280, height: 720.5), phase: .interacting,
                eventsPerSecond: 1234, counts: .init(naive: 11, debounce: 12, settle: 13, previews: 14),
                last: .init(reason: .interactionEnded, lag: .milliseconds(250))),
            Row(
                scene: SceneNumber(rawValue: 1), name: "b", title: "pending one", size: nil, phase: .pending,
                eventsPerSecond: 0,
                counts: .init(naive: 21, debounce: 22, settle: 23, previews: 24), last: nil),
            Row(
                scene: SceneNumber(rawValue: 2), name: "c", title: "gone one", size: Size(width: 1, height: 2),
                phase: .disconnected,
                eventsPerSecond: 5, counts: .init(naive: 31, debounce: 32, settle: 33, previews: 34),
                last: .init(reason: .first, lag: .zero)),
            Row(
                scene: SceneNumber(rawValue: 3), name: "d", title: "resting one", size: Size(width: 3, height: 4),
                phase: .resting,
                eventsPerSecond: 6, counts: .init(naive: 41, debounce: 42, settle: 43, previews: 44),
                last: .init(reason: .discrete, lag: .microseconds(50))),
        ]
        return LiveTable(
            rows: rows, total: .init(naive: 1001, debounce: 1002, settle: 1003, previews: 1004), events: 5678)
    }

    /// The screen as a person sees it.
    private func screen(_ lines: [[TableLayout.Cell]]) -> String {
        lines.map { line in
            var text: [Character] = []
            for cell in line {
                let padding = cell.alignsRight ? cell.width - cell.text.count : 0
                let end = cell.column + padding + cell.text.count
                while text.count < end { text.append(" ") }
                for (index, character) in cell.text.enumerated() { text[cell.column + padding + index] = character }
            }
            while text.last == " " { text.removeLast() }
            return String(text)
        }.joined(separator: "\n")
    }

    func testTheWholeScreenByItsText() throws {
        var layout = TableLayout()
        XCTAssertEqual(
            screen(lines(&layout, differing, 10, 132, message: "the app goes on")),
            """
            settle watch (x11): 4 windows, 1 dragged, 1 pending, 5,678 events
            rebuilds so far: 1,001 at every change, 1,002 with a 100 ms debounce, 1,003 with Settle

            window                                    size     state  events/s    naive   100 ms   Settle  previews       last reason        lag
            dragged one                         1280×720.5   dragged     1,234       11       12       13        14  interactionEnded     250 ms
            pending one                                  –   pending         ·       21       22       23        24                 –          –
            gone one                                   1×2      gone         5       31       32       33        34             first        0 s
            resting one                                3×4   resting         6       41       42       43        44          discrete      50 µs
            the app goes on
            q quits
            """)
        let head = """
            settle watch (x11): 4 windows, 1 dragged, 1 pending, 5,678 events
            rebuilds so far: 1,001 at every change, 1,002 with a 100 ms debounce, 1,003 with Settle

            window                       size     state    naive   100 ms   Settle

            """
        let pages = [
            """
            dragged one            1280×720.5   dragged       11       12       13
            pending one                     –   pending       21       22       23
            1 to 2 of 4: arrows scroll, q quits
            """,
            """
            gone one                      1×2      gone       31       32       33
            resting one                   3×4   resting       41       42       43
            3 to 4 of 4: arrows scroll, q quits
            """,
        ]
        XCTAssertEqual(screen(lines(&layout, differing, 7, 70)), head + pages[0])
        layout.scroll(by: layout.page)
        XCTAssertEqual(screen(lines(&layout, differing, 7, 70)), head + pages[1])
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
