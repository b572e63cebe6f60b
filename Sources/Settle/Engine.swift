internal import CSettle

/// Why an engine cannot be made, or rejects a scene or a policy.
public enum EngineError: Error, Hashable, Sendable {
    /// A policy's duration is negative or longer than `Policy.longestDelay`.
    case durationOutOfRange(name: String, value: Duration)
    /// A bound of the engine is not within its range.
    case boundOutOfRange(name: String, value: Int, allowed: ClosedRange<Int>)
    /// `scenesMax` scenes are connected.
    case tooManyScenes(Int)
    /// Connected scenes have `policiesMax` different policies, the engine's own included.
    case tooManyPolicies(Int)
    /// The scene is not connected to this engine.
    case unknownScene(SceneID)
}

extension EngineError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .durationOutOfRange(let name, let value):
            "\(name) is \(value); it must be from 0 to \(Policy.longestDelay)"
        case .boundOutOfRange(let name, let value, let allowed):
            "\(name) is \(value); it must be from \(allowed.lowerBound) to \(allowed.upperBound)"
        case .tooManyScenes(let count):
            "\(count) scenes are connected already; disconnect some, or make the engine with a larger scenesMax"
        case .tooManyPolicies(let count):
            "\(count) policies are in use already; share policies between scenes, or raise policiesMax"
        case .unknownScene(let scene):
            "scene \(scene.rawValue) is not connected; it may have disconnected, or belong to another engine"
        }
    }
}

/// The decision engine: geometry events in, decisions out, by the rules of
/// `docs/contract.md`. It reads no clock and starts no thread. After `init` it allocates only
/// for a policy that is new to it.
///
/// Use it from one thread at a time. Each call passes its decisions to its closure, in order
/// and before it returns. The closure must not use the engine.
///
/// ```swift
/// var engine = try Engine(policy: .default)
/// let window = try engine.connect()
/// engine.submit(.geometry(window, at: now, size: size, isInteractivelyResizing: true)) { decision in … }
/// engine.advance(to: later) { decision in … }
/// ```
public struct Engine: ~Copyable {
    private let workspace: UnsafeMutableRawPointer
    private let core: OpaquePointer
    private let scenesMax: Int
    private let policiesMax: Int
    private var policyNumbers: [Policy: UInt32]
    /// The decisions of one call to the core, on their way to a closure.
    private let popped: UnsafeMutablePointer<settle_decision>
    private static let poppedMax = 64

    /// 2^20: the largest `scenesMax`.
    public static let scenesLimit = Int(SETTLE_SCENES_MAX)

    /// - Parameters:
    ///   - policy: The policy of scenes that connect without their own.
    ///   - scenesMax: Scenes connected at the same time, 1 to `scenesLimit`, 128 bytes each.
    ///     The memory is reserved here and used as scenes connect.
    ///   - decisionsMax: Decisions between the core and a closure, 1 to 2^24, 64 bytes each. A
    ///     smaller number costs speed, never decisions.
    ///   - policiesMax: Different policies of connected scenes at the same time, 1 to 65,536,
    ///     `policy` included.
    /// - Throws: `boundOutOfRange` and `durationOutOfRange`.
    public init(
        policy: Policy = .default, scenesMax: Int = 1024, decisionsMax: Int = 1024, policiesMax: Int = 16
    ) throws(EngineError) {
        var config = settle_config_default()
        config.scenes_max = try Self.bound("scenesMax", scenesMax, Int(SETTLE_SCENES_MAX))
        config.decisions_max = try Self.bound("decisionsMax", decisionsMax, Int(SETTLE_DECISIONS_MAX))
        config.policies_max = try Self.bound("policiesMax", policiesMax, Int(SETTLE_POLICIES_MAX))
        config.policy = try policy.raw

        let size = settle_core_size(&config)
        workspace = .allocate(byteCount: size, alignment: 64)
        var made: OpaquePointer?
        let result = settle_core_init(workspace, size, &config, &made)
        guard result == SETTLE_OK.rawValue, let made else {
            fatalError("the core refused a checked configuration: \(result)")
        }
        core = made
        popped = .allocate(capacity: Self.poppedMax)
        indices = SceneIndices(mask: settle_core_slot(made, .max))
        self.scenesMax = scenesMax
        self.policiesMax = policiesMax
        policyNumbers = [policy: 0]
    }

