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
        return LiveTable(
            rows: live.rows(at: now), total: live.total(at: now), events: live.events, windows: live.windows)
    }

    private func lines(
        _ layout: inout TableLayout, _ table: LiveTable, _ rows: Int, _ columns: Int, message: String? = nil
    ) -> [[TableLayout.Cell]] {
        layout.lines(table, LogHeader(source: "x11"), rows: rows, columns: columns, message: message)
    }

    private func texts(_ line: [TableLayout.Cell]) -> [String] { line.map(\.text) }

    func testARowPerWindowBetweenHeadAndFoot() throws {
        var layout = TableLayout()
        let lines = lines(&layout, try table(["one", "two"]), 24, 150)
        XCTAssertEqual(lines.count, 24)
        XCTAssertEqual(texts(lines[0]), ["settle watch (x11): 2 windows, 0 dragged, 0 pending, 2 events"])
        XCTAssertEqual(
            texts(lines[1]), ["0 rebuilds saved so far: 2 with Settle, 2 at every size, 2 with a 100 ms debounce"])
        XCTAssertEqual(Array(texts(lines[3])[1...].prefix(4)), ["window", "size", "state", "events/s"])
        XCTAssertEqual(Array(texts(lines[4]).prefix(4)), ["one", "800×600", "resting", "·"])
        XCTAssertEqual(Array(texts(lines[5]).suffix(2)), ["first", "0 s"])
        XCTAssertEqual(texts(lines[23]), ["b busiest first, q quits"])
    }

    /// Rows that differ in every column.
    private var differing: LiveTable {
        typealias Row = LiveScenes.Row
        let rows = [
            Row(
                scene: SceneNumber(rawValue: 0), name: "a", title: "dragged one", id: "0x2a",
                size: Size(width: 1280, height: 720.5), phase: .interacting,
                rates: [0, 1, 3, 8, 60, 200, 500, 1234],
                counts: .init(naive: 91, debounce: 12, settle: 13, previews: 14),
                last: .init(reason: .interactionEnded, lag: .milliseconds(250))),
            Row(
                scene: SceneNumber(rawValue: 1), name: "b", title: "pending one", size: nil, phase: .pending,
                rates: [9, 0, 0, 0, 0, 0, 0, 0],
                counts: .init(naive: 121, debounce: 22, settle: 23, previews: 24), last: nil),
            Row(
                scene: SceneNumber(rawValue: 2), name: "c", title: "gone one", size: Size(width: 1, height: 2),
                phase: .disconnected,
                rates: [0, 0, 0, 0, 0, 0, 0, 5], counts: .init(naive: 131, debounce: 32, settle: 33, previews: 34),
                last: .init(reason: .first, lag: .zero)),
            Row(
                scene: SceneNumber(rawValue: 3), name: "d", title: "resting one", size: Size(width: 3, height: 4),
                phase: .resting,
                rates: [0, 0, 0, 0, 0, 0, 0, 6], counts: .init(naive: 141, debounce: 42, settle: 43, previews: 44),
                last: .init(reason: .discrete, lag: .microseconds(50))),
        ]
        return LiveTable(
            rows: rows, total: .init(naive: 2001, debounce: 1002, settle: 1003, previews: 1004), events: 5678,
            windows: 6)
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
            screen(lines(&layout, differing, 10, 147, message: "the app goes on")),
            """
            settle watch (x11): 4 windows, 1 dragged, 1 pending, 5,678 events
            998 rebuilds saved so far: 1,003 with Settle, 2,001 at every size, 1,002 with a 100 ms debounce

            window                            size     state  events/s  last 8 s  every size  debounce   Settle    saved  previews       last reason        lag
            dragged one          0x2a   1280×720.5   dragged     1,234   ▁▂▃▅▆▇█          91        12       13       78        14  interactionEnded     250 ms
            pending one                          –   pending         ·  ▃                121        22       23       98        24                 –          –
            gone one                           1×2      gone         5         ▂         131        32       33       98        34             first        0 s
            resting one                        3×4   resting         6         ▂         141        42       43       98        44          discrete      50 µs
            the app goes on
            b busiest first, q quits
            """)
        layout.isUTF8 = false
        layout.putsBusiestFirst = true
        XCTAssertEqual(
            screen(lines(&layout, differing, 10, 80)),
            """
            settle watch (x11): 4 windows, 1 dragged, 1 pending, 5,678 events
            998 rebuilds saved so far: 1,003 with Settle, 2,001 at every size, 1,002 with a 100 ms debounce

            window                    size     state  last 8 s  every size   Settle    saved
            dragged one  0x2a   1280×720.5   dragged   .:-+*#@          91       13       78
            resting one                3×4   resting         :         141       43       98
            gone one                   1×2      gone         :         131       33       98
            pending one                  –   pending  -                121       23       98

            b first come first, q quits
            """)
        (layout.isUTF8, layout.putsBusiestFirst) = (true, false)
        let head = """
            settle watch (x11): 4 windows, 1 dragged, 1 pending, 5,678 events
            998 rebuilds saved so far: 1,003 with Settle, 2,001 at every size, 1,002 with a 100 ms debounce

            window                    size     state  every size   Settle    saved

            """
        let pages = [
            """
            dragged one  0x2a   1280×720.5   dragged          91       13       78
            pending one                  –   pending         121       23       98
            1 to 2 of 4: arrows scroll, b busiest first, q quits
            """,
            """
            gone one                   1×2      gone         131       33       98
            resting one                3×4   resting         141       43       98
            3 to 4 of 4: arrows scroll, b busiest first, q quits
            """,
        ]
        XCTAssertEqual(screen(lines(&layout, differing, 7, 70)), head + pages[0])
        layout.scroll(by: layout.page)
        XCTAssertEqual(screen(lines(&layout, differing, 7, 70)), head + pages[1])
        // Of all windows, not of those on the page.
        layout.scroll(by: .min)
        layout.putsBusiestFirst = true
        XCTAssertEqual(
            screen(lines(&layout, differing, 7, 70)),
            head + """
                dragged one  0x2a   1280×720.5   dragged          91       13       78
                resting one                3×4   resting         141       43       98
                1 to 2 of 4: arrows scroll, b first come first, q quits
                """)
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
        // The fewer, the nearer to what was asked: what is saved.
        func titles(_ width: Int) -> [String] {
            var layout = TableLayout()
            return texts(layout.lines(differing, LogHeader(source: "x11"), rows: 9, columns: width, message: nil)[3])
                .filter { !$0.allSatisfy { $0 == " " } }
        }
        XCTAssertEqual(titles(24), ["window"])
        XCTAssertEqual(titles(30), ["window", "Settle"])
        XCTAssertEqual(titles(40), ["window", "Settle", "saved"])
        XCTAssertEqual(titles(60), ["window", "size", "state", "Settle", "saved"])
        XCTAssertEqual(titles(80), ["window", "size", "state", "last 8 s", "every size", "Settle", "saved"])
    }

    func testWindowsThatDoNotFitAreScrolled() throws {
        var layout = TableLayout()
        let table = try table((0..<50).map { "w\($0)" })
        func shown() -> [String] {
            lines(&layout, table, 15, 100)[4..<14].compactMap { $0.first?.text }
        }
        XCTAssertEqual(shown(), (0..<10).map { "w\($0)" })
        XCTAssertEqual(
            texts(lines(&layout, table, 15, 100)[14]), ["1 to 10 of 50: arrows scroll, b busiest first, q quits"])
        layout.scroll(by: 3)
        XCTAssertEqual(shown().first, "w3")
        layout.scroll(by: .max)
        XCTAssertEqual(shown(), (40..<50).map { "w\($0)" })
        layout.scroll(by: 1)
        XCTAssertEqual(shown().last, "w49")
        // A terminal that grows shows more windows, rather than nothing below the last one.
        let taller = lines(&layout, table, 25, 100)
        XCTAssertEqual(taller[4..<24].compactMap { $0.first?.text }, (30..<50).map { "w\($0)" })
        XCTAssertEqual(texts(taller[24]), ["31 to 50 of 50: arrows scroll, b busiest first, q quits"])
        layout.scroll(by: .min)
        layout.scroll(by: -1)
        XCTAssertEqual(shown().first, "w0")
    }

    /// Of those at rest the one that has changed most comes first.
    func testTheBusiestWindowsComeFirst() {
        var layout = TableLayout()
        layout.putsBusiestFirst = true
        let rows = [(0, 5), (0, 9), (3, 1), (0, 9), (3, 2), (4, 0)].enumerated().map { number, busy in
            LiveScenes.Row(
                scene: SceneNumber(rawValue: UInt32(number)), name: "", title: "w\(number)", phase: .resting,
                rates: [99, busy.0], counts: .init(naive: busy.1))
        }
        let table = LiveTable(rows: rows, total: .init(), events: 1, windows: 6)
        XCTAssertEqual(
            lines(&layout, table, 24, 100)[4..<10].compactMap { $0.first?.text }, ["w5", "w4", "w2", "w1", "w3", "w0"])
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
