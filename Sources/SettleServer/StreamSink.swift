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
    private var numbers: RecordedNumbers

    /// - Parameter client: The scenes of the stream are called `client:scene`.
    init(_ recorder: LogRecorder, client: String) {
        numbers = RecordedNumbers(recorder, prefix: "\(client):")
    }

    deinit { numbers.forget() }

    func take(_ batch: EventBatch, _ names: SceneNames) throws(LogError) {
        try numbers.record(batch, names: names)
    }

    func wait(for descriptor: Int32) {}
}
