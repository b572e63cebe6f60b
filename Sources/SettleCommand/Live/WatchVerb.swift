import Settle
import SettleLog
import SettlePlatform
import SettleProgram
import SettleSources

/// `settle watch`: the windows of a desktop or of an app, live.
enum WatchVerb {
    static let verb = Verb(
        name: "watch", summary: "show the windows of a desktop or of an app, live", specs: specs, command: .afterDashes,
        help: help, run: run)

    static let help = """
        usage: settle watch [OPTION]...
               settle watch [OPTION]... -- APP [ARGUMENT]...
        example: settle watch --record drag.settle -- gedit

        Watches every window of the X11 desktop or, under Wayland, those of one app, which
        it runs: there, only an app's own connection says what its windows do.

        In a terminal, a table has a row for each window. It begins with the title, which has
        an identifier if another window has the same one, the size, and the state: resting,
        dragged, or a rebuild pending. Then come the events in the last second, and a curve of
        those in each of the last eight, a step for three times as many. Three columns say how
        often programs would have rebuilt: one that rebuilds at every size, one that debounces
        by 100 ms, and one that uses Settle. The rebuilds saved are every size less Settle. The
        lag is the time from the last change, or the interaction's end, to the last rebuild. A
        narrow terminal has fewer columns. b puts the busiest windows first or back, q or
        Ctrl-C quits. If standard output is no terminal, the decisions are printed as JSON
        Lines. In the end a line has the sums.

        What is watched: sizes, states and titles of windows, and presses and releases of
        pointer buttons. Nothing else is read or kept: no keys, no pictures, no clipboard. The
        windows' owners are not asked. An app is connected through settle: it ends with
        settle, and settle ends with it and with its exit status.

        \(sources.help)
          --busiest-first           begin the table with the windows that have the most events
                                    in the last second
          --record LOG              also record the events, as settle record does
          --force                   replace LOG if it exists

        \(PolicyOptions.help)

        Exit status: that of APP; 3 if there is no display, or the connection or LOG fails.
        TIME is a number with a unit: ns, us, ms, s, min, h.
        """

    private static let sources = SourceOptions(verb: "watch", hasDefault: true)
    private static let specs: [OptionSpec] =
        PolicyOptions.specs + sources.specs + [.value("record"), Outputs.force, .flag("busiest-first")]

    private static func run(_ options: Options) throws -> ExitCode {
        if let word = options.positional.first {
            throw Failure.usage(
                "'\(word)' is one word too many; to watch an app, name it after --: settle watch -- \(word)")
        }
        let (kind, source) = try options.source(options.desktop(("watches", "watched")))
        let policy = try options.policy()
        let endSignal = try EndSignal(keeping: .each)
        let showsTable = isatty(0) == 1 && isatty(1) == 1
        let target = try RecordTarget(besides: options, printsBeside: !showsTable)
        let run = LiveRun(
            kind: kind, arguments: source, policy: policy, target: target, showsTable: showsTable,
            putsBusiestFirst: options.has("busiest-first"), endSignal: endSignal)
        exit(try run.run())
    }
}
