internal import CTerminal
public import Settle
internal import SettleClock
public import SettleLog
internal import SettlePlatform

/// A program on a pseudoterminal between it and the user's terminal: keys and output pass as they
/// are, sizes only when `apply` is called.
///
/// The sizes of the user's terminal are the events of one scene, `terminal`, in cells. They come
/// from SIGWINCH and, while the program has switched mode 2048 on, from the terminal's reports,
/// which are taken out of the keys and written anew by `apply`; a report is a cause to ask for the
/// size, which may have changed since. The program has the terminal's
/// size from its beginning, so the first decision changes nothing.
///
/// The terminal is in raw mode while the source exists, and is restored whatever ends the process,
/// except SIGKILL. Use one source at a time, on one thread, and create it before other threads
/// start: it blocks the signals that it passes to the program.
public final class TerminalSource: GeometrySource {
    public static let kind = SourceKind(
        name: "terminal", summary: "the size of the terminal in which settle run runs a program", unit: "cell",
        hasResizingFlag: false, pointer: "in a terminal under X11 that sets WINDOWID, the desktop's buttons",
        timeStamps: .receipt, names: "terminal",
        problem: { standardTerminal == nil ? "neither standard input nor standard output is a terminal" : nil },
        open: { arguments throws(SourceError) in try TerminalSource(arguments.command) })

    public let header: LogHeader
    public let scenes = SceneNames()
    public var descriptor: Int32 { poll.number }

    /// Sizes in cells that the terminal has had, each different from the one before.
    public private(set) var sizesReceived = 0
    /// Sizes that the program was given, the one at its beginning included.
    public private(set) var sizesGiven = 1

    private enum Phase: Hashable {
        case running
        /// The program has stopped itself: once its output is written, this process stops too.
        case stopping
        /// The program has ended: once its output is written, the source ends.
        case ending(status: Int32)
    }

    private let user: UserTerminal
    private let program: TerminalProgram
    private let poll: EpollDescriptor
    private let signals: TerminalSignals
    private var buttons: PointerButtons?
    private let scene: SceneNumber

    private var phase = Phase.running
    /// The user's terminal's size.
    private var known = TerminalSize()
    private var output = ByteQueue()
    private var keys = ProgramKeys()
    private var mode = ResizeMode()
    private let screen: HeldScreen
    private var redraw: RedrawTimer?
    /// Whether the terminal has had another size, or asked to be drawn upon, since the program was given one.
    private var owesRedraw = false
    /// How many of the mode's requests the terminal has answered.
    private var answers = 0
    /// Whether the program's end of the pseudoterminal is closed.
    private var isClosed = false
    /// Whether the program had written nothing more when it was read last.
    private var isSilent = false
    /// Whether keys are read: a background process that reads its terminal is stopped.
    private var isForeground = true
    /// Whether a signal that asks for the end was passed to the program.
    private var isAskedToEnd = false
    /// When the last output is dropped, after a signal, because the terminal does not take it.
    private var endsBy: Timestamp?

    /// The first of standard input and output that is a terminal.
    private static var standardTerminal: Int32? { [STDIN_FILENO, STDOUT_FILENO].first { isatty($0) == 1 } }

