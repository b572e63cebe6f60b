import Settle
import SettleLog
import SettlePlatform
import SettleProgram
import SettleSweep

/// `settle tune`: tries policies on logs.
enum TuneVerb {
    static let verb = Verb(
        name: "tune", summary: "try thousands of policies on logs, and say which to take", specs: specs,
        help: help, run: run)

    static let help = """
        usage: settle tune [OPTION]... LOG...
        example: settle tune --p95-lag 100ms --write policy.json logs/

        Decides logs under many policies and prints which one to take, with what it saves and
        costs beside today's, and those that no other is better than: the Pareto front of
        rebuilds against lag. The table has the columns in which its rows differ, as far as the
        terminal has room, which is 80 columns in a pipe. LOG is a file of any known format, -
        for standard input, or a folder, whose logs are found in it and in its folders. Today's
        policy is the one that these options describe:

        \(PolicyOptions.help)

        The policies to try:
        \(HelpText.option(
            "--policies FILE",
            "policies as settle policy writes them, one after the other, at most"
                + " \(grouped(Sweep.policiesMax - 1)); - is standard input. By default a grid of"
                + " \(grouped(PolicyGrid.count)) that differ from today's in the delays after an end, after other"
                + " changes and without an end signal, today's own delays among them", column: 28))

        The part of each log, as for settle replay:
          --scene NAME              only this scene; may be repeated
          --start TIME              start this long after the log's first event; an error if
                                    all logs end before
          --duration TIME           at most this much from there

        How builds are judged:
          --build-cost COST         plays the builds, which take so long: 8ms, 3ns/px or
                                    2ms+3ns/px. With 8ms+slow/20 every 20th takes four times
                                    as long. With log they take what the logs' own "finished"
                                    events say, by medians. Then the front is that of work
                                    against wrong time: how long a scene shows a size that is
                                    not its own, times the relative difference. The grid has
                                    \(grouped(PolicyGrid.liveCount)) policies, with builds before the end for a share
                                    of the time; four habits of programs without an engine
                                    stand beside them
          --busy N%                 at most so much of any half second of a scene goes into
                                    builds: chooses the policy with the shortest wrong time.
                                    Only with --build-cost, which takes no other bound

        What to choose; both bounds may be given:
          --p95-lag TIME            at most this lag for 95 % of the rebuilds: chooses the
                                    policy with the fewest rebuilds
          --wasted N                at most so many wasted rebuilds, which another of the same
                                    connected scene follows within a second: chooses the
                                    policy with the shortest p95 lag, or with --p95-lag the
                                    fewest rebuilds
        If no policy is within the bounds, the nearest ones that are within reach are printed,
        with their policies.

        Without a bound the advice has neither more rebuilds nor more wasted ones than today's
        policy, and with as many of both no longer p50 lag. Of the front of such policies it is
        the knee: rebuilds and p95 lag are scaled so that the front's ends are 0 and 1, and the
        knee is the policy farthest below the line between them. Without a policy below it, the
        advice is the one with the fewest rebuilds whose p95 lag is not longer than today's.
        The knee in the table is that of all policies.

        With --build-cost and no bound the advice is the policy with the least weight: wrong time,
        twice the waits for the right size after interactions' ends, and a third of the work,
        added up. Of weights within 3.2 % the one that changes the fewest durations is taken.
        Beside it stand building at ends, the presets prepared and live, and a debounce, with
        how soon after an end the right size is there (right after, at once). A line says from
        which cost on building at ends is later there than a debounce.

        With a bound or without, a delay stays as it is that fewer than \(PolicyAdvice.exercisedLeast) of
        the rebuilds under today's policy waited for; "as today" names it. Of policies with the
        same rebuilds and p95 lag the one with the fewest wasted rebuilds is taken, then the one
        with the shortest p50 lag, then the one that changes the fewest durations, then the
        first.

        Lags are counted in buckets of at most 3.2 %, and printed as the longest of their
        bucket; bounds are compared by bucket, so a policy that waits for 100 ms meets
        --p95-lag 100ms.

        Output:
          --all                     list all policies, not only the front
          --json                    print one JSON object with all policies and their figures.
                                    "complete" is true if the index of every log lists exactly
                                    what was read, and false after a fault or a signal. It is
                                    null if that is unknown: with a binary log that has no
                                    index, and with any text log, which may have been cut
                                    between two lines
          --csv                     print all policies and their figures as CSV
          --write FILE              write the advised policy, for --policy. If no policy is
                                    within the bound, nothing is written and the exit status
                                    is 1. So it is if the logs have no events, or no sizes
          --force                   replace FILE if it exists
          --partial                 write FILE even if something could not be read

        \(HelpText.option("--jobs N", "threads, 1 to \(Sweep.jobsMax) (one for each processor)", column: 28))
        \(FormatOption.help("of all logs: ", column: 28))

        Policies that cannot differ on the logs, as nothing in these waits for the delays in
        which they differ, are skipped, which is said: they have the figures of one that was
        tried. The output is the same for any number of threads. In a folder, files that do not
        begin as a log does are skipped, which is said. What precedes a log's fault counts,
        and other logs are tried all the same; the exit status is then 1, or 3 if something
        could not be read, and FILE is not written without --partial. On SIGINT or SIGTERM,
        settle prints the best policy of the logs so far. Within the first logs it is the best
        of the policies that were tried on them so far, which is said. Then settle writes no
        FILE, and ends by that signal: a shell reports status 130 or 143. --json and --csv
        count whole logs.
        TIME is a number with a unit: ns, us, ms, s, min, h.
        \(Outputs.rule)
        """

