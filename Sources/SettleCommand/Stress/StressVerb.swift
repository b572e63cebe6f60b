/// `settle stress`: the live engine under load, verified.
enum StressVerb {
    static let verb = Verb(
        name: "stress", summary: "load the live engine and verify what it decides", help: help, run: run)

    static let help = """
        usage: settle stress [OPTION]...

        Sends made-up resize events from threads into a live engine by a fixed schedule,
        verifies every decision, and prints how late decisions came. Exit status 1 when
        one was early, too late, wrong, missing or within an interaction. SIGINT and SIGTERM
        end it with the result so far, and then settle by that signal: a shell sees status
        130 or 143.

          --producers N             threads, each with its own scenes (1)
          --scenes N                scenes of all (100)
          --rate N|max              events per second of all (100000); what is not sent a
                                    second after the duration is left out
          --mix drag|discrete|mixed|lock
                                    what the scenes do (mixed)
          --duration TIME           how long to send (2s)
          --overload conflate|block what a full ring does (conflate)
          --capacity N              events that may wait in a ring, a power of two (4096)
          --build-time TIME         pretend that a rebuild takes this long (0)
          --late-limit TIME|none    how late a decision may be delivered (100ms)
          --seed N                  other numbers, other sizes and pauses (1)
          --json                    the result as one JSON object

        \(PolicyOptions.help)

        TIME is a number with a unit: ns, us, ms, s, min, h.
        """

    private static func run(_ arguments: [String]) throws -> ExitCode {
        let options = try Options(arguments, verb: "stress", specs: StressOptions.specs)
        let run = StressRun(options: try StressOptions(options), interruption: try Interruption())
        let result = try run.run()
        try Terminal.print(options.has("json") ? result.json : result.text)
        run.interruption.endIfCome()
        return result.observer.verifier.violationsCount == 0 ? .fine : .findings
    }
}