    /// The signals that are passed to the program.
    private static let passed = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]

    /// Starts a program in the user's terminal, or in another.
    ///
    /// - Parameters:
    ///   - command: The program, which is looked for on the PATH, and its arguments; not empty.
    ///     Standard streams of this process that are not this terminal are the program's as well.
    ///   - terminal: A descriptor of a terminal that serves instead of the standard streams.
    ///   - holding: Of which programs the screen is shown cut to the window while the program has another size, by
    ///     libvterm in a process of its own.
    ///   - buttons: Opens a source whose pointer events are to be merged in, such as that of the
    ///     desktop on which the terminal is a window. It is called on a thread of its own, so
    ///     nothing waits for it. The source's other events are dropped, and the source itself
    ///     when it fails.
    /// - Throws: When there is no terminal, or the program cannot be started.
    public init(
        _ command: [String], terminal: Int32? = nil, holding: ScreenHolding = .nothing,
        buttons: (@Sendable () -> (any GeometrySource)?)? = nil
    ) throws(SourceError) {
        guard let name = command.first else { throw SourceError("no program was named; name its command") }
        guard let stream = terminal ?? Self.standardTerminal else {
            throw SourceError("neither standard input nor standard output is a terminal")
        }
        header = LogHeader(unit: Self.kind.unit, source: Self.kind.name)
        scene = scenes.number(of: "terminal")
        user = try UserTerminal(stream)
        let streams = (0...2).filter { terminal != nil || terminal_is_same($0, stream) }
        do throws(SystemError) {
            signals = try TerminalSignals(Self.passed + [SIGWINCH, SIGCHLD, SIGCONT])
            poll = try EpollDescriptor()
            program = try TerminalProgram(modes: user.modes, size: WindowSize(of: user.descriptor) ?? WindowSize())
            screen = HeldScreen(program.size, holding)
            try program.start(command, streams: Set(streams))
            for watched in [signals.descriptor, program.endDescriptor] { try poll.watch(watched, for: .reading) }
        } catch {
            throw TerminalProgram.startFailure(name, error)
        }
        isForeground = user.isForeground
        // After the fork, and with the signals blocked, which a thread inherits.
        self.buttons = buttons.flatMap { PointerButtons(poll, open: $0) }
        watch()
    }

    public var nextWake: Timestamp? {
        // A shell says nothing when it brings a job to the foreground that is running.
        let keys = isForeground ? keys.nextWake : MonotonicClock.now + .milliseconds(100)
        return [keys, buttons?.nextWake, endsBy, screen.nextWake, redraw?.nextWake].compactMap { $0 }.min()
    }

    /// Gives the program a size, to be called when it is decided. The kernel sends it
    /// SIGWINCH, and a report follows if the program asked for reports.
    ///
    /// - Parameters:
    ///   - size: In cells.
    ///   - generation: The rebuild's, if the program's redraw is to be measured and reported as its build
    ///     (`Event.finished`): from the size to the end of a synchronized redraw (mode 2026), or to the last
    ///     output before 10 ms without any. A program that writes nothing for 500 ms counts as one that takes
    ///     so long; a size that it has already costs nothing.
    public func apply(_ size: Size, generation: UInt32? = nil) {
        let (rows, columns) = (UInt16(clamping: Int(size.height)), UInt16(clamping: Int(size.width)))
        let new = (known.size ?? program.size).resized(rows: rows, columns: columns)
        // The program has begun with the size that is decided first.
        let changes = new != program.size
        redraw = generation.map { RedrawTimer(of: $0, changes: changes, redrawsEnded: screen.redrawsEnded) }
        guard changes else { return }
        sizesGiven += 1
        give(new)
    }

    /// No size has changed for as long as the policy waits for. A program that has had this size all along gets one
    /// SIGWINCH if there was another meanwhile: the terminal may have cut or cleared what it shows, and "one row more
    /// and back" asks for that, too.
    public func sizeHasRested() {
        if owesRedraw, isKnownToProgram { askForRedraw() }
    }

    /// Whether the program has the terminal's cells. Pixels of less than a cell are no size for it.
    private var isKnownToProgram: Bool { known.size?.hasCells(of: program.size) == true }

    private func askForRedraw() {
        owesRedraw = false
        program.send(SIGWINCH)
    }

    private func give(_ size: WindowSize) {
        owesRedraw = false
        program.resize(to: size)
        updateScreen()
        // A terminal that does not know the mode has never answered, and sends no reports.
        if mode.isOn, answers > 0 { keys.report(size) }
        writeKeys()
        watch()
    }

    /// Sends the program SIGHUP, as a terminal that closes does.
    public func stop() -> Bool {
        isAskedToEnd = true
        hangUpProgram()
        return true
    }

    public func read(into batch: EventBatch) throws(SourceError) -> [SourceNews] {
        if known.size == nil { notice(asked: program.size, batch) }
        buttons?.read(into: batch)
        takeSignals(batch)
        lookForForeground(batch)
        program.update()
        if phase == .running, program.state == .stopped { phase = .stopping }
        if case .ended(let status) = program.state {
            phase = .ending(status: status)
            poll.ignore(program.endDescriptor)
        }
        isSilent = isClosed
        let written = output.written
        try move(batch)
        if output.isEmpty { passTime() }
        reportRedraw(batch)
        if screen.takeNeedsRedraw() { program.send(SIGWINCH) }
        let isWritten = isSilent && output.isEmpty
        if isWritten, phase == .stopping { stop(batch) }
        if case .ending(let status) = phase, isWritten || isGivenUp(progress: output.written != written) {
            return end(status, batch)
        }
        watch()
        return screen.notes.take().map { .message($0) }
    }
}

