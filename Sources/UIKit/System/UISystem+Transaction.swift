internal import Settle

/// What one call into the system has changed and not delivered yet.
///
/// In the words of wlroots: a change goes to a scene's *pending* geometry, at the end of
/// the outermost call one comparison finds what differs from its *current* geometry, and
/// the delegate gets one callback for it.
@MainActor struct Transaction {
    /// The nesting of calls; 0 outside of any.
    var depth = 0
    /// The scenes whose pending geometry may differ from their current one.
    var dirtyScenes: [UIWindowScene] = []
    /// What the outermost call runs after its callbacks.
    var deferredWork: [() -> Void] = []
    /// `advance` is running: all its transactions belong to one host call.
    var isAdvancing = false
    /// The number of host calls that have ended.
    var hostCallsEnded = 0
    /// The state changes that callbacks, and the app in them, requested within the present
    /// host call.
    var stateChanges = 0
    var hasLoggedStateChangesMax = false
}

extension UISystem {
    /// The largest number of `windowScene(_:didUpdateEffectiveGeometry:)` calls that a scene
    /// gets within one host call. Without it a delegate that changes its geometry in each
    /// callback, for example its preference for a lock with a delay of zero, would be
    /// called forever.
    public static let callbacksMax = 100

    /// The largest number of state changes that callbacks may request within one host call,
    /// including the app's requests to activate and destroy sessions. Without it callbacks
    /// that undo each other's changes would run forever.
    public static let stateChangesMax = 100

    // MARK: Transactions

    /// A call of the host: runs what waits for the next turn, then the body as a
    /// transaction.
    func hostCall<Result>(_ body: () throws -> Result) rethrows -> Result {
        if !nextTurnWork.isEmpty { runNextTurnWork() }
        return try perform(body)
    }

    /// Runs the body as a transaction, or as a part of the present one, and commits. What
    /// waits for the next turn keeps waiting: the caller may be the app, whose call has to
    /// return first.
    func perform<Result>(_ body: () throws -> Result) rethrows -> Result {
        transaction.depth += 1
        defer { commit() }
        return try body()
    }

    /// Ends a call. The outermost is a turn: it delivers what changed, runs the deferred work,
    /// lays out the windows that were touched, and sets the timer.
    private func commit() {
        guard transaction.depth == 1 else {
            transaction.depth -= 1
            return
        }
        repeat {
            deliverGeometries()
            if !transaction.deferredWork.isEmpty {
                transaction.deferredWork.removeFirst()()
            } else if turn.isNeeded {
                endTurn()
            } else {
                break
            }
        } while true
        turn.ended &+= 1
        turn.completionRounds = 0
        turn.appearanceRounds = 0
        transaction.depth = 0
        if !transaction.isAdvancing { endHostCall() }
        // The bound is cheap to read. The exact deadline is computed only if it might be
        // earlier than the timer.
        if let wakeUp, let bound = engine.nextWake, !wakeUp.isSet(by: bound) { wakeUp.set(to: engine.nextDeadline) }
    }

    /// Runs a body whose transactions count as one host call.
    func asOneHostCall(_ body: () -> Void) {
        let isOutermost = !transaction.isAdvancing && transaction.depth == 0
        if isOutermost { transaction.isAdvancing = true }
        body()
        if isOutermost {
            transaction.isAdvancing = false
            endHostCall()
        }
    }

    private func endHostCall() {
        transaction.stateChanges = 0
        transaction.hostCallsEnded += 1
    }

    /// Runs work once the callback that requested it has returned, or at once if none is
    /// running.
    func afterCallbacks(_ work: @escaping () -> Void) {
        guard transaction.depth > 0 else { return perform(work) }
        transaction.deferredWork.append(work)
    }

    // MARK: Geometry

    /// Notes that a scene's pending geometry may differ from its current one.
    func markDirty(_ scene: UIWindowScene) {
        guard !scene.isDirty else { return }
        scene.isDirty = true
        transaction.dirtyScenes.append(scene)
    }