    private static let specs: [OptionSpec] =
        PolicyOptions.specs + WindowOptions.specs + [
            .value("policies"), .value("p95-lag"), .value("wasted"), .value("build-cost"), .value("busy"), .flag("all"),
            .flag("json"), .flag("csv"),
            .value("write"), Outputs.force, Outputs.partial, .value("jobs"), FormatOption.spec,
        ]

    /// What the options say.
    private struct Request {
        var policies: [Policy]
        /// The index of today's policy.
        var today: Int
        var bound: TuneResult.Bound
        var builds: TuneBuilds
        var jobs: Int
        var format: LogFormat?
        var window: ReplayWindow
        /// What policies were read from.
        var files: [FileIdentity]
    }

    private static func run(_ options: Options) throws -> ExitCode {
        let request = try request(options)
        let endSignal = try EndSignal(keeping: .first)
        var inputs = try LogInputs(options.positional)
        let target = try options.value("write").map { try file($0, options, inputs: inputs.identities + request.files) }
        let cost = try request.builds.cost(inputs.files, request.format, endSignal)
        let sweep = try Sweep(request.policies, buildCost: cost)
        sweep.first = request.today
        let crossing = try cost.map { cost in
            try DebounceCrossing(request.policies[request.today].atEnds, slowEvery: cost.slowEvery)
        }
        var run = TuneRun(
            sweep: sweep, crossing: crossing, jobs: request.jobs, format: request.format, window: request.window,
            endSignal: endSignal)
        try run.run(&inputs)
        try run.checkWindow()

        let isInterrupted = endSignal.hasArrived

        let failures = inputs.failures + run.failures
        say(inputs, run, failures)
        var code = failures.map(\.code.rawValue).max().flatMap(ExitCode.init) ?? .fine
        let result = try TuneResult(sweep, today: request.today, bound: request.bound)
        if options.has("json") || options.has("csv") {
            let isComplete = !failures.isEmpty || isInterrupted ? false : run.lacksEnd ? nil : true
            let data = TuneData(
                result: result, skippedFiles: inputs.skipped.count, isComplete: isComplete,
                crossing: isInterrupted ? nil : crossing?.cost)
            if sweep.logs > 0 || isInterrupted { try Terminal.print(options.has("json") ? data.json : data.csv) }
        } else if sweep.logs > 0 {
            try print(
                result, options, interrupted: isInterrupted ? sweep : nil,
                crossing: isInterrupted ? nil : crossing?.cost)
        } else if isInterrupted, let tried = sweep.partial {
            let today = tried.policies.firstIndex(of: sweep.policies[request.today])!
            try print(TuneResult(tried, today: today, bound: request.bound), options, interrupted: sweep)
        } else if isInterrupted {
            try Terminal.print("Interrupted: 0 of \(counted(sweep.policies.count, "policy", "policies")) tried.\n")
        }
        if let target, !isInterrupted, sweep.logs > 0 || !failures.isEmpty {
            let isWritten = try write(result, to: target, failures, isPartial: options.has("partial"))
            if !isWritten, code == .fine { code = .findings }
        }
        // Nothing to judge by is no reason to keep today's policy.
        if sweep.logs > 0, sweep.lack != nil, !isInterrupted, code == .fine { code = .findings }
        if isInterrupted {
            let rest = target.map { "; \($0.name) is not written" } ?? ""
            Terminal.say(
                "settle: interrupted after \(grouped(sweep.logs)) of \(counted(inputs.files.count, "log"))\(rest)")
        }
        endSignal.endProcessIfArrived()
        guard sweep.logs > 0 || !failures.isEmpty else {
            throw Failure.usage("there is no log in what was named; name files with logs, or folders of them")
        }
        return code
    }

