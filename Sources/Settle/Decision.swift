internal import CSettle

/// What the engine decided, for one scene at one time.
///
/// Encoded as an object: see `Decision.encode(to:)`.
public struct Decision: Hashable, Sendable {
    /// The time of the event or deadline that decided, never that of a wake-up.
    public var at: Timestamp
    /// The scene that it is about.
    public var scene: SceneID
    public var kind: Kind

    /// A decision with these values, for tests and tools; engines make their own.
    public init(at: Timestamp, scene: SceneID, kind: Kind) {
        self.at = at
        self.scene = scene
        self.kind = kind
    }

    /// What can be decided.
    public enum Kind: Hashable, Sendable {
        /// A person began to resize the scene.
        case interactionBegan
        /// The interaction ended; it took `duration`.
        case interactionEnded(EndReason, duration: Duration)
        /// Build for this size now.
        case rebuild(Rebuild)
        /// The size that is owed has stood still for the policy's `pauseDelay`. A program may show something cheap
        /// for it, or prepare its build (`Event.previewed`, `Rebuild.isPrepared`). It is no rebuild: the built size
        /// stays. If the size is the built one again, no rebuild follows: show what is built again. The
        /// `generation` is 1 for the scene's first preview, then 2, 3 ….
        case preview(Size, generation: UInt32)
        /// A new orientation-lock value has held for the policy's `lockDelay`.
        case lockChanged(isLocked: Bool)
    }

    public enum EndReason: String, Hashable, Sendable, CaseIterable, Codable {
        /// An event reported it: `isInteractivelyResizing` became false.
        case reported
        /// The last held pointer button was released.
        case released
        case disconnected
        /// The scene's size did not change for the policy's `interactionTimeout`.
        case timeout
    }
}

/// The expensive work that is due.
///
/// Encoded as an object with its properties' names as keys. `interactionDuration` is in
/// whole nanoseconds, and what is `nil` is left out, as are `isPrepared` and `isFeedback` where they are `false`. When
/// decoded, a missing `generation` or `coalescedEvents` is 1.
public struct Rebuild: Hashable, Sendable {
    /// The size to build for.
    public var size: Size
    /// The size built before, `nil` if nothing is built.
    public var previousSize: Size?
    /// Why it is due.
    public var reason: Reason
    /// 1 for the scene's first rebuild, then 2, 3 …. A higher number supersedes a lower one.
    public var generation: UInt32
    /// Geometry events of the scene since its last rebuild, all answered by this one.
    public var coalescedEvents: UInt32
    /// How long the interaction before this rebuild took, `nil` when there was none.
    public var interactionDuration: Duration?
    /// Whether work for this size is done or under way since its preview. Only with `Policy.pauseSharePercent`.
    public var isPrepared: Bool
    /// Whether builds have changed their own scene's size for five seconds, each asking for the next: see
    /// `Engine.Statistics.feedback`. It decides nothing.
    public var isFeedback: Bool

    /// A rebuild with these values, for tests and tools; engines make their own.
    public init(
        size: Size, previousSize: Size? = nil, reason: Reason, generation: UInt32 = 1, coalescedEvents: UInt32 = 1,
        interactionDuration: Duration? = nil, isPrepared: Bool = false, isFeedback: Bool = false
    ) {
        self.size = size
        self.previousSize = previousSize
        self.reason = reason
        self.generation = generation
        self.coalescedEvents = coalescedEvents
        self.interactionDuration = interactionDuration
        self.isPrepared = isPrepared
        self.isFeedback = isFeedback
    }

    /// Why a rebuild is due.
    public enum Reason: String, Hashable, Sendable, CaseIterable, Codable {
        /// Nothing is built.
        case first
        /// An interaction ended, and the size differs from the built one.
        case interactionEnded
        /// A change outside any interaction, on a scene that reports the flag, or that the pointer has dragged.
        case discrete
        /// Quiet time passed on a scene that has no end signal.
        case quiet
        /// The rebuild was pending for the policy's `maximumWait`.
        case maximumWait
        /// The watchdog ended the interaction.
        case timeout
        /// A flush event asked for it.
        case flush
        /// The scene's last build has paid for itself, by the policy's `liveSharePercent`.
        case live
    }
}

extension Decision {
    /// The core returns only what its header names. Anything else is a bug of this library
    /// and stops the program.
    init(_ raw: settle_decision) {
        at = Timestamp(nanoseconds: raw.at_ns)
        scene = SceneID(rawValue: raw.scene)
        switch settle_decision_kind(rawValue: UInt32(raw.kind)) {
        case SETTLE_INTERACTION_BEGAN: kind = .interactionBegan
        case SETTLE_INTERACTION_ENDED:
            kind = .interactionEnded(EndReason(raw), duration: .nanoseconds(Int64(raw.interaction_ns)))
        case SETTLE_REBUILD: kind = .rebuild(Rebuild(raw))
        case SETTLE_PREVIEW:
            kind = .preview(Size(width: raw.width, height: raw.height), generation: raw.generation)
        case SETTLE_LOCK_CHANGED: kind = .lockChanged(isLocked: raw.locked != 0)
        default: fatalError("the core decided something unknown: kind \(raw.kind)")
        }
    }
}

/// Reasons by the core's numbers. Its words are the contract's, and the cases' raw values.
private func reasonsByNumber<Reason: RawRepresentable<String>>() -> [Reason?] {
    (0...).lazy.map { String(cString: settle_reason_name($0)) }.prefix { $0 != "unknown" }.map { Reason(rawValue: $0) }
}

extension Decision.EndReason {
    private static let byNumber: [Self?] = reasonsByNumber()

    fileprivate init(_ raw: settle_decision) {
        guard let reason = Self.byNumber[Int(raw.reason)] else {
            fatalError("the core ended an interaction for an unknown reason: \(raw.reason)")
        }
        self = reason
    }
}

extension Rebuild {
    fileprivate init(_ raw: settle_decision) {
        size = Size(width: raw.width, height: raw.height)
        previousSize =
            raw.previous_width == 0 ? nil : Size(width: raw.previous_width, height: raw.previous_height)
        reason = Reason(raw)
        generation = raw.generation
        coalescedEvents = raw.coalesced
        interactionDuration = raw.follows_interaction != 0 ? .nanoseconds(Int64(raw.interaction_ns)) : nil
        isPrepared = raw.prepared != 0
        isFeedback = raw.follows_interaction == 0 && raw.feedback != 0
    }
}

extension Rebuild.Reason {
    private static let byNumber: [Self?] = reasonsByNumber()

    fileprivate init(_ raw: settle_decision) {
        guard let reason = Self.byNumber[Int(raw.reason)] else {
            fatalError("the core rebuilt for an unknown reason: \(raw.reason)")
        }
        self = reason
    }
}
