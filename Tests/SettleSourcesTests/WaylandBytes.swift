/// Writes messages of the Wayland protocol, for tests.
struct WaylandBytes {
    private(set) var bytes: [UInt8] = []
    /// Where each message begins.
    private(set) var starts: [Int] = []

    enum Argument {
        case word(UInt32)
        case string(String)
        case array([UInt32])
    }

    mutating func add(_ object: UInt32, _ opcode: UInt16, _ arguments: Argument...) {
        var body: [UInt8] = []
        for argument in arguments {
            switch argument {
            case .word(let word): body += Self.word(word)
            case .string(let text):
                body += Self.word(UInt32(text.utf8.count) + 1) + text.utf8 + [0]
                while body.count % 4 != 0 { body.append(0) }
            case .array(let words): body += Self.word(UInt32(words.count * 4)) + words.flatMap(Self.word)
            }
        }
        raw(object, opcode, length: 8 + body.count, body)
    }

    /// A message whose header states any length.
    mutating func raw(_ object: UInt32, _ opcode: UInt16, length: Int, _ body: [UInt8] = []) {
        starts.append(bytes.count)
        bytes += Self.word(object) + Self.word(UInt32(length) << 16 | UInt32(opcode)) + body
    }

    private static func word(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }
}

extension WaylandBytes {
    /// What a client with a window (object 8) and a pointer (object 6) sends first. The window's
    /// app id is `editor`.
    static var client: WaylandBytes {
        var bytes = WaylandBytes()
        bytes.add(1, 1, .word(2))
        bytes.add(2, 0, .word(1), .string("wl_compositor"), .word(4), .word(3))
        bytes.add(2, 0, .word(2), .string("xdg_wm_base"), .word(3), .word(4))
        bytes.add(2, 0, .word(3), .string("wl_seat"), .word(5), .word(5))
        bytes.add(5, 0, .word(6))
        bytes.add(3, 0, .word(9))
        bytes.add(4, 2, .word(7), .word(9))
        bytes.add(7, 1, .word(8))
        bytes.add(8, 3, .string("editor"))
        bytes.add(8, 2, .string("a.txt"))
        return bytes
    }

    mutating func configure(window: UInt32 = 8, _ width: Int32, _ height: Int32, _ states: [UInt32] = []) {
        add(window, 0, .word(UInt32(bitPattern: width)), .word(UInt32(bitPattern: height)), .array(states))
    }

    mutating func button(pointer: UInt32 = 6, _ button: UInt32 = 272, isPressed: Bool) {
        add(pointer, 3, .word(1), .word(2), .word(button), .word(isPressed ? 1 : 0))
    }
}
