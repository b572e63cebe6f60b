public import Settle
internal import SettlePlatform

/// The way of an event: the sizing policy may change it, the engine applies it and decides,
/// and the scene's pending geometry follows. Nothing here allocates for a submitted event
/// without a callback.
extension UISystem {
    /// Submits one event, of a scene named by `identity(of:)` or of the pointer, and makes
    /// its callbacks.
    ///
    /// An event earlier than the system's time is applied at that time, and one that the
    /// engine rejects changes nothing (contract, rules 1 and 2). With the monotonic clock an
    /// event of the future is applied now, because one wrong time would otherwise move the
    /// time of all scenes.
    public func submit(_ event: Event) { submitUnclamped(clamped(event)) }

    /// Submits events that belong together. Each scene gets at most one callback for them.
    public func submit(_ events: Span<Event>) {
        hostCall {
            for index in events.indices {
                let event = clamped(events[index])
                apply(event, to: windowScene(event))
            }
        }
    }

    /// Submits one event at its own time, as a replay does whatever the clock is.
    func submitUnclamped(_ event: Event) {
        hostCall { apply(event, to: windowScene(event)) }
    }

    /// The event, at most at the present time if the clock is the monotonic one. The clock
    /// is read only for an event later than the last reading.
    private func clamped(_ event: Event) -> Event {
        guard configuration.clock == .monotonic, event.at > lastReading else { return event }
        lastReading = MonotonicClock.now
        var event = event
        event.clamp(to: lastReading)
        return event
    }

    /// Advances virtual time to `moment`. Deadlines up to it fire at their own times, each
    /// with its callbacks. A moment before the present changes nothing.
    public func advance(to moment: Timestamp) {
        asOneHostCall {
            while let due = engine.nextDeadline, due < moment { hostCall { advanceEngine(to: due) } }
            hostCall { advanceEngine(to: moment) }
        }
    }

    /// Advances virtual time by a duration, at most to `Timestamp.latest`.
    public func advance(by duration: Duration) { advance(to: now.after(duration.wholeNanoseconds)) }

    /// Fires all deadlines at their own times: the end of virtual time. An app whose
    /// callbacks arm another deadline each time is stopped after some, which is logged.
    public func finish() {
        runNextTurnWork()
        // A scene alone has at most four: an interaction's timeout, a preview, a rebuild, a lock.
        var left = 4 * engine.statistics.scenes + Self.callbacksMax
        while let due = engine.nextDeadline {
            guard left > 0 else {
                return log(
                    "Virtual time ends at \(due.nanoseconds) ns: the app's callbacks arm another deadline each time.")
            }
            left -= 1
            advance(to: due)
        }
    }

    /// The connected scene that an event names; `nil` for a pointer event, which names none.
    private func windowScene(_ event: Event) -> UIWindowScene? {
        event.kind == .pointer ? nil : windowScene(event.scene)
    }

    /// Applies an event to the scene that it names, as the sizing policy allows.
    func apply(_ event: Event, to scene: UIWindowScene?) {
        guard let scene else {
            submitToEngine(event)
            return
        }
        switch event.kind {
        case .geometry: update(scene, by: sized(event, for: scene))
        case .disconnect where event.isValid:
            guard transaction.depth > 1 else { return disconnect(scene, by: event) }
            // A callback submits it.
            try? changeState { [unowned self] in disconnect(scene, by: event) }
        default: submitToEngine(event)
        }
    }

    private func disconnect(_ scene: UIWindowScene, by event: Event) {
        // Deadlines before it fire while the scene is in its present state.
        advanceEngine(to: event.at)
        if phase != .ended { try? disconnectNow(scene, at: event.at) }
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
                scene.identity, at: now, size: Size(frame.size),
                orientation: orientation.flatMap { InterfaceOrientation($0) }))
    }

    /// Submits an event that the sizing policy has seen, and updates what depends on the
    /// scene's geometry.
    func update(_ scene: UIWindowScene, by event: Event) {
        if scene.sizing != .window { ignoreButtons(for: scene) }
        let rejection = submitToEngine(event)
        if let orientation = event.orientation, rejection == nil, !scene.pending.isInterfaceOrientationLocked {
            scene.pending.orientation = UIInterfaceOrientation(orientation)
        }
        updatePending(scene)
        updateCoverage(of: scene)
        if scene.lock.isPreferred { updateLock(of: scene) }
    }

    // MARK: The engine

    /// - Returns: Why the engine rejected the event; `nil` if it was applied.
    @discardableResult
    func submitToEngine(_ event: Event) -> Rejection? {
        let rejection = engine.submit(event) { decisions.append($0) }
        // No event can come before the end of a delay of zero.
        if let wake = engine.nextWake, wake <= engine.now {
            engine.advance(to: engine.now) { decisions.append($0) }
        }
        if !decisions.isEmpty { processDecisions() }
        return rejection
    }

    /// Reports to the engine that no pointer button resizes a scene of fixed size: a flag that was on
    /// once counts from then on (contract, rules 3 and 5). The interaction that this makes is
    /// nobody's. One that a button began is a person's, and ends here.
    private func ignoreButtons(for scene: UIWindowScene) {
        let identity = scene.identity
        guard !engine.reportsResizing(identity), engine.isConnected(identity) else { return }
        let isHidden = !engine.isInteracting(identity)
        for flag in [true, false] {
            engine.submit(.geometry(identity, at: engine.now, isInteractivelyResizing: flag)) { decision in
                let isOwn = decision.scene == identity && decision.kind.isInteraction
                if !isOwn || !isHidden { decisions.append(decision) }
            }
        }
        if !decisions.isEmpty { processDecisions() }
    }

    private func advanceEngine(to moment: Timestamp) {
        engine.advance(to: moment) { decisions.append($0) }
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
            } else if let target = boundColumns[decision.scene] {
                process(decision, of: target)
            }
        }
        decisions.removeAll(keepingCapacity: true)
    }

    private func process(_ decision: Decision, of scene: UIWindowScene) {
        if case .lockChanged(let isLocked) = decision.kind {
            scene.pending.isInterfaceOrientationLocked = isLocked
            if !isLocked { afterCallbacks { [unowned self] in followDevice() } }
        }
        updatePending(scene)
        if case .rebuild(let rebuild) = decision.kind, !scene.activationState.isInForeground {
            // Contract, rule 13: the rebuild is owed again. Entering the foreground flushes it.
            scene.hasDeferredRebuild = true
            engine.submit(.built(scene.identity, size: rebuild.previousSize, at: engine.now)) { _ in }
            return
        }
        if case .rebuild(let rebuild) = decision.kind { settleAfterLayout(scene, CGSize(rebuild.size)) }
        onDecision?(scene, decision)
    }

    /// Copies the engine's size and flag of a scene to its pending geometry: the one place
    /// that writes them after the scene has connected.
    private func updatePending(_ scene: UIWindowScene) {
        if let size = engine.size(of: scene.identity) { scene.pending.size = CGSize(size) }
        scene.pending.isInteractivelyResizing = engine.isInteracting(scene.identity)
        markDirty(scene)
    }
}

extension Decision.Kind {
    fileprivate var isInteraction: Bool {
        switch self {
        case .interactionBegan, .interactionEnded: true
        case .rebuild, .preview, .lockChanged: false
        }
    }
}
