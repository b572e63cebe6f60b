public import Settle

/// What happens to an event when its source's ring is full.
public enum Overload: String, Sendable, CaseIterable {
    /// The producer never waits. Waiting events of a scene are coalesced into its latest
    /// state, and sent when the ring is empty. No scene's last state, no disconnect and no
    /// end of an interaction that was reported by its flag is lost. Coalesced events are
    /// counted.
    ///
    /// A coalesced geometry has the position of its latest event, so a flush or cancel that
    /// waits with it comes before it. An interaction that begins and ends among the waiting
    /// events, or that only buttons show, may be coalesced away.
    ///
    /// This begins when the ring is full, and when at least 128 events have waited for 2 ms.
    /// A producer that is so far ahead yields its processor (`sched_yield`), once in 128
    /// events or, while it coalesces, once per send: the loop may be waiting for it.
    case coalesce
    /// The producer waits until there is space; nothing is coalesced. Not for a handler's
    /// sends: on the loop's thread, or the thread that calls `runOnce`, it would wait for
    /// itself.
    case block
}

/// One producer's way into a live engine, made by `LiveEngine.makeSource`. It is used by one
/// thread at a time; the compiler checks this, because a source cannot be copied.
///
/// Sending locks nothing. It neither allocates nor makes a system call, except to wake a
/// sleeping loop and when the loop is behind; see `Overload`.
public struct EventSource: ~Copyable, Sendable {
    private let channel: SourceChannel

    init(_ channel: SourceChannel) {
        self.channel = channel
    }

    /// Sends one event. Once the engine has stopped, events are dropped.
    ///
    /// Its time is of CLOCK_MONOTONIC (`MonotonicClock.now`). A later time than the loop's, as
    /// CLOCK_REALTIME's would be, is clamped to now and counted in
    /// `LiveEngine.Statistics.clamped`. The engine rejects an event with a time beyond
    /// `Timestamp.latest`.
    public mutating func send(_ event: Event) {
        withUnsafePointer(to: event) { channel.send($0, count: 1) }
    }

    /// Sends events in order and wakes the loop at most once. For their times, see the
    /// overload for one event.
    public mutating func send(_ events: Span<Event>) {
        events.withUnsafeBufferPointer { buffer in
            if let first = buffer.baseAddress { channel.send(first, count: buffer.count) }
        }
    }

    /// Events that were replaced by another under overload and not sent themselves.
    public var coalesced: UInt64 { channel.coalesced }

    deinit { channel.close() }
}
