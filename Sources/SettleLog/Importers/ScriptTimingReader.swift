internal import CSettle
internal import Settle

/// Reads what `script --logging-format advanced` of util-linux writes of a session's times: a letter, the seconds since
/// the line before, and a value. `H` lines have the size at the start, `S` lines a signal, of which SIGWINCH has the
/// new size (`log_info` and `log_signal` in term-utils/script.c).
final class ScriptTimingReader: FormatReader {
    let header = LogHeader(clock: "monotonic", unit: "cell", source: "script")
    let scenes = SceneNames()
    private let lines: LineInput
    private var count = ForeignCount("lines of times")
    private var elapsedNanoseconds: UInt64 = 0
    private var columns: Int64?
    private var rows: Int64?

    /// A session of more than a century is a fault.
    static let nanosecondsMax: UInt64 = 4_000_000_000_000_000_000

    init(_ input: ByteInput) { lines = LineInput(input) }

    var foreign: ForeignCount? { count }
    var notes: [String] {
        ["A terminal's session does not say when the user was resizing. Its sizes are in character cells."]
            + [count.note].compactMap(\.self)
    }

    func read(into batch: EventBatch) throws(LogError) -> Bool {
        while !batch.isFull {
            // Return the events that have arrived before waiting for more: a pipe may be live.
            guard let line = try lines.next(waiting: batch.count == 0) else { return !lines.isAtEnd }
            if line.isEmpty { continue }
            var text = TextScanner(line)
            guard let letter = text.run(\.isASCIILetter), letter.count == 1, text.skip(" "),
                let nanoseconds = Self.nanoseconds(&text)
            else {
                count.skip(line: lines.number)
                continue
            }
            guard nanoseconds <= Self.nanosecondsMax - elapsedNanoseconds else {
                throw lines.fault("the times add up to more than \(Self.nanosecondsMax / 1_000_000_000) seconds")
            }
            count.known += 1
            elapsedNanoseconds += nanoseconds
            guard let size = try size(letter[0], &text) else { continue }
            // The rest of a number may be missing.
            if lines.isLastAndUnfinished { throw lines.fault("the last size is cut off", .truncated) }
            let at = Timestamp(nanoseconds: elapsedNanoseconds)
            batch.append(.geometry(scenes.number(of: "terminal"), at: at, size: size), at: .line(lines.number))
        }
        return true
    }

    /// Reads seconds; further digits than nanoseconds need are left out.
    static func nanoseconds(_ text: inout TextScanner) -> UInt64? {
        guard let whole = text.unsigned() else { return nil }
        var unit: UInt64 = 1_000_000_000
        var value = min(whole, Self.nanosecondsMax / unit + 1) * unit
        guard text.skip(".") else { return value }
        guard let digits = text.run(\.isASCIIDigit) else { return nil }
        for digit in digits.prefix(9) {
            unit /= 10
            value += UInt64(digit & 0x0F) * unit
        }
        return value
    }

    /// The size that a line states; at the start, once both sides are known.
    private func size(_ letter: UInt8, _ text: inout TextScanner) throws(LogError) -> Size? {
        if letter == UInt8(ascii: "H") {
            if text.skip(" COLUMNS ") {
                columns = text.signed()
            } else if text.skip(" LINES ") {
                rows = text.signed()
            } else {
                return nil
            }
            guard let columns, let rows else { return nil }
            return Size(width: Double(columns), height: Double(rows))
        }
        guard letter == UInt8(ascii: "S"), text.skip(" SIGWINCH ") else { return nil }
        guard text.skip("ROWS="), let rows = text.signed(), text.skip(" COLS="), let columns = text.signed(),
            text.isAtEnd
        else {
            throw lines.fault(
                "SIGWINCH without ROWS= and COLS=", lines.isLastAndUnfinished ? .truncated : .malformed)
        }
        return Size(width: Double(columns), height: Double(rows))
    }
}

extension LogFormat {
    /// The times of a terminal's session by `script`. Only in the advanced format do lines begin with a letter.
    public static let script = LogFormat(
        SETTLE_FORMAT_SCRIPT,
        makeReader: { input throws(LogError) in
            guard try input.peek(1).first?.isASCIIDigit ?? false else { return ScriptTimingReader(input) }
            return ScriptOutput(input, output: try ScriptOutput.output(of: input))
        })
}
