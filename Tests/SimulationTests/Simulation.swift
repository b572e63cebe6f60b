import TestSupport

@testable import Settle
@testable import SettleHandlers
@testable import SettleLoop

/// A live engine with producers, clocks, a loop and its timer, builds, consumers and a
/// recording, on one thread and with one random stream. The engine is the real one; only
/// clocks, waiting and threads are simulated. A seed always gives the same run, so a breach
/// can be reproduced.
final class Simulation: @unchecked Sendable {
    let seed: UInt64
    let scenario: Scenario
    var random: SplitMix64
    var trace: Trace
    let loop: SimulatedLoop
    private(set) var live: LiveEngine!
    private(set) var rebuilder: AssetRebuilder!
    var producers: [SimulatedProducer] = []
    let tasks = SimulatedTasks()
    /// The rebuilder's clock, which follows the loop's.
    let clock: ManualClock
    let builds: SimulatedBuilds
    let recorder: SimulatedRecorder
    var invariants: Invariants
    var isInPass = false
    /// The scenes whose disconnect the engine applied outside a pass.
    private var disconnectedBetweenPasses: [SceneID] = []
    private var isInMeanwhile = false
    var isEnding = false
    /// Whether the engine is draining: then pending rebuilds are decided at their own deadlines,
    /// which may be in the future.
    var isDraining = false
    var failPercent: Int
    private(set) var step = 0
    private let callbacks = Callbacks()

    /// Forwards the engine's callbacks, which need an object before `init` has ended.
    private final class Callbacks: @unchecked Sendable {
        weak var simulation: Simulation?
    }

    init(seed: UInt64, folder: String, isPrinted: Bool = false) throws {
        self.seed = seed
        var random = SplitMix64(seed: seed)
        let scenario = Scenario(&random)
        self.scenario = scenario
        trace = Trace(isPrinted: isPrinted)
        loop = SimulatedLoop(time: random.pick([1, 1_000_000_007, 1 << 40]))
        clock = ManualClock(now: Timestamp(nanoseconds: loop.time))
        builds = SimulatedBuilds(concurrency: scenario.concurrency)
        recorder = SimulatedRecorder(
            path: "\(folder)/\(seed).settle", scenario.recording, SplitMix64(seed: random.next()))
        invariants = Invariants(scenario)
        failPercent = scenario.failPercent
        self.random = random
        live = try LiveEngine(
            .init(
                policy: scenario.policy, scenesMax: scenario.scenesMax, decisionsMax: scenario.decisionsMax,
                policiesMax: 128), loop: loop, bounds: scenario.bounds
        ) { [callbacks] in callbacks.simulation?.receive($0) }
        callbacks.simulation = self
        live.withSubscribers { $0.eventObserver = { [callbacks] in callbacks.simulation?.apply($0) } }
        rebuilder = try makeRebuilder()
        for (number, traits) in scenario.producers.enumerated() {
            let channel = try live.makeChannel(capacity: traits.capacity, overload: traits.overload)
            producers.append(SimulatedProducer(number: number, traits: traits, channel: channel, &self.random))
        }
        loop.didReadClock = { [callbacks] in callbacks.simulation?.meanwhile() }
    }

    private func makeRebuilder() throws -> AssetRebuilder {
        let configuration = AssetRebuilder.Configuration(
            concurrency: scenario.concurrency, executor: tasks, liveBudgetPercent: scenario.liveBudget,
            retry: scenario.retry)
        let fail: AssetRebuilder.Failure = { [builds] _, _, _ in builds.failed += 1 }
        if scenario.prepares {
            return try live.makeRebuilder(
                configuration, clock: clock, prepare: { [builds] in try await builds.prepare($0, $1) },
                show: { [builds] in try await builds.show($0, $1, $2) }, onFailure: fail)
        }
        let preview: AssetRebuilder.Preview = { [builds] in await builds.preview($0, $1) }
        return try live.makeRebuilder(
            configuration, clock: clock, build: { [builds] in try await builds.build($0, $1) }, onFailure: fail,
            preview: scenario.hasPreviews ? preview : nil)
    }

