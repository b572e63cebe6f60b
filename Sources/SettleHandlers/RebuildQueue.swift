internal import Settle

/// Decides which rebuild runs when, as a pure state machine without tasks and clocks.
/// `AssetRebuilder` acts for it, a test may as well.
///
/// Every mutation returns the actions to perform, in order. A `.build` is answered by one
/// `ended`, perhaps after a `failed`; a `.preview` by one `previewed`, a `.reportEnd` and a `.report` by one
/// `reported`, a `.reportGivenUp` by nothing, a `.flush` by one `flushed`, a `.retry` by one `retryDue`, unless it is dropped, and a
/// `.waitForBudget` by one `budgetDue`. Time is an argument of `advance`, where there is a budget.
struct RebuildQueue: Sendable {
    enum Action: Hashable, Sendable {
        /// Begin a build; `run` is a number that no other build or preview has.
        case build(SceneID, Rebuild, run: UInt64)
        /// Begin a preview.
        case preview(SceneID, Size, run: UInt64)
        /// Cancel a build or a preview. It still answers.
        case cancel(SceneID, run: UInt64)
        /// Report to the engine the end of a scene's last rebuild, and its cost (contract, rule 18).
        case reportEnd(SceneID, generation: UInt32, cost: Duration)
        /// Report to the engine what is really built (contract, rule 13).
        case report(SceneID, Size?)
        /// Report to the engine that a preview was given up before it began (contract, rule 17).
        case reportGivenUp(SceneID, generation: UInt32)
        /// Wait so long before a retry; `number` is one that no other retry has.
        case retry(SceneID, after: Duration, number: UInt64)
        /// Do not wait any longer.
        case dropRetry(number: UInt64)
        /// Ask the engine to decide the pending rebuild.
        case flush(SceneID)
        /// Wait so long until the builds so far are paid for; `number` is one that no other such wait has.
        case waitForBudget(Duration, number: UInt64)
    }

    /// How a build ended. Whether it was cancelled is known here.
    enum Outcome: Hashable, Sendable, CaseIterable {
        case returned, threw
    }

    private let concurrency: Int
    private let retry: AssetRebuilder.Retry
    private let reportsEnds: Bool
    private let reportsPreviews: Bool
    /// The percentage of the time that live rebuilds of all scenes may take.
    private let liveBudget: Int?
    /// The time of the next input.
    private var now = Duration.zero
    /// When the builds so far are paid for.
    private var paid = Duration.zero
    /// The wait for the budget.
    private var wait: (end: Duration, number: UInt64)?
    private var waits: UInt64 = 0
    private var scenes: [SceneID: RebuildScene] = [:]
    /// The scenes that wait, in the order of their oldest decision that waits.
    private var queue = LinkedQueue<SceneID>()
    private var running = 0
    private var reporting = 0
    private var flushing = 0
    private var runs: UInt64 = 0
    private var retries: UInt64 = 0
    private var counts = AssetRebuilder.Statistics()
    private var isStopped = false
    private var hasNoDecisions = false

    init(
        concurrency: Int, retry: AssetRebuilder.Retry = .never, reportsEnds: Bool = false,
        reportsPreviews: Bool = false, liveBudget: Int? = nil
    ) {
        precondition(concurrency >= 1, "concurrency is \(concurrency); it must be at least 1")
        if let problem = retry.problem { preconditionFailure(problem) }
        if let liveBudget {
            precondition((1...100).contains(liveBudget), "liveBudgetPercent is \(liveBudget); it is 1...100")
        }
        self.concurrency = concurrency
        self.retry = retry
        self.reportsEnds = reportsEnds
        self.reportsPreviews = reportsPreviews
        self.liveBudget = liveBudget
    }

    /// True when nothing runs, waits, is being reported or flushed. An armed retry is none of it.
    var isIdle: Bool {
        running == 0 && reporting == 0 && flushing == 0 && queue.isEmpty
            && counts.previews.running == 0 && counts.previews.waiting == 0
    }

    var statistics: AssetRebuilder.Statistics {
        var counts = counts
        (counts.running, counts.waiting) = (running, queue.count)
        return counts
    }

