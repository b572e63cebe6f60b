import Settle
import SettleLog
import SettleLoop
import SettlePlatform
import SettleProgram

/// `settle record`: events into a log that stays readable after a crash.
enum RecordVerb {
    static let verb = Verb(
        name: "record", summary: "record events into a log that stays readable after a crash", specs: specs,
        command: .afterDashes,
        help: help, run: run)

    static let help = """
        usage: settle record [OPTION]... [INPUT] OUT
               settle record [OPTION]... --socket PATH OUT
        \(sources.usage(" OUT"))
               settle record [OPTION]... OUT -- APP [ARGUMENT]...
        example: settle record --x11 desktop.settle

        Writes events into a binary log, OUT, as they arrive. INPUT is a file or a pipe of
        any known format, or - for standard input (-). With --socket, events arrive from
        event streams on a Unix-domain socket, as with settle serve: scene main of client 1
        is called 1:main. With --x11, they are those of every window of the desktop; with APP,
        which settle runs and connects to the Wayland compositor, those of its windows
        (settle watch --help says what is read). The end of INPUT or APP, SIGINT, SIGTERM or
        SIGHUP completes the recording. APP is asked to end at a signal, and its exit status
        is settle's. If settle is killed instead, settle recover makes a complete log of OUT.

          --flush-interval TIME     write events at least this often (1s): the most that is
                                    lost if settle is killed; 0 writes each immediately
          --sync never|flush|interval=TIME
                                    force events onto the disk never, with each flush, or
                                    this often (interval=1s): what a power failure can lose
          --append                  verify OUT and append to it. A torn end is cut off; other
                                    damage is an error. A log without an index stays without
                                    one, as events may be missing from it. It is an error if
                                    OUT's events end after the new ones begin, as OUT may
                                    already have them
          --force                   replace OUT if it exists; with --append, append earlier
                                    events too
          --acknowledge             print {"events":N,"bytes":N} on standard output whenever
                                    more of OUT is safe in the sense of --sync
        \(FormatOption.help("of INPUT: ", column: 28))
          --socket PATH             listen at this path
          --clients N               most clients at a time, more are refused (64); at most
                                    1024, and as many as ulimit -n has room for
        \(sources.help)

        Faults of INPUT are reported and skipped, with exit status 1. If writing fails, or
        if another process cuts, removes or replaces OUT, the recording ends with exit status
        3. OUT then has whole events only, and settle reports their number.
        \(Outputs.rule)
        TIME is a number with a unit: ns, us, ms, s, min, h.
        """

    private static let sources = SourceOptions(verb: "record", hasDefault: false)
    private static let specs: [OptionSpec] =
        [
            .value("flush-interval"), .value("sync"), .flag("append"), .flag("force"), .flag("acknowledge"),
            FormatOption.spec, .value("socket"), .value("clients"),
        ] + sources.specs

    private static func run(_ options: Options) throws -> ExitCode {
        let desktop = try options.desktop(("records", "recorded"))
        if desktop != nil || options.command != nil { return try recordSource(desktop, options) }
        for desktop in SourceOptions.desktops {
            for parameter in desktop.kind.parameters where options.has(parameter.name) {
                throw Failure.usage("--\(parameter.name) is for --\(desktop.flag)")
            }
        }
        let paths = options.positional
        let socket = options.value("socket")
        guard let out = paths.last else { throw Failure.usage("record into which file? Name OUT") }
        guard paths.count <= (socket == nil ? 2 : 1) else {
            throw Failure.usage("'\(paths[0])' is one word too many\(socket == nil ? "" : ": --socket is the input")")
        }
        if socket != nil, options.has("format") { throw Failure.usage("--format is of INPUT; a socket has none") }
        if socket == out { throw Failure.usage("--socket and OUT are both '\(out)'; name two paths") }
        if socket == nil, options.has("clients") { throw Failure.usage("--clients are those of a --socket") }
        let clientsMax = try options.number("clients", 1...1024, default: ServeVerb.clientsStandard)
        let format = try options.format()
        // Before any thread starts: threads inherit the blocked signals.
        let endSignal = try EndSignal(keeping: .each)
        let input = socket == nil ? paths.count == 2 ? paths[0] : "-" : nil
        let target = try RecordTarget(out, input: input, options, endSignal)
        if let socket { return try SocketRecording(socket, clientsMax, target, endSignal).run() }
        return try InputRecording(input ?? "-", format, target, endSignal).run()
    }
}

extension RecordVerb {
    /// Records a live source: a desktop or, without one, the app after `--`.
    private static func recordSource(_ desktop: SourceOptions.Desktop?, _ options: Options) throws -> ExitCode {
        for name in ["socket", "format", "clients"] where options.has(name) {
            throw Failure.usage("--\(name) does not go with \(desktop.map { "--\($0.flag)" } ?? "an app after --")")
        }
        guard let out = options.positional.last else { throw Failure.usage("record into which file? Name OUT") }
        if options.positional.count > 1 { throw Failure.usage("'\(options.positional[0])' is one word too many") }
        let (kind, arguments) = try options.source(desktop)
        let endSignal = try EndSignal(keeping: .each)
        let target = try RecordTarget(out, input: nil, options, endSignal)
        exit(try LiveRun(kind: kind, arguments: arguments, target: target, endSignal: endSignal).run())
    }
}

