public import Settle
internal import SettlePlatform

/// The decision engine on an event loop: events from any thread in, decisions out on the
/// loop's thread.
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
/// **Time.** Events' times are of CLOCK_MONOTONIC, as `MonotonicClock.now` reads it. A time
/// later than the loop's clock is clamped to now and counted: it could otherwise fire the
/// deadlines of all scenes early and delay all later events.
///
/// **Threads.** Either `start` runs the loop on a thread of its own, or the host runs it: it
/// watches `backendDescriptor` for reading and calls `runOnce`. All other members may be used
/// from any thread, also from handlers.
///
/// **End.** `stop` stops the engine, and so does releasing its last reference, which waits
/// for the loop to deliver the remaining decisions. If a handler releases the last reference,
/// the loop does the same after the handler has returned, and nobody waits. Sources, the
/// executor and streams do not keep an engine. A handler, a build or `onFailure` that captures
/// it strongly does, until the engine has stopped: capture it weakly, or call `stop`. A
/// stopped engine stays stopped, because its scenes are gone; make another instead.
public final class LiveEngine: @unchecked Sendable {
    let loop: LiveLoop
    let hooks: Hooks
    /// What the engine was made with.
    public let configuration: Engine.Configuration

    /// Runs actors and tasks on the loop, for those who opt in.
    public var executor: LoopExecutor { loop.executor }

    /// Makes an engine with the default bounds.
    ///
    /// - Parameters:
    ///   - policy: The policy of scenes that connect without one of their own.
    ///   - handler: See the other initializer.
    /// - Throws: `LoopError.engine` for a policy out of range, and `system` if the process has no descriptor left.
    public convenience init(
        policy: Policy = .default, handler: @escaping @Sendable (Decision) -> Void = { _ in }
    ) throws(LoopError) {
        try self.init(Engine.Configuration(policy: policy), handler: handler)
    }

    /// - Parameters:
    ///   - configuration: The default policy and the bounds.
    ///   - hooks: Closures for logging and metrics.
    ///   - handler: Called with every decision, in order, on the loop's thread. It may use the
    ///     engine and its sources; what it sends is decided after it returns. It is released
    ///     when the engine has stopped.
    /// - Throws: `LoopError.engine` for a policy or a bound out of range, and `system` if the process has no
    ///   descriptor left.
    public convenience init(
        _ configuration: Engine.Configuration, hooks: Hooks = Hooks(),
        handler: @escaping @Sendable (Decision) -> Void = { _ in }
    ) throws(LoopError) {
        let loop = try LoopError.wrap { () throws(SystemError) in try EventLoop() }
        try self.init(configuration, hooks: hooks, loop: loop, handler: handler)
    }

    init(
        _ configuration: Engine.Configuration, hooks: Hooks = Hooks(), loop: any LoopWaiting,
        bounds: EngineInput.Bounds = EngineInput.Bounds(), handler: @escaping @Sendable (Decision) -> Void
    ) throws(LoopError) {
        let engine = try LoopError.wrapRefusal { () throws(EngineError) in try Engine(configuration) }
        self.loop = LiveLoop(engine, loop: loop, bounds: bounds, hooks: hooks, handler: handler)
        self.hooks = hooks
        self.configuration = configuration
    }

    deinit {
        loop.stop(draining: true)
        loop.abandon()
    }

    // MARK: Any thread

    /// Connects a new scene; see `Engine.connect`. When `scenesMax` scenes are connected, or
    /// `policiesMax` policies are in use, the posted events are applied first, so that a posted
    /// disconnect frees its scene's slot and policy. The loop delivers what they decide.
    ///
    /// - Throws: `EngineError.stopped` after `stop`, and what `Engine.connect` throws.
    public func connect(policy: Policy? = nil) throws(EngineError) -> SceneID { try loop.connect(policy: policy) }

    /// Gives a connected scene another policy; see `Engine.setPolicy`. It applies from the
    /// next event on that the engine applies, also one that was sent before. When `policiesMax`
    /// policies are in use, the posted events are applied first, as in `connect`.
    ///
    /// - Throws: `EngineError.stopped` after `stop`, and what `Engine.setPolicy` throws.
    public func setPolicy(_ policy: Policy, of scene: SceneID) throws(EngineError) {
        try loop.setPolicy(policy, of: scene)
    }

    /// Makes a source for one producer.
    ///
    /// - Parameters:
    ///   - capacity: How many events can wait, a power of two up to 2^24; 32 bytes each.
    ///   - overload: What happens to an event that has no space.
    /// - Throws: `LoopError.capacityOutOfRange`, and `system` if the process has no descriptor
    ///   left for a source that blocks.
    public func makeSource(capacity: Int = 4096, overload: Overload = .coalesce) throws(LoopError) -> EventSource {
        guard capacity > 0, capacity & (capacity - 1) == 0, capacity <= EventRing.capacityMax else {
            throw .capacityOutOfRange(capacity, largest: EventRing.capacityMax)
        }
        return EventSource(try makeChannel(capacity: capacity, overload: overload))
    }

