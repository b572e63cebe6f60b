/// What is known of the size of the user's terminal. The terminal says it in two places: in
/// answer to TIOCGWINSZ, which is the truth, and in its reports, which may be late.
struct TerminalSize: Sendable {
    /// `nil` before the first `update`.
    private(set) var size: WindowSize?
    private var isReported = false
    private var hasReportedPixels = false

    /// Takes note of what the terminal says.
    ///
    /// - Parameters:
    ///   - asked: What TIOCGWINSZ answers now.
    ///   - reported: What the terminal has reported, if that is the cause to ask. It is believed
    ///     where TIOCGWINSZ knows no cells, or the same ones without pixels.
    mutating func update(asked: WindowSize, reported: WindowSize? = nil) {
        isReported = asked.hasCells(of: WindowSize()) && (isReported || reported != nil)
        if isReported {
            size = reported ?? size
        } else if asked.hasPixels {
            size = asked
            hasReportedPixels = false
        } else if let reported, reported.hasCells(of: asked) {
            size = reported.hasPixels ? reported : asked
            hasReportedPixels = reported.hasPixels
        } else {
            // The font is the one that was reported.
            size = hasReportedPixels ? size?.resized(rows: asked.rows, columns: asked.columns) : asked
        }
    }
}