    deinit {
        popped.deallocate()
        workspace.deallocate()
    }

    private static func bound(_ name: String, _ value: Int, _ most: Int) throws(EngineError) -> UInt32 {
        guard (1...most).contains(value) else {
            throw .boundOutOfRange(name: name, value: value, allowed: 1...most)
        }
        return UInt32(value)
    }

    /// Connects a scene, of which nothing is known and nothing is built. Connecting takes no
    /// time; the scene's events do. The scene is connected until its disconnect event.
    ///
    /// - Parameter policy: The scene's policy, `nil` for the engine's.
    /// - Throws: `tooManyScenes`, `tooManyPolicies` and `durationOutOfRange`.
    public mutating func connect(policy: Policy? = nil) throws(EngineError) -> SceneID {
        let number = try policy.map { policy throws(EngineError) in try numberOf(policy) } ?? 0
        var scene: settle_scene = 0
        guard settle_core_connect(core, number, &scene) == SETTLE_OK.rawValue else {
            throw .tooManyScenes(scenesMax)
        }
        return SceneID(rawValue: scene)
    }

    /// Gives a connected scene another policy, from its next event on. An armed deadline stays
    /// as it is.
    ///
    /// - Throws: `unknownScene`, `durationOutOfRange`, and `tooManyPolicies` if connected scenes
    ///   have `policiesMax` different policies.
    public mutating func setPolicy(_ policy: Policy, of scene: SceneID) throws(EngineError) {
        let number = try numberOf(policy)
        guard settle_core_set_policy(core, scene.rawValue, number) == SETTLE_OK.rawValue else {
            throw .unknownScene(scene)
        }
    }

    private mutating func numberOf(_ policy: Policy) throws(EngineError) -> UInt32 {
        if let known = policyNumbers[policy] { return known }
        var raw = try policy.raw
        var number: UInt32 = 0
        var result = settle_core_add_policy(core, &raw, &number)
        if result == SETTLE_FULL.rawValue {
            removeUnusedPolicies()
            result = settle_core_add_policy(core, &raw, &number)
        }
        guard result == SETTLE_OK.rawValue else { throw .tooManyPolicies(policiesMax) }
        policyNumbers[policy] = number
        return number
    }

    private mutating func removeUnusedPolicies() {
        policyNumbers = policyNumbers.filter { settle_core_remove_policy(core, $0.value) != SETTLE_OK.rawValue }
    }

    /// Applies one event; see `submit(_:deliver:)` for many.
    public mutating func submit(_ event: Event, deliver: (Decision) -> Void) {
        withUnsafePointer(to: event.raw) { submit($0, count: 1, deliver: deliver) }
    }

