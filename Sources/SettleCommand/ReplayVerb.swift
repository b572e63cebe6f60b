import Settle
import SettleLog
import SettleLoop
import SettlePlatform
import SettleProgram
import SettleSweep

/// `settle replay`: decides a log's events with the engine.
enum ReplayVerb {
    static let verb = Verb(
        name: "replay", summary: "replay a log and count the rebuilds it triggers, by reason",
        specs: specs + AppReplay.specs,
        help: help, run: run)

    static let help = """
        usage: settle replay [OPTION]... LOG
               settle replay LOG --app APP
        example: settle replay --quiet-delay 300ms drag.jsonl

        Replays recorded resize events and counts the rebuilds that they trigger, by reason.
        LOG is a file of any known format, or - for standard input.

        \(PolicyOptions.help)

          --scene NAME              only this scene; may be repeated
          --start TIME              start this long after the first event; an error if the
                                    log ends before
          --duration TIME           replay at most this much from there

          --rate max|N              as fast as possible (max), or N times real speed
          --decisions FILE          write every decision as JSON Lines; - for standard
                                    output, which then has no summary. With --rate N they
                                    are written as they are made; otherwise FILE is
                                    written completely or not at all
          --force                   replace FILE if it exists
          --partial                 if LOG has a fault, write FILE with the decisions before
                                    it
          --no-pointer              leave out all pointer events, as if the log had none
          --no-flags                leave out of every geometry event whether its scene is
                                    being resized; sizes, locks and orientations stay
          --build-cost COST         what a build takes, for the work (20ms). Where it is given,
                                    builds are played, one at a time for each scene. Counted
                                    is how soon after an interaction's end its size is shown
                                    (right after, at once), and for how long a wrong size is
                                    (wrong time). COST is 8ms, 3ns/px for each pixel, or
                                    2ms+3ns/px. With 8ms+slow/20 every 20th build takes four
                                    times as long
          --no-baselines            do not count lags, wasted rebuilds and what other ways of
                                    handling resizes would do: faster, on large logs
          --json                    print the summary as one JSON object. "complete" is true
                                    if a binary log's index lists exactly what was read,
                                    and false after a fault or a signal. It is null if that
                                    is unknown: for a binary log without an index, or with
                                    chunks after the selected times, which are not read; and
                                    for a text log, which may have been cut between two lines
        \(FormatOption.help(column: 28))

        \(AppReplay.help)

        The lag of a rebuild is the time to it from its scene's last change of size or, if it is
        later, from the end of the scene's interaction. With --no-pointer and --no-flags there
        are no interactions: the policy decides as a program would that sees only sizes, and the
        lag is the time from the last change of size. A rebuild is wasted if another of the same
        connected scene follows within a second. These are the definitions of settle tune; they
        are counted in logs of up to \(grouped(ReplayFigures.eventsMost)) events that are replayed to their end.

        TIME is a number with a unit: ns, us, ms, s, min, h. Events outside the selected
        scenes and times are skipped as if they were not in the log. On SIGINT or SIGTERM,
        settle prints the summary so far and ends by that signal: a shell reports status 130
        or 143. \(Outputs.rule)

        An app reads its Info.plist beside its program or at UIKIT_INFO_PLIST. It runs on a
        pad; UIKIT_PLATFORM=phone, mac or vision selects another device. The same run
        without settle: UIKIT_REPLAY=LOG UIKIT_TRACE=full ./MyApp. The exit status is 0, or
        1 if the app or the log has a fault.
        """

    static let buildCostStandard = BuildCost(fixed: .milliseconds(20))

    private static func buildCost(_ options: Options) throws -> BuildCost? {
        guard let text = options.value("build-cost") else { return nil }
        guard let cost = BuildCost(text) else {
            throw Failure.usage("--build-cost is '\(text)'; \(BuildCost.usage)")
        }
        if options.has("no-baselines") {
            throw Failure.usage("--no-baselines counts no builds; leave out it or --build-cost")
        }
        return cost
    }

    private static let specs: [OptionSpec] =
        PolicyOptions.specs + WindowOptions.specs + [
            .value("rate"), .value("decisions"), .value("build-cost"), .flag("no-baselines"), .flag("no-pointer"),
            .flag("no-flags"), .flag("json"),
            FormatOption.spec, Outputs.force, Outputs.partial,
        ]

