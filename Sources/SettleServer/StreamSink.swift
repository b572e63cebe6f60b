internal import Settle
internal import SettleLog

/// Where a stream's events go. One thread at a time.
protocol StreamSink: AnyObject {
    /// Takes events whose scenes are numbers of `names`. It may change them.
    func take(_ batch: EventBatch, _ names: SceneNames) throws(LogError)
    /// Does what becomes due while the stream is silent. It returns once a read of the
    /// descriptor does not block, or at once if nothing can become due.
    func wait(for descriptor: Int32)
}

/// Writes a stream into a recording, whose replay rejects what the engine would.
final class RecordingSink: StreamSink {
    private let recorder: LogRecorder
    private let client: String
    /// Each of the stream's scenes in the recording.
    private var scenes: [SceneID] = []

    init(_ recorder: LogRecorder, client: String) {
        self.recorder = recorder
        self.client = client
    }

    deinit { recorder.forget(scenes) }

    func take(_ batch: EventBatch, _ names: SceneNames) throws(LogError) {
        for number in scenes.count..<names.count {
            let name = names[SceneID(rawValue: UInt32(number))]
            scenes.append(try recorder.scene(named: "\(client):\(name)"))
        }
        for position in 0..<batch.count where batch[position].kind != .pointer {
            batch[position].scene = scenes[Int(batch[position].scene.rawValue)]
        }
        try recorder.append(batch)
    }

    func wait(for descriptor: Int32) {}
}
