import Settle
import SettleLog

/// `settle info`: prints a summary of a log.
enum InfoVerb {
    static let verb = Verb(
        name: "info", summary: "print what a log contains", specs: [FormatOption.spec, .flag("json")],
        help: help, run: run)

    static let help = """
        usage: settle info [--json] [--format FORMAT] LOG
        example: settle info drag.settle

        Prints a log's format, header, time span, scenes and events by kind. LOG is a file,
        or - for standard input.

          --json            print one JSON object, with all scenes; "fault" is what ends the
                            log early, or null
        \(FormatOption.help(column: 20))
        """

    private static func run(_ options: Options) throws -> ExitCode {
        let log = try options.log()
        let reader: LogReader
        do {
            reader = try options.reader(log)
        } catch let fault as LogError where options.has("json") {
            // Nothing is known of it, but who reads JSON gets an object.
            try Terminal.print(LogContents.json(unreadable: log, fault))
            throw fault
        }
        var contents = LogContents()
        let batch = EventBatch()
        var feedback = FeedbackSearch(reader.header.policy)
        var progress = ReadProgress(reader)
        var fault: LogError?
        do throws(LogError) {
            while try reader.read(into: batch) {
                contents.add(batch)
                for index in 0..<batch.count { feedback.add(batch[index]) }
                progress.update(events: contents.events)
            }
        } catch {
            fault = error
        }
        contents.feedback = feedback.finish()
        Terminal.clearProgress()
        try Terminal.print(options.has("json") ? contents.json(reader, fault) : contents.text(reader))
        guard let fault else { return .fine }
        Terminal.say("settle: \(fault)" + (reader.isOfAll ? "" : "; the output above covers only what precedes it"))
        return Failure(fault).code
    }
}

/// Counts a log's events.
struct LogContents {
    private(set) var events = 0
    private(set) var kinds: [LogEvent.Kind: Int] = [:]
    private(set) var first: Timestamp?
    private(set) var last: Timestamp?
    private(set) var scenes: [Scene] = []
    /// Of the builds that were reported, in nanoseconds.
    private(set) var costs: [UInt64] = []
    /// The scenes whose builds change their own size, at the end.
    var feedback = Feedback()

    struct Scene {
        var events = 0
        var reports = false
        var size: Size?
    }

    mutating func add(_ batch: EventBatch) {
        events += batch.count
        for index in 0..<batch.count {
            let event = batch[index]
            first = min(first ?? event.at, event.at)
            last = max(last ?? event.at, event.at)
            kinds[event.kind, default: 0] += 1
            if let build = event.build { costs.append(build.cost.wholeNanoseconds) }
            if event.kind == .pointer { continue }
            let scene = Int(event.name.rawValue)
            while scene >= scenes.count { scenes.append(Scene()) }
            scenes[scene].events += 1
            if event.isInteractivelyResizing == true { scenes[scene].reports = true }
            if let size = event.size, size.isStated { scenes[scene].size = size }
        }
    }

    /// The most scenes that are listed; more are only counted.
    private static let scenesShown = 20

    func text(_ reader: LogReader) -> String {
        let header = reader.header
        var lines = [
            reader.name.escaped,
            "  format   \(reader.format)",
            "  source   \(header.source)\(header.name.isEmpty ? "" : ", \(header.name)")".escaped,
            "  clock    \(header.clock), sizes in \(header.unit)".escaped,
        ]
        if let policy = header.policy { lines.append("  policy   \(policy)") }
        lines.append("  events   \(grouped(events))\(byKind)")
        if let first, let last {
            lines.append(
                "  time     \(last.duration(since: first).text), from \(first.nanoseconds) to \(last.nanoseconds) ns")
        }
        if !costs.isEmpty { lines.append("  builds   \(builds)") }
        lines.append("  scenes   \(grouped(scenes.count))")
        for number in scenes.indices.prefix(Self.scenesShown) {
            let scene = scenes[number]
            let size = scene.size.map { ", last size \($0)" } ?? ", no size"
            let flag = scene.reports ? ", reports the resize flag" : ""
            let name = reader.scenes[SceneNumber(rawValue: UInt32(number))].escaped
            lines.append("    \(name)  \(counted(scene.events, "event"))\(size)\(flag)")
        }
        if scenes.count > Self.scenesShown {
            lines.append("    … and \(grouped(scenes.count - Self.scenesShown)) more")
        }
        lines += notes(reader).map { "  Note: \($0)".escaped }
        return lines.joined(separator: "\n") + "\n"
    }

    /// What the format could not represent, and whether the times seem to be of another unit.
    func notes(_ reader: LogReader) -> [String] {
        let span = first.flatMap { first in last.map { $0.duration(since: first) } } ?? .zero
        let unit = TimeUnitHint.note(reader.format, events: events, scenes: scenes.count, span: span)
        return reader.notes + [unit, feedback.note(reader.scenes)].compactMap(\.self)
    }

    /// What the builds cost.
    private var builds: String {
        let sorted = costs.sorted()
        func text(_ nanoseconds: UInt64) -> String { Duration.nanoseconds(Int64(nanoseconds)).text }
        let sum = sorted.reduce(0) { $0 &+ $1 }
        return "\(grouped(sorted.count)) reported, \(text(sum)) in all; half of them took at most"
            + " \(text(sorted[(sorted.count - 1) / 2])), the longest \(text(sorted[sorted.count - 1]))"
    }

    private var byKind: String {
        let parts = LogEvent.Kind.allCases.compactMap { kind in kinds[kind].map { "\(grouped($0)) \(kind)" } }
        return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
    }
}

