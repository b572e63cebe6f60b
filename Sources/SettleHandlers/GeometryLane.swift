internal import Settle

/// The latest undelivered geometry of each scene, and when it may be delivered. Time is an
/// argument: the time since a fixed moment.
struct GeometryLane: StreamBuffer {
    private struct Scene: Sendable {
        var geometry: LatestGeometry
        /// `geometry` is undelivered.
        var isChanged = false
        /// An undelivered end of an interaction, after which another began. It is delivered
        /// before the latest geometry, so that the consumer sees its edge.
        var end: LatestGeometry?
        /// The flag `isInteractivelyResizing` as the consumer knows it.
        var delivered = false
        var phase = Phase.idle

        /// The geometry to deliver next.
        var next: LatestGeometry { end ?? geometry }
    }

    private enum Phase: Sendable {
        /// Nothing to deliver, and nothing was delivered for a frame.
        case idle
        case ready(LinkedQueue<SceneID>.Index)
        /// A geometry was delivered less than a frame ago.
        case resting(LinkedQueue<Rest>.Index, until: Duration)
    }

    private struct Rest: Sendable {
        var scene: SceneID
        var until: Duration
    }

    private let frameInterval: Duration
    private let scenesMax: Int
    private var scenes: [SceneID: Scene] = [:]
    /// Scenes to deliver, in order of arrival.
    private var ready = LinkedQueue<SceneID>()
    /// Scenes that rest, in the order in which their rests end.
    private var resting = LinkedQueue<Rest>()
    private(set) var statistics = GeometryStatistics()

    init(frameInterval: Duration, scenesMax: Int) {
        precondition(frameInterval >= .zero, "frameInterval is \(frameInterval); it must not be negative")
        precondition(scenesMax >= 1, "scenesMax is \(scenesMax); it must be at least 1")
        self.frameInterval = frameInterval
        self.scenesMax = scenesMax
    }
}

// MARK: Producer

extension GeometryLane {
    /// Returns the time from which the event's change can be dequeued, `nil` if nothing changed.
    mutating func update(_ event: Event) -> Duration? {
        switch event.kind {
        case .geometry: return apply(event)
        case .disconnect:
            guard event.isValid else { return reject() }
            remove(event.scene)
            return nil
        default: return nil
        }
    }

    private mutating func apply(_ event: Event) -> Duration? {
        let known = scenes[event.scene]
        guard known != nil || scenes.count < scenesMax else { return reject() }
        var scene = known ?? Scene(geometry: LatestGeometry(scene: event.scene, at: event.at))
        guard let geometry = scene.geometry.applying(event) else { return reject() }

        statistics.updates += 1
        if known != nil, geometry.isSame(as: scene.geometry) {
            statistics.unchanged += 1
            return nil
        }
        if scene.isChanged { supersede(in: &scene, by: geometry) }
        scene.geometry = geometry
        scene.isChanged = true
        return enqueue(&scene)
    }

    /// A newer geometry supersedes the undelivered one. If the older ends an interaction and
    /// the newer begins another, the older is kept, in place of an earlier such end.
    private mutating func supersede(in scene: inout Scene, by newer: LatestGeometry) {
        let isBegin = newer.isInteractivelyResizing && !scene.geometry.isInteractivelyResizing
        let isHidingEnd = isBegin && scene.delivered
        if !isHidingEnd || scene.end != nil { statistics.superseded += 1 }
        if isHidingEnd { scene.end = scene.geometry }
    }

    private mutating func reject() -> Duration? {
        statistics.rejected += 1
        return nil
    }

    private mutating func enqueue(_ scene: inout Scene) -> Duration {
        defer { scenes[scene.geometry.scene] = scene }
        if case .resting(_, let until) = scene.phase { return until }
        if case .idle = scene.phase { scene.phase = .ready(ready.append(scene.geometry.scene)) }
        return .zero
    }

    private mutating func remove(_ id: SceneID) {
        guard let scene = scenes.removeValue(forKey: id) else { return }
        statistics.dropped += (scene.isChanged ? 1 : 0) + (scene.end == nil ? 0 : 1)
        switch scene.phase {
        case .idle: break
        case .ready(let index): ready.remove(at: index)
        case .resting(let index, _): resting.remove(at: index)
        }
    }
}

// MARK: Consumer

extension GeometryLane {
    /// A scene that is ready or rests: `remove` takes it out of the lists as well.
    private subscript(_ id: SceneID) -> Scene {
        get { scenes[id]! }
        _modify { yield &scenes[id]! }
    }

    mutating func dequeue(at now: Duration) -> Dequeued<LatestGeometry> {
        endRests(at: now)
        guard let index = ready.first else { return nextRestEnd.map { .later($0) } ?? .nothing }
        let id = ready.remove(at: index)
        let geometry = self[id].next
        self[id].delivered = geometry.isInteractivelyResizing
        if self[id].end == nil { self[id].isChanged = false } else { self[id].end = nil }
        let until = now + frameInterval
        self[id].phase = .resting(resting.append(Rest(scene: id, until: until)), until: until)
        statistics.delivered += 1
        return .element(geometry)
    }

    private mutating func endRests(at now: Duration) {
        while let index = resting.first, resting[index].until <= now {
            let id = resting.remove(at: index).scene
            self[id].phase = self[id].isChanged ? .ready(ready.append(id)) : .idle
        }
    }

    /// When the first rest of a changed scene ends. It looks only at scenes that were delivered
    /// within a frame.
    private var nextRestEnd: Duration? {
        var next = resting.first
        while let index = next {
            if self[resting[index].scene].isChanged { return resting[index].until }
            next = resting.index(after: index)
        }
        return nil
    }
}
