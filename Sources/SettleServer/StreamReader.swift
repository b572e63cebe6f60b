@_spi(Faults) public import Settle
public import SettleLog
internal import SettlePlatform

/// Reads one live stream of events, JSON Lines or binary, and decides about it or
/// records it.
///
/// The stream's scenes are connected with their first event. At the stream's end, by
/// whatever cause, they disconnect. Times are CLOCK_MONOTONIC's; a later one than now
/// is taken as now and counted. A stream with a fault is not read on, and one that is over the
/// bounds of a live stream is at fault.
public final class StreamReader {
    /// Different scenes that one stream may name.
    public static let scenesMax = StreamLimits.scenes
    /// Buttons that one stream may hold; one more is rejected (contract, rule 5).
    public static let buttonsMax = 32

    /// How a stream ended.
    public enum End: Hashable, Sendable {
        case complete(events: Int)
        /// It could not be read on, with the reason.
        case faulty(String, events: Int)
    }

    private let input: ByteInput
    private let sink: any StreamSink
    private let clock: StreamEngine.Clock
    private let batch = EventBatch.forStream()
    private var names = SceneNames()
    /// Which of the stream's scenes are connected, and the buttons it holds.
    private var isConnected: [Bool] = []
    private var held: Set<UInt32> = []
    private var events = 0
    /// Events whose time was later than CLOCK_MONOTONIC's and was taken as now.
    public private(set) var clamped = 0

    /// Decides by an engine of the stream's own: its scenes, buttons and times are no
    /// other stream's.
    ///
    /// - Parameter handler: Gets every decision with its scene's name, in order, on the
    ///   thread that calls `run`.
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

    /// Reads into a recording, where a scene is called `client:scene`. A recording has one
    /// set of buttons, as an event log has: those of all clients.
    public convenience init(_ input: ByteInput, client: String, recorder: LogRecorder) {
        self.init(input, sink: RecordingSink(recorder, client: client), clock: { MonotonicClock.now })
    }

    private init(_ input: ByteInput, sink: any StreamSink, clock: @escaping StreamEngine.Clock) {
        self.input = input
        self.sink = sink
        self.clock = clock
    }

    /// Reads to the end of the stream, on the calling thread, and has decided all that is
    /// due by then. Once.
    public func run() -> End {
        input.willRead = { [sink] in sink.wait(for: $0) }
        defer {
            input.willRead = nil
            leave()
        }
        do throws(LogError) {
            // Whoever only looks whether somebody listens.
            if try input.isEmpty() { return .complete(events: 0) }
            let reader = try LogReader(stream: input)
            names = reader.scenes
            while try reader.read(into: batch) {
                takeNote()
                try sink.take(batch, names)
                events += batch.count
            }
            return .complete(events: events)
        } catch {
            let reason = [error.position?.description, error.problem].compactMap { $0 }.joined(separator: ": ")
            return .faulty(reason, events: events)
        }
    }

    /// Puts sane times into the events, and notes what the stream leaves open.
    private func takeNote() {
        let new = names.count - isConnected.count
        if new > 0 { isConnected.append(contentsOf: repeatElement(false, count: new)) }
        let now = clock()
        for position in 0..<batch.count {
            let event = batch[position]
            if batch[position].clamp(to: now) { clamped += 1 }
            if event.kind != .pointer {
                isConnected[Int(event.scene.rawValue)] = event.kind != .disconnect
            } else if !event.isPressed {
                held.remove(event.button)
            } else if held.count < Self.buttonsMax {
                held.insert(event.button)
            }
        }
    }

    /// The stream's last act. A recorder or a scene that was refused has failed before,
    /// which the stream's end tells.
    private func leave() {
        let now = clock()
        batch.removeAll()
        func add(_ event: Event) {
            if batch.isFull {
                try? sink.take(batch, names)
                batch.removeAll()
            }
            batch.append(event, at: .line(0))
        }
        for number in isConnected.indices where isConnected[number] != Planted.endedStreamStaysConnected {
            add(.disconnect(SceneID(rawValue: UInt32(number)), at: now))
        }
        for button in held.sorted() { add(.pointer(button: button, isPressed: false, at: now)) }
        if batch.count > 0 { try? sink.take(batch, names) }
        isConnected = []
        held = []
    }
}
