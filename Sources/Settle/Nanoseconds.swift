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
}
