public import Settle
internal import SettlePlatform

extension UISystem {
    /// Submits one event, of a scene named by `identity(of:)` or of the pointer, and makes
    /// its callbacks.
    ///
    /// An event earlier than the system's time is applied at that time, and one that the
    /// engine rejects changes nothing (contract, rules 1 and 2). With the monotonic clock an
    /// event of the future is applied now, because one wrong time would otherwise move the
    /// time of all scenes.
    public func submit(_ event: Event) { engine.submitUnclamped(engine.clamped(event)) }

    /// Submits events that belong together. Each scene gets at most one callback for them.
    public func submit(_ events: Span<Event>) {
        turn.hostCall {
            for index in events.indices {
                let event = engine.clamped(events[index])
                engine.apply(event, to: engine.windowScene(event))
            }
        }
    }

    /// Advances virtual time to `moment`. Deadlines up to it fire at their own times, each
    /// with its callbacks. A moment before the present changes nothing.
    public func advance(to moment: Timestamp) {
        turn.asOneHostCall {
            while let due = engine.core.nextDeadline, due < moment { turn.hostCall { engine.advance(to: due) } }
            turn.hostCall { engine.advance(to: moment) }
        }
    }

    /// Advances virtual time by a duration, at most to `Timestamp.latest`.
    public func advance(by duration: Duration) { advance(to: now.after(duration.wholeNanoseconds)) }

    /// Fires all deadlines at their own times: the end of virtual time. An app whose
    /// callbacks arm another deadline each time is stopped after some, which is logged.
    public func finish() {
        turn.runNextTurnWork()
        // A scene alone has at most four: an interaction's timeout, a preview, a rebuild, a lock.
        var left = 4 * engine.core.statistics.scenes + UISystem.callbacksMax
        while let due = engine.core.nextDeadline {
            guard left > 0 else {
                return log(
                    "Virtual time ends at \(due.nanoseconds) ns: the app's callbacks arm another deadline each time.")
            }
            left -= 1
            advance(to: due)
        }
    }
}

/// The way of an event: the sizing policy may change it, the engine applies it and decides,
/// and the scene's pending geometry follows. Nothing here allocates for a submitted event
/// without a callback.
@MainActor final class SceneEngine: SystemPart {
    // `@exclusivity(unchecked)`: see UISystem.swift.
    /// No closure that it runs uses it.
    @exclusivity(unchecked) var core: Engine
    /// The latest reading of the monotonic clock for an event's time.
    @exclusivity(unchecked) private var lastReading = Timestamp.zero
    /// The window scenes that are connected to the engine.
    @exclusivity(unchecked) private(set) var boundScenes: SceneTable<UIWindowScene>
    /// Decisions that were not processed yet.
    @exclusivity(unchecked) var decisions: [Decision] = []
    @exclusivity(unchecked) private(set) var isProcessingDecisions = false

    // Direct references, as those by way of `system` are counted for every event.
    private let turn: Turn
    private let displays: Displays
    private let clock: UISystem.Clock

    init(_ configuration: UISystem.Configuration, _ turn: Turn, _ displays: Displays) throws {
        self.turn = turn
        self.displays = displays
        clock = configuration.clock
        core = try Engine(
            .init(policy: configuration.policy, scenesMax: configuration.scenesMax + configuration.columnsBound))
        boundScenes = core.makeSceneTable()
        super.init()
    }

    /// Submits one event at its own time, as a replay does whatever the clock is.
    func submitUnclamped(_ event: Event) {
        turn.hostCall { apply(event, to: windowScene(event)) }
    }

    /// The event, at most at the present time if the clock is the monotonic one. The clock
    /// is read only for an event later than the last reading.
    fileprivate func clamped(_ event: Event) -> Event {
        guard clock == .monotonic, event.at > lastReading else { return event }
        lastReading = MonotonicClock.now
        var event = event
        event.clamp(to: lastReading)
        return event
    }

    /// The connected scene that an event names; `nil` for a pointer event, which names none.
    fileprivate func windowScene(_ event: Event) -> UIWindowScene? {
        event.kind == .pointer ? nil : windowScene(event.scene)
    }

    /// Applies an event to the scene that it names, as the sizing policy allows.
    func apply(_ event: Event, to scene: UIWindowScene?) {
        guard let scene else {
            submit(event)
            return
        }
        switch event.kind {
        case .geometry: update(scene, by: displays.sized(event, for: scene))
        case .disconnect where event.isValid:
            guard turn.depth > 1 else { return disconnect(scene, by: event) }
            // A callback submits it.
            try? turn.changeState { [unowned self] in disconnect(scene, by: event) }
        default: submit(event)
        }
    }

    private func disconnect(_ scene: UIWindowScene, by event: Event) {
        // Deadlines before it fire while the scene is in its present state.
        advance(to: event.at)
        if system.connections.phase != .ended { try? system.connections.disconnectNow(scene, at: event.at) }
    }

    /// Changes a scene's place, size and orientation for the system itself, past the sizing
    /// policy. Lengths are in points.
    ///
    /// - Parameter orientation: `nil` keeps the present one.
    func setGeometry(of scene: UIWindowScene, _ frame: CGRect, orientation: UIInterfaceOrientation? = nil) {
        scene.pending.origin = frame.origin
        if let orientation { scene.pending.orientation = orientation }
        update(
            scene,
            by: .geometry(
                scene.identity, at: system.now, size: Size(frame.size),
                orientation: orientation.flatMap { InterfaceOrientation($0) }))
    }

