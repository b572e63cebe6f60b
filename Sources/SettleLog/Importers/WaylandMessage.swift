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
    /// The arguments up to the line's end, with the closing parenthesis.
    let arguments: UnsafeRawBufferPointer

    /// `nil` when the line is not a protocol message.
    init?(_ line: UnsafeRawBufferPointer) {
        var text = TextScanner(line)
        while text.skip(to: 0x5B) {
            let start = text
            if let stamp = WaylandStamp(&text), let message = WaylandMessage(stamp, &text) {
                self = message
                return
            }
            text = start
            _ = text.skip("[")
        }
        return nil
    }

    private init?(_ stamp: WaylandStamp, _ text: inout TextScanner) {
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
            if text.skip("- ") {
                connection = nil
            } else {
                connection = text.run { $0 != 0x3E }
                guard connection != nil, text.skip(">") else { return nil }
            }
            text.skipSpaces()
        }
        self.connection = connection
        isDiscarded = text.skip("discarded ")
        hasArrow = text.skip("-> ")
        _ = text.skip("<- ")
        guard let interface = text.identifier() ?? (isDiscarded ? text.run { $0 != 0x40 && $0 != 0x23 } : nil),
            text.skip("@") || text.skip("#"), let object = text.unsigned(), text.skip(".")
        else { return nil }
        // An unknown event of an object that is gone has no name, but its number in brackets.
        guard let name = text.identifier() ?? (isDiscarded ? text.run { $0 != 0x28 } : nil) else { return nil }
        // wayland-rs writes a comma.
        if text.skip(",") { text.skipSpaces() }
        guard text.skip("(") else { return nil }
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

    /// An object's number: `new id xdg_toplevel@16`, `wl_surface#3`, or `nil` of that word.
    mutating func object() -> UInt64? {
        _ = text.skip("new id ")
        _ = text.skip("[unknown]")
        _ = text.identifier()
        guard text.skip("@") || text.skip("#"), let object = text.unsigned(), separate() else { return nil }
        return object
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

/// The messages that matter.
enum WaylandKind {
    case configure, shellConfigure, layerConfigure, surfaceConfigure, button, enter
    case getWindow, getRole, setTitle, setAppID, destroy, setGeometry, resize
    case getViewport, setDestination, createBuffer, attach, setScale

    var isEvent: Bool {
        switch self {
        case .configure, .shellConfigure, .layerConfigure, .surfaceConfigure, .button, .enter: true
        default: false
        }
    }

    init?(_ message: WaylandMessage) {
        let names: [(StaticString, Self)]
        switch message.interface {
        case let text where text.isText("wl_surface"):
            names = Self.ofSurface
        case let text where text.isText("wl_pointer"):
            names = Self.ofPointer
        case let text where text.isText("xdg_toplevel") || text.isText("zxdg_toplevel_v6"):
            names = Self.ofWindow
        case let text where text.isText("xdg_surface") || text.isText("zxdg_surface_v6"):
            names = Self.ofRole
        case let text where text.isText("wp_viewport"):
            names = [("set_destination", .setDestination)]
        case let text where text.isText("wl_shm_pool"):
            names = [("create_buffer", .createBuffer)]
        case let text where text.isText("zwp_linux_buffer_params_v1"):
            names = [("create_immed", .createBuffer)]
        case let text where text.isText("zwlr_layer_surface_v1"):
            names = [("configure", .layerConfigure), ("destroy", .destroy)]
        case let text where text.isText("wl_shell_surface"):
            names = Self.ofShellSurface
        case let text where text.isText("wp_viewporter"):
            names = [("get_viewport", .getViewport)]
        case let text
        where text.isText("xdg_wm_base") || text.isText("zxdg_shell_v6") || text.isText("xdg_shell")
            || text.isText("wl_shell") || text.isText("zwlr_layer_shell_v1"):
            names = Self.ofShell
        default: return nil
        }
        guard let found = names.first(where: { message.name.isText($0.0) }) else { return nil }
        self = found.1
    }

    private static let ofSurface: [(StaticString, Self)] = [("attach", .attach), ("set_buffer_scale", .setScale)]
    private static let ofPointer: [(StaticString, Self)] = [("button", .button), ("enter", .enter)]
    private static let ofWindow: [(StaticString, Self)] = [
        ("configure", .configure), ("set_title", .setTitle), ("set_app_id", .setAppID), ("destroy", .destroy),
        ("resize", .resize),
    ]
    private static let ofShellSurface: [(StaticString, Self)] = [
        ("configure", .shellConfigure), ("set_title", .setTitle), ("set_class", .setAppID), ("resize", .resize),
    ]
    private static let ofRole: [(StaticString, Self)] = [
        ("configure", .surfaceConfigure), ("set_window_geometry", .setGeometry), ("get_toplevel", .getWindow),
        ("destroy", .destroy), ("set_title", .setTitle), ("set_app_id", .setAppID), ("resize", .resize),
    ]
    private static let ofShell: [(StaticString, Self)] = [
        ("get_xdg_surface", .getRole), ("get_shell_surface", .getRole), ("get_layer_surface", .getRole),
    ]
}
