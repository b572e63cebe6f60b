internal import Settle

/// How long before a deadline a sleeping loop asks for its wake-up, learned from how late
/// earlier wake-ups were.
///
/// A wake-up takes 5 µs to 200 µs, depending on how deep the processor slept. The loop reads
/// the clock for the rest of the time, so nothing fires early, and a lead that is too long
/// costs that much processor time per deadline.
struct WakeLead {
    /// Of `nanoseconds`.
    static let bounds: ClosedRange<UInt64> = 20_000...200_000

    private(set) var nanoseconds: UInt64 = 50_000

    /// Learns from a sleep that was to last until `asked` and ended at `woken`.
    ///
    /// A wake-up later than the lead counts sixteen times as much as an earlier one, so about
    /// one in ten is later than the lead.
    mutating func learn(asked: Timestamp, woken: Timestamp) {
        // Something else woke the loop.
        guard woken >= asked else { return }
        let late = min(max(woken.nanoseconds - asked.nanoseconds, Self.bounds.lowerBound), Self.bounds.upperBound)
        if late > nanoseconds {
            nanoseconds += (late - nanoseconds + 1) / 2
        } else {
            nanoseconds -= (nanoseconds - late) / 32
        }
    }
}