    func makeChannel(capacity: Int, overload: Overload) throws(LoopError) -> SourceChannel {
        let channel = try LoopError.wrap { () throws(SystemError) in
            try SourceChannel(capacity: capacity, overload: overload, bell: loop.bell)
        }
        loop.withInput { $0.sources.add(channel) }
        return channel
    }

    /// The time of the engine's clock: CLOCK_MONOTONIC, or a test's own.
    var now: Timestamp { loop.now }

    /// Sends an event without a source, such as a disconnect, a flush, or an event that a
    /// handler makes. It locks a mutex; use a source for floods. It is applied among other
    /// producers' events by its time, which is of CLOCK_MONOTONIC; a time later than now is
    /// clamped. Once the engine has stopped, it is dropped.
    public func post(_ event: Event) { loop.post(event) }

    /// Disconnects a scene now: posts a disconnect event.
    public func disconnect(_ scene: SceneID) { post(.disconnect(scene, at: now)) }

    /// Decides the pending rebuild of a scene now: posts a flush event.
    public func flush(_ scene: SceneID) { post(.flush(scene, at: now)) }

    /// Forgets the pending rebuild of a scene until its size next changes: posts a cancel
    /// event.
    public func cancel(_ scene: SceneID) { post(.cancel(scene, at: now)) }

    /// Reports that the build of a scene's rebuild has ended, and how long it took: posts a finished event. Live
    /// rebuilds depend on it; a rebuilder that the engine made reports its builds itself.
    public func finished(_ scene: SceneID, generation: UInt32, cost: Duration) {
        post(.finished(scene, at: now, generation: generation, cost: cost))
    }

    /// Reports that the work for a scene's preview has ended, how long it took, and whether it is kept or was given up:
    /// posts a previewed event. With `Policy.pauseSharePercent` the next preview waits for it.
    public func previewed(_ scene: SceneID, generation: UInt32, cost: Duration, isKept: Bool) {
        post(.previewed(scene, at: now, generation: generation, cost: cost, isKept: isKept))
    }

    /// Whether a rebuild deadline of the scene is armed, as far as the loop has submitted
    /// events.
    public func isPending(_ scene: SceneID) -> Bool { loop.withInput { $0.engine.isPending(scene) } }

    /// Whether the scene is between `interactionBegan` and `interactionEnded`, as far as the
    /// loop has submitted events.
    public func isInteracting(_ scene: SceneID) -> Bool { loop.withInput { $0.engine.isInteracting(scene) } }

    /// An empty table of this engine's scenes.
    public func makeSceneTable<Value>(of type: Value.Type = Value.self) -> SceneTable<Value> {
        loop.withInput { $0.engine.makeSceneTable() }
    }

    /// The engine's counters.
    public var statistics: Statistics {
        loop.withInput {
            Statistics(
                engine: $0.engine.statistics, passes: $0.passes, wakeUps: loop.bell.wakeUps,
                sleeps: $0.sleeps, coalesced: $0.sources.coalesced, clamped: $0.clamped)
        }
    }

    /// What a live engine counted since it was made.
    public struct Statistics: Hashable, Sendable {
        /// The decision engine's counters.
        public var engine: Engine.Statistics
        /// How often the loop looked for events.
        public var passes: UInt64
        /// How often a producer had to wake the loop.
        public var wakeUps: UInt64
        /// How often the loop went to sleep.
        public var sleeps: UInt64
        /// Events that were replaced by another under overload, over all sources.
        public var coalesced: UInt64
        /// Events whose time was later than CLOCK_MONOTONIC's and was clamped to now. A
        /// producer that uses another clock, such as CLOCK_REALTIME, shows here.
        public var clamped: UInt64
    }

    func withSubscribers<Result, Failure: Error>(
        _ body: (inout Subscribers) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try loop.withInput { input throws(Failure) in try body(&input.subscribers) }
    }

    // MARK: Running

    /// Runs the loop on a thread of its own.
    ///
    /// - Throws: `LoopError.stopped` if `stop` was called, `alreadyStarted` if `start` or `runOnce`
    ///   was, and `system` if the system has no thread left.
    public func start() throws(LoopError) { try loop.start() }

    /// For a host with a loop of its own: when this descriptor is readable, `runOnce` has
    /// work. It becomes readable for deadlines too, so the host needs no timeout. The engine
    /// closes it when it stops.
    public var backendDescriptor: Int32 { loop.backendDescriptor }

    /// For a host with a loop of its own: submits what waits, delivers the decisions, and
    /// returns. Call it from one thread, and not on an engine that was started, which stops
    /// the program. From a handler, and once the engine has stopped, it does nothing.
    public func runOnce() { runOnce(lead: 0) }

    func runOnce(lead: UInt64) { loop.runOnce(lead: lead) }

    /// Stops the loop, and returns when it has stopped or the host's `runOnce` has returned.
    /// Idempotent. From a handler it only asks the loop to stop, because the loop cannot wait
    /// for itself. Any other thread.
    ///
    /// - Parameter draining: Whether events that were sent before are still decided, and
    ///   pending deadlines fire at their own times, as at the end of a log. Otherwise both are
    ///   dropped.
    public func stop(draining: Bool = true) { loop.stop(draining: draining) }
}
