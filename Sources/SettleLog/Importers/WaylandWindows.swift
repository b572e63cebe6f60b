internal import Settle

/// The windows of a `WAYLAND_DEBUG` log, and what the messages say of their sizes.
///
/// A compositor's configure asks for a size; the client's own choice decides. So a window's size is, in this order:
/// its window geometry; what the compositor asked for, if it asked for a size; the destination of its viewport; its
/// buffer's size.
struct WaylandWindows {
    /// What a message says, of those that matter.
    enum Report {
        case connect(String)
        case geometry(String, Size?, isResizing: Bool?)
        case disconnect(String)
    }

    private struct Window {
        let interface: String
        let object: UInt64
        var name: String?
        var appID = ""
        var title = ""
        /// Whether the log shows its beginning.
        var isNew = false
        var surface: UInt64?
        var configured: Size?
        var geometry: Size?
        /// What was reported last.
        var shown: Size?
        var isSized = false
        var drag = Drag.none
        /// The bytes of the states that were configured last.
        var stateBytes: UInt64?
    }

    /// A resize by the pointer that the client asked the compositor for.
    private enum Drag: Equatable {
        case none
        case asked
        /// With the most bytes of its configures' states, of which `resizing` is four.
        case on(stateBytes: UInt64?)
    }

    /// A surface without a role has a size of its own, too: the window may come later.
    private struct Surface {
        var window: UInt64?
        var destination: Size?
        var buffer: Size?
        var scale = 1.0
    }

    /// The most objects of a kind that are followed.
    private static let objectsMax = 1 << 16
    /// The longest part of a title that names a scene, in Unicode scalars.
    private static let nameLength = 256

    private var connections: [(name: [UInt8], isServer: Bool)] = []
    private static let connectionsMax = 256
    private var windows: [UInt64: Window] = [:]
    /// By xdg_surface, its window.
    private var roles: [UInt64: UInt64] = [:]
    /// By xdg_surface, its wl_surface.
    private var bases: [UInt64: UInt64] = [:]
    private var surfaces: [UInt64: Surface] = [:]
    /// By wp_viewport, its wl_surface.
    private var viewports: [UInt64: UInt64] = [:]
    private var buffers: [UInt64: Size] = [:]
    /// By connection, the window that was configured last: where the log begins late, an unknown xdg_surface is its.
    private var lastConfigured: [UInt64: UInt64] = [:]
    private var nameOwners: [String: UInt64] = [:]
    /// By connection, the window that its client asked to resize.
    private var dragged: [UInt64: UInt64] = [:]

    private(set) var configureCount = 0
    private(set) var hasStates = false
    private(set) var dragCount = 0
    private(set) var buttonCount = 0
    private(set) var reusedCount = 0
    private var unsizedGone = 0

    /// Windows that never had a size.
    var unsizedCount: Int { unsizedGone + windows.values.count { !$0.isSized && $0.configured != nil } }

