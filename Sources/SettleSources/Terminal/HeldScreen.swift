internal import CTerminal
internal import Settle
internal import SettlePlatform

/// What the terminal shows of a program that has another size than the window: a model of the program's
/// screen, cut to the window, instead of bytes that are meant for another size. While the sizes agree, bytes
/// pass as they are, and the model follows them when there is time.
///
/// Where there is no libvterm, bytes always pass.
final class HeldScreen {
    private enum Phase {
        case passing
        /// On the alternate screen: the model is painted.
        case showing
        /// On the main screen, of which the terminal alone knows what was there before, below rows that the
        /// program draws again and again: nothing is shown, and the rows are replaced in the end.
        case frozen
    }

    private let model: OpaquePointer?
    private let scanner = UnsafeMutablePointer<output_scanner>.allocate(capacity: 1)
    /// Whether the terminal wraps long rows anew when it becomes narrower. xterm, the console and screen cut them.
    private let wraps: Bool
    private var phase = Phase.passing
    private var program: WindowSize
    private var window: WindowSize
    /// The program's size when its screen began to be shown.
    private var shownFrom = WindowSize()
    /// What has passed and is not in the model yet.
    private var unread: [UInt8] = []
    /// More has passed than the model could follow: it is unknown until the program clears its screen.
    private var isLost = false
    /// Too much has scrolled away: bytes pass until the sizes agree.
    private var isGivenUp = false
    /// Whether the main screen is unknown, below an alternate one that has changed its size.
    private var hasLostMain = false
    /// Whether the last text has characters that may be two columns wide.
    private var hasWideText = false
    private var lastPaint = Timestamp.zero
    /// When the program has written something last.
    private var lastRead = Timestamp.zero
    /// When rows were replaced last.
    private var lastThaw = Timestamp.zero
    /// The program's questions for the cursor while nothing was shown, which the terminal answers in the end.
    private var questions = 0
    /// The model's answers to the program's questions.
    var answers: [UInt8] = []

    /// The most that waits for the model, which reads about 1 to 20 MB a second.
    private static let unreadMax = 1 << 18
    /// How much of it is read at a time, so that a key waits for less than a millisecond.
    private static let unreadPiece = 1 << 11
    /// For how long the program writes nothing before; the model does not slow down a flood.
    private static let unreadDelay = Duration.milliseconds(1)
    /// The most that scrolls away while nothing is shown.
    private static let keptMax = 1 << 20
    private static let redrawTime = Duration.seconds(1)
    private static let paintInterval = Duration.milliseconds(10)
    private static let paintIntervalMax = Duration.milliseconds(50)

    /// - Parameter isModeled: False: bytes always pass.
    init(_ size: WindowSize, isModeled: Bool = true) {
        program = size
        window = size
        model = isModeled ? screen_model_open(Int32(size.rows), Int32(size.columns)) : nil
        output_scanner_init(scanner)
        let cuts = ["XTERM_VERSION", "STY"].contains { environmentVariable($0) != nil }
        wraps = environmentVariable("TMUX") != nil || !cuts && environmentVariable("TERM") != "linux"
    }

    deinit {
        screen_model_close(model)
        scanner.deallocate()
    }

    private var differs: Bool { !program.hasCells(of: window) }

    /// How often the program has ended a synchronized redraw (mode 2026).
    var redrawsEnded: UInt32 { scanner.pointee.synchronized_ends }

    /// When `passTime` has work to do.
    var nextWake: Timestamp? {
        if !unread.isEmpty { return lastRead + Self.unreadDelay }
        return isPaintDue ? lastPaint + Self.paintInterval : nil
    }

    private var isPaintDue: Bool { phase == .showing && screen_model_is_damaged(model) }

    /// Takes what the program has written, and appends what goes to the terminal.
    ///
    /// - Parameter isTimed: Whether `redrawsEnded` is to be counted, also without a model.
    func read(_ bytes: UnsafeRawBufferPointer, isTimed: Bool = false, into output: inout [UInt8]) {
        let bytes = bytes.bindMemory(to: UInt8.self)
        guard model != nil else {
            var scanned = isTimed ? 0 : bytes.count
            while scanned < bytes.count {
                scanned += output_scanner_next(scanner, bytes.baseAddress! + scanned, bytes.count - scanned)
            }
            return output.append(contentsOf: bytes)
        }
        lastRead = MonotonicClock.now
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
    }

