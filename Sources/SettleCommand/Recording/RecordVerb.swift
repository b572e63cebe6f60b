import Glibc
import Settle
import SettleLog
import SettleLoop

/// `settle record`: events into a log that a crash leaves readable.
enum RecordVerb {
    static let verb = Verb(
        name: "record", summary: "record events as they come, into a log that a crash leaves readable", help: help,
        run: run)

    static let help = """
        usage: settle record [OPTION]... [INPUT] OUT
               settle record [OPTION]... --socket PATH OUT

        Writes events as they come into a binary log, OUT. INPUT is a file or a pipe of any
        known format, or - for standard input (-). With --socket they come from event
        streams on a Unix-domain socket, as settle serve takes them: scene main of client 1
        is called 1:main. The end of INPUT, SIGINT or SIGTERM ends the recording; without
        that end, settle recover makes a complete log of what OUT holds.

          --flush-interval TIME     hand events to the system so often (1s): what a killed
                                    recorder loses at most; 0 for at once
          --sync never|flush|interval=TIME
                                    force them onto the disk never, with each flush, or so
                                    often (interval=1s): what a power failure may cost
          --append                  go on behind what OUT holds, after verifying it
          --force                   replace OUT if there is one
          --acknowledge             print {"events":N,"bytes":N} on standard output whenever
                                    more of OUT is safe, as --sync says
          --format FORMAT           of INPUT: jsonl, settle, wayland-debug, xev, asciicast,
                                    rrweb
          --socket PATH             listen there
          --clients N               at the same time, more are refused (64)

        Faults of INPUT are told and passed over, with exit status 1. When writing fails
        OUT is left with whole events only, and their number is told, with exit status 3.
        TIME is a number with a unit: ns, us, ms, s, min, h.
        """

    private static let specs: [OptionSpec] = [
        .value("flush-interval"), .value("sync"), .flag("append"), .flag("force"), .flag("acknowledge"),
        .value("format"), .value("socket"), .value("clients"),
    ]

    private static func run(_ arguments: [String]) throws -> ExitCode {
        let options = try Options(arguments, verb: "record", specs: specs)
        let words = options.positional
        let socket = options.value("socket")
        guard let out = words.last else { throw Failure.usage("record into which file? Name OUT") }
        guard words.count <= (socket == nil ? 2 : 1) else {
            throw Failure.usage("'\(words[0])' is one word too many\(socket == nil ? "" : ": --socket is the input")")
        }
        if socket != nil, options.has("format") { throw Failure.usage("--format is of INPUT; a socket has none") }
        if socket == nil, options.has("clients") { throw Failure.usage("--clients are those of a --socket") }
        let clientsMax = try options.number("clients", 1...1024, default: 64)
        let format = try options.format()
        // Before any thread is started, which all inherit it.
        let stop = StopSignal()
        let target = try RecordTarget(out, options, stop)
        if let socket { return try SocketRecording(socket, clientsMax, target, stop).run() }
        return try InputRecording(words.count == 2 ? words[0] : "-", format, target, stop).run()
    }
}

/// Where and how to record.
struct RecordTarget: Sendable {
    let path: String
    private let opening: LogRecorder.Opening
    private let flushInterval: Duration
    private let sync: LogRecorder.Sync
    let acknowledgements: Acknowledgements?

    init(_ path: String, _ options: Options, _ stop: StopSignal) throws {
        self.path = path
        if options.has("append"), options.has("force") { throw Failure.usage("--append or --force, not both") }
        opening = options.has("append") ? .appending : options.has("force") ? .replacing : .new
        flushInterval = try options.duration("flush-interval") ?? .seconds(1)
        sync = try options.sync() ?? .interval(.seconds(1))
        acknowledgements = options.has("acknowledge") ? Acknowledgements(stop) : nil
        // Told before the first event, which may be long in coming.
        if opening == .new, access(path, F_OK) == 0 {
            throw Failure(
                code: .io,
                message: "\(path): there is such a file already; --append goes on behind it, --force replaces it"
            )
        }
    }

    func open(_ header: LogHeader) throws(LogError) -> LogRecorder {
        let acknowledgements = acknowledgements
        let recorder = try LogRecorder(
            path: path, header: header, opening: opening, flushInterval: flushInterval, sync: sync
        ) { acknowledgements?.print($0) }
        if recorder.cutBytes > 0 {
            Terminal.say(
                "settle: \(path): its last \(counted(Int(recorder.cutBytes), "byte")) were torn and are cut off")
        }
        return recorder
    }
}

/// Prints what is safe. The recorder calls it with its lock held, the main thread asks
/// about problems.
final class Acknowledgements: @unchecked Sendable {
    private let stop: StopSignal
    private let lock = Lock()
    private var failure: Failure?

    init(_ stop: StopSignal) {
        self.stop = stop
    }

    var problem: Failure? { lock.locked { failure } }

    func print(_ safe: LogRecorder.Safe) {
        do {
            try Terminal.print(#"{"events":\#(safe.events),"bytes":\#(safe.bytes)}"# + "\n")
        } catch {
            lock.locked { failure = error as? Failure }
            stop.ask()
        }
    }
}

extension Options {
    fileprivate func sync() throws -> LogRecorder.Sync? {
        guard let text = value("sync") else { return nil }
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
