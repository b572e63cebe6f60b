internal import CTerminal
internal import Settle
internal import SettlePlatform

/// While bytes pass: the model follows them, as long as it can.
extension HeldScreen {
    func resizeModel() {
        hasLostMain = hasLostMain || scanner.pointee.modes.is_alternate
        guard let model else { return }
        if !fits { return lose(.size(program)) }
        if loss != nil { screen_model_clear(model) }
        screen_model_resize(model, &scanner.pointee.modes, Int32(program.rows), Int32(program.columns))
    }

    /// Why the model cannot follow with this piece; `nil` if it can. It knows no main screen below an alternate one that
    /// has changed its size.
    func obstacle() -> ScreenLoss? {
        let (kind, modes) = (scanner.pointee.kind, scanner.pointee.modes)
        if kind == OUTPUT_RESETS || !modes.is_alternate && kind == OUTPUT_CLEARS { hasLostMain = false }
        if modes.has_insert { return .insertion }
        return !modes.is_alternate && (hasLostMain || holding == .fullScreen) ? .mainScreen : nil
    }

    func note(_ piece: UnsafeBufferPointer<UInt8>) {
        if let obstacle = obstacle() {
            lose(obstacle)
        } else if loss != nil {
            guard [OUTPUT_CLEARS, OUTPUT_ALTERNATE_ON, OUTPUT_RESETS].contains(scanner.pointee.kind) else { return }
            if let fault = fault() { return lose(fault) }
            loss = nil
            if scanner.pointee.modes.is_alternate { unread += Array("\u{1B}[?1049h".utf8) }
            unread.append(contentsOf: sequence)
        } else if unread.count + piece.count <= Self.unreadMax {
            unread.append(contentsOf: piece)
        } else {
            lose(.flood)
        }
    }

    /// Whether the program clears the main screen because it was given a size: a terminal that moves what is
    /// cleared into the scrollback, as tmux does, would keep rows there that the program draws again.
    func isRedundant(_ piece: UnsafeBufferPointer<UInt8>) -> Bool {
        scanner.pointee.kind == OUTPUT_CLEARS && piece.count == scanner.pointee.length
            && !scanner.pointee.modes.is_alternate
            && lastRead < lastThaw + Self.redrawTime
    }

    func eraseLiveRows(_ output: inout [UInt8]) {
        readAll()
        guard loss == nil, let model, screen_model_has_live_rows(model) else { return }
        screen_model_erase_live_rows(model)
        takeOutput(&output)
    }

    func readSome(_ count: Int = unreadPiece) {
        let count = min(unread.count, count)
        guard let model, count > 0 else { return }
        unread.withUnsafeBufferPointer { screen_model_write(model, $0.baseAddress, count) }
        unread.removeFirst(count)
        takeAnswers(nil)
    }

    func readAll() { readSome(unread.count) }

    /// - Parameter columns: To how many the terminal's rows are cut.
    func begin(_ output: inout [UInt8], columns: UInt16) {
        noteLoss()
        guard loss == nil, !isGivenUp, let model else { return }
        readAll()
        if screen_model_is_alternate(model) {
            (phase, isPainted) = (.showing, true)
            shownFrom = program
            paint(everything: true, &output)
        } else if holding == .everything, screen_model_has_live_rows(model) {
            phase = .frozen
            screen_model_freeze(model, Int32(columns))
        }
    }
}
