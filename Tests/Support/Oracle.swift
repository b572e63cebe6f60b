public import Settle

/// A second, simple implementation of the decision contract: a dictionary of scenes, and a
/// scan of all deadlines before every event. It shares nothing with the core but the rules,
/// whose numbers are in the comments. It is slow.
public struct Oracle {
    public struct Counts: Equatable {
        public var events: UInt64 = 0
        public var rejectedSizes: UInt64 = 0
        public var rejectedScenes: UInt64 = 0
        public var rejectedEvents: UInt64 = 0
        public var regressions: UInt64 = 0
        public var decisions: UInt64 = 0

        public init() {}

        /// The counts of an engine.
        public init(_ statistics: Engine.Statistics) {
            events = statistics.events
            rejectedSizes = statistics.rejectedSizes
            rejectedScenes = statistics.rejectedScenes
            rejectedEvents = statistics.rejectedEvents
            regressions = statistics.regressions
            decisions = statistics.decisions
        }
    }

    private typealias Armed = OracleScene.Armed
    private enum Due { case rebuild, preview, live, lock, watchdog }

    private var scenes: [SceneID: OracleScene] = [:]
    private var heldButtons: Set<UInt32> = []
    private var time: UInt64 = 0
    private var lastNumber = 0
    public private(set) var decisions: [Decision] = []
    public private(set) var counts = Counts()

    public init() {}

    public var now: Timestamp { Timestamp(nanoseconds: time) }
    public var nextDeadline: Timestamp? { earliest.map { Timestamp(nanoseconds: $0.deadline.at) } }
    public var connectedScenes: [SceneID] { Array(scenes.keys) }
    public func isPending(_ scene: SceneID) -> Bool { scenes[scene]?.debt != nil || scenes[scene]?.live != nil }
    /// The number of the scene's last rebuild; 0 before its first, and for a scene that is not connected.
    public func generation(of scene: SceneID) -> UInt32 { scenes[scene]?.generation ?? 0 }
    /// Whether the end of the scene's last rebuild was neither reported nor its size returned.
    public func isInFlight(_ scene: SceneID) -> Bool { scenes[scene]?.flight != nil }
    public func isInteracting(_ scene: SceneID) -> Bool { scenes[scene]?.interaction != nil }

    public mutating func connect(_ scene: SceneID, policy: Policy) {
        precondition(scenes[scene] == nil, "the identity is in use")
        scenes[scene] = OracleScene(policy: policy)
    }

    /// The scene starts rule 16 anew, and rule 18 waits for the next report. An armed deadline stays, but a deadline that the new policy
    /// does not have is disarmed.
    public mutating func setPolicy(_ policy: Policy, of scene: SceneID) {
        let old = scenes[scene]!.policy
        scenes[scene]!.policy = policy
        scenes[scene]!.quiet = nil
        scenes[scene]!.report = nil
        if policy.interactionTimeout == nil { scenes[scene]!.watchdog = nil }
        if policy.pauseDelay == nil { scenes[scene]!.preview = nil }
        if policy.liveSharePercent == nil { scenes[scene]!.live = nil }
        if old.maximumWait == nil { scenes[scene]!.debt?.arose = time }
    }

    public mutating func submit(_ event: Event) {
        guard accepts(event) else { return }
        counts.events += 1
        // Rule 1: an event before the engine's time is applied at the engine's time.
        if event.at.nanoseconds < time { counts.regressions += 1 }
        fireDue(at: event.at)
        switch event.kind {
        case .geometry: geometry(event)
        case .disconnect: disconnect(event.scene)
        case .pointer: pointer(event)
        case .flush: flush(event.scene)
        case .cancel: cancel(event.scene)
        case .reallyBuilt: reallyBuilt(event)
        case .finished: finished(event)
        case .connect, nil: break
        }
    }

    /// Does nothing for a time before the oracle's, not even fire a deadline at that time.
    public mutating func advance(to target: Timestamp) {
        if target >= now { fireDue(at: target) }
    }

    private mutating func fireDue(at target: Timestamp) {
        time = max(time, min(target, .latest).nanoseconds)
        while let next = earliest, next.deadline.at <= time { fire(next.scene, next.due, at: next.deadline.at) }
    }

