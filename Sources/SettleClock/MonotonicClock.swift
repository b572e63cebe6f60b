internal import CPlatform
public import Settle

/// CLOCK_MONOTONIC, the clock of a live engine's events.
///
/// It never jumps, it does not count the time for which the machine is suspended, and all
/// processes of a machine share it. On Linux it is the clock of `SuspendingClock`;
/// `ContinuousClock` is CLOCK_BOOTTIME there, which counts suspended time as well.
public struct MonotonicClock: Clock, Sendable {
    public typealias Instant = Timestamp

    public init() {}

    /// The time now. Any thread.
    public static var now: Timestamp { Timestamp(nanoseconds: settle_now_ns()) }

    /// The time now. Any thread.
    public var now: Timestamp { Self.now }

    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Returns once the clock has reached the deadline, never before. A deadline after
    /// `Timestamp.latest` counts as that.
    ///
    /// - Parameter tolerance: How much later the task may continue, so that the system can
    ///   combine wake-ups; `nil` leaves this to the system.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(until deadline: Timestamp, tolerance: Duration? = nil) async throws {
        while true {
            let rest = now.duration(to: min(deadline, .latest))
            if rest <= .zero { return try Task.checkCancellation() }
            // An hour at a time: the runtime never frees a cancelled sleep of centuries.
            try await SuspendingClock().sleep(for: min(rest, .seconds(3600)), tolerance: tolerance)
        }
    }

    /// The time of this clock at which `SuspendingClock` shows an instant. Both clocks are
    /// read now, so the result is a few nanoseconds off, more if the thread is interrupted.
    public static func timestamp(of instant: SuspendingClock.Instant) -> Timestamp {
        convert(instant, by: SuspendingClock())
    }

    /// The time of this clock at which `ContinuousClock` shows an instant; see the overload
    /// for `SuspendingClock`. For an instant before the machine was last suspended, the
    /// result is too early by the time of the suspension.
    public static func timestamp(of instant: ContinuousClock.Instant) -> Timestamp {
        convert(instant, by: ContinuousClock())
    }

    /// Reads the other clock between two readings of this one, three times, and uses the
    /// attempt that took least.
    private static func convert<C: Clock<Duration>>(_ instant: C.Instant, by other: C) -> Timestamp {
        var least = Duration.seconds(3600)
        var result = now
        for _ in 0..<3 {
            let before = now
            let rest = other.now.duration(to: instant)
            let taken = before.duration(to: now)
            guard taken < least else { continue }
            least = taken
            result = before.advanced(by: taken / 2).advanced(by: rest)
        }
        return result
    }
}