    private func deliverGeometries() {
        // Mostly there is one, and emptying the list costs more than delivering.
        if transaction.dirtyScenes.count == 1 {
            let scene = transaction.dirtyScenes.removeLast()
            scene.isDirty = false
            deliverGeometry(to: scene)
        }
        // Callbacks may mark more scenes, which join the list.
        var next = 0
        while next < transaction.dirtyScenes.count {
            let scene = transaction.dirtyScenes[next]
            next += 1
            scene.isDirty = false
            deliverGeometry(to: scene)
        }
        if next > 0 { transaction.dirtyScenes.removeAll(keepingCapacity: true) }
    }

    /// Makes a scene's pending geometry its current one, resizes its windows and calls the
    /// delegate, if they differ or the scene has moved to another screen. A scene that is not
    /// in the foreground waits until it is.
    func deliverGeometry(to scene: UIWindowScene) {
        guard scene.activationState.isInForeground, scene.pending != scene.current.state || scene.hasMovedScreen,
            mayDeliver(to: scene)
        else { return }
        let hasMovedScreen = scene.hasMovedScreen
        scene.hasMovedScreen = false
        let previous = scene.current
        scene.commitGeometry()
        scene.rotatedFrom = previous.state.orientation
        // Another screen may have another scale.
        let isResized = previous.state.size != scene.pending.size || hasMovedScreen
        if isResized { updateTraits(following: scene, hasMovedScreen) }
        scene.followGeometry()
        if isResized, !scene.windows.isEmpty { scene.resizeWindows() }
        scene.rotatedFrom = nil
        if !scene.columns.isEmpty, previous.state.isInteractivelyResizing != scene.pending.isInteractivelyResizing {
            columnsNeedSubmit(of: scene)
        }
        if scene.owesSizes { settleOwed(scene) }
        if !scene.lacksUpdateMethod { notifyUpdate(of: scene, previous: previous) }
        if onCallback != nil { traceGeometryCallback(scene, previous) }
        scene.windowDelegate?.windowScene(scene, didUpdateEffectiveGeometry: previous)
    }

    private func mayDeliver(to scene: UIWindowScene) -> Bool {
        let hostCall = transaction.hostCallsEnded
        if scene.callbacks.hostCall != hostCall { scene.callbacks = (hostCall, 0) }
        scene.callbacks.count += 1
        if scene.callbacks.count <= Self.callbacksMax { return true }
        if !scene.hasLoggedCallbacksMax {
            scene.hasLoggedCallbacksMax = true
            log(
                "The delegate of scene \(scene.session.persistentIdentifier) changed its geometry or lock in each of "
                    + "\(Self.callbacksMax) consecutive calls of windowScene(_:didUpdateEffectiveGeometry:); the rest "
                    + "is delivered when the scene next changes. Change them only where the geometry differs from the "
                    + "previous one.")
        }
        return false
    }

    // MARK: States

    /// Changes scenes' states: at once, or, if a callback requests it, after the changes of
    /// the outermost call and their callbacks. So every transition is complete before the
    /// next begins, and a scene's callbacks stay in order.
    ///
    /// - Throws: What `change` throws, if it runs at once; `ended`. An error of a later
    ///   change is logged.
    func changeState(_ change: @escaping () throws -> Void) throws {
        guard phase != .ended else { throw UISystem.Error.ended }
        guard transaction.depth > 0 else { return try hostCall(change) }
        guard allowsStateChange() else { return }
        transaction.deferredWork.append { [unowned self] in
            guard phase != .ended else { return }
            do { try change() } catch {
                log("A state change that a callback requested failed: \(error).")
            }
        }
    }

    /// Counts a state change that a callback requests. Outside of callbacks there is no limit.
    ///
    /// - Returns: Whether it may take effect; false beyond `stateChangesMax`, which is logged
    ///   once.
    func allowsStateChange() -> Bool {
        guard transaction.depth > 0 else { return true }
        guard transaction.stateChanges < Self.stateChangesMax else {
            logStateChangesMax()
            return false
        }
        transaction.stateChanges += 1
        return true
    }

    private func logStateChangesMax() {
        guard !transaction.hasLoggedStateChangesMax else { return }
        transaction.hasLoggedStateChangesMax = true
        log(
            "Callbacks requested more than \(Self.stateChangesMax) changes of scenes' states within one host call; "
                + "the rest is dropped, and requests are denied. Change a scene's state only if it differs from the wanted one."
        )
    }
}
