import TestSupport

@testable import Settle
@testable import SettleHandlers
@testable import SettleLoop

/// The invariants of every simulated world. The first breach is kept.
struct Invariants {
    let scenario: Scenario
    private(set) var breach: String?
    var consumers: SimulatedConsumers
    /// Whether the loop may apply an event after one that was sent later.
    var mayBeOutOfOrder: Bool

    /// Gets the events that the engine applies, when it does: the decisions must be equal.
    var oracle = Oracle()
    /// Gets the events that were sent, when they are: the final states must be equal.
    var intended = Oracle()
    private(set) var delivered: [Decision] = []
    var compared = 0

    struct Scene {
        var producer: Int
        var policy: Policy
        var isInteracting = false
        /// The size previewed last in this interaction, since its last rebuild.
        var previewed: Size?
        /// The size previewed last since the last rebuild.
        var prepared: Size?
        /// The number of its previews.
        var previews: UInt32 = 0
        /// The last of them that was reported as given up.
        var givenUp: UInt32?
        /// The size of the last rebuild decision, and the last pass since then in which the
        /// rebuilder reported another built size.
        var built: Size?
        var reportedIn: Int?
        /// What a cancel removes depends on the rebuild that is pending at that moment, so on
        /// the order in which the loop applies events.
        var wasCancelled = false
        /// The flags that its producer sent, in order, and how many the engine has applied.
        var flags: [(at: Timestamp, isResizing: Bool)] = []
        var flagsSeen = 0
        var isFlagged = false
        var isLocked = false
    }

    var scenes: [SceneID: Scene] = [:]
    /// The events that were posted and are not applied yet.
    private var posted: [Event] = []
    var passes = 0
    /// The number of built sizes that the rebuilder reported to the engine.
    private(set) var reports = 0
    /// The number of builds whose end the rebuilder reported.
    private(set) var ends = 0
    /// The numbers of previews whose end the rebuilder reported.
    private(set) var previewsKept = 0
    private(set) var previewsGivenUp = 0
    /// The number of rebuilds that took over what a preview had begun.
    private(set) var prepared = 0
    /// The number of live rebuilds that were decided.
    private(set) var lives = 0
    /// The number of retries that the rebuilder asked the engine for.
    private(set) var retries: UInt64 = 0
    /// The number of events of each producer that were applied.
    var applied: [Int]

    init(_ scenario: Scenario) {
        self.scenario = scenario
        mayBeOutOfOrder = !scenario.isInOrder
        consumers = SimulatedConsumers(scenario)
        applied = Array(repeating: 0, count: scenario.producers.count)
    }

    mutating func fail(_ problem: String) { breach = breach ?? problem }
}

