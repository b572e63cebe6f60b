internal import Settle

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
}

/// The present turn: what one outermost call into the system has changed and not delivered yet.
///
/// In the words of wlroots: a change goes to a scene's *pending* geometry, at the end of
/// the outermost call one comparison finds what differs from its *current* geometry, and
/// the delegate gets one callback for it.
///
/// The traits, the transitions and the geometry callbacks come first, for each scene with another
/// geometry. What waits for the end of the turn follows, in this order: work alongside transitions,
/// the layout pass of each touched window, the ends of changes of appearance, `viewSizeDidSettle`, the
/// completions of transitions.
@MainActor final class Turn {
    // `@exclusivity(unchecked)`: see UISystem.swift.
    @exclusivity(unchecked) var phase = Phase.idle
    /// The scenes whose pending geometry may differ from their current one.
    @exclusivity(unchecked) private var dirtyScenes: [UIWindowScene] = []
    /// What the outermost call runs after its callbacks.
    @exclusivity(unchecked) private var deferredWork: [() -> Void] = []
    /// The number of host calls that have ended.
    @exclusivity(unchecked) private var hostCallsEnded = 0
    /// The state changes that callbacks, and the app in them, requested within the present
    /// host call.
    @exclusivity(unchecked) private var stateChanges = 0
    /// Work for the main queue's next turn, or for the next host call if that is earlier.
    @exclusivity(unchecked) private var nextTurnWork: [() -> Void] = []

    // MARK: The end of the turn; see Turn+Phase and Turn+Layout

    @exclusivity(unchecked) var waiting = Waiting.nothing
    let coordinator = TransitionCoordinator(isInteractive: false)
    let interactiveCoordinator = TransitionCoordinator(isInteractive: true)
    /// Traits are being computed, and their callbacks run: in any phase, as views compute theirs at once
    /// when the app asks for it.
    @exclusivity(unchecked) var isUpdatingTraits = false
    /// The number of times that the app was notified of other traits.
    @exclusivity(unchecked) var traitNotifications = 0
    @exclusivity(unchecked) var windows: [UIWindow] = []
    @exclusivity(unchecked) var alongside: [() -> Void] = []
    /// The view controllers that have begun to appear or disappear, in that order.
    @exclusivity(unchecked) var appearances: [UIViewController] = []
    /// When the disappearances that begin now end.
    var disappearancesEnd = AppearanceEnd.inOrder
    /// Whether the changes of appearance that begin now were asked for with animation.
    var isAnimated = false
    /// The number of times that changes of appearance have ended in this turn.
    @exclusivity(unchecked) var appearanceRounds = 0
    /// The split views whose columns are submitted.
    @exclusivity(unchecked) var splits: [UISplitViewController] = []
    @exclusivity(unchecked) var settled: [UIWindow] = []
    @exclusivity(unchecked) var completions: [() -> Void] = []
    /// The number of times that completions have run in this turn.
    @exclusivity(unchecked) var completionRounds = 0
    /// The number of turns that have ended.
    @exclusivity(unchecked) var ended = 0

    // MARK: What it works with

    let platform: UISystem.Platform
    let app: RunningApp
    let timed: TimedEngine
    let reports: Reports
    private let inbox: EventInbox
    /// Wakes a live system for its engine's deadline.
    private(set) var wakeUp: WakeUp?
    /// What the engine does at its deadline, and for a split view with other columns; it sets both.
    var onDue: (Timestamp) -> Void = { _ in }
    var onColumnsChange: (UISplitViewController, Timestamp) -> Void = { _, _ in }

