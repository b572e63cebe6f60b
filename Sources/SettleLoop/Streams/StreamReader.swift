internal import Settle
public import SettleLog

/// Reads one live stream of events, JSON Lines or binary, into an engine or a recording.
///
/// The stream's scenes are its own, whatever their names, and are connected with their
/// first event. At the stream's end, by whatever cause, they disconnect, and buttons
/// that it holds are released; the buttons themselves are the machine's, as in the
/// contract. Times are CLOCK_MONOTONIC's. One later than now is taken as now, by the
/// engine or by the recording, so that no stream moves another's clock.
public final class StreamReader {
    /// Different scenes that one stream may name.
    public static let scenesMax = 4096
    /// Buttons that one stream may hold.
    public static let buttonsMax = 32

    /// How a stream ended.
    public enum End: Hashable, Sendable {
        case complete(events: Int)
        /// It could not be read on, with the reason.
        case faulty(String, events: Int)
    }

    private let input: ByteInput
    private let client: String
    private let sink: any StreamSink
    private let batch = EventBatch()
    /// Each of the stream's scenes in the sink, `nil` while it is not connected.
    private var scenes: [SceneID?] = []
    private var held: Set<UInt32> = []
    private var events = 0

    /// - Parameters:
    ///   - client: What the stream is called in `names`.
    ///   - overload: With `.block` a full ring holds the stream up, and with it
    ///     whoever writes it.
    public convenience init(
        _ input: ByteInput, client: String, engine: LiveEngine, names: StreamNames, overload: Overload = .block
    ) throws(LoopError) {
        self.init(input, client: client, sink: try EngineSink(engine, names, overload))
    }

    /// Reads into a recording, where a scene is called `client:scene`.
    public convenience init(_ input: ByteInput, client: String, recorder: LogRecorder) {
        self.init(input, client: client, sink: RecordingSink(recorder))
    }

    private init(_ input: ByteInput, client: String, sink: any StreamSink) {
        self.input = input
        self.client = client
        self.sink = sink
    }

    /// Reads to the end of the stream, on the calling thread. Once.
    public func run() -> End {
        defer { leave() }
        do throws(LogError) {
            // Whoever only looks whether somebody listens.
            if try input.isEmpty() { return .complete(events: 0) }
            let reader = try LogReader(stream: input)
            while try reader.read(into: batch) {
                try takeBatch(reader)
                events += batch.count
                try sink.send(batch)
            }
            return .complete(events: events)
        } catch {
            let reason = [error.position?.description, error.problem].compactMap { $0 }.joined(separator: ": ")
            return .faulty(reason, events: events)
        }
    }

    /// Puts the sink's scenes into the events.
    private func takeBatch(_ reader: LogReader) throws(LogError) {
        let count = reader.scenes.count
        guard count <= Self.scenesMax else {
            throw fault("it names more than \(Self.scenesMax) scenes")
        }
        if scenes.count < count { scenes.append(contentsOf: repeatElement(nil, count: count - scenes.count)) }
        for position in 0..<batch.count {
            if batch[position].kind == .pointer {
                try note(batch[position])
            } else {
                batch[position].scene = try scene(of: batch[position], reader.scenes)
            }
        }
    }

    private func note(_ event: Event) throws(LogError) {
        if !event.isPressed {
            held.remove(event.button)
            return
        }
        held.insert(event.button)
        guard held.count <= Self.buttonsMax else {
            throw fault("it holds more than \(Self.buttonsMax) buttons")
        }
    }

    /// The contract's log rule: an event of an unknown or disconnected scene connects
    /// it anew.
    private func scene(of event: Event, _ streamNames: SceneNames) throws(LogError) -> SceneID {
        let number = Int(event.scene.rawValue)
        let known = scenes[number]
        if event.kind == .disconnect { scenes[number] = nil }
        if let known { return known }
        let name = "\(client):\(streamNames[event.scene])"
        if event.kind == .disconnect { return try sink.scene(named: name, isConnecting: false) }
        let scene = try sink.scene(named: name, isConnecting: true)
        scenes[number] = scene
        return scene
    }

    private func fault(_ problem: String) -> LogError { LogError(.malformed, file: input.name, problem) }

    /// The stream's last act. A batch that was refused half way has
    /// connected scenes and pressed buttons that were never sent; that does no harm.
    private func leave() {
        let now = MonotonicClock.now
        batch.removeAll()
        for case let scene? in scenes { batch.append(.disconnect(scene, at: now), at: .line(0)) }
        for button in held.sorted() { batch.append(.pointer(button: button, isPressed: false, at: now), at: .line(0)) }
        // A recording that cannot take it has failed before, which its owner is told.
        if batch.count > 0 { try? sink.send(batch) }
        scenes = []
        held = []
    }
}
