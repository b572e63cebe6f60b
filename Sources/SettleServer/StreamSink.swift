internal import Settle
internal import SettleLog

/// What a stream's events go into: an engine or a recording. One thread at a time.
protocol StreamSink: AnyObject {
    /// Begins with the stream's header. Once, before any event.
    ///
    /// - Throws: `.malformed` for a header that the sink refuses. The stream then ends.
    func begin(_ header: LogHeader) throws(LogError)

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

    /// Ends the stream, also after a fault: disconnects the scenes that are still connected, and
    /// releases the buttons that are still held. Once.
    func finish(at now: Timestamp)
}

/// Writes a stream into a recording, whose replay rejects what the engine would.
final class RecordingSink: StreamSink {
    private var numbers: RecordedNumbers
    private var names = SceneNames()
    private var bindings = SceneBindings<Void>()
    /// The buttons that are held by the contract's rule 5.
    private var held: Set<UInt32> = []

    /// - Parameter client: The scenes of the stream are called `client:scene`.
    init(_ recorder: LogRecorder, client: String) {
        numbers = RecordedNumbers(recorder, prefix: "\(client):")
    }

    deinit { numbers.forget() }

    /// A recording has no policy.
    func begin(_ header: LogHeader) {}

    func receive(_ batch: EventBatch, names: SceneNames) throws(LogError) {
        self.names = names
        // Recording replaces the scenes' numbers, so this comes first.
        for position in 0..<batch.count { note(batch[position]) }
        try numbers.record(batch, names: names)
    }

    private func note(_ event: LogEvent) {
        if event.kind != .pointer {
            _ = bindings.bind(event) {}
        } else if !event.isPressed {
            held.remove(event.button)
        } else if held.count < Engine.buttonsLimit {
            held.insert(event.button)
        }
    }

    func waitUntilReadable(_ descriptor: Int32) {}

    /// If recording fails, the recorder's `failure` says so.
    func finish(at now: Timestamp) {
        let batch = EventBatch.forStream()
        func add(_ event: LogEvent) {
            if batch.isFull { record(batch) }
            batch.append(event)
        }
        for scene in bindings.connected { add(.disconnect(scene, at: now)) }
        for button in held.sorted() { add(.pointer(button: button, at: now, isPressed: false)) }
        if batch.count > 0 { record(batch) }
    }

    private func record(_ batch: EventBatch) {
        try? numbers.record(batch, names: names)
        batch.removeAll()
    }
}
