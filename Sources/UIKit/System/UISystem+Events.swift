internal import Dispatch
public import Settle

/// The path of an event: sizing policy, engine, what it decided, what is told. Nothing
/// here allocates for an event that changes nothing that a delegate hears of.
extension UISystem {
    /// Feeds one event, of a scene named by `identity(of:)` or of the pointer. What it
    /// changes is told before the call returns. An event earlier than the system's time
    /// is applied at that time, and what the engine rejects changes nothing (contract,
    /// rules 1 and 2).
    public func submit(_ event: Event) {
        begin()
        apply(event, to: windowScene(event))
        settle()
    }

    /// Feeds events that came while the main thread was busy. Each scene is told once
    /// what they changed together.
    public func submit(_ events: Span<Event>) {
        begin()
        for index in events.indices { apply(events[index], to: windowScene(events[index])) }
        settle()
    }

    /// Moves virtual time to `moment`; deadlines up to it fire, and what they change is
    /// told at their own times. An earlier moment than the present changes nothing.
    public func advance(to moment: Timestamp) {
        // One call, however many deadlines it fires.
        let isOutermost = !isAdvancing && depth == 0
        if isOutermost { isAdvancing = true }
        defer {
            if isOutermost {
                isAdvancing = false
                callsEnded += 1
                changesInCall = 0
            }
        }
        while let due = engine.nextDeadline, due < moment { fire(to: due) }
        fire(to: moment)
    }

    private func fire(to moment: Timestamp) {
        begin()
        engine.advance(to: moment) { decided.append($0) }
        if !decided.isEmpty { takeDecisions() }
        settle()
    }

    /// Moves virtual time on, at most to `Timestamp.latest`.
    public func advance(by duration: Duration) { advance(to: now.after(duration.wholeNanoseconds)) }

    /// The connected scene that the event names. A pointer's event names none, and the
    /// engine judges all others.
    private func windowScene(_ event: Event) -> UIWindowScene? {
        guard event.kind != .pointer else { return nil }
        return windowScene(event.scene)
    }

    func windowScene(_ identity: SceneID) -> UIWindowScene? {
        let index = indices[identity]
        guard index < scenesByIndex.count, let scene = scenesByIndex[index], scene.identity == identity else {
            return nil
        }
        return scene
    }

    func apply(_ event: Event, to scene: UIWindowScene?) {
        guard let scene, event.kind == .geometry else {
            guard let scene, event.kind == .disconnect, event.isValid else { return hand(event) }
            guard depth > 1 else { return disconnect(scene, by: event) }
            // A callback feeds it.
            try? changeState { [unowned self] in disconnect(scene, by: event) }
            return
        }
        impose(sized(event, for: scene), on: scene)
    }

    private func disconnect(_ scene: UIWindowScene, by event: Event) {
        // What is due before it is decided while the scene is where it was.
        engine.advance(to: event.at) { decided.append($0) }
        if !decided.isEmpty { takeDecisions() }
        if phase != .ended { try? endConnection(of: scene, at: event.at) }
    }

    /// The same for what the sizing policy has seen, or the system itself decides.
    func impose(_ event: Event, on scene: UIWindowScene) {
        let rejected = event.orientation == nil ? 0 : engine.statistics.rejected
        hand(event)
        if let orientation = event.orientation, engine.statistics.rejected == rejected {
            turn(scene, to: UIInterfaceOrientation(orientation))
        }
        if !scene.reportsResizing, event.isInteractivelyResizing != nil, event.isValid { scene.reportsResizing = true }
        refresh(scene)
        noteCovering(scene)
        if scene.lock.isPreferred { updateLock(of: scene) }
    }

    /// A locked interface stays as it is turned.
    private func turn(_ scene: UIWindowScene, to orientation: UIInterfaceOrientation) {
        if !scene.state.isInterfaceOrientationLocked { scene.state.orientation = orientation }
    }

    func hand(_ event: Event) {
        engine.submit(event) { decided.append($0) }
        // A zero delay is over now: nothing earlier can come.
        if let wake = engine.nextWake, wake <= engine.now {
            engine.advance(to: engine.now) { decided.append($0) }
        }
        if !decided.isEmpty { takeDecisions() }
    }

    func takeDecisions() {
        // Handlers may feed events; their decisions join the list and come after these.
        if isTaking { return }
        isTaking = true
        defer { isTaking = false }
        var next = 0
        while next < decided.count {
            let decision = decided[next]
            next += 1
            guard let scene = windowScene(decision.scene) else { continue }
            if case .lockChanged(let isLocked) = decision.kind {
                scene.state.isInterfaceOrientationLocked = isLocked
                if !isLocked { afterCallbacks { [unowned self] in followDevice() } }
            }
            refresh(scene)
            if case .rebuild(let rebuild) = decision.kind, scene.isHeld {
                // Contract, rule 13: it is owed again, and asked for in the foreground.
                scene.owesRebuild = true
                engine.submit(.built(scene.identity, size: rebuild.previousSize, at: engine.now)) { _ in }
                continue
            }
            onDecision?(scene, decision)
        }
        decided.removeAll(keepingCapacity: true)
    }

