internal import CTerminal
internal import Settle
internal import SettleClock
internal import SettlePlatform

/// What the terminal shows of a program that has another size than the window: a model of the program's
/// screen, cut to the window, instead of bytes that are meant for another size. While the sizes agree, bytes
/// pass as they are, and the model follows them when there is time.
///
/// The model is a process that begins when it is first needed. Where it cannot be, ends, or cannot follow, bytes pass,
/// which is said once for each reason.
final class HeldScreen {
    enum Phase {
        /// Bytes pass.
        case passing
        /// On the alternate screen: the model is painted.
        case showing
        /// On the main screen, of which the terminal alone knows what was there before, below rows that the
        /// program draws again and again: nothing is shown, and the rows are replaced in the end.
        case frozen
    }

    let holding: ScreenHolding
    var model: OpaquePointer?
    let scanner = UnsafeMutablePointer<output_scanner>.allocate(capacity: 1)
    /// Whether the terminal wraps long rows anew when it becomes narrower.
    private let wraps: Bool
    private let clock: () -> Timestamp
    var phase = Phase.passing
    /// Whether the terminal shows a painted model.
    var isPainted = false
    var program: WindowSize
    private var window: WindowSize
    /// The program's size when its screen began to be shown.
    var shownFrom = WindowSize()
    /// What has passed and is not in the model yet.
    var unread: [UInt8] = []
    /// Why the model does not know what the program has drawn, until the program begins anew; `nil` if it does.
    var loss: ScreenLoss?
    /// Why the screen is not held although its size is.
    var notes = ScreenNotes()
    /// Whether the program has to draw its screen again, since a picture of it was lost.
    private var needsRedraw = false
    /// Too much has scrolled away: bytes pass until the sizes agree.
    var isGivenUp = false
    /// Whether the main screen is unknown, below an alternate one that has changed its size.
    var hasLostMain = false
    private var lastPaint = Timestamp.zero
    /// When the program has written something last.
    var lastRead = Timestamp.zero
    /// When rows were replaced last.
    var lastThaw = Timestamp.zero
    /// What the program has written while nothing was shown.
    private var withheld: [UInt8] = []
    /// The program's questions for the cursor while nothing was shown, which the terminal answers in the end.
    private var questions = 0
    /// The model's answers to the program's questions.
    var answers: [UInt8] = []

    /// The most that waits for the model, which reads about 1 to 20 MB a second.
    static let unreadMax = 1 << 18
    /// How much of it is read at a time, so that a key waits for less than a millisecond.
    static let unreadPiece = 1 << 11
    /// For how long the program writes nothing before; the model does not slow down a flood.
    private static let unreadDelay = Duration.milliseconds(1)
    /// The same where less than a piece waits: an echo, of keys that go on.
    private static let unreadDelayMax = Duration.milliseconds(5)
    /// The most that is written while nothing is shown.
    private static let withheldMax = 1 << 20
    static let redrawTime = Duration.seconds(1)
    private static let paintInterval = Duration.milliseconds(10)
    private static let paintIntervalMax = Duration.milliseconds(50)

    init(
        _ size: WindowSize, _ holding: ScreenHolding = .everything,
        wraps: Bool = HeldScreen.wrapsRows(environmentVariable),
        clock: @escaping () -> Timestamp = { MonotonicClock.now }
    ) {
        program = size
        window = size
        self.holding = holding
        self.wraps = wraps
        self.clock = clock
        output_scanner_init(scanner)
        loss = holding == .everything ? fault() : .mainScreen
        // Whoever asks for it learns at once that it cannot be.
        if holding == .everything, let loss { notes.add(loss) }
    }

    deinit {
        screen_model_close(model)
        scanner.deallocate()
    }

    /// Whether the terminal is one that wraps long rows anew, by the environment: xterm, the console and screen cut them.
    static func wrapsRows(_ variable: (String) -> String?) -> Bool {
        if variable("TMUX") != nil { return true }
        return variable("XTERM_VERSION") == nil && variable("STY") == nil && variable("TERM") != "linux"
    }

    /// Whether the program has to draw its screen again, since this was called last.
    func takeNeedsRedraw() -> Bool {
        defer { needsRedraw = false }
        return needsRedraw
    }

    /// The model's process; `nil` while there is none.
    var process: Int32? { model.map { screen_model_process($0) } }

    private var differs: Bool { !program.hasCells(of: window) }

    /// How often the program has ended a synchronized redraw (mode 2026).
    var redrawsEnded: UInt32 { scanner.pointee.synchronized_ends }

    /// When `passTime` has work to do.
    var nextWake: Timestamp? {
        if !unread.isEmpty { return unreadDue }
        return isPaintDue ? lastPaint + Self.paintInterval : nil
    }

