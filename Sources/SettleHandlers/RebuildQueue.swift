@_spi(Faults) internal import Settle

/// Decides which rebuild runs when, as a pure state machine without tasks and clocks.
/// `AssetRebuilder` acts for it, a test may as well.
///
/// Every mutation returns the actions to perform, in order. A `.build` is answered by one
/// `ended`, perhaps after a `failed`; a `.report` by one `reported`.
struct RebuildQueue: Sendable {
    enum Action: Hashable, Sendable {
        /// Begin a build; `run` is a number that no other build has.
        case build(SceneID, Rebuild, run: UInt64)
        /// Cancel a build. It still answers by `ended`.
        case cancel(SceneID, run: UInt64)
        /// Report to the engine what is really built (contract, rule 13).
        case report(SceneID, Size?)
    }

    /// How a build ended. Whether it was cancelled is known here.
    enum Outcome: Hashable, Sendable, CaseIterable {
        case returned, threw
    }

    private let concurrency: Int
    private var scenes: [SceneID: RebuildScene] = [:]
    /// The scenes that wait, in the order of their oldest decision that waits.
    private var queue = LinkedQueue<SceneID>()
    private var running = 0
    private var reporting = 0
    private var counts = AssetRebuilder.Statistics()
    private var isStopped = false

    init(concurrency: Int) {
        precondition(concurrency >= 1, "concurrency is \(concurrency); it must be at least 1")
        self.concurrency = concurrency
    }

    /// True when nothing runs, waits or is being reported.
    var isIdle: Bool { running == 0 && reporting == 0 && queue.isEmpty }

    var statistics: AssetRebuilder.Statistics {
        var counts = counts
        (counts.running, counts.waiting) = (running, queue.count)
        return counts
    }

    /// Whether a run was cancelled, `nil` if it has ended.
    func isCancelled(_ id: SceneID, run number: UInt64) -> Bool? {
        guard case .building(let run) = scenes[id]?.phase, run.number == number else { return nil }
        return run.isCancelled
    }
}

// MARK: Input

extension RebuildQueue {
    mutating func submit(_ id: SceneID, _ rebuild: Rebuild) -> [Action] {
        counts.decided += 1
        guard !isStopped else {
            counts.dropped += 1
            return []
        }
        scenes[id, default: RebuildScene()].note(rebuild)
        switch scenes[id]!.phase {
        case .resting:
            enqueue(id, rebuild)
            return update(id)
        case .reporting:
            enqueue(id, rebuild)
            return []
        case .building(let run):
            return supersede(id, run, by: rebuild)
        }
    }

    /// The build of a `.build` threw and is about to end. True if that is a failure: it was
    /// not cancelled before. A later cancellation does not change this.
    mutating func failed(_ id: SceneID, run number: UInt64, _ problem: String) -> Bool {
        guard case .building(var run) = scenes[id]?.phase, run.number == number else { return false }
        if run.isCancelled { return false }
        run.hasFailed = true
        scenes[id]!.phase = .building(run)
        counts.lastFailure = "scene \(id.rawValue) at \(run.size): \(problem)"
        return true
    }

    /// The build of a `.build` ended, after `time`.
    mutating func ended(_ id: SceneID, _ outcome: Outcome, after time: Duration = .zero) -> [Action] {
        guard case .building(let run) = scenes[id]?.phase else {
            // Where two builds overlap, the second to end finds none.
            if Planted.buildsOverlap { return [] }
            preconditionFailure("nothing is built for \(id)")
        }
        running -= 1
        counts.timeSpent += time
        switch outcome {
        case .returned:
            counts.finished += 1
            if !run.isForgotten { scenes[id]!.built = run.size }
        case .threw:
            if run.isCancelled, !run.hasFailed { counts.cancelled += 1 } else { counts.failed += 1 }
        }
        scenes[id]!.phase = .resting
        return update(id)
    }

