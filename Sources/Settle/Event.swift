internal import CSettle

/// One thing that happened, in 32 bytes: a scene's geometry or connection, a pointer button,
/// or a request of a handler.
///
/// Sizes and flags that an event does not state stay as they were.
public struct Event: Sendable {
    var raw: settle_event

    init(_ kind: settle_event_kind, _ scene: SceneID, _ at: Timestamp, size: Size? = nil, flags: Int = 0) {
        raw = settle_event_make(kind.rawValue, scene.rawValue, at.nanoseconds)
        raw.width = size?.width ?? 0
        raw.height = size?.height ?? 0
        raw.flags = UInt16(flags)
    }

    /// A scene's geometry.
    ///
    /// - Parameters:
    ///   - scene: The scene, connected.
    ///   - at: When it happened.
    ///   - size: The effective size. The engine rejects an event with a side that is negative
    ///     or not finite. A zero side keeps the size, and the flags still apply.
    ///   - isInteractivelyResizing: The flag of the same name in UIKit, `resizing` in xdg-shell;
    ///     `nil` if the source has none (X11).
    ///   - isInterfaceOrientationLocked: The lock value before it is debounced, `nil` if the
    ///     source has none.
    ///   - orientation: `nil` if the source has none.
    public static func geometry(
        _ scene: SceneID, at: Timestamp, size: Size? = nil, isInteractivelyResizing: Bool? = nil,
        isInterfaceOrientationLocked: Bool? = nil, orientation: InterfaceOrientation? = nil
    ) -> Event {
        var flags = size == nil ? 0 : SETTLE_SIZE_KNOWN.number
        if let resizing = isInteractivelyResizing {
            flags |= SETTLE_RESIZING_KNOWN.number | (resizing ? SETTLE_RESIZING.number : 0)
        }
        if let locked = isInterfaceOrientationLocked {
            flags |= SETTLE_LOCKED_KNOWN.number | (locked ? SETTLE_LOCKED.number : 0)
        }
        flags |= Int(orientation?.rawValue ?? 0) << SETTLE_ORIENTATION_SHIFT.number
        return Event(SETTLE_GEOMETRY, scene, at, size: size, flags: flags)
    }

    /// The time at which a scene connected. It moves time and changes nothing else;
    /// `Engine.connect` connects the scene.
    public static func connect(_ scene: SceneID, at: Timestamp) -> Event { Event(SETTLE_CONNECT, scene, at) }

    /// A scene disconnects: nothing is decided for it afterwards, and its handle is stale.
    public static func disconnect(_ scene: SceneID, at: Timestamp) -> Event {
        Event(SETTLE_DISCONNECT, scene, at)
    }

    /// A pointer button went down or up anywhere. At most 32 buttons are held at the same
    /// time; the engine rejects one more.
    public static func pointer(button: UInt32, isPressed: Bool, at: Timestamp) -> Event {
        Event(SETTLE_POINTER, SceneID(rawValue: button), at, flags: isPressed ? SETTLE_PRESSED.number : 0)
    }

    /// Decides the pending rebuild of a scene now, unless the scene is being resized.
    public static func flush(_ scene: SceneID, at: Timestamp) -> Event { Event(SETTLE_FLUSH, scene, at) }

    /// Forgets the pending rebuild of a scene until its size next changes.
    public static func cancel(_ scene: SceneID, at: Timestamp) -> Event { Event(SETTLE_CANCEL, scene, at) }

    /// A rebuild failed or was abandoned, and `size` is really built, `nil` for nothing. The
    /// size that failed is decided again after the scene's next change, interaction end or flush.
    public static func built(_ scene: SceneID, size: Size?, at: Timestamp) -> Event {
        Event(SETTLE_BUILT, scene, at, size: size, flags: size == nil ? 0 : SETTLE_SIZE_KNOWN.number)
    }

    /// The build of a scene's rebuild is done. Live rebuilds (`Policy.liveShare`) depend on these reports;
    /// one of an older rebuild than the scene's last changes nothing.
    ///
    /// - Parameters:
    ///   - generation: The rebuild's `Rebuild.generation`.
    ///   - cost: How long the build took, from zero; what is longer than 104 days counts as that.
    public static func finished(_ scene: SceneID, generation: UInt32, cost: Duration, at: Timestamp) -> Event {
        let nanoseconds = max(cost, .zero).wholeNanoseconds
        return Event(raw: settle_event_finished(scene.rawValue, at.nanoseconds, generation, nanoseconds))
    }

