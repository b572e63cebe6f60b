internal import CSettle

/// The decision engine: events in, decisions out, by the rules of `docs/reference/contract.md`.
///
/// It reads no clock and starts no thread. After `init` it allocates memory only for a
/// policy that it has not seen before. Use it from one thread at a time. Each call delivers
/// its decisions to the closure that it is given, in order, before it returns; the closure
/// cannot use the engine.
///
/// ```swift
/// var engine = try Engine(policy: .default)
/// let window = try engine.connect()
/// engine.submit(.geometry(window, at: now, size: size, isInteractivelyResizing: true)) { decision in … }
/// engine.advance(to: later) { decision in … }
/// ```
public struct Engine: ~Copyable {
    private let workspace: UnsafeMutableRawPointer
    let core: OpaquePointer
    /// What the engine was made with.
    public let configuration: Configuration
    /// The core's policies, by their durations in whole nanoseconds.
    private var policyNumbers: [Policy: UInt32]
    /// The decisions of one call to the core, on their way to a closure.
    private let popped: UnsafeMutablePointer<settle_decision>
    private static let poppedMax = 64

    /// The version of Settle that this program runs, such as `0.2.0`.
    public static let version = String(cString: settle_version_string())

    /// 2^20: the largest `scenesMax`.
    public static let scenesLimit = Int(SETTLE_SCENES_MAX)
    /// 32: the most pointer buttons that are held at the same time; one more is rejected.
    package static let buttonsLimit = Int(SETTLE_BUTTONS_MAX)

    /// Makes an engine with the default bounds.
    ///
    /// - Throws: `EngineError.durationOutOfRange`.
    public init(policy: Policy = .default) throws(EngineError) {
        try self.init(Configuration(policy: policy))
    }

