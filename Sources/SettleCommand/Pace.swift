import Settle
import SettleClock
import SettleLoop
import SettlePlatform

/// Maps the times of a log to the monotonic clock, at a rate.
final class Pace {
    private let first: Timestamp
    private let started: Timestamp
    private let rate: Double
    private let timer: LoopTimer
    private var ticked: Timestamp
    private static let tick: UInt64 = 100_000_000

    init(_ first: Timestamp, rate: Double, timer: LoopTimer) {
        self.first = first
        self.rate = rate
        self.timer = timer
        started = MonotonicClock.now
        ticked = started
    }

    /// The log's current time, since its first event.
    var position: Duration { MonotonicClock.now.duration(since: started) * rate }

    /// The time of the monotonic clock for a time of the log.
    func due(_ time: Timestamp) -> Timestamp {
        let elapsed = max(time.duration(since: first).seconds, 0) / rate * 1e9
        return Timestamp(nanoseconds: started.nanoseconds + UInt64(min(elapsed, 9e18)))
    }

    /// Waits until a time of the log. Calls `tick` ten times per second, and stops waiting as
    /// soon as that returns true.
    func wait(until time: Timestamp, tick: () -> Bool) {
        let target = due(time).nanoseconds
        while MonotonicClock.now.nanoseconds < target {
            let next = ticked.nanoseconds + Self.tick
            if MonotonicClock.now.nanoseconds >= next {
                ticked = MonotonicClock.now
                if tick() { return }
            } else {
                timer.wait(until: Timestamp(nanoseconds: min(target, next)))
            }
        }
    }
}
