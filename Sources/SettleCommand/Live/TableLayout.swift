import CTableScreen
import Settle
import SettleLog
import SettlePlatform

/// Where each text of the table stands. Titles may contain anything; they are escaped.
struct TableLayout {
    /// A text on the screen.
    struct Cell: Hashable {
        var column: Int
        var width: Int
        var text: String
        var alignsRight = false
        /// Bits of `terminal_style`.
        var style: Int32 = 0
    }

    /// One column of the table.
    private struct Column: Sendable {
        let title: String
        let width: Int
        /// Columns of least importance are left out first where the terminal is narrow.
        let importance: Int
        let text: @Sendable (LiveScenes.Row, _ isUTF8: Bool) -> String

        init(
            title: String, width: Int, importance: Int, _ text: @escaping @Sendable (LiveScenes.Row) -> String
        ) {
            self.init(title: title, width: width, importance: importance) { row, _ in text(row) }
        }

        init(
            title: String, width: Int, importance: Int,
            _ text: @escaping @Sendable (LiveScenes.Row, _ isUTF8: Bool) -> String
        ) {
            (self.title, self.width, self.importance, self.text) = (title, width, importance, text)
        }
    }

    /// Whether the windows with the most events in the last second come first.
    var putsBusiestFirst = false
    /// Whether the curve may have more than ASCII.
    var isUTF8 = true

    /// The first row shown, and how many rows there are and fit.
    private var first = 0
    private var rows = 0
    private(set) var page = 1

    private static let titleWidthMin = 16
    private static let columns = [
        Column(title: "size", width: 11, importance: 8) { $0.size.map(TableLayout.text) ?? "–" },
        Column(title: "state", width: 8, importance: 9) {
            $0.last?.isFeedback == true ? "feedback" : TableLayout.word($0.phase)
        },
        Column(title: "events/s", width: 8, importance: 4) {
            $0.eventsPerSecond == 0 ? "·" : grouped($0.eventsPerSecond)
        },
        Column(title: "last 8 s", width: EventRate.seconds, importance: 6) { TableLayout.curve($0.rates, $1) },
        Column(title: "every size", width: 10, importance: 7) { grouped($0.counts.naive) },
        Column(title: "debounce", width: 8, importance: 5) { grouped($0.counts.debounce) },
        Column(title: "Settle", width: 7, importance: 11) { grouped($0.counts.settle) },
        Column(title: "saved", width: 7, importance: 10) { grouped($0.counts.saved) },
        Column(title: "previews", width: 8, importance: 1) { grouped($0.counts.previews) },
        Column(title: "last reason", width: 16, importance: 3) { $0.last?.reason.rawValue ?? "–" },
        Column(title: "lag", width: 9, importance: 2) { $0.last?.lag.text ?? "–" },
    ]

    /// A character for each second: higher by a step for about three times as many events, the highest one from
    /// a thousand on.
    static func curve(_ rates: [Int], _ isUTF8: Bool) -> String {
        let steps = Array(isUTF8 ? " ▁▂▃▄▅▆▇█" : " .:-=+*#@")
        return String(rates.map { $0 == 0 ? steps[0] : steps[min(8, 1 + Int(log2(Double($0)) * 0.7))] })
    }

    /// Scrolls by a number of rows, as far as there are any.
    mutating func scroll(by step: Int) {
        let last = max(0, rows - page)
        first = step == .min ? 0 : step == .max ? last : min(max(0, first + step), last)
    }