    /// Reads one message.
    ///
    /// - Parameter report: Called for what it says, at most twice.
    /// - Returns: False if its arguments cannot be read.
    mutating func read(_ message: WaylandMessage, _ report: (Report) -> Void) -> Bool {
        guard !message.isDiscarded, let kind = WaylandKind(message) else { return true }
        if kind == .button {
            buttonCount += 1
            return true
        }
        guard var arguments = WaylandArguments(message), message.object <= UInt64(UInt32.max) else { return false }
        let connection = connection(message, isServer: message.hasArrow == kind.isEvent)
        let object = connection << 32 | message.object
        switch kind {
        case .configure, .shellConfigure, .layerConfigure:
            if kind != .configure, arguments.number() == nil { return false }
            guard let width = arguments.number(), let height = arguments.number() else { return false }
            let states = kind == .configure ? arguments.states() : .unknown(bytes: nil)
            guard let states else { return false }
            let size = Size(width: Double(width), height: Double(height))
            configure(object, message, connection, size, states, report)
        case .surfaceConfigure:
            // Only in version 5 of xdg-shell does it have a size.
            guard let first = arguments.number() else { return false }
            if arguments.isAtEnd { return true }
            guard let second = arguments.number(), let states = arguments.states() else { return false }
            let size = Size(width: Double(first), height: Double(second))
            configure(object, message, connection, size, states, report)
        case .getWindow:
            guard let id = arguments.object() else { return false }
            let key = connection << 32 | id
            let isOld = message.interface.isText("zxdg_surface_v6")
            begin(key, interface: isOld ? "zxdg_toplevel_v6" : "xdg_toplevel", report)
            roles[object] = key
            if let base = bases[object] { bind(base, to: key) }
        case .getRole:
            guard let id = arguments.object() else { return false }
            let key = connection << 32 | id
            guard let surface = arguments.object().map({ connection << 32 | $0 }) else { return false }
            if message.interface.isText("xdg_wm_base") || message.interface.isText("zxdg_shell_v6") {
                if bases.count < Self.objectsMax { bases[key] = surface }
                return true
            }
            let isLayer = message.interface.isText("zwlr_layer_shell_v1")
            let isShell = message.interface.isText("wl_shell")
            begin(
                key, interface: isLayer ? "zwlr_layer_surface_v1" : isShell ? "wl_shell_surface" : "xdg_surface", report
            )
            if !isLayer, !isShell { roles[key] = key }
            bind(surface, to: key)
            if isLayer {
                guard arguments.skipObject(), arguments.number() != nil, let text = arguments.lastString() else {
                    return false
                }
                windows[key]?.appID = Self.text(text)
            }
        case .setTitle, .setAppID:
            guard let text = arguments.lastString() else { return false }
            if kind == .setTitle { windows[object]?.title = Self.text(text) }
            if kind == .setAppID { windows[object]?.appID = Self.text(text) }
        case .destroy:
            end(object, report)
        case .setGeometry:
            guard arguments.skipNumbers(2), let size = arguments.size() else { return false }
            guard let key = roles[object] ?? adopt(object, connection) else { return true }
            windows[key]?.geometry = size
            showOwn(key, report)
        case .getViewport:
            guard let id = arguments.object(), let surface = arguments.object() else { return false }
            if viewports.count < Self.objectsMax { viewports[connection << 32 | id] = connection << 32 | surface }
        case .setDestination:
            guard let size = arguments.size() else { return false }
            guard let surface = viewports[object] else { return true }
            change(surface, report) { $0.destination = size.width > 0 ? size : nil }
        case .createBuffer:
            // A pool's buffer has an offset before its size.
            guard let id = arguments.object(), message.name.isText("create_immed") || arguments.skipNumbers(1),
                let size = arguments.size()
            else { return false }
            if buffers.count < Self.objectsMax { buffers[connection << 32 | id] = size }
        case .attach:
            guard let buffer = arguments.object().flatMap({ buffers[connection << 32 | $0] }) else { return true }
            change(object, report) { $0.buffer = buffer }
        case .setScale:
            guard let scale = arguments.number(), scale > 0 else { return false }
            change(object, report) { $0.scale = Double(scale) }
        case .resize:
            if let old = dragged[connection] { endDrag(old, report) }
            windows[object]?.drag = .asked
            if windows[object] != nil { dragged[connection] = object }
        case .enter:
            // The compositor kept the pointer for the drag.
            if let key = dragged.removeValue(forKey: connection) { endDrag(key, report) }
        case .button:
            break
        }
        return true
    }

    // MARK: Drags

    /// Whether a configure belongs to a drag; `nil` if it has nothing to do with one.
    private mutating func follow(_ window: inout Window, _ size: Size, _ bytes: UInt64?) -> Bool? {
        let before = window.stateBytes
        window.stateBytes = bytes
        switch window.drag {
        case .none: return nil
        case .asked:
            let isLonger = (bytes ?? 0) > (before ?? .max)
            guard isLonger || size != window.configured else { return nil }
            dragCount += 1
            // Not every compositor sets `resizing`: then only the pointer's return is the end.
            window.drag = .on(stateBytes: isLonger ? bytes : nil)
        case .on(stateBytes: let most?):
            guard let bytes else { break }
            if bytes < most {
                window.drag = .none
                return false
            }
            window.drag = .on(stateBytes: bytes)
        case .on(stateBytes: nil):
            if let bytes, let before, bytes > before { window.drag = .on(stateBytes: bytes) }
        }
        return true
    }

    private mutating func endDrag(_ key: UInt64, _ report: (Report) -> Void) {
        guard var window = windows[key], let name = window.name else { return }
        if case .on = window.drag { report(.geometry(name, nil, isResizing: false)) }
        window.drag = .none
        windows[key] = window
    }

    // MARK: Windows

    private mutating func begin(_ key: UInt64, interface: String, _ report: (Report) -> Void) {
        if let old = windows.removeValue(forKey: key) {
            reusedCount += 1
            if let name = old.name { report(.disconnect(name)) }
        }
        var window = Window(interface: interface, object: key & 0xFFFF_FFFF)
        window.isNew = true
        windows[key] = window
    }

