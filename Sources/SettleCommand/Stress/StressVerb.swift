import SettleProgram

/// `settle stress`: loads the live engine and verifies its decisions.
enum StressVerb {
    static let verb = Verb(
        name: "stress", summary: "load the live engine and verify its decisions", specs: StressOptions.specs,
        help: help, run: run)

    static let help = """
        usage: settle stress [OPTION]...
        example: settle stress --producers 4 --scenes 1000 --duration 10s

        Sends generated resize events from threads into a live engine by a fixed
        schedule, verifies every decision, and prints how late decisions were delivered.
        The exit status is 1 if a decision was early, too late, wrong, missing, within
        an interaction or, with a --live-share, not paid for. On SIGINT or SIGTERM,
        settle prints the result so far and ends by that signal: a shell reports status
        130 or 143.

          --producers N             threads, each with its own scenes (1)
          --scenes N                scenes of all producers together (100)
          --rate N|max              events per second of all producers together (100000);
                                    events not sent a second after the duration are skipped
          --mix drag|discrete|mixed|lock|pause
                                    the scenes' behaviour (mixed); scenes that pause have
                                    a --pause-delay of 20ms if none is given
          --duration TIME           how long to send (2s)
          --overload coalesce|block what a full ring does (coalesce)
          --capacity N              events that may wait in a ring, a power of two (4096)
          --build-time TIME         simulated duration of a rebuild (0s)
          --late-limit TIME|none    latest delivery after a decision's time (100ms)
          --seed N                  seed of sizes and pauses (1)
          --json                    print the result as one JSON object

        \(PolicyOptions.help)

        TIME is a number with a unit: ns, us, ms, s, min, h.
        """

    private static func run(_ options: Options) throws -> ExitCode {
        let run = StressRun(options: try StressOptions(options), endSignal: try EndSignal(keeping: .first))
        let result = try run.run()
        try Terminal.print(options.has("json") ? result.json : result.text)
        run.endSignal.endProcessIfArrived()
        return result.observer.verifier.violationsCount == 0 ? .fine : .findings
    }
}
