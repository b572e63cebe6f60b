import TestSupport

@testable import Settle
@testable import SettleHandlers
@testable import SettleLoop

/// What must hold whatever the world does. The first breach is kept.
struct Invariants {
    let scenario: Scenario
    private(set) var breach: String?
    var consumers: SimulatedConsumers
    /// The loop may have to apply an event later than one that was sent after it.
    var mayBeOutOfOrder: Bool

    /// Fed with what the engine takes, as it takes it: the engine must decide the same.
    var oracle = Oracle()
    /// Fed with what was sent, as it was sent: the engine must end in the same state.
    var intended = Oracle()
    private(set) var delivered: [Decision] = []
    var compared = 0

    struct Scene {
        var producer: Int
        var policy: Policy
        var isInteracting = false
        /// The size last decided, and the last pass since in which the engine was told
        /// that something else is built.
        var built: Size?
        var toldIn: Int?
        /// Forgetting depends on what was owed at that moment, so on the way things went.
        var wasCancelled = false
        /// The flags that its producer sent, in order, and how far the engine has come.
        var flags: [(at: Timestamp, isResizing: Bool)] = []
        var flagsSeen = 0
        var isFlagged = false
        var isLocked = false
    }

    var scenes: [SceneID: Scene] = [:]
    /// Posted, and not taken yet.
    private var posted: [Event] = []
    var passes = 0
    /// How often the engine was told what is really built.
    private(set) var told = 0
    /// How many events of each producer were taken.
    var taken: [Int]

    init(_ scenario: Scenario) {
        self.scenario = scenario
        mayBeOutOfOrder = !scenario.isInOrder
        consumers = SimulatedConsumers(scenario)
        taken = Array(repeating: 0, count: scenario.producers.count)
    }

    mutating func fail(_ problem: String) { breach = breach ?? problem }
}

// MARK: What happens

extension Invariants {
    mutating func connected(_ scene: SceneID, _ policy: Policy, of producer: Int) {
        if scenes[scene] != nil { fail("a scene's identity is given out twice") }
        scenes[scene] = Scene(producer: producer, policy: policy)
        oracle.connect(scene, policy: policy)
        intended.connect(scene, policy: policy)
    }

    mutating func refused(_ error: EngineError) {
        guard case .tooManyScenes = error, oracle.connectedScenes.count == scenario.scenesMax else {
            return fail("a scene is refused: \(error)")
        }
        if posted.contains(where: { $0.kind == .disconnect && oracle.connectedScenes.contains($0.scene) }) {
            fail("a scene is refused although another was disconnected before")
        }
    }

    /// - Parameter producer: `nil` for what is posted.
    mutating func willSend(_ event: Event, from producer: Int?) {
        intended.submit(event)
        if event.kind == .cancel { scenes[event.scene]?.wasCancelled = true }
        guard producer != nil else { return posted.append(event) }
        if event.isSound, let isResizing = event.isInteractivelyResizing {
            scenes[event.scene]?.flags.append((event.at, isResizing))
        }
    }

    /// - Parameter seen: What the loop knew of the time.
    mutating func take(_ event: Event, _ producers: [SimulatedProducer], seen: Timestamp) {
        if event.at > seen, event.at <= .latest { fail("an event from the future is taken at its own time: \(event)") }
        oracle.submit(event)
        consumers.update(event)
        // Sent by the rebuilder, to say what is really built.
        if event.kind == .built {
            scenes[event.scene]?.toldIn = passes
            told += 1
            return
        }
        guard let index = event.kind == .pointer ? Int(event.button) / 10 : scenes[event.scene]?.producer else {
            return fail("an event of an unknown scene is taken")
        }
        if attribute(event, to: producers[index]), event.isSound { checkEndIsSeen(event, producers[index]) }
    }

    /// Whether the event is the producer's and not posted. A blocking producer's events
    /// arrive as they were sent: all, once, in order; and so do those that are posted.
    private mutating func attribute(_ event: Event, to producer: SimulatedProducer) -> Bool {
        let place = taken[producer.number]
        let isNext = place < producer.sent.count && event.isArrival(of: producer.sent[place])
        let isPosted = posted.first == event
        if producer.traits.overload == .block ? isNext : !isPosted {
            taken[producer.number] += 1
            return true
        }
        if isPosted {
            posted.removeFirst()
        } else {
            fail("producer \(producer.number): event \(place) is not what was sent")
        }
        return false
    }

    /// A source that conflates leaves out no end of an interaction that the engine is in.
    private mutating func checkEndIsSeen(_ event: Event, _ producer: SimulatedProducer) {
        guard event.kind == .geometry, producer.traits.clock == .honest, var scene = scenes[event.scene] else { return }
        var isEndHidden = false
        while scene.flagsSeen < scene.flags.count, scene.flags[scene.flagsSeen].at <= event.at {
            let flag = scene.flags[scene.flagsSeen]
            if flag.at < event.at, !flag.isResizing { isEndHidden = true }
            scene.flagsSeen += 1
        }
        if scene.isFlagged, isEndHidden, event.isInteractivelyResizing == true {
            fail("the end of an interaction is lost")
        }
        scene.isFlagged = event.isInteractivelyResizing ?? scene.isFlagged
        scenes[event.scene] = scene
    }

    /// - Parameter seen: What the loop knew of the time.
    mutating func hear(_ decision: Decision, seen: Timestamp) {
        if decision.at > seen { fail("decided early: \(decision)") }
        if let last = delivered.last, decision.at < last.at { fail("decided out of order: \(decision) after \(last)") }
        delivered.append(decision)
        consumers.yield(decision)
        guard var scene = scenes[decision.scene] else { return fail("decided for an unknown scene: \(decision)") }
        switch decision.kind {
        case .interactionBegan: scene.isInteracting = true
        case .interactionEnded: scene.isInteracting = false
        case .rebuild(let rebuild):
            if scene.isInteracting { fail("a rebuild within an interaction: \(decision)") }
            let isRepeated = rebuild.size == scene.built && scene.toldIn == nil
            if rebuild.size == rebuild.previousSize || isRepeated { fail("the same size twice in a row: \(decision)") }
            scene.built = rebuild.size
            // Decisions come after all events of their pass.
            if scene.toldIn != passes { scene.toldIn = nil }
        case .lockChanged(let isLocked): scene.isLocked = isLocked
        }
        scenes[decision.scene] = scene
    }
}

extension Event {
    /// Whether this is what was sent, on its way at most clamped to an earlier time.
    fileprivate func isArrival(of sent: Event) -> Bool {
        var sent = sent
        if sent.at <= .latest { sent.at = min(sent.at, at) }
        return self == sent
    }

    /// Nothing about it is refused, whoever's scene it is.
    fileprivate var isSound: Bool {
        guard at <= .latest, let size else { return at <= .latest }
        return [size.width, size.height].allSatisfy { $0.isFinite && $0 >= 0 }
    }
}
