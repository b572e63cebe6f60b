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
        if events.latestTime > now { clampLate(events) }
    }

    @inline(never)
    private mutating func clampLate(_ events: UnsafeMutableBufferPointer<Event>) {
        note(clock())
        for index in events.indices where events[index].clamp(to: now) { clamped += 1 }
    }
}

extension UnsafeMutableBufferPointer<Event> {
    /// A loop without branches, as every event of a flood passes through it.
    fileprivate var latestTime: Timestamp {
        Timestamp(nanoseconds: reduce(0) { Swift.max($0, $1.at.nanoseconds) })
    }
}

extension Event {
    /// Takes a later time as this one; whether it was later. A time out of range stays,
    /// and the engine rejects it.
    @discardableResult
    mutating func clamp(to now: Timestamp) -> Bool {
        guard at > now, at <= .latest else { return false }
        at = now
        return true
    }
}