    private var unreadDue: Timestamp {
        lastRead + (unread.count < Self.unreadPiece ? Self.unreadDelayMax : Self.unreadDelay)
    }

    private var isPaintDue: Bool {
        guard phase == .showing, let model else { return false }
        return screen_model_is_damaged(model)
    }

    /// Takes what the program has written, and appends what goes to the terminal.
    ///
    /// - Parameter isTimed: Whether `redrawsEnded` is to be counted, also without a model.
    func read(_ bytes: UnsafeRawBufferPointer, isTimed: Bool = false, into output: inout [UInt8]) {
        let bytes = bytes.bindMemory(to: UInt8.self)
        guard holds else {
            var scanned = isTimed ? 0 : bytes.count
            while scanned < bytes.count {
                scanned += output_scanner_next(scanner, bytes.baseAddress! + scanned, bytes.count - scanned)
            }
            return output.append(contentsOf: bytes)
        }
        defer { lookForFailure(&output) }
        lastRead = clock()
        // Passed bytes from here on are not appended yet.
        var (start, at) = (0, 0)
        while at < bytes.count {
            let count = output_scanner_next(scanner, bytes.baseAddress! + at, bytes.count - at)
            let piece = UnsafeBufferPointer(rebasing: bytes[at..<(at + count)])
            at += count
            if phase == .passing {
                if isRedundant(piece) {
                    output.append(contentsOf: bytes[start..<(at - count)])
                    start = at - count
                    eraseLiveRows(&output)
                }
                note(piece)
                guard differs, output_scanner_is_between(scanner) else { continue }
                output.append(contentsOf: bytes[start..<at])
                begin(&output, columns: program.columns)
            } else {
                hold(piece, &output)
            }
            start = at
        }
        if phase == .passing { output.append(contentsOf: bytes[start...]) }
        // Nobody waits for them.
        if phase != .passing { takeAnswers(nil) }
        if withheld.count > Self.withheldMax {
            thaw(&output)
            isGivenUp = true
        }
    }

    /// Whatever has changed of the sizes, and appends what goes to the terminal.
    func update(program: WindowSize, window: WindowSize, into output: inout [UInt8]) {
        if program == self.program && window == self.window { return }
        defer {
            lookForFailure(&output)
            noteLoss()
        }
        if phase == .passing { readAll() }
        self.window = window
        let isThawed = phase == .frozen && (program != self.program || !differs)
        if isThawed { thaw(&output) }
        self.program = program
        resizeModel()
        if !differs { isGivenUp = false }
        if phase == .showing, loss != nil { end(&output) }
        switch phase {
        case .showing where differs: paint(everything: true, &output)
        case .showing: end(&output)
        case .passing where differs && output_scanner_is_between(scanner):
            begin(&output, columns: isThawed ? window.columns : program.columns)
        case .passing, .frozen: break
        }
    }

    /// Paints, or lets the model follow. To be called when the terminal has taken everything.
    ///
    /// - Parameter isSilent: Whether the program writes nothing. While it writes, its picture is not whole.
    func passTime(at now: Timestamp, isSilent: Bool, into output: inout [UInt8]) {
        defer { lookForFailure(&output) }
        let interval = isSilent ? Self.paintInterval : Self.paintIntervalMax
        if isPaintDue, now >= lastPaint + interval { paint(everything: false, &output) }
        if isSilent, !unread.isEmpty, now >= unreadDue { readSome() }
    }

    /// The program ends: the terminal gets what it has drawn last.
    func finish(into output: inout [UInt8]) {
        defer { lookForFailure(&output) }
        if phase == .showing { end(&output) }
        if phase == .frozen { thaw(&output) }
    }

    /// Whoever looks at the terminal sees nothing of it, or something else.
    func repaint(into output: inout [UInt8]) {
        defer { lookForFailure(&output) }
        if phase == .showing { paint(everything: true, &output) }
    }
}

// MARK: The model

extension HeldScreen {
    /// Whether a model is possible.
    private var holds: Bool { holding != .nothing && loss?.isForGood != true }
    /// One of the program's size.
    var fits: Bool { screen_model_fits(Int32(program.rows), Int32(program.columns)) }

    /// Begins a blank model of the program's size, whatever it knew before.
    ///
    /// - Returns: Why there is none.
    func fault() -> ScreenLoss? {
        if !fits { return .size(program) }
        if let model {
            screen_model_clear(model)
        } else {
            model = screen_model_open(Int32(program.rows), Int32(program.columns))
            if model == nil { return errno == ENOSYS ? .noLibrary : .noProcess }
        }
        return nil
    }