    /// Rule 14.
    public mutating func finish() {
        while let next = earliest {
            time = max(time, next.deadline.at)
            fire(next.scene, next.due, at: next.deadline.at)
        }
    }
}

// MARK: - Rule 1, deadlines

extension Oracle {
    private var earliest: (deadline: Armed, scene: SceneID, due: Due)? {
        var best: (deadline: Armed, scene: SceneID, due: Due)?
        func consider(_ deadline: Armed?, _ scene: SceneID, _ due: Due) {
            guard let deadline else { return }
            if let best, (best.deadline.at, best.deadline.number) < (deadline.at, deadline.number) { return }
            best = (deadline, scene, due)
        }
        for (id, scene) in scenes {
            consider(scene.debt?.deadline, id, .rebuild)
            consider(scene.preview, id, .preview)
            consider(scene.live, id, .live)
            consider(scene.lock, id, .lock)
            consider(scene.watchdog, id, .watchdog)
        }
        return best
    }

    /// A deadline is at most `Timestamp.latest`, like every time.
    private static func after(_ start: UInt64, _ delay: Duration) -> UInt64 {
        min(start + delay.wholeNanoseconds, Timestamp.latest.nanoseconds)
    }

    /// The time between two moments in whole microseconds.
    static func microseconds(from start: UInt64, to end: UInt64) -> Duration {
        .microseconds(Int64((end - start) / 1_000))
    }

    private mutating func arm(after delay: Duration, from start: UInt64) -> Armed {
        lastNumber += 1
        return Armed(at: Oracle.after(start, delay), number: lastNumber)
    }

    private mutating func fire(_ id: SceneID, _ due: Due, at deadline: UInt64) {
        switch due {
        case .rebuild:
            let scene = scenes[id]!
            // Rule 7. A handler may have reported meanwhile that this size is built.
            if scene.size != scene.built { rebuild(id, scene.debt!.reason, at: deadline) }
            scenes[id]!.debt = nil
        case .preview:
            // Rule 17.
            let size = scenes[id]!.size!
            scenes[id]!.preview = nil
            scenes[id]!.interaction!.previewed = size
            decide(id, .preview(size), at: deadline)
        case .live:
            // Rule 18.
            rebuild(id, .live, at: deadline)
            scenes[id]!.debt = nil
            scenes[id]!.preview = nil
        case .lock:
            scenes[id]!.lock = nil
            scenes[id]!.deliveredLock = scenes[id]!.isLocked
            decide(id, .lockChanged(isLocked: scenes[id]!.isLocked), at: deadline)
        case .watchdog:
            endInteraction(id, .timeout, at: deadline)
        }
    }

    private mutating func decide(_ id: SceneID, _ kind: Decision.Kind, at moment: UInt64) {
        decisions.append(Decision(at: Timestamp(nanoseconds: moment), scene: id, kind: kind))
        counts.decisions += 1
    }

    private mutating func rebuild(_ id: SceneID, _ reason: Rebuild.Reason, at moment: UInt64) {
        var scene = scenes[id]!
        scene.generation += 1
        let rebuild = Rebuild(
            size: scene.size!, previousSize: scene.built, reason: reason, generation: scene.generation,
            coalescedEvents: scene.coalesced,
            interactionDuration: (scene.debt?.stem?.duration).map(Duration.init(wholeNanoseconds:)))
        scene.built = scene.size
        scene.coalesced = 0
        (scene.flight, scene.rebuilt, scene.live) = (scene.generation, moment, nil)
        scenes[id] = scene
        decide(id, .rebuild(rebuild), at: moment)
    }
}

// MARK: - Events

extension Oracle {
    /// Rules 2 and 10: a rejected event changes nothing, not even the time.
    private mutating func accepts(_ event: Event) -> Bool {
        if event.kind == nil || event.at > .latest {
            counts.rejectedEvents += 1
        } else if event.kind == .pointer {
            let isOneTooMany = event.isPressed && heldButtons.count == 32 && !heldButtons.contains(event.button)
            if !isOneTooMany { return true }
            counts.rejectedEvents += 1
        } else if let size = event.size, !size.isAcceptable {
            counts.rejectedSizes += 1
        } else if scenes[event.scene] == nil {
            counts.rejectedScenes += 1
        } else {
            return true
        }
        return false
    }

