// Publicly, although no public declaration has a C type: after a package import, the compiler would not
// specialize this module's code for its callers.
public import CSettle

/// What names a scene in an event: an engine's handle, or the number of a log's name.
public protocol EventScene: RawRepresentable<UInt32>, Sendable {
    /// The kinds of events that name their scenes so.
    associatedtype EventKind: RawRepresentable<UInt16>, Hashable, Sendable
}

/// An engine's event, whose scene is a handle.
public typealias Event = SceneEvent<SceneID>

/// One thing that happened, in 32 bytes: a scene's geometry or connection, a pointer button,
/// or a request of a handler.
///
/// Sizes and flags that an event does not state stay as they were.
public struct SceneEvent<Scene: EventScene>: Sendable {
    /// What an event reports; see the functions of the same names.
    public typealias Kind = Scene.EventKind

    /// The core's form, which is the codec's as well.
    @usableFromInline package var raw: settle_event

    @inlinable package init(_ raw: settle_event) { self.raw = raw }

    @inlinable
    init(_ kind: settle_event_kind, _ scene: Scene, _ at: Timestamp, size: Size? = nil, flags: Int = 0) {
        raw = settle_event_make(kind.rawValue, scene.rawValue, at.nanoseconds)
        raw.width = size?.width ?? 0
        raw.height = size?.height ?? 0
        raw.flags = UInt16(flags)
    }

    /// A scene's geometry.
    ///
    /// - Parameters:
    ///   - scene: The scene; an engine's must be connected.
    ///   - at: When it happened, in a log by the log's clock.
    ///   - size: The effective size, in a log's unit. The engine rejects an event with a side that
    ///     is negative or not finite. A zero side keeps the size, and the flags still apply.
    ///   - isInteractivelyResizing: The flag of the same name in UIKit, `resizing` in xdg-shell;
    ///     `nil` if the source has none (X11).
    ///   - isInterfaceOrientationLocked: The lock value before it is debounced, `nil` if the
    ///     source has none.
    ///   - orientation: `nil` if the source has none.
    @inlinable public static func geometry(
        _ scene: Scene, at: Timestamp, size: Size? = nil, isInteractivelyResizing: Bool? = nil,
        isInterfaceOrientationLocked: Bool? = nil, orientation: InterfaceOrientation? = nil
    ) -> Self {
        var flags = size == nil ? 0 : SETTLE_SIZE_KNOWN.number
        if let resizing = isInteractivelyResizing {
            flags |= SETTLE_RESIZING_KNOWN.number | (resizing ? SETTLE_RESIZING.number : 0)
        }
        if let locked = isInterfaceOrientationLocked {
            flags |= SETTLE_LOCKED_KNOWN.number | (locked ? SETTLE_LOCKED.number : 0)
        }
        flags |= Int(orientation?.rawValue ?? 0) << SETTLE_ORIENTATION_SHIFT.number
        return Self(SETTLE_GEOMETRY, scene, at, size: size, flags: flags)
    }

    /// The time at which a scene connected. For an engine it moves time and changes nothing else;
    /// `Engine.connect` connects the scene.
    @inlinable public static func connect(_ scene: Scene, at: Timestamp) -> Self { Self(SETTLE_CONNECT, scene, at) }

    /// A scene disconnects: nothing is decided for it afterwards, and its handle is stale. The next
    /// event of a log's scene, unless it disconnects again, connects it anew.
    @inlinable public static func disconnect(_ scene: Scene, at: Timestamp) -> Self {
        Self(SETTLE_DISCONNECT, scene, at)
    }

    /// A pointer button went down or up anywhere. At most 16 buttons are held at the same
    /// time; the engine rejects one more.
    public static func pointer(button: UInt32, at: Timestamp, isPressed: Bool) -> Self {
        Self(settle_event_pointer(button, at.nanoseconds, isPressed))
    }

    /// The build of a scene's rebuild is done. Live rebuilds (`Policy.liveSharePercent`) depend on these reports;
    /// one of an older rebuild than the scene's last changes nothing.
    ///
    /// - Parameters:
    ///   - scene: The scene that was built.
    ///   - generation: The rebuild's `Rebuild.generation`.
    ///   - cost: How long the build took, from zero; what is longer than 104 days counts as that.
    ///   - at: When the build ended.
    public static func finished(_ scene: Scene, at: Timestamp, generation: UInt32, cost: Duration) -> Self {
        Self(
            settle_event_finished(
                scene.rawValue, at.nanoseconds, generation, max(cost, .zero).wholeNanoseconds))
    }

