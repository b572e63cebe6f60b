import Settle
import SettleLog

/// `settle recover`: what is whole in a damaged log.
enum RecoverVerb {
    static let verb = Verb(
        name: "recover", summary: "save what is whole in a damaged binary log", help: help, run: run)

    static let help = """
        usage: settle recover [--force] IN OUT

        Reads a binary log that is torn or damaged and writes every event of every whole
        chunk as a complete binary log. What is lost is told by its bytes in IN, with the
        number and the times of its events as far as something whole tells them. - is
        standard input or output. OUT is complete or not there: it gets its name when all
        is written. Exit status: 0 nothing was lost, as IN's index lists exactly what was
        saved; 1 something was lost, or IN has no whole index that lists what was saved
        and so nobody knows, or nothing is whole. The index itself is made anew.
        \(Outputs.rule)

          --force           replace OUT if there is one
        """

    private static func run(_ arguments: [String]) throws -> ExitCode {
        let options = try Options(arguments, verb: "recover", specs: [Outputs.force])
        guard options.positional.count == 2 else { throw Failure.usage("recover takes two logs, IN and OUT") }
        let (from, to) = (options.positional[0], options.positional[1])
        let recovery = try LogRecovery(path: from)
        let output = try Outputs.open(
            OutputFile(to, replaces: options.has("force"), input: recovery.file, isSynced: true))
        var progress = ReadProgress { recovery.progress }
        try recovery.run(to: output) { progress.update(events: recovery.events) }
        Terminal.clearProgress()

        let lost = recovery.losses.filter { $0.part != .index }
        for loss in lost.prefix(lossesShown) { Terminal.say("settle: \(from): \(loss.text)") }
        if lost.count > lossesShown { Terminal.say("settle: … and \(grouped(lost.count - lossesShown)) places more") }
        for contradiction in recovery.contradictions { Terminal.say("settle: \(contradiction)") }
        if !recovery.hadIndex { Terminal.say("settle: \(from): its index was missing or damaged and was made anew") }
        Terminal.say("settle: \(to): \(counted(recovery.events, "event")) recovered, \(sum(lost, recovery.outcome))")
        return recovery.outcome == .complete ? .fine : .findings
    }

    private static let lossesShown = 50

    private static func sum(_ lost: [LogLoss], _ outcome: LogRecovery.Outcome) -> String {
        if outcome == .complete { return "nothing lost" }
        if outcome == .unknown { return "whether any is lost is unknown" }
        let chunks = lost.filter { $0.part == .chunks }
        guard !chunks.isEmpty else { return "the header lost" }
        let known = chunks.compactMap(\.events).reduce(0, +)
        let isExact = chunks.allSatisfy { $0.events != nil }
        if known == 0, !isExact { return "how many are lost is unknown" }
        return "\(isExact ? "" : "at least ")\(grouped(known)) lost"
    }
}

extension LogLoss {
    /// For people; ends with what is known of the events.
    fileprivate var text: String {
        var text =
            bytes.isEmpty
            ? "at byte \(bytes.lowerBound): \(problem)"
            : "bytes \(bytes.lowerBound) to \(bytes.upperBound - 1) are lost: \(problem)"
        guard part == .chunks else { return text }
        text += events.map { " (\(counted($0, "event"))" } ?? " (how many events is unknown"
        if let times { text += ", from \(times.lowerBound.nanoseconds) to \(times.upperBound.nanoseconds) ns" }
        return text + ")"
    }
}
