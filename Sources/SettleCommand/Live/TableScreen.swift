import CTableScreen
import Settle
import SettleClock
import SettleLog
import SettlePlatform

/// The table of live scenes in a terminal. One screen at a time, used by one thread after another.
final class TableScreen: @unchecked Sendable {
    /// The shortest time between two pictures.
    static let interval: UInt64 = 100_000_000

    private let header: LogHeader
    private var isOpen = true
    private var layout = TableLayout()

    /// - Throws: `Failure` if the terminal cannot show a table.
    init(header: LogHeader, putsBusiestFirst: Bool) throws {
        if let problem = table_screen_open() { throw Failure(code: .io, message: String(cString: problem)) }
        // Last: with all properties set, `deinit` also runs when an initializer throws.
        self.header = header
        layout.putsBusiestFirst = putsBusiestFirst
        layout.isUTF8 = table_screen_is_utf8() != 0
    }

    deinit { close() }

    /// Restores the terminal.
    func close() {
        if isOpen { table_screen_close() }
        isOpen = false
    }

    func show(_ table: LiveTable, message: String?) {
        var (rows, columns): (Int32, Int32) = (0, 0)
        table_screen_begin(&rows, &columns)
        let lines = layout.lines(table, header, rows: Int(rows), columns: Int(columns), message: message)
        for (row, line) in lines.enumerated() {
            for cell in line {
                let width = cell.alignsRight ? cell.width : Int(columns) - cell.column
                let padding = cell.alignsRight ? max(0, cell.width - cell.text.count) : 0
                _ = table_screen_put(
                    Int32(row), Int32(cell.column + padding), Int32(min(width, cell.width) - padding), cell.text,
                    cell.style)
            }
        }
        table_screen_show()
    }

    /// Waits for keys, and obeys them.
    ///
    /// - Returns: Whether the table is to be left.
    /// - Throws: `Failure` if the terminal has closed.
    func waitForKey(until time: Timestamp) throws -> Bool {
        let rest = Int64(clamping: time.nanoseconds) - Int64(clamping: MonotonicClock.now.nanoseconds)
        let isReadable = waitUntilReadable(0, nanoseconds: max(0, rest))
        var keys = 0
        while case let key = table_screen_key(), key != 0 {
            keys += 1
            switch key {
            case Int32(UInt8(ascii: "q")), 3: return true
            case Int32(UInt8(ascii: "b")): layout.putsBusiestFirst.toggle()
            case Int32(TERMINAL_UP), Int32(UInt8(ascii: "k")): layout.scroll(by: -1)
            case Int32(TERMINAL_DOWN), Int32(UInt8(ascii: "j")): layout.scroll(by: 1)
            case Int32(TERMINAL_PAGE_UP): layout.scroll(by: -layout.page)
            case Int32(TERMINAL_PAGE_DOWN), Int32(UInt8(ascii: " ")): layout.scroll(by: layout.page)
            case Int32(TERMINAL_HOME): layout.scroll(by: .min)
            case Int32(TERMINAL_END): layout.scroll(by: .max)
            default: break
            }
        }
        if isReadable, keys == 0 { try check() }
        return false
    }

    /// - Throws: `Failure` if nobody will ever write to standard input again.
    func check() throws {
        var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        guard poll(&input, 1, 0) > 0, input.revents & Int16(POLLHUP | POLLERR) != 0 else { return }
        throw Failure(code: .io, message: "the terminal has closed")
    }
}
