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
            names.record(name, of: scene, indices, passes: engine.passes)
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
    /// The stream's alone, as its client's number stands before each name.
    private var scenes: Set<SceneID> = []

    init(_ recorder: LogRecorder) {
        self.recorder = recorder
    }

    deinit { recorder.forget(scenes) }

    func scene(named name: String, isConnecting: Bool) throws(LogError) -> SceneID {
        let scene = try recorder.scene(named: name)
        scenes.insert(scene)
        return scene
    }

    func send(_ batch: EventBatch) throws(LogError) { try recorder.append(batch) }
}
