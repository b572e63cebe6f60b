public import Settle
public import SettlePlatform

/// Waits until a time of the monotonic clock, never less, on a libuv loop of its own.
///
/// Use it from one thread.
public final class LoopTimer {
    private let loop: EventLoop

    public init() throws(LoopError) {
        loop = try EventLoop()
    }

    /// The monotonic clock now.
    public var now: Timestamp { MonotonicClock.now }

    /// Runs the loop until the monotonic clock has reached `deadline`.
    public func wait(until deadline: Timestamp) {
        while now < deadline {
            loop.wake(at: deadline)
            loop.run(.once)
        }
    }
}
