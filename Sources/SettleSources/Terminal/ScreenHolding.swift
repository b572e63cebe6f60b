internal import CTerminal

/// Of which programs the terminal shows a model of their screen, cut to the window, while they have another size than
/// the window.
public enum ScreenHolding: Sendable {
    /// Of none: what a program draws passes as it is.
    case nothing
    /// Of full-screen programs, on the alternate screen.
    case fullScreen
    /// Of these; and of programs that draw their last rows on the main screen again and again nothing is shown meanwhile.
    case everything
}

/// Why a model of a screen does not know what a program has drawn.
enum ScreenLoss: Hashable, Sendable {
    /// It follows on the alternate screen alone, or what was on the main screen is not known.
    case mainScreen
    case size(WindowSize)
    case insertion
    case flood
    case noLibrary
    case noProcess
    case crashed

    /// Whether no model is possible any more.
    var isForGood: Bool { [.noLibrary, .noProcess, .crashed].contains(self) }

    /// For people; `nil` for what is as it should be.
    var text: String? {
        switch self {
        case .mainScreen: nil
        case .size(let size):
            "a screen of \(size.columns) columns and \(size.rows) rows is not modelled, only from"
                + " \(SCREEN_MODEL_COLUMNS_MIN) columns and \(SCREEN_MODEL_ROWS_MIN) rows on, up to"
                + " \(SCREEN_MODEL_CELLS_MAX) cells"
        case .insertion: "the program inserts characters (mode 4)"
        case .flood: "the program wrote more than the model of its screen could follow"
        case .noLibrary: "libvterm is missing; install Debian's libvterm0"
        case .noProcess: "the system has no process for the model of the screen"
        case .crashed: "libvterm, the model of the screen, has crashed"
        }
    }
}

/// Why a screen is not held although its size is, for people: each reason once.
struct ScreenNotes: Sendable {
    /// Of sizes only the first.
    private var said: Set<ScreenLoss> = []
    private var new: [String] = []

    mutating func add(_ loss: ScreenLoss) {
        var reason = loss
        if case .size = loss { reason = .size(WindowSize()) }
        guard let text = loss.text, said.insert(reason).inserted else { return }
        new.append("a size that is held back is not hidden: \(text)")
    }

    /// Those since this was called last.
    mutating func take() -> [String] {
        defer { new = [] }
        return new
    }
}

extension output_modes {
    /// Sets a terminal's modes to these, with the default pen.
    var restored: [UInt8] {
        func mode(_ number: String, _ isOn: Bool) -> String { "\u{1B}[\(number)\(isOn ? "h" : "l")" }
        func set(_ letter: UInt8) -> String { String(UnicodeScalar(letter)) }
        let text =
            mode("?2026", false) + mode("?5", false) + mode("?7", !has_no_wrap) + mode("?6", has_origin)
            + mode("4", has_insert) + "\u{1B}(\(set(charsets.0))\u{1B})\(set(charsets.1))"
            + (is_shifted ? "\u{E}" : "\u{F}") + "\u{1B}[0m" + mode("?25", !hides_cursor)
        return Array(text.utf8)
    }
}
