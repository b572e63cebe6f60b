internal import Settle

/// Clamps event times to the clock: a time later than now becomes now.
///
/// A producer may read the clock after the loop did, so the loop reads it again before it
/// changes a time.
struct TimeClamp {
    /// The latest reading of the clock.
    private var now = Timestamp.zero
    /// Events whose times were changed.
    private(set) var clamped: UInt64 = 0
    private let clock: () -> Timestamp

    init(_ clock: @escaping () -> Timestamp) {
        self.clock = clock
    }

    /// Passes on a reading of the clock that was needed anyway.
    mutating func note(_ reading: Timestamp) { now = max(now, reading) }

    mutating func apply(to events: UnsafeMutableBufferPointer<Event>) {
        if events.hasLater(than: now) { clampLater(events) }
    }

    @inline(never)
    private mutating func clampLater(_ events: UnsafeMutableBufferPointer<Event>) {
        note(clock())
        for index in events.indices where events[index].clamp(to: now) { clamped += 1 }
    }
}

extension UnsafeMutableBufferPointer<Event> {
    /// Compares four events at a time, because every event of a flood is compared.
    fileprivate func hasLater(than now: Timestamp) -> Bool {
        guard var event = UnsafePointer(baseAddress) else { return false }
        let end = event + count
        while end - event >= 4 {
            if event[0].at > now || event[1].at > now || event[2].at > now || event[3].at > now { return true }
            event += 4
        }
        while event < end {
            if event.pointee.at > now { return true }
            event += 1
        }
        return false
    }
}