    /// Whatever has changed of the sizes, and appends what goes to the terminal.
    func update(program: WindowSize, window: WindowSize, into output: inout [UInt8]) {
        guard model != nil, program != self.program || window != self.window else { return }
        if phase == .passing { readAll() }
        self.window = window
        let isThawed = phase == .frozen && (program != self.program || !differs)
        if isThawed { thaw(&output) }
        self.program = program
        resizeModel()
        if !differs { isGivenUp = false }
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
        let interval = isSilent ? Self.paintInterval : Self.paintIntervalMax
        if isPaintDue, now >= lastPaint + interval { paint(everything: false, &output) }
        if isSilent, now >= lastRead + Self.unreadDelay, !unread.isEmpty { readSome() }
    }

    /// The program ends: the terminal gets what it has drawn last.
    func finish(into output: inout [UInt8]) {
        if phase == .showing { end(&output) }
        if phase == .frozen { thaw(&output) }
    }
}

// MARK: Passing

extension HeldScreen {
    private func resizeModel() {
        let (rows, columns) = (Int32(program.rows), Int32(program.columns))
        if rows < SCREEN_MODEL_ROWS_MIN || columns < SCREEN_MODEL_COLUMNS_MIN { return lose() }
        if isLost { screen_model_clear(model) }
        hasLostMain = hasLostMain || scanner.pointee.is_alternate
        screen_model_resize(model, scanner, rows, columns)
    }

    /// The model does not know what the program has drawn, until the program begins anew.
    private func lose() {
        isLost = true
        unread = []
    }

    /// Whether the model follows with this piece. It knows no main screen below an alternate one that has changed its
    /// size, and libvterm 0.1 writes outside of its memory where characters are inserted, or where one of two
    /// columns, which U+1000 and later may be, meets the end of a row that does not wrap.
    private func canFollow(_ piece: UnsafeBufferPointer<UInt8>) -> Bool {
        let kind = scanner.pointee.kind
        if kind == OUTPUT_RESETS || !scanner.pointee.is_alternate && kind == OUTPUT_CLEARS { hasLostMain = false }
        if scanner.pointee.has_insert || hasLostMain && !scanner.pointee.is_alternate { return false }
        if kind == OUTPUT_TEXT { hasWideText = piece.contains { $0 >= 0xE1 } }
        // CSI b repeats the last character.
        let repeats = kind == OUTPUT_DRAWS && sequence.last == UInt8(ascii: "b") && scanner.pointee.length > 2
        return !hasWideText || !repeats && (kind != OUTPUT_TEXT || !scanner.pointee.has_no_wrap)
    }

    private func note(_ piece: UnsafeBufferPointer<UInt8>) {
        if !canFollow(piece) {
            lose()
        } else if isLost {
            guard [OUTPUT_CLEARS, OUTPUT_ALTERNATE_ON, OUTPUT_RESETS].contains(scanner.pointee.kind),
                program.rows >= SCREEN_MODEL_ROWS_MIN, program.columns >= SCREEN_MODEL_COLUMNS_MIN
            else { return }
            isLost = false
            screen_model_clear(model)
            if scanner.pointee.is_alternate { unread += Array("\u{1B}[?1049h".utf8) }
            unread.append(contentsOf: sequence)
        } else if unread.count + piece.count <= Self.unreadMax {
            unread.append(contentsOf: piece)
        } else {
            lose()
        }
    }

    /// Whether the program clears the main screen because it was given a size: a terminal that moves what is
    /// cleared into the scrollback, as tmux does, would keep rows there that the program draws again.
    private func isRedundant(_ piece: UnsafeBufferPointer<UInt8>) -> Bool {
        scanner.pointee.kind == OUTPUT_CLEARS && piece.count == scanner.pointee.length && !scanner.pointee.is_alternate
            && lastRead < lastThaw + Self.redrawTime
    }