    private mutating func geometry(_ event: Event) {
        let id = event.scene
        let old = scenes[id]!.size
        scenes[id]!.coalesced += 1
        var isChanged = false
        if let size = event.size, size.isKnown, size != old {
            scenes[id]!.size = size
            scenes[id]!.isForgotten = false
            isChanged = true
        }
        // Rule 3: a flag that was never on says nothing.
        if event.isInteractivelyResizing == true { scenes[id]!.reports = true }
        let flag = scenes[id]!.reports ? event.isInteractivelyResizing : nil
        let wasInteracting = scenes[id]!.interaction != nil
        // Rule 5.
        let isDragged = !scenes[id]!.reports && !heldButtons.isEmpty && scenes[id]!.built != nil

        if flag == true || isChanged && isDragged, !wasInteracting { beginInteraction(id) }
        // Rules 4 and 5: from now on the flag, not the pointer, ends the interaction.
        if flag == true { scenes[id]!.interaction!.isReported = true }
        // Rule 1: within one event the watchdog is armed first, then the rebuild or preview, the live rebuild
        // and the lock.
        if flag == false, wasInteracting {
            endInteraction(id, .reported, at: time)
        } else if scenes[id]!.interaction != nil {
            watch(id)
            if isChanged { hold(id) }
        } else if isChanged {
            owe(id, at: time, quiet: quietWait(id, from: old))
        }
        if isChanged { considerLive(id) }
        lock(id, event.isInterfaceOrientationLocked)
    }

    /// Rule 11: every geometry event of the scene restarts the watchdog.
    private mutating func watch(_ id: SceneID) {
        if let timeout = scenes[id]!.policy.interactionTimeout {
            scenes[id]!.watchdog = arm(after: timeout, from: time)
        }
    }

    /// Rule 17, for a size that changed in an interaction.
    private mutating func hold(_ id: SceneID) {
        let scene = scenes[id]!
        guard let delay = scene.policy.pauseDelay else { return }
        let isShown = scene.size == scene.built || scene.size == scene.interaction!.previewed
        scenes[id]!.preview = isShown ? nil : arm(after: delay, from: time)
    }

    /// Rule 16: `nil` where it is not consulted.
    private mutating func quietWait(_ id: SceneID, from old: Size?) -> Duration? {
        let scene = scenes[id]!
        guard !scene.reports, scene.built != nil, scene.debt?.stem == nil else { return nil }
        return scenes[id]!.quietWait(from: old, at: time)
    }

    /// Rule 9.
    private mutating func lock(_ id: SceneID, _ isLocked: Bool?) {
        guard let isLocked, isLocked != scenes[id]!.isLocked else { return }
        scenes[id]!.isLocked = isLocked
        let isNews = isLocked != scenes[id]!.deliveredLock
        scenes[id]!.lock = isNews ? arm(after: scenes[id]!.policy.lockDelay, from: time) : nil
    }

    /// Rule 5: the last release ends what the pointer began, in the order of beginning.
    private mutating func pointer(_ event: Event) {
        if event.isPressed {
            heldButtons.insert(event.button)
        } else if heldButtons.remove(event.button) != nil, heldButtons.isEmpty {
            let dragged = scenes.filter { $0.value.interaction?.isReported == false }
            for (id, _) in dragged.sorted(by: { $0.value.interaction!.number < $1.value.interaction!.number }) {
                endInteraction(id, .released, at: time)
            }
        }
    }

    /// Rule 10.
    private mutating func disconnect(_ id: SceneID) {
        if scenes[id]!.interaction != nil { endInteraction(id, .disconnected, at: time) }
        scenes[id] = nil
    }

    /// Rule 12.
    private mutating func flush(_ id: SceneID) {
        let scene = scenes[id]!
        guard scene.interaction == nil, scene.isUnbuilt, !scene.isForgotten else { return }
        rebuild(id, .flush, at: time)
        scenes[id]!.debt = nil
    }

    /// Rule 12.
    private mutating func cancel(_ id: SceneID) {
        if scenes[id]!.isUnbuilt { scenes[id]!.isForgotten = true }
        scenes[id]!.debt = nil
        scenes[id]!.preview = nil
        scenes[id]!.live = nil
    }