    /// Whether a build or preview was cancelled, `nil` if it has ended.
    func isCancelled(_ id: SceneID, run number: UInt64) -> Bool? {
        guard let run = scenes[id]?.run, run.number == number else { return nil }
        return run.isCancelled
    }

    /// A scene that is known, which `submit` and `preview` see to: a fault of this type otherwise.
    private subscript(_ id: SceneID) -> RebuildScene {
        get { scenes[id]! }
        _modify { yield &scenes[id]! }
    }

    /// Whether a wait for the budget has not ended, and may still let something begin.
    func isWaitingForBudget(number: UInt64) -> Bool { wait?.number == number && !isStopped }

    /// Whether a retry is still to come.
    func isRetryArmed(_ id: SceneID, number: UInt64) -> Bool { scenes[id]?.retry == number }
}

// MARK: Input

extension RebuildQueue {
    /// The next input is at this time, on any clock; an earlier one than before changes nothing.
    mutating func advance(to time: Duration) { now = max(now, time) }

    mutating func submit(_ id: SceneID, _ rebuild: Rebuild) -> [Action] {
        counts.decided += 1
        guard !isStopped else {
            counts.dropped += 1
            return []
        }
        scenes[id, default: RebuildScene()].note(rebuild)
        dropPreview(id)
        let actions = dropRetry(id)
        switch self[id].phase {
        case .resting:
            enqueue(id, rebuild)
            return actions + update(id)
        case .reporting:
            enqueue(id, rebuild)
            return actions
        case .building(let run):
            return actions + supersede(id, run, by: rebuild)
        case .previewing:
            enqueue(id, rebuild)
            return actions + cancel(id)
        }
    }

    /// A preview runs as soon as nothing else of its scene runs, waits or is being reported.
    mutating func preview(_ id: SceneID, _ size: Size, generation: UInt32 = 0) -> [Action] {
        counts.previews.decided += 1
        if case .previewing(let run) = scenes[id]?.phase, !run.isCancelled, run.size == size {
            counts.previews.dropped += 1
            self[id].renumberRun(generation)
            return []
        }
        guard !isStopped else {
            counts.previews.dropped += 1
            return []
        }
        if scenes[id] == nil { scenes[id] = RebuildScene() }
        dropPreview(id)
        self[id].preview = (size, generation)
        counts.previews.waiting += 1
        switch self[id].phase {
        case .resting: return update(id)
        case .previewing: return cancel(id)
        case .building, .reporting: return []
        }
    }

    /// The interaction of a scene ended, so its preview is of no more use. The last size that it decided, which
    /// waits, is the one to stay: it waits for no budget.
    mutating func interactionEnded(_ id: SceneID) -> [Action] {
        guard let scene = scenes[id] else { return [] }
        dropPreview(id)
        self[id].waitsForBudget = false
        var actions: [Action] = []
        if reportsPreviews, let preview = scene.preview {
            actions.append(.reportGivenUp(id, generation: preview.generation))
        }
        if case .previewing = scene.phase { return actions + cancel(id) }
        return scene.waitsForBudget ? actions + startNext() : actions
    }

    /// The time of a `.waitForBudget` has passed, also if a clock with larger steps shows it a little earlier.
    mutating func budgetDue() -> [Action] {
        if let wait = wait.take() { advance(to: wait.end) }
        return startNext()
    }

    /// What to report of a preview that is about to end; `nil` once its scene was removed.
    func endOfPreview(_ id: SceneID) -> (generation: UInt32, isKept: Bool)? {
        guard case .previewing(let run) = scenes[id]?.phase, !run.isForgotten else { return nil }
        return (run.generation, !run.isCancelled)
    }

    /// The preview of a `.preview` ended.
    mutating func previewed(_ id: SceneID) -> [Action] {
        guard case .previewing = scenes[id]?.phase else {
            preconditionFailure("nothing is previewed for \(id)")
        }
        counts.previews.running -= 1
        self[id].phase = .resting
        return update(id)
    }

    /// The time of a `.retry` has passed.
    mutating func retryDue(_ id: SceneID, number: UInt64) -> [Action] {
        guard isRetryArmed(id, number: number) else { return [] }
        _ = self[id].dropRetry()
        counts.retrying -= 1
        counts.retried += 1
        flushing += 1
        return [.flush(id)]
    }