    /// The report of a `.report` has arrived.
    mutating func reported(_ id: SceneID) -> [Action] {
        guard case .reporting = scenes[id]?.phase else { preconditionFailure("nothing is reported for \(id)") }
        reporting -= 1
        scenes[id]!.phase = .resting
        return update(id)
    }

    /// Removes a scene that disconnected.
    mutating func remove(_ id: SceneID) -> [Action] {
        guard let scene = scenes[id] else { return [] }
        if dequeue(id) != nil { counts.dropped += 1 }
        scenes[id] = RebuildScene(phase: scene.phase)
        guard case .building(var run) = scene.phase else { return update(id) }
        let wasCancelled = run.isCancelled
        (run.isCancelled, run.isForgotten) = (true, true)
        scenes[id]!.phase = .building(run)
        return wasCancelled ? [] : [.cancel(id, run: run.number)]
    }

    /// Cancels everything; later decisions are dropped.
    mutating func stop() -> [Action] {
        guard !isStopped else { return [] }
        isStopped = true
        var actions: [Action] = []
        for id in scenes.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            if dequeue(id) != nil { counts.dropped += 1 }
            switch scenes[id]!.phase {
            case .building(let run): actions += cancel(id, run)
            case .resting: actions += rest(id)
            case .reporting: break
            }
        }
        return actions
    }
}

// MARK: Steps

extension RebuildQueue {
    /// A newer decision cancels the running build, unless that builds this very size.
    private mutating func supersede(_ id: SceneID, _ run: RebuildScene.Run, by rebuild: Rebuild) -> [Action] {
        if !run.isCancelled, run.size == rebuild.size {
            counts.skipped += 1
            return []
        }
        enqueue(id, rebuild)
        return cancel(id, run)
    }

    private mutating func cancel(_ id: SceneID, _ run: RebuildScene.Run) -> [Action] {
        guard !run.isCancelled else { return [] }
        var run = run
        run.isCancelled = true
        scenes[id]!.phase = .building(run)
        return [.cancel(id, run: run.number)]
    }

    /// The decision waits, and supersedes one that waited before it.
    private mutating func enqueue(_ id: SceneID, _ rebuild: Rebuild) {
        if scenes[id]!.waiting == nil {
            scenes[id]!.index = queue.append(id)
        } else {
            counts.superseded += 1
        }
        scenes[id]!.waiting = rebuild
    }

    private mutating func dequeue(_ id: SceneID) -> Rebuild? {
        guard let waiting = scenes[id]!.waiting, let index = scenes[id]!.index else { return nil }
        queue.remove(at: index)
        (scenes[id]!.waiting, scenes[id]!.index) = (nil, nil)
        return waiting
    }

    /// A scene has begun to rest, or what it waits for has changed.
    private mutating func update(_ id: SceneID) -> [Action] {
        if case .resting = scenes[id]!.phase { return rest(id) + startNext() }
        return startNext()
    }

    private mutating func rest(_ id: SceneID) -> [Action] {
        if let waiting = scenes[id]!.waiting, waiting.size == scenes[id]!.built {
            _ = dequeue(id)
            counts.skipped += 1
        }
        guard let scene = scenes[id], scene.waiting == nil else { return [] }
        if scene.decided == nil {
            scenes[id] = nil
            return []
        }
        guard scene.mustReport, !Planted.failedDebtKept else { return [] }
        reporting += 1
        scenes[id]!.beginReport()
        return [.report(id, scene.built)]
    }

    /// Starts builds up to the concurrency. A waiting scene that still builds or reports is
    /// passed over; there are hardly more of those than the concurrency.
    private mutating func startNext() -> [Action] {
        var actions: [Action] = []
        var next = queue.first
        while running + reporting < concurrency, let index = next {
            next = queue.index(after: index)
            let id = queue[index]
            guard scenes[id]!.isResting || Planted.buildsOverlap, let rebuild = dequeue(id) else { continue }
            running += 1
            counts.started += 1
            scenes[id]!.phase = .building(RebuildScene.Run(number: counts.started, size: rebuild.size))
            actions.append(.build(id, rebuild, run: counts.started))
        }
        return actions
    }
}
