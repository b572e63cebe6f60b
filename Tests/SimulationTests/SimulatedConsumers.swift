import TestSupport

@testable import Settle
@testable import SettleHandlers

/// Slow consumers of a decision stream and of a live geometry stream. Checks the decisions
/// and geometries that they buffer and receive.
struct SimulatedConsumers {
    private var buffer: DecisionBuffer
    private var lane: GeometryLane
    private let capacity: Int
    private let frameInterval: Duration
    private var scenes: Set<SceneID> = []
    private(set) var breach: String?
    var superseded: UInt64 { buffer.statistics.superseded + lane.statistics.superseded }
    var shownCount: UInt64 { lane.statistics.delivered }

    private var yielded: UInt64 = 0
    private var interacting: [SceneID: Bool] = [:]
    private var lastRebuild: [SceneID: Size] = [:]
    private var lastRebuildDequeued: [SceneID: Size] = [:]

    private var known: [SceneID: LatestGeometry] = [:]
    private var shown: [SceneID: (geometry: LatestGeometry, at: Duration)] = [:]
    /// The scenes that were last shown in an interaction that has ended since.
    private var endsNotShown: Set<SceneID> = []

    init(_ scenario: Scenario) {
        capacity = scenario.bufferCapacity
        frameInterval = scenario.frameInterval
        buffer = DecisionBuffer(capacity: capacity)
        lane = GeometryLane(frameInterval: frameInterval, scenesMax: 1000)
    }

    // MARK: Decisions

    mutating func yield(_ decision: Decision) {
        scenes.insert(decision.scene)
        yielded += 1
        if case .rebuild(let rebuild) = decision.kind { lastRebuild[decision.scene] = rebuild.size }
        buffer.append(decision)
        let counts = buffer.statistics
        if counts.waiting > capacity + 6 * scenes.count { fail("\(counts.waiting) decisions wait") }
        if counts.delivered + counts.superseded + UInt64(counts.waiting) != yielded { fail("counts: \(counts)") }
    }

    /// Returns the next decision, `nil` if none waits.
    mutating func dequeueDecision() -> Decision? {
        guard case .element(let decision) = buffer.dequeue(at: .zero) else { return nil }
        switch decision.kind {
        case .interactionBegan:
            if interacting[decision.scene] == true { fail("the consumer sees a begin within an interaction") }
            interacting[decision.scene] = true
        case .interactionEnded:
            if interacting[decision.scene] != true { fail("the consumer sees an end without a begin") }
            interacting[decision.scene] = false
        case .rebuild(let rebuild):
            if interacting[decision.scene] == true, rebuild.reason != .live {
                fail("the consumer sees a rebuild within an interaction")
            }
            lastRebuildDequeued[decision.scene] = rebuild.size
        case .preview: break
        default: break
        }
        return decision
    }

    // MARK: Geometry

    mutating func update(_ event: Event) {
        _ = lane.update(event)
        if event.kind == .disconnect {
            (known[event.scene], shown[event.scene]) = (nil, nil)
            endsNotShown.remove(event.scene)
        }
        guard event.kind == .geometry else { return }
        let before = known[event.scene] ?? LatestGeometry(scene: event.scene, at: event.at)
        guard let after = before.applying(event) else { return }
        known[event.scene] = after
        if before.isInteractivelyResizing, !after.isInteractivelyResizing,
            shown[event.scene]?.geometry.isInteractivelyResizing == true
        {
            endsNotShown.insert(event.scene)
        }
    }

    mutating func dequeueGeometry(at time: UInt64) -> LatestGeometry? {
        let now = Duration.nanoseconds(Int64(time))
        guard case .element(let geometry) = lane.dequeue(at: now) else { return nil }
        if let last = shown[geometry.scene] {
            if now - last.at < frameInterval { fail("a scene is shown twice within a frame") }
            if last.geometry.isInteractivelyResizing, geometry.isInteractivelyResizing,
                endsNotShown.contains(geometry.scene)
            {
                fail("the live lane hides the end of an interaction")
            }
        }
        if !geometry.isInteractivelyResizing { endsNotShown.remove(geometry.scene) }
        shown[geometry.scene] = (geometry, now)
        return geometry
    }

    // MARK: End

    mutating func finish(at time: UInt64) {
        while dequeueDecision() != nil {}
        if lastRebuild != lastRebuildDequeued { fail("the consumer misses a scene's last rebuild") }
        var time = time
        for _ in 0..<2 * (known.count + 1) {
            while dequeueGeometry(at: time) != nil {}
            time += UInt64(frameInterval.components.attoseconds / 1_000_000_000) + 1
        }
        for (scene, geometry) in known {
            guard let last = shown[scene]?.geometry, last.isSame(as: geometry) else {
                return fail("the live lane does not show the last geometry of \(scene)")
            }
        }
    }

    private mutating func fail(_ problem: String) { breach = breach ?? problem }
}
