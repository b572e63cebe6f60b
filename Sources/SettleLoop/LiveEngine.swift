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
/// Either `start` runs the loop on a thread of its own, or the host runs it: it watches
/// `backendDescriptor` for reading and calls `runOnce`. All other members may be used
/// from any thread, also from handlers. `stop` must be called before the engine goes
/// away.
public final class LiveEngine: @unchecked Sendable {
    private let loop: EventLoop
    private let bell: LoopBell
    private let handler: @Sendable (Decision) -> Void

    /// Guards the engine and what follows it. The loop holds it for a batch at a
    /// time, and never while a handler runs.
    private let lock = Lock()
    private var engine: Engine
    private var channels: [SourceChannel] = []
    private var posted: [Event] = []
    private var phase = Phase.made
    private var counts = LoopCounts()

    // The loop's alone.
    private var decided: [Decision] = []
    private var heldBack: [Event] = []
    private var pieces: [EventPiece] = []

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
    public init(
        policy: Policy = .default, scenesMax: Int = 1024, decisionsMax: Int = 1024, policiesMax: Int = 16,
        handler: @escaping @Sendable (Decision) -> Void
    ) throws {
        engine = try Engine(
            policy: policy, scenesMax: scenesMax, decisionsMax: decisionsMax, policiesMax: policiesMax)
        loop = try EventLoop()
        bell = try LoopBell(descriptor: loop.bellDescriptor)
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
    }

    // MARK: Any thread

    /// A new scene; see `Engine.connect`.
    public func connect(policy: Policy? = nil) throws(EngineError) -> SceneID {
        try lock.locked { () throws(EngineError) in try engine.connect(policy: policy) }
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
        let channel = try SourceChannel(capacity: capacity, overload: overload, bell: bell)
        lock.locked { channels.append(channel) }
        return EventSource(channel)
    }

    /// Hands over an event without a source: a disconnect, a flush, or what a handler
    /// returns. It takes a lock; for floods there are sources. Its place among other
    /// producers' events is that of its time.
    public func post(_ event: Event) {
        lock.locked { posted.append(event) }
        bell.ringIfAsleep()
    }

    /// Disconnects a scene now.
    public func disconnect(_ scene: SceneID) { post(.disconnect(scene, at: MonotonicClock.now)) }

    public func isPending(_ scene: SceneID) -> Bool { lock.locked { engine.isPending(scene) } }
    public func isInteracting(_ scene: SceneID) -> Bool { lock.locked { engine.isInteracting(scene) } }

    /// How the engine's scenes are numbered.
    public var indices: Engine.SceneIndices { lock.locked { engine.indices } }

