import CCommandLine
import Settle
import SettleLog
import SettlePlatform
import SettleProgram
import SettleSources

/// The exit status of the program.
enum ExitCode: Int32 {
    case fine = 0
    /// The log has faults.
    case findings = 1
    /// The command line is wrong.
    case usage = 2
    /// Something could not be read or written.
    case io = 3
    /// There is the program that was to be run, but it cannot be.
    case notRun = 126
    /// There is no such program.
    case notFound = 127
}

/// Ends a verb with a message on standard error.
struct Failure: Error {
    var code: ExitCode
    var message: String

    static func usage(_ message: String) -> Failure { Failure(code: .usage, message: message) }

    init(code: ExitCode, message: String) {
        self.code = code
        self.message = message
    }

    init(_ error: SourceError) {
        code = error.shellStatus.flatMap { ExitCode(rawValue: $0) } ?? .io
        message = error.description
    }

    init(_ error: LogError) {
        if case .io = error.kind { code = .io } else { code = .findings }
        message = error.description
    }
}

/// A verb of the command.
struct Verb: Sendable {
    let name: String
    /// One line for `settle --help`.
    let summary: String
    /// Its options; `nil` for a verb that passes its arguments on. A closure, so that it does not slow down other starts.
    let specs: @Sendable () -> [OptionSpec]?
    /// Where a command to run stands.
    let command: CommandPlace
    /// The text of `settle VERB --help`. A closure likewise.
    let help: @Sendable () -> String
    let run: @Sendable (Options) throws -> ExitCode

    init(
        name: String, summary: String, specs: @autoclosure @escaping @Sendable () -> [OptionSpec]?,
        command: CommandPlace = .none, help: @autoclosure @escaping @Sendable () -> String,
        run: @escaping @Sendable (Options) throws -> ExitCode
    ) {
        self.name = name
        self.summary = summary
        self.specs = specs
        self.command = command
        self.help = help
        self.run = run
    }

    func options(_ arguments: [String]) throws -> Options {
        guard let specs = specs() else { return Options(positional: arguments) }
        return try Options(arguments, verb: name, specs: specs, command: command)
    }
}

@main
enum SettleCommand {
    static let version = Engine.version
    static let verbs = [
        ReplayVerb.verb, InfoVerb.verb, ConvertVerb.verb, ValidateVerb.verb, CatVerb.verb, ServeVerb.verb,
        SendVerb.verb, RecordVerb.verb, RecoverVerb.verb, StressVerb.verb, PolicyVerb.verb, TuneVerb.verb,
        ReportVerb.verb, PackVerb.verb, AnonymizeVerb.verb, WatchVerb.verb, RunVerb.verb, SourcesVerb.verb,
    ]

    static func main() {
        holdStandardStreams()
        // Exceeding the limit on file sizes is an error of `write`, not a signal.
        signal(SIGXFSZ, SIG_IGN)
        EndSignal.catchAll()
        var name: String?
        do {
            var arguments = try words()
            name = arguments.isEmpty ? nil : arguments.removeFirst()
            exit(try run(name, arguments).rawValue)
        } catch let failure as Failure {
            Terminal.say("settle: \(failure.message)")
            if failure.code == .usage {
                Terminal.say("Try 'settle \(verbNamed(name).map { $0.name + " " } ?? "")--help'.")
            }
            exit(failure.code.rawValue)
        } catch let error as LogError {
            let failure = Failure(error)
            Terminal.say("settle: \(failure.message)")
            exit(failure.code.rawValue)
        } catch {
            Terminal.say("settle: \(error)")
            exit(ExitCode.io.rawValue)
        }
    }

    /// The arguments. One that is not valid UTF-8 is an error: `CommandLine.arguments` replaces
    /// its invalid bytes, and the result may be another file's name.
    private static func words() throws -> [String] {
        let words = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)).compactMap(\.self)
        return try words.dropFirst().map { word in
            guard let text = String(validatingCString: word) else {
                throw Failure.usage(
                    "'\(String(cString: word))' is not valid UTF-8; for such a file give a link to it, or - and a pipe"
                )
            }
            return text
        }
    }

    /// Opens closed standard streams such that using them is an error. Otherwise, the next file
    /// or pipe that is opened gets their descriptor: messages would be written into a log.
    private static func holdStandardStreams() {
        for stream: Int32 in 0...2 where fcntl(stream, F_GETFD) < 0 {
            _ = open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY)
        }
    }

    private static func verbNamed(_ name: String?) -> Verb? { verbs.first { $0.name == name } }

    private static func run(_ name: String?, _ arguments: [String]) throws -> ExitCode {
        switch name {
        case nil:
            Terminal.sayText(overview + "\n")
            return .usage
        case "--help", "-h", "help":
            try Terminal.print((arguments.first.flatMap(verbNamed)?.help() ?? overview) + "\n")
            return .fine
        case "--version":
            try Terminal.print("settle \(version)\n")
            return .fine
        case let name?:
            guard let verb = verbNamed(name) else {
                let guess = closest(to: name, among: verbs.map(\.name)).map { "; did you mean '\($0)'?" } ?? ""
                throw Failure.usage("there is no verb '\(name)'\(guess)")
            }
            if verb.command == .afterOptions {
                // A command has options of its own, --help among them.
                let options = try verb.options(arguments)
                if !options.has("help") { return try verb.run(options) }
            } else if !arguments.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
                return try verb.run(verb.options(arguments))
            }
            try Terminal.print(verb.help() + "\n")
            return .fine
        }
    }

    private static var overview: String {
        let width = verbs.map(\.name.count).max() ?? 0
        let lines = verbs.map { verb in
            "  \(verb.name)\(String(repeating: " ", count: width - verb.name.count))  \(verb.summary)"
        }
        return """
            usage: settle VERB [OPTION]... LOG

            Turns floods of resize events into the few rebuilds that matter.

            \(lines.joined(separator: "\n"))

              settle VERB --help   print a verb's options
              settle --version     print the version

            Exit status: 0 success, 1 the log has faults, 2 usage error, 3 reading or writing
            failed, or was refused: an output is never the input, and replaces an existing file
            only with --force.
            """
    }
}
