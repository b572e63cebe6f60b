public import Settle
internal import SettleClock
public import SettlePlatform

/// Waits until a time of the monotonic clock, on a loop of its own. Use it from one
/// thread at a time.
public final class LoopTimer {
    private let loop: EventLoop

    /// - Throws: `SystemError` if the process has no descriptor left.
    public init() throws(SystemError) {
        loop = try EventLoop()
    }

    /// Returns once the monotonic clock has reached `deadline`, never before.
    public func wait(until deadline: Timestamp) {
        while MonotonicClock.now < deadline {
            loop.wake(at: deadline)
            loop.run(.once)
        }
    }
}
