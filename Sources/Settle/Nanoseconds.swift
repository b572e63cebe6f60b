extension Duration {
    /// Whole nanoseconds; 0 for a negative duration, at most 2^63 − 1.
    package var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 9_000_000_000 else { return Timestamp.latest.nanoseconds }
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
    }
}

extension Timestamp {
    /// So much later, at most `latest`.
    package func after(_ nanoseconds: UInt64) -> Timestamp {
        let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
        return overflow ? .latest : min(Timestamp(nanoseconds: sum), .latest)
    }
}