    /// The first breach of an invariant, `nil` if there is none.
    var breach: String? { invariants.breach ?? builds.breach ?? recorder.breach }

    /// Runs the world to its end or to the first breach, and returns that.
    func run() -> String? {
        for number in 0..<scenario.steps {
            step = number
            act()
            checkStep()
            if breach != nil { return breach }
        }
        if random.chance(20) { stopAtOnce() } else { finish() }
        return breach
    }
}

// MARK: One step

extension Simulation {
    private func act() {
        switch random.below(100) {
        case 0..<45: produce()
        case 45..<60: passTime()
        case 60..<67: connect()
        case 67..<71: post()
        case 71..<75: endBuild()
        case 75..<80: consume()
        case 80..<82: record()
        case 82: runLoop()
        case 83: if random.chance(10) { rebuilder.dropPrepared() }
        default: break
        }
        if loop.wouldWake, random.chance(scenario.loopPercent) { runLoop() }
        clock.advance(to: Timestamp(nanoseconds: loop.time))
        if random.chance(scenario.endBuildPercent) { endBuild() }
        if tasks.count > 0, random.chance(50) { runTask() }
    }

    private func passTime() {
        let some = random.pick([0, 1, 1000, Scenario.millisecond, Scenario.millisecond, 3 * Scenario.millisecond])
        var time = loop.time + some
        // To a deadline, just before it and just after it.
        if let timer = loop.timer, timer.nanoseconds > loop.time, random.chance(40) {
            time = timer.nanoseconds + UInt64(random.below(3)) - 1
        }
        if random.chance(5) { time += UInt64(random.below(60)) * Scenario.millisecond }
        if random.chance(1) { time += 3600 * 1000 * Scenario.millisecond }
        loop.time = time
        trace.note("time", time)
    }

    private func produce() {
        let index = random.below(producers.count)
        if producers[index].isBlocked {
            // Events that wait for space have earlier times than others that are sent now.
            invariants.mayBeOutOfOrder = true
            producers[index].resume(mayRetry: random.chance(50))
            trace.note("goes on", UInt64(index), UInt64(producers[index].pending.count))
            return
        }
        let events = (0..<1 + random.below(producers[index].traits.sendsMost)).compactMap { _ in
            makeEvent(for: index)
        }
        if !events.isEmpty { send(events, from: index) }
    }

    func send(_ events: [Event], from index: Int) {
        for event in events {
            trace.note(
                "sends", UInt64(index), event.at.nanoseconds, UInt64(event.scene.rawValue),
                UInt64(event.flagBits), UInt64(event.size?.width.bitPattern ?? 0), text: "\(event)")
            invariants.willSend(event, from: index)
            // The recording belongs to another thread, which does not act during a pass.
            if !isInPass { record(event) }
        }
        producers[index].send(events)
    }

    /// Lets other threads act during a pass.
    private func meanwhile() {
        guard isInPass, !isInMeanwhile, !isEnding else { return }
        isInMeanwhile = true
        defer { isInMeanwhile = false }
        if scenario.isLoopSlow, random.chance(30) { loop.time += UInt64(random.below(2_000_000)) }
        while random.chance(scenario.meanwhilePercent) { produce() }
    }

    private func connect() {
        let own = random.chance(40) ? Scenario.policy(&random) : nil
        do throws(EngineError) {
            let scene = try live.connect(policy: own)
            let index = random.below(producers.count)
            producers[index].scenes.append(scene)
            invariants.connected(scene, own ?? scenario.policy, of: index)
            trace.note("connects", UInt64(scene.rawValue), UInt64(index))
        } catch {
            invariants.refused(error)
        }
    }