    /// Submits an event that the sizing policy has seen, and updates what depends on the
    /// scene's geometry.
    func update(_ scene: UIWindowScene, by event: Event) {
        if scene.sizing != .window { ignoreButtons(for: scene) }
        let rejection = submit(event)
        if let orientation = event.orientation, rejection == nil, !scene.pending.isInterfaceOrientationLocked {
            scene.pending.orientation = UIInterfaceOrientation(orientation)
        }
        updatePending(scene)
        displays.updateCoverage(of: scene)
        if scene.lock.isPreferred { displays.updateLock(of: scene) }
    }

    // MARK: The engine

    /// - Returns: Why the engine rejected the event; `nil` if it was applied.
    @discardableResult
    func submit(_ event: Event) -> Rejection? {
        let rejection = core.submit(event) { decisions.append($0) }
        // No event can come before the end of a delay of zero.
        if let wake = core.nextWake, wake <= core.now {
            core.advance(to: core.now) { decisions.append($0) }
        }
        if !decisions.isEmpty { processDecisions() }
        return rejection
    }

    /// Reports to the engine that no pointer button resizes a scene of fixed size: a flag that was on
    /// once counts from then on (contract, rules 3 and 5). The interaction that this makes is
    /// nobody's. One that a button began is a person's, and ends here.
    private func ignoreButtons(for scene: UIWindowScene) {
        let identity = scene.identity
        guard !core.reportsResizing(identity), core.isConnected(identity) else { return }
        let isHidden = !core.isInteracting(identity)
        for flag in [true, false] {
            core.submit(.geometry(identity, at: core.now, isInteractivelyResizing: flag)) { decision in
                let isOwn = decision.scene == identity && decision.kind.isInteraction
                if !isOwn || !isHidden { decisions.append(decision) }
            }
        }
        if !decisions.isEmpty { processDecisions() }
    }

    func advance(to moment: Timestamp) {
        core.advance(to: moment) { decisions.append($0) }
        if !decisions.isEmpty { processDecisions() }
    }

    private func processDecisions() {
        // `onDecision` may submit events, whose decisions join the list.
        if isProcessingDecisions { return }
        isProcessingDecisions = true
        defer { isProcessingDecisions = false }
        var next = 0
        while next < decisions.count {
            let decision = decisions[next]
            next += 1
            if let scene = windowScene(decision.scene) {
                process(decision, of: scene)
            } else if let target = system.columns.boundColumns[decision.scene] {
                system.columns.process(decision, of: target)
            }
        }
        decisions.removeAll(keepingCapacity: true)
    }

    private func process(_ decision: Decision, of scene: UIWindowScene) {
        if case .lockChanged(let isLocked) = decision.kind {
            scene.pending.isInterfaceOrientationLocked = isLocked
            if !isLocked { turn.afterCallbacks { [unowned self] in displays.followDevice() } }
        }
        updatePending(scene)
        if case .rebuild(let rebuild) = decision.kind, !scene.activationState.isInForeground {
            // Contract, rule 13: nothing is built yet. Entering the foreground flushes the scene.
            scene.hasDeferredRebuild = true
            core.submit(.built(scene.identity, size: rebuild.previousSize, at: core.now)) { _ in }
            return
        }
        if case .rebuild(let rebuild) = decision.kind { turn.settleAfterLayout(scene, CGSize(rebuild.size)) }
        system.onDecision?(scene, decision)
    }

    /// Copies the engine's size and flag of a scene to its pending geometry: the one place
    /// that writes them after the scene has connected.
    private func updatePending(_ scene: UIWindowScene) {
        if let size = core.size(of: scene.identity) { scene.pending.size = CGSize(size) }
        scene.pending.isInteractivelyResizing = core.isInteracting(scene.identity)
        turn.markDirty(scene)
    }

    // MARK: Scenes

    /// Connects a window scene to the engine.
    ///
    /// - Throws: `EngineError` if `scenesMax` scenes are connected.
    func bind(_ scene: UIWindowScene) throws {
        // The engine has space for columns besides.
        guard boundScenes.count < system.configuration.scenesMax else {
            throw EngineError.tooManyScenes(system.configuration.scenesMax)
        }
        scene.identity = try core.connect()
        boundScenes[scene.identity] = scene
    }

    /// Removes a scene that has disconnected from the engine, once the decisions about it,
    /// which may wait for others, are processed.
    func unbind(_ scene: UIWindowScene) {
        if isProcessingDecisions {
            return turn.afterCallbacks { [unowned self] in unbind(scene) }
        }
        boundScenes[scene.identity] = nil
    }

    func windowScene(_ identity: SceneID) -> UIWindowScene? { boundScenes[identity] }

    /// Whether the scene is connected, or is just being connected.
    func isBound(_ scene: UIWindowScene) -> Bool { windowScene(scene.identity) === scene }
}

extension Decision.Kind {
    fileprivate var isInteraction: Bool {
        switch self {
        case .interactionBegan, .interactionEnded: true
        case .rebuild, .preview, .lockChanged: false
        }
    }
}