    /// The work for a scene's preview has ended. With `Policy.pauseSharePercent` the next preview waits for it; one of
    /// an older preview than the scene's last changes nothing, nor does one after the scene's next rebuild.
    ///
    /// - Parameters:
    ///   - scene: The scene that was previewed.
    ///   - generation: The preview's generation, see `Decision.Kind.preview`.
    ///   - cost: How long the work took, as of `finished`.
    ///   - isKept: Whether what was made for the size is there to be shown; `false` if the work was given up.
    ///   - at: When the work ended.
    public static func previewed(
        _ scene: Scene, at: Timestamp, generation: UInt32, cost: Duration, isKept: Bool
    ) -> Self {
        Self(
            settle_event_previewed(
                scene.rawValue, at.nanoseconds, generation, max(cost, .zero).wholeNanoseconds, isKept))
    }
}

/// Requests, which no log holds.
extension Event {
    /// Decides the pending rebuild of a scene now, unless the scene is being resized.
    public static func flush(_ scene: SceneID, at: Timestamp) -> Event { Event(SETTLE_FLUSH, scene, at) }

    /// Forgets the pending rebuild of a scene until its size next changes.
    public static func cancel(_ scene: SceneID, at: Timestamp) -> Event { Event(SETTLE_CANCEL, scene, at) }

    /// A rebuild failed or was abandoned, and `size` is really built, `nil` for nothing. The
    /// size that failed is decided again after the scene's next change, interaction end or flush.
    public static func reallyBuilt(_ scene: SceneID, at: Timestamp, size: Size?) -> Event {
        Event(SETTLE_REALLY_BUILT, scene, at, size: size, flags: size == nil ? 0 : SETTLE_SIZE_KNOWN.number)
    }
}

extension SceneID: EventScene {
    /// What an engine's event reports.
    public enum EventKind: UInt16, Hashable, Sendable {
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
        case reallyBuilt
        /// The build of a rebuild is done.
        case finished
        /// The work for a preview is done, or was given up.
        case previewed
    }
}

extension Event {
    /// `nil` for a kind that this version does not know. The engine rejects such an event.
    public var kind: Kind? { Kind(rawValue: raw.kind) }

    /// The scene that it is about. Without meaning for a pointer event.
    public var scene: SceneID {
        get { SceneID(rawValue: raw.scene) }
        set { raw.scene = newValue.rawValue }
    }
}

extension SceneEvent {
    /// When it happened: on any clock for an `Engine`, on CLOCK_MONOTONIC for a `LiveEngine`, on
    /// the log's in a log.
    public var at: Timestamp {
        get { Timestamp(nanoseconds: raw.at_ns) }
        set { raw.at_ns = newValue.nanoseconds }
    }

    /// The button of a pointer event.
    public var button: UInt32 { raw.button }
    /// Whether the button of a pointer event went down.
    public var isPressed: Bool { has(SETTLE_PRESSED) }

    /// The rebuild and the cost of its build that a `finished` event reports, `nil` of any other.
    public var build: (generation: UInt32, cost: Duration)? {
        guard raw.kind == SETTLE_FINISHED.rawValue else { return nil }
        return (UInt32(clamping: raw.generation), .nanoseconds(Int64(clamping: raw.cost_ns)))
    }

    /// The preview whose work a `previewed` event reports, what the work cost and whether it was kept, `nil` of any
    /// other.
    public var work: (generation: UInt32, cost: Duration, isKept: Bool)? {
        guard raw.kind == SETTLE_PREVIEWED.rawValue else { return nil }
        return (UInt32(clamping: raw.generation), .nanoseconds(Int64(clamping: raw.cost_ns)), !has(SETTLE_GIVEN_UP))
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

    @inline(__always) private func has(_ flag: settle_event_flag) -> Bool { Int(raw.flags) & flag.number != 0 }
}

extension SceneEvent: Equatable {
    /// Compares all bits, so that the copy of a log can be compared with the original.
    public static func == (a: Self, b: Self) -> Bool {
        a.raw.at_ns == b.raw.at_ns && a.raw.scene == b.raw.scene && a.raw.kind == b.raw.kind
            && a.raw.flags == b.raw.flags && a.raw.width.bitPattern == b.raw.width.bitPattern
            && a.raw.height.bitPattern == b.raw.height.bitPattern
    }
}

extension settle_event_flag {
    @inlinable var number: Int { Int(rawValue) }
}
