import Settle
import SettleLog

/// `settle info`: what a log holds.
enum InfoVerb {
    static let verb = Verb(name: "info", summary: "tell what a log holds", help: help, run: run)

    static let help = """
        usage: settle info [--format FORMAT] LOG

        Tells a log's format, header, time span, events by kind and scenes. LOG is a file
        or - for standard input.

          --format FORMAT   jsonl, settle, wayland-debug, xev, asciicast, rrweb
        """

    private static func run(_ arguments: [String]) throws -> ExitCode {
        let options = try Options(arguments, verb: "info", specs: [.value("format")])
        let reader = try options.reader(options.log())
        var contents = LogContents()
        let batch = EventBatch()
        var progress = ReadProgress(reader)
        var fault: LogError?
        do throws(LogError) {
            while try reader.read(into: batch) {
                contents.add(batch)
                progress.update(events: contents.events)
            }
        } catch {
            fault = error
        }
        Terminal.clearProgress()
        try Terminal.print(contents.text(reader))
        guard let fault else { return .fine }
        Terminal.say("settle: \(fault); what stands above is told up to there")
        return Failure(fault).code
    }
}

/// Counts of a log's events.
private struct LogContents {
    private(set) var events = 0
    private var kinds: [LogEvent.Kind: Int] = [:]
    private var first: Timestamp?
    private var last: Timestamp?
    private var scenes: [Scene] = []

    private struct Scene {
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
            if event.kind == .pointer { continue }
            let scene = Int(event.name.rawValue)
            while scene >= scenes.count { scenes.append(Scene()) }
            scenes[scene].events += 1
            if event.isInteractivelyResizing != nil { scenes[scene].reports = true }
            if let size = event.size, size.width > 0, size.height > 0 { scenes[scene].size = size }
        }
    }

    /// More scenes than this are only counted.
    private static let scenesShown = 20

    func text(_ reader: LogReader) -> String {
        let header = reader.header
        var lines = [
            reader.name.escaped,
            "  format   \(reader.format.rawValue)",
            "  source   \(header.source)\(header.name.isEmpty ? "" : ", \(header.name)")".escaped,
            "  clock    \(header.clock), sizes in \(header.unit)".escaped,
            "  events   \(grouped(events))\(byKind)",
        ]
        if let first, let last {
            lines.append(
                "  time     \(last.duration(since: first).text), from \(first.nanoseconds) to \(last.nanoseconds) ns")
        }
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
        lines += reader.notes.map { "  Note: \($0)".escaped }
        return lines.joined(separator: "\n") + "\n"
    }

    private var byKind: String {
        let parts = LogEvent.Kind.allCases.compactMap { kind in kinds[kind].map { "\(grouped($0)) \(kind)" } }
        return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
    }
}

/// `settle convert`: from one encoding to another.
enum ConvertVerb {
    static let verb = Verb(
        name: "convert", summary: "write a log in another encoding", help: help, run: run)

    static let help = """
        usage: settle convert [OPTION]... IN OUT

        Reads a log of any format and writes it as JSON Lines (.jsonl) or in the binary
        encoding (.settle), by OUT's name unless --to says it. - is standard input or
        output. OUT is complete or not there: it gets its name when all is written. When
        IN has a fault, with exit status 1, OUT is not written, unless --partial allows
        what stands before the fault; standard output, pipes and devices have received it.
        \(Outputs.rule)

          --format FORMAT   of IN: jsonl, settle, wayland-debug, xev, asciicast, rrweb
          --to FORMAT       of OUT: jsonl or settle
          --force           replace OUT if there is one
          --partial         write what stands before a fault of IN
        """

    private static let specs = [OptionSpec.value("format"), .value("to"), Outputs.force, Outputs.partial]

    private static func run(_ arguments: [String]) throws -> ExitCode {
        let options = try Options(arguments, verb: "convert", specs: specs)
        guard options.positional.count == 2 else { throw Failure.usage("convert takes two logs, IN and OUT") }
        let (from, to) = (options.positional[0], options.positional[1])
        let format = try target(options, to)
        let reader = try options.reader(from)
        let output = try Outputs.open(OutputFile(to, replaces: options.has("force"), input: reader.file))
        return try copy(reader, to: output, as: format, isPartialAllowed: options.has("partial"))
    }

    private static func target(_ options: Options, _ path: String) throws -> LogFormat {
        let named = try options.format("to")
        let format = named ?? (path.hasSuffix(".settle") ? .settle : path.hasSuffix(".jsonl") ? .jsonl : nil)
        guard let format else {
            throw Failure.usage("'\(path)' tells no encoding; name it .jsonl or .settle, or say --to")
        }
        guard format == .jsonl || format == .settle else {
            throw Failure.usage("--to is '\(format.rawValue)'; logs are written as jsonl or settle")
        }
        return format
    }