    private init(raw: settle_event) { self.raw = raw }
}

extension Event {
    /// What an event reports; see the functions of the same names.
    public enum Kind: UInt16, Hashable, Sendable {
        /// A scene's geometry: its size, flags and orientation.
        case geometry
        case connect
        case disconnect
        /// A pointer button goes down or up.
        case pointer
        /// Decides a scene's pending rebuild now.
        case flush
        /// Forgets a scene's pending rebuild until its next change.
        case cancel
        /// States what a handler really built.
        case built
        /// The build of a rebuild is done.
        case finished
    }

    /// `nil` for a kind that this version does not know. The engine rejects such an event.
    public var kind: Kind? { Kind(rawValue: raw.kind) }

    /// When it happened: on any clock for an `Engine`, on CLOCK_MONOTONIC for a `LiveEngine`.
    public var at: Timestamp {
        get { Timestamp(nanoseconds: raw.at_ns) }
        set { raw.at_ns = newValue.nanoseconds }
    }

    /// The scene that it is about. Without meaning for a pointer event.
    public var scene: SceneID {
        get { SceneID(rawValue: raw.scene) }
        set { raw.scene = newValue.rawValue }
    }

    /// The button of a pointer event.
    public var button: UInt32 { raw.button }
    /// Whether the button of a pointer event went down.
    public var isPressed: Bool { has(SETTLE_PRESSED) }

    /// The rebuild and the cost of its build that a `finished` event reports, `nil` of any other.
    public var build: (generation: UInt32, cost: Duration)? {
        guard kind == .finished else { return nil }
        return withUnsafePointer(to: raw) {
            (settle_event_generation($0), .nanoseconds(Int64(settle_event_cost_ns($0))))
        }
    }

    /// The size, `nil` if the event states none.
    public var size: Size? { has(SETTLE_SIZE_KNOWN) ? Size(width: raw.width, height: raw.height) : nil }

    /// The size that the event sets: `nil` if it states none, one with a zero side, or one that an
    /// engine rejects (contract, rule 2).
    package var statedSize: Size? { size.flatMap { $0.isStated ? $0 : nil } }

    /// Whether a person is resizing the scene, `nil` if the event does not state it.
    public var isInteractivelyResizing: Bool? {
        has(SETTLE_RESIZING_KNOWN) ? has(SETTLE_RESIZING) : nil
    }

    /// The lock value before it is debounced, `nil` if the event states none.
    public var isInterfaceOrientationLocked: Bool? {
        has(SETTLE_LOCKED_KNOWN) ? has(SETTLE_LOCKED) : nil
    }

    /// The orientation, `nil` if the event states none, or one that this version does not know.
    public var orientation: InterfaceOrientation? {
        let bits = (Int(raw.flags) & SETTLE_ORIENTATION_MASK.number) >> SETTLE_ORIENTATION_SHIFT.number
        return InterfaceOrientation(rawValue: UInt8(bits))
    }

    /// Replaces a later time by `now`, and returns whether it was later. A time out of range
    /// stays, and the engine rejects the event.
    @discardableResult
    package mutating func clamp(to now: Timestamp) -> Bool {
        guard at > now, at <= .latest else { return false }
        at = now
        return true
    }

    /// Whether no engine rejects the event for its kind, flags, time or size. An engine may still
    /// reject it for its scene, or for a button too many.
    package var isValid: Bool {
        withUnsafePointer(to: raw) { settle_event_rejection($0) } == SETTLE_NOT_REJECTED.rawValue
    }

    /// The event's flags, as the core and the binary log number them.
    package var flagBits: UInt16 { raw.flags }

    private func has(_ flag: settle_event_flag) -> Bool { Int(raw.flags) & flag.number != 0 }
}

extension Event: Equatable {
    /// Compares all bits, so that the copy of a log can be compared with the original.
    public static func == (a: Event, b: Event) -> Bool {
        a.raw.at_ns == b.raw.at_ns && a.raw.scene == b.raw.scene && a.raw.kind == b.raw.kind
            && a.raw.flags == b.raw.flags && a.raw.width.bitPattern == b.raw.width.bitPattern
            && a.raw.height.bitPattern == b.raw.height.bitPattern
    }
}

extension settle_event_flag {
    var number: Int { Int(rawValue) }
}
