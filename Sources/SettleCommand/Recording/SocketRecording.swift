import Settle
import SettleClock
import SettleLog
import SettleLoop
import SettlePlatform
import SettleProgram
import SettleServer

/// Records the events of a socket's clients until a signal arrives.
struct SocketRecording {
    private let socket: String
    private let clientsMax: Int
    private let target: RecordTarget
    private let endSignal: EndSignal

    init(_ socket: String, _ clientsMax: Int, _ target: RecordTarget, _ endSignal: EndSignal) {
        self.socket = socket
        self.clientsMax = clientsMax
        self.target = target
        self.endSignal = endSignal
    }

    func run() throws -> ExitCode {
        let endSignal = endSignal
        let opened = OpenedRecorder()
        let server = try StreamServer(
            .init(path: socket, clientsMax: clientsMax), recorder: { try opened.recorder() },
            report: { report in
                // A client's thread that waited for standard error could not be joined.
                Terminal.offer("settle: \(report)")
                // Also after a client has left: its scenes' disconnects are written then.
                if (try? opened.recorder())?.failure != nil { endSignal.wake() }
            })
        // Opened after the socket: if the server cannot start, the older file is unchanged.
        try server.start {
            opened.set(try target.open(LogHeader(source: "socket"), firstEvent: MonotonicClock.now))
        }
        let recorder = try opened.recorder()
        Terminal.offer("settle: listening on \(socket)")
        // Stopped also after an error, so that the clients' scenes are disconnected in the log.
        let outcome = Result { try tickUntilEnd(recorder) }
        server.stop()
        try outcome.get()
        try recorder.finish()
        if let problem = target.acknowledgements?.problem { throw problem }
        Terminal.offer("settle: \(target.path): \(counted(Int(recorder.safe.events), "event"))")
        return .fine
    }

    private func tickUntilEnd(_ recorder: LogRecorder) throws {
        while target.acknowledgements?.problem == nil {
            if let failure = recorder.failure { throw failure }
            if endSignal.wait(until: try recorder.tick(at: MonotonicClock.now)) == .signalled { return }
        }
    }
}

/// Holds the recorder, which is opened while the server starts.
private final class OpenedRecorder: Sendable {
    private let opened = LockedValueBox<LogRecorder?>(nil)

    func set(_ recorder: LogRecorder) { opened.withLock { $0 = recorder } }

    /// - Throws: `Failure` if the recorder is not open yet.
    func recorder() throws -> LogRecorder {
        guard let opened = opened.withLock({ $0 }) else {
            throw Failure(code: .io, message: "the recording is not open")
        }
        return opened
    }
}
