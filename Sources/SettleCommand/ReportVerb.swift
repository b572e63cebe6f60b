import Settle
import SettleLog
import SettleReport

/// `settle report`: writes a page or a picture of logs and the decisions about them, or a page of a fleet.
enum ReportVerb {
    static let verb = Verb(
        name: "report", summary: "write a page or a picture of logs and their decisions", specs: specs,
        help: help, run: run)

    static let help = """
        usage: settle report [OPTION]... LOG... -o OUT
               settle report [--force] FLEET -o OUT.html
        example: settle report drag.jsonl -o drag.html

        Writes what logs contain and what the engine decides about them: as one HTML page
        that needs no network and decides anew as its reader changes the policy (.html), or
        as a picture (.svg). OUT's extension selects the form, --to overrides it. LOG is a
        file of any known format, - for standard input, or a folder, whose logs are found in
        it and in its folders.

        FLEET is what settle-fleet writes: its JSON export, or its output folder, which the
        Python package reads. Then the page shows, for each cohort of the fleet's sessions,
        the front of the policies, and which policy to take within a bound of the p95 lag.

          -o, --output OUT          the file to write; - for standard output
        \(HelpText.option("--to FORM", "of OUT: \(names)", column: 28))
          --force                   replace OUT if it exists
          --scene NAME              only this scene; may be repeated
          --start TIME              start this long after a log's first event; an error if
                                    every log ends before
          --duration TIME           show at most this much from there
        \(FormatOption.help("of every LOG: ", column: 28))

        The policy that the report begins with:

        \(PolicyOptions.help)

        A report has at most \(grouped(ReportLog.eventsMax)) events of all its logs. Of longer logs it has some of
        the scenes, or of a single scene the first part, and says so; --scene, --start and
        --duration choose others. It lists the faults of the logs as settle validate prints
        them. Of a log with a part that cannot be read, it shows the events before that part,
        and the exit status is 1. In a folder, files that do not begin as a log does are
        skipped, which is said.
        TIME is a number with a unit: ns, us, ms, s, min, h.
        \(Outputs.rule)
        """

    private static var names: String { ReportForm.allCases.map(\.name).joined(separator: " or ") }

    private static let specs = [.value("output", letter: "o"), .value("to"), Outputs.force] + logSpecs
    /// The options that a fleet has no use for.
    private static let logSpecs = WindowOptions.specs + [FormatOption.spec] + PolicyOptions.specs

    private static func run(_ options: Options) throws -> ExitCode {
        let paths = try logs(options)
        guard let path = options.value("output") else {
            throw Failure.usage("where to? Give -o FILE, such as -o report.html, or -o - for standard output")
        }
        let form = try form(options, path)
        let (policy, policyFile) = try options.policyAndFile()
        let window = try options.window()

        var file = OutputFile(path, replaces: options.has("force"))
        if let fleet = paths.first(where: { FleetInput(folder: $0) != nil }) {
            file.inputs = (paths.map(Outputs.identity) + [policyFile]).compactMap(\.self)
            try FleetInput.check(paths, fleet, options, logSpecs, form)
            return try write(FleetInput.parquet(path: fleet), to: Outputs.open(file))
        }
        var inputs = try LogInputs(paths, written: path == "-" ? nil : Outputs.identity(path))
        if let failure = inputs.failures.first { throw failure }
        file.inputs = inputs.identities + [policyFile].compactMap(\.self)
        let output = try Outputs.open(file)
        // Each log is open only while it is read: there may be more of them than descriptors.
        var logs: [Int: ReportLog] = [:]
        var left = ReportLog.eventsMax
        // The smallest first: what they leave of their share is the others'.
        let bySize = inputs.files.indices.sorted {
            (inputs.files[$0].bytes ?? .max, $0) < (inputs.files[$1].bytes ?? .max, $1)
        }
        for (number, index) in bySize.enumerated() {
            let file = inputs.files[index]
            switch try open(file.path, options) {
            case .fleet where file.isFound, .unreadable where file.isFound:
                inputs.skipped.add("it is no log", file.path)
            case .fleet(let fleet):
                try FleetInput.check(paths, file.path, options, logSpecs, form)
                return try write(fleet, to: output)
            case .unreadable(let fault): logs[index] = ReportLog(name: Outputs.inputName(file.path), unreadable: fault)
            case .log(let reader):
                var progress = ReadProgress(reader)
                let share = left / (bySize.count - number)
                let log = try ReportLog(reader, window: window, eventsMax: share) { progress.update(events: $0) }
                left -= log.events.count
                logs[index] = log
            }
        }
        Terminal.clearProgress()
        for line in inputs.skipped.lines("skipped") { Terminal.say("settle: \(line)") }
        return try write(inputs.files.indices.compactMap { logs[$0] }, policy, window, form, to: output)
    }

