import Settle
import SettleClock
import SettleLog
import SettleLoop
import SettlePlatform
import SettleProgram
import SettleServer

/// `settle serve`: decides events of other processes live.
enum ServeVerb {
    static let verb = Verb(
        name: "serve", summary: "decide live for other processes' event streams", specs: specs,
        help: help, run: run)

    static let help = """
        usage: settle serve [OPTION]... SOCKET
        example: settle serve --decisions decisions.jsonl /tmp/settle.socket

        Listens on a Unix-domain socket for event streams, JSON Lines or binary, and writes
        the decisions as JSON Lines. Each client has an engine of its own; scenes, buttons
        and times are not shared. Scene main of client 1 is called 1:main. Only the same
        user and root may connect. Clients that connect, disconnect or are dropped are
        reported on standard error; a report that would block is lost and counted. Times are
        CLOCK_MONOTONIC's; a time later than now is replaced by now and counted. A client
        uses at most 2 MiB.

        The header of a client's log may ask for a policy of its own: "policy" with an
        object as settle policy writes it, where a duration that is left out has its
        default. Each duration may be as long as --client-delay-maximum, or as the server's
        own if that is longer or none; interactionTimeout may be none only if the server's
        is. A client that asks for more is dropped, with a line that names the duration.

        SIGINT, SIGTERM and SIGHUP end the server within a second, also while it starts. If
        decisions could not be written by then, they are lost and the exit status is 3.

        \(PolicyOptions.help)

          --client-delay-maximum TIME
                                    longest duration in a policy that a client asks for
                                    (10s)
          --decisions FILE          write decisions there as they are made; - for standard
                                    output (-)
          --force                   empty FILE first if it exists
          --clients N               most clients at a time, more are refused (64); at most
                                    1024, and as many as ulimit -n has room for
          --for TIME                stop after this time

        TIME is a number with a unit: ns, us, ms, s, min, h.
        """

    static let clientsStandard = 64
    static let decisionsStandard = "-"

    private static let specs: [OptionSpec] =
        PolicyOptions.specs + [
            .value("client-delay-maximum"), .value("decisions"), .value("clients"), .value("for"), Outputs.force,
        ]

    private static func run(_ options: Options) throws -> ExitCode {
        let path = try options.socket()
        let (policy, policyFile) = try options.policyAndFile()
        let clientsMax = try options.number("clients", 1...1024, default: clientsStandard)
        let delayMaximum = try options.duration("client-delay-maximum") ?? StreamServer.clientDelayMaximum
        let time = try options.duration("for")
        // Before any thread starts: threads inherit the blocked signals.
        let endSignal = try EndSignal(keeping: .each)

        let file = decisionsFile(options, input: policyFile)
        if file.path == path { throw Failure.usage("the socket and --decisions are both '\(path)'; name two paths") }
        let output = LiveOutput(endSignal)
        // An output that is refused is an error before anything starts.
        try Outputs.check(file, hint: "--force replaces it")
        let server = try StreamServer(
            .init(path: path, policy: policy, clientsMax: clientsMax, clientDelayMaximum: delayMaximum),
            report: { Terminal.offer("settle: \($0)") }, handler: { output.write($0) })
        // Before anything that may block, such as a pipe without a reader.
        let limit = try EndLimit(
            endSignal, .milliseconds(700),
            "settle: it took longer than 0.7 s to end in order; decisions that the output has not taken are lost"
        ) { server.removeSocket() }
        // Opened after the socket: if the server cannot start, the older file is unchanged.
        try server.start { output.open(try Outputs.open(file), policy: policy) }
        Terminal.offer("settle: listening on \(path)")
        _ = endSignal.wait(until: time.map { MonotonicClock.now.after($0.wholeNanoseconds) } ?? .latest)
        limit.begin()
        server.stop()
        try output.finish()
        let seen = server.statistics
        let dropped = seen.dropped > 0 ? "; \(counted(seen.dropped, "client")) dropped" : ""
        Terminal.offer(
            "settle: stopped after \(counted(seen.events, "event")), \(counted(output.count, "decision"))\(dropped)")
        if seen.clamped > 0 {
            Terminal.offer(
                "settle: \(counted(seen.clamped, "event")) had a time later than CLOCK_MONOTONIC's, which was taken as now"
            )
        }
        return .fine
    }
}

extension ServeVerb {
    /// The file is watched: decisions are read while the server runs.
    private static func decisionsFile(_ options: Options, input: FileIdentity?) -> OutputFile {
        OutputFile(
            options.value("decisions") ?? decisionsStandard, replaces: options.has("force"), input: input,
            isWatched: true)
    }
}

extension Options {
    /// The socket's path, the first argument that is no option.
    func socket() throws -> String {
        guard let path = positional.first else { throw Failure.usage("which socket? Name its path") }
        guard positional.count == 1 else {
            throw Failure.usage("one socket at a time; '\(positional[1])' is one too many")
        }
        return path
    }
}

/// Writes decisions as they are made. Call `open` before the server's first `write`, and
/// `finish` after its last: between them it is the thread's that delivers decisions.
private final class LiveOutput: @unchecked Sendable {
    private var writer: DecisionWriter?
    private let endSignal: EndSignal
    private var problem: LogError?
    private(set) var count = 0

    init(_ endSignal: EndSignal) { self.endSignal = endSignal }

    func open(_ output: ByteOutput, policy: Policy) { writer = DecisionWriter(output, policy: policy) }

    /// Writes a decision and flushes the output, as its reader waits for it.
    func write(_ decision: StreamDecision) {
        if problem != nil { return }
        do throws(LogError) {
            try writer?.write(decision.decision, scene: decision.name, takesReports: decision.takesReports)
            try writer?.flush()
            count += 1
        } catch {
            problem = error
            endSignal.wake()
        }
    }

    func finish() throws(LogError) {
        if let problem { throw problem }
        try writer?.finish()
    }
}