    private func eraseLiveRows(_ output: inout [UInt8]) {
        readAll()
        guard !isLost, screen_model_has_live_rows(model) else { return }
        screen_model_erase_live_rows(model)
        takeOutput(&output)
    }

    private func readSome() {
        let count = min(unread.count, Self.unreadPiece)
        unread.withUnsafeBufferPointer { screen_model_write(model, $0.baseAddress, count) }
        unread.removeFirst(count)
        takeAnswers(nil)
    }

    private func readAll() {
        unread.withUnsafeBufferPointer { screen_model_write(model, $0.baseAddress, $0.count) }
        unread = []
        takeAnswers(nil)
    }

    /// - Parameter columns: To how many the terminal's rows are cut.
    private func begin(_ output: inout [UInt8], columns: UInt16) {
        readAll()
        if isLost || isGivenUp { return }
        if screen_model_is_alternate(model) {
            phase = .showing
            shownFrom = program
            paint(everything: true, &output)
        } else if screen_model_has_live_rows(model) {
            phase = .frozen
            screen_model_freeze(model, Int32(columns))
        }
    }
}

// MARK: Holding back

extension HeldScreen {
    private var sequence: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: output_scanner_bytes(scanner), count: scanner.pointee.length)
    }

    private func hold(_ piece: UnsafeBufferPointer<UInt8>, _ output: inout [UInt8]) {
        let kind = scanner.pointee.kind
        if kind == OUTPUT_PART { return }
        let follows = canFollow(piece)
        if kind == OUTPUT_ALTERNATE_OFF || !follows, phase == .showing { end(&output) }
        if !follows {
            if phase == .frozen { thaw(&output) }
            lose()
            output.append(contentsOf: kind == OUTPUT_TEXT ? piece : sequence)
            return
        }
        if kind == OUTPUT_ALTERNATE_ON, phase == .frozen { thaw(&output) }
        let written = kind == OUTPUT_TEXT ? piece : sequence
        screen_model_write(model, written.baseAddress, written.count)
        takeAnswers(kind)
        switch kind {
        case OUTPUT_PASSES: output.append(contentsOf: sequence)
        case OUTPUT_RESETS:
            phase = .passing
            output.append(contentsOf: sequence)
        case OUTPUT_ALTERNATE_ON, OUTPUT_ALTERNATE_OFF:
            if phase == .passing { output.append(contentsOf: sequence) }
            if kind == OUTPUT_ALTERNATE_ON, phase == .passing { begin(&output, columns: program.columns) }
        case OUTPUT_ASKS_CURSOR where phase == .frozen: questions += 1
        default:
            let rest = UnsafeBufferPointer(start: output_scanner_rest(scanner), count: scanner.pointee.rest_length)
            output.append(contentsOf: rest)
        }
        if phase == .frozen, screen_model_kept(model) > Self.keptMax {
            thaw(&output)
            isGivenUp = true
        }
    }

    /// The model answers for the cursor, because the terminal's is elsewhere; the terminal answers the rest.
    private func takeAnswers(_ kind: output_kind?) {
        var count = 0
        let bytes = screen_model_take_answers(model, &count)
        if kind == OUTPUT_ASKS_CURSOR, phase == .showing {
            answers.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
        }
    }

    private func paint(everything: Bool, _ output: inout [UInt8]) {
        lastPaint = MonotonicClock.now
        screen_model_paint(model, Int32(window.rows), Int32(window.columns), everything)
        takeOutput(&output)
    }

    private func end(_ output: inout [UInt8]) {
        paint(everything: true, &output)
        screen_model_restore(model, scanner, program.hasCells(of: shownFrom))
        takeOutput(&output)
        phase = .passing
    }

    private func thaw(_ output: inout [UInt8]) {
        screen_model_thaw(model, Int32(window.rows), Int32(max(window.columns, 1)), wraps)
        takeOutput(&output)
        for _ in 0..<questions { output += Array("\u{1B}[6n".utf8) }
        questions = 0
        lastThaw = MonotonicClock.now
        phase = .passing
    }

    private func takeOutput(_ output: inout [UInt8]) {
        var count = 0
        let bytes = screen_model_take_output(model, &count)
        output.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
    }
}