    // MARK: Options

    private static func request(_ options: Options) throws -> Request {
        guard !options.positional.isEmpty else {
            throw Failure.usage("which logs? Name files or folders, or - for standard input")
        }
        if options.has("json"), options.has("csv") {
            throw Failure.usage("--json and --csv both want standard output; give one of them")
        }
        let inputs =
            options.positional.filter { $0 == "-" } + ["policy", "policies"].filter { options.value($0) == "-" }
        guard inputs.count <= 1 else {
            throw Failure.usage("standard input is either a log or policies; name files for the others")
        }
        let builds = try TuneBuilds(options)
        var bound = TuneResult.Bound(
            p95Lag: try options.duration("p95-lag"),
            wasted: try options.value("wasted").map { _ in try options.number("wasted", 0...1_000_000_000, default: 0) }
        )
        bound.busy = builds.busy
        let jobs = try options.number(
            "jobs", 1...Sweep.jobsMax, default: min(processorsAvailable(), Sweep.jobsMax))
        let (today, file) = try options.policyAndFile()
        var (policies, list) = try policies(options, today, isLive: builds.isPlayed)
        let index = policies.firstIndex(of: today) ?? policies.count
        if index == policies.count { policies.append(today) }
        return Request(
            policies: policies, today: index, bound: bound, builds: builds, jobs: jobs, format: try options.format(),
            window: try options.window(), files: [file, list].compactMap(\.self))
    }

    private static func policies(
        _ options: Options, _ today: Policy, isLive: Bool
    ) throws -> ([Policy], FileIdentity?) {
        guard let path = options.value("policies") else {
            return (isLive ? try PolicyGrid.livePolicies(from: today) : try PolicyGrid.policies(from: today), nil)
        }
        do throws(LogError) {
            let list = try Policy.readList(path: path, most: Sweep.policiesMax - 1)
            try OutputFile("-", input: list.file).check()
            return list
        } catch {
            // What the command line is given is wrong, rather than a log.
            guard error.kind == .malformed else { throw error }
            throw Failure.usage("\(error)")
        }
    }

    // MARK: Output

    /// The file to write, checked before the work begins.
    private static func file(_ path: String, _ options: Options, inputs: [FileIdentity]) throws -> OutputFile {
        var file = OutputFile(path, replaces: options.has("force"), printsBeside: true)
        file.inputs = inputs
        guard !path.isEmpty else { throw Failure.usage("--write is ''; name a file") }
        guard !file.isStandardOutput else {
            throw Failure.usage("--write is '\(path)', but standard output has the result; name a file")
        }
        try Outputs.check(file, hint: "--force replaces it")
        return file
    }

    /// Writes the advised policy. If it must not, it says why, and returns false.
    private static func write(
        _ result: TuneResult, to file: OutputFile, _ failures: [Failure], isPartial: Bool
    ) throws -> Bool {
        let obstacle: String? =
            if result.sweep.logs == 0 {
                ": no log was read"
            } else if let lack = result.sweep.lack {
                ": \(lack)"
            } else if !failures.isEmpty, !isPartial {
                "; --partial writes it all the same"
            } else {
                result.advised == nil ? ": no policy is within the bound" : nil
            }
        guard obstacle == nil, let advised = result.advised else {
            Terminal.say("settle: \(file.name) is not written\(obstacle ?? "")")
            return false
        }
        let output = try Outputs.open(file)
        try output.writeLine(result.rows[advised].policy.json)
        try output.finish()
        return true
    }

    private static func print(
        _ result: TuneResult, _ options: Options, interrupted: Sweep?, crossing: DebounceCrossing.Cost? = nil
    ) throws {
        let report = TuneReport(
            result: result, isWhole: options.has("all"), columns: Terminal.columns,
            interrupted: interrupted?.policies.count, crossing: crossing)
        try Terminal.print(report.text)
    }

    /// The most faults that are printed.
    private static let failuresShown = 20

    private static func say(_ inputs: LogInputs, _ run: TuneRun, _ failures: [Failure]) {
        for line in inputs.skipped.lines("skipped") { Terminal.say("settle: \(line)") }
        for line in run.notes.lines("note") { Terminal.say("settle: \(line)") }
        for failure in failures.prefix(failuresShown) { Terminal.say("settle: \(failure.message)") }
        if failures.count > failuresShown {
            Terminal.say(
                "settle: \(counted(failures.count - failuresShown, "fault")) more; settle validate prints them")
        }
    }
}