    private static func run(_ options: Options) throws -> ExitCode {
        if let app = options.value("app") { try AppReplay.run(app, options, others: specs) }
        if options.has("trace") { throw Failure.usage("--trace is about an app's callbacks; name one by --app") }
        let path = try options.log()
        let (policy, policyFile) = try options.policyAndFile()
        let rate = try options.pace()
        let cost = try buildCost(options)
        let window = try options.window()
        var file = options.value("decisions").map {
            OutputFile($0, replaces: options.has("force"), isWatched: rate != nil)
        }
        let printsSummary = file?.isStandardOutput != true
        if !printsSummary, options.has("json") {
            throw Failure.usage("--decisions - and --json both want standard output; give --decisions a file")
        }
        file?.printsBeside = printsSummary

        let endSignal = try EndSignal(keeping: .first)
        let reader = try options.reader(path, interruption: endSignal.descriptor)
        if options.has("no-pointer") { reader.dropped.insert(.pointer) }
        if options.has("no-flags") { reader.dropped.insert(.flags) }
        let clock = try rate.map { (rate: $0, timer: try LoopTimer()) }
        file?.inputs = [reader.file, policyFile].compactMap(\.self)
        let output = try file.map { file in
            // Nothing was replayed yet: a signal ends the process, also while a pipe has no reader.
            endSignal.endProcessIfArrived()
            defer { endSignal.endProcessIfArrived() }
            return try Outputs.open(file)
        }
        let decisions = output.map { DecisionWriter($0, policy: policy) }
        let replay = try LogReplay(
            reader, policy: policy, window: window, countsBaselines: !options.has("no-baselines"))
        let figures = printsSummary && !options.has("no-baselines") ? ReplayFigures() : nil
        if let figures { replay.observe = { figures.add($0, names: $1) } }
        let started = ContinuousClock.now
        var run = ReplayRun(replay: replay, decisions: decisions, endSignal: endSignal)
        let fault = try run.run(paced: clock)
        let took = ContinuousClock.now - started
        let isFinished = fault == nil && !endSignal.hasArrived
        let isWritten = isFinished || options.has("partial") || output?.temporaryPath == nil
        if isWritten { try decisions?.finish() }
        Terminal.clearProgress()

        if printsSummary {
            let isComplete = !isFinished ? false : reader.lacksEnd ? nil : true
            if !endSignal.hasArrived { try figures?.finish(replay, policy: policy, fault: fault, cost: cost) }
            let report = ReplayReport(
                replay: replay, cost: cost ?? buildCostStandard, took: took, isComplete: isComplete, figures: figures,
                isLive: policy.liveSharePercent != nil && cost == nil)
            try Terminal.print(options.has("json") ? report.json : report.text)
        }
        let rest = isWritten ? "" : "; \(output?.name ?? "") is not written; --partial writes it up to there"
        if endSignal.hasArrived {
            Terminal.say("settle: interrupted; everything up to \(replay.summary.span.text) was replayed\(rest)")
            endSignal.endProcessIfArrived()
        }
        guard let fault else {
            try window.checkScenes([(reader.name, reader.scenes)])
            try window.checkStart([replay.logSpan])
            return .fine
        }
        Terminal.say("settle: \(fault); everything before it was replayed\(rest)")
        return Failure(fault).code
    }
}

/// A replay in progress.
struct ReplayRun {
    let replay: LogReplay
    let decisions: DecisionWriter?
    let endSignal: EndSignal
    /// What was decided and is not written yet.
    private var decided: [(decision: Decision, scene: String)] = []

    init(replay: LogReplay, decisions: DecisionWriter?, endSignal: EndSignal) {
        self.replay = replay
        self.decisions = decisions
        self.endSignal = endSignal
    }

    /// Replays to the log's end, its first fault, or a signal.
    ///
    /// - Returns: The fault, after the events before it were replayed.
    /// - Throws: If decisions cannot be written.
    mutating func run(paced clock: (rate: Double, timer: LoopTimer)?) throws(LogError) -> LogError? {
        let fault = if let clock { try runPaced(clock.rate, clock.timer) } else { try runAtOnce() }
        // A signal is not the log's end: pending rebuilds are not decided.
        let isInterrupted = endSignal.hasArrived
        try write { replay, deliver in replay.finish(discarding: isInterrupted, deliver: deliver) }
        return isInterrupted ? nil : fault
    }

    /// Writes what a step of the replay decides.
    private mutating func write(_ step: (LogReplay, (Decision, String) -> Void) -> Void) throws(LogError) {
        guard let decisions else { return step(replay) { _, _ in } }
        step(replay) { decided.append(($0, $1)) }
        for (decision, scene) in decided { try decisions.write(decision, scene: scene) }
        decided.removeAll(keepingCapacity: true)
    }

    /// Reads the next events; false at the log's end, at its fault, and after a signal.
    private func readNext(_ fault: inout LogError?) -> Bool {
        if endSignal.hasArrived { return false }
        do throws(LogError) { return try replay.readNext() } catch {
            fault = error
            return false
        }
    }

    private mutating func runAtOnce() throws(LogError) -> LogError? {
        var fault: LogError?
        var progress = ReadProgress(replay.reader)
        while readNext(&fault) {
            try write { replay, deliver in replay.submit(deliver: deliver) }
            progress.update(events: replay.summary.events)
        }
        return fault
    }

    /// Keeps pace with the clock: submits each event, and fires each deadline, at its time.
    private mutating func runPaced(_ rate: Double, _ timer: LoopTimer) throws(LogError) -> LogError? {
        var fault: LogError?
        var pace: Pace?
        while readNext(&fault) {
            if pace == nil, let first = replay.nextEvent { pace = Pace(first, rate: rate, timer: timer) }
            while !endSignal.hasArrived, let event = replay.nextEvent, let pace {
                try step(to: min(event, replay.nextDeadline ?? event), pace)
            }
        }
        if fault != nil { return fault }
        while !endSignal.hasArrived, let pace, let deadline = replay.nextDeadline { try step(to: deadline, pace) }
        return nil
    }

    private mutating func step(to time: Timestamp, _ pace: Pace) throws(LogError) {
        pace.wait(until: time) {
            let (rebuilds, interactions) = (replay.summary.rebuilds, replay.summary.interactions)
            Terminal.progress(
                "at \(pace.position.text): \(counted(rebuilds, "rebuild")), \(counted(interactions, "interaction"))")
            return endSignal.hasArrived
        }
        if endSignal.hasArrived { return }
        let isEvent = replay.nextEvent.map { $0 <= time } ?? false
        try write { replay, deliver in
            if isEvent {
                replay.submit(upTo: time, deliver: deliver)
            } else {
                replay.advance(to: time, deliver: deliver)
            }
        }
        // A paced replay is watched live: print each decision at once.
        try decisions?.flush()
    }
}