    /// The request of a `.flush` has been made.
    mutating func flushed() -> [Action] {
        flushing -= 1
        return []
    }

    /// The build of a `.build` threw and is about to end. True if that is a failure: it was
    /// not cancelled before. A later cancellation does not change this.
    mutating func failed(_ id: SceneID, run number: UInt64, _ problem: String) -> Bool {
        guard case .building(var run) = scenes[id]?.phase, run.number == number else { return false }
        if run.isCancelled { return false }
        run.hasFailed = true
        self[id].phase = .building(run)
        counts.lastFailure = "scene \(id.rawValue) at \(run.size): \(problem)"
        return true
    }

    /// The build of a `.build` ended, after `time`.
    mutating func ended(_ id: SceneID, _ outcome: Outcome, after time: Duration = .zero) -> [Action] {
        guard case .building(let run) = scenes[id]?.phase else {
            preconditionFailure("nothing is built for \(id)")
        }
        running -= 1
        counts.timeSpent += time
        if let liveBudget { paid = max(paid, now - time) + time * 100 / liveBudget }
        switch outcome {
        case .returned:
            counts.finished += 1
            if !run.isForgotten { self[id].noteSuccess(run.size, cost: time) }
        case .threw where run.isCancelled && !run.hasFailed:
            counts.cancelled += 1
        case .threw:
            counts.failed += 1
            if !run.isForgotten { self[id].noteFailure(cost: time) }
        }
        self[id].phase = .resting
        return update(id)
    }

    /// The report of a `.reportEnd` or `.report` has arrived.
    mutating func reported(_ id: SceneID) -> [Action] {
        guard case .reporting = scenes[id]?.phase else { preconditionFailure("nothing is reported for \(id)") }
        reporting -= 1
        self[id].phase = .resting
        return update(id)
    }

    /// No decision follows: previews end and no retry begins; builds go on.
    mutating func decisionsEnded() -> [Action] {
        hasNoDecisions = true
        return scenes.keys.sorted { $0.rawValue < $1.rawValue }.flatMap { interactionEnded($0) + dropRetry($0) }
    }

    /// Removes a scene that disconnected.
    mutating func remove(_ id: SceneID) -> [Action] {
        guard let scene = scenes[id] else { return [] }
        if dequeue(id) != nil { counts.dropped += 1 }
        dropPreview(id)
        let actions = dropRetry(id)
        scenes[id] = RebuildScene(phase: scene.phase)
        guard scene.run != nil else { return actions + update(id) }
        self[id].forgetRun()
        return actions + cancel(id)
    }

    /// Cancels everything; later decisions are dropped.
    mutating func stop() -> [Action] {
        guard !isStopped else { return [] }
        isStopped = true
        var actions: [Action] = []
        for id in scenes.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            if dequeue(id) != nil { counts.dropped += 1 }
            dropPreview(id)
            actions += dropRetry(id)
            switch self[id].phase {
            case .building, .previewing: actions += cancel(id)
            case .resting: actions += rest(id)
            case .reporting: break
            }
        }
        return actions
    }
}

// MARK: Steps

extension RebuildQueue {
    /// A newer decision cancels the running build, unless that builds this very size, or the decision is a live
    /// one: its scene changes on, so a build that is nearly done is worth more than one that begins.
    private mutating func supersede(_ id: SceneID, _ run: RebuildScene.Run, by rebuild: Rebuild) -> [Action] {
        if !run.isCancelled, run.size == rebuild.size {
            if dequeue(id) != nil { counts.superseded += 1 }
            counts.skipped += 1
            return []
        }
        enqueue(id, rebuild)
        return rebuild.reason == .live ? [] : cancel(id)
    }

    /// Cancels what runs for a scene, once.
    private mutating func cancel(_ id: SceneID) -> [Action] {
        guard let run = self[id].run, !run.isCancelled else { return [] }
        self[id].cancelRun()
        return [.cancel(id, run: run.number)]
    }