/// `settle convert`: converts a log from one encoding to another.
enum ConvertVerb {
    static let verb = Verb(
        name: "convert", summary: "write a log in another encoding, or for other programs", specs: specs,
        help: help, run: run)

    static let help = """
        usage: settle convert [OPTION]... IN OUT
        example: settle convert drag.jsonl drag.trace.json

        Reads a log of any format and writes it as JSON Lines (.jsonl) or in the binary
        encoding (.settle). Or it writes the log with the decisions about it, for other
        programs: as a trace of Chrome's format (.trace.json), which Perfetto and speedscope
        open, or as a table (.csv). OUT's extension selects the form, --to overrides it.
        - is standard input or output. OUT is written completely or not at all. If IN has a
        fault, the exit status is 1 and OUT is not written; with --partial it contains the
        events before the fault. Standard output, pipes and devices have already received
        those events.
        \(Outputs.rule)

        \(FormatOption.help("of IN: ", column: 20))
        \(HelpText.option("--to FORMAT", "of OUT: " + ConvertTarget.names, column: 20))
          --force           replace OUT if it exists
          --partial         write the events before a fault of IN

        For a trace or a table, the policy that decides:

        \(PolicyOptions.help)
        """

    private static let specs =
        [FormatOption.spec, .value("to"), Outputs.force, Outputs.partial] + PolicyOptions.specs

    private static func run(_ options: Options) throws -> ExitCode {
        guard options.positional.count == 2 else { throw Failure.usage("convert takes two logs, IN and OUT") }
        let (from, to) = (options.positional[0], options.positional[1])
        try options.checkStandardInput(from)
        let target = try ConvertTarget(options, to)
        let reader = try options.reader(from)
        var file = OutputFile(to, replaces: options.has("force"), input: reader.file)
        if let policyFile = target.policyFile { file.inputs.append(policyFile) }
        let output = try Outputs.open(file)
        return try copy(reader, to: output, as: target, isPartialAllowed: options.has("partial"))
    }

    /// Copies a log up to its first fault.
    static func copy(
        _ reader: LogReader, to output: ByteOutput, as target: ConvertTarget, isPartialAllowed: Bool
    ) throws -> ExitCode {
        var writer: (any LogWriting)?
        // In some formats, the header is known only after the first events.
        func opened() throws(LogError) -> any LogWriting {
            if let writer { return writer }
            let new = try target.makeWriter(output, reader)
            writer = new
            return new
        }
        let (events, fault) = try reader.readToFault { batch in
            try opened().write(batch, scenes: reader.scenes)
        }
        let log = try opened()
        let isWritten = fault == nil || isPartialAllowed || output.temporaryPath == nil
        if isWritten { try log.finish() }
        Terminal.clearProgress()
        return reader.sayEnd(fault, events: events, isWritten: isWritten)
    }
}

/// `settle cat`: prints a log's events as JSON Lines.
enum CatVerb {
    static let verb = Verb(
        name: "cat", summary: "print a log's events as JSON Lines", specs: [FormatOption.spec],
        help: help, run: run)

    static let help = """
        usage: settle cat [--format FORMAT] LOG
        example: settle cat drag.settle

        Prints a log of any format as JSON Lines. LOG is a file or - for standard input.

        \(FormatOption.help(column: 20))
        """

    private static func run(_ options: Options) throws -> ExitCode {
        let reader = try options.reader(options.log())
        return try ConvertVerb.copy(reader, to: ByteOutput(path: "-"), as: .log(.jsonl), isPartialAllowed: true)
    }
}

/// `settle validate`: prints every fault of a log.
enum ValidateVerb {
    static let verb = Verb(
        name: "validate", summary: "list the faults of a log with their lines or bytes",
        specs: [FormatOption.spec, .flag("all"), .flag("json")],
        help: help, run: run)

    static let help = """
        usage: settle validate [--all] [--json] [--format FORMAT] LOG
        example: settle validate --all drag.jsonl

        Reads a whole log and prints its faults, each with its line or, in a binary log, the
        byte offset of its chunk. The kinds: content that cannot be read, events that the
        engine rejects for their size, their scene or one pointer button too many, times that
        go back, and scenes beyond the most that an engine can have. settle replay stops at
        content that cannot be read and at a scene too many; up to there it counts the same
        faults. Prints the first 20 of each kind, and the number of each kind. The exit status
        is 1 if the log has faults.

          --all             print every fault
          --json            print one JSON object: the faults with their kinds, and of each
                            kind the number
        \(FormatOption.help(column: 20))
        """

    private static func run(_ options: Options) throws -> ExitCode {
        let path = try options.log()
        try Outputs.checkStandardOutput(Outputs.identity(path))
        let log = Outputs.inputName(path)
        let output = try ByteOutput(path: "-")
        var validator = LogValidator(path: path, format: try options.format())
        var lines = options.has("all") ? FindingLines(mostOfKind: .max) : FindingLines()
        let json = options.has("json") ? FindingsJSON(output, log: log) : nil
        try json?.begin()
        let result = try validator.run { (finding, kind) throws(LogError) in
            guard let line = lines.line(finding, kind) else { return }
            if let json { try json.write(finding, kind) } else { try output.writeLine(line) }
        }
        if let json {
            try json.end(result)
        } else {
            for line in lines.totals(log, result, advice: "; --all prints the others") { try output.writeLine(line) }
        }
        try output.finish()
        Terminal.clearProgress()
        Terminal.say(
            "settle: \(log): \(counted(result.events, "event")), \(result.faults == 0 ? "no faults" : counted(result.faults, "fault"))"
        )
        for note in result.notes { Terminal.say("settle: note: \(note)") }
        return result.faults == 0 ? .fine : .findings
    }
}