    private mutating func end(_ key: UInt64, _ report: (Report) -> Void) {
        if let window = windows.removeValue(forKey: key) {
            if let name = window.name { report(.disconnect(name)) }
            if !window.isSized, window.configured != nil { unsizedGone += 1 }
            if let surface = window.surface { surfaces[surface] = nil }
        }
        bases[key] = nil
        if let window = roles.removeValue(forKey: key), window != key { lastConfigured[key >> 32] = nil }
    }

    private mutating func bind(_ surface: UInt64, to window: UInt64) {
        guard surfaces[surface] != nil || surfaces.count < Self.objectsMax else { return }
        surfaces[surface, default: Surface()].window = window
        windows[window]?.surface = surface
    }

    /// The window of an xdg_surface whose beginning is not in the log.
    private mutating func adopt(_ surface: UInt64, _ connection: UInt64) -> UInt64? {
        guard let key = lastConfigured[connection], let window = windows[key], !window.isNew else { return nil }
        if roles.count < Self.objectsMax { roles[surface] = key }
        return key
    }

    private mutating func configure(
        _ key: UInt64, _ message: WaylandMessage, _ connection: UInt64, _ size: Size,
        _ states: WaylandArguments.States, _ report: (Report) -> Void
    ) {
        configureCount += 1
        let interface = String(decoding: message.interface, as: UTF8.self)
        var window = windows[key] ?? Window(interface: interface, object: message.object)
        if window.name == nil {
            window.name = name(of: window, key)
            if window.isNew { report(.connect(window.name!)) }
        }
        var flag: Bool?
        switch states {
        case .resizing(let isResizing):
            flag = isResizing
            hasStates = true
        case .unknown(let bytes):
            flag = follow(&window, size, bytes)
        }
        window.configured = size
        let own = ownSize(window)
        let shown = own == nil ? size : own == window.shown ? nil : own
        if let shown {
            window.shown = shown
            window.isSized = window.isSized || shown.width > 0 && shown.height > 0
        }
        lastConfigured[connection] = key
        windows[key] = window
        if shown != nil || flag != nil { report(.geometry(window.name!, shown, isResizing: flag)) }
    }

    /// What the client chose itself; `nil` if it has the size that the compositor asked for.
    private func ownSize(_ window: Window) -> Size? {
        if let geometry = window.geometry { return geometry }
        guard let asked = window.configured, asked.width == 0 || asked.height == 0,
            let surface = window.surface.flatMap({ surfaces[$0] })
        else { return nil }
        if let destination = surface.destination { return destination }
        return surface.buffer.map { Size(width: $0.width / surface.scale, height: $0.height / surface.scale) }
    }

    private mutating func showOwn(_ key: UInt64, _ report: (Report) -> Void) {
        guard let window = windows[key], let name = window.name, let own = ownSize(window), own != window.shown else {
            return
        }
        windows[key]?.shown = own
        windows[key]?.isSized = true
        report(.geometry(name, own, isResizing: nil))
    }

    private mutating func change(_ key: UInt64, _ report: (Report) -> Void, _ body: (inout Surface) -> Void) {
        guard surfaces[key] != nil || surfaces.count < Self.objectsMax else { return }
        body(&surfaces[key, default: Surface()])
        if let window = surfaces[key]?.window { showOwn(window, report) }
    }

    // MARK: Names

    private mutating func name(of window: Window, _ key: UInt64) -> String {
        let prefix = key >> 32 == 0 ? "" : "\((key >> 32) + 1):"
        let object = "\(prefix)\(window.interface)@\(window.object)"
        let given = window.appID.isEmpty ? window.title : window.appID
        guard !given.isEmpty else { return object }
        // A window may come back, but two at a time have two names.
        if let owner = nameOwners[given], owner != key, windows[owner]?.name == given { return "\(given) (\(object))" }
        if nameOwners.count < Self.objectsMax { nameOwners[given] = key }
        return given
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        let text = String(decoding: bytes.prefix(4 * nameLength), as: UTF8.self)
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(nameLength)))
    }

    private mutating func connection(_ message: WaylandMessage, isServer: Bool) -> UInt64 {
        for index in connections.indices where connections[index].isServer == isServer {
            let isSame =
                message.connection.map { $0.elementsEqual(connections[index].name) } ?? connections[index].name.isEmpty
            if isSame { return UInt64(index) }
        }
        guard connections.count < Self.connectionsMax else { return UInt64(connections.count - 1) }
        connections.append((message.connection.map(Array.init) ?? [], isServer))
        return UInt64(connections.count - 1)
    }
}
