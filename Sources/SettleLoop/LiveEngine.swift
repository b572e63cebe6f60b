public import Settle
public import SettlePlatform

/// The decision engine on an event loop: events from any thread in, decisions out on
/// the loop's thread.
///
/// ```swift
/// let engine = try LiveEngine { decision in … }     // called on the loop's thread
/// try engine.start()
/// var source = try engine.makeSource()
/// let window = try engine.connect()
/// source.send(.geometry(window, at: MonotonicClock.now, size: size, isInteractivelyResizing: true))
/// …
/// engine.stop()
/// ```
///
/// Events' times are CLOCK_MONOTONIC's, as `MonotonicClock.now` reads it. One that is later
/// than the loop's clock is taken as now and counted: it could otherwise fire everybody's
/// deadlines early and hold all later events to its own time.
///
/// Either `start` runs the loop on a thread of its own, or the host runs it: it watches
/// `backendDescriptor` for reading and calls `runOnce`. All other members may be used
/// from any thread, also from handlers.
///
/// An engine that nobody holds any more stops as by `stop()`: its last reference's thread
/// waits for the loop, which decides and delivers what is left, and its descriptors are
/// closed. Where that thread is the loop's own, as a handler let the engine go, the loop
/// does the same after the handler has returned, and nobody waits. Neither sources nor the
/// executor nor streams of decisions and geometries keep an engine; a `StreamServer` and a
/// `StreamReader` do, and so does a handler, a build or `onFailure` that captures it
/// strongly, until the engine has stopped: let them capture it weakly, or call `stop`.
public final class LiveEngine: @unchecked Sendable {
    let loop: LiveLoop
    let scenesMax: Int

    /// Runs actors and tasks on the loop, for those who opt in.
    public var executor: LoopExecutor { loop.executor }

    /// - Parameter handler: Gets every decision, in order, on the loop's thread. It may
    ///   use the engine and its sources; what it sends is decided after it returns. It is
    ///   released when the engine has stopped.
    public convenience init(
        policy: Policy = .default, scenesMax: Int = 1024, decisionsMax: Int = 1024, policiesMax: Int = 16,
        handler: @escaping @Sendable (Decision) -> Void = { _ in }
    ) throws {
        try self.init(
            policy: policy, scenesMax: scenesMax, decisionsMax: decisionsMax, policiesMax: policiesMax,
            loop: try EventLoop(), handler: handler)
    }

    init(
        policy: Policy, scenesMax: Int, decisionsMax: Int, policiesMax: Int, loop: any LoopWaiting,
        bounds: Intake.Bounds = Intake.Bounds(),
        handler: @escaping @Sendable (Decision) -> Void
    ) throws {
        let engine = try Engine(
            policy: policy, scenesMax: scenesMax, decisionsMax: decisionsMax, policiesMax: policiesMax)
        self.loop = try LiveLoop(
            engine, scenesMax: scenesMax, decisionsMax: decisionsMax, loop: loop, bounds: bounds, handler: handler)
        self.scenesMax = scenesMax
    }

    deinit {
        loop.stop(draining: true)
        loop.abandon()
    }

    // MARK: Any thread

    /// A new scene; see `Engine.connect`. When `scenesMax` scenes are connected, what was
    /// posted before is applied first, so that a scene that was disconnected makes room,
    /// whether or not the loop has come to it. The loop delivers what that decides.
    public func connect(policy: Policy? = nil) throws(EngineError) -> SceneID { try loop.connect(policy: policy) }

    /// A new producer's way in.
    ///
    /// - Parameters:
    ///   - capacity: Events that may wait, a power of two up to 2^24, 32 bytes each.
    ///   - overload: What happens when they do.
    public func makeSource(capacity: Int = 4096, overload: Overload = .conflate) throws(LoopError) -> EventSource {
        guard capacity > 0, capacity & (capacity - 1) == 0, capacity <= EventRing.capacityMax else {
            throw LoopError(
                call: "makeSource",
                problem: "a capacity of \(capacity) is no power of two up to \(EventRing.capacityMax)")
        }
        return EventSource(try makeChannel(capacity: capacity, overload: overload))
    }

    func makeChannel(capacity: Int, overload: Overload) throws(LoopError) -> SourceChannel {
        let channel = try SourceChannel(capacity: capacity, overload: overload, bell: loop.bell)
        loop.withIntake { $0.sources.add(channel) }
        return channel
    }

    /// The clock that the engine goes by: CLOCK_MONOTONIC, or a test's own.
    var now: Timestamp { loop.now }

    /// Hands over an event without a source: a disconnect, a flush, or what a handler
    /// returns. It takes a lock; for floods there are sources. Its place among other
    /// producers' events is that of its time, which is CLOCK_MONOTONIC's; a later one than
    /// now is taken as now. Once the engine has stopped, it is dropped.
    public func post(_ event: Event) { loop.post(event) }

    /// Disconnects a scene now, by CLOCK_MONOTONIC: posts that event.
    public func disconnect(_ scene: SceneID) { post(.disconnect(scene, at: now)) }

    public func isPending(_ scene: SceneID) -> Bool { loop.withIntake { $0.engine.isPending(scene) } }
    public func isInteracting(_ scene: SceneID) -> Bool { loop.withIntake { $0.engine.isInteracting(scene) } }

    /// How the engine's scenes are numbered.
    public var indices: Engine.SceneIndices { loop.withIntake { $0.engine.indices } }

    public var statistics: Statistics {
        loop.withIntake {
            Statistics(
                engine: $0.engine.statistics, passes: $0.passes, wakeUps: loop.bell.wakeUps,
                sleeps: $0.sleeps, conflated: $0.sources.conflated, clamped: $0.clamped)
        }
    }

    public struct Statistics: Hashable, Sendable {
        public var engine: Engine.Statistics
        /// Times the loop looked for events.
        public var passes: UInt64
        /// Times a producer had to wake the loop.
        public var wakeUps: UInt64
        /// Times the loop went to sleep.
        public var sleeps: UInt64
        /// Events merged under overload, over all sources.
        public var conflated: UInt64
        /// Events whose time was later than CLOCK_MONOTONIC's and was taken as now. A
        /// producer that stamps by another clock, CLOCK_REALTIME perhaps, shows here.
        public var clamped: UInt64
    }

    func withListeners<Result>(_ body: (inout Listeners) -> Result) -> Result {
        loop.withIntake { body(&$0.listeners) }
    }

    // MARK: Running

    /// Runs the loop on a thread of its own. Once.
    public func start() throws(LoopError) { try loop.start() }

    /// For a host with a loop of its own: when this is readable, `runOnce` has work.
    /// The wake-ups for deadlines come here too, so no timeout is needed. The engine
    /// closes it when it stops.
    public var backendDescriptor: Int32 { loop.backendDescriptor }

    /// For a host with a loop of its own: takes what waits, delivers what is decided,
    /// and returns. From one thread, and not on an engine that was started. From a handler,
    /// and once the engine has stopped, it does nothing.
    public func runOnce() { runOnce(lead: 0) }

    func runOnce(lead: UInt64) { loop.runOnce(lead: lead) }

    /// Stops the loop and waits until it has, or until the host's `runOnce` has returned.
    /// Idempotent; from any thread, or from the one that calls `runOnce`. From a handler
    /// it only asks, as the loop cannot wait for itself.
    ///
    /// - Parameter draining: Whether what was sent before is still decided, and what is
    ///   owed decided at once at its own times, as at the end of a log. Otherwise both
    ///   are dropped.
    public func stop(draining: Bool = true) { loop.stop(draining: draining) }
}
