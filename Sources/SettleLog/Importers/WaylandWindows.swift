internal import Settle

/// The windows of a `WAYLAND_DEBUG` log, and what the messages say of their sizes.
///
/// A compositor's configure asks for a size; the client's own choice decides, once its surface commits it. So a window's
/// size is, in this order: its window geometry; what the compositor asked for, if it asked for a size; its surface's size,
/// by the viewport or the buffer. Of the shells without a window geometry, the surface's size comes first.
struct WaylandWindows {
    /// What a message says, of those that matter.
    enum Report {
        case connect(String)
        case geometry(String, Size?, isResizing: Bool?)
        case disconnect(String)
    }

    /// Receives a report and its time.
    typealias Sink = (Report, Timestamp) -> Void

    struct Window {
        let interface: String
        let object: UInt64
        var name: String?
        var appID = ""
        var title = ""
        /// Whether the log shows its beginning.
        var isNew = false
        /// The same window on the other side of its connection, which was seen first, says all that it says.
        var isEcho = false
        var base: UInt64?
        var surface: UInt64?
        var configured: Size?
        /// What was reported first and last.
        var firstShown: Size?
        var shown: Size?
        var isSized = false
        var drag = Drag.none
        /// The bytes of the states that were configured last.
        var stateBytes: UInt64?

        /// Whether the shell has no window geometry: what the compositor asks for is only an advice, or the surface's size.
        var hasSurfaceSize: Bool { interface == "zwlr_layer_surface_v1" || interface == "wl_shell_surface" }
    }

    /// What an xdg_surface is.
    enum Role {
        case window(UInt64)
        case popup
    }

    /// The choices of a surface that are taken for true when the next round begins: the log has no commit so far.
    struct Unconfirmed {
        let surface: UInt64
        /// A bit for each kind.
        var kinds: UInt64 = 0
        var at: Timestamp
    }

    /// The most objects of a kind that are followed.
    static let objectsMax = 1 << 16
    /// The most reports of one message.
    static let reportsMax = 4
    /// The longest part of a title that names a scene, in Unicode scalars.
    private static let nameLength = 256

    private var connections: [(name: [UInt8], isServer: Bool)] = []
    private static let connectionsMax = 256
    var windows: [UInt64: Window] = [:]
    /// By xdg_surface.
    var roles: [UInt64: Role] = [:]
    /// By xdg_surface, its wl_surface.
    var bases: [UInt64: UInt64] = [:]
    var surfaces: [UInt64: WaylandSurface] = [:]
    /// By wp_viewport, its wl_surface.
    var viewports: [UInt64: UInt64] = [:]
    /// By wl_buffer, and by what a buffer is asked from.
    var buffers: [UInt64: Size] = [:]
    /// By connection, what was configured last: where the log begins late, an unknown xdg_surface is its.
    var lastConfigured: [UInt64: Role] = [:]
    /// By connection, what waits for the commit of a surface that the log does not name: the next one is its.
    var awaiting: [UInt64: UInt64] = [:]
    /// By connection, the only surface of no known role that has a size; `.max` where there are several.
    var loneSurfaces: [UInt64: UInt64] = [:]
    private var nameOwners: [String: UInt64] = [:]
    /// By connection, the window that its client asked to resize.
    private var dragged: [UInt64: UInt64] = [:]
    var hasCommits = false
    var unconfirmed: Unconfirmed?
    /// The time of the message, or of the choice that is confirmed.
    var now = Timestamp(nanoseconds: 0)

    /// Configures with states, as xdg-shell has.
    private(set) var configureCount = 0
    private(set) var hasStates = false
    private(set) var dragCount = 0
    private(set) var buttonCount = 0
    private(set) var reusedCount = 0
    /// Windows that are not followed, because there are too many at a time.
    private(set) var excessCount = 0
    private var goneCounts = (unsized: 0, silent: 0)

    /// Windows that never had a size, though the compositor asked for one.
    var unsizedCount: Int {
        goneCounts.unsized + windows.values.count { !$0.isSized && $0.configured != nil && !$0.isEcho }
    }
    /// Windows of which the log has a beginning, and nothing of a size.
    var silentCount: Int { goneCounts.silent + windows.values.count { $0.name == nil && $0.isNew } }