    /// - Throws: `EngineError.boundOutOfRange` and `durationOutOfRange`.
    public init(_ configuration: Configuration) throws(EngineError) {
        var config = settle_config_default()
        config.scenes_max = try Self.bound("scenesMax", configuration.scenesMax, Int(SETTLE_SCENES_MAX))
        config.decisions_max = try Self.bound("decisionsMax", configuration.decisionsMax, Int(SETTLE_DECISIONS_MAX))
        config.policies_max = try Self.bound("policiesMax", configuration.policiesMax, Int(SETTLE_POLICIES_MAX))
        config.features = SETTLE_PREVIEWS.rawValue | SETTLE_LIVE_REBUILDS.rawValue
        config.policy = try configuration.policy.raw

        let size = settle_core_size(&config)
        workspace = .allocate(byteCount: size, alignment: 64)
        var made: OpaquePointer?
        let result = settle_core_init(workspace, size, &config, &made)
        guard result == SETTLE_OK.rawValue, let made else {
            fatalError("the core refused a checked configuration: \(result)")
        }
        core = made
        popped = .allocate(capacity: Self.poppedMax)
        slotMask = settle_core_slot(made, .max)
        self.configuration = configuration
        policyNumbers = [Policy(config.policy): 0]
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

    // MARK: Scenes

    /// Connects a new scene, of which nothing is known and for which nothing is built. This
    /// takes no time; the scene's first event does. The scene is connected until its
    /// disconnect event.
    ///
    /// - Parameter policy: The scene's own policy, `nil` for the engine's.
    /// - Throws: `EngineError.tooManyScenes`, `tooManyPolicies` and `durationOutOfRange`.
    public mutating func connect(policy: Policy? = nil) throws(EngineError) -> SceneID {
        let number = try policy.map { policy throws(EngineError) in try numberOf(policy) } ?? 0
        var scene: settle_scene = 0
        guard settle_core_connect(core, number, &scene) == SETTLE_OK.rawValue else {
            throw .tooManyScenes(configuration.scenesMax)
        }
        return SceneID(rawValue: scene)
    }

    /// Gives a connected scene another policy. It applies from the scene's next event on: a
    /// deadline that is armed stays where it is, except that a policy without
    /// `interactionTimeout`, `pauseDelay` or `liveSharePercent` disarms the watchdog, the preview or the live rebuild at
    /// once. A `maximumWait` where the scene had none counts from this call, and so does how long its size stands
    /// still. Its last change (rule 16), its previews and what its builds cost are forgotten.
    ///
    /// Until the change is made, the scene's old policy counts as well. So at `policiesMax` a
    /// new policy is refused even if no other scene has the old one: keep space for one policy
    /// more than are used at the same time, or change to `configuration.policy` first.
    ///
    /// - Throws: `EngineError.unknownScene`, `durationOutOfRange`, and `tooManyPolicies` if
    ///   connected scenes have `policiesMax` different policies.
    public mutating func setPolicy(_ policy: Policy, of scene: SceneID) throws(EngineError) {
        let number = try numberOf(policy)
        guard settle_core_set_policy(core, scene.rawValue, number) == SETTLE_OK.rawValue else {
            throw .unknownScene(scene)
        }
    }

    /// Whether a policy that is in use, or was until lately, has live rebuilds: then reports of builds count.
    package var hasLivePolicy: Bool { policyNumbers.keys.contains { $0.liveSharePercent != nil } }

    /// Whether such a policy pays for previews: then reports of previews count.
    package var hasPayingPolicy: Bool { policyNumbers.keys.contains { $0.pauseSharePercent != nil } }

    private mutating func numberOf(_ policy: Policy) throws(EngineError) -> UInt32 {
        if let known = policyNumbers[policy] { return known }
        var raw = try policy.raw
        let policy = Policy(raw)
        if let known = policyNumbers[policy] { return known }
        var number: UInt32 = 0
        var result = settle_core_add_policy(core, &raw, &number)
        if result == SETTLE_FULL.rawValue {
            removeUnusedPolicies()
            result = settle_core_add_policy(core, &raw, &number)
        }
        guard result == SETTLE_OK.rawValue else { throw .tooManyPolicies(configuration.policiesMax) }
        policyNumbers[policy] = number
        return number
    }

    private mutating func removeUnusedPolicies() {
        policyNumbers = policyNumbers.filter { settle_core_remove_policy(core, $0.value) != SETTLE_OK.rawValue }
    }

    // MARK: Events

    /// Applies one event. Before it, every deadline up to its time fires.
    ///
    /// - Returns: Why the event was rejected, `nil` if it was applied.
    @discardableResult
    public mutating func submit(_ event: Event, deliver: (Decision) -> Void) -> Rejection? {
        let before = settle_core_rejections(core)
        withUnsafePointer(to: event.raw) { apply($0, count: 1, deliver: deliver) }
        return settle_core_rejections(core).reason(since: before)
    }

    /// Applies events in order. Before each, every deadline up to its time fires. The
    /// decisions do not depend on how events are divided among calls. Rejected events are
    /// counted in `statistics`; `Statistics.since` returns what a call added.
    public mutating func submit(_ events: Span<Event>, deliver: (Decision) -> Void) {
        events.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: settle_event.self) { raw in
                guard let first = raw.baseAddress else { return }
                apply(first, count: raw.count, deliver: deliver)
            }
        }
    }

    private mutating func apply(
        _ events: UnsafePointer<settle_event>, count: Int, deliver: (Decision) -> Void
    ) {
        var done = 0
        var result = SETTLE_OK.rawValue
        repeat {
            var accepted = 0
            result = settle_core_submit(core, events + done, count - done, &accepted)
            done += accepted
            deliverDecisions(deliver)
            // The last event may be accepted while its decisions still wait for space.
        } while done < count || result == SETTLE_FULL.rawValue
    }

    /// Disconnects a scene: applies a disconnect event. Its handle is stale afterwards.
    ///
    /// - Returns: Why the event was rejected, `nil` if it was applied.
    @discardableResult
    public mutating func disconnect(_ scene: SceneID, at time: Timestamp, deliver: (Decision) -> Void) -> Rejection? {
        submit(.disconnect(scene, at: time), deliver: deliver)
    }

    /// Decides the pending rebuild of a scene now: applies a flush event.
    ///
    /// - Returns: Why the event was rejected, `nil` if it was applied.
    @discardableResult
    public mutating func flush(_ scene: SceneID, at time: Timestamp, deliver: (Decision) -> Void) -> Rejection? {
        submit(.flush(scene, at: time), deliver: deliver)
    }

    /// Forgets the pending rebuild of a scene until its size next changes: applies a cancel
    /// event.
    ///
    /// - Returns: Why the event was rejected, `nil` if it was applied.
    @discardableResult
    public mutating func cancel(_ scene: SceneID, at time: Timestamp, deliver: (Decision) -> Void) -> Rejection? {
        submit(.cancel(scene, at: time), deliver: deliver)
    }

    // MARK: Time

    /// Moves time forward and fires every deadline up to `now`. An earlier time than the
    /// engine's changes nothing. A later one than `Timestamp.latest` counts as that.
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
        var count: Int
        repeat {
            count = settle_core_pop_decisions(core, popped, Self.poppedMax)
            for index in 0..<count { deliver(Decision(popped[index])) }
        } while count == Self.poppedMax
    }

    /// The time at which `advance` must be called next, `nil` when nothing is due. Exact.
    ///
    /// Asking does not change what the engine decides. It may sort the queue of deadlines,
    /// so `nextWake` is cheaper while events flow.
    public var nextDeadline: Timestamp? {
        let deadline = settle_core_next_deadline_ns(core)
        return deadline == .max ? nil : Timestamp(nanoseconds: deadline)
    }

    /// A cheap lower bound of `nextDeadline`: nothing is due before it. Perhaps nothing is
    /// due at it either, when events have postponed the deadline.
    public var nextWake: Timestamp? {
        let bound = settle_core_next_wake_ns(core)
        return bound == .max ? nil : Timestamp(nanoseconds: bound)
    }

    /// The engine's time: that of the latest event, `advance` or deadline.
    public var now: Timestamp { Timestamp(nanoseconds: settle_core_now_ns(core)) }

    // MARK: State

    /// Whether the handle names a connected scene of this engine; false once its disconnect event
    /// is applied.
    public func isConnected(_ scene: SceneID) -> Bool { settle_core_connected(core, scene.rawValue) }

    /// True exactly while a rebuild deadline of the scene is armed.
    public func isPending(_ scene: SceneID) -> Bool { settle_core_pending(core, scene.rawValue) }

    /// True from the scene's `interactionBegan` to its `interactionEnded`.
    public func isInteracting(_ scene: SceneID) -> Bool { settle_core_interacting(core, scene.rawValue) }

    /// Whether an event of the scene has said that it is being resized: "reports" in the
    /// contract's rule 3. Before that, held pointer buttons say it.
    public func reportsResizing(_ scene: SceneID) -> Bool { settle_core_reports(core, scene.rawValue) }

    /// Whether `submit` would reject the event now, so that it would change nothing and move no time.
    /// Deadlines that fire before the event do not change the answer.
    package func rejects(_ event: Event) -> Bool {
        withUnsafePointer(to: event.raw) { settle_core_rejects(core, $0) }
    }

    /// The scene's last known size, by the contract's rules 2 and 3; `nil` while none is known.
    public func size(of scene: SceneID) -> Size? {
        var size = Size.zero
        return settle_core_known_size(core, scene.rawValue, &size.width, &size.height) ? size : nil
    }

    /// The bits of a handle that are its slot, for `SceneTable`. A connected scene has a slot
    /// below `scenesMax` that no other connected scene has; a later scene may get the same one.
    let slotMask: UInt32
}
