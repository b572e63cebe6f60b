internal import Settle

/// Decides which rebuild runs when, as a pure state machine without tasks and clocks.
/// `AssetRebuilder` acts for it, a test may as well.
///
/// Every mutation returns the actions to perform, in order. A `.build` is answered by one `ended`, perhaps after a
/// `failed`; a `.preview` by one `previewEnded`; a `.reportEnd`, `.reportPreview` and `.report` by one `reported`, a
/// `.reportGivenUp` by nothing; a `.flush` by one `flushed`, a `.retry` by one `retryDue`, unless it is dropped, and
/// a `.waitForBudget` by one `budgetDue`. Time is an argument of `advance`, where there is a budget.
///
/// Previews are one of two kinds. Most show something and are not counted as builds. Where `prepares` is set, a preview
/// is a build begun early: it takes a place of `concurrency`, gives way to a rebuild that finds none, and what it
/// returns is kept for the rebuild of its size.
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
        /// Report to the engine the end of a preview (contract, rule 17).
        case reportPreview(SceneID, generation: UInt32, cost: Duration, isKept: Bool)
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

    let concurrency: Int
    let retry: AssetRebuilder.Retry
    let reportsEnds: Bool
    let reportsPreviews: Bool
    /// Previews are builds begun early.
    let prepares: Bool
    /// The percentage of the time that live rebuilds of all scenes may take.
    let liveBudget: Int?
    /// The time of the next input.
    var now = Duration.zero
    /// When the builds so far are paid for.
    var paid = Duration.zero
    /// The wait for the budget.
    var wait: (end: Duration, number: UInt64)?
    var waits: UInt64 = 0
    var scenes: [SceneID: RebuildScene] = [:]
    /// The scenes that wait, in the order of their oldest decision that waits.
    var queue = LinkedQueue<SceneID>()
    /// The preparations that wait for a place, in the order of their decisions.
    var previewQueue = LinkedQueue<SceneID>()
    /// The scenes whose preparations run, as many as there are places at most.
    var preparing: [SceneID] = []
    /// The scenes that may have a preview waiting, running or kept.
    var followed: [SceneID] = []
    /// What was prepared in vain. Whoever drains it lets it go, without the lock.
    var discarded: [any Sendable] = []
    /// How many scenes have something kept.
    var held = 0
    var running = 0
    var reporting = 0
    var flushing = 0
    var runs: UInt64 = 0
    var retries: UInt64 = 0
    var counts = AssetRebuilder.Statistics()
    var isStopped = false
    var hasNoDecisions = false

    init(
        concurrency: Int, retry: AssetRebuilder.Retry = .never, reportsEnds: Bool = false,
        reportsPreviews: Bool = false, prepares: Bool = false, liveBudget: Int? = nil
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
        self.prepares = prepares
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
        counts.previews.held = held
        return counts
    }

    /// Whether a build or preview was cancelled, `nil` if it has ended.
    func isCancelled(_ id: SceneID, run number: UInt64) -> Bool? {
        guard let run = scenes[id]?.run, run.number == number else { return nil }
        return run.isCancelled
    }

    /// A scene that is known, which `submit` and `preview` see to: a fault of this type otherwise.
    subscript(_ id: SceneID) -> RebuildScene {
        get { scenes[id]! }
        _modify { yield &scenes[id]! }
    }

    /// Places of `concurrency` that are free.
    var hasPlace: Bool { running + reporting + preparing.count < concurrency }

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
        if self[id].prepared?.size != rebuild.size { discardPrepared(id) }
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
        case .previewing(let run):
            enqueue(id, rebuild)
            return actions + (prepares && run.size == rebuild.size ? [] : cancel(id))
        }
    }

    /// The time of a `.waitForBudget` has passed, also if a clock with larger steps shows it a little earlier.
    mutating func budgetDue() -> [Action] {
        if let wait = wait.take() { advance(to: wait.end) }
        return startNext()
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
        pay(for: time)
        discard(run.asset)
        switch outcome {
        case .returned:
            counts.finished += 1
            if !run.isForgotten { self[id].noteSuccess(run.size, cost: time + run.preparedCost) }
        case .threw where run.isCancelled && !run.hasFailed:
            counts.cancelled += 1
        case .threw:
            counts.failed += 1
            if !run.isForgotten { self[id].noteFailure(cost: time + run.preparedCost) }
        }
        self[id].phase = .resting
        return update(id)
    }

    /// The report of a `.reportEnd`, `.reportPreview` or `.report` has arrived.
    mutating func reported(_ id: SceneID) -> [Action] {
        guard case .reporting = scenes[id]?.phase else { preconditionFailure("nothing is reported for \(id)") }
        reporting -= 1
        self[id].phase = .resting
        return update(id)
    }

    /// No decision follows: previews end and no retry begins; builds go on.
    mutating func decisionsEnded() -> [Action] {
        hasNoDecisions = true
        return scenes.keys.sorted { $0.rawValue < $1.rawValue }.flatMap {
            interactionEnded($0) + follow($0, size: nil, isOwed: false) + dropRetry($0)
        }
    }

    /// Removes a scene that disconnected.
    mutating func remove(_ id: SceneID) -> [Action] {
        guard let scene = scenes[id] else { return [] }
        if dequeue(id) != nil { counts.dropped += 1 }
        dropPreview(id)
        discardPrepared(id)
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
            discardPrepared(id)
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
