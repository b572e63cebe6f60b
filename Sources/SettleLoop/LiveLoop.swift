internal import Settle
internal import SettleHandlers
internal import SettlePlatform

/// A running live engine: its loop, its input and its subscribers.
///
/// The loop's thread and `LiveEngine` keep it alive. So a `LiveEngine` that nobody references
/// any more can stop the thread.
final class LiveLoop: @unchecked Sendable {
    private let loop: any LoopWaiting
    let bell: LoopBell
    let executor: LoopExecutor
    private let scenesMax: Int

    /// Guards the input with the engine, the decisions and the phase. It is locked for a
    /// batch at a time, and never while a handler runs. So accesses need no dynamic check of
    /// exclusivity, which costs more than the access.
    private let mutex = PthreadMutex()
    @exclusivity(unchecked) private(set) var input: EngineInput
    @exclusivity(unchecked) private var phase = Phase.made
    /// Decisions that are not delivered yet.
    @exclusivity(unchecked) private var decided: [Decision] = []

    // The loop's own.
    @exclusivity(unchecked) private var handler: @Sendable (Decision) -> Void
    @exclusivity(unchecked) private var delivering: [Decision] = []
    @exclusivity(unchecked) private var wakeLead = WakeLead()
    /// When the sleep ends that `prepareToSleep` allowed; `nil` when only the bell ends it.
    @exclusivity(unchecked) private var wakeAsked: Timestamp?
    private let instrumentation: Instrumentation?

    /// Guards the end: one thread ends the loop, others wait for it. `runOnce` locks it as
    /// well, so the end comes between two turns.
    private let ending = PthreadMutex()
    private var thread: WorkerThread?
    private var hasEnded = false

    private enum Phase {
        case made, running, hosted
        case stopping(drain: Bool)
        case stopped
    }

    init(
        _ engine: consuming Engine, loop: any LoopWaiting, bounds: EngineInput.Bounds, hooks: LiveEngine.Hooks,
        handler: @escaping @Sendable (Decision) -> Void
    ) {
        bell = LoopBell(loop.bell)
        // A loop that has not run yet sleeps: the first sender wakes its host.
        bell.prepareToSleep()
        executor = LoopExecutor(bell: bell)
        self.loop = loop
        self.handler = handler
        let configuration = engine.configuration
        scenesMax = configuration.scenesMax
        let decisionsMax = configuration.decisionsMax
        input = EngineInput(engine, bell.ready, bounds: bounds, clock: { loop.now })
        input.collectsRejections = hooks.onRejection != nil
        instrumentation = hooks.observePasses ? Instrumentation(hooks) : nil
        decided.reserveCapacity(decisionsMax)
        delivering.reserveCapacity(decisionsMax)
    }

    // MARK: Any thread

    var now: Timestamp { loop.now }
    var backendDescriptor: Int32 { loop.backendDescriptor }

    /// Reads or changes the input with the mutex locked.
    func withInput<Result, Failure: Error>(
        _ body: (inout EngineInput) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try mutex.withInlinedLock { () throws(Failure) in try body(&input) }
    }

    func connect(policy: Policy?) throws(EngineError) -> SceneID {
        try mutex.withInlinedLock { () throws(EngineError) in
            if isStopping { throw .stopped }
            if isFull { submitPending { isFull } }
            return try addingPolicy { engine throws(EngineError) in try engine.connect(policy: policy) }
        }
    }

    func setPolicy(_ policy: Policy, of scene: SceneID) throws(EngineError) {
        try mutex.withInlinedLock { () throws(EngineError) in
            if isStopping { throw .stopped }
            try addingPolicy { engine throws(EngineError) in try engine.setPolicy(policy, of: scene) }
        }
    }

    func add(_ rebuilder: AssetRebuilder) throws(LoopError) {
        try mutex.withInlinedLock { () throws(LoopError) in
            if isStopping { throw .stopped }
            try input.subscribers.add(rebuilder)
        }
    }

    /// Whether `stop` was called. With the mutex locked.
    private var isStopping: Bool {
        switch phase {
        case .made, .running, .hosted: false
        case .stopping, .stopped: true
        }
    }

    /// Changes the engine, and once more when the first attempt found no space for a policy:
    /// posted disconnects free the policies that only their scenes use.
    private func addingPolicy<Result>(
        _ change: (inout Engine) throws(EngineError) -> Result
    ) throws(EngineError) -> Result {
        do throws(EngineError) {
            return try change(&input.engine)
        } catch {
            guard case .tooManyPolicies = error, !input.isEmpty else { throw error }
            submitPending { true }
            return try change(&input.engine)
        }
    }

    private var isFull: Bool { input.engine.statistics.scenes >= scenesMax }

    /// Submits the events that wait, in the loop's place: the disconnect of a scene frees its
    /// slot at once, and events before it are still applied before it. At least one pass, and
    /// on until the posted events are submitted, or `needsMore` returns false. The sender of the
    /// events has woken the loop, or will, and the loop delivers the decisions.
    private func submitPending(while needsMore: () -> Bool) {
        if input.isEmpty { return }
        repeat {
            input.submitPending(&decided)
        } while needsMore() && !input.posted.isEmpty
    }

    func post(_ event: Event) {
        if bell.isStopped { return }
        mutex.withInlinedLock { input.posted.append(event) }
        bell.ringIfAsleep()
    }

    // MARK: Running

    func start() throws(LoopError) {
        try mutex.withInlinedLock { () throws(LoopError) in
            if isStopping { throw .stopped }
            guard case .made = phase else { throw .alreadyStarted }
            thread = try LoopError.wrap { () throws(SystemError) in
                try WorkerThread { [self] in runUntilStopped() }
            }
            phase = .running
        }
    }

