internal import Settle
internal import SettleHandlers

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

    /// Shows events that the engine has just taken. A scene that it does not know, such as
    /// one of which a producer sends although it is gone, must not stay in a stream for good.
    mutating func hear(_ events: UnsafeBufferPointer<Event>, _ engine: borrowing Engine) {
        tap?(events)
        if !geometryStreams.isEmpty {
            for event in events where event.kind != .geometry || engine.size(of: event.scene) != nil {
                for stream in geometryStreams { stream.update(event) }
            }
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
