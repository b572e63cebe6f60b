internal import Settle
internal import SettleLog

/// Where a stream's events go. One thread at a time.
protocol StreamSink: AnyObject {
    /// The sink's scene for a name.
    ///
    /// - Parameter isConnecting: False for a scene that disconnects without being
    ///   connected.
    func scene(named name: String, isConnecting: Bool) throws(LogError) -> SceneID
    func send(_ batch: EventBatch) throws(LogError)
}

/// Sends a stream to a live engine.
final class EngineSink: StreamSink {
    private let engine: LiveEngine
    private let names: StreamNames
    private let indices: Engine.SceneIndices
    private var source: EventSource

    init(_ engine: LiveEngine, _ names: StreamNames, _ overload: Overload) throws(LoopError) {
        self.engine = engine
        self.names = names
        indices = engine.indices
        source = try engine.makeSource(overload: overload)
    }

    func scene(named name: String, isConnecting: Bool) throws(LogError) -> SceneID {
        // The engine rejects a disconnect by this handle.
        guard isConnecting else { return SceneID(rawValue: 0) }
        do {
            let scene = try engine.connect()
            names.record(name, of: scene, indices)
            return scene
        } catch {
            throw LogError(.malformed, file: name, "\(error)")
        }
    }

    func send(_ batch: EventBatch) {
        batch.withEvents { source.send($0) }
    }
}

/// Writes a stream into a recording, whose replay rejects what the engine would.
final class RecordingSink: StreamSink {
    private let recorder: LogRecorder

    init(_ recorder: LogRecorder) {
        self.recorder = recorder
    }

    func scene(named name: String, isConnecting: Bool) throws(LogError) -> SceneID {
        try recorder.scene(named: name)
    }

    /// A recording has no loop that would clamp the times.
    func send(_ batch: EventBatch) throws(LogError) {
        let now = MonotonicClock.now
        for position in 0..<batch.count { batch[position].clamp(to: now) }
        try recorder.append(batch)
    }
}
