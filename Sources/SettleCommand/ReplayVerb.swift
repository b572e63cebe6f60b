import Glibc
import Settle
import SettleLog
import SettleLoop

/// `settle replay`: a log through the engine.
enum ReplayVerb {
    static let verb = Verb(
        name: "replay", summary: "replay a log and tell which rebuilds it comes to, and why", help: help, run: run)

    static let help = """
        usage: settle replay [OPTION]... LOG
               settle replay LOG --app APP

        Replays recorded resize events and tells which rebuilds they come to. LOG is a
        file of any known format, or - for standard input.

        \(PolicyOptions.help)

          --scene NAME              only this scene; may be repeated
          --start TIME              begin this long after the first event; it is an error
                                    when the log ends before
          --duration TIME           replay no more than this from there

          --rate max|N              as fast as possible (max), or N times real speed
          --decisions FILE          write every decision as JSON Lines; - for standard
                                    output, which then carries nothing else. With --rate
                                    N as they come; else FILE is complete or not there
          --force                   replace FILE if there is one
          --partial                 write FILE also when LOG has a fault: the decisions
                                    before it
          --build-cost TIME         what one rebuild costs, for the time saved (20ms)
          --json                    the summary as one JSON object. "complete" is true
                                    where a binary log's index lists exactly what was
                                    read, false after a fault or a signal, and null where
                                    nobody knows: a binary log without an index, and every
                                    text log, which may have been cut between two lines
          --format FORMAT           jsonl, settle, wayland-debug, xev, asciicast, rrweb

        \(AppReplay.help)

        TIME is a number with a unit: ns, us, ms, s, min, h. Scenes and times outside the
        chosen part are left out as if they were not in the log. SIGINT and SIGTERM end a
        replay with the summary so far, and then settle by that signal: a shell sees
        status 130 or 143. \(Outputs.rule)

        An app finds its Info.plist beside its program, or where UIKIT_INFO_PLIST says; it
        runs on a pad unless UIKIT_PLATFORM says phone, mac or vision. The program itself
        does the same: UIKIT_REPLAY=LOG UIKIT_TRACE=full ./MyApp. Its exit status is 0, or
        1 when the app or the log has a fault.
        """

    private static let specs: [OptionSpec] =
        PolicyOptions.specs + [
            .value("scene"), .value("start"), .value("duration"), .value("rate"), .value("decisions"),
            .value("build-cost"), .flag("json"), .value("format"), Outputs.force, Outputs.partial,
        ]

    private static func run(_ arguments: [String]) throws -> ExitCode {
        let options = try Options(arguments, verb: "replay", specs: specs + AppReplay.specs)
        if let app = options.value("app") { try AppReplay.run(app, options, others: specs) }
        if options.has("trace") { throw Failure.usage("--trace is about an app's callbacks; name one by --app") }
        let policy = try options.policy()
        let rate = try options.pace()
        let cost = try options.duration("build-cost") ?? .milliseconds(20)
        let window = ReplayWindow(
            scenes: Set(options.all("scene")), start: try options.duration("start") ?? .zero,
            duration: try options.duration("duration"))
        let path = try options.log()
        var file = options.value("decisions").map {
            OutputFile($0, replaces: options.has("force"), isWatched: rate != nil)
        }
        let printsSummary = file?.isStandardOutput != true
        if !printsSummary, options.has("json") {
            throw Failure.usage("--decisions - and --json both want standard output; give --decisions a file")
        }
        file?.printsBeside = printsSummary

        let interruption = try Interruption()
        let reader = try options.reader(path, interruption: interruption.descriptor)
        file?.input = reader.file
        let output = try file.map(Outputs.open)
        let decisions = output.map(DecisionWriter.init)
        let replay = try LogReplay(reader, policy: policy, window: window)
        let started = ContinuousClock.now
        var run = ReplayRun(replay: replay, decisions: decisions, interruption: interruption)
        let fault = try run.run(rate: rate)
        let took = ContinuousClock.now - started
        let isFinished = fault == nil && !interruption.hasCome
        let isWritten = isFinished || options.has("partial") || output?.temporaryPath == nil
        if isWritten { try decisions?.finish() }
        Terminal.clearProgress()

        if printsSummary {
            let isComplete = !isFinished ? false : reader.lacksEnd ? nil : true
            let report = ReplayReport(replay: replay, policy: policy, cost: cost, took: took, isComplete: isComplete)
            try Terminal.print(options.has("json") ? report.json : report.text)
        }
        let rest = isWritten ? "" : "; \(output?.name ?? "") is not written; --partial writes it up to there"
        if interruption.hasCome {
            Terminal.say("settle: interrupted; everything up to \(replay.summary.span.text) was replayed\(rest)")
            interruption.endIfCome()
        }
        guard let fault else {
            try checkScenes(window, reader)
            try checkStart(window, replay)
            return .fine
        }
        Terminal.say("settle: \(fault); everything before it was replayed\(rest)")
        return Failure(fault).code
    }

