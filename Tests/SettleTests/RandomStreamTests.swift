import Foundation
import Settle
import TestSupport
import XCTest

/// Seeded random streams, decided by the engine in several ways and by the oracle.
/// `SETTLE_SEED=n` runs only that seed, `SETTLE_SEEDS=n` another number of seeds.
final class RandomStreamTests: XCTestCase {
    private let environment = ProcessInfo.processInfo.environment

    func testRandomStreams_decideAsTheOracle() throws {
        var seeds: Range<UInt64> = 0..<(environment["SETTLE_SEEDS"].flatMap(UInt64.init) ?? tried(4_000))
        if let only = environment["SETTLE_SEED"].flatMap(UInt64.init) { seeds = only..<only + 1 }
        var kinds: [String: Int] = [:]
        for seed in seeds {
            let answer = Answer(RandomStream(seed: seed))
            if seeds.count == 1 { print(answer.stream) }
            let failures = [
                try oneByOne(answer), try inBatches(answer, seed: seed), try withAdvances(answer, seed: seed),
            ]
            for failure in failures.compactMap({ $0 }) { XCTFail("SETTLE_SEED=\(seed): \(failure)") }
            if testRun!.failureCount > 5 { return }
            var interacting: Set<SceneID> = []
            for decision in answer.decisions {
                kinds[decision.kindText, default: 0] += 1
                // Rule 8.
                switch decision.kind {
                case .interactionBegan: XCTAssertTrue(interacting.insert(decision.scene).inserted, "seed \(seed)")
                case .interactionEnded: XCTAssertNotNil(interacting.remove(decision.scene), "seed \(seed)")
                case .rebuild(let rebuild) where rebuild.reason != .live:
                    XCTAssertFalse(interacting.contains(decision.scene), "seed \(seed)")
                default: break
                }
            }
        }
        // The streams are worth nothing if they do not reach every kind of decision.
        if seeds.count >= 1_000 {
            XCTAssertEqual(kinds.count, 16, "every kind, reason and lock value: \(kinds)")
            for (kind, count) in kinds { XCTAssertGreaterThan(count, tried(100), kind) }
        }
    }

    /// One event a call, and everything that can be asked is compared after each.
    private func oneByOne(_ answer: Answer) throws -> String? {
        let run = try Run(answer, decisionsMax: 1024)
        for (number, state) in answer.states.enumerated() {
            try run.apply(answer.stream.actions[number])
            run.submitWaiting()
            if run.state != state {
                return
                    "one by one, action \(number) \(answer.stream.actions[number]):\n engine \(run.state)\n oracle \(state)"
            }
            if run.decisions.count != state.counts.decisions { return "one by one, decisions after action \(number)" }
        }
        run.finish()
        return difference("one by one", run, answer)
    }

    /// Many events a call, and hardly any room for decisions.
    private func inBatches(_ answer: Answer, seed: UInt64) throws -> String? {
        var random = SplitMix64(seed: ~seed)
        let run = try Run(answer, decisionsMax: 1 + random.below(3))
        for (number, action) in answer.stream.actions.enumerated() {
            try run.apply(action)
            guard random.chance(20) else { continue }
            run.submitWaiting()
            // All that a call decides is delivered before it returns.
            if run.decisions.count != answer.states[number].counts.decisions || run.state != answer.states[number] {
                return "in batches, action \(number):\n engine \(run.state)\n oracle \(answer.states[number])"
            }
        }
        run.submitWaiting()
        run.finish()
        return difference("in batches", run, answer)
    }

    /// Waking up between the events, for a deadline or for nothing, changes nothing.
    private func withAdvances(_ answer: Answer, seed: UInt64) throws -> String? {
        var random = SplitMix64(seed: seed ^ 0xADAD)
        let run = try Run(answer, decisionsMax: 1 + random.below(64))
        for (number, action) in answer.stream.actions.enumerated() {
            if let limit = answer.nextTime(from: number, applied: run.applied) {
                while random.chance(50) {
                    let gap = limit.nanoseconds - min(limit.nanoseconds, run.now.nanoseconds)
                    let step = random.chance(50) ? gap : random.next() % (gap + 1)
                    run.advance(to: Timestamp(nanoseconds: run.now.nanoseconds + step))
                }
            }
            try run.apply(action)
            run.submitWaiting()
        }
        run.finish()
        return difference("with advances", run, answer)
    }

