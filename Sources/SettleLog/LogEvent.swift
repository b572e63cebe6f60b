internal import CSettle
public import Settle

/// The number of a scene's name in one log.
///
/// A reader numbers the names of its log from 0 (`SceneNames`). The number means nothing to
/// an engine, whose scenes have handles (`SceneID`): `SceneBindings` maps one to the other.
public struct SceneNumber: RawRepresentable, Hashable, Sendable {
    /// From 0 to one less than `SceneNames.count`.
    public var rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The number as an index into arrays of one element per name.
    var index: Int { Int(rawValue) }

    init(_ index: Int) { rawValue = UInt32(index) }
}

/// One event of a log, 32 bytes: what an `Event` states, with its scene's name by number.
///
/// Only events that a log can hold exist as values of this type. Requests to an engine
/// (flush, cancel, built) do not.
public struct LogEvent: Sendable {
    /// The C codec's form of the event, with the layout of `settle_event`.
    private(set) var raw = settle_log_event()

    init(_ raw: settle_log_event) { self.raw = raw }

    private init(_ kind: Kind, _ name: UInt32, _ at: Timestamp, size: Size? = nil, flags: UInt32 = 0) {
        raw.at_ns = at.nanoseconds
        raw.width = size?.width ?? 0
        raw.height = size?.height ?? 0
        raw.name = name
        raw.kind = kind.rawValue
        raw.flags = UInt16(flags)
    }

    /// A scene's geometry. What an event does not state stays as it was.
    ///
    /// - Parameters:
    ///   - name: The number of the scene's name.
    ///   - at: The time in the log's clock.
    ///   - size: The size in the log's unit; `nil` if the event states none.
    ///   - isInteractivelyResizing: `nil` where the source has no such flag (X11).
    ///   - isInterfaceOrientationLocked: The raw lock value, before it is debounced.
    ///   - orientation: `nil` if the event states none.
    public static func geometry(
        _ name: SceneNumber, at: Timestamp, size: Size? = nil, isInteractivelyResizing: Bool? = nil,
        isInterfaceOrientationLocked: Bool? = nil, orientation: InterfaceOrientation? = nil
    ) -> LogEvent {
        var flags = size == nil ? 0 : SETTLE_SIZE_KNOWN.rawValue
        if let resizing = isInteractivelyResizing {
            flags |= SETTLE_RESIZING_KNOWN.rawValue | (resizing ? SETTLE_RESIZING.rawValue : 0)
        }
        if let locked = isInterfaceOrientationLocked {
            flags |= SETTLE_LOCKED_KNOWN.rawValue | (locked ? SETTLE_LOCKED.rawValue : 0)
        }
        flags |= UInt32(orientation?.rawValue ?? 0) << SETTLE_ORIENTATION_SHIFT.rawValue
        return LogEvent(.geometry, name.rawValue, at, size: size, flags: flags)
    }

    /// A scene connects. No effect on a connected one, other than the time.
    public static func connect(_ name: SceneNumber, at: Timestamp) -> LogEvent {
        LogEvent(.connect, name.rawValue, at)
    }

    /// A scene disconnects. The next event with this name, unless it disconnects again,
    /// connects a new scene.
    public static func disconnect(_ name: SceneNumber, at: Timestamp) -> LogEvent {
        LogEvent(.disconnect, name.rawValue, at)
    }

    /// A pointer button is pressed or released. It belongs to no scene.
    public static func pointer(button: UInt32, isPressed: Bool, at: Timestamp) -> LogEvent {
        LogEvent(.pointer, button, at, flags: isPressed ? SETTLE_PRESSED.rawValue : 0)
    }

    /// The log's event for an engine's.
    ///
    /// - Parameters:
    ///   - event: The engine's event.
    ///   - name: The number of the scene's name; unused for a pointer event.
    /// - Returns: `nil` for an event that no log holds: a request, or one of an unknown kind.
    public init?(_ event: Event, name: SceneNumber) {
        guard let kind = event.kind, Kind(rawValue: kind.rawValue) != nil else { return nil }
        raw = unsafeBitCast(event, to: settle_log_event.self)
        if kind != .pointer { raw.name = name.rawValue }
    }
}

extension LogEvent {
    /// The kinds of events that a log holds, numbered as in `Event.Kind`.
    public enum Kind: UInt16, Hashable, Sendable, CaseIterable {
        /// A scene's geometry: its size, flags and orientation.
        case geometry
        case connect
        case disconnect
        /// A pointer button goes down or up.
        case pointer
    }

    /// What happened.
    public var kind: Kind {
        guard let kind = Kind(rawValue: raw.kind) else {
            preconditionFailure("an event of kind \(raw.kind) is no event of a log")
        }
        return kind
    }

    /// The time in the log's clock, in nanoseconds.
    public var at: Timestamp {
        get { Timestamp(nanoseconds: raw.at_ns) }
        set { raw.at_ns = newValue.nanoseconds }
    }

    /// The number of the scene's name; of no meaning for a pointer event.
    public var name: SceneNumber {
        get { SceneNumber(rawValue: raw.name) }
        set { raw.name = newValue.rawValue }
    }

    /// The button of a pointer event; of no meaning for other events.
    public var button: UInt32 { raw.button }

    /// Whether a pointer event presses its button; false for other events.
    public var isPressed: Bool { has(SETTLE_PRESSED) }

    /// The size that the event states in the log's unit, `nil` if it states none.
    public var size: Size? { has(SETTLE_SIZE_KNOWN) ? Size(width: raw.width, height: raw.height) : nil }

    /// The resize flag that the event states, `nil` if it states none.
    public var isInteractivelyResizing: Bool? { has(SETTLE_RESIZING_KNOWN) ? has(SETTLE_RESIZING) : nil }

    /// The raw lock value that the event states, `nil` if it states none.
    public var isInterfaceOrientationLocked: Bool? { has(SETTLE_LOCKED_KNOWN) ? has(SETTLE_LOCKED) : nil }

    /// The orientation that the event states, `nil` if it states none.
    public var orientation: InterfaceOrientation? {
        let bits = (UInt32(raw.flags) & SETTLE_ORIENTATION_MASK.rawValue) >> SETTLE_ORIENTATION_SHIFT.rawValue
        return InterfaceOrientation(rawValue: UInt8(bits))
    }

    /// The event for an engine.
    ///
    /// - Parameter scene: The handle that stands for the event's name in that engine; unused
    ///   for a pointer event.
    public func event(for scene: SceneID) -> Event {
        var raw = raw
        if raw.kind != Kind.pointer.rawValue { raw.name = scene.rawValue }
        return unsafeBitCast(raw, to: Event.self)
    }

    /// Replaces a later time by `now`; returns whether it was later. A time out of range
    /// stays, and the engine rejects the event.
    @discardableResult
    package mutating func clamp(to now: Timestamp) -> Bool {
        guard at > now, at <= .latest else { return false }
        at = now
        return true
    }

    private func has(_ flag: settle_event_flag) -> Bool { UInt32(raw.flags) & flag.rawValue != 0 }
}

extension LogEvent: Equatable {
    /// Equal in every bit, so that a log that was copied can be compared.
    public static func == (a: LogEvent, b: LogEvent) -> Bool {
        a.raw.at_ns == b.raw.at_ns && a.raw.name == b.raw.name && a.raw.kind == b.raw.kind
            && a.raw.flags == b.raw.flags && a.raw.width.bitPattern == b.raw.width.bitPattern
            && a.raw.height.bitPattern == b.raw.height.bitPattern
    }
}
