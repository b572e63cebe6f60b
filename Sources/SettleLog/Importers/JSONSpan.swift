/// Finds where a JSON value ends, by nesting depth alone, without keeping or checking
/// what is in it. It goes on where it stopped when more bytes arrive.
struct JSONSpan {
    enum Stop {
        /// The value is complete.
        case end
        /// Behind the bracket that opens the array under the top-level key `events`.
        case events
        /// A newline in a string, which JSON does not allow: a line was cut.
        case brokenString
    }

    private(set) var stop = Stop.end
    /// The number under the top-level key `type`, `nil` when it is no plain number.
    private(set) var type: Int?

    private var depth: Int
    private var isInString = false
    private var isEscaped = false
    /// The latest string at the top level, if it is as short as the keys looked for.
    private var word: [UInt8] = []
    private var key = Key.other
    private var isBehindColon = false

    private enum Key {
        case type, events, other
    }

    private static let wordLengthMax = 8

    /// A span that is entered at this depth; 0 before the value.
    init(depth: Int) {
        self.depth = depth
    }

    /// The number of bytes up to the value's end, `nil` when it is not among the
    /// bytes. `searched` bytes were seen by an earlier call.
    mutating func find(in bytes: UnsafeRawBufferPointer, from searched: Int, stopAtEvents: Bool) -> Int? {
        var index = searched
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if isInString {
                if stepInString(byte, stopAtNewline: stopAtEvents) { return index }
            } else if step(byte, stopAtEvents: stopAtEvents) {
                return index
            }
        }
        return nil
    }

    /// Says whether the value is at its end.
    private mutating func stepInString(_ byte: UInt8, stopAtNewline: Bool) -> Bool {
        if byte == 0x0A, stopAtNewline {
            stop = .brokenString
            return true
        }
        if isEscaped {
            isEscaped = false
            return false
        }
        if byte == 0x5C { isEscaped = true }
        if byte == 0x22 {
            isInString = false
            return depth == 0
        }
        if depth == 1, word.count <= Self.wordLengthMax { word.append(byte) }
        return false
    }

    private mutating func step(_ byte: UInt8, stopAtEvents: Bool) -> Bool {
        switch byte {
        case 0x22:
            isInString = true
            isBehindColon = false
            if depth == 1 { word.removeAll(keepingCapacity: true) }
        case 0x7B, 0x5B:
            if stopAtEvents, depth == 1, isBehindColon, key == .events, byte == 0x5B {
                stop = .events
                return true
            }
            isBehindColon = false
            depth += 1
        case 0x7D, 0x5D:
            depth -= 1
            return depth <= 0
        case 0x3A where depth == 1:
            key = word.elementsEqual("type".utf8) ? .type : word.elementsEqual("events".utf8) ? .events : .other
            isBehindColon = true
            if key == .type { type = nil }
        case 0x20, 0x0A, 0x0D, 0x09:
            break
        case 0x2C where depth == 1:
            key = .other
        default:
            if depth == 1 { addDigit(byte) }
        }
        return false
    }

    /// Only a plain number of few digits counts; in doubt the decoder decides.
    private mutating func addDigit(_ byte: UInt8) {
        defer { isBehindColon = false }
        guard key == .type else { return }
        guard byte.isASCIIDigit, isBehindColon || type != nil, (type ?? 0) < 1000 else {
            key = .other
            type = nil
            return
        }
        type = (type ?? 0) * 10 + Int(byte & 0x0F)
    }
}
