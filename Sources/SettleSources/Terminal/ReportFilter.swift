internal import Settle

/// Takes a terminal's reports of its size out of the keys. Everything else passes as it is, except
/// that the beginning of what may be a report waits for its next byte; see `held`.
struct ReportFilter: Sendable {
    /// The bytes of what may be a report, which have not passed. A key, such as Escape alone, looks
    /// like this too, so whoever owns the filter lets them pass soon.
    private(set) var held: [UInt8] = []
    private var keys = KeySequence()

    private static let opening = Array("\u{1B}[48;".utf8)
    /// The longest report, and more.
    private static let lengthMax = 64

    /// Whether a report of ours would not tear a key, or a paste, in two.
    var isBetweenKeys: Bool { held.isEmpty && keys.isBetween }

    /// Whether a paste has begun and not ended. Nothing is taken out of it.
    var isPasting: Bool { keys.isPasting }

    /// Reads the next bytes, which may begin and end anywhere.
    ///
    /// - Parameters:
    ///   - bytes: What the terminal sent.
    ///   - passed: What passes is appended to it.
    ///   - report: Called with each size that the terminal reports.
    mutating func read(_ bytes: some Sequence<UInt8>, into passed: inout [UInt8], report: (WindowSize) -> Void) {
        for byte in bytes {
            if held.isEmpty, byte != 0x1B || keys.isPasting {
                forward(byte, &passed)
            } else if !isReport(byte) {
                release(into: &passed)
                if byte == 0x1B, !keys.isPasting { held = [byte] } else { forward(byte, &passed) }
            } else {
                held.append(byte)
                if byte != UInt8(ascii: "t") { continue }
                if let size = WindowSize(parameters: held[Self.opening.count...].dropLast()) {
                    held = []
                    report(size)
                } else {
                    release(into: &passed)
                }
            }
        }
    }

    /// Whether the byte continues a report after those that are held.
    private func isReport(_ byte: UInt8) -> Bool {
        if held.count < Self.opening.count { return byte == Self.opening[held.count] }
        if held.count == Self.lengthMax { return false }
        // Digits, colons, semicolons, and the end.
        return (0x30...0x3B).contains(byte) || byte == UInt8(ascii: "t")
    }

    /// Lets what is held pass: it was no report.
    mutating func release(into passed: inout [UInt8]) {
        let bytes = held
        held = []
        for byte in bytes { forward(byte, &passed) }
    }

    /// Forgets an unfinished key: nothing has followed it for long.
    mutating func endKey() { keys = KeySequence() }

    private mutating func forward(_ byte: UInt8, _ passed: inout [UInt8]) {
        keys.read(byte)
        passed.append(byte)
    }
}

/// Where keys begin and end in what a terminal sends: characters of several bytes, control
/// sequences, strings, pastes.
private struct KeySequence: Sendable {
    private enum Phase {
        case between
        case escape
        case control
        /// In a string of the terminal, which BEL or `ESC \` ends.
        case string
        /// Before so many bytes that belong to the key, whatever they are.
        case rest(Int)
    }

    private var phase = Phase.between
    private var parameters: [UInt8] = []
    private(set) var isPasting = false

    /// The key at which a paste begins, and that at which it ends, without `ESC [`.
    private static let (pasteBegins, pasteEnds) = (Array("200~".utf8), Array("201~".utf8))

    var isBetween: Bool {
        if case .between = phase { !isPasting } else { false }
    }

    mutating func read(_ byte: UInt8) {
        switch phase {
        case .string where byte != 0x1B: if byte == 0x07 { phase = .between }
        case .rest(let count): phase = count == 1 ? .between : .rest(count - 1)
        case .control where byte != 0x1B: readControl(byte)
        case .escape where byte != 0x1B: readEscape(byte)
        default: readFirst(byte)
        }
    }

    private mutating func readFirst(_ byte: UInt8) {
        switch byte {
        case 0x1B: phase = .escape
        // UTF-8 says in its first byte how many follow.
        case 0xC2...0xDF: phase = .rest(1)
        case 0xE0...0xEF: phase = .rest(2)
        case 0xF0...0xF4: phase = .rest(3)
        default: phase = .between
        }
    }

    private mutating func readEscape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "["):
            phase = .control
            parameters = []
        case UInt8(ascii: "O"): phase = .rest(1)
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"), UInt8(ascii: "X"):
            phase = .string
        // A key with Alt.
        default: readFirst(byte)
        }
    }

    private mutating func readControl(_ byte: UInt8) {
        if parameters.count < 8 { parameters.append(byte) }
        guard (0x40...0x7E).contains(byte) else { return }
        phase = .between
        if parameters == Self.pasteBegins { isPasting = true }
        if parameters == Self.pasteEnds { isPasting = false }
        // The oldest reports of the mouse: a button and a place follow.
        if parameters == [UInt8(ascii: "M")] { phase = .rest(3) }
    }
}
