@_spi(Faults) internal import Settle

/// The latest undelivered geometry of each scene, and when it may be delivered. Time
/// is an argument, since some moment that stays the same.
struct GeometryLane: HandoffBuffer {
    private struct Scene: Sendable {
        var geometry: LatestGeometry
        var hasNews = false
        /// An undelivered end of an interaction after which another began. It is
        /// delivered before the latest geometry, so that its edge is seen.
        var end: LatestGeometry?
        /// The flag as the consumer knows it.
        var delivered = false
        var place = Standing.apart

        /// The geometry to deliver next.
        var next: LatestGeometry { end ?? geometry }
    }

    private enum Standing: Sendable {
        /// Has nothing to deliver, and has had nothing delivered for a frame.
        case apart
        case ready(Chain<SceneID>.Place)
        /// Had something delivered less than a frame ago.
        case resting(Chain<Rest>.Place, until: Duration)
    }

    private struct Rest: Sendable {
        var scene: SceneID
        var until: Duration
    }

    private let frameInterval: Duration
    private let scenesMax: Int
    private var scenes: [SceneID: Scene] = [:]
    /// Scenes to deliver, first come, first served.
    private var ready = Chain<SceneID>()
    /// Scenes that rest, in the order in which they cease to.
    private var resting = Chain<Rest>()
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
    /// Returns the time from which the event's news can be taken, `nil` for no news.
    mutating func update(_ event: Event) -> Duration? {
        switch event.kind {
        case .geometry: return apply(event)
        case .disconnect:
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
        if known != nil, geometry.says(theSameAs: scene.geometry) {
            statistics.unchanged += 1
            return nil
        }
        if scene.hasNews { supersede(in: &scene, by: geometry) }
        scene.geometry = geometry
        scene.hasNews = true
        return line(up: &scene)
    }

    /// The undelivered geometry gives way to a newer one. If it ends an interaction and
    /// the newer begins another, it is kept, in the place of an earlier such end.
    private mutating func supersede(in scene: inout Scene, by newer: LatestGeometry) {
        let isBegin = newer.isInteractivelyResizing && !scene.geometry.isInteractivelyResizing
        let isHidingEnd = isBegin && scene.delivered
        if !isHidingEnd || scene.end != nil { statistics.superseded += 1 }
        if isHidingEnd, !Planted.endHidden { scene.end = scene.geometry }
    }

    private mutating func reject() -> Duration? {
        statistics.rejected += 1
        return nil
    }

    private mutating func line(up scene: inout Scene) -> Duration {
        defer { scenes[scene.geometry.scene] = scene }
        if case .resting(_, let until) = scene.place { return until }
        if case .apart = scene.place { scene.place = .ready(ready.append(scene.geometry.scene)) }
        return .zero
    }

    private mutating func remove(_ id: SceneID) {
        guard let scene = scenes.removeValue(forKey: id) else { return }
        statistics.dropped += (scene.hasNews ? 1 : 0) + (scene.end == nil ? 0 : 1)
        switch scene.place {
        case .apart: break
        case .ready(let place): ready.remove(place)
        case .resting(let place, _): resting.remove(place)
        }
    }
}

// MARK: Consumer

extension GeometryLane {
    mutating func take(at now: Duration) -> Handout<LatestGeometry> {
        wakeRested(at: now)
        guard let place = ready.first else { return restingNews.map { .later($0) } ?? .nothing }
        let id = ready.remove(place)
        let geometry = scenes[id]!.next
        scenes[id]!.delivered = geometry.isInteractivelyResizing
        if scenes[id]!.end == nil { scenes[id]!.hasNews = false } else { scenes[id]!.end = nil }
        let until = now + frameInterval
        scenes[id]!.place = .resting(resting.append(Rest(scene: id, until: until)), until: until)
        statistics.delivered += 1
        return .element(geometry)
    }

    private mutating func wakeRested(at now: Duration) {
        while let place = resting.first, resting[place].until <= now {
            let id = resting.remove(place).scene
            scenes[id]!.place = scenes[id]!.hasNews ? .ready(ready.append(id)) : .apart
        }
    }

    /// When the first resting scene with news ceases to rest. It looks no further than
    /// at the scenes delivered within a frame.
    private var restingNews: Duration? {
        var next = resting.first
        while let place = next {
            if scenes[resting[place].scene]!.hasNews { return resting[place].until }
            next = resting.next(after: place)
        }
        return nil
    }
}
