import Settle
import SettleLog
import SettlePlatform
import SettleSources

/// A thread that writes one part of what a session's source says: the recording, or the decisions.
/// Each has its own, so that none waits for another one's file.
final class SessionThread: @unchecked Sendable {
    private let lock = PthreadMutex()
    private var isOver = false
    private var firstFailure: (any Error)?
    private let wake: @Sendable () -> Void
    private var thread: WorkerThread?

    /// - Parameter wake: Called on the thread when something has failed, and at its end.
    init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    /// Whether everything is written, or nothing can be.
    var isDone: Bool { lock.withLock { isOver } }

    /// What has failed; `nil` if nothing has.
    var failure: (any Error)? { lock.withLock { firstFailure } }

    /// Waits for the thread's end.
    func join() {
        thread?.join()
        thread = nil
    }

    private func fail(_ error: any Error) {
        lock.withLock { if firstFailure == nil { firstFailure = error } }
        wake()
    }

    private func start(_ body: @escaping @Sendable () -> Void) throws {
        thread = try WorkerThread { [self] in
            body()
            lock.withLock { isOver = true }
            wake()
        }
    }
}

extension SessionThread {
    /// How long events may wait for others to be written with.
    private static let pause: UInt64 = 50_000_000

    /// Records a session's events. Once.
    func record(_ session: SourceSession, into recorder: LogRecorder) throws {
        try start { [self] in
            var numbers: [SceneNumber] = []
            while true {
                let (events, names, isLast) = session.takeEvents(until: MonotonicClock.now.after(Self.pause))
                // After a failure, events are taken all the same: the source goes on.
                if recorder.failure == nil, events.count > 0 {
                    do throws(LogError) {
                        for name in names[numbers.count...] { numbers.append(try recorder.scene(named: name)) }
                        for index in 0..<events.count where events[index].kind != .pointer {
                            events[index].name = numbers[Int(events[index].name.rawValue)]
                        }
                        try recorder.append(events)
                    } catch {
                        fail(error)
                    }
                }
                if isLast { return }
            }
        }
    }

    /// Prints a session's decisions. Once; nothing else uses the writer until `isDone`.
    func print(_ session: SourceSession, with writer: DecisionWriter) throws {
        nonisolated(unsafe) let writer = writer
        try start { [self] in
            while true {
                let (decisions, lost, isLast) = session.takeDecisions()
                if failure == nil {
                    do {
                        for (decision, scene) in decisions { try writer.write(decision, scene: scene) }
                        try writer.flush()
                        if lost > 0 { throw Self.tooSlow }
                    } catch {
                        fail(error)
                    }
                }
                if isLast { return }
            }
        }
    }

    private static var tooSlow: Failure {
        Failure(
            code: .io,
            message: "standard output: its reader let \(grouped(SourceSession.waitingMax)) decisions wait; no more are"
                + " printed")
    }
}
