internal import Settle

/// Keeps events from the future out of the engine: a time later than the clock is taken
/// as the clock's now.
///
/// A producer may look at the clock after the loop did; so the loop looks again before it
/// changes a time.
struct Present {
    /// The latest reading of the clock.
    private var now = Timestamp(nanoseconds: 0)
    /// Events whose times were changed.
    private(set) var clamped: UInt64 = 0
    private let clock: () -> Timestamp

    init(_ clock: @escaping () -> Timestamp) {
        self.clock = clock
    }

    /// A reading of the clock that was needed anyway.
    mutating func note(_ reading: Timestamp) { now = max(now, reading) }

    mutating func clamp(_ events: UnsafeMutableBufferPointer<Event>) {
        if events.hasLater(than: now) { clampLate(events) }
    }

    @inline(never)
    private mutating func clampLate(_ events: UnsafeMutableBufferPointer<Event>) {
        note(clock())
        for index in events.indices where events[index].clamp(to: now) { clamped += 1 }
    }
}

extension UnsafeMutableBufferPointer<Event> {
    /// Four at a time, as every event of a flood passes through it.
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