    /// A start behind the log's end is a mistake rather than an empty result.
    private static func checkStart(_ window: ReplayWindow, _ replay: LogReplay) throws {
        guard let span = replay.logSpan, window.start > span else { return }
        var (start, end) = (window.start.text, span.text)
        if start == end { (start, end) = ("\(window.start.wholeNanoseconds) ns", "\(span.wholeNanoseconds) ns") }
        throw Failure.usage("--start is \(start), but the log ends \(end) after its first event")
    }

    /// A name that the log does not have is a typo rather than an empty result.
    private static func checkScenes(_ window: ReplayWindow, _ reader: LogReader) throws {
        let known = (0..<reader.scenes.count).map { reader.scenes[SceneNumber(rawValue: UInt32($0))] }
        for name in window.scenes.sorted() where !known.contains(name) {
            let some = known.prefix(8).joined(separator: ", ") + (known.count > 8 ? ", …" : "")
            throw Failure(code: .findings, message: "\(reader.name): there is no scene '\(name)'; the log has \(some)")
        }
    }
}

/// One replay under way.
struct ReplayRun {
    let replay: LogReplay
    let decisions: DecisionWriter?
    let interruption: Interruption
    private var problem: LogError?

    init(replay: LogReplay, decisions: DecisionWriter?, interruption: Interruption) {
        self.replay = replay
        self.decisions = decisions
        self.interruption = interruption
    }

    private var goesOn: Bool { problem == nil && !interruption.hasCome }

    /// Replays to the end or a signal; a fault of the log is returned after all before it
    /// was replayed.
    mutating func run(rate: Double?) throws -> LogError? {
        var fault: LogError?
        do throws(LogError) {
            if let rate { try runPaced(rate) } else { try runAtOnce() }
        } catch {
            fault = error
        }
        var late: LogError?
        // What is owed at a signal is decided after it, which is not the log's end.
        let isInterrupted = interruption.hasCome
        replay.finish(discarding: isInterrupted) { decision, scene in late = late ?? write(decision, scene) }
        if let writing = problem ?? late { throw writing }
        return isInterrupted ? nil : fault
    }

    private func write(_ decision: Decision, _ scene: String) -> LogError? {
        do throws(LogError) {
            try decisions?.write(decision, scene: scene)
            return nil
        } catch {
            return error
        }
    }

    private mutating func runAtOnce() throws(LogError) {
        var progress = ReadProgress(replay.reader)
        while goesOn, try replay.readNext() {
            var problem: LogError?
            replay.submit { decision, scene in problem = problem ?? write(decision, scene) }
            self.problem = problem
            progress.update(events: replay.summary.events)
        }
    }

    /// Keeps pace with the clock on the event loop: an event is submitted, and a
    /// deadline fires, when its time has come.
    private mutating func runPaced(_ rate: Double) throws(LogError) {
        let timer: LoopTimer
        do {
            timer = try LoopTimer()
        } catch {
            throw LogError(.io(code: 0), file: replay.reader.name, "\(error)")
        }
        var pace: Pace?
        while goesOn, try replay.readNext() {
            if pace == nil, let first = replay.nextEvent { pace = Pace(first, rate: rate, timer: timer) }
            while goesOn, let event = replay.nextEvent {
                step(to: min(event, replay.nextDeadline ?? event), pace!)
            }
        }
        while goesOn, let pace, let deadline = replay.nextDeadline { step(to: deadline, pace) }
    }

    private mutating func step(to time: Timestamp, _ pace: Pace) {
        pace.wait(until: time) {
            let (rebuilds, interactions) = (replay.summary.rebuilds, replay.summary.interactions)
            Terminal.progress(
                "at \(pace.position.text): \(counted(rebuilds, "rebuild")), \(counted(interactions, "interaction"))")
            return interruption.hasCome
        }
        if interruption.hasCome { return }
        var problem: LogError?
        if let event = replay.nextEvent, event <= time {
            replay.submit(upTo: time) { decision, scene in problem = problem ?? write(decision, scene) }
        } else {
            replay.advance(to: time) { decision, scene in problem = problem ?? write(decision, scene) }
        }
        do throws(LogError) {
            // A paced replay is watched: what was decided is seen at once.
            try decisions?.flush()
        } catch {
            problem = problem ?? error
        }
        self.problem = problem
    }
}
