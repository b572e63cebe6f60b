internal import Settle

/// A line of `WAYLAND_DEBUG`, as far as the importer uses it.
///
/// Whatever stands before the stamp is passed over: what another program printed without a newline, the marks of a
/// quotation, or what journald and `ts` write in front of a line.
struct WaylandMessage {
    let stamp: WaylandStamp
    /// Distinguishes the connections of a process that is a client and a compositor, or serves several clients.
    let connection: UnsafeRawBufferPointer?
    let hasArrow: Bool
    let isDiscarded: Bool
    let interface: UnsafeRawBufferPointer
    let object: UInt64
    let name: UnsafeRawBufferPointer
    /// The arguments up to the line's end or the next message, with the closing parenthesis.
    private(set) var arguments: UnsafeRawBufferPointer
    /// The bytes from the next message on, which another thread has printed into the line; 0 for none.
    private(set) var bytesBehind = 0

    /// Reads a line's first message.
    ///
    /// - Parameter isCut: Set if what begins as a message does ends before its arguments, or where another begins.
    /// - Returns: `nil` when there is no protocol message.
    static func read(_ line: UnsafeRawBufferPointer, isCut: inout Bool) -> WaylandMessage? {
        var text = TextScanner(line)
        var isBegun = false
        while text.skip(to: 0x5B) {
            let start = text
            if let stamp = WaylandStamp(&text), var message = WaylandMessage(stamp, &text, &isCut, &isBegun) {
                message.cutAtNext()
                isCut = isBegun || message.bytesBehind > 0 && !message.arguments.contains(UInt8(ascii: ")"))
                return message
            }
            text = start
            _ = text.skip("[")
        }
        return nil
    }

    /// Ends the arguments where another message begins, but for the text of a string.
    private mutating func cutAtNext() {
        var text = TextScanner(arguments)
        var (isCut, isBegun, quotes, counted) = (false, false, 0, 0)
        while text.skip(to: 0x5B) {
            let start = text
            if let stamp = WaylandStamp(&text) {
                let end = arguments.count - start.rest.count
                quotes += arguments[counted..<end].count { $0 == UInt8(ascii: "\"") }
                counted = end
                if quotes % 2 == 0, WaylandMessage(stamp, &text, &isCut, &isBegun) != nil {
                    bytesBehind = arguments.count - end
                    arguments = UnsafeRawBufferPointer(rebasing: arguments[..<end])
                    return
                }
            }
            text = start
            _ = text.skip("[")
        }
    }

    private init?(
        _ stamp: WaylandStamp, _ text: inout TextScanner, _ isCut: inout Bool, _ hasBegun: inout Bool
    ) {
        self.stamp = stamp
        text.skipSpaces()
        // wayland-rs.
        if text.skip("[rs]") { text.skipSpaces() }
        if text.skip("{") {
            guard text.skip(past: 0x7D) else { return nil }
            text.skipSpaces()
        }
        var connection: UnsafeRawBufferPointer?
        if text.skip("<") {
            if text.skip("-") {
                connection = nil
            } else {
                connection = text.run { $0 != 0x3E }
                guard connection != nil, text.skip(">") else { return nil }
            }
            text.skipSpaces()
        }
        self.connection = connection
        isDiscarded = text.skip("discarded ")
        hasArrow = text.skip("->") || text.skip("→") || text.skip("-&gt;")
        text.skipSpaces()
        // What begins so can only be a message.
        var isBegun = hasArrow
        var isWhole = false
        defer { isCut = isCut || isBegun && !isWhole && text.isAtEnd }
        guard let interface = text.identifier() ?? (isDiscarded ? text.run { $0 != 0x40 && $0 != 0x23 } : nil),
            text.skip("@") || text.skip("#")
        else { return nil }
        isBegun = true
        defer { hasBegun = hasBegun || !isWhole }
        guard let object = text.unsigned(), text.skip(".") else { return nil }
        // An unknown event of an object that is gone has no name, but its number in brackets.
        guard let name = text.identifier() ?? (isDiscarded ? text.run { $0 != 0x28 } : nil) else { return nil }
        // wayland-rs writes a comma.
        _ = text.skip(",")
        text.skipSpaces()
        guard text.skip("(") else { return nil }
        isWhole = true
        self.interface = interface
        self.object = object
        self.name = name
        arguments = text.rest
    }
}

/// The arguments of a message, one after another.
struct WaylandArguments {
    private var text: TextScanner

    /// `nil` if they are not closed: the line is cut off, or another one was printed into it. What follows the last
    /// bracket, as a terminal's border in a paste, is none of them.
    init?(_ message: WaylandMessage) {
        guard let end = message.arguments.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        text = TextScanner(UnsafeRawBufferPointer(rebasing: message.arguments[..<end]))
    }

    var isAtEnd: Bool { text.isAtEnd }

    private mutating func separate() -> Bool { text.isAtEnd || text.skip(", ") }

    mutating func number() -> Int64? {
        guard let value = text.signed() else { return nil }
        // A fixed-point number, whose fraction no size has.
        if text.skip(".") { _ = text.run(\.isASCIIDigit) }
        return separate() ? value : nil
    }

    mutating func skipNumbers(_ count: Int) -> Bool {
        for _ in 0..<count where number() == nil { return false }
        return true
    }

    /// An object's number, of 32 bits: `new id xdg_toplevel@16`, `wl_surface#3`, or `nil` of that word.
    mutating func object() -> UInt64? {
        _ = text.skip("new id ")
        _ = text.skip("[unknown]")
        _ = text.identifier()
        guard text.skip("@") || text.skip("#"), let object = text.unsigned(), object <= UInt32.max, separate()
        else { return nil }
        return object
    }

    /// Skips a number, or a file's descriptor.
    mutating func skipNumberOrFile() -> Bool {
        _ = text.skip("fd ")
        return number() != nil
    }

    /// Skips an object that may be none.
    mutating func skipObject() -> Bool { text.skip("nil, ") || object() != nil }

    /// A width and a height.
    mutating func size() -> Size? {
        guard let width = number(), let height = number() else { return nil }
        return Size(width: Double(width), height: Double(height))
    }

    /// The last argument, a string. It may have quotes in it, which are printed as they are.
    mutating func lastString() -> UnsafeRawBufferPointer? {
        guard text.skip("\""), text.rest.ends(with: "\"") else { return nil }
        return UnsafeRawBufferPointer(rebasing: text.rest.dropLast())
    }

    /// The states of a window.
    enum States: Equatable {
        /// libwayland prints an array's length at most, so what is in it is unknown.
        case unknown(bytes: UInt64?)
        /// wayland-rs prints it in full.
        case resizing(Bool)
    }

    mutating func states() -> States? {
        if text.skip("array") {
            var bytes: UInt64?
            if text.skip("[") {
                bytes = text.unsigned()
                guard bytes != nil, text.skip("]") else { return nil }
            }
            return separate() ? .unknown(bytes: bytes) : nil
        }
        guard text.skip("[") else { return nil }
        var isResizing = false
        var state: UInt64 = 0
        var count = 0
        while let byte = text.unsigned() {
            guard byte < 256 else { return nil }
            state |= byte << (8 * UInt64(count % 4))
            count += 1
            if count % 4 == 0 {
                isResizing = isResizing || state == Self.stateResizing
                state = 0
            }
            if !text.skip(", ") { break }
        }
        guard count % 4 == 0, text.skip("]"), separate() else { return nil }
        return .resizing(isResizing)
    }

    /// `xdg_toplevel.state.resizing` of xdg-shell.
    private static let stateResizing: UInt64 = 3
}
