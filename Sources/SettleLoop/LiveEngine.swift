public import Settle

#if canImport(Glibc)
    internal import Glibc
#endif

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
/// from any thread, also from handlers. `stop` must be called before the engine goes
/// away.
public final class LiveEngine: @unchecked Sendable {
    private let loop: any LoopWaiting
    private let bell: LoopBell
    private let handler: @Sendable (Decision) -> Void
    let scenesMax: Int

    /// Runs actors and tasks on the loop, for those who opt in.
    public let executor: LoopExecutor

    /// Guards the intake, with the engine in it, and the phase. The loop holds it for a
    /// batch at a time, and never while a handler runs. So the language need not check at
    /// each access that there is no other, which costs more than the access.
    private let lock = Lock()
    @exclusivity(unchecked) private(set) var intake: Intake
    private var phase = Phase.made

    // The loop's alone.
    @exclusivity(unchecked) private var decided: [Decision] = []
    private var wakeLead = WakeLead()
    /// When the sleep ends that `prepareToSleep` has allowed; nil when only the bell ends it.
    private var wakeAsked: Timestamp?

    /// Guards the end: one waits for the thread, all others for that one.
    private let ending = Lock()
    private var thread: pthread_t?
    private var hasEnded = false

    private enum Phase {
        case made, running, hosted
        case stopping(drain: Bool)
        case stopped
    }

