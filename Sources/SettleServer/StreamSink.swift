internal import Settle
internal import SettleLog

/// What a stream's events go into: an engine or a recording. One thread at a time.
protocol StreamSink: AnyObject {
    /// Receives the stream's next events.
    ///
    /// - Parameters:
    ///   - batch: The events; the sink may change them.
    ///   - names: The names of their scenes: the same object at each call.
    /// - Throws: `.malformed` for an event that cannot be decided or recorded; `.io` when
    ///   recording fails. The stream then ends.
    func receive(_ batch: EventBatch, names: SceneNames) throws(LogError)

    /// Fires deadlines as they pass while the stream is silent. Returns once a read of the
    /// descriptor does not block, or at once if no deadline is armed.
    func waitUntilReadable(_ descriptor: Int32)
}

/// Writes a stream into a recording, whose replay rejects what the engine would.
final class RecordingSink: StreamSink {
    private var numbers: RecordedNumbers

    /// - Parameter client: The scenes of the stream are called `client:scene`.
    init(_ recorder: LogRecorder, client: String) {
        numbers = RecordedNumbers(recorder, prefix: "\(client):")
    }

    deinit { numbers.forget() }

    func receive(_ batch: EventBatch, names: SceneNames) throws(LogError) {
        try numbers.record(batch, names: names)
    }

    func waitUntilReadable(_ descriptor: Int32) {}
}