    /// Rule 13.
    private mutating func reallyBuilt(_ event: Event) {
        scenes[event.scene]!.built = event.size.flatMap { $0.isKnown ? $0 : nil }
        scenes[event.scene]!.flight = nil
        if !scenes[event.scene]!.isUnbuilt { scenes[event.scene]!.live = nil }
    }

    /// Rule 18: a report of a build's end. The next rebuild's cost begins with it.
    private mutating func finished(_ event: Event) {
        let (generation, cost) = event.build!
        guard scenes[event.scene]!.flight == generation else { return }
        scenes[event.scene]!.flight = nil
        scenes[event.scene]!.report = (time, min(cost, .seconds(3600)))
        considerLive(event.scene)
    }

    /// Rule 18: at a size change, and at a report that ends a flight.
    private mutating func considerLive(_ id: SceneID) {
        let scene = scenes[id]!
        if !scene.isUnbuilt { scenes[id]!.live = nil }
        guard scene.live == nil, let share = scene.policy.liveSharePercent, scene.built != nil, scene.isUnbuilt,
            !scene.isForgotten, scene.flight == nil, let report = scene.report
        else { return }
        if let limit = scene.policy.liveLimit, report.cost > limit { return }
        let cost = report.cost.wholeNanoseconds
        let pause = Duration(wholeNanoseconds: (cost * UInt64(100 - share) + UInt64(share) - 1) / UInt64(share))
        lastNumber += 1
        let at = [time, Oracle.after(report.at, pause), Oracle.after(scene.rebuilt, scene.policy.liveInterval)].max()!
        scenes[id]!.live = Armed(at: at, number: lastNumber)
    }
}

// MARK: - Interactions and pending rebuilds

extension Oracle {
    /// Rules 4 and 5. A pending rebuild waits for the end (rule 8).
    private mutating func beginInteraction(_ id: SceneID) {
        lastNumber += 1
        scenes[id]!.interaction = OracleScene.Interaction(since: time, number: lastNumber, isReported: false)
        scenes[id]!.debt = nil
        decide(id, .interactionBegan, at: time)
    }

    private mutating func endInteraction(_ id: SceneID, _ reason: Decision.EndReason, at moment: UInt64) {
        let duration = moment - scenes[id]!.interaction!.since
        scenes[id]!.interaction = nil
        scenes[id]!.watchdog = nil
        scenes[id]!.preview = nil
        decide(id, .interactionEnded(reason, duration: Duration(wholeNanoseconds: duration)), at: moment)
        owe(id, at: moment, OracleScene.Stem(end: reason, duration: duration))
    }

    /// Rule 6, for a scene outside any interaction whose size changed or whose interaction just ended.
    private mutating func owe(
        _ id: SceneID, at moment: UInt64, _ ended: OracleScene.Stem? = nil, quiet: Duration? = nil
    ) {
        let scene = scenes[id]!
        guard scene.isUnbuilt, !scene.isForgotten else {
            scenes[id]!.debt = nil
            return
        }
        var debt = scene.debt ?? OracleScene.Debt(arose: moment, stem: ended)
        let wait = scene.wait(after: debt.stem, quiet: quiet)
        debt.reason = wait.reason
        debt.deadline = arm(after: wait.delay, from: moment)
        if let most = scene.policy.maximumWait {
            let cap = max(Oracle.after(debt.arose, most), moment)
            if cap < debt.deadline.at {
                debt.deadline.at = cap
                debt.reason = .maximumWait
            }
        }
        scenes[id]!.debt = debt
    }
}

extension Size {
    fileprivate var isAcceptable: Bool { width.isFinite && height.isFinite && width >= 0 && height >= 0 }
    /// Rule 2: a zero side keeps the size.
    fileprivate var isKnown: Bool { width > 0 && height > 0 }
}

extension Duration {
    /// Also for durations beyond Int64: the end of a log can be after the latest timestamp.
    fileprivate init(wholeNanoseconds: UInt64) {
        let (seconds, rest) = wholeNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        self = .seconds(Int64(seconds)) + .nanoseconds(Int64(rest))
    }

    fileprivate var wholeNanoseconds: UInt64 {
        UInt64(components.seconds) * 1_000_000_000 + UInt64(components.attoseconds) / 1_000_000_000
    }
}