    /// - Parameter handler: Gets every decision, in order, on the loop's thread. It may
    ///   use the engine and its sources; what it sends is decided after it returns.
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
        bell = try LoopBell(descriptor: loop.bellDescriptor)
        intake = Intake(
            try Engine(
                policy: policy, scenesMax: scenesMax, decisionsMax: decisionsMax, policiesMax: policiesMax),
            bell.ready, bounds: bounds, clock: { loop.now })
        self.loop = loop
        // A loop that has not run yet sleeps: whoever sends first wakes its host.
        bell.prepareToSleep()
        executor = LoopExecutor(bell: bell)
        self.scenesMax = scenesMax
        self.handler = handler
        decided.reserveCapacity(decisionsMax)
    }

    deinit {
        switch phase {
        case .made, .stopped, .hosted: break
        case .running, .stopping: fatalError("a LiveEngine went away while its loop ran; call stop() first")
        }
        // Stopped by a handler, and nobody waited.
        if let thread, !hasEnded { pthread_detach(thread) }
        executor.end()
    }

    // MARK: Any thread

    /// A new scene; see `Engine.connect`.
    public func connect(policy: Policy? = nil) throws(EngineError) -> SceneID {
        try lock.locked { () throws(EngineError) in try intake.engine.connect(policy: policy) }
    }

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
        let channel = try SourceChannel(capacity: capacity, overload: overload, bell: bell)
        lock.locked { intake.sources.add(channel) }
        return channel
    }

    /// The clock that the engine goes by: CLOCK_MONOTONIC, or a test's own.
    var now: Timestamp { loop.now }

    /// Hands over an event without a source: a disconnect, a flush, or what a handler
    /// returns. It takes a lock; for floods there are sources. Its place among other
    /// producers' events is that of its time, which is CLOCK_MONOTONIC's; a later one than
    /// now is taken as now. Once the engine has stopped, it is dropped.
    public func post(_ event: Event) {
        if bell.isStopped { return }
        lock.locked { intake.posted.append(event) }
        bell.ringIfAsleep()
    }

    /// Disconnects a scene now, by CLOCK_MONOTONIC.
    public func disconnect(_ scene: SceneID) { post(.disconnect(scene, at: now)) }

    public func isPending(_ scene: SceneID) -> Bool { lock.locked { intake.engine.isPending(scene) } }
    public func isInteracting(_ scene: SceneID) -> Bool { lock.locked { intake.engine.isInteracting(scene) } }

    /// How the engine's scenes are numbered.
    public var indices: Engine.SceneIndices { lock.locked { intake.engine.indices } }

    public var statistics: Statistics {
        lock.locked {
            Statistics(
                engine: intake.engine.statistics, passes: intake.passes, wakeUps: bell.wakeUps,
                sleeps: intake.sleeps, conflated: intake.sources.conflated, clamped: intake.clamped)
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
        lock.locked { body(&intake.listeners) }
    }

    // MARK: Running

    /// Runs the loop on a thread of its own. Once.
    public func start() throws(LoopError) {
        try lock.locked { () throws(LoopError) in
            guard case .made = phase else {
                throw LoopError(call: "start", problem: "the engine was started before")
            }
            var thread = pthread_t()
            let me = Unmanaged.passRetained(self)
            let result = pthread_create(
                &thread, nil,
                { context in
                    let engine = Unmanaged<LiveEngine>.fromOpaque(context!).takeRetainedValue()
                    engine.runUntilStopped()
                    return nil
                }, me.toOpaque())
            guard result == 0 else {
                me.release()
                throw LoopError(call: "pthread_create", problem: String(cString: strerror(result)))
            }
            self.thread = thread
            phase = .running
        }
    }

    /// For a host with a loop of its own: when this is readable, `runOnce` has work.
    /// The wake-ups for deadlines come here too, so no timeout is needed.
    public var backendDescriptor: Int32 { loop.backendDescriptor }

    /// For a host with a loop of its own: takes what waits, delivers what is decided,
    /// and returns. From one thread, and not on an engine that was started. Once the
    /// engine has stopped, it does nothing.
    public func runOnce() { runOnce(lead: 0) }

    /// - Parameter lead: See `prepareToSleep`.
    func runOnce(lead: UInt64) {
        let mayRun: Bool = lock.locked {
            if case .made = phase { phase = .hosted }
            switch phase {
            case .made, .hosted: return true
            case .stopping, .stopped: return false
            case .running: preconditionFailure("runOnce is for an engine that was not started")
            }
        }
        guard mayRun else { return }
        loop.run(.withoutWaiting)
        bell.awake()
        executor.enter()
        pass()
        executor.leave()
        if bell.isStopped { return end() }
        // The host may have other work; its loop comes back at once.
        if !prepareToSleep(lead: lead) { bell.ring() }
    }

    /// Stops the loop and waits until it has. Idempotent; from any thread, or from the
    /// one that calls `runOnce`. From a handler it only asks, as the loop cannot wait
    /// for itself.
    ///
    /// - Parameter draining: Whether what was sent before is still decided, and what is
    ///   owed decided at once at its own times, as at the end of a log. Otherwise both
    ///   are dropped.
    public func stop(draining: Bool = true) {
        lock.locked {
            switch phase {
            case .made, .hosted, .running: phase = .stopping(drain: draining)
            case .stopping, .stopped: break
            }
        }
        bell.stop()
        for source in lock.locked({ intake.sources.all }) { source.wakeProducer() }
        if !executor.isCurrent { end() }
    }

    /// Waits for the loop's thread, or does its last act where there is none.
    private func end() {
        ending.locked {
            if hasEnded { return }
            hasEnded = true
            if let thread = lock.locked({ self.thread }) { pthread_join(thread, nil) } else { finish() }
            loop.close()
        }
    }

    // MARK: The loop's thread

    private func runUntilStopped() {
        executor.enter()
        while true {
            pass()
            if bell.isStopped { break }
            if prepareToSleep(lead: wakeLead.nanoseconds) {
                loop.run(.once)
                if let asked = wakeAsked { wakeLead.learn(asked: asked, woken: loop.now) }
            }
            bell.awake()
        }
        finish()
    }

    /// True when the loop may sleep: nothing waits, nothing is due within `lead`
    /// nanoseconds, and whoever sends now will ring.
    private func prepareToSleep(lead: UInt64) -> Bool {
        bell.prepareToSleep()
        wakeAsked = nil
        let isIdle = lock.locked {
            guard intake.isEmpty else { return false }
            let soon = Timestamp(nanoseconds: loop.now.nanoseconds + lead)
            if let deadline = intake.wakeTime(after: soon) {
                if deadline <= soon { return false }
                let asked = Timestamp(nanoseconds: deadline.nanoseconds - lead)
                loop.wake(at: asked)
                wakeAsked = asked
            }
            guard executor.isIdle else { return false }
            intake.sleeps += 1
            return true
        }
        if !isIdle { bell.awake() }
        return isIdle && !bell.isStopped
    }

    /// Takes what has been sent so far, fires what is due, delivers what is decided.
    private func pass() {
        // Sampled first: an event sent before this moment is taken before a deadline
        // at it fires.
        let now = loop.now
        lock.locked {
            intake.pass(at: now, &decided)
        }
        deliver()
        executor.runJobs()
    }

    /// Collected first, so that a handler that sends cannot extend the pass, and may
    /// use the engine.
    private func deliver() {
        let (listeners, gone) = lock.locked { (intake.listeners, intake.listeners.takeGone()) }
        for decision in decided {
            handler(decision)
            listeners.take(decision)
        }
        decided.removeAll(keepingCapacity: true)
        for scene in gone { listeners.rebuilder?.remove(scene) }
    }

    /// The last act on the loop's side.
    private func finish() {
        executor.enter()
        let drain = lock.locked { if case .stopping(let drain) = phase { drain } else { false } }
        if drain {
            lock.locked {
                while intake.hasMore { intake.takeEvents(&decided) }
                intake.engine.finish { decided.append($0) }
            }
            deliver()
        }
        lock.locked {
            phase = .stopped
            intake.listeners.finish()
        }
        executor.end()
    }
}