    /// Posts an event for a scene, as any thread may.
    private func post() {
        guard let index = producers.indices.filter({ !producers[$0].scenes.isEmpty }).randomElement(using: &random)
        else { return }
        let scene = random.pick(producers[index].scenes)
        let at = live.now
        switch random.below(8) {
        case 0..<4: post(.flush(scene, at: at))
        case 4: post(.cancel(scene, at: at))
        case 5: post(.connect(scene, at: at))
        default:
            post(.disconnect(scene, at: at))
            leave(scene, index)
        }
    }

    func post(_ event: Event) {
        var event = event
        if event.kind != .geometry { event.mark(isPosted: true) }
        trace.note("posts", event.at.nanoseconds, UInt64(event.scene.rawValue), text: "\(event)")
        invariants.willSend(event, from: nil)
        live.post(event)
    }

    func leave(_ scene: SceneID, _ index: Int) {
        producers[index].scenes.removeAll { $0 == scene }
        producers[index].disconnected.append(scene)
    }

    func endBuild() {
        guard let number = builds.waiting.randomElement(using: &random) else { return }
        let stopsEarly = builds.isCancelled(number) && random.chance(scenario.obeyPercent)
        let isBuilt = !stopsEarly && !random.chance(failPercent)
        trace.note("build ends", UInt64(number), isBuilt ? 1 : 0)
        builds.end(number, isBuilt: isBuilt)
    }

    func runTask() { tasks.run(random.below(tasks.count)) }

    private func consume() {
        for _ in 0..<random.below(4) {
            if let decision = invariants.consumers.dequeueDecision() { trace.note("takes", decision.at.nanoseconds) }
            if let geometry = invariants.consumers.dequeueGeometry(at: loop.time) {
                trace.note("shows", geometry.at.nanoseconds, UInt64(geometry.scene.rawValue))
            }
        }
    }

    private func record() {
        if random.chance(50) { recorder.tick(at: Timestamp(nanoseconds: loop.time)) }
        if random.chance(30) { recorder.crash(losesPower: random.chance(50)) }
        trace.note("records", recorder.digest)
    }

    private func record(_ event: Event) {
        switch event.kind {
        case .geometry, .connect, .disconnect, .pointer: break
        default: return
        }
        guard event.at <= .latest else { return }
        if let size = event.size, !(size.width >= 0 && size.width.isFinite && size.height >= 0) { return }
        recorder.append(event, scene: event.kind == .pointer ? "" : "scene \(event.scene.rawValue)", at: event.at)
    }
}

// MARK: The loop

extension Simulation {
    func runLoop() {
        isInPass = true
        let start = loop.time
        live.runOnce(lead: scenario.lead)
        isInPass = false
        builds.disconnected.formUnion(disconnectedBetweenPasses)
        disconnectedBetweenPasses = []
        trace.note("pass", live.loop.input.engine.now.nanoseconds, UInt64(invariants.delivered.count))
        invariants.checkPass(of: live, startedAt: start)
        invariants.checkPreviews(of: builds, in: live)
    }

    /// Called when the engine applies events, with its mutex held.
    private func apply(_ events: UnsafeBufferPointer<Event>) {
        for event in events {
            trace.note("takes", event.at.nanoseconds, UInt64(event.scene.rawValue), UInt64(event.flagBits))
            invariants.apply(event, producers, seen: loop.seen)
            guard event.kind == .disconnect else { continue }
            // At the scene limit, `connect` applies events, and the rebuilder gets them in the
            // next pass.
            if isInPass || isDraining {
                builds.disconnected.insert(event.scene)
            } else {
                disconnectedBetweenPasses.append(event.scene)
            }
        }
        meanwhile()
    }

    /// The engine's handler.
    private func receive(_ decision: Decision) {
        trace.note("decides", decision.at.nanoseconds, UInt64(decision.scene.rawValue), text: "\(decision.kind)")
        invariants.receive(decision, seen: isDraining ? .latest : loop.seen)
        // A handler may use the engine.
        if !isEnding, random.chance(5) { post() }
        meanwhile()
    }

    func checkStep() {
        for index in producers.indices where producers[index].channel.isEmpty { producers[index].noticeRoom() }
        invariants.checkStep(of: live, loop: loop, producers: producers)
    }
}
