internal import Settle

struct RebuildScene: Sendable {
    /// What was prepared for a size, and how long that took.
    struct Prepared: Sendable {
        var size: Size
        var cost: Duration
        var asset: any Sendable
    }

    struct Run: Sendable {
        var number: UInt64
        var size: Size
        /// A preview's number.
        var generation: UInt32 = 0
        /// What a build shows, until its task takes it.
        var asset: (any Sendable)?
        /// How long it took to prepare what a build shows.
        var preparedCost = Duration.zero
        var isCancelled = false
        /// It threw before it was cancelled.
        var hasFailed = false
        /// Its scene was removed, so nobody needs its outcome.
        var isForgotten = false
    }

    enum Phase: Sendable {
        case resting
        case building(Run)
        case previewing(Run)
        case reporting
    }

    /// What the engine takes for the built size.
    enum EngineBuilt: Sendable {
        /// What it decided last.
        case decided
        /// What was reported to it since, as soon as the report arrives.
        case reported(Size?)
    }

    var phase = Phase.resting
    var isResting: Bool {
        if case .resting = phase { true } else { false }
    }
    /// The build or preview that runs.
    var run: Run? {
        switch phase {
        case .building(let run), .previewing(let run): run
        case .resting, .reporting: nil
        }
    }

    mutating func cancelRun() { changeRun { $0.isCancelled = true } }
    mutating func forgetRun() { changeRun { $0.isForgotten = true } }
    mutating func renumberRun(_ generation: UInt32) { changeRun { $0.generation = generation } }
    /// What the running build was given to show, at most once.
    mutating func takeAsset() -> (any Sendable)? {
        defer { changeRun { $0.asset = nil } }
        return run?.asset
    }

    private mutating func changeRun(_ change: (inout Run) -> Void) {
        guard var run else { return }
        change(&run)
        if case .previewing = phase { phase = .previewing(run) } else { phase = .building(run) }
    }

    var waiting: Rebuild?
    /// The scene's index in the queue; set exactly while it waits.
    var index: LinkedQueue<SceneID>.Index?
    /// The size last decided, `nil` for a scene that was removed.
    var decided: Size?
    /// The size that is really built.
    var built: Size?
    /// The waiting decision is a live rebuild, which the budget holds back.
    var waitsForBudget = false
    /// A preview that waits.
    var preview: (size: Size, generation: UInt32)?
    /// The waiting preview's index in the queue of those that wait for a place.
    var previewIndex: LinkedQueue<SceneID>.Index?
    /// What is kept for the rebuild of its size.
    var prepared: Prepared?
    /// It is in the queue's list of scenes to follow.
    var isFollowed = false
    /// It has a preview that waits, runs or is kept.
    var hasPreview: Bool {
        if case .previewing = phase { return true }
        return preview != nil || prepared != nil
    }
    /// Builds that failed in a row.
    private(set) var failures = 0
    /// The last build failed, nothing newer is decided, and no retry is armed yet.
    private(set) var needsRetry = false
    /// The number of the armed retry.
    private(set) var retry: UInt64?
    /// The number of the rebuild last decided, while its end is to be reported.
    private(set) var openGeneration: UInt32?
    /// How long the last build took that returned or failed.
    private var cost = Duration.zero
    private(set) var engineBuilt = EngineBuilt.decided
    /// A decision and a report crossed, so the engine may have applied them in the other
    /// order. From then on every outcome is reported.
    private(set) var isDoubtful = false

    init(phase: Phase = .resting) { self.phase = phase }

    /// A rebuild that waits takes over what is prepared, or will be, for this size.
    func claims(_ size: Size) -> Bool { waiting?.size == size }

    /// What is really built has to be reported to the engine.
    var mustReport: Bool {
        guard case .decided = engineBuilt else { return false }
        return isDoubtful || built != decided
    }

    /// The end to report to the engine (contract, rule 18), where nothing waits or runs: of the build of what
    /// was decided last, or of an earlier one of the same size, or of one that failed. It took its time as well.
    var endToReport: (generation: UInt32, cost: Duration)? {
        guard let openGeneration, built == decided || needsRetry else { return nil }
        return (openGeneration, cost)
    }

    /// Notes a decision. If the engine had applied the report when it decided, the decision
    /// names the reported size as the previous one. Otherwise it names the size decided
    /// before, which is another, unless there is doubt already.
    mutating func note(_ rebuild: Rebuild) {
        if case .reported(let size) = engineBuilt, size != rebuild.previousSize { isDoubtful = true }
        (engineBuilt, decided, openGeneration) = (.decided, rebuild.size, rebuild.generation)
    }

    mutating func noteSuccess(_ size: Size, cost: Duration) {
        (built, failures, self.cost) = (size, 0, cost)
    }

    /// Notes a failure. Where a newer decision waits, that is the retry.
    mutating func noteFailure(cost: Duration) {
        (failures, self.cost) = (failures + 1, cost)
        needsRetry = waiting == nil
    }

    mutating func armRetry(_ number: UInt64) { (needsRetry, retry) = (false, number) }

    /// Forgets the retry, and returns its number if it was armed.
    mutating func dropRetry() -> UInt64? {
        needsRetry = false
        return retry.take()
    }

    mutating func beginReportOfEnd() { (phase, openGeneration) = (.reporting, nil) }

    mutating func beginReport() {
        (phase, engineBuilt) = (.reporting, .reported(built))
    }
}
