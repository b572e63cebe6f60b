/// The objects that the decoder follows. All others are skipped, whatever they are.
enum WaylandObject {
    case display, registry, seat, pointer, shell, xdgSurface, toplevel

    /// The id of wl_display in every connection.
    static let displayID: UInt32 = 1
    /// Ids from here on are given by the compositor, to objects that are not followed.
    static let compositorIDs: UInt32 = 0xFF00_0000
    /// Objects of one connection that are followed at the same time. A client that has more is
    /// broken or hostile.
    static let countMax = 1 << 14

    /// A global's object, by the name of its interface in wl_registry.bind.
    init?(interface: UnsafeRawBufferPointer) {
        if interface.elementsEqual("wl_seat".utf8) {
            self = .seat
        } else if interface.elementsEqual("xdg_wm_base".utf8) {
            self = .shell
        } else {
            return nil
        }
    }
}

/// The messages that the decoder reads. The numbers are the places of the messages in the
/// protocol's files wayland.xml and xdg-shell.xml, which never change.
enum WaylandMessage {
    case getRegistry, bind, getPointer, releasePointer
    case getXDGSurface, getToplevel, destroyToplevel, setTitle, setAppID, move, resize
    case deleteID, pointerLeave, pointerButton, configure

    /// A client's request; `nil` for one that is skipped.
    init?(request opcode: UInt16, of object: WaylandObject) {
        switch (object, opcode) {
        case (.display, 1): self = .getRegistry
        case (.registry, 0): self = .bind
        case (.seat, 0): self = .getPointer
        case (.pointer, 1): self = .releasePointer
        case (.shell, 2): self = .getXDGSurface
        case (.xdgSurface, 1): self = .getToplevel
        case (.toplevel, 0): self = .destroyToplevel
        case (.toplevel, 2): self = .setTitle
        case (.toplevel, 3): self = .setAppID
        case (.toplevel, 5): self = .move
        case (.toplevel, 6): self = .resize
        default: return nil
        }
    }

    /// A compositor's event; `nil` for one that is skipped.
    init?(event opcode: UInt16, of object: WaylandObject) {
        switch (object, opcode) {
        case (.display, 1): self = .deleteID
        case (.pointer, 2): self = .pointerLeave
        case (.pointer, 3): self = .pointerButton
        case (.toplevel, 0): self = .configure
        default: return nil
        }
    }

    /// The value of `resizing` among the states of xdg_toplevel.configure.
    static let stateResizing: UInt32 = 3
}

/// A message's first eight bytes, in the byte order of the machine.
struct WaylandHeader {
    static let length = 8
    let object: UInt32
    let opcode: UInt16
    /// Of the whole message in bytes: at least 8 and a multiple of 4, or the message is malformed.
    let length: Int

    /// - Parameter bytes: At least eight.
    init(_ bytes: UnsafeRawBufferPointer) {
        object = bytes.loadUnaligned(as: UInt32.self)
        let word = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        opcode = UInt16(truncatingIfNeeded: word)
        length = Int(word >> 16)
    }

    var isMalformed: Bool { length < Self.length || length % 4 != 0 }
}

/// What is wrong with a message, for people.
struct WaylandFault: Error {
    let problem: String
    /// Whether the message is in order, and only too much to be followed.
    var isLimit = false
}

/// The arguments of a message, read in their order.
struct WaylandArguments {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    /// - Parameter bytes: What follows the header.
    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func unsigned() throws(WaylandFault) -> UInt32 {
        guard offset + 4 <= bytes.count else { throw WaylandFault(problem: "it is too short for its arguments") }
        defer { offset += 4 }
        return bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
    }

    mutating func signed() throws(WaylandFault) -> Int32 { Int32(bitPattern: try unsigned()) }

    /// The id of an object that the client makes.
    mutating func newID() throws(WaylandFault) -> UInt32 {
        let id = try unsigned()
        guard id > WaylandObject.displayID, id < WaylandObject.compositorIDs else {
            throw WaylandFault(problem: "a client cannot make an object \(id)")
        }
        return id
    }

    /// A string's bytes without the zero at its end.
    mutating func string() throws(WaylandFault) -> UnsafeRawBufferPointer {
        let text = try array()
        guard text.last == 0 else { throw WaylandFault(problem: "a string has no end") }
        return UnsafeRawBufferPointer(rebasing: text.dropLast())
    }

    /// An array's bytes.
    mutating func array() throws(WaylandFault) -> UnsafeRawBufferPointer {
        let count = Int(try unsigned())
        let padded = (count + 3) & ~3
        guard padded <= bytes.count - offset else {
            throw WaylandFault(problem: "an argument of \(count) bytes reaches beyond its end")
        }
        defer { offset += padded }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }
}