    private func difference(_ way: String, _ run: Run, _ answer: Answer) -> String? {
        if let at = zip(run.decisions, answer.decisions).enumerated().first(where: { $1.0 != $1.1 }) {
            return "\(way), decision \(at.offset):\n engine \(at.element.0)\n oracle \(at.element.1)"
        }
        if run.decisions.count != answer.decisions.count {
            return "\(way): \(run.decisions.count) decisions, the oracle has \(answer.decisions.count)"
        }
        let counts = run.counts
        return counts == answer.counts ? nil : "\(way):\n engine \(counts)\n oracle \(answer.counts)"
    }
}

/// What can be asked of an engine.
private struct State: Equatable {
    var now: Timestamp
    var nextDeadline: Timestamp?
    var pending: [UInt32]
    var interacting: [UInt32]
    var counts: Oracle.Counts
}

/// The oracle's answer to a stream: what is decided, and the state after each action.
private struct Answer {
    let stream: RandomStream
    let states: [State]
    let decisions: [Decision]
    let counts: Oracle.Counts

    /// The next time that the events reach on their own; `nil` if a scene changes its policy before,
    /// which takes place at the time before it.
    func nextTime(from number: Int, applied: UInt64) -> Timestamp? {
        for (action, state) in zip(stream.actions[number...], states[number...]) {
            if case .setPolicy = action { return nil }
            if state.counts.events > applied { return state.now }
        }
        return nil
    }

    init(_ stream: RandomStream) {
        var oracle = Oracle()
        var states: [State] = []
        var names: UInt32 = 0
        for action in stream.actions {
            switch action {
            case .connect(let policy):
                oracle.connect(SceneID(rawValue: names), policy: policy ?? stream.policy)
                names += 1
            case .setPolicy(let policy, let scene): oracle.setPolicy(policy, of: SceneID(rawValue: scene))
            case .event(let event): oracle.submit(event)
            }
            let all = (0..<names).map(SceneID.init(rawValue:))
            states.append(
                State(
                    now: oracle.now, nextDeadline: oracle.nextDeadline,
                    pending: all.filter(oracle.isPending).map(\.rawValue),
                    interacting: all.filter(oracle.isInteracting).map(\.rawValue), counts: oracle.counts))
        }
        oracle.finish()
        self.stream = stream
        self.states = states
        decisions = oracle.decisions
        counts = oracle.counts
    }
}

/// One run of a stream by an engine. Its decisions carry the stream's names.
private final class Run {
    private var engine: Engine
    private var scenes: [SceneID] = []
    private var names: [SceneID: SceneID] = [:]
    private var waiting: [Event] = []
    private(set) var decisions: [Decision] = []

    init(_ answer: Answer, decisionsMax: Int) throws {
        engine = try Engine(
            .init(
                policy: answer.stream.policy, scenesMax: answer.stream.scenesMax, decisionsMax: decisionsMax,
                policiesMax: 128))
    }

    /// Applies an action. What is no event happens after the events before it.
    func apply(_ action: RandomStream.Action) throws {
        switch action {
        case .connect(let policy):
            submitWaiting()
            let scene = try engine.connect(policy: policy)
            names[scene] = SceneID(rawValue: UInt32(scenes.count))
            scenes.append(scene)
        case .setPolicy(let policy, let scene):
            submitWaiting()
            try engine.setPolicy(policy, of: scenes[Int(scene)])
        case .event(var event):
            if event.kind != .pointer { event.scene = scenes[Int(event.scene.rawValue)] }
            waiting.append(event)
        }
    }

    func submitWaiting() {
        engine.submit(waiting.span) { decisions.append($0.renamed(names)) }
        waiting.removeAll(keepingCapacity: true)
    }

    func advance(to now: Timestamp) { engine.advance(to: now) { decisions.append($0.renamed(names)) } }
    func finish() { engine.finish { decisions.append($0.renamed(names)) } }

    var now: Timestamp { engine.now }
    var applied: UInt64 { engine.statistics.events }

    var state: State {
        State(
            now: engine.now, nextDeadline: engine.nextDeadline,
            pending: scenes.indices.filter { engine.isPending(scenes[$0]) }.map(UInt32.init),
            interacting: scenes.indices.filter { engine.isInteracting(scenes[$0]) }.map(UInt32.init),
            counts: Oracle.Counts(engine.statistics))
    }

    var counts: Oracle.Counts { Oracle.Counts(engine.statistics) }
}

extension Decision {
    fileprivate func renamed(_ names: [SceneID: SceneID]) -> Decision {
        var copy = self
        copy.scene = names[scene]!
        return copy
    }

    var kindText: String {
        switch kind {
        case .interactionBegan: "began"
        case .interactionEnded(let reason, _): "ended \(reason)"
        case .rebuild(let rebuild): "rebuild \(rebuild.reason)"
        case .preview: "preview"
        default: "\(kind)"
        }
    }
}