    /// Reads one message.
    ///
    /// - Parameter report: Called for what it says, at most `reportsMax` times.
    /// - Returns: False if its arguments cannot be read.
    mutating func read(_ message: WaylandMessage, _ kind: WaylandKind, at time: Timestamp, _ report: Sink) -> Bool {
        if kind == .button {
            buttonCount += 1
            return true
        }
        if kind == .motion || kind == .leave, dragged.isEmpty { return true }
        guard var arguments = WaylandArguments(message), message.object <= UInt64(UInt32.max) else { return false }
        now = time
        let connection = connection(message, isServer: message.hasArrow == kind.isEvent)
        let object = connection << 32 | message.object
        switch kind {
        case .configure, .shellConfigure, .layerConfigure:
            if kind != .configure, arguments.number() == nil { return false }
            guard let size = arguments.size() else { return false }
            let states = kind == .configure ? arguments.states() : .unknown(bytes: nil)
            guard let states else { return false }
            if kind == .configure { configureCount += 1 }
            configure(object, message, connection, size, states, report)
            if kind == .configure { lastConfigured[connection] = .window(object) }
            if kind == .shellConfigure, !isTied(object) { awaiting[connection] = object }
        case .surfaceConfigure:
            guard let first = arguments.number() else { return false }
            if arguments.isAtEnd {
                adopt(object, connection, report)
                return true
            }
            // Only in version 5 of xdg-shell does it have a size.
            guard let second = arguments.number(), let states = arguments.states() else { return false }
            configureCount += 1
            let size = Size(width: Double(first), height: Double(second))
            configure(object, message, connection, size, states, report)
        case .popupConfigure:
            lastConfigured[connection] = .popup
        case .getWindow, .getRole, .getPopup:
            return beginRole(kind, message, object, connection, &arguments, report)
        case .setPopup:
            guard let window = windows[object], window.name == nil else { break }
            if let surface = window.surface { surfaces[surface]?.role = .other }
            windows[object] = nil
        case .setOtherRole:
            // A cursor's surface is behind a number, and may be none; a part's is behind its own.
            guard message.interface.isText("wl_pointer") ? arguments.skipNumbers(1) : arguments.object() != nil else {
                return false
            }
            if let surface = arguments.object() { note(connection << 32 | surface, .other) }
        case .setTitle, .setAppID:
            guard let text = arguments.lastString() else { return false }
            if kind == .setTitle { windows[object]?.title = Self.text(text) }
            if kind == .setAppID { windows[object]?.appID = Self.text(text) }
        case .acknowledge:
            if windows[object] == nil { adopt(object, connection, report) }
            if !isTied(object) { awaiting[connection] = object }
        case .destroy:
            confirm(report)
            end(object, report)
        case .destroySurface:
            surfaces[object] = nil
        case .getViewport:
            guard let id = arguments.object(), let surface = arguments.object() else { return false }
            Self.note(connection << 32 | surface, at: connection << 32 | id, in: &viewports)
        case .createBuffer, .createBufferOfFile, .askForBuffer:
            // An offset, a name or a file is before the size.
            guard let id = kind == .askForBuffer ? message.object : arguments.object(),
                kind != .createBufferOfFile || arguments.skipNumberOrFile(), let size = arguments.size()
            else { return false }
            Self.note(size, at: connection << 32 | id, in: &buffers)
        case .bufferCreated:
            guard let id = arguments.object() else { return false }
            if let size = buffers[object] { Self.note(size, at: connection << 32 | id, in: &buffers) }
        case .commit:
            commit(object, connection, report)
        case .attach, .setScale, .setTransform, .setDestination, .setSource, .setGeometry, .setLayerSize:
            return choose(kind, object, connection, &arguments, report)
        case .resize:
            if let old = dragged[connection] { endDrag(old, report) }
            // A log may begin here.
            if windows[object] == nil {
                let interface = String(decoding: message.interface, as: UTF8.self)
                add(Window(interface: interface, object: message.object), object)
            }
            windows[object]?.drag = .asked(at: time)
            if windows[object] != nil { dragged[connection] = object }
        case .setState:
            // What the states are from now on is the client's own choice.
            if dragged[connection] == object { windows[object]?.lapse() }
        case .motion:
            guard let key = dragged[connection], let drag = windows[key]?.drag else { break }
            if drag.isUnanswered(at: time, after: Drag.motionMax) { windows[key]?.lapse() }
        case .leave:
            guard let key = dragged[connection], case .asked? = windows[key]?.drag else { break }
            windows[key]?.drag = .taken
        case .enter:
            // The compositor kept the pointer for the drag.
            if let key = dragged.removeValue(forKey: connection) { endDrag(key, report) }
        case .button:
            break
        }
        return true
    }

    /// The log's end.
    mutating func finish(_ report: Sink) { confirm(report) }

    // MARK: Drags

    /// Whether a configure belongs to a drag; `nil` if it has nothing to do with one.
    private mutating func follow(_ window: inout Window, _ size: Size, _ bytes: UInt64?) -> Bool? {
        let before = window.stateBytes
        window.stateBytes = bytes
        if window.drag.isUnanswered(at: now, after: Drag.answerMax) { window.lapse() }
        switch window.drag {
        case .none: return nil
        case .asked, .taken:
            guard (bytes ?? 0) > (before ?? .max) || size != window.configured else { return nil }
            if !window.isEcho { dragCount += 1 }
            window.drag = .on(stateBytes: bytes)
        case .on(let last):
            // Not every compositor sets `resizing`: then only the pointer's return is the end.
            if let bytes, let last, bytes < last {
                window.drag = .none
                return false
            }
            window.drag = .on(stateBytes: bytes ?? last)
        }
        return true
    }

    private mutating func endDrag(_ key: UInt64, _ report: Sink) {
        guard var window = windows[key] else { return }
        if case .on = window.drag { show(nil, of: &window, isResizing: false, report) }
        window.drag = .none
        windows[key] = window
    }