    /// Applies events in order. Before each, every deadline up to its time fires.
    /// However the same events are divided among calls, the decisions are the same.
    public mutating func submit(_ events: Span<Event>, deliver: (Decision) -> Void) {
        events.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: settle_event.self) { raw in
                guard let first = raw.baseAddress else { return }
                submit(first, count: raw.count, deliver: deliver)
            }
        }
    }

    private mutating func submit(
        _ events: UnsafePointer<settle_event>, count: Int, deliver: (Decision) -> Void
    ) {
        var done = 0
        var result = SETTLE_OK.rawValue
        repeat {
            var accepted = 0
            result = settle_core_submit(core, events + done, count - done, &accepted)
            done += accepted
            deliverDecisions(deliver)
            // The last event may be accepted and still have decisions to come.
        } while done < count || result == SETTLE_FULL.rawValue
    }

    /// Moves time forward and fires every deadline up to `now`. A time before the engine's
    /// changes nothing; a time after `Timestamp.latest` is clamped to it.
    public mutating func advance(to now: Timestamp, deliver: (Decision) -> Void) {
        let to = min(now, .latest).nanoseconds
        repeat {
            let result = settle_core_advance(core, to)
            deliverDecisions(deliver)
            if result == SETTLE_OK.rawValue { return }
        } while true
    }

    /// Fires all armed deadlines at their own times: the end of a log.
    public mutating func finish(deliver: (Decision) -> Void) {
        repeat {
            let result = settle_core_finish(core)
            deliverDecisions(deliver)
            if result == SETTLE_OK.rawValue { return }
        } while true
    }

    private mutating func deliverDecisions(_ deliver: (Decision) -> Void) {
        var count = 0
        repeat {
            settle_core_pop_decisions(core, popped, Self.poppedMax, &count)
            for index in 0..<count { deliver(Decision(popped[index])) }
        } while count == Self.poppedMax
    }

    /// The time by which `advance` must be called next, `nil` when nothing is due.
    public var nextDeadline: Timestamp? {
        mutating get {
            let deadline = settle_core_next_deadline_ns(core)
            return deadline == .max ? nil : Timestamp(nanoseconds: deadline)
        }
    }

    /// A cheap lower bound of the next deadline, for a busy loop; `nil` when none is armed.
    /// Events may have postponed the deadline itself.
    public var nextWake: Timestamp? {
        let bound = settle_core_next_wake_ns(core)
        return bound == .max ? nil : Timestamp(nanoseconds: bound)
    }

    /// The engine's time: the latest event, advance or fired deadline.
    public var now: Timestamp { Timestamp(nanoseconds: settle_core_now_ns(core)) }

    /// True exactly while a rebuild deadline of the scene is armed.
    public func isPending(_ scene: SceneID) -> Bool { settle_core_pending(core, scene.rawValue) }

    /// True between the scene's interactionBegan and interactionEnded.
    public func isInteracting(_ scene: SceneID) -> Bool { settle_core_interacting(core, scene.rawValue) }

    /// The scene's last known size, by the contract's rules 2 and 3; `nil` while it has none.
    public func size(of scene: SceneID) -> Size? {
        var size = Size.zero
        return settle_core_known_size(core, scene.rawValue, &size.width, &size.height) ? size : nil
    }

    /// An index for the caller's own tables: a number below `scenesMax` that no other connected
    /// scene has. A closure that gets decisions needs a copy of `indices`, as it cannot use the
    /// engine.
    public let indices: SceneIndices

    /// The indices of one engine's scenes.
    public struct SceneIndices: Hashable, Sendable {
        fileprivate let mask: UInt32

        public subscript(scene: SceneID) -> Int { Int(scene.rawValue & mask) }
    }

    /// The counters since the engine was made.
    public var statistics: Statistics { Statistics(settle_core_stats(core)) }

    /// The counters of an engine since it was made.
    public struct Statistics: Hashable, Sendable {
        /// Events that were applied.
        public var events: UInt64
        /// Rejected for a width or height that is NaN, infinite or negative.
        public var rejectedSizes: UInt64
        /// Rejected for a scene that is unknown or gone.
        public var rejectedScenes: UInt64
        /// Rejected for an unknown kind, a time out of range or one button too many.
        public var rejectedEvents: UInt64
        /// Applied at the engine's time because their own was earlier.
        public var regressions: UInt64
        public var decisions: UInt64
        /// Connected now.
        public var scenes: Int

        public var rejected: UInt64 { rejectedSizes + rejectedScenes + rejectedEvents }
    }
}

extension Engine.Statistics {
    fileprivate init(_ raw: settle_stats) {
        events = raw.events
        rejectedSizes = raw.rejected_size
        rejectedScenes = raw.rejected_scene
        rejectedEvents = raw.rejected_event
        regressions = raw.regressions
        decisions = raw.decisions
        scenes = Int(raw.scenes)
    }
}