    /// The model does not know what the program has drawn, until the program begins anew.
    func lose(_ loss: ScreenLoss) {
        self.loss = loss
        unread = []
    }

    /// Says why a full-screen program's screen is not held although its size is.
    func noteLoss() {
        if differs, holding != .nothing, scanner.pointee.modes.is_alternate, let loss { notes.add(loss) }
    }

    /// The model's process may have ended: its picture is lost, and nothing that the program has written elsewhere.
    private func lookForFailure(_ output: inout [UInt8]) {
        guard let model, screen_model_has_failed(model) else { return }
        screen_model_close(model)
        self.model = nil
        lose(.crashed)
        notes.add(.crashed)
        if isPainted {
            output += scanner.pointee.modes.restored
            needsRedraw = true
        }
        output += withheld
        withheld = []
        (phase, isPainted) = (.passing, false)
    }
}

// MARK: Holding back

extension HeldScreen {
    var sequence: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: output_scanner_bytes(scanner), count: scanner.pointee.length)
    }

    private func hold(_ piece: UnsafeBufferPointer<UInt8>, _ output: inout [UInt8]) {
        let kind = scanner.pointee.kind
        if kind == OUTPUT_PART { return }
        let obstacle = obstacle()
        if kind == OUTPUT_ALTERNATE_OFF || obstacle != nil, phase == .showing { end(&output) }
        let written = kind == OUTPUT_TEXT ? piece : sequence
        guard obstacle == nil, let model else {
            if phase == .frozen { thaw(&output) }
            if let obstacle { lose(obstacle) }
            noteLoss()
            return output.append(contentsOf: written)
        }
        if kind == OUTPUT_ALTERNATE_ON, phase == .frozen { thaw(&output) }
        // Of its answers, those before are not waited for.
        if kind == OUTPUT_ASKS_CURSOR { takeAnswers(nil) }
        screen_model_write(model, written.baseAddress, written.count)
        if phase == .frozen, kind != OUTPUT_PASSES { withheld.append(contentsOf: written) }
        switch kind {
        case OUTPUT_PASSES: output.append(contentsOf: sequence)
        case OUTPUT_RESETS:
            if phase == .frozen { endFreezing() }
            (phase, isPainted) = (.passing, false)
            output.append(contentsOf: sequence)
        case OUTPUT_ALTERNATE_ON, OUTPUT_ALTERNATE_OFF:
            if phase == .passing { output.append(contentsOf: sequence) }
            if kind == OUTPUT_ALTERNATE_ON, phase == .passing { begin(&output, columns: program.columns) }
        case OUTPUT_ASKS_CURSOR where phase == .frozen: questions += 1
        case OUTPUT_ASKS_CURSOR: takeAnswers(kind)
        default:
            let rest = UnsafeBufferPointer(start: output_scanner_rest(scanner), count: scanner.pointee.rest_length)
            output.append(contentsOf: rest)
        }
    }

    /// The model answers for the cursor, because the terminal's is elsewhere; the terminal answers the rest.
    func takeAnswers(_ kind: output_kind?) {
        guard let model else { return }
        var count = 0
        let bytes = screen_model_take_answers(model, &count)
        if kind == OUTPUT_ASKS_CURSOR, phase == .showing {
            answers.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
        }
    }

    func paint(everything: Bool, _ output: inout [UInt8]) {
        guard let model else { return }
        lastPaint = clock()
        screen_model_paint(model, Int32(window.rows), Int32(window.columns), everything)
        takeOutput(&output)
    }

    private func end(_ output: inout [UInt8]) {
        guard let model else { return }
        paint(everything: true, &output)
        screen_model_restore(model, &scanner.pointee.modes, program.hasCells(of: shownFrom))
        takeOutput(&output)
        phase = .passing
        // A failure is looked for as long as it is not known to have been drawn over.
        isPainted = screen_model_has_failed(model)
    }

    private func thaw(_ output: inout [UInt8]) {
        guard let model else { return }
        screen_model_thaw(model, Int32(window.rows), Int32(max(window.columns, 1)), wraps)
        takeOutput(&output)
        // What was withheld has them, and is shown if this failed.
        if !screen_model_has_failed(model) {
            for _ in 0..<questions { output += Array("\u{1B}[6n".utf8) }
        }
        endFreezing()
        lastThaw = clock()
        phase = .passing
    }

    private func endFreezing() {
        questions = 0
        if let model, !screen_model_has_failed(model) { withheld = [] }
    }

    func takeOutput(_ output: inout [UInt8]) {
        guard let model else { return }
        var count = 0
        let bytes = screen_model_take_output(model, &count)
        output.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
    }
}
