internal import Settle
internal import SettleLog
internal import SettlePlatform

/// The engine of one stream. Each stream has its own, so no other stream's buttons, times,
/// limits or end affect its decisions. Used by the thread that reads the stream.
final class StreamEngine: StreamSink {
    typealias Clock = @Sendable () -> Timestamp

    private var engine: LogEngine
    private let policy: ClientPolicy
    private let clock: Clock
    private let handler: (Decision, String, _ takesReports: Bool) -> Void
    private var takesReports: Bool
    private var names = SceneNames()

    /// - Parameter handler: Receives every decision with its scene's name, and whether the stream's policy takes
    ///   reports of builds, on the thread that reads the stream.
    init(
        policy: ClientPolicy, clock: @escaping Clock,
        handler: @escaping (Decision, String, _ takesReports: Bool) -> Void
    ) throws(EngineError) {
        engine = try Self.engine(policy.server)
        takesReports = policy.server.takesReports
        self.policy = policy
        self.clock = clock
        self.handler = handler
    }

    private static func engine(_ policy: Policy) throws(EngineError) -> LogEngine {
        // Decisions leave the engine as they are made, so few wait in it.
        try LogEngine(policy: policy, scenesMax: StreamReader.scenesMax, decisionsMax: 64)
    }

    func begin(_ header: LogHeader) throws(LogError) {
        let asked = try policy.policy(for: header)
        if asked == policy.server { return }
        do throws(EngineError) {
            engine = try Self.engine(asked)
            takesReports = asked.takesReports
        } catch {
            throw LogError(.malformed, file: "the stream", "policy: \(error)")
        }
    }

    func receive(_ batch: EventBatch, names: SceneNames) throws(LogError) {
        self.names = names
        do throws(EngineError) {
            try engine.submit(batch) { deliver($0, $1) }
        } catch {
            throw LogError(.malformed, file: "the stream", "\(error)")
        }
    }

    /// Nothing is decided about buttons without scenes, so only scenes are disconnected.
    func finish(at now: Timestamp) {
        for scene in engine.connected {
            // A disconnect connects no scene, so the engine has the capacity for it.
            try? engine.submit(.disconnect(scene, at: now)) { deliver($0, $1) }
        }
    }

    private func deliver(_ decision: Decision, _ scene: SceneNumber) {
        handler(decision, names[scene], takesReports)
    }

    /// Fires deadlines at their times while the stream is silent. The engine's time stays
    /// that of the last event or deadline, so an event that arrives later than its time
    /// stamp keeps the stamp, unless a deadline after it has fired.
    func waitUntilReadable(_ descriptor: Int32) {
        while let deadline = engine.nextDeadline {
            // Sampled first: events sent before this moment are applied before a deadline
            // at it fires.
            let now = clock()
            if isReadable(descriptor) { return }
            if deadline <= now {
                engine.advance(to: deadline) { deliver($0, $1) }
                continue
            }
            let rest = Int64(clamping: deadline.nanoseconds) - Int64(clamping: clock().nanoseconds)
            if rest > 0, SettlePlatform.waitUntilReadable(descriptor, nanoseconds: rest) { return }
        }
    }
}
