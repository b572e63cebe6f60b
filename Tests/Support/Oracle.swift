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
        public var feedback: UInt64 = 0

        public init() {}

        /// The counts of an engine.
        public init(_ statistics: Engine.Statistics) {
            events = statistics.events
            rejectedSizes = statistics.rejectedSizes
            rejectedScenes = statistics.rejectedScenes
            rejectedEvents = statistics.rejectedEvents
            regressions = statistics.regressions
            decisions = statistics.decisions
            feedback = statistics.feedback
        }
    }

    typealias Armed = OracleScene.Armed
    private enum Due { case rebuild, preview, live, lock, watchdog }

    var scenes: [SceneID: OracleScene] = [:]
    /// When each held button was pressed.
    private var heldButtons: [UInt32: UInt64] = [:]
    var time: UInt64 = 0
    var lastNumber = 0
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
    /// Whether the end of the scene's last preview, of those that are paid for, was not reported.
    public func isPreviewInFlight(_ scene: SceneID) -> Bool { scenes[scene]?.previewInFlight != nil }
    public func isInteracting(_ scene: SceneID) -> Bool { scenes[scene]?.interaction != nil }

    public mutating func connect(_ scene: SceneID, policy: Policy) {
        precondition(scenes[scene] == nil, "the identity is in use")
        scenes[scene] = OracleScene(policy: policy)
    }

    /// The scene starts rules 16 and 17 anew, and rule 18 waits for the next report. An armed deadline stays, but one
    /// that the new policy does not have is disarmed. From now on the size stands still.
    public mutating func setPolicy(_ policy: Policy, of scene: SceneID) {
        let old = scenes[scene]!.policy
        scenes[scene]!.policy = policy
        scenes[scene]!.consulted = nil
        scenes[scene]!.row = nil
        scenes[scene]!.report = nil
        (scenes[scene]!.previewed, scenes[scene]!.previewInFlight, scenes[scene]!.previewPayDay) = (nil, nil, 0)
        scenes[scene]!.standsStillSince = time
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
        case .previewed: previewed(event)
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
    static func after(_ start: UInt64, _ delay: Duration) -> UInt64 {
        min(start + delay.wholeNanoseconds, Timestamp.latest.nanoseconds)
    }

    private mutating func arm(after delay: Duration, from start: UInt64) -> Armed {
        lastNumber += 1
        return Armed(at: Oracle.after(start, delay), number: lastNumber)
    }

    private mutating func fire(_ id: SceneID, _ due: Due, at deadline: UInt64) {
        switch due {
        case .rebuild:
            rebuild(id, scenes[id]!.debt!.reason, at: deadline)
        case .preview:
            // Rule 17.
            scenes[id]!.preview = nil
            scenes[id]!.previewed = scenes[id]!.size
            scenes[id]!.previews += 1
            if scenes[id]!.policy.pauseSharePercent != nil { scenes[id]!.previewInFlight = scenes[id]!.previews }
            decide(id, .preview(scenes[id]!.size!, generation: scenes[id]!.previews), at: deadline)
        case .live:
            // Rule 18.
            rebuild(id, .live, at: deadline)
        case .lock:
            scenes[id]!.lock = nil
            scenes[id]!.deliveredLock = scenes[id]!.isLocked
            decide(id, .lockChanged(isLocked: scenes[id]!.isLocked), at: deadline)
        case .watchdog:
            timeOut(id, at: deadline)
        }
    }

    /// Rules 4 and 11.
    private mutating func timeOut(_ id: SceneID, at deadline: UInt64) {
        let isReported = scenes[id]!.interaction!.isReported
        endInteraction(id, .timeout, at: deadline)
        if isReported {
            scenes[id]!.isStuck = true
        } else if !scenes.values.contains(where: { $0.interaction?.isReported == false }) {
            let lost = scenes[id]!.changed
            heldButtons = heldButtons.filter { $0.value > lost }
        }
    }

    private mutating func decide(_ id: SceneID, _ kind: Decision.Kind, at moment: UInt64) {
        decisions.append(Decision(at: Timestamp(nanoseconds: moment), scene: id, kind: kind))
        counts.decisions += 1
    }

    private mutating func rebuild(_ id: SceneID, _ reason: Rebuild.Reason, at moment: UInt64) {
        var scene = scenes[id]!
        scene.generation += 1
        var rebuild = Rebuild(
            size: scene.size!, previousSize: scene.built, reason: reason, generation: scene.generation,
            coalescedEvents: scene.coalesced,
            interactionDuration: (scene.debt?.stem?.duration).map(Duration.init(wholeNanoseconds:)),
            isPrepared: scene.isPrepared)
        if scene.interaction == nil {
            let step = scene.step(reason, at: moment)
            scene.row = OracleScene.Row(built: moment, milliseconds: step.map { $0 + scene.row!.milliseconds } ?? 0)
            rebuild.isFeedback = scene.row!.milliseconds >= 5000
            if rebuild.isFeedback { counts.feedback += 1 }
        }
        scene.built = scene.size
        scene.coalesced = 0
        (scene.debt, scene.preview, scene.previewed, scene.previewInFlight) = (nil, nil, nil, nil)
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
            let isOneTooMany = event.isPressed && heldButtons.count == 16 && heldButtons[event.button] == nil
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
            scenes[id]!.isCancelled = false
            (scenes[id]!.changed, scenes[id]!.standsStillSince) = (time, time)
            isChanged = true
        }
        let wasInteracting = scenes[id]!.interaction != nil
        flag(id, event.isInteractivelyResizing, isChanged: isChanged)
        // Rule 1: within one event the watchdog is armed first, then the rebuild, the preview, the live rebuild
        // and the lock.
        if scenes[id]!.interaction != nil {
            if isChanged || !wasInteracting { watch(id) }
        } else if !wasInteracting, isChanged {
            owe(id, at: time, quiet: quietWait(id, from: old))
        }
        if isChanged {
            considerPreview(id)
            considerLive(id)
        }
        lock(id, event.isInterfaceOrientationLocked)
    }

    /// Rules 3 to 5.
    private mutating func flag(_ id: SceneID, _ isResizing: Bool?, isChanged: Bool) {
        let isOpen = scenes[id]!.interaction != nil
        if isResizing == true {
            scenes[id]!.reports = true
            if !isOpen, isChanged || !scenes[id]!.isStuck { beginInteraction(id) }
            // From now on the flag, not the pointer, ends the interaction.
            scenes[id]!.interaction?.isReported = true
        } else if scenes[id]!.reports {
            guard isResizing == false else { return }
            scenes[id]!.isStuck = false
            if isOpen { endInteraction(id, .reported, at: time) }
        } else if isChanged, !isOpen, !heldButtons.isEmpty, scenes[id]!.built != nil {
            scenes[id]!.isDragged = true
            beginInteraction(id)
        }
    }

    /// Rule 11: the interaction's begin, or a change of size.
    private mutating func watch(_ id: SceneID) {
        if let timeout = scenes[id]!.policy.interactionTimeout {
            scenes[id]!.watchdog = arm(after: timeout, from: time)
        }
    }

    /// Rule 16: `nil` where it is not consulted.
    private mutating func quietWait(_ id: SceneID, from old: Size?) -> Duration? {
        let scene = scenes[id]!
        guard !scene.reports, !scene.isDragged, scene.built != nil else { return nil }
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
            heldButtons[event.button] = time
        } else if heldButtons.removeValue(forKey: event.button) != nil, heldButtons.isEmpty {
            let dragged = scenes.filter { $0.value.interaction?.isReported == false }
            for (id, _) in dragged.sorted(by: { $0.value.interaction!.number < $1.value.interaction!.number }) {
                endInteraction(id, .released, at: time)
            }
            // Rule 1: within one event all rebuilds come before all previews.
            for (id, _) in dragged.sorted(by: { $0.value.interaction!.number < $1.value.interaction!.number }) {
                let scene = scenes[id]!
                guard scene.policy.pauseSharePercent != nil, scene.previewInFlight == nil, scene.mayPreview else {
                    continue
                }
                lastNumber += 1
                scenes[id]!.preview = Armed(at: max(time, scene.previewPayDay), number: lastNumber)
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
        guard scene.interaction == nil, scene.isUnbuilt, !scene.isCancelled else { return }
        rebuild(id, .flush, at: time)
    }

    /// Rule 12.
    private mutating func cancel(_ id: SceneID) {
        guard scenes[id]!.isUnbuilt else { return }
        scenes[id]!.isCancelled = true
        (scenes[id]!.debt, scenes[id]!.preview, scenes[id]!.live) = (nil, nil, nil)
        scenes[id]!.previewed = nil
    }

    /// Rule 13.
    private mutating func reallyBuilt(_ event: Event) {
        let id = event.scene
        scenes[id]!.built = event.size.flatMap { $0.isKnown ? $0 : nil }
        scenes[id]!.flight = nil
        guard scenes[id]!.size == scenes[id]!.built else { return }
        (scenes[id]!.debt, scenes[id]!.preview, scenes[id]!.live) = (nil, nil, nil)
        if scenes[id]!.interaction == nil { scenes[id]!.previewed = nil }
    }

}

// MARK: - Interactions and pending rebuilds

extension Oracle {
    /// Rules 4 and 5. A pending rebuild waits for the end (rule 8).
    private mutating func beginInteraction(_ id: SceneID) {
        lastNumber += 1
        scenes[id]!.interaction = OracleScene.Interaction(since: time, number: lastNumber, isReported: false)
        scenes[id]!.debt = nil
        scenes[id]!.row = nil
        scenes[id]!.isStuck = false
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
        guard scene.isUnbuilt, !scene.isCancelled else {
            scenes[id]!.debt = nil
            scenes[id]!.previewed = nil
            return
        }
        var debt = scene.debt ?? OracleScene.Debt(arose: moment, stem: ended)
        let wait = scene.wait(after: debt.stem, quiet: quiet)
        debt.reason = wait.reason
        debt.isFirst = scene.built == nil
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
