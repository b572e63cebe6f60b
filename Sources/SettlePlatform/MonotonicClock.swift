public import Settle

#if canImport(Glibc)
    internal import Glibc
#endif

/// CLOCK_MONOTONIC, the clock of live events: it neither jumps nor counts a suspended
/// machine's time, and all processes of a machine share it.
public enum MonotonicClock {
    /// The clock now. Any thread.
    public static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Timestamp(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }
}
