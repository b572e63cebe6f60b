internal import SettlePlatform

/// The size of a terminal as its programs ask for it: in cells, and in pixels where the terminal
/// knows them.
struct WindowSize: Hashable, Sendable {
    var rows: UInt16 = 0
    var columns: UInt16 = 0
    /// Of the whole window; 0 if unknown.
    var heightPx: UInt16 = 0
    var widthPx: UInt16 = 0

    /// Whether both have the same rows and columns.
    func hasCells(of other: WindowSize) -> Bool { rows == other.rows && columns == other.columns }

    /// Whether the terminal knows them.
    var hasPixels: Bool { heightPx > 0 && widthPx > 0 }

    /// The pixels of one cell. A window's edge may add less than a cell to it, which the
    /// division drops.
    private var cellPx: (height: UInt16, width: UInt16) {
        (rows == 0 ? 0 : heightPx / rows, columns == 0 ? 0 : widthPx / columns)
    }

    /// Whether both have the same cells, of another size in pixels: another font.
    func hasOtherFont(than other: WindowSize) -> Bool { hasCells(of: other) && cellPx != other.cellPx }

    /// This many cells, of this font.
    func resized(rows: UInt16, columns: UInt16) -> WindowSize {
        if rows == self.rows, columns == self.columns { return self }
        return WindowSize(
            rows: rows, columns: columns,
            heightPx: UInt16(clamping: Int(rows) * Int(cellPx.height)),
            widthPx: UInt16(clamping: Int(columns) * Int(cellPx.width)))
    }

    /// The report of this size that a program asks for with mode 2048.
    var report: [UInt8] { Array("\u{1B}[48;\(rows);\(columns);\(heightPx);\(widthPx)t".utf8) }

    /// The size in a report's parameters, the bytes between `ESC [ 48 ;` and `t`; `nil` if they
    /// are none of a report. A parameter may have further parts after a colon.
    init?(parameters: some Collection<UInt8>) {
        var numbers: [UInt16] = []
        for parameter in parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
            let digits = parameter.prefix { $0 != UInt8(ascii: ":") }
            guard let number = UInt16(String(decoding: digits, as: UTF8.self)) else { return nil }
            numbers.append(number)
        }
        guard numbers.count == 4 else { return nil }
        self.init(rows: numbers[0], columns: numbers[1], heightPx: numbers[2], widthPx: numbers[3])
    }

    init(rows: UInt16 = 0, columns: UInt16 = 0, heightPx: UInt16 = 0, widthPx: UInt16 = 0) {
        self.rows = rows
        self.columns = columns
        self.heightPx = heightPx
        self.widthPx = widthPx
    }

    /// The size of an open terminal; `nil` if it has hung up.
    init?(of terminal: Int32) {
        var size = winsize()
        guard ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        self.init(rows: size.ws_row, columns: size.ws_col, heightPx: size.ws_ypixel, widthPx: size.ws_xpixel)
    }

    /// Gives the size to a terminal. The kernel sends SIGWINCH to its foreground process group if
    /// this changes anything.
    func set(of terminal: Int32) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: widthPx, ws_ypixel: heightPx)
        _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
    }
}