    /// Takes over what the engine knows of the scene, and notes it for telling.
    private func refresh(_ scene: UIWindowScene) {
        if let size = engine.size(of: scene.identity) {
            scene.state.size = CGSize(width: size.width, height: size.height)
        }
        scene.state.isInteractivelyResizing = engine.isInteracting(scene.identity)
        touch(scene)
    }

    func touch(_ scene: UIWindowScene) {
        guard !scene.isTouched else { return }
        scene.isTouched = true
        touched.append(scene)
    }

    /// Tells the delegate if the geometry differs from what it was told last.
    func tell(_ scene: UIWindowScene) {
        guard !scene.isHeld, scene.state != scene.told.state || scene.hasMovedScreen, mayTell(scene) else { return }
        scene.hasMovedScreen = false
        let previous = scene.told
        let geometry = GeometrySnapshot(scene.state)
        scene.told = geometry
        scene.effectiveGeometry = geometry
        if previous.state.size != geometry.state.size, !scene.windows.isEmpty { layOutWindows(of: scene) }
        traceGeometryCallback(scene, previous, geometry)
        scene.windowDelegate?.windowScene(scene, didUpdateEffectiveGeometry: previous)
    }

    /// How many callbacks about its geometry a scene gets within one call from outside.
    /// An app that changes in each callback what the next one tells, such as its wish for
    /// a lock where the lock's delay is zero, would otherwise never come to rest.
    public static let callbacksMax = 100

    private func mayTell(_ scene: UIWindowScene) -> Bool {
        if scene.toldInCall.call != callsEnded { scene.toldInCall = (callsEnded, 0) }
        scene.toldInCall.count += 1
        if scene.toldInCall.count <= Self.callbacksMax { return true }
        if !scene.isRestless {
            scene.isRestless = true
            log(
                "The delegate of scene \(scene.session.persistentIdentifier) changed its geometry or lock in each of "
                    + "\(Self.callbacksMax) calls of windowScene(_:didUpdateEffectiveGeometry:) in a row; the rest is "
                    + "told when the scene next changes. Change them only where the geometry differs from the previous."
            )
        }
        return false
    }

    private func layOutWindows(of scene: UIWindowScene) {
        for window in scene.windows { window.frame = CGRect(origin: .zero, size: scene.told.state.size) }
    }

    /// Begins a call that brings an event or time.
    private func begin() {
        if !nextTurn.isEmpty { takeNextTurn() }
        depth += 1
    }

    /// Ends a call: the outermost tells what changed and does what waits.
    func settle() {
        guard depth == 1 else {
            depth -= 1
            return
        }
        repeat {
            // Mostly there is one, and emptying the list costs more than telling.
            if touched.count == 1 {
                let scene = touched.removeLast()
                scene.isTouched = false
                tell(scene)
            }
            // Telling may touch more scenes, which join the list.
            var next = 0
            while next < touched.count {
                let scene = touched[next]
                next += 1
                scene.isTouched = false
                tell(scene)
            }
            if next > 0 { touched.removeAll(keepingCapacity: true) }
            if waiting.isEmpty { break }
            waiting.removeFirst()()
        } while true
        depth = 0
        if !isAdvancing {
            changesInCall = 0
            callsEnded += 1
        }
        // The bound costs next to nothing; the deadline itself is looked for when it might
        // be earlier than the timer.
        if let wakeUp, let bound = engine.nextWake, !wakeUp.comes(by: bound) { wakeUp.arm(engine.nextDeadline) }
    }

    /// Does something to the system for the host, then tells what changed.
    func act<Result>(_ body: () throws -> Result) rethrows -> Result {
        if !nextTurn.isEmpty { takeNextTurn() }
        return try actForApp(body)
    }

    /// The same for the app, whose call has to return before it gets what the next turn brings.
    func actForApp<Result>(_ body: () throws -> Result) rethrows -> Result {
        depth += 1
        defer { settle() }
        return try body()
    }

    /// Does something once the app has returned from the callback that asked for it, or
    /// at once where there is none.
    func afterCallbacks(_ body: @escaping () -> Void) {
        guard depth > 0 else { return actForApp(body) }
        waiting.append(body)
    }

    /// Does something once the app's present call has returned: on the main queue's next
    /// turn, or before the next call that does something to the system if that comes first,
    /// as in virtual time the main queue may not run.
    func onNextTurn(_ body: @escaping () -> Void) {
        nextTurn.append(body)
        guard nextTurn.count == 1 else { return }
        DispatchQueue.main.async { [inbox] in
            MainActor.assumeIsolated {
                guard let system = UISystem.current, system.inbox === inbox else { return }
                system.takeNextTurn()
            }
        }
    }

    func takeNextTurn() {
        guard depth == 0 else { return }
        let due = nextTurn
        nextTurn = []
        for body in due { actForApp(body) }
    }
}
