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

    /// The duration for people, rounded: `820 ns`, `12.5 ms`, `4.21 s`, `3 min 20 s`.
    package var text: String { text(SETTLE_DURATION_ROUNDED) }

    /// The duration for people, exact: `50 ms`, `1.5 s`, `250 µs`.
    var exactText: String { text(SETTLE_DURATION_EXACT) }

    private func text(_ form: settle_duration_form) -> String {
        let below = nanosecondsBelowZero
        return (below > 0 ? "-" : "") + settleText(max(below, wholeNanoseconds), form)
    }
}

/// A number of nanoseconds for people.
func settleText(_ nanoseconds: UInt64, _ form: settle_duration_form) -> String {
    settleText { settle_duration_say(nanoseconds, Int32(form.rawValue), $0) }
}

/// The text that a function of the core writes, of at most `SETTLE_DURATION_BYTES` bytes.
func settleText(_ write: (UnsafeMutablePointer<CChar>?) -> Int) -> String {
    String(unsafeUninitializedCapacity: SETTLE_DURATION_BYTES) { text in
        text.withMemoryRebound(to: CChar.self) { write($0.baseAddress) }
    }
}