    /// Copies a log up to its first fault.
    static func copy(
        _ reader: LogReader, to output: ByteOutput, as format: LogFormat, isPartialAllowed: Bool
    ) throws -> ExitCode {
        let batch = EventBatch()
        var progress = ReadProgress(reader)
        var events = 0
        var fault: LogError?
        // The header of some formats is known only once their beginning was read.
        var hasEvents = try attempt(&fault) { () throws(LogError) in try reader.read(into: batch) }
        let writer: any LogWriting =
            format == .settle
            ? try BinaryWriter(output, header: reader.header) : try JSONLinesWriter(output, header: reader.header)
        while hasEvents {
            try writer.write(batch, scenes: reader.scenes)
            events += batch.count
            progress.update(events: events)
            hasEvents = try attempt(&fault) { () throws(LogError) in try reader.read(into: batch) }
        }
        let isWritten = fault == nil || isPartialAllowed || output.temporaryPath == nil
        if isWritten { try writer.finish() }
        Terminal.clearProgress()
        for note in reader.notes { Terminal.say("settle: note: \(note)") }
        guard let fault else { return .fine }
        let before = "\(counted(events, "event")) before it"
        Terminal.say(
            "settle: \(fault); "
                + (isWritten
                    ? "\(before) \(events == 1 ? "is" : "are") written"
                    : "nothing is written; --partial writes the \(before)"))
        return Failure(fault).code
    }

    private static func attempt(_ fault: inout LogError?, _ read: () throws(LogError) -> Bool) throws -> Bool {
        do throws(LogError) {
            return try read()
        } catch {
            if case .io = error.kind { throw error }
            fault = error
            return false
        }
    }
}

/// `settle cat`: a log's events as JSON Lines.
enum CatVerb {
    static let verb = Verb(
        name: "cat", summary: "print a log's events as JSON Lines", help: help, run: run)

    static let help = """
        usage: settle cat [--format FORMAT] LOG

        Prints a log of any format as JSON Lines. LOG is a file or - for standard input.

          --format FORMAT   jsonl, settle, wayland-debug, xev, asciicast, rrweb
        """

    private static func run(_ arguments: [String]) throws -> ExitCode {
        let options = try Options(arguments, verb: "cat", specs: [.value("format")])
        let reader = try options.reader(options.log())
        return try ConvertVerb.copy(reader, to: ByteOutput(path: "-"), as: .jsonl, isPartialAllowed: true)
    }
}

/// `settle validate`: every fault of a log.
enum ValidateVerb {
    static let verb = Verb(
        name: "validate", summary: "name every fault of a log, by line or byte", help: help, run: run)

    static let help = """
        usage: settle validate [--all] [--format FORMAT] LOG

        Reads a whole log and prints its faults with their lines, or the byte offsets of
        their chunks in a binary log: what cannot be read, sizes that would be rejected,
        times that go back, scenes that disconnect without being connected. Of each of
        these kinds the first 20 are printed, and how many there are of each. Exit status
        1 when there is any.

          --all             print every fault
          --format FORMAT   jsonl, settle, wayland-debug, xev, asciicast, rrweb
        """

    /// Faults of a kind that are printed unless all are wanted.
    private static let shownMax = 20

    private static let kinds: [(LogValidator.FaultKind, String)] = [
        (.unreadable, "cannot be read"), (.rejectedSize, "a size that is rejected"),
        (.timeGoesBack, "a time that goes back"), (.disconnectedScene, "a disconnect without a connection"),
    ]

    private static func run(_ arguments: [String]) throws -> ExitCode {
        let options = try Options(arguments, verb: "validate", specs: [.value("format"), .flag("all")])
        let path = try options.log()
        try Outputs.checkStandardOutput(Outputs.identity(path))
        let log = Outputs.inputName(path)
        let output = try ByteOutput(path: "-")
        var validator = LogValidator(path: path, format: try options.format())
        let shownMax = options.has("all") ? Int.max : shownMax
        var shown: [LogValidator.FaultKind: Int] = [:]
        let result = try validator.run { (finding, kind) throws(LogError) in
            if shown[kind, default: 0] >= shownMax { return }
            shown[kind, default: 0] += 1
            try output.writeLine(finding.description.escaped)
        }
        if result.faults > shown.values.reduce(0, +) {
            for (kind, name) in kinds {
                guard let count = result.faultsByKind[kind] else { continue }
                let rest = count > shownMax ? ", the first \(shownMax) above; --all prints the others" : ""
                try output.writeLine("\(log.escaped): \(counted(count, "fault")): \(name)\(rest)")
            }
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
