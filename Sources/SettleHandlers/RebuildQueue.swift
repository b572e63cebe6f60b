@_spi(Faults) internal import Settle

/// Which rebuild runs when, as a pure state machine: it decides, and whoever drives
/// it acts. `AssetRebuilder` drives it with tasks, a test without.
///
/// Every mutation returns what is to be done, in order. A `.build` is answered by
/// one `ended`, which `failed` may come before, a `.tell` by one `told`.
struct RebuildQueue: Sendable {
    enum Action: Hashable, Sendable {
        /// Begin to build; `run` is a number that no other build has.
        case build(SceneID, Rebuild, run: UInt64)
        /// Ask the build to give up. It still ends in its own time.
        case cancel(SceneID, run: UInt64)
        /// Tell the engine what is really built (contract, rule 13).
        case tell(SceneID, Size?)
    }

    /// How a build ended. Whether it had been asked to give up is known here.
    enum Outcome: Hashable, Sendable, CaseIterable {
        case returned, threw
    }

    private let concurrency: Int
    private var scenes: [SceneID: RebuildScene] = [:]
    /// The scenes that wait, in the order of their oldest unserved decision.
    private var line = Chain<SceneID>()
    private var running = 0
    private var telling = 0
    private var counts = AssetRebuilder.Statistics()
    private var isStopped = false

    init(concurrency: Int) {
        precondition(concurrency >= 1, "concurrency is \(concurrency); it must be at least 1")
        self.concurrency = concurrency
    }

    /// True when nothing runs, waits or is being told.
    var isIdle: Bool { running == 0 && telling == 0 && line.isEmpty }

    var statistics: AssetRebuilder.Statistics {
        var counts = counts
        (counts.running, counts.waiting) = (running, line.count)
        return counts
    }

    /// What is really built for a scene.
    func built(_ id: SceneID) -> Size? { scenes[id]?.built }

    /// Whether the run goes on and has been asked to give up, `nil` when it has ended.
    func isCancelled(_ id: SceneID, run number: UInt64) -> Bool? {
        guard case .building(let run) = scenes[id]?.phase, run.number == number else { return nil }
        return run.isCancelled
    }
}

// MARK: Input

extension RebuildQueue {
    mutating func take(_ id: SceneID, _ rebuild: Rebuild) -> [Action] {
        counts.decided += 1
        guard !isStopped else {
            counts.dropped += 1
            return []
        }
        scenes[id, default: RebuildScene()].note(rebuild)
        switch scenes[id]!.phase {
        case .resting:
            enter(id, rebuild)
            return settle(id)
        case .telling:
            enter(id, rebuild)
            return []
        case .building(let run):
            return overtake(id, run, by: rebuild)
        }
    }

    /// The build that `.build` asked for threw, and is about to end. True when that is a
    /// failure, which it stays: nobody had asked it to give up.
    mutating func failed(_ id: SceneID, run number: UInt64, _ problem: String) -> Bool {
        guard case .building(var run) = scenes[id]?.phase, run.number == number else { return false }
        if run.isCancelled { return false }
        run.hasFailed = true
        scenes[id]!.phase = .building(run)
        counts.lastFailure = "scene \(id.rawValue) at \(run.size): \(problem)"
        return true
    }

    /// The build that `.build` asked for is over, after `time`.
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
        return settle(id)
    }

    /// The engine has been told what `.tell` asked for.
    mutating func told(_ id: SceneID) -> [Action] {
        guard case .telling = scenes[id]?.phase else { preconditionFailure("nothing is told of \(id)") }
        telling -= 1
        scenes[id]!.phase = .resting
        return settle(id)
    }

    /// Forgets a scene that disconnected.
    mutating func remove(_ id: SceneID) -> [Action] {
        guard let scene = scenes[id] else { return [] }
        if leaveLine(id) != nil { counts.dropped += 1 }
        scenes[id] = RebuildScene(phase: scene.phase)
        guard case .building(var run) = scene.phase else { return settle(id) }
        let wasCancelled = run.isCancelled
        (run.isCancelled, run.isForgotten) = (true, true)
        scenes[id]!.phase = .building(run)
        return wasCancelled ? [] : [.cancel(id, run: run.number)]
    }

    /// Gives up everything; what is taken afterwards is dropped.
    mutating func stop() -> [Action] {
        guard !isStopped else { return [] }
        isStopped = true
        var actions: [Action] = []
        for id in scenes.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            if leaveLine(id) != nil { counts.dropped += 1 }
            switch scenes[id]!.phase {
            case .building(let run): actions += cancel(id, run)
            case .resting: actions += rest(id)
            case .telling: break
            }
        }
        return actions
    }
}

// MARK: Steps

extension RebuildQueue {
    /// A newer decision cancels the running build, unless that builds this very size.
    private mutating func overtake(_ id: SceneID, _ run: RebuildScene.Run, by rebuild: Rebuild) -> [Action] {
        if !run.isCancelled, run.size == rebuild.size {
            counts.skipped += 1
            return []
        }
        enter(id, rebuild)
        return cancel(id, run)
    }

    private mutating func cancel(_ id: SceneID, _ run: RebuildScene.Run) -> [Action] {
        guard !run.isCancelled else { return [] }
        var run = run
        run.isCancelled = true
        scenes[id]!.phase = .building(run)
        return [.cancel(id, run: run.number)]
    }

    /// The decision waits, in the place of the one that waited before it.
    private mutating func enter(_ id: SceneID, _ rebuild: Rebuild) {
        if scenes[id]!.waiting == nil {
            scenes[id]!.place = line.append(id)
        } else {
            counts.superseded += 1
        }
        scenes[id]!.waiting = rebuild
    }

    private mutating func leaveLine(_ id: SceneID) -> Rebuild? {
        guard let waiting = scenes[id]!.waiting, let place = scenes[id]!.place else { return nil }
        line.remove(place)
        (scenes[id]!.waiting, scenes[id]!.place) = (nil, nil)
        return waiting
    }

    /// A scene's phase has become resting, or what it waits for is new.
    private mutating func settle(_ id: SceneID) -> [Action] {
        if case .resting = scenes[id]!.phase { return rest(id) + startNext() }
        return startNext()
    }

    private mutating func rest(_ id: SceneID) -> [Action] {
        if let waiting = scenes[id]!.waiting, waiting.size == scenes[id]!.built {
            _ = leaveLine(id)
            counts.skipped += 1
        }
        guard let scene = scenes[id], scene.waiting == nil else { return [] }
        if scene.decided == nil {
            scenes[id] = nil
            return []
        }
        guard scene.owesWord, !Planted.failedDebtKept else { return [] }
        telling += 1
        scenes[id]!.tell()
        return [.tell(id, scene.built)]
    }

    /// Starts what there is room for. A scene in line that still builds or tells is
    /// passed over; there are no more of those than take up room, but for the few
    /// that tell although they did not build.
    private mutating func startNext() -> [Action] {
        var actions: [Action] = []
        var next = line.first
        while running + telling < concurrency, let place = next {
            next = line.next(after: place)
            let id = line[place]
            guard scenes[id]!.isResting || Planted.buildsOverlap, let rebuild = leaveLine(id) else { continue }
            running += 1
            counts.started += 1
            scenes[id]!.phase = .building(RebuildScene.Run(number: counts.started, size: rebuild.size))
            actions.append(.build(id, rebuild, run: counts.started))
        }
        return actions
    }
}