// MARK: Sizes

extension TerminalSource {
    private func notice(asked: WindowSize, reported: WindowSize? = nil, _ batch: EventBatch) {
        let old = known.size
        known.update(asked: asked, reported: reported)
        let new = known.size ?? asked
        updateScreen()
        if let old, new.hasCells(of: old) {
            // Another font alone is no resize, but programs that draw pictures need it.
            if new.hasOtherFont(than: program.size) { give(new) }
            return
        }
        owesRedraw = old != nil
        sizesReceived += 1
        batch.append(
            .geometry(scene, at: MonotonicClock.now, size: Size(width: Double(new.columns), height: Double(new.rows))))
    }

    private func updateScreen() {
        // Now, which may be newer than the last event.
        let asked = WindowSize(of: user.descriptor).flatMap { $0.hasCells(of: WindowSize()) ? nil : $0 }
        screen.update(program: program.size, window: asked ?? known.size ?? program.size, into: &output.bytes)
    }

    private func reportRedraw(_ batch: EventBatch) {
        let now = MonotonicClock.now
        guard let timer = redraw, let cost = timer.cost(at: now), !batch.isFull else { return }
        batch.append(.finished(scene, at: now, generation: timer.generation, cost: cost))
        redraw = nil
    }

    private func noticeSize(reported: WindowSize? = nil, _ batch: EventBatch) {
        if let new = WindowSize(of: user.descriptor), !batch.isFull { notice(asked: new, reported: reported, batch) }
    }
}

// MARK: Keys and output

extension TerminalSource {
    /// Rounds of a call; decisions must not wait for a program that never stops writing.
    private static let roundsMax = 8

    /// Moves bytes both ways as far as nothing blocks.
    private func move(_ batch: EventBatch) throws(SourceError) {
        for _ in 0..<Self.roundsMax {
            readOutput()
            if output.write(to: user.descriptor) == .ended { throw gone(batch) }
            let outcome = try readKeys(batch)
            writeKeys()
            if isSilent || output.isFull, outcome != .moved { return }
        }
    }

    private func passTime() {
        if case .ending = phase, isSilent {
            screen.finish(into: &output.bytes)
        } else {
            screen.passTime(at: MonotonicClock.now, isSilent: isSilent, into: &output.bytes)
        }
        _ = output.write(to: user.descriptor)
    }

    private func readOutput() {
        if isClosed || output.isFull { return }
        let outcome = ByteQueue.read(from: program.descriptor) { bytes in
            mode.read(bytes)
            screen.read(bytes, isTimed: redraw != nil, into: &output.bytes)
            redraw?.noteOutput(redrawsEnded: screen.redrawsEnded)
        }
        isSilent = outcome != .moved
        if !screen.answers.isEmpty {
            keys.queue.bytes += screen.answers
            screen.answers = []
        }
        if outcome == .ended {
            isClosed = true
            poll.ignore(program.descriptor)
        }
    }

    private func readKeys(_ batch: EventBatch) throws(SourceError) -> ByteQueue.Outcome {
        if keys.queue.isFull || !isForeground {
            // A hang-up is reported also where nothing is waited for.
            if user.hasHungUp { throw gone(batch) }
            return .blocked
        }
        var reported: [WindowSize] = []
        let outcome = ByteQueue.read(from: user.descriptor) { bytes in
            reported = keys.read(bytes, isFiltered: mode.isOn, at: MonotonicClock.now)
        }
        if outcome == .ended { throw gone(batch) }
        if outcome == .blocked { keys.passTime(at: MonotonicClock.now) }
        for size in reported where !batch.isFull {
            noticeSize(reported: size, batch)
            // A terminal answers the mode's request with its size; the program has its own.
            if answers < mode.requests {
                answers = mode.requests
                keys.report(program.size)
            }
        }
        return outcome
    }

