internal import Settle

/// What hears of an engine's events and decisions beside its handler.
struct Listeners: Sendable {
    private(set) var rebuilder: AssetRebuilder?
    private var decisionStreams: [DecisionStream] = []
    private var geometryStreams: [GeometryStream] = []
    /// Scenes that disconnected, for the rebuilder, which hears of it after their
    /// last decisions.
    private var gone: [SceneID] = []
    private(set) var isFinished = false
    /// Shown all events as the engine takes them, with the engine's lock held.
    var tap: (@Sendable (UnsafeBufferPointer<Event>) -> Void)?

    mutating func add(_ stream: DecisionStream) {
        if isFinished { return stream.finish() }
        decisionStreams.removeAll { $0.isFinished }
        decisionStreams.append(stream)
    }

    mutating func add(_ stream: GeometryStream) {
        if isFinished { return stream.finish() }
        geometryStreams.removeAll { $0.isFinished }
        geometryStreams.append(stream)
    }

    mutating func add(_ rebuilder: AssetRebuilder) {
        precondition(
            self.rebuilder == nil, "the engine has a rebuilder; as a scene has one built size, there can be one only")
        self.rebuilder = rebuilder
    }

    // MARK: The loop's thread

    /// Whether events have to be shown one by one.
    var hearEvents: Bool { rebuilder != nil || !geometryStreams.isEmpty || tap != nil }

    mutating func hear(_ events: UnsafeBufferPointer<Event>) {
        tap?(events)
        for stream in geometryStreams {
            for event in events { stream.update(event) }
        }
        guard rebuilder != nil else { return }
        for event in events where event.kind == .disconnect { gone.append(event.scene) }
    }

    mutating func takeGone() -> [SceneID] {
        if gone.isEmpty { return [] }
        defer { gone.removeAll() }
        return gone
    }

    func take(_ decision: Decision) {
        for stream in decisionStreams { stream.yield(decision) }
        rebuilder?.take(decision)
    }

    /// The engine has stopped: the streams end once what they hold is consumed. All who
    /// heard are returned, to be released without the engine's lock.
    mutating func finish() -> Listeners {
        let all = self
        isFinished = true
        for stream in decisionStreams { stream.finish() }
        for stream in geometryStreams { stream.finish() }
        (decisionStreams, geometryStreams, rebuilder, tap) = ([], [], nil, nil)
        return all
    }
}
