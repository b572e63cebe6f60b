internal import Settle

/// How long before a deadline a sleeping loop asks to be woken, learned from how late it
/// was woken before.
///
/// Waking takes a thread from 5 µs to 200 µs, as deep as the processor slept. The loop
/// looks at the clock for what is left, so nothing fires before its time, and a lead too
/// long costs no more than that much of a processor for a deadline.
struct WakeLead {
    /// Of `nanoseconds`.
    static let bounds: ClosedRange<UInt64> = 20_000...200_000

    private(set) var nanoseconds: UInt64 = 50_000

    /// A sleep that was to last until `asked` ended at `woken`.
    ///
    /// What came later than the lead counts sixteen times what came sooner, so about one
    /// wake-up in ten stays later than the lead.
    mutating func learn(asked: Timestamp, woken: Timestamp) {
        // Woken by something else.
        guard woken >= asked else { return }
        let late = min(max(woken.nanoseconds - asked.nanoseconds, Self.bounds.lowerBound), Self.bounds.upperBound)
        if late > nanoseconds {
            nanoseconds += (late - nanoseconds + 1) / 2
        } else {
            nanoseconds -= (nanoseconds - late) / 32
        }
    }
}
