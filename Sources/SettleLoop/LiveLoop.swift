@_spi(Faults) internal import Settle
internal import SettlePlatform

/// A live engine at work: its loop, what was sent to it and whoever hears of it.
///
/// The loop's thread keeps this alive, and `LiveEngine` does; so an engine that nobody
/// holds any more can stop the thread.
final class LiveLoop: @unchecked Sendable {
    private let loop: any LoopWaiting
    let bell: LoopBell
    let executor: LoopExecutor
    private let scenesMax: Int

    /// Guards the intake, with the engine in it, what is decided and the phase. Held for a
    /// batch at a time, and never while a handler runs. So the language need not check at
    /// each access that there is no other, which costs more than the access.
    private let lock = Lock()
    @exclusivity(unchecked) private(set) var intake: Intake
    private var phase = Phase.made
    /// Decided, and not yet on its way to the handler.
    @exclusivity(unchecked) private var decided: [Decision] = []

    // The loop's alone.
    private var handler: @Sendable (Decision) -> Void
    @exclusivity(unchecked) private var delivering: [Decision] = []
    private var wakeLead = WakeLead()
    /// When the sleep ends that `prepareToSleep` has allowed; nil when only the bell ends it.
    private var wakeAsked: Timestamp?

    /// Guards the end, for which one waits and all others for that one. A host's turn of
    /// the loop holds it too, so that the end comes between two turns.
    private let ending = Lock()
    private var thread: WorkerThread?
    private var hasEnded = false

    private enum Phase {
        case made, running, hosted
        case stopping(drain: Bool)
        case stopped
    }

    init(
        _ engine: consuming Engine, scenesMax: Int, decisionsMax: Int, loop: any LoopWaiting, bounds: Intake.Bounds,
        handler: @escaping @Sendable (Decision) -> Void
    ) throws(LoopError) {
        bell = try LoopBell(descriptor: loop.bellDescriptor)
        // A loop that has not run yet sleeps: whoever sends first wakes its host.
        bell.prepareToSleep()
        executor = LoopExecutor(bell: bell)
        self.loop = loop
        self.scenesMax = scenesMax
        self.handler = handler
        intake = Intake(engine, bell.ready, bounds: bounds, clock: { loop.now })
        decided.reserveCapacity(decisionsMax)
        delivering.reserveCapacity(decisionsMax)
    }

    // MARK: Any thread

    var now: Timestamp { loop.now }
    var backendDescriptor: Int32 { loop.backendDescriptor }

    /// Reads or changes the intake with the lock held.
    func withIntake<Result, Failure: Error>(
        _ body: (inout Intake) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.locked { () throws(Failure) in try body(&intake) }
    }

    func connect(policy: Policy?) throws(EngineError) -> SceneID {
        try lock.locked { () throws(EngineError) in
            if isFull { takeWhatWaits() }
            return try intake.engine.connect(policy: policy)
        }
    }

    private var isFull: Bool { intake.engine.statistics.scenes >= scenesMax }

    /// Takes the events that wait, in the loop's place: a scene that was disconnected makes
    /// room at once, and its own last events still come before. At least a pass, and until
    /// all is taken that was posted. Whoever sent the events has woken the loop, or will,
    /// and it delivers what they decided.
    private func takeWhatWaits() {
        switch phase {
        case .made, .running, .hosted: break
        case .stopping, .stopped: return
        }
        if intake.isEmpty { return }
        repeat {
            intake.takeEvents(&decided)
        } while !Planted.disconnectsLeftBehind && isFull && !intake.posted.isEmpty
    }

    func post(_ event: Event) {
        if bell.isStopped { return }
        lock.locked { intake.posted.append(event) }
        bell.ringIfAsleep()
    }

    // MARK: Running

    func start() throws(LoopError) {
        try lock.locked { () throws(LoopError) in
            guard case .made = phase else {
                throw LoopError(call: "start", problem: "the engine was started before")
            }
            thread = try WorkerThread { [self] in runUntilStopped() }
            phase = .running
        }
    }

    /// A turn of the loop on its host's thread.
    ///
    /// - Parameter lead: See `prepareToSleep`.
    func runOnce(lead: UInt64) {
        // Called by a handler, which this turn has to return to.
        if executor.isCurrent { return }
        let isOver = ending.locked {
            guard mayRunOnce else { return false }
            loop.run(.withoutWaiting)
            bell.awake()
            executor.enter()
            pass()
            executor.leave()
            if bell.isStopped { return true }
            // The host may have other work; its loop comes back at once.
            if !prepareToSleep(lead: lead) { bell.ring() }
            return false
        }
        if isOver { end() }
    }

    private var mayRunOnce: Bool {
        lock.locked {
            if case .made = phase { phase = .hosted }
            switch phase {
            case .made, .hosted: return true
            case .stopping, .stopped: return false
            case .running: preconditionFailure("runOnce is for an engine that was not started")
            }
        }
    }

    func stop(draining: Bool) {
        let sources = lock.locked {
            switch phase {
            case .made, .hosted, .running: phase = .stopping(drain: draining)
            case .stopping, .stopped: break
            }
            return intake.sources.all
        }
        bell.stop()
        for source in sources { source.wakeProducer() }
        if !executor.isCurrent { end() }
    }

    /// Waits for the loop's thread, or does its last act where there is none.
    private func end() {
        ending.locked {
            if hasEnded { return }
            hasEnded = true
            if let thread = lock.locked({ self.thread }) { thread.join() } else { finish() }
            loop.close()
        }
    }

    /// The engine is gone, and has asked the loop to stop. Where that was on the loop's own
    /// thread, the thread ends by itself and frees what is left.
    func abandon() {
        guard let thread = lock.locked({ self.thread }) else { return }
        ending.locked {
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
            guard intake.isEmpty || Planted.sleepsWithoutLook else { return false }
            guard decided.isEmpty else { return false }
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
            intake.pass(at: Planted.firesEarlyByLead ? now.after(WakeLead().nanoseconds) : now, &decided)
        }
        deliver()
        executor.runJobs()
    }

    /// Collected first, so that a handler that sends cannot extend the pass, and may
    /// use the engine.
    private func deliver() {
        let (listeners, gone) = lock.locked {
            swap(&decided, &delivering)
            return (intake.listeners, intake.listeners.takeGone())
        }
        for decision in delivering {
            handler(decision)
            listeners.take(decision)
        }
        delivering.removeAll(keepingCapacity: true)
        for scene in gone { listeners.rebuilder?.remove(scene) }
    }

    /// The last act on the loop's side.
    private func finish() {
        executor.enter()
        let drain = lock.locked { if case .stopping(let drain) = phase { drain } else { false } }
        if drain {
            lock.locked {
                while intake.hasMore {
                    intake.takeEvents(&decided)
                    if Planted.drainEndsEarly { break }
                }
                intake.engine.finish { decided.append($0) }
            }
        }
        deliver()
        let listeners = lock.locked {
            phase = .stopped
            return intake.listeners.finish()
        }
        letGo(of: listeners)
        executor.end()
    }

    /// Handlers that hold the engine would keep it for good. Letting them go may be the
    /// engine's end, so it comes without the lock, and while this is still the loop's thread.
    private func letGo(of listeners: consuming Listeners) {
        _ = consume listeners
        handler = { _ in }
    }
}
