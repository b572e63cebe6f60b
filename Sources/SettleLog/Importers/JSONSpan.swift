/// Finds the end of a JSON value by its nesting depth, without keeping or validating its
/// content. When more bytes arrive, it continues where it stopped.
struct JSONSpan {
    enum Stop {
        /// The value is complete.
        case end
        /// The array under the top-level key `events` begins; its `[` has been read.
        case events
        /// A newline in a string, which JSON does not allow: the line is cut off.
        case brokenString
    }

    private(set) var stop = Stop.end
    /// The number under the top-level key `type`; `nil` if it is not a short decimal number.
    private(set) var type: Int?

    private var depth: Int
    private var isInString = false
    private var isEscaped = false
    /// The beginning of the latest string at the top level, long enough to compare it with the
    /// keys of `Key`.
    private var latestString: [UInt8] = []
    private var key = Key.other
    private var isAfterColon = false

    private enum Key {
        case type, events, other
    }

    private static let stringLengthMax = 8

    /// - Parameter depth: The number of brackets that are open already; 0 before the value.
    init(depth: Int) {
        self.depth = depth
    }

    /// Returns the number of bytes up to the value's end, `nil` if it is not among `bytes`.
    ///
    /// - Parameter searched: The number of bytes that an earlier call has searched.
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

    /// Reads a byte of a string. True at the end of the value or at a broken string.
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
        if depth == 1, latestString.count <= Self.stringLengthMax { latestString.append(byte) }
        return false
    }

    /// Reads a byte outside strings. True at the end of the value or at `events`.
    private mutating func step(_ byte: UInt8, stopAtEvents: Bool) -> Bool {
        switch byte {
        case 0x22:
            isInString = true
            isAfterColon = false
            if depth == 1 { latestString.removeAll(keepingCapacity: true) }
        case 0x7B, 0x5B:
            if stopAtEvents, depth == 1, isAfterColon, key == .events, byte == 0x5B {
                stop = .events
                return true
            }
            isAfterColon = false
            depth += 1
        case 0x7D, 0x5D:
            depth -= 1
            return depth <= 0
        case 0x3A where depth == 1:
            key =
                latestString.elementsEqual("type".utf8)
                ? .type : latestString.elementsEqual("events".utf8) ? .events : .other
            isAfterColon = true
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

    /// Reads a digit of `type`. For any other value `type` is `nil`, and the decoder decides.
    private mutating func addDigit(_ byte: UInt8) {
        defer { isAfterColon = false }
        guard key == .type else { return }
        guard byte.isASCIIDigit, isAfterColon || type != nil, (type ?? 0) < 1000 else {
            key = .other
            type = nil
            return
        }
        type = (type ?? 0) * 10 + Int(byte & 0x0F)
    }
}
