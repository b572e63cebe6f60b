internal import Settle

/// Extends the time stamps, which are `CLOCK_REALTIME` in microseconds modulo 2^32
/// (`wl_closure_print`), to 64 bits.
struct WaylandClock {
    private static let range: UInt64 = 1 << 32
    /// Several threads may print their lines slightly out of order, also when the stamps wrap
    /// around. In microseconds.
    private static let disorderMax: UInt32 = 1_000_000
    /// More than a century, and far from an overflow.
    private static let baseMax: UInt64 = 1 << 52
    private var base: UInt64 = 0
    private var last: UInt32 = 0

    mutating func time(of stamp: UInt32) -> Timestamp {
        if stamp < last, last - stamp > UInt32.max / 2 {
            base = min(base + Self.range, Self.baseMax)
        } else if stamp > last, last &- stamp < Self.disorderMax, base > 0 {
            base -= Self.range
        }
        last = stamp
        return Timestamp(nanoseconds: (base + UInt64(stamp)) * 1000)
    }
}

/// The parts of a line that the importer uses.
struct WaylandMessage {
    enum Content {
        /// The size is `nil` when the arguments cannot be read.
        case configure(object: UInt64, Size?)
        /// The new object is `nil` when the arguments cannot be read.
        case getToplevel(object: UInt64?)
        case destroy(object: UInt64)
        case button
        case other
    }

    let stampMicroseconds: UInt32
    let content: Content

    /// `nil` when the line is not a protocol message.
    init?(_ line: UnsafeRawBufferPointer) {
        var text = TextScanner(line)
        guard let stamp = Self.stamp(&text) else { return nil }
        stampMicroseconds = stamp
        if text.skip("{"), !text.skip(past: 0x7D) { return nil }
        text.skipSpaces()
        if text.skip("discarded") {
            content = .other
            return
        }
        let isSent = text.skip("-> ")
        guard let interface = text.identifier(), let object = Self.object(&text) else { return nil }
        guard text.skip("."), let name = text.identifier(), text.skip("(") else { return nil }
        content = Self.content(interface, object, name, isSent: isSent, &text)
    }

    private static func stamp(_ text: inout TextScanner) -> UInt32? {
        guard text.skip("[") else { return nil }
        text.skipSpaces()
        guard let milliseconds = text.unsigned(), text.skip("."), let digits = text.run(\.isASCIIDigit),
            digits.count == 3, text.skip("] "), milliseconds <= UInt64(UInt32.max)
        else { return nil }
        let microseconds = digits.reduce(0) { $0 * 10 + UInt64($1 & 0x0F) }
        return UInt32(exactly: milliseconds * 1000 + microseconds)
    }

    private static func object(_ text: inout TextScanner) -> UInt64? {
        text.skip("@") || text.skip("#") ? text.unsigned() : nil
    }

    private static func content(
        _ interface: UnsafeRawBufferPointer, _ object: UInt64, _ name: UnsafeRawBufferPointer, isSent: Bool,
        _ arguments: inout TextScanner
    ) -> Content {
        if interface.isText("xdg_toplevel") {
            if !isSent, name.isText("configure") { return .configure(object: object, size(&arguments)) }
            if isSent, name.isText("destroy") { return .destroy(object: object) }
        }
        if isSent, interface.isText("xdg_surface"), name.isText("get_toplevel") {
            return .getToplevel(object: arguments.skip("new id xdg_toplevel") ? Self.object(&arguments) : nil)
        }
        if !isSent, interface.isText("wl_pointer"), name.isText("button") { return .button }
        return .other
    }

    private static func size(_ arguments: inout TextScanner) -> Size? {
        guard let width = arguments.signed(), arguments.skip(", "), let height = arguments.signed(),
            arguments.skip(", array["), arguments.unsigned() != nil, arguments.skip("])")
        else { return nil }
        return Size(width: Double(width), height: Double(height))
    }
}