    init(
        _ configuration: UISystem.Configuration, _ app: RunningApp, _ timed: TimedEngine, _ reports: Reports,
        _ inbox: EventInbox
    ) {
        platform = configuration.platform
        self.app = app
        self.timed = timed
        self.reports = reports
        self.inbox = inbox
        if configuration.clock == .monotonic { wakeUp = WakeUp { [unowned self] in onDue($0) } }
    }

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
        phase.beginCall()
        defer { commit() }
        return try body()
    }

    /// Ends a call. The outermost is a turn: it delivers what changed, runs the deferred work,
    /// lays out the windows that were touched, and sets the timer.
    private func commit() {
        if phase.endNestedCall() { return }
        repeat {
            deliverGeometries()
            if !deferredWork.isEmpty {
                deferredWork.removeFirst()()
            } else if waiting != .nothing {
                endTurn()
            } else {
                break
            }
        } while true
        ended &+= 1
        completionRounds = 0
        appearanceRounds = 0
        phase.endTurn()
        if phase == .idle { endHostCall() }
        // The bound is cheap to read. The exact deadline is computed only if it might be
        // earlier than the timer.
        if let wakeUp, let bound = timed.core.nextWake, !wakeUp.isSet(by: bound) {
            wakeUp.set(to: timed.core.nextDeadline)
        }
    }

    /// Runs a body whose transactions count as one host call.
    func asOneHostCall(_ body: () -> Void) {
        guard phase == .idle else { return body() }
        phase = .advancing
        body()
        phase = .idle
        endHostCall()
    }

    private func endHostCall() {
        stateChanges = 0
        hostCallsEnded += 1
    }

    /// Runs work once the callback that requested it has returned, or at once if none is
    /// running.
    func afterCallbacks(_ work: @escaping () -> Void) {
        guard phase.isInTurn else { return perform(work) }
        deferredWork.append(work)
    }

    // MARK: Geometry

    func markDirty(_ scene: UIWindowScene) {
        guard !scene.isDirty else { return }
        scene.isDirty = true
        dirtyScenes.append(scene)
    }

    private func deliverGeometries() {
        // Mostly there is one, and emptying the list costs more than delivering.
        if dirtyScenes.count == 1 {
            let scene = dirtyScenes.removeLast()
            scene.isDirty = false
            deliverGeometry(to: scene)
        }
        // Callbacks may mark more scenes, which join the list.
        var next = 0
        while next < dirtyScenes.count {
            let scene = dirtyScenes[next]
            next += 1
            scene.isDirty = false
            deliverGeometry(to: scene)
        }
        if next > 0 { dirtyScenes.removeAll(keepingCapacity: true) }
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
            scene.columnsDidChange()
        }
        if scene.hasDecidedSizes { settleDecided(scene) }
        if !scene.lacksUpdateMethod { notifyUpdate(of: scene, previous: previous) }
        reports.traceGeometryCallback(scene, previous)
        scene.windowDelegate?.windowScene(scene, didUpdateEffectiveGeometry: previous)
    }

    private func mayDeliver(to scene: UIWindowScene) -> Bool {
        let hostCall = hostCallsEnded
        if scene.callbacks.hostCall != hostCall { scene.callbacks = (hostCall, 0) }
        scene.callbacks.count += 1
        if scene.callbacks.count <= UISystem.callbacksMax { return true }
        if !scene.hasLoggedCallbacksMax {
            scene.hasLoggedCallbacksMax = true
            reports.log(
                "The delegate of scene \(scene.session.persistentIdentifier) changed its geometry or lock in each of "
                    + "\(UISystem.callbacksMax) consecutive calls of windowScene(_:didUpdateEffectiveGeometry:); the rest "
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
        guard app.phase != .ended else { throw UISystem.Error.ended }
        guard phase.isInTurn else { return try hostCall(change) }
        guard allowsStateChange() else { return }
        deferredWork.append { [unowned self] in
            guard app.phase != .ended else { return }
            do { try change() } catch {
                reports.log("A state change that a callback requested failed: \(error).")
            }
        }
    }

    /// Counts a state change that a callback requests. Outside of callbacks there is no limit.
    ///
    /// - Returns: Whether it may take effect; false beyond `stateChangesMax`, which is logged
    ///   once.
    func allowsStateChange() -> Bool {
        guard phase.isInTurn else { return true }
        guard stateChanges < UISystem.stateChangesMax else {
            reports.logOnce(
                "Callbacks requested more than \(UISystem.stateChangesMax) changes of scenes' states within one host call; "
                    + "the rest is dropped, and requests are denied. Change a scene's state only if it differs from the wanted one."
            )
            return false
        }
        stateChanges += 1
        return true
    }

    // MARK: The next turn

    /// Runs work once the app's present call has returned: on the main queue's next turn, or
    /// before the next host call if that is earlier, as in virtual time the main queue may
    /// not run.
    func onNextTurn(_ work: @escaping () -> Void) {
        nextTurnWork.append(work)
        if nextTurnWork.count == 1 { inbox.onMainQueue { $0.turn.runNextTurnWork() } }
    }

    func runNextTurnWork() {
        guard !phase.isInTurn else { return }
        let due = nextTurnWork
        nextTurnWork = []
        for work in due { perform(work) }
    }
}
