internal import Settle

/// The engine, for window scenes and for columns of split views: it applies their events and decides,
/// and a scene's pending geometry follows. Nothing here allocates for a submitted event without a
/// callback.
@MainActor final class SceneEngine {
    // `@exclusivity(unchecked)`: see UISystem.swift.
    /// The window scenes that are connected to the engine.
    @exclusivity(unchecked) private(set) var boundScenes: SceneTable<UIWindowScene>
    /// The columns that are connected to the engine.
    @exclusivity(unchecked) var boundColumns: SceneTable<ColumnTarget>
    @exclusivity(unchecked) private(set) var isProcessingDecisions = false
    /// What the screens do once a scene's orientation is not locked any more; they set it.
    var onUnlock: () -> Void = {}

    let timed: TimedEngine
    let turn: Turn
    let reports: Reports
    private let scenesMax: Int
    let columnsMax: Int

    init(_ configuration: UISystem.Configuration, _ timed: TimedEngine, _ turn: Turn, _ reports: Reports) {
        self.timed = timed
        self.turn = turn
        self.reports = reports
        scenesMax = configuration.scenesMax
        columnsMax = configuration.columnsBound
        boundScenes = timed.core.makeSceneTable()
        boundColumns = timed.core.makeSceneTable()
        turn.onDue = { [unowned self] in advanceAsHost(to: $0) }
        turn.onColumnsChange = { [unowned self] in submitColumns(of: $0, at: $1) }
    }

    /// The present time, by the configuration's clock.
    var now: Timestamp { timed.now }

    // MARK: Events

    /// Submits an event that the sizing policy has seen.
    ///
    /// - Returns: Why the engine rejected the event; `nil` if it was applied.
    @discardableResult
    func submit(_ event: Event) -> Rejection? {
        let rejection = timed.submit(event)
        if !timed.decisions.isEmpty { processDecisions() }
        return rejection
    }

    /// Reports to the engine that no pointer button resizes a scene of fixed size: a flag that was on
    /// once counts from then on (contract, rules 3 and 5). The interaction that this makes is
    /// nobody's. One that a button began is a person's, and ends here.
    func ignoreButtons(for scene: UIWindowScene) {
        let identity = scene.identity
        guard !timed.core.reportsResizing(identity), timed.core.isConnected(identity) else { return }
        let isHidden = !timed.core.isInteracting(identity)
        for flag in [true, false] {
            timed.core.submit(.geometry(identity, at: timed.core.now, isInteractivelyResizing: flag)) { decision in
                let isOwn = decision.scene == identity && decision.kind.isInteraction
                if !isOwn || !isHidden { timed.decisions.append(decision) }
            }
        }
        if !timed.decisions.isEmpty { processDecisions() }
    }

    /// Whether the scene's flag, and not a pointer button, says that a person is resizing it.
    func isReportedToResize(_ scene: UIWindowScene) -> Bool {
        timed.core.reportsResizing(scene.identity) && timed.core.isInteracting(scene.identity)
    }

    // MARK: Time

    func advance(to moment: Timestamp) {
        timed.advance(to: moment)
        if !timed.decisions.isEmpty { processDecisions() }
    }

    /// Fires the deadlines up to `moment` at their own times, each in a turn of its own.
    func advanceAsHost(to moment: Timestamp) {
        turn.asOneHostCall {
            while let due = timed.core.nextDeadline, due < moment { turn.hostCall { advance(to: due) } }
            turn.hostCall { advance(to: moment) }
        }
    }

    // MARK: Decisions

    private func processDecisions() {
        // `onDecision` may submit events, whose decisions join the list.
        if isProcessingDecisions { return }
        isProcessingDecisions = true
        defer { isProcessingDecisions = false }
        var next = 0
        while next < timed.decisions.count {
            let decision = timed.decisions[next]
            next += 1
            if let scene = windowScene(decision.scene) {
                process(decision, of: scene)
            } else if let target = boundColumns[decision.scene] {
                process(decision, of: target)
            }
        }
        timed.decisions.removeAll(keepingCapacity: true)
    }

    private func process(_ decision: Decision, of scene: UIWindowScene) {
        if case .lockChanged(let isLocked) = decision.kind {
            scene.pending.isInterfaceOrientationLocked = isLocked
            if !isLocked { turn.afterCallbacks { [unowned self] in onUnlock() } }
        }
        updatePending(scene)
        if case .rebuild(let rebuild) = decision.kind, !scene.activationState.isInForeground {
            // Contract, rule 13: nothing is built yet. Entering the foreground flushes the scene.
            scene.hasDeferredRebuild = true
            timed.core.submit(.reallyBuilt(scene.identity, at: timed.core.now, size: rebuild.previousSize)) { _ in }
            return
        }
        if case .rebuild(let rebuild) = decision.kind { turn.settleAfterLayout(scene, CGSize(rebuild.size)) }
        reports.onDecision?(scene, decision)
    }

    /// Copies the engine's size and flag of a scene to its pending geometry: the one place
    /// that writes them after the scene has connected.
    func updatePending(_ scene: UIWindowScene) {
        if let size = timed.core.size(of: scene.identity) { scene.pending.size = CGSize(size) }
        scene.pending.isInteractivelyResizing = timed.core.isInteracting(scene.identity)
        turn.markDirty(scene)
    }

    // MARK: Scenes

    /// Connects a window scene to the engine.
    ///
    /// - Throws: `EngineError` if `scenesMax` scenes are connected.
    func bind(_ scene: UIWindowScene) throws {
        // The engine has space for columns besides.
        guard boundScenes.count < scenesMax else { throw EngineError.tooManyScenes(scenesMax) }
        scene.identity = try timed.core.connect()
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

    /// The connected scene that an event names; `nil` for a pointer event, which names none.
    func windowScene(_ event: Event) -> UIWindowScene? {
        event.kind == .pointer ? nil : windowScene(event.scene)
    }

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
