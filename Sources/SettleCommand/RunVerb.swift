import Settle
import SettleLog
import SettlePlatform
import SettleSources

/// `settle run`: a program in the terminal, which gets sizes once they have settled.
enum RunVerb {
    static let verb = Verb(
        name: "run", summary: "run a program in the terminal that gets a new size once it has settled", specs: specs,
        command: .afterOptions,
        help: help, run: run)

    static let help = """
        usage: settle run [OPTION]... COMMAND...
        example: settle run --report vim -O a.c b.c

        Runs a program that is slow to redraw, such as an editor with many windows, on a
        pseudoterminal between it and this terminal. While the window is being resized,
        the program keeps its size. It gets the new one, with one SIGWINCH, once the policy
        says that the size has settled: after 200 ms without a change, or 50 ms after a
        single large one. In tmux, which passes on a size every 250 ms, that is after at least
        350 ms. It has the first size from its beginning. A SIGWINCH that brings no new size,
        as one of dtach or docker attach, is passed on immediately; after sizes that come back
        to the program's own it gets one SIGWINCH. Options end at the first word that is none;
        -- may stand before COMMAND. Under X11, in a terminal that sets WINDOWID, the release
        of the mouse button ends the wait.

        Keys and output pass as they are, and neither is kept. Reports of the size that the
        program asks for (mode 2048) are held back and sent anew likewise, never within a key
        or a paste. Standard streams that are not this terminal are the program's own:
        cat LOG | settle run less works.

        Ctrl-Z, fg, bg and & work as without settle; in the background the program's output
        is shown, and its keys wait for fg. SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGTSTP are
        passed to the program in the foreground. The exit status is the program's, or
        128 + n if signal n ended it. It is 127 if there is no such program, 126 if it cannot
        be run, and 3 if settle itself failed, for example when the terminal closed. The
        program then gets SIGHUP. The terminal's modes are restored in the end; if settle is
        killed with SIGKILL, which ends the program too, the commands reset or stty sane
        restore them. Without a terminal on standard input or output the program is simply
        run.

        \(PolicyOptions.help)

          --live N%                 as --live-share: give a size immediately to a program that
                                    is quick to redraw, for so much of the time. A redraw lasts
                                    until the program writes nothing for 10 ms or ends a
                                    synchronized one, of mode 2026; one that takes several
                                    times --live-limit counts as many times. At most one size
                                    is drawn at a time

          --no-hold-screen          let a full-screen program's output pass also while it has
                                    another size than the window, where it is drawn wrong.
                                    Without this option, its screen is shown cut to the window
                                    until it has the new size. That needs libvterm0, which runs
                                    in a process of its own: output that crashes it costs the
                                    picture, not the program. Where the screen cannot be held,
                                    settle says why on standard error, once; in the end if that
                                    is the terminal
          --hold-screen             also show nothing of a program that draws its last rows
                                    again and again, such as a progress bar, until it has the
                                    new size

          --record LOG              write the sizes, and no key or output, into a binary log.
                                    If LOG cannot be begun, nothing is run (exit status 3).
                                    If it fails later, the program goes on without; in the
                                    end settle says so, with exit status 3
          --force                   replace LOG if it exists
          --report                  say in the end, on standard error, how many sizes came
                                    and how many of them the program was given

        \(Outputs.rule)
        TIME is a number with a unit: ns, us, ms, s, min, h.
        """

    private static let specs: [OptionSpec] =
        PolicyOptions.specs + [
            .value("live"), .flag("hold-screen"), .flag("no-hold-screen"), .value("record"), .flag("report"),
            Outputs.force,
            OptionSpec(name: "help", takesValue: false, letter: "h", isPublic: false),
        ]

    /// tmux passes a size on to its programs at most every 250 ms, and draws at the newest one meanwhile: a shorter
    /// quiet is no rest.
    private static let tmuxDelay = Duration.milliseconds(350)

    static func policy(of options: Options, inTmux: Bool) throws -> Policy {
        var policy = try options.policy()
        let isChosen = options.has("policy") || options.has("quiet-delay")
        if inTmux, !isChosen {
            policy.quietDelay = tmuxDelay
            if !options.has("jump-delay") { policy.jumpDelay = tmuxDelay }
        }
        guard let share = options.value("live") else { return policy }
        do throws(PolicyFault) { return try Policy(policy, texts: [("liveShare", share)]) } catch {
            throw Failure.usage("--live \(error.problem)")
        }
    }