    // MARK: Windows

    mutating func begin(_ key: UInt64, interface: String, _ report: Sink) {
        if windows[key] != nil {
            reusedCount += 1
            end(key, report)
        }
        var window = Window(interface: interface, object: key & 0xFFFF_FFFF)
        window.isNew = true
        add(window, key)
    }

    mutating func add(_ window: Window, _ key: UInt64) {
        if windows.count < Self.objectsMax || windows[key] != nil { windows[key] = window } else { excessCount += 1 }
    }

    /// Ends a window, or an xdg_surface.
    mutating func end(_ key: UInt64, _ report: Sink) {
        if let window = windows.removeValue(forKey: key) {
            if !window.isEcho {
                if let name = window.name { report(.disconnect(name), now) }
                if !window.isSized, window.configured != nil { goneCounts.unsized += 1 }
                if window.name == nil, window.isNew { goneCounts.silent += 1 }
            }
            if let surface = window.surface { surfaces[surface] = nil }
            if let base = window.base { roles[base] = nil }
        }
        if let surface = bases.removeValue(forKey: key) { surfaces[surface]?.role = .none }
        roles[key] = nil
    }

    private mutating func configure(
        _ key: UInt64, _ message: WaylandMessage, _ connection: UInt64, _ size: Size,
        _ states: WaylandArguments.States, _ report: Sink
    ) {
        confirm(report)
        let interface = String(decoding: message.interface, as: UTF8.self)
        if windows[key] == nil { add(Window(interface: interface, object: message.object), key) }
        guard var window = windows[key] else { return }
        introduce(&window, key, size, report)
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
        show(own == nil ? size : own == window.shown ? nil : own, of: &window, isResizing: flag, report)
        windows[key] = window
    }

    /// What the client chose itself; `nil` if it has the size that the compositor asked for, or if that is not in the log.
    private func ownSize(_ window: Window) -> Size? {
        guard let surface = window.surface, let content = surfaces[surface]?.current else { return nil }
        // A window's first commit, which asks for a configure, has no buffer yet.
        if window.configured == nil, window.isNew, hasCommits, !content.isMapped { return nil }
        if let geometry = content.geometry { return geometry }
        let asked = window.configured.flatMap { $0.isStated ? $0 : nil }
        guard window.hasSurfaceSize else { return asked == nil ? content.size : nil }
        return content.size ?? asked ?? content.requested.flatMap { $0.isStated ? $0 : nil }
    }

    mutating func showOwn(_ key: UInt64, _ report: Sink) {
        guard var window = windows[key], let own = ownSize(window), own != window.shown else { return }
        introduce(&window, key, own, report)
        show(own, of: &window, isResizing: nil, report)
        windows[key] = window
    }

    /// Names a window at its first size.
    private mutating func introduce(_ window: inout Window, _ key: UInt64, _ size: Size, _ report: Sink) {
        guard window.name == nil else { return }
        window.isEcho = isEcho(window, key, size)
        window.name = window.isEcho ? "" : name(of: window, key)
        if window.isNew, !window.isEcho { report(.connect(window.name!), now) }
    }

    private func show(_ size: Size?, of window: inout Window, isResizing: Bool?, _ report: Sink) {
        if let size {
            window.firstShown = window.firstShown ?? size
            window.shown = size
            window.isSized = window.isSized || size.isStated
        }
        guard !window.isEcho, let name = window.name, size != nil || isResizing != nil else { return }
        report(.geometry(name, size, isResizing: isResizing), now)
    }

    /// Whether a window is one of the other side of its connection: where a client and its compositor print into one log,
    /// all is said twice.
    private func isEcho(_ window: Window, _ key: UInt64, _ size: Size) -> Bool {
        let own = connections[Int(key >> 32)]
        guard own.name.isEmpty,
            let other = connections.firstIndex(where: { $0.name.isEmpty && $0.isServer != own.isServer }),
            let twin = windows[UInt64(other) << 32 | key & 0xFFFF_FFFF], twin.interface == window.interface,
            twin.name != nil, !twin.isEcho
        else { return false }
        if let base = window.base, let other = twin.base, base & 0xFFFF_FFFF != other & 0xFFFF_FFFF { return false }
        if window.isNew, twin.isNew, (window.appID, window.title) != (twin.appID, twin.title) { return false }
        return size == twin.firstShown || size == twin.configured || size == twin.shown
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

    static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        let text = String(decoding: bytes.prefix(4 * nameLength), as: UTF8.self)
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(nameLength)))
    }

    private mutating func connection(_ message: WaylandMessage, isServer: Bool) -> UInt64 {
        for index in connections.indices where connections[index].isServer == isServer {
            if let name = message.connection {
                if name.elementsEqual(connections[index].name) { return UInt64(index) }
            } else if connections[index].name.isEmpty {
                return UInt64(index)
            }
        }
        guard connections.count < Self.connectionsMax else { return UInt64(connections.count - 1) }
        connections.append((message.connection.map(Array.init) ?? [], isServer))
        return UInt64(connections.count - 1)
    }
}