    /// The picture, line by line from the top.
    mutating func lines(
        _ table: LiveTable, _ header: LogHeader, rows height: Int, columns width: Int, message: String?
    ) -> [[Cell]] {
        let footer = message == nil ? 1 : 2
        page = max(1, height - 4 - footer)
        rows = table.rows.count
        scroll(by: 0)
        let shown = sorted(table.rows).dropFirst(first).prefix(page)
        let bold = Int32(TERMINAL_BOLD.rawValue)
        let dim = Int32(TERMINAL_DIM.rawValue)
        var lines: [[Cell]] = [
            [Cell(column: 0, width: width, text: Self.summary(table, header), style: bold)],
            [Cell(column: 0, width: width, text: Self.savings(table.total))],
            [],
            cells(title: "window", id: nil, width, style: Int32(TERMINAL_REVERSE.rawValue)) { $0.title },
        ]
        for row in shown {
            let style = row.phase == .resting ? 0 : bold
            lines.append(
                cells(title: row.title.escaped, id: row.id?.escaped, width, style: style) { $0.text(row, isUTF8) })
        }
        while lines.count < height - footer { lines.append([]) }
        if let message { lines.append([Cell(column: 0, width: width, text: message.escaped)]) }
        let range =
            rows > page ? "\(first + 1) to \(first + shown.count) of \(grouped(rows)): arrows scroll, " : ""
        let order = putsBusiestFirst ? "b first come first, " : "b busiest first, "
        lines.append([Cell(column: 0, width: width, text: range + order + "q quits", style: dim)])
        return lines
    }

    private func sorted(_ rows: [LiveScenes.Row]) -> [LiveScenes.Row] {
        guard putsBusiestFirst else { return rows }
        // Of those at rest, the one that has changed most.
        func rank(_ row: LiveScenes.Row) -> (Int, Int, Int) {
            (-row.eventsPerSecond, -row.counts.naive, Int(row.scene.rawValue))
        }
        return rows.sorted { rank($0) < rank($1) }
    }

    /// One row of the table: the title, with an identifier at the end of its column, and as many columns as fit.
    private func cells(
        title: String, id: String?, _ width: Int, style: Int32, _ text: (Column) -> String
    ) -> [Cell] {
        let columns = Self.fitting(width)
        let titleWidth = width - columns.reduce(0) { $0 + $1.width + 2 }
        let idWidth = min(id?.count ?? 0, max(0, titleWidth - 1))
        var cells = [
            Cell(column: 0, width: max(0, titleWidth - (idWidth > 0 ? idWidth + 1 : 0)), text: title, style: style)
        ]
        if let id, idWidth > 0 {
            cells.append(Cell(column: titleWidth - idWidth, width: idWidth, text: id, style: style))
        }
        if style & Int32(TERMINAL_REVERSE.rawValue) != 0 {
            cells.insert(Cell(column: 0, width: width, text: String(repeating: " ", count: width), style: style), at: 0)
        }
        var column = titleWidth
        for item in columns {
            cells.append(Cell(column: column + 2, width: item.width, text: text(item), alignsRight: true, style: style))
            column += item.width + 2
        }
        return cells
    }

    private static func fitting(_ width: Int) -> [Column] {
        var columns = columns
        while !columns.isEmpty, columns.reduce(titleWidthMin, { $0 + $1.width + 2 }) > width {
            let least = columns.map(\.importance).min()
            columns.removeAll { $0.importance == least }
        }
        return columns
    }

    private static func summary(_ table: LiveTable, _ header: LogHeader) -> String {
        let dragged = table.rows.count { $0.phase == .interacting }
        let pending = table.rows.count { $0.phase == .pending }
        return "settle watch (\(header.source)): \(counted(table.rows.count, "window")), \(grouped(dragged)) dragged, "
            + "\(grouped(pending)) pending, \(counted(table.events, "event"))"
    }

    private static func savings(_ total: LiveScenes.Counts) -> String {
        "\(counted(total.saved, "rebuild")) saved so far: \(grouped(total.settle)) with Settle,"
            + " \(grouped(total.naive)) at every size, \(grouped(total.debounce)) with a 100 ms debounce"
    }

    private static func text(_ size: Size) -> String { "\(short(size.width, 2))×\(short(size.height, 2))" }

    private static func word(_ phase: ScenePhase) -> String {
        switch phase {
        case .disconnected: "gone"
        case .resting: "resting"
        case .interacting: "dragged"
        case .pending: "pending"
        }
    }
}
