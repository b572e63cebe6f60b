internal import Settle

/// What clients choose for their surfaces, from the commit on; and which surface is which window's.
extension WaylandWindows {
    // MARK: The client's choice

    mutating func choose(
        _ kind: WaylandKind, _ object: UInt64, _ connection: UInt64, _ arguments: inout WaylandArguments, _ report: Sink
    ) -> Bool {
        switch kind {
        case .attach:
            let id = arguments.object()
            let buffer = if let id { buffers[connection << 32 | id] } else { Size?.none }
            choose(kind, of: object, report) { ($0.buffer, $0.isMapped) = (buffer, id != nil) }
        case .setScale:
            // What is garbled by another thread, as 346481, is no scale of a screen.
            guard let scale = arguments.number(), (1...100).contains(scale) else { return false }
            choose(kind, of: object, report) { $0.scale = Double(scale) }
        case .setTransform:
            guard let transform = arguments.number() else { return false }
            // Every other one is by a quarter.
            choose(kind, of: object, report) { $0.isTurned = transform % 2 != 0 }
        case .setDestination, .setSource:
            guard kind == .setDestination || arguments.skipNumbers(2), let size = arguments.size() else { return false }
            guard let surface = viewports[object] else { return true }
            let chosen = size.isStated ? size : nil
            choose(kind, of: surface, report) {
                if kind == .setSource { $0.source = chosen } else { $0.destination = chosen }
            }
        case .setGeometry:
            guard arguments.skipNumbers(2), let size = arguments.size() else { return false }
            if windows[object] == nil {
                adopt(object, connection, report)
            } else if surface(of: object) == nil {
                bind(object, to: object)
            }
            if !isTied(object) { awaiting[connection] = object }
            choose(kind, of: surface(of: object) ?? object, report) { $0.geometry = size }
        default:
            guard let size = arguments.size() else { return false }
            guard let surface = windows[object]?.surface else { return true }
            choose(kind, of: surface, report) { $0.requested = size }
        }
        return true
    }

    private mutating func choose(
        _ kind: WaylandKind, of surface: UInt64, _ report: Sink, _ body: (inout WaylandContent) -> Void
    ) {
        if !hasCommits {
            let bit: UInt64 = 1 << UInt64(kind.rawValue)
            if let last = unconfirmed, last.surface != surface || last.kinds & bit != 0 { confirm(report) }
            unconfirmed = Unconfirmed(surface: surface, kinds: (unconfirmed?.kinds ?? 0) | bit, at: now)
        }
        guard surfaces[surface] != nil || surfaces.count < Self.objectsMax else { return }
        body(&surfaces[surface, default: WaylandSurface()].pending)
    }

    mutating func commit(_ surface: UInt64, _ connection: UInt64, _ report: Sink) {
        hasCommits = true
        unconfirmed = nil
        if let owner = awaiting[connection] {
            if case .none = surfaces[surface]?.role ?? .none {
                awaiting[connection] = nil
                tie(surface, to: owner)
            } else if self.surface(of: owner) == surface {
                awaiting[connection] = nil
                surfaces[surface]!.isGuess = false
            }
        }
        apply(surface, report)
    }

    /// Takes for true what the log says without a commit.
    mutating func confirm(_ report: Sink) {
        guard let last = unconfirmed else { return }
        unconfirmed = nil
        let time = now
        now = last.at
        apply(last.surface, report)
        now = time
    }

    private mutating func apply(_ key: UInt64, _ report: Sink) {
        guard let surface = surfaces[key] else { return }
        surfaces[key]!.current = surface.pending
        switch surface.role {
        case .window(let window): showOwn(window, report)
        case .base(let base):
            // Its role is not in the log. A popup's is known.
            guard roles[base] == nil, surface.pending.geometry ?? surface.pending.size != nil else { return }
            add(Window(interface: "xdg_surface", object: base & 0xFFFF_FFFF), base)
            Self.note(.window(base), at: base, in: &roles)
            bind(key, to: base)
            showOwn(base, report)
        case .none:
            // The only surface with a size may be a window's that the log does not name; of several, none is.
            guard surface.pending.size != nil else { return }
            let lone = loneSurfaces[key >> 32]
            loneSurfaces[key >> 32] = lone == nil || lone == key ? key : .max
        case .other: break
        }
    }

    // MARK: Which surface is a window's

