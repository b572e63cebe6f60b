internal import CSettle

/// One thing that happened, 32 bytes: a scene's geometry, its connection, a
/// pointer button, or what a handler tells the engine.
///
/// Sizes and flags that an event does not mention stay as they were.
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
    ///   - size: The effective size. A size that is not finite or is negative
    ///     rejects the event; a zero side keeps the size, and the flags still apply.
    ///   - isInteractivelyResizing: The flag of the same name in UIKit and
    ///     `resizing` in xdg-shell; `nil` where the source has none (X11).
    ///   - isInterfaceOrientationLocked: The raw lock value, before it is debounced.
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

    /// A scene connects. `Engine.connect` gives the scene its identity; this event
    /// tells the time at which it did, and changes nothing else.
    public static func connect(_ scene: SceneID, at: Timestamp) -> Event { Event(SETTLE_CONNECT, scene, at) }

    /// A scene is gone: nothing is decided for it afterwards, and its identity is stale.
    public static func disconnect(_ scene: SceneID, at: Timestamp) -> Event {
        Event(SETTLE_DISCONNECT, scene, at)
    }

    /// A pointer button went down or up anywhere. At most 32 buttons are held at
    /// the same time; pressing one more is rejected.
    public static func pointer(button: UInt32, isPressed: Bool, at: Timestamp) -> Event {
        Event(SETTLE_POINTER, SceneID(rawValue: button), at, flags: isPressed ? SETTLE_PRESSED.number : 0)
    }

    /// Decide now what the scene owes, unless it is being resized.
    public static func flush(_ scene: SceneID, at: Timestamp) -> Event { Event(SETTLE_FLUSH, scene, at) }

    /// Forget what the scene owes until its size next changes.
    public static func cancel(_ scene: SceneID, at: Timestamp) -> Event { Event(SETTLE_CANCEL, scene, at) }

    /// A rebuild failed or was abandoned, and `size` is what is really built, `nil`
    /// for nothing. The size that failed is owed again at the scene's next change,
    /// interaction end or flush.
    public static func built(_ scene: SceneID, size: Size?, at: Timestamp) -> Event {
        Event(SETTLE_BUILT, scene, at, size: size, flags: size == nil ? 0 : SETTLE_SIZE_KNOWN.number)
    }
}

extension Event {
    public enum Kind: UInt16, Hashable, Sendable {
        case geometry, connect, disconnect, pointer, flush, cancel, built
    }

    /// `nil` for a kind that this version does not know; the engine rejects such an event.
    public var kind: Kind? { Kind(rawValue: raw.kind) }

    /// When it happened. Any clock for an `Engine`; CLOCK_MONOTONIC for a `LiveEngine`.
    public var at: Timestamp {
        get { Timestamp(nanoseconds: raw.at_ns) }
        set { raw.at_ns = newValue.nanoseconds }
    }

    /// The scene concerned; of no meaning for a pointer event.
    public var scene: SceneID {
        get { SceneID(rawValue: raw.scene) }
        set { raw.scene = newValue.rawValue }
    }

    /// The button of a pointer event.
    public var button: UInt32 { raw.button }
    public var isPressed: Bool { has(SETTLE_PRESSED) }

    /// The size that the event states, `nil` when it states none.
    public var size: Size? { has(SETTLE_SIZE_KNOWN) ? Size(width: raw.width, height: raw.height) : nil }

    public var isInteractivelyResizing: Bool? {
        has(SETTLE_RESIZING_KNOWN) ? has(SETTLE_RESIZING) : nil
    }

    public var isInterfaceOrientationLocked: Bool? {
        has(SETTLE_LOCKED_KNOWN) ? has(SETTLE_LOCKED) : nil
    }

    /// `nil` when the event states none, or one that this version does not know.
    public var orientation: InterfaceOrientation? {
        let bits = (Int(raw.flags) & SETTLE_ORIENTATION_MASK.number) >> SETTLE_ORIENTATION_SHIFT.number
        return InterfaceOrientation(rawValue: UInt8(bits))
    }

    /// Takes a later time as this one; whether it was later. A time out of range stays,
    /// and the engine rejects it.
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

    /// What the event says, as the core and the binary log number it.
    package var flagBits: UInt16 { raw.flags }

    private func has(_ flag: settle_event_flag) -> Bool { Int(raw.flags) & flag.number != 0 }
}

extension Event: Equatable {
    /// Equal in every bit, so that a log that was copied can be compared.
    public static func == (a: Event, b: Event) -> Bool {
        a.raw.at_ns == b.raw.at_ns && a.raw.scene == b.raw.scene && a.raw.kind == b.raw.kind
            && a.raw.flags == b.raw.flags && a.raw.width.bitPattern == b.raw.width.bitPattern
            && a.raw.height.bitPattern == b.raw.height.bitPattern
    }
}

extension settle_event_flag {
    var number: Int { Int(rawValue) }
}
