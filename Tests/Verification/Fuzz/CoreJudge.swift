import Settle

/// The engine, fed any program of events, batches and wake-ups, decides what the
/// oracle decides, and says the same of itself whenever it is asked.
final class CoreJudge {
    private var engine: Engine
    private var oracle = Oracle()
    private var decisions: [Decision] = []
    private var compared = 0
    private var waiting: [Event] = []
    private let policies: [Policy]
    /// All scenes there ever were, the gone among them, and one that never was.
    private var scenes = [SceneID(rawValue: 0)]
    private let scenesMax: Int
    private var time: UInt64 = 0
    /// Each scene's last rebuild, and its last preview.
    private var generations: [SceneID: UInt32] = [:]
    private var previews: [SceneID: UInt32] = [:]

    static func run(_ bytes: [UInt8]) {
        var program = Numbers(bytes)
        guard let judge = try? CoreJudge(&program) else {
            demand(false, "a checked configuration is accepted")
            return
        }
        while !program.isAtEnd { judge.step(&program) }
        judge.finish()
    }

    private init(_ program: inout Numbers) throws {
        policies = [Self.policy(&program), Self.policy(&program), .uikit]
        scenesMax = 1 + program.byte() % 6
        engine = try Engine(
            .init(policy: policies[0], scenesMax: scenesMax, decisionsMax: 1 + program.byte() % 5, policiesMax: 3))
        time = program.pick([0, 0, 1_000, UInt64(Int64.max) - 300])
    }

    /// Few and small delays, so that deadlines meet each other and the events.
    static func policy(_ program: inout Numbers) -> Policy {
        func delay() -> Duration {
            program.pick([
                .zero, .nanoseconds(1), .nanoseconds(2), .nanoseconds(5), .nanoseconds(20), .microseconds(3), .longest,
            ])
        }
        var isLive = false
        func limit() -> Duration? {
            let choice = program.byte()
            // None of the byte's other bits was of use.
            isLive = choice >= 0xC0
            return choice & 1 == 0 ? nil : delay()
        }
        var policy = Policy(
            firstDelay: delay(), reportedEndDelay: delay(), releasedEndDelay: delay(), discreteDelay: delay(),
            quietDelay: delay(), jumpDelay: limit(), calmDelay: delay(), lockDelay: delay(), pauseDelay: limit(),
            maximumWait: limit(), interactionTimeout: limit())
        if policy.pauseDelay != nil { policy.pauseSharePercent = program.pick([nil, 100, 50, 30, 1]) }
        guard isLive else { return policy }
        policy.liveSharePercent = program.pick([100, 50, 30, 99, 1])
        policy.liveLimit = limit()
        policy.liveInterval = delay()
        policy.livePause = limit()
        return policy
    }

    /// One action: what, for which scene, after how long.
    private func step(_ program: inout Numbers) {
        let what = program.byte()
        let scene = scenes[scenes.count - 1 - (what >> 4) % scenes.count]
        let at = moment(&program)
        switch what & 15 {
        case 0: connect(policies[program.byte() % policies.count])
        case 1: waiting.append(.pointer(button: UInt32(program.byte() % 40), at: at, isPressed: true))
        case 2: waiting.append(.pointer(button: UInt32(program.byte() % 40), at: at, isPressed: false))
        case 3: waiting.append(.flush(scene, at: at))
        case 4: waiting.append(.cancel(scene, at: at))
        case 5: waiting.append(.reallyBuilt(scene, at: at, size: Self.size(&program)))
        case 6:
            let choice = program.byte()
            if choice & 1 == 0 { return waiting.append(.disconnect(scene, at: at)) }
            // Mostly a report, of mostly the last rebuild.
            if choice < 0x20 { return waiting.append(.connect(scene, at: at)) }
            let other: UInt32 = [0, 0, 0, 0, 0, 1, 2, .max][choice >> 1 & 7]
            let (cost, rebuild, preview) = (
                Self.cost(&program), generations[scene, default: 0], previews[scene, default: 0]
            )
            waiting.append(
                choice < 0x90
                    ? .finished(scene, at: at, generation: rebuild &+ other, cost: cost)
                    : .previewed(scene, at: at, generation: preview &+ other, cost: cost, isKept: choice & 16 == 0))
        case 7: advance(to: at)
        case 8: submitWaiting()
        case 9: setPolicy(policies[program.byte() % policies.count], of: scene)
        default: waiting.append(Self.geometry(scene, at, &program))
        }
    }

