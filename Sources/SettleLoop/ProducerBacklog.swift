internal import Settle
internal import SettleClock
internal import SettlePlatform

/// Measures how far a producer that coalesces is ahead of the loop: once in `eventsMax`
/// events, so that it costs a flood little and a slower producer nothing.
///
/// Where more producers than processors run at full rate, the loop waits for its turn among
/// them. So a producer that is ahead yields its processor. If its events still wait for
/// `longestNanoseconds`, it coalesces before its ring is full: the capacity of all rings
/// together is a long time of work.
struct ProducerBacklog {
    /// Events between two measurements, and how many must wait to count as being ahead.
    static let eventsMax = 128
    /// For how long they may wait before the producer coalesces.
    static let longestNanoseconds: UInt64 = 2_000_000

    /// Too many events have waited for too long: the producer coalesces, as if the ring
    /// were full.
    private(set) var isTooOld = false
    private var sinceMeasurement = 0
    /// The ring's end at some time, and that time; the loop has not reached that end yet.
    private var mark: (end: UInt64, at: Timestamp)?

    mutating func isMeasurementDue(afterSending count: Int) -> Bool {
        sinceMeasurement += count
        return sinceMeasurement >= Self.eventsMax
    }

    @inline(never)
    mutating func measure(_ ring: EventRing) {
        sinceMeasurement = 0
        let waiting = ring.waiting
        guard waiting >= Self.eventsMax else {
            mark = nil
            return
        }
        let (end, now) = (ring.pushed, MonotonicClock.now)
        if let mark, end - UInt64(waiting) < mark.end {
            isTooOld = now.nanoseconds - mark.at.nanoseconds >= Self.longestNanoseconds
        } else {
            mark = (end, now)
        }
        yieldProcessor()
    }
}