    mutating func beginRole(
        _ kind: WaylandKind, _ message: WaylandMessage, _ object: UInt64, _ connection: UInt64,
        _ arguments: inout WaylandArguments, _ report: Sink
    ) -> Bool {
        guard let id = arguments.object() else { return false }
        let key = connection << 32 | id
        if kind == .getPopup {
            Self.note(.popup, at: object, in: &roles)
            if let surface = bases[object] { surfaces[surface]?.role = .other }
            return true
        }
        if kind == .getWindow {
            let surface = surface(of: object) ?? object
            if windows[object] != nil { end(object, report) }
            let isOld = message.interface.isText("zxdg_surface_v6")
            begin(key, interface: isOld ? "zxdg_toplevel_v6" : "xdg_toplevel", report)
            windows[key]?.base = object
            Self.note(.window(key), at: object, in: &roles)
            bind(surface, to: key)
            return true
        }
        guard let surface = arguments.object().map({ connection << 32 | $0 }) else { return false }
        if message.interface.isText("xdg_wm_base") || message.interface.isText("zxdg_shell_v6") {
            Self.note(surface, at: key, in: &bases)
            note(surface, .base(key))
            return true
        }
        let isLayer = message.interface.isText("zwlr_layer_shell_v1")
        let isShell = message.interface.isText("wl_shell")
        begin(
            key, interface: isLayer ? "zwlr_layer_surface_v1" : isShell ? "wl_shell_surface" : "xdg_surface", report)
        bind(surface, to: key)
        if isLayer {
            guard arguments.skipObject(), arguments.number() != nil, let text = arguments.lastString() else {
                return false
            }
            windows[key]?.appID = Self.text(text)
        }
        return true
    }

    /// The wl_surface of an xdg_surface or of a window, or what stands for it.
    func surface(of object: UInt64) -> UInt64? { bases[object] ?? windows[object]?.surface }

    /// Whether the wl_surface of an xdg_surface or of a window is known.
    func isTied(_ object: UInt64) -> Bool {
        guard let surface = surface(of: object), surface != object else { return false }
        return !(surfaces[surface]?.isGuess ?? false)
    }

    mutating func bind(_ surface: UInt64, to window: UInt64) {
        guard note(surface, .window(window)) else { return }
        windows[window]?.surface = surface
    }

    /// Gives an xdg_surface whose beginning is not in the log what was configured just before it.
    mutating func adopt(_ base: UInt64, _ connection: UInt64, _ report: Sink) {
        guard roles[base] == nil, let last = lastConfigured[connection] else { return }
        switch last {
        case .popup:
            Self.note(last, at: base, in: &roles)
            if let surface = bases[base] { surfaces[surface]?.role = .other }
        case .window(let key):
            guard let window = windows[key], window.base == nil else { return }
            windows[key]!.base = base
            Self.note(last, at: base, in: &roles)
            bind(bases[base] ?? base, to: key)
            guard bases[base] == nil, let lone = loneSurfaces[connection], case .none? = surfaces[lone]?.role else {
                return
            }
            tie(lone, to: base)
            surfaces[lone]?.isGuess = true
            showOwn(key, report)
        }
    }

    /// Gives a wl_surface to an xdg_surface, or to a window, with what was chosen for that before.
    mutating func tie(_ surface: UInt64, to owner: UInt64) {
        if let loose = surfaces.removeValue(forKey: owner) {
            surfaces[surface, default: WaylandSurface()].pending.geometry = loose.pending.geometry
            surfaces[surface]!.current.geometry = loose.current.geometry
        }
        if let guess = self.surface(of: owner) {
            surfaces[guess]?.role = .none
            surfaces[guess]?.isGuess = false
        }
        if windows[owner] != nil { return bind(surface, to: owner) }
        Self.note(surface, at: owner, in: &bases)
        switch roles[owner] {
        case .window(let window): bind(surface, to: window)
        case .popup: note(surface, .other)
        case nil: note(surface, .base(owner))
        }
    }

    @discardableResult
    mutating func note(_ surface: UInt64, _ role: WaylandSurface.Role) -> Bool {
        guard surfaces[surface] != nil || surfaces.count < Self.objectsMax else { return false }
        surfaces[surface, default: WaylandSurface()].role = role
        return true
    }

    static func note<Value>(_ value: Value, at key: UInt64, in map: inout [UInt64: Value]) {
        if map.count < objectsMax || map[key] != nil { map[key] = value }
    }
}
