public import Settle
internal import SettleClock
public import SettleLog
internal import SettlePlatform

/// Reads one live stream of events, JSON Lines or binary, and decides about its events or
/// records them.
///
/// A scene connects with its first event and disconnects at the stream's end at the latest.
/// Times are CLOCK_MONOTONIC's; a time later than now is replaced by now and counted. Reading
/// ends at the stream's first fault; exceeding a bound of live streams (`docs/reference/log-format.md`)
/// is one. Use a reader from one thread.
public final class StreamReader {
    /// The most different scenes that one stream may name.
    public static let scenesMax = StreamLimits.scenes
    /// The most pointer buttons that one stream may hold; one more is rejected (contract,
    /// rule 5).
    public static let buttonsMax = Engine.buttonsLimit

    /// The most bytes of UTF-8 of a fault's description.
    private static let reasonBytesMax = 500

    /// How a stream ended.
    public enum End: Hashable, Sendable {
        /// At its own end, after this many events.
        case complete(events: Int)
        /// At a fault, which the text describes with its line or byte. The text is one line, with
        /// control characters escaped.
        case faulty(String, events: Int)
    }

    private let input: ByteInput
    private let sink: any StreamSink
    private let clock: StreamEngine.Clock
    private let batch = EventBatch.forStream()
    private var events = 0
    /// Events whose time was later than CLOCK_MONOTONIC's and was replaced by now.
    public private(set) var clamped = 0

    /// Decides with an engine of the stream's own.
    ///
    /// - Parameters:
    ///   - input: The stream.
    ///   - policy: The policy of all its scenes, unless the stream's header asks for another.
    ///   - delayMaximum: How long a duration may be that the header asks for, unless the same one
    ///     of `policy` is longer or `nil`. A header that asks for more is a fault.
    ///   - handler: Receives each decision with its scene's name, in order, on the thread that
    ///     calls `run`.
    /// - Throws: `.durationOutOfRange` for a policy that no engine accepts.
    public convenience init(
        _ input: ByteInput, policy: Policy = .default, delayMaximum: Duration = StreamServer.clientDelayMaximum,
        handler: @escaping (Decision, _ scene: String) -> Void
    ) throws(EngineError) {
        try self.init(
            input, policy: ClientPolicy(server: policy, delayMaximum: delayMaximum), clock: { MonotonicClock.now },
            handler: { decision, scene, _ in handler(decision, scene) })
    }

    convenience init(
        _ input: ByteInput, policy: ClientPolicy, clock: @escaping StreamEngine.Clock,
        handler: @escaping (Decision, String, _ takesReports: Bool) -> Void
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
            sink.finish(at: clock())
        }
        do throws(LogError) {
            // A client that only probes whether a server listens.
            if try input.isEmpty() { return .complete(events: 0) }
            let reader = try LogReader(stream: input)
            try sink.begin(reader.header)
            while try reader.read(into: batch) {
                clampTimes()
                try sink.receive(batch, names: reader.scenes)
                events += batch.count
            }
            return .complete(events: events)
        } catch {
            // The problem may quote the client, whose bytes must neither reach a terminal nor
            // break the one line with the reason.
            let problem = error.problem.escaped.shortened(toBytes: Self.reasonBytesMax)
            let reason = [error.position?.description, problem].compactMap { $0 }.joined(separator: ": ")
            return .faulty(reason, events: events)
        }
    }

    /// Replaces later times than now by now.
    private func clampTimes() {
        let now = clock()
        for position in 0..<batch.count where batch[position].clamp(to: now) { clamped += 1 }
    }
}