    /// One turn of the loop on its host's thread.
    ///
    /// - Parameter lead: See `prepareToSleep`.
    func runOnce(lead: UInt64) {
        // Called by a handler, within a turn.
        if executor.isCurrent { return }
        let isOver = ending.withInlinedLock {
            guard mayRunOnce else { return false }
            loop.run(.withoutWaiting)
            bell.awake()
            executor.enter()
            pass()
            executor.leave()
            if bell.isStopped { return true }
            // The host may have other work; its loop calls again at once.
            if !prepareToSleep(lead: lead) { bell.ring() }
            return false
        }
        if isOver { end() }
    }

    private var mayRunOnce: Bool {
        mutex.withInlinedLock {
            if case .made = phase { phase = .hosted }
            switch phase {
            case .made, .hosted: return true
            case .stopping, .stopped: return false
            case .running: preconditionFailure("runOnce is for an engine that was not started")
            }
        }
    }

    func stop(draining: Bool) {
        let sources = mutex.withInlinedLock {
            switch phase {
            case .made, .hosted, .running: phase = .stopping(drain: draining)
            case .stopping, .stopped: break
            }
            return input.sources.all
        }
        bell.stop()
        for source in sources { source.wakeProducer() }
        if !executor.isCurrent { end() }
    }

    /// Waits for the loop's thread, or does its last work where there is none.
    private func end() {
        ending.withInlinedLock {
            if hasEnded { return }
            hasEnded = true
            if let thread = mutex.withInlinedLock({ self.thread }) { thread.join() } else { finish() }
            loop.close()
        }
    }

    /// The engine has gone and has asked the loop to stop. If that was on the loop's own
    /// thread, the thread ends by itself and frees the rest.
    func abandon() {
        guard let thread = mutex.withInlinedLock({ self.thread }) else { return }
        ending.withInlinedLock {
            if hasEnded { return }
            hasEnded = true
            thread.detach()
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
                instrumentation?.wokeUp(at: loop)
            }
            bell.awake()
        }
        finish()
    }

    /// True when the loop may sleep: no event waits, nothing is due within `lead` nanoseconds,
    /// and a producer that sends from now on rings the bell.
    private func prepareToSleep(lead: UInt64) -> Bool {
        bell.prepareToSleep()
        wakeAsked = nil
        let isIdle = mutex.withInlinedLock {
            guard input.isEmpty else { return false }
            guard decided.isEmpty else { return false }
            let soon = Timestamp(nanoseconds: loop.now.nanoseconds + lead)
            if let deadline = input.wakeTime(after: soon) {
                if deadline <= soon { return false }
                let asked = Timestamp(nanoseconds: deadline.nanoseconds - lead)
                loop.wake(at: asked)
                wakeAsked = asked
            }
            guard executor.isIdle else { return false }
            input.sleeps += 1
            return true
        }
        if !isIdle { bell.awake() }
        return isIdle && !bell.isStopped
    }

    /// Submits what was sent so far, fires what is due, and delivers the decisions.
    private func pass() {
        // Read first: an event sent before this moment is applied before a deadline at it.
        let now = loop.now
        mutex.withInlinedLock {
            input.pass(at: now, &decided)
        }
        deliver()
        executor.runJobs()
    }

    /// Delivers decisions without the mutex, so that a handler may use the engine. What a
    /// handler sends cannot extend the pass, because the decisions are collected before.
    private func deliver() {
        let (subscribers, disconnected) = mutex.withInlinedLock {
            swap(&decided, &delivering)
            // With the same lock, so that the events noted are those that made the decisions.
            instrumentation?.note(
                input.engine.statistics, at: input.engine.now, decisions: delivering.count,
                rejections: input.drainRejections(), coalesced: input.sources.coalesced)
            return (input.subscribers, input.subscribers.drainDisconnected())
        }
        instrumentation?.report()
        for decision in delivering {
            handler(decision)
            subscribers.deliver(decision)
        }
        delivering.removeAll(keepingCapacity: true)
        for scene in disconnected { subscribers.rebuilder?.remove(scene) }
        follow(subscribers.rebuilder)
    }

    /// Shows a rebuilder what the scenes that it prepares for are like, unless they are ahead of its decisions.
    private func follow(_ rebuilder: AssetRebuilder?) {
        guard let rebuilder, case let scenes = rebuilder.scenesToFollow(), !scenes.isEmpty else { return }
        let followed = mutex.withInlinedLock {
            decided.isEmpty ? scenes.map { AssetRebuilder.Followed($0, input.engine) } : []
        }
        if !followed.isEmpty { rebuilder.follow(followed) }
    }

    /// The loop's last work.
    private func finish() {
        executor.enter()
        let drain = mutex.withInlinedLock { if case .stopping(let drain) = phase { drain } else { false } }
        if drain {
            mutex.withInlinedLock {
                while input.hasMore {
                    input.submitPending(&decided)
                }
                input.engine.finish { decided.append($0) }
            }
        }
        deliver()
        let subscribers = mutex.withInlinedLock {
            phase = .stopped
            return input.subscribers.finish()
        }
        subscribers.rebuilder?.decisionsEnded()
        release(subscribers)
        executor.end()
    }

    /// Releases the handlers: one that references the engine would keep it for ever. This may
    /// release the engine, so it happens without the mutex and on the loop's thread.
    private func release(_ subscribers: consuming Subscribers) {
        _ = consume subscribers
        handler = { _ in }
    }
}