/// The file to record into, and the options for it.
struct RecordTarget: Sendable {
    let path: String
    private let opening: LogRecorder.Opening
    /// Whether events may be appended that are earlier than those in the file.
    private let allowsEarlier: Bool
    let flushInterval: Duration
    private let sync: LogRecorder.Sync
    let acknowledgements: Acknowledgements?

    /// The OUT of `settle record`.
    ///
    /// - Parameter input: The path of the input, which must be another file.
    init(_ path: String, input: String?, _ options: Options, _ endSignal: EndSignal) throws {
        let acknowledgements = options.has("acknowledge") ? Acknowledgements(endSignal) : nil
        try self.init(
            path, "OUT", options, input: input, printsBeside: acknowledgements != nil, acknowledgements,
            hint: "--append appends to it, --force replaces it")
    }

    /// The LOG of a verb's `--record`; `nil` without the option.
    ///
    /// - Parameter printsBeside: Whether the verb prints to standard output, which must be another file.
    init?(besides options: Options, printsBeside: Bool = false) throws {
        guard let path = options.value("record") else {
            if options.has("force") { throw Failure.usage("--force is about --record, which is missing") }
            return nil
        }
        try self.init(
            path, "LOG", options, input: nil, printsBeside: printsBeside, nil, hint: "--force replaces it")
    }

    private init(
        _ path: String, _ name: String, _ options: Options, input: String?, printsBeside: Bool,
        _ acknowledgements: Acknowledgements?, hint: String
    ) throws {
        self.path = path
        self.acknowledgements = acknowledgements
        if path == "-" {
            throw Failure.usage("a recording needs a file, which standard output need not be; name \(name)")
        }
        allowsEarlier = options.has("force")
        opening = options.has("append") ? .appending : options.has("force") ? .replacing : .new
        flushInterval = try options.duration("flush-interval") ?? Self.flushIntervalStandard
        sync = try Self.sync(options.value("sync") ?? Self.syncStandard)
        // Errors are reported now: the first event may take long to arrive.
        try Outputs.check(
            OutputFile(
                path, replaces: opening != .new, input: input.flatMap(Outputs.identity), printsBeside: printsBeside,
                isRecording: true),
            hint: hint)
    }

    /// - Parameter firstEvent: The time of the first event to record.
    func open(_ header: LogHeader, firstEvent: Timestamp?) throws(LogError) -> LogRecorder {
        let acknowledgements = acknowledgements
        let recorder: LogRecorder
        do {
            recorder = try LogRecorder(
                path: path, header: header, opening: opening, firstEvent: allowsEarlier ? nil : firstEvent,
                flushInterval: flushInterval, sync: sync
            ) { acknowledgements?.print($0) }
        } catch {
            guard error.kind == .outOfOrder else { throw error }
            throw LogError(.outOfOrder, file: path, error.problem + "; --force appends them all the same")
        }
        if recorder.cutBytes > 0 {
            Terminal.say(
                "settle: \(path): its last \(counted(Int(recorder.cutBytes), "byte was", "bytes were")) torn and cut off"
            )
        }
        if recorder.lacksIndex {
            Terminal.say(
                "settle: \(path): it had no whole index, so whether chunks are missing from it is unknown and stays so;"
                    + " settle recover makes a log with an index of what is there")
        }
        return recorder
    }
}

/// Prints acknowledgements. The recorder calls `print` with its mutex held; the main thread
/// reads `problem`.
final class Acknowledgements: Sendable {
    private let endSignal: EndSignal
    private let failure = LockedValueBox<Failure?>(nil)

    init(_ endSignal: EndSignal) {
        self.endSignal = endSignal
    }

    var problem: Failure? { failure.withLock { $0 } }

    func print(_ safe: LogRecorder.Safe) {
        do {
            try Terminal.print(#"{"events":\#(safe.events),"bytes":\#(safe.bytes)}"# + "\n")
        } catch {
            failure.withLock { $0 = error as? Failure }
            endSignal.wake()
        }
    }
}

extension RecordTarget {
    static let flushIntervalStandard = Duration.seconds(1)
    static let syncStandard = "interval=1s"

    private static func sync(_ text: String) throws -> LogRecorder.Sync {
        let prefix = "interval="
        switch text {
        case "never": return .never
        case "flush": return .flush
        default:
            guard text.hasPrefix(prefix), let interval = Duration(String(text.dropFirst(prefix.count))),
                interval > .zero
            else { throw Failure.usage("--sync is '\(text)'; it is never, flush or, for example, interval=1s") }
            return .interval(interval)
        }
    }
}
