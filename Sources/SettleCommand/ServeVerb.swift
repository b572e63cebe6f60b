import Glibc
import Settle
import SettleLog
import SettleLoop

/// `settle serve`: decides live, for other processes.
enum ServeVerb {
    static let verb = Verb(
        name: "serve", summary: "decide live for event streams on a Unix-domain socket", help: help, run: run)

    static let help = """
        usage: settle serve [OPTION]... SOCKET

        Listens on a Unix-domain socket for event streams, JSON Lines or binary, and writes
        what is decided as JSON Lines. Each client's scenes are its own: `main` of the
        first is called 1:main. Only the same user and root may connect. Clients that come,
        go or are dropped are told of on standard error. SIGINT and SIGTERM end it. Times are
        CLOCK_MONOTONIC's; a later one than now is taken as now and counted.

        \(PolicyOptions.help)

          --decisions FILE          write them there; - for standard output (-)
          --clients N               at the same time, more are refused (64)
          --for TIME                stop after a while

        TIME is a number with a unit: ns, us, ms, s, min, h.
        """

    private static let specs: [OptionSpec] =
        PolicyOptions.specs + [.value("decisions"), .value("clients"), .value("for")]

    private static func run(_ arguments: [String]) throws -> ExitCode {
        let options = try Options(arguments, verb: "serve", specs: specs)
        let path = try options.socket()
        let policy = try options.policy()
        let clientsMax = try options.number("clients", 1...1024, default: 64)
        let time = try options.duration("for")
        // Before any thread is started, which all inherit it.
        let stop = StopSignal()

        let names = StreamNames()
        let output = LiveOutput(try ByteOutput(path: options.value("decisions") ?? "-", inPlace: true), names, stop)
        // One client's worth more, for scenes that are on their way out.
        let scenesMax = min((clientsMax + 1) * StreamReader.scenesMax, Engine.scenesLimit)
        let engine = try LiveEngine(policy: policy, scenesMax: scenesMax) { output.take($0) }
        let server = try StreamServer(path: path, engine: engine, names: names, clientsMax: clientsMax) {
            Terminal.say("settle: \($0)")
        }
        try engine.start()
        do {
            try server.start()
        } catch {
            engine.stop(draining: false)
            throw error
        }
        Terminal.say("settle: listening on \(path)")
        stop.wait(time)
        server.stop()
        engine.stop(draining: true)
        try output.finish()
        let statistics = engine.statistics
        let (events, clamped) = (Int(clamping: statistics.engine.events), Int(clamping: statistics.clamped))
        Terminal.say("settle: stopped after \(counted(events, "event")), \(counted(output.count, "decision"))")
        if clamped > 0 {
            Terminal.say(
                "settle: \(counted(clamped, "event")) had a time later than CLOCK_MONOTONIC's, which was taken as now")
        }
        return .fine
    }
}

extension Options {
    /// The socket, the first of the words that are no options.
    func socket() throws -> String {
        guard let path = positional.first else { throw Failure.usage("which socket? Name its path") }
        guard positional.count == 1 else {
            throw Failure.usage("one socket at a time; '\(positional[1])' is one too many")
        }
        return path
    }
}

/// Writes decisions as they are made. `take` is the loop's, `finish` for after it.
private final class LiveOutput: @unchecked Sendable {
    private let output: ByteOutput
    private let writer: DecisionWriter
    private let names: StreamNames
    private let stop: StopSignal
    private var problem: LogError?
    private(set) var count = 0

    init(_ output: ByteOutput, _ names: StreamNames, _ stop: StopSignal) {
        self.output = output
        self.names = names
        self.stop = stop
        writer = DecisionWriter(output)
    }

    /// Flushed at once: somebody is waiting for it.
    func take(_ decision: Decision) {
        if problem != nil { return }
        do throws(LogError) {
            try writer.write(decision, scene: names.name(of: decision.scene) ?? "?")
            try writer.flush()
            count += 1
        } catch {
            problem = error
            stop.ask()
        }
    }

    func finish() throws(LogError) {
        if let problem { throw problem }
        try writer.finish()
    }
}