    private mutating func dropPreview(_ id: SceneID) {
        guard self[id].preview.take() != nil else { return }
        counts.previews.waiting -= 1
        counts.previews.dropped += 1
    }

    private mutating func dropRetry(_ id: SceneID) -> [Action] {
        guard let number = self[id].dropRetry() else { return [] }
        counts.retrying -= 1
        return [.dropRetry(number: number)]
    }

    /// The decision waits, and supersedes one that waited before it.
    private mutating func enqueue(_ id: SceneID, _ rebuild: Rebuild) {
        let isLive = rebuild.reason == .live && liveBudget != nil
        if self[id].waiting == nil {
            self[id].index = queue.append(id)
            self[id].waitsForBudget = isLive
        } else {
            counts.superseded += 1
            self[id].waitsForBudget = self[id].waitsForBudget && isLive
        }
        self[id].waiting = rebuild
    }

    private mutating func dequeue(_ id: SceneID) -> Rebuild? {
        guard let waiting = self[id].waiting, let index = self[id].index else { return nil }
        queue.remove(at: index)
        (self[id].waiting, self[id].index, self[id].waitsForBudget) = (nil, nil, false)
        return waiting
    }

    /// A scene has begun to rest, or what it waits for has changed.
    private mutating func update(_ id: SceneID) -> [Action] {
        if case .resting = self[id].phase { return rest(id) + startNext() }
        return startNext()
    }

    private mutating func rest(_ id: SceneID) -> [Action] {
        if let waiting = self[id].waiting, waiting.size == self[id].built {
            _ = dequeue(id)
            counts.skipped += 1
        }
        guard let scene = scenes[id], scene.waiting == nil else { return [] }
        if reportsEnds, let end = scene.endToReport {
            reporting += 1
            self[id].beginReportOfEnd()
            return [.reportEnd(id, generation: end.generation, cost: end.cost)]
        }
        if scene.mustReport {
            reporting += 1
            self[id].beginReport()
            return [.report(id, scene.built)]
        }
        let actions = armRetry(id)
        if let preview = self[id].preview.take() {
            return actions + [beginPreview(id, preview.size, preview.generation)]
        }
        if scene.decided == nil { scenes[id] = nil }
        return actions
    }

    private mutating func beginPreview(_ id: SceneID, _ size: Size, _ generation: UInt32) -> Action {
        runs += 1
        counts.previews.waiting -= 1
        counts.previews.running += 1
        counts.previews.started += 1
        self[id].phase = .previewing(RebuildScene.Run(number: runs, size: size, generation: generation))
        return .preview(id, size, run: runs)
    }

    /// Arms a retry if the last build failed. Its failure has been reported by then, so the flush
    /// comes after the report.
    private mutating func armRetry(_ id: SceneID) -> [Action] {
        let scene = self[id]
        guard scene.needsRetry, !isStopped, !hasNoDecisions, let delay = retry.delay(afterFailures: scene.failures)
        else { return [] }
        retries += 1
        counts.retrying += 1
        self[id].armRetry(retries)
        return [.retry(id, after: delay, number: retries)]
    }

    /// Starts builds up to the concurrency. A waiting scene that still builds, reports or previews
    /// is passed over. There are hardly more that build or report than the concurrency, but any
    /// number may wait for the end of a cancelled preview or for the budget, and they keep their places meanwhile.
    private mutating func startNext() -> [Action] {
        var actions: [Action] = []
        var next = queue.first
        var isHeldBack = false
        while running + reporting < concurrency, let index = next {
            next = queue.index(after: index)
            let id = queue[index]
            guard self[id].isResting else { continue }
            if self[id].waitsForBudget, running > 0 || paid > now {
                isHeldBack = true
                continue
            }
            guard let rebuild = dequeue(id) else { continue }
            running += 1
            runs += 1
            counts.started += 1
            self[id].phase = .building(RebuildScene.Run(number: runs, size: rebuild.size))
            actions.append(.build(id, rebuild, run: runs))
        }
        // The end of a build that runs looks again.
        if isHeldBack, running == 0, wait == nil {
            waits += 1
            wait = (paid, waits)
            actions.append(.waitForBudget(paid - now, number: waits))
        }
        return actions
    }
}
