internal import Settle
internal import SettlePlatform

#if canImport(Glibc)
    internal import Glibc
#endif

/// How far a producer that coalesces is ahead of the loop. It looks once in so many
/// events, so that it costs a flood next to nothing and anything slower nothing at all.
///
/// Where more producers than processors run at full rate, the loop waits for its turn
/// among them. So a producer that is ahead lets others have its processor; and if the
/// loop does not get through all the same, what waits must not grow up to the capacity of
/// all rings, which is a long time of work.
struct Lead {
    /// Events between two looks, and how many must wait to count as being ahead.
    static let eventsAhead = 128
    /// For how long they may wait before the producer coalesces.
    static let longestNanoseconds: UInt64 = 2_000_000

    /// Too many events have waited too long: the producer coalesces, as if the ring were full.
    private(set) var isTooLong = false
    private var sinceLook = 0
    /// Where the ring's end was at some time, and that time; the loop has not got there yet.
    private var mark: (end: UInt64, at: Timestamp)?

    mutating func isToBeMeasured(afterSending count: Int) -> Bool {
        sinceLook += count
        return sinceLook >= Self.eventsAhead
    }

    @inline(never)
    mutating func measure(_ ring: EventRing) {
        sinceLook = 0
        let waiting = ring.waiting
        guard waiting >= Self.eventsAhead else {
            mark = nil
            return
        }
        let (end, now) = (ring.pushed, MonotonicClock.now)
        if let mark, end - UInt64(waiting) < mark.end {
            isTooLong = now.nanoseconds - mark.at.nanoseconds >= Self.longestNanoseconds
        } else {
            mark = (end, now)
        }
        sched_yield()
    }
}