    private func moment(_ program: inout Numbers) -> Timestamp {
        let step = UInt64(program.byte())
        switch step {
        case 0..<0xC0:
            time += step >> 3
        case 0xC0..<0xE0:
            time += (step - 0xC0) * 500
        case 0xE0..<0xF8:
            // Earlier than the event before.
            return Timestamp(nanoseconds: time - min(time, step - 0xE0))
        case 0xF8..<0xFF:
            time += 1 << (8 * (step - 0xF8))
        default:
            return Timestamp(nanoseconds: Timestamp.latest.nanoseconds + 1)
        }
        time = min(time, Timestamp.latest.nanoseconds)
        return Timestamp(nanoseconds: time)
    }

    private static func size(_ program: inout Numbers) -> Size? {
        let width = program.pick([0, 1, 2, 3, 400, 460, 1e300, -0.0, -1, .nan, .infinity])
        return width == 3 ? nil : Size(width: width, height: program.byte() & 7 == 0 ? 0 : 300)
    }

    static func cost(_ program: inout Numbers) -> Duration {
        program.pick([
            .zero, .nanoseconds(1), .nanoseconds(2), .nanoseconds(5), .microseconds(3), .seconds(3601), .longest,
        ])
    }

    private static func geometry(_ scene: SceneID, _ at: Timestamp, _ program: inout Numbers) -> Event {
        let flags = program.byte()
        func flag(_ bits: Int) -> Bool? { [nil, nil, true, false][bits & 3] }
        return .geometry(
            scene, at: at, size: flags & 0xC0 == 0 ? nil : size(&program), isInteractivelyResizing: flag(flags),
            isInterfaceOrientationLocked: flag(flags >> 2),
            orientation: InterfaceOrientation(rawValue: UInt8(flags >> 4 & 3)))
    }
}

// MARK: - Both at once

extension CoreJudge {
    /// Connecting takes no time but needs room, so what waits comes before it.
    private func connect(_ policy: Policy) {
        submitWaiting()
        guard engine.statistics.scenes < scenesMax else {
            let connected = try? engine.connect(policy: policy)
            demand(connected == nil, "no more scenes than there is room for")
            return
        }
        guard let scene = try? engine.connect(policy: policy) else {
            return demand(false, "a scene that there is room for connects")
        }
        demand(!scenes.contains(scene), "a scene's identity is its own: \(scene)")
        oracle.connect(scene, policy: policy)
        scenes.append(scene)
    }

    /// Neither does this; the oracle has only connected scenes.
    private func setPolicy(_ policy: Policy, of scene: SceneID) {
        submitWaiting()
        let isConnected = oracle.connectedScenes.contains(scene)
        let isSet = (try? engine.setPolicy(policy, of: scene)) != nil
        demand(isSet == isConnected, "a policy is set exactly if the scene is connected: \(scene)")
        if isConnected { oracle.setPolicy(policy, of: scene) }
        compare()
    }

    private func submitWaiting() {
        engine.submit(waiting.span) { decisions.append($0) }
        for event in waiting { oracle.submit(event) }
        waiting.removeAll(keepingCapacity: true)
        compare()
    }

    private func advance(to now: Timestamp) {
        submitWaiting()
        engine.advance(to: now) { decisions.append($0) }
        oracle.advance(to: now)
        compare()
    }

    private func finish() {
        submitWaiting()
        engine.finish { decisions.append($0) }
        oracle.finish()
        compare()
        demand(engine.nextDeadline == nil, "nothing is due behind the end")
    }

    private func compare() {
        let expected = oracle.decisions
        for index in compared..<max(decisions.count, expected.count) {
            let one = index < decisions.count ? decisions[index] : nil
            let two = index < expected.count ? expected[index] : nil
            demand(one == two, "decision \(index): \(one as Any), the oracle: \(two as Any)")
            if let one, case .rebuild(let rebuild) = one.kind { generations[one.scene] = rebuild.generation }
            if let one, case .preview(_, let generation) = one.kind { previews[one.scene] = generation }
        }
        compared = decisions.count
        let wake = engine.nextWake
        let deadline = engine.nextDeadline
        demand(deadline == oracle.nextDeadline, "next: \(deadline as Any), the oracle: \(oracle.nextDeadline as Any)")
        demand(deadline.map { wake ?? .latest <= $0 } ?? true, "the bound \(wake as Any) is not behind what is due")
        demand(engine.now == oracle.now, "now: \(engine.now), the oracle: \(oracle.now)")
        for scene in scenes {
            demand(engine.isPending(scene) == oracle.isPending(scene), "pending: \(scene)")
            demand(engine.isInteracting(scene) == oracle.isInteracting(scene), "interacting: \(scene)")
        }
        let counts = Oracle.Counts(engine.statistics)
        demand(counts == oracle.counts, "counts: \(counts), the oracle: \(oracle.counts)")
    }
}

extension Duration {
    fileprivate static var longest: Duration { Policy.longestDelay }
}
