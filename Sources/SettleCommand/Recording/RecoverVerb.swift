import Settle
import SettleLog

/// `settle recover`: saves the intact part of a damaged log.
enum RecoverVerb {
    static let verb = Verb(
        name: "recover", summary: "save the intact part of a damaged binary log", specs: [Outputs.force],
        help: help, run: run)

    static let help = """
        usage: settle recover [--force] IN OUT
        example: settle recover torn.settle whole.settle

        Reads a torn or damaged binary log and writes the events of its intact chunks as a
        complete binary log with a new index. Each loss is printed as a range of bytes of IN,
        with the number and the times of its events if an intact chunk header or index has
        them. - is standard input or output. OUT is written completely or not at all. Exit
        status: 0 if nothing was lost, that is IN's index lists exactly what was saved; 1 if
        something was lost, if that is unknown because IN has no intact index, or if nothing
        is intact.
        \(Outputs.rule)

          --force           replace OUT if it exists
        """

    private static func run(_ options: Options) throws -> ExitCode {
        guard options.positional.count == 2 else { throw Failure.usage("recover takes two logs, IN and OUT") }
        let (from, to) = (options.positional[0], options.positional[1])
        let recovery = try LogRecovery(path: from)
        let output = try Outputs.open(OutputFile(to, replaces: options.has("force"), input: recovery.file))
        var progress = ReadProgress { recovery.progress }
        try recovery.run(to: output) { progress.update(events: recovery.events) }
        Terminal.clearProgress()

        let log = Outputs.inputName(from)
        let lost = recovery.losses.filter { $0.part != .index }
        for loss in lost.prefix(lossesShown) { Terminal.say("settle: \(log): \(loss.text)") }
        if lost.count > lossesShown { Terminal.say("settle: … and \(grouped(lost.count - lossesShown)) more") }
        for contradiction in recovery.contradictions { Terminal.say("settle: \(contradiction)") }
        if !recovery.hadIndex { Terminal.say("settle: \(log): its index was missing or damaged and was made anew") }
        Terminal.say("settle: \(output.name): \(counted(recovery.events, "event")) recovered, \(sum(recovery))")
        return recovery.outcome == .complete ? .fine : .findings
    }

    private static let lossesShown = 50

    private static func sum(_ recovery: LogRecovery) -> String {
        switch recovery.outcome {
        case .complete: return "nothing lost"
        case .unknown: return "whether any is lost is unknown"
        case .lossy: break
        }
        let (known, isExact) = recovery.eventsLost
        let assumed = LogHeader()
        let header = "the header lost (clock \(assumed.clock) and unit \(assumed.unit) are assumed)"
        if !recovery.losses.contains(where: { $0.part == .chunks }) {
            return isExact ? header : "\(header), and whether any event is lost is unknown"
        }
        let rest = recovery.losses.contains { $0.part == .header } ? "; \(header)" : ""
        if isExact { return "\(grouped(known)) lost\(rest)" }
        if known == 0 { return "how many are lost is unknown\(rest)" }
        return "at least \(grouped(known)) lost, and whether more are is unknown\(rest)"
    }
}

extension LogLoss {
    /// The loss for people, with the number and the times of its events as far as known.
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
