import Settle
import SettleLog
import SettlePlatform
import SettleSources

/// Writes what a session's source says, on a thread of its own: events into a recording, decisions to
/// standard output.
final class SessionWriter: @unchecked Sendable {
    /// How long events may wait for others to be written with.
    private static let pause: UInt64 = 50_000_000

    private let session: SourceSession
    private let recorder: LogRecorder?
    private let decisions: DecisionWriter?
    /// Whether the source is read on when nothing can be written any more: an app goes on then.
    private let goesOn: Bool
    private let say: @Sendable (String) -> Void
    private let finished: @Sendable () -> Void
    private var numbers: [SceneNumber] = []
    /// Whether decisions can still be written.
    private var prints: Bool
    private let lock = PthreadMutex()
    private var state = State()
    private var thread: WorkerThread?

    private struct State {
        var end: Result<SourceRunner.End, SourceError>?
        /// The first failure: of the recording, of the output, or of the terminal.
        var failure: (any Error)?
    }

    /// - Parameters:
    ///   - say: Prints a message of the source, on the writer's thread.
    ///   - finished: Called on the writer's thread when everything is written.
    init(
        _ session: SourceSession, recorder: LogRecorder?, decisions: DecisionWriter?, goesOn: Bool,
        say: @escaping @Sendable (String) -> Void, finished: @escaping @Sendable () -> Void
    ) {
        self.session = session
        self.recorder = recorder
        self.decisions = decisions
        prints = decisions != nil
        self.goesOn = goesOn
        self.say = say
        self.finished = finished
    }

    func start() throws {
        thread = try WorkerThread { [self] in
            let end = run()
            lock.withLock { state.end = end }
            finished()
        }
    }

    /// How the source ended, once everything is written.
    var end: Result<SourceRunner.End, SourceError>? { lock.withLock { state.end } }

    /// What failed first: the recording, the output or the terminal; `nil` if nothing did.
    var failure: (any Error)? { lock.withLock { state.failure } }

    func join() {
        thread?.join()
        session.join()
    }

    /// Notes a failure, which ends the source unless an app goes on.
    func fail(_ error: any Error) {
        let isFirst = lock.withLock {
            if state.failure != nil { return false }
            state.failure = error
            return true
        }
        if !goesOn { return session.stop() }
        if isFirst { say("\(Self.text(error)); the app goes on") }
    }

    private static func text(_ error: any Error) -> String { (error as? Failure)?.message ?? "\(error)" }

    private func run() -> Result<SourceRunner.End, SourceError> {
        while true {
            let (news, events, names) = session.take(until: MonotonicClock.now.after(Self.pause))
            for message in news.messages { say(message) }
            do throws(LogError) { try record(events, names) } catch { fail(error) }
            do throws(LogError) {
                try write(news.decisions)
            } catch {
                prints = false
                fail(error)
            }
            if let end = news.end { return end }
        }
    }

    private func record(_ events: EventBatch, _ names: [String]) throws(LogError) {
        guard let recorder, recorder.failure == nil, events.count > 0 else { return }
        for name in names[numbers.count...] { numbers.append(try recorder.scene(named: name)) }
        for index in 0..<events.count where events[index].kind != .pointer {
            events[index].name = numbers[Int(events[index].name.rawValue)]
        }
        try recorder.append(events)
    }

    private func write(_ made: [(decision: Decision, scene: String)]) throws(LogError) {
        guard prints, let decisions, !made.isEmpty else { return }
        for (decision, scene) in made { try decisions.write(decision, scene: scene) }
        try decisions.flush()
    }
}
