import Settle
import SettleClock
import SettleLog
import SettlePlatform
import SettleSources

/// A thread that writes one part of what a session's source says: the recording, or the decisions.
/// Each has its own, so that none waits for another one's file.
final class SessionThread: Sendable {
    private struct State {
        var isOver = false
        var failure: (any Error)?
        var recorded: UInt64?
    }

    private let state = LockedValueBox(State())
    private let wake: @Sendable () -> Void

    /// - Parameter wake: Called on the thread when something has failed, and at its end.
    init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    /// Whether everything is written, or nothing can be.
    var isDone: Bool { state.withLock { $0.isOver } }

    /// What has failed; `nil` if nothing has.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// The events of a recording that was completed; `nil` without.
    var recordedEvents: UInt64? { state.withLock { $0.recorded } }

    private func fail(_ error: any Error) {
        state.withLock { if $0.failure == nil { $0.failure = error } }
        wake()
    }

    private func start(_ body: @escaping @Sendable () -> Void) throws {
        // It ends with the process if the file never takes what it writes.
        try WorkerThread { [self] in
            body()
            state.withLock { $0.isOver = true }
            wake()
        }.detach()
    }
}

extension SessionThread {
    /// How long events may wait for others to be written with.
    private static let pause: UInt64 = 50_000_000

    /// Records a session's events, and completes the recording. Once. Nothing else uses the recorder
    /// until `isDone`: its mutex is held while a disk is waited for.
    ///
    /// - Parameter flushInterval: The recorder's.
    func record(_ session: SourceSession, into recorder: LogRecorder, flushInterval: Duration) throws {
        let pause = min(Self.pause, flushInterval.wholeNanoseconds)
        try start { [self] in
            var numbers = RecordedNumbers(recorder)
            var due = Timestamp.zero
            while true {
                let (events, names, isLast) = session.takeEvents(until: due, pause: pause)
                // After a failure, events are taken all the same: the source goes on.
                if failure == nil {
                    do throws(LogError) {
                        for name in names { try numbers.add(name) }
                        if events.count > 0 { try numbers.append(events) }
                        due = try recorder.tick(at: MonotonicClock.now)
                        if isLast { try finish(recorder) }
                    } catch {
                        fail(error)
                        due = .latest
                        // An event that no log can hold: those before it get an index.
                        if recorder.failure == nil { try? finish(recorder) }
                    }
                }
                if isLast { return }
            }
        }
    }

    private func finish(_ recorder: LogRecorder) throws(LogError) {
        try recorder.finish()
        let events = recorder.safe.events
        state.withLock { $0.recorded = events }
    }

    /// Prints a session's decisions. Once; nothing else uses the writer until `isDone`.
    func print(_ session: SourceSession, with writer: DecisionWriter) throws {
        // The thread alone uses it until `isDone`.
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
