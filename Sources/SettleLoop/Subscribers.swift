internal import Settle
internal import SettleHandlers

/// What receives an engine's events and decisions besides its handler.
struct Subscribers: Sendable {
    private(set) var rebuilder: AssetRebuilder?
    private var decisionStreams: [DecisionStream] = []
    private var geometryStreams: [GeometryStream] = []
    /// Scenes that disconnected. The rebuilder removes them after their last decisions.
    private var disconnected: [SceneID] = []
    private(set) var isFinished = false
    /// Receives all events as the engine applies them, with the engine's mutex locked.
    var eventObserver: (@Sendable (UnsafeBufferPointer<Event>) -> Void)?

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

    /// - Throws: `LoopError.secondRebuilder`.
    mutating func add(_ rebuilder: AssetRebuilder) throws(LoopError) {
        guard self.rebuilder == nil else { throw .secondRebuilder }
        self.rebuilder = rebuilder
    }

    // MARK: The loop's thread

    /// True if somebody needs to see each event.
    var observeEvents: Bool { rebuilder != nil || !geometryStreams.isEmpty || eventObserver != nil }

    /// Shows events that the engine has just applied. Events of a scene that the engine does
    /// not know are left out: a stream would keep that scene for good.
    mutating func observe(_ events: UnsafeBufferPointer<Event>, _ engine: borrowing Engine) {
        eventObserver?(events)
        if !geometryStreams.isEmpty {
            for event in events where event.kind != .geometry || engine.isConnected(event.scene) {
                for stream in geometryStreams { stream.update(event) }
            }
        }
        guard rebuilder != nil else { return }
        // The engine rejects an event that is not valid: its scene stays connected.
        for event in events where event.kind == .disconnect && event.isValid { disconnected.append(event.scene) }
    }

    /// Returns and removes the scenes that disconnected.
    mutating func drainDisconnected() -> [SceneID] {
        if disconnected.isEmpty { return [] }
        defer { disconnected.removeAll() }
        return disconnected
    }

    func deliver(_ decision: Decision) {
        for stream in decisionStreams { stream.yield(decision) }
        rebuilder?.submit(decision)
    }

    /// The engine has stopped: the streams end once their buffers are consumed. All
    /// subscribers are returned, to be released without the engine's mutex.
    mutating func finish() -> Subscribers {
        let all = self
        isFinished = true
        for stream in decisionStreams { stream.finish() }
        for stream in geometryStreams { stream.finish() }
        (decisionStreams, geometryStreams, rebuilder, eventObserver) = ([], [], nil, nil)
        return all
    }
}