    private static func run(_ options: Options) throws -> ExitCode {
        guard let command = options.command else {
            throw Failure.usage("which command? Name it after the options: settle run vim notes.txt")
        }
        if options.has("hold-screen"), options.has("no-hold-screen") {
            throw Failure.usage("--hold-screen or --no-hold-screen, not both")
        }
        let policy = try policy(of: options, inTmux: environmentVariable("TMUX") != nil)
        // Opened now: an error is one before the program starts.
        let recorder = try RecordTarget(besides: options)?.open(
            LogHeader(unit: TerminalSource.kind.unit, source: TerminalSource.kind.name), firstEvent: nil)
        if TerminalSource.kind.problem() != nil {
            throw try runAlone(command, recorder, isReported: options.has("report"))
        }
        let status: Int32
        var sink: TerminalSink?
        do {
            // Restores the terminal before anything is printed.
            let holding: ScreenHolding =
                options.has("no-hold-screen") ? .nothing : options.has("hold-screen") ? .everything : .fullScreen
            let source = try TerminalSource(command, holding: holding, buttons: Self.desktop())
            let reading = try TerminalSink(source, policy, recorder)
            sink = reading
            guard case .ended(let ended) = try SourceRunner(source, into: reading).run() else {
                preconditionFailure("nothing but its end stops the program's run")
            }
            status = ended
        } catch let error as SourceError {
            for message in sink?.messages ?? [] { Terminal.say("settle: \(message)") }
            do {
                if let sink { try sink.finishRecording() } else { try recorder?.finish() }
            } catch {
                Terminal.say("settle: \(error)")
            }
            throw Failure(error)
        }
        guard let sink else { preconditionFailure("it has read the program's end") }
        for message in sink.messages { Terminal.say("settle: \(message)") }
        if options.has("report") {
            let (came, given) = (sink.source.sizesReceived, sink.source.sizesGiven)
            Terminal.say("settle: \(counted(came, "size")) came, \(given) given to the program")
        }
        try sink.finishRecording()
        exit(status)
    }

    /// Without a terminal there are no sizes: this process becomes the program.
    ///
    /// - Returns: Why it cannot.
    private static func runAlone(_ command: [String], _ recorder: LogRecorder?, isReported: Bool) throws -> Failure {
        try recorder?.finish()
        if isReported { Terminal.say("settle: 0 sizes come: there is no terminal") }
        return Failure(TerminalSource.becomeProgram(command))
    }

    /// Opens the desktop on which the terminal is a window, for its buttons; `nil` where there is none.
    private static func desktop() -> (@Sendable () -> (any GeometrySource)?)? {
        // WINDOWID is set by terminals under X11, and not passed on by ssh.
        for name in ["WINDOWID", "DISPLAY"] where environmentVariable(name) == nil { return nil }
        return { try? X11Source() }
    }
}

/// Decides the terminal's sizes, gives the program those that have settled, and records all.
private final class TerminalSink: SourceSink {
    let source: TerminalSource
    private var engine: LogEngine
    /// Whether the program's redraws are reported, which live rebuilds depend on.
    private let isLive: Bool
    private let recorder: LogRecorder?
    private var numbers: RecordedNumbers?
    /// Why the recording has ended before the program.
    private var failure: LogError?
    /// Events since then.
    private var unrecorded = 0
    private var recorderDue = Timestamp.zero
    private var changes = 0
    /// Messages for after the program, where standard error is the terminal that the program draws upon.
    private(set) var messages: [String] = []

    /// Beside the terminal's own scene, which is the first.
    private static let changesScene = SceneNumber(rawValue: 1)

    init(_ source: TerminalSource, _ policy: Policy, _ recorder: LogRecorder?) throws(EngineError) {
        self.source = source
        self.recorder = recorder
        isLive = policy.liveSharePercent != nil
        numbers = recorder.map { RecordedNumbers($0) }
        engine = try LogEngine(policy: policy, scenesMax: 2, decisionsMax: 64)
    }

    var nextDeadline: Timestamp? {
        [engine.nextDeadline, isRecording ? recorderDue : nil].compactMap { $0 }.min()
    }

    private var isRecording: Bool { recorder != nil && failure == nil }

    func receive(_ batch: EventBatch, scenes: SceneNames, news: [SourceNews]) {
        for case .message(let text) in news { say(text) }
        for index in 0..<batch.count {
            // Two scenes, for which the engine has the capacity.
            try? engine.submit(batch[index], deliver: deliver)
            if batch[index].size != nil { submitChange(at: batch[index].at) }
        }
        if failure != nil { unrecorded += batch.count }
        if isRecording, batch.count > 0 { record { () throws(LogError) in try numbers?.record(batch, names: scenes) } }
    }

    func advance(to now: Timestamp) {
        engine.advance(to: now, deliver: deliver)
        guard let recorder, isRecording, now >= recorderDue else { return }
        record { () throws(LogError) in recorderDue = try recorder.tick(at: now) }
    }

    /// A size that comes back is decided nothing about. A scene that has a new size at each change says when changes
    /// have rested, wherever they ended.
    private func submitChange(at time: Timestamp) {
        changes += 1
        // So wide that none is a jump.
        let size = Size(width: 1e6 + Double(changes), height: 1e6)
        try? engine.submit(.geometry(Self.changesScene, at: time, size: size), deliver: deliver)
    }

    private func deliver(_ decision: Decision, _ scene: SceneNumber) {
        guard case .rebuild(let rebuild) = decision.kind else { return }
        if scene == Self.changesScene { return source.sizeHasRested() }
        source.apply(rebuild.size, generation: isLive ? rebuild.generation : nil)
    }

    private func say(_ message: String) {
        if isatty(STDERR_FILENO) == 1 { messages.append(message) } else { Terminal.say("settle: \(message)") }
    }

    /// The program does not end because a recording cannot go on.
    private func record(_ body: () throws(LogError) -> Void) {
        do throws(LogError) { try body() } catch { failure = error }
    }

    /// Completes the recording.
    ///
    /// - Throws: Why it ended early.
    func finishRecording() throws(LogError) {
        if var failure {
            if unrecorded > 0 { failure.problem += "; \(counted(unrecorded, "event")) came later, not recorded" }
            throw failure
        }
        try recorder?.finish()
    }
}
