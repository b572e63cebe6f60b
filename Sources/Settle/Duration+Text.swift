internal import CSettle

/// Durations as text with a unit: `50ms`, `1.5s`, `250us`. Options, policies and their
/// encodings use one syntax: digits, at most one point, and a unit; zero needs none.
extension Duration {
    /// Whole nanoseconds of a text, rounded to the nearest; `.max` for more than 64 bits hold,
    /// `nil` for a text that is no duration.
    package static func nanoseconds(of text: String) -> UInt64? {
        var nanoseconds: UInt64 = 0
        return text.withCString { settle_duration_read($0, text.utf8.count, &nanoseconds) } ? nanoseconds : nil
    }

    /// The duration in this syntax, exact to the nanosecond: `50ms`, `1.5s`, `0s`.
    package var withUnit: String {
        settleText { settle_duration_write(wholeNanoseconds, $0) }
    }
}

/// The text that a function of the core writes, of at most `SETTLE_DURATION_BYTES` bytes.
func settleText(_ write: (UnsafeMutablePointer<CChar>?) -> Int) -> String {
    String(unsafeUninitializedCapacity: Int(SETTLE_DURATION_BYTES)) { text in
        text.withMemoryRebound(to: CChar.self) { write($0.baseAddress) }
    }
}
