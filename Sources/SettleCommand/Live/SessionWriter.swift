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
    private let lock = PthreadMutex()
    private var state = State()
    private var thread: WorkerThread?

    private struct State {
        var end: Result<SourceRunner.End, SourceError>?
        /// Why nothing is written any more.
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

    /// Why nothing is written any more; `nil` while it is.
    var failure: (any Error)? { lock.withLock { state.failure } }

    func join() {
        thread?.join()
        session.join()
    }

    /// Ends the writing after a failure that another thread has met.
    func fail(_ error: any Error) {
        let isNew = lock.withLock {
            if state.failure != nil { return false }
            state.failure = error
            return true
        }
        guard isNew else { return }
        if goesOn {
            say("\(error); the app goes on, and nothing more is written")
        } else {
            session.stop()
        }
    }

    private func run() -> Result<SourceRunner.End, SourceError> {
        while true {
            let (news, events, names) = session.take(until: MonotonicClock.now.after(Self.pause))
            for message in news.messages { say(message) }
            if failure == nil {
                do {
                    try record(events, names)
                    try write(news.decisions)
                } catch {
                    fail(error)
                }
            }
            if let end = news.end { return end }
        }
    }

    private func record(_ events: EventBatch, _ names: [String]) throws(LogError) {
        guard let recorder, events.count > 0 else { return }
        for name in names[numbers.count...] { numbers.append(try recorder.scene(named: name)) }
        for index in 0..<events.count where events[index].kind != .pointer {
            events[index].name = numbers[Int(events[index].name.rawValue)]
        }
        try recorder.append(events)
    }

    private func write(_ made: [(decision: Decision, scene: String)]) throws(LogError) {
        guard let decisions, !made.isEmpty else { return }
        for (decision, scene) in made { try decisions.write(decision, scene: scene) }
        try decisions.flush()
    }
}