// MARK: Notifications

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

    /// - Parameter producer: `nil` for a posted event.
    mutating func willSend(_ event: Event, from producer: Int?) {
        intended.submit(event)
        if event.kind == .cancel { scenes[event.scene]?.wasCancelled = true }
        guard producer != nil else { return posted.append(event) }
        if event.isSound, let isResizing = event.isInteractivelyResizing {
            scenes[event.scene]?.flags.append((event.at, isResizing))
        }
    }

    /// - Parameter seen: The time that the loop read last.
    mutating func apply(_ event: Event, _ producers: [SimulatedProducer], seen: Timestamp) {
        if event.at > seen, event.at <= .latest { fail("an event from the future is not clamped: \(event)") }
        oracle.submit(event)
        consumers.update(event)
        // The rebuilder sent it, to report the built size.
        if event.kind == .reallyBuilt {
            scenes[event.scene]?.reportedIn = passes
            reports += 1
            return
        }
        if event.kind == .finished {
            ends += 1
            return
        }
        if event.kind == .previewed {
            if event.work?.isKept == true {
                previewsKept += 1
            } else {
                previewsGivenUp += 1
                scenes[event.scene]?.givenUp = event.work?.generation
            }
            return
        }
        // So did it send this one, to retry. The world's own events are marked.
        if event.kind == .flush, !event.isMarked {
            retries += 1
            return
        }
        guard let index = event.kind == .pointer ? Int(event.button) / 10 : scenes[event.scene]?.producer else {
            return fail("an event of an unknown scene is applied")
        }
        if attribute(event, to: producers[index]), event.isSound { checkEndIsSeen(event, producers[index]) }
    }

    /// Whether the producer sent the event; otherwise it was posted. A blocking producer's
    /// events arrive as they were sent: all, once, in order. So do posted events.
    private mutating func attribute(_ event: Event, to producer: SimulatedProducer) -> Bool {
        let index = applied[producer.number]
        let isNext = index < producer.sent.count && event.isArrival(of: producer.sent[index])
        let isPosted = posted.first == event
        if producer.traits.overload == .block ? isNext : !isPosted {
            applied[producer.number] += 1
            return true
        }
        if isPosted {
            posted.removeFirst()
        } else {
            fail("producer \(producer.number): event \(index) is not what was sent")
        }
        return false
    }

    /// A source that coalesces never drops the end of an interaction that the engine has open.
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

    /// - Parameter seen: The time that the loop read last.
    mutating func receive(_ decision: Decision, seen: Timestamp) {
        if decision.at > seen { fail("decided early: \(decision)") }
        if let last = delivered.last, decision.at < last.at { fail("decided out of order: \(decision) after \(last)") }
        delivered.append(decision)
        consumers.yield(decision)
        guard var scene = scenes[decision.scene] else { return fail("decided for an unknown scene: \(decision)") }
        switch decision.kind {
        case .interactionBegan: (scene.isInteracting, scene.previewed) = (true, nil)
        case .interactionEnded: scene.isInteracting = false
        case .rebuild(let rebuild):
            if rebuild.reason == .live {
                lives += 1
            } else if scene.isInteracting {
                fail("a rebuild within an interaction: \(decision)")
            }
            let isRepeated = rebuild.size == scene.built && scene.reportedIn == nil
            if rebuild.size == rebuild.previousSize || isRepeated { fail("the same size twice in a row: \(decision)") }
            if rebuild.isPrepared, scene.policy.pauseSharePercent == nil || rebuild.size != scene.prepared {
                fail("prepared without a preview: \(decision)")
            }
            if rebuild.isPrepared { prepared += 1 }
            (scene.built, scene.previewed, scene.prepared) = (rebuild.size, nil, nil)
            // A pass delivers its decisions after all its events.
            if scene.reportedIn != passes { scene.reportedIn = nil }
        case .preview(let size, let generation):
            if scene.policy.pauseDelay == nil { fail("a preview without a pauseDelay: \(decision)") }
            if generation != scene.previews + 1 { fail("preview \(scene.previews) is the last before: \(decision)") }
            // Outside an interaction a size that came back to the built one is forgotten; so is one given up.
            if scene.isInteracting, size == scene.previewed, !scene.wasCancelled, scene.givenUp != scene.previews {
                fail("the same preview twice in a row: \(decision)")
            }
            if size == scene.built, scene.reportedIn == nil { fail("a preview of what is built: \(decision)") }
            (scene.previewed, scene.prepared, scene.previews) = (size, size, generation)
        case .lockChanged(let isLocked): scene.isLocked = isLocked
        }
        scenes[decision.scene] = scene
    }
}

extension Event {
    /// Marks an event that is no geometry as posted, or as a producer's. No rule reads the mark;
    /// it makes the event differ from all that others send, such as the rebuilder.
    mutating func mark(isPosted: Bool) { raw.height = isPosted ? 1 : 2 }

    fileprivate var isMarked: Bool { raw.height != 0 }

    /// Whether this is the sent event, possibly with its time clamped to an earlier one.
    fileprivate func isArrival(of sent: Event) -> Bool {
        var sent = sent
        if sent.at <= .latest { sent.at = min(sent.at, at) }
        return self == sent
    }

    /// Whether the event's time and size are in range.
    fileprivate var isSound: Bool {
        guard at <= .latest, let size else { return at <= .latest }
        return [size.width, size.height].allSatisfy { $0.isFinite && $0 >= 0 }
    }
}