    private func writeKeys() {
        if !mode.isOn { keys.stopFiltering() }
        // A program that has gone reads no more keys.
        if keys.queue.write(to: program.descriptor) == .ended { keys.queue = ByteQueue() }
    }

    /// Waits for what there is space for, and space for what there is.
    private func watch() {
        var user: EpollDescriptor.Interest = keys.queue.isFull || !isForeground ? [] : .reading
        if !output.isEmpty { user.insert(.writing) }
        try? poll.watch(self.user.descriptor, for: user)
        if isClosed { return }
        var program: EpollDescriptor.Interest = output.isFull ? [] : .reading
        if !keys.queue.isEmpty { program.insert(.writing) }
        // A program that has gone would wake us until its last output is written.
        if program.isEmpty { return poll.ignore(self.program.descriptor) }
        try? poll.watch(self.program.descriptor, for: program)
    }
}

// MARK: Jobs

extension TerminalSource {
    private func takeSignals(_ batch: EventBatch) {
        let before = (known.size, program.size)
        var isAsked = false
        while let signal = signals.next() {
            switch signal {
            case SIGWINCH:
                isAsked = true
                noticeSize(batch)
            case SIGCHLD: break
            case SIGCONT:
                user.makeRaw()
                noticeSize(batch)
            default:
                if signal != SIGTSTP { isAskedToEnd = true }
                program.send(signal)
            }
        }
        // A signal of a size that is known asks for a redraw: whoever attached to the terminal sees nothing yet. The
        // kernel has sent the signal of each size before it returns the size, so none is left of those that are known.
        if isAsked, before == (known.size, program.size) { passRequest() }
    }

    /// A program whose size is held back gets its signal with its next size.
    private func passRequest() {
        if isKnownToProgram { return askForRedraw() }
        owesRedraw = true
        screen.repaint(into: &output.bytes)
    }

    /// Reads keys, in raw mode, in the foreground alone.
    private func lookForForeground(_ batch: EventBatch) {
        let wasForeground = isForeground
        isForeground = user.isForeground
        if !isForeground || wasForeground { return }
        user.makeRaw()
        // The kernel sends SIGWINCH to the foreground alone, too.
        noticeSize(batch)
    }

    /// Whether the last output is not waited for any more. Only after a signal: without one, the
    /// user may have stopped the terminal to read it.
    private func isGivenUp(progress: Bool) -> Bool {
        if !isAskedToEnd { return false }
        let now = MonotonicClock.now
        if progress || endsBy == nil { endsBy = now + .seconds(1) }
        return endsBy.map { now >= $0 } ?? false
    }

    /// Stops with the program, and continues with it.
    private func stop(_ batch: EventBatch) {
        user.restore()
        terminal_stop_group()
        user.makeRaw()
        isForeground = user.isForeground
        program.resume()
        phase = .running
        noticeSize(batch)
    }

    private func end(_ status: Int32, _ batch: EventBatch) -> [SourceNews] {
        disconnect(batch)
        user.restore()
        return screen.notes.take().map { .message($0) } + [.ended(status: status)]
    }

    /// What is thrown when the user's terminal has hung up. The program gets SIGHUP as if
    /// the terminal were its own.
    private func gone(_ batch: EventBatch) -> SourceError {
        disconnect(batch)
        hangUpProgram()
        return SourceError("the terminal has closed")
    }

    private func hangUpProgram() {
        program.send(SIGHUP)
        // A program that has stopped takes no other signal.
        program.send(SIGCONT)
    }

    /// Nothing is decided for the scene afterwards, by a replay neither.
    private func disconnect(_ batch: EventBatch) {
        if !batch.isFull { batch.append(.disconnect(scene, at: MonotonicClock.now)) }
    }
}
