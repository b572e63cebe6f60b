@_spi(Faults) public import Settle
public import SettleLog
internal import SettlePlatform

/// Reads one live stream of events, JSON Lines or binary, and decides about its events or
/// records them.
///
/// A scene connects with its first event and disconnects at the stream's end at the latest.
/// Times are CLOCK_MONOTONIC's; a time later than now is replaced by now and counted. Reading
/// ends at the stream's first fault; exceeding a bound of live streams (`docs/log-format.md`)
/// is one. Use a reader from one thread.
public final class StreamReader {
    /// The most different scenes that one stream may name.
    public static let scenesMax = StreamLimits.scenes
    /// The most pointer buttons that one stream may hold; one more is rejected (contract,
    /// rule 5).
    public static let buttonsMax = 32

    /// How a stream ended.
    public enum End: Hashable, Sendable {
        /// At its own end, after this many events.
        case complete(events: Int)
        /// At a fault, which the text describes with its line or byte.
        case faulty(String, events: Int)
    }

    private let input: ByteInput
    private let sink: any StreamSink
    private let clock: StreamEngine.Clock
    private let batch = EventBatch.forStream()
    private var names = SceneNames()
    /// The connected scenes, and the held buttons.
    private var bindings = SceneBindings<Void>()
    private var held: Set<UInt32> = []
    private var events = 0
    /// Events whose time was later than CLOCK_MONOTONIC's and was replaced by now.
    public private(set) var clamped = 0

    /// Decides with an engine of the stream's own.
    ///
    /// - Parameters:
    ///   - input: The stream.
    ///   - policy: The policy of all its scenes.
    ///   - handler: Receives each decision with its scene's name, in order, on the thread that
    ///     calls `run`.
    /// - Throws: `.durationOutOfRange` for a policy that no engine accepts.
    public convenience init(
        _ input: ByteInput, policy: Policy = .default, handler: @escaping (Decision, _ scene: String) -> Void
    ) throws(EngineError) {
        try self.init(input, policy: policy, clock: { MonotonicClock.now }, handler: handler)
    }

    convenience init(
        _ input: ByteInput, policy: Policy, clock: @escaping StreamEngine.Clock,
        handler: @escaping (Decision, String) -> Void
    ) throws(EngineError) {
        self.init(input, sink: try StreamEngine(policy: policy, clock: clock, handler: handler), clock: clock)
    }

    /// Records the stream. In the recording, the scene `main` of client `1` is `1:main`. All
    /// clients share one set of pointer buttons there, as an event log has only one.
    public convenience init(_ input: ByteInput, client: String, recorder: LogRecorder) {
        self.init(input, sink: RecordingSink(recorder, client: client), clock: { MonotonicClock.now })
    }

    private init(_ input: ByteInput, sink: any StreamSink, clock: @escaping StreamEngine.Clock) {
        self.input = input
        self.sink = sink
        self.clock = clock
    }

    /// Reads to the end of the stream on the calling thread. By then all deadlines that have
    /// passed have fired. Once.
    public func run() -> End {
        input.willRead = { [sink] in sink.waitUntilReadable($0) }
        defer {
            input.willRead = nil
            close()
        }
        do throws(LogError) {
            // A client that only probes whether a server listens.
            if try input.isEmpty() { return .complete(events: 0) }
            let reader = try LogReader(stream: input)
            names = reader.scenes
            while try reader.read(into: batch) {
                prepare()
                try sink.receive(batch, names: names)
                events += batch.count
            }
            return .complete(events: events)
        } catch {
            let reason = [error.position?.description, error.problem].compactMap { $0 }.joined(separator: ": ")
            return .faulty(reason, events: events)
        }
    }

    /// Limits the events' times to now, and keeps account of connected scenes and held buttons.
    private func prepare() {
        let now = clock()
        for position in 0..<batch.count {
            let event = batch[position]
            if batch[position].clamp(to: now) { clamped += 1 }
            if event.kind != .pointer {
                _ = bindings.bind(event) {}
            } else if !event.isPressed {
                held.remove(event.button)
            } else if held.count < Self.buttonsMax {
                held.insert(event.button)
            }
        }
    }

    /// Disconnects the connected scenes and releases the held buttons. An error here repeats
    /// the one that ended the stream.
    private func close() {
        let now = clock()
        batch.removeAll()
        func add(_ event: LogEvent) {
            if batch.isFull {
                try? sink.receive(batch, names: names)
                batch.removeAll()
            }
            batch.append(event, at: .line(0))
        }
        for scene in bindings.connected { add(.disconnect(scene, at: now)) }
        for button in held.sorted() { add(.pointer(button: button, isPressed: false, at: now)) }
        if batch.count > 0 { try? sink.receive(batch, names: names) }
        bindings = SceneBindings()
        held = []
    }
}
