extension Duration {
    /// 2^63 − 1 ns: the longest time between two events. Durations are compared with it before
    /// their components are read: `components` stops the program for more than 2^63 seconds.
    static let most = Duration.nanoseconds(Int64.max)

    /// Whole nanoseconds; 0 for a negative duration, at most 2^63 − 1.
    package var wholeNanoseconds: UInt64 {
        guard self > .zero else { return 0 }
        guard self < .most else { return Timestamp.latest.nanoseconds }
        let (seconds, attoseconds) = components
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
    }

    /// Whole nanoseconds of a negative duration's magnitude; 0 for a positive one, at most
    /// 2^63 − 1.
    var nanosecondsBelowZero: UInt64 {
        guard self < .zero else { return 0 }
        guard self > .zero - .most else { return Timestamp.latest.nanoseconds }
        let (seconds, attoseconds) = components
        return UInt64(-seconds) * 1_000_000_000 + UInt64(-attoseconds) / 1_000_000_000
    }

    /// For a person: `50 ms`, `1.5 s`, `250 µs`.
    var text: String {
        if self < .zero { return "-" + Duration.text(nanosecondsBelowZero) }
        return Duration.text(wholeNanoseconds)
    }

    private static func text(_ nanoseconds: UInt64) -> String {
        switch nanoseconds {
        case 0: "0 s"
        case ..<1_000: "\(nanoseconds) ns"
        case ..<1_000_000: "\(text(ofNanoseconds: nanoseconds, unit: 1_000)) µs"
        case ..<1_000_000_000: "\(text(ofNanoseconds: nanoseconds, unit: 1_000_000)) ms"
        default: "\(text(ofNanoseconds: nanoseconds, unit: 1_000_000_000)) s"
        }
    }

    /// A number of units of so many nanoseconds, exact and without trailing zeros.
    static func text(ofNanoseconds nanoseconds: UInt64, unit: UInt64) -> String {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: unit)
        if rest == 0 { return "\(whole)" }
        // The unit's zeros are the digits of the fraction.
        var fraction = String(unit + rest).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return "\(whole).\(fraction)"
    }
}
