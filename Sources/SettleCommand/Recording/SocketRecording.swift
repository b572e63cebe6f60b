import Settle
import SettleLog
import SettleLoop
import SettlePlatform
import SettleServer

/// Records what clients of a socket send, until a signal comes.
struct SocketRecording {
    private let socket: String
    private let clientsMax: Int
    private let target: RecordTarget
    private let stop: StopSignal

    init(_ socket: String, _ clientsMax: Int, _ target: RecordTarget, _ stop: StopSignal) {
        self.socket = socket
        self.clientsMax = clientsMax
        self.target = target
        self.stop = stop
    }

    func run() throws -> ExitCode {
        let stop = stop
        let opened = OpenedRecorder()
        let server = try StreamServer(
            .init(path: socket, clientsMax: clientsMax), recorder: { try opened.recorder() },
            report: { report in
                Terminal.say("settle: \(report)")
                if case .dropped = report.change, (try? opened.recorder())?.failure != nil { stop.ask() }
            })
        // Opened once the socket is ours, so that a refused start leaves the older file.
        try server.start {
            opened.set(try target.open(LogHeader(source: "socket"), firstEvent: MonotonicClock.now))
        }
        let recorder = try opened.recorder()
        Terminal.say("settle: listening on \(socket)")
        // Stopped in any case: what the clients still have open disconnects in the log.
        let outcome = Result { try tickUntilTheEnd(recorder) }
        server.stop()
        try outcome.get()
        try recorder.finish()
        if let problem = target.acknowledgements?.problem { throw problem }
        Terminal.say("settle: \(target.path): \(counted(Int(recorder.safe.events), "event"))")
        return .fine
    }

    private func tickUntilTheEnd(_ recorder: LogRecorder) throws {
        while target.acknowledgements?.problem == nil {
            if let failure = recorder.failure { throw failure }
            if stop.wait(until: try recorder.tick(at: MonotonicClock.now)) == .signalled { return }
        }
    }
}

/// The recorder, which is opened while its server starts.
private final class OpenedRecorder: @unchecked Sendable {
    private let lock = PthreadMutex()
    private var opened: LogRecorder?

    func set(_ recorder: LogRecorder) { lock.withLock { opened = recorder } }

    /// Of a server that has started.
    func recorder() throws -> LogRecorder {
        guard let opened = lock.withLock({ opened }) else {
            throw Failure(code: .io, message: "the recording is not open")
        }
        return opened
    }
}