    private static func write(_ fleet: FleetInput, to output: ByteOutput) throws -> ExitCode {
        try FleetPage(fleet.read()).write(to: output)
        try output.finish()
        return .fine
    }

    private static func write(
        _ logs: [ReportLog], _ policy: Policy, _ window: ReplayWindow, _ form: ReportForm, to output: ByteOutput
    ) throws -> ExitCode {
        guard let first = logs.first else {
            throw Failure.usage("there is no log in what was named; name files with logs, or folders of them")
        }
        if logs.allSatisfy({ $0.format == nil }), let fault = first.fault { throw fault }
        if logs.allSatisfy({ $0.fault == nil }) {
            try window.checkScenes(logs.map { ($0.name, $0.scenes) })
            try window.checkStart(logs.map(\.span))
        }
        try form.write(Report(logs, policy: policy), output)
        try output.finish()
        return explain(logs)
    }

    // MARK: Arguments

    private static func logs(_ options: Options) throws -> [String] {
        guard !options.positional.isEmpty else {
            throw Failure.usage("which logs? Name files or folders, or - for standard input")
        }
        guard options.positional.count(where: { $0 == "-" }) <= 1 else {
            throw Failure.usage("standard input is one log; - is given twice")
        }
        for path in options.positional { try options.checkStandardInput(path) }
        return options.positional
    }

    private static func form(_ options: Options, _ path: String) throws -> ReportForm {
        if let name = options.value("to") {
            if let form = ReportForm(named: name) { return form }
            let guess = closest(to: name, among: ReportForm.allCases.map(\.name))
            throw Failure.usage(
                "--to is '\(name)'; a report is written as \(names)" + (guess.map { "; did you mean '\($0)'?" } ?? ""))
        }
        if let form = ReportForm.allCases.first(where: { $0.matches(path: path) }) { return form }
        if path == "-" { return ReportForm.allCases[0] }
        let extensions = ReportForm.allCases.map { "." + $0.fileExtensions[0] }.joined(separator: " or ")
        throw Failure.usage("'\(path)' has no extension of a report; use \(extensions), or --to")
    }

    // MARK: Reading

    /// A log or a fleet's file whose beginning was read.
    private enum Opened {
        case log(LogReader)
        case fleet(FleetInput)
        /// Nothing in it can be read.
        case unreadable(LogError)
    }

    private static func open(_ path: String, _ options: Options) throws -> Opened {
        do {
            let format = try options.format()
            if let fleet = FleetInput(folder: path) { return .fleet(fleet) }
            let input = try ByteInput(path: path)
            try Outputs.checkStandardOutput(input.file)
            if let fleet = try FleetInput(path, input) { return .fleet(fleet) }
            return .log(try LogReader(input, format: format))
        } catch let error as LogError {
            if case .io = error.kind { throw error }
            return .unreadable(error)
        }
    }

    /// Prints the faults that end a log's part of the report, and all notes.
    private static func explain(_ logs: [ReportLog]) -> ExitCode {
        var code = ExitCode.fine
        for log in logs {
            for note in log.notes { Terminal.say("settle: note: \(note)") }
            guard let fault = log.fault else { continue }
            let events = log.events.count
            Terminal.say(
                "settle: \(fault); the report has the \(counted(events, "event")) before it")
            code = .findings
        }
        return code
    }
}
