internal import Settle

/// Follows a program's output, to know whether the program has switched on mode 2048, in which a
/// terminal reports its sizes among the keys. Changes nothing of it.
///
/// See "Mode 2048: in-band window resize notifications" by rockorager, and ECMA-48 for the
/// structure of control sequences.
struct ResizeMode: Sendable {
    /// Whether the program wants reports.
    private(set) var isOn = false
    /// How often the program has switched the mode on, each of which a terminal answers.
    private(set) var requests = 0

    private enum Phase {
        case text
        case escape
        /// In `ESC [ ?`, or where that may follow.
        case control
        /// In a control sequence that is not about modes of this kind.
        case otherControl
        /// After `ESC [ !`.
        case softReset
    }

    private var phase = Phase.text
    /// Of the control sequence so far.
    private var hasQuestionMark = false
    private var number = 0
    private var isAboutMode = false

    private static let mode = 2048

    /// Reads the next bytes of the output, which may begin and end anywhere.
    mutating func read(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { read(byte) }
    }

    private mutating func read(_ byte: UInt8) {
        switch (phase, byte) {
        case (_, 0x1B): phase = .escape
        // CAN and SUB end a sequence; other control characters within one do not.
        case (_, 0x18), (_, 0x1A): phase = .text
        case (.text, _), (_, ..<0x20): break
        case (.escape, UInt8(ascii: "[")):
            phase = .control
            hasQuestionMark = false
            number = 0
            isAboutMode = false
        case (.escape, UInt8(ascii: "c")):
            phase = .text
            isOn = false
        case (.escape, _): phase = .text
        case (.control, _): readControl(byte)
        case (.softReset, UInt8(ascii: "p")):
            phase = .text
            isOn = false
        case (.softReset, _), (.otherControl, _): phase = byte < 0x40 ? .otherControl : .text
        }
    }

    private mutating func readControl(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "?") where !hasQuestionMark: hasQuestionMark = true
        case UInt8(ascii: "!") where !hasQuestionMark: phase = .softReset
        case UInt8(ascii: "0")...UInt8(ascii: "9"): number = min(number * 10 + Int(byte - UInt8(ascii: "0")), 1 << 20)
        case UInt8(ascii: ";"): endNumber()
        case UInt8(ascii: "h"), UInt8(ascii: "l"):
            endNumber()
            phase = .text
            if hasQuestionMark, isAboutMode { set(byte == UInt8(ascii: "h")) }
        default: phase = byte < 0x40 ? .otherControl : .text
        }
    }

    private mutating func endNumber() {
        if number == Self.mode { isAboutMode = true }
        number = 0
    }

    private mutating func set(_ isOn: Bool) {
        self.isOn = isOn
        if isOn { requests += 1 }
    }
}
