import Settle
import SettleLog
import SettleLoop

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
        let recorder = try target.open(LogHeader(source: "socket"), firstEvent: MonotonicClock.now)
        let stop = stop
        let server = try StreamServer(path: socket, recorder: recorder, clientsMax: clientsMax) { report in
            Terminal.say("settle: \(report)")
            if case .dropped = report.change, recorder.failure != nil { stop.ask() }
        }
        try server.start()
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
