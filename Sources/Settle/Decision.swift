internal import CSettle

/// What the engine decided, for one scene at one time.
public struct Decision: Hashable, Sendable {
    /// The time of the event or deadline that decided, never that of a wake-up.
    public var at: Timestamp
    public var scene: SceneID
    public var kind: Kind

    public init(at: Timestamp, scene: SceneID, kind: Kind) {
        self.at = at
        self.scene = scene
        self.kind = kind
    }

    public enum Kind: Hashable, Sendable {
        case interactionBegan
        /// The interaction that took `duration` is over.
        case interactionEnded(EndReason, duration: Duration)
        /// Build for this size now.
        case rebuild(Rebuild)
        /// A new orientation-lock value has held for the policy's lockDelay.
        case lockChanged(isLocked: Bool)
    }

    /// Why an interaction ended.
    public enum EndReason: String, Hashable, Sendable, CaseIterable {
        /// An event said so: `isInteractivelyResizing` went off.
        case reported
        /// The last held pointer button was released.
        case released
        /// The scene disconnected.
        case disconnected
        /// The scene was silent for the policy's interactionTimeout.
        case timeout
    }
}

/// The expensive work that is due.
public struct Rebuild: Hashable, Sendable {
    /// The size to build for.
    public var size: Size
    /// The size built before, `nil` for the scene's first.
    public var previousSize: Size?
    public var reason: Reason
    /// 1 for the scene's first rebuild, then 2, 3 …: a handler that is overtaken
    /// by a higher number works in vain.
    public var generation: UInt32
    /// Geometry events of the scene since its last rebuild, all answered by this one.
    public var coalescedEvents: UInt32
    /// How long the interaction took that this rebuild follows, `nil` when it
    /// follows none.
    public var interactionDuration: Duration?

    public init(
        size: Size, previousSize: Size? = nil, reason: Reason, generation: UInt32 = 1, coalescedEvents: UInt32 = 1,
        interactionDuration: Duration? = nil
    ) {
        self.size = size
        self.previousSize = previousSize
        self.reason = reason
        self.generation = generation
        self.coalescedEvents = coalescedEvents
        self.interactionDuration = interactionDuration
    }

    /// Why a rebuild is due.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// An interaction ended and the size differs from the built one.
        case interactionEnded
        /// A change outside any interaction on a scene that reports the flag.
        case discrete
        /// Quiet on a scene that does not report the flag.
        case quiet
        /// The change had been owed for the policy's maximumWait.
        case maximumWait
        /// The watchdog ended the interaction.
        case timeout
        /// It was asked for.
        case flush
    }
}

extension Decision {
    /// The core hands out only what its header names, so anything else is a fault
    /// of this library and stops the program.
    init(_ raw: settle_decision) {
        at = Timestamp(nanoseconds: raw.at_ns)
        scene = SceneID(rawValue: raw.scene)
        switch settle_decision_kind(rawValue: UInt32(raw.kind)) {
        case SETTLE_INTERACTION_BEGAN: kind = .interactionBegan
        case SETTLE_INTERACTION_ENDED:
            kind = .interactionEnded(EndReason(raw), duration: .nanoseconds(Int64(raw.interaction_ns)))
        case SETTLE_REBUILD: kind = .rebuild(Rebuild(raw))
        case SETTLE_LOCK_CHANGED: kind = .lockChanged(isLocked: raw.locked != 0)
        default: fatalError("the core decided something unknown: kind \(raw.kind)")
        }
    }
}

extension Decision.EndReason {
    fileprivate init(_ raw: settle_decision) {
        switch settle_reason(rawValue: UInt32(raw.reason)) {
        case SETTLE_ENDED_REPORTED: self = .reported
        case SETTLE_ENDED_RELEASED: self = .released
        case SETTLE_ENDED_DISCONNECTED: self = .disconnected
        case SETTLE_ENDED_TIMEOUT: self = .timeout
        default: fatalError("the core ended an interaction for an unknown reason: \(raw.reason)")
        }
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
        let followsInteraction =
            raw.reason == SETTLE_REBUILD_INTERACTION_ENDED.rawValue
            || raw.reason == SETTLE_REBUILD_TIMEOUT.rawValue || raw.interaction_ns > 0
        interactionDuration = followsInteraction ? .nanoseconds(Int64(raw.interaction_ns)) : nil
    }
}

extension Rebuild.Reason {
    fileprivate init(_ raw: settle_decision) {
        switch settle_reason(rawValue: UInt32(raw.reason)) {
        case SETTLE_REBUILD_INTERACTION_ENDED: self = .interactionEnded
        case SETTLE_REBUILD_TIMEOUT: self = .timeout
        case SETTLE_REBUILD_DISCRETE: self = .discrete
        case SETTLE_REBUILD_QUIET: self = .quiet
        case SETTLE_REBUILD_MAXIMUM_WAIT: self = .maximumWait
        case SETTLE_REBUILD_FLUSH: self = .flush
        default: fatalError("the core rebuilt for an unknown reason: \(raw.reason)")
        }
    }
}
