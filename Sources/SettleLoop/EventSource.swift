public import Settle
internal import SettlePlatform

#if canImport(Glibc)
    internal import Glibc
#endif

/// What happens to an event that finds its source's ring full.
public enum Overload: Sendable {
    /// The producer never waits. Events are merged, per scene, into the latest state, and
    /// sent as soon as the ring is empty; no scene's last state, no disconnect and no end of
    /// an interaction that the engine knows by its flag is lost. What was merged is counted.
    /// A merged geometry has the place of its latest event, so a flush or cancel that waits
    /// with it comes before it, and an interaction that begins and ends within what waits,
    /// or that only buttons show, may come to no begin and end of its own.
    ///
    /// Merging begins when the ring is full, and when 128 events or more have waited for
    /// 2 ms. A producer that is so far ahead gives its processor away (`sched_yield`),
    /// once in 128 events or, while it merges, once a send: the loop may be waiting for it.
    case conflate
    /// The producer waits until there is room; nothing is merged. Not for a handler's sends:
    /// on the loop's thread, or the thread that calls `runOnce`, it would wait for itself.
    case block
}

/// One producer's way into a live engine: made by `LiveEngine.makeSource`, used from
/// one thread at a time, which the compiler checks, as it cannot be copied.
///
/// Sending takes no lock. It neither allocates nor enters the kernel, but to wake a sleeping
/// loop, or when the loop is behind; see `Overload`.
public struct EventSource: ~Copyable, Sendable {
    private let channel: SourceChannel

    init(_ channel: SourceChannel) {
        self.channel = channel
    }

    /// Sends one event. Its time is CLOCK_MONOTONIC's (`MonotonicClock.now`); a later one
    /// than the loop's, as CLOCK_REALTIME's would be, is taken as now and counted in
    /// `LiveEngine.Statistics.clamped`; one beyond `Timestamp.latest` is out of range, and the
    /// engine rejects the event. Once the engine has stopped, events are dropped.
    public mutating func send(_ event: Event) {
        withUnsafePointer(to: event) { channel.send($0, count: 1) }
    }

    /// Sends events in order and wakes the loop once. Their times are CLOCK_MONOTONIC's,
    /// as of `send`'s one event.
    public mutating func send(_ events: Span<Event>) {
        events.withUnsafeBufferPointer { buffer in
            if let first = buffer.baseAddress { channel.send(first, count: buffer.count) }
        }
    }

    /// Events that were merged under overload and not sent themselves.
    public var conflated: UInt64 { channel.conflated }

    deinit { channel.close() }
}