    public var statistics: Statistics {
        lock.locked {
            Statistics(
                engine: engine.statistics, passes: counts.passes, wakeUps: bell.wakeUps, sleeps: counts.sleeps,
                conflated: counts.conflated + channels.reduce(0) { $0 + $1.conflated })
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
    /// and returns. From one thread, and not on an engine that was started.
    public func runOnce() {
        let mayRun = lock.locked {
            if case .made = phase { phase = .hosted }
            if case .hosted = phase { return true }
            return false
        }
        precondition(mayRun, "runOnce is for an engine that was not started and not stopped")
        loop.run(.withoutWaiting)
        bell.awake()
        pass()
        // The host may have other work; its loop comes back at once.
        if !prepareToSleep() { bell.ring() }
    }

    /// Stops the loop and waits until it has. Idempotent; from any thread, but from a
    /// handler it only asks, as the loop cannot wait for itself.
    ///
    /// - Parameter draining: Whether what was sent before is still decided, and what is
    ///   owed decided at once at its own times, as at the end of a log. Otherwise both
    ///   are dropped.
    public func stop(draining: Bool = true) {
        let thread: pthread_t? = lock.locked {
            switch phase {
            case .made, .hosted, .running: phase = .stopping(drain: draining)
            case .stopping, .stopped: break
            }
            return self.thread
        }
        bell.stop()
        for channel in lock.locked({ channels }) { channel.wakeProducer() }
        if let thread, isThisThread(thread) { return }
        ending.locked {
            if hasEnded { return }
            hasEnded = true
            if let thread { pthread_join(thread, nil) } else { finish() }
            loop.close()
        }
    }

    /// Not inlined: glibc declares pthread_self constant, and a caller that moved to
    /// another thread would see the old one.
    @inline(never)
    private func isThisThread(_ thread: pthread_t) -> Bool { pthread_equal(thread, pthread_self()) != 0 }

    // MARK: The loop's thread

    private func runUntilStopped() {
        while true {
            pass()
            if bell.isStopped { break }
            if prepareToSleep() { loop.run(.once) }
            bell.awake()
        }
        finish()
    }

    /// True when the loop may sleep: nothing waits, and whoever sends now will ring.
    private func prepareToSleep() -> Bool {
        bell.prepareToSleep()
        let isIdle = lock.locked {
            guard posted.isEmpty, channels.allSatisfy(\.isEmpty) else { return false }
            if let deadline = engine.nextDeadline {
                if deadline <= MonotonicClock.now { return false }
                loop.wake(at: deadline)
            }
            counts.sleeps += 1
            return true
        }
        if !isIdle { bell.awake() }
        return isIdle && !bell.isStopped
    }

    /// Takes what has been sent so far, fires what is due, delivers what is decided.
    private func pass() {
        // Sampled first: an event sent before this moment is taken before a deadline
        // at it fires.
        let now = MonotonicClock.now
        lock.locked {
            counts.passes += 1
            takeEvents()
            engine.advance(to: now) { decided.append($0) }
        }
        deliver()
    }

    /// Collected first, so that a handler that sends cannot extend the pass, and may
    /// use the engine.
    private func deliver() {
        for decision in decided { handler(decision) }
        decided.removeAll(keepingCapacity: true)
    }

    private func takeEvents() {
        if posted.isEmpty, channels.count == 1, !channels[0].isHolding {
            take(channels[0])
        } else {
            takeMerged()
        }
        channels.removeAll { channel in
            guard channel.isFinished else { return false }
            counts.conflated += channel.conflated
            return true
        }
    }

    /// A pass is bounded, so that a producer cannot keep handlers waiting.
    private static let eventsPerPiece = 4096
    private static let piecesPerPass = 4

    /// One source's ring, straight from its memory.
    private func take(_ channel: SourceChannel) {
        for _ in 0..<Self.piecesPerPass {
            let events = UnsafeBufferPointer(rebasing: channel.peek().prefix(Self.eventsPerPiece))
            if events.isEmpty { return }
            submit(events)
            channel.pop(events.count)
        }
    }

    /// Several producers' events in the order of their times, as far as they are there.
    private func takeMerged() {
        let post = posted
        posted.removeAll(keepingCapacity: true)
        post.withUnsafeBufferPointer { post in
            pieces.append(EventPiece(post))
            for channel in channels {
                pieces.append(EventPiece(UnsafeBufferPointer(rebasing: channel.peek().prefix(Self.eventsPerPiece))))
            }
            while let run = EventPiece.nextRun(&pieces) { submit(run) }
            // What was merged and no more: the rings go on filling meanwhile.
            for (channel, piece) in zip(channels, pieces.dropFirst()) { channel.pop(piece.count) }
            pieces.removeAll(keepingCapacity: true)
        }
        for channel in channels { channel.takeHeldBack(into: &heldBack) }
        if heldBack.isEmpty { return }
        heldBack.withUnsafeBufferPointer { submit($0) }
        heldBack.removeAll(keepingCapacity: true)
    }

    private func submit(_ events: UnsafeBufferPointer<Event>) {
        engine.submit(Span(_unsafeElements: events)) { decided.append($0) }
    }

    /// The last act on the loop's side.
    private func finish() {
        let drain = lock.locked { if case .stopping(let drain) = phase { drain } else { false } }
        if drain {
            lock.locked {
                while !(posted.isEmpty && channels.allSatisfy(\.isEmpty)) { takeEvents() }
                engine.finish { decided.append($0) }
            }
            deliver()
        }
        lock.locked { phase = .stopped }
    }
}

/// What one producer has sent, on its way into a merge by time.
private struct EventPiece {
    private let events: UnsafeBufferPointer<Event>
    private var taken = 0

    init(_ events: UnsafeBufferPointer<Event>) {
        self.events = events
    }

    var count: Int { events.count }

    /// The piece with the earliest first event, up to the first event that is later
    /// than another piece's first. A producer's own order always stands.
    static func nextRun(_ pieces: inout [EventPiece]) -> UnsafeBufferPointer<Event>? {
        var earliest: Int?
        var limit = Timestamp.latest
        for index in pieces.indices where pieces[index].taken < pieces[index].events.count {
            guard let best = earliest else {
                earliest = index
                continue
            }
            if pieces[index].next < pieces[best].next {
                limit = min(limit, pieces[best].next)
                earliest = index
            } else {
                limit = min(limit, pieces[index].next)
            }
        }
        return earliest.map { pieces[$0].takeRun(upTo: limit) }
    }

    private var next: Timestamp { events[taken].at }

    private mutating func takeRun(upTo limit: Timestamp) -> UnsafeBufferPointer<Event> {
        let start = taken
        repeat { taken += 1 } while taken < events.count && events[taken].at <= limit
        return UnsafeBufferPointer(rebasing: events[start..<taken])
    }
}

/// What the loop counts for itself.
private struct LoopCounts {
    var passes: UInt64 = 0
    var sleeps: UInt64 = 0
    /// Of sources that are gone.
    var conflated: UInt64 = 0
}
