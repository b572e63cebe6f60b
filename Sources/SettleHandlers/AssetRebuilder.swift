public import Settle
internal import SettlePlatform

/// Runs the rebuilds that an engine decides: off the caller's thread, at most one per scene
/// at a time, and only the latest.
///
/// A newer decision cancels the running build of its scene, waits for its end, and then runs
/// alone; it supersedes a decision that waits. A live one lets the running build end. Nothing runs for
/// a size that is really built already. Scenes wait in the order of their oldest decision that waits.
///
/// Live rebuilds (`Policy.liveSharePercent`) depend on `finished`, which reports what each build took. Each
/// scene has its share of the time; scenes that are dragged at once share a `liveBudgetPercent`, if there is one.
///
/// A preview is what a program can do for a size that stands still: show something cheap (`preview`), or prepare the
/// rebuild (`prepare`, see the initializer with `show`). With `previewed` each one's end is reported, as a
/// `Policy.pauseSharePercent` needs. It waits while a rebuild of its scene runs, waits or is being reported, at most
/// one waits and at most one runs per scene, and it never counts as built. A newer preview supersedes one that waits
/// and cancels one that runs; so do a rebuild decision, the interaction's end, another size (`follow`), `remove`,
/// `stop` and `decisionsEnded`. What follows waits until a cancelled preview has ended. Nothing takes a preview back:
/// when an interaction ends at the built size, no rebuild follows, and a program that shows a preview shows what is
/// built again at the decision `interactionEnded`.
///
/// ```swift
/// let rebuilder = AssetRebuilder(
///     reallyBuilt: { scene, size in post(.reallyBuilt(scene, at: now(), size: size)) },
///     build: { scene, rebuild in try await textures(of: scene).load(for: rebuild.size) })
/// engine.submit(event) { decision in rebuilder.submit(decision) }
/// ```
///
/// All methods may be called from any thread. A running build keeps the rebuilder alive.
public final class AssetRebuilder: Sendable {
    /// Builds a scene's assets for one size. Returning means that the size is built, even
    /// after its task was cancelled. When it throws, what was built before must still be there.
    public typealias Build = @Sendable (SceneID, Rebuild) async throws -> Void
    /// Receives the size that is really built for a scene, `nil` for nothing, where the engine
    /// assumes another.
    public typealias ReallyBuilt = @Sendable (SceneID, Size?) -> Void
    /// Receives the end of a scene's last rebuild: its `Rebuild.generation`, and how long its build took.
    public typealias Finished = @Sendable (SceneID, UInt32, Duration) -> Void
    /// Receives the end of a preview: its generation, how long it took, and whether it was kept: its task was not
    /// cancelled.
    public typealias Previewed = @Sendable (SceneID, UInt32, Duration, Bool) -> Void
    /// Receives what a failed build threw.
    public typealias Failure = @Sendable (SceneID, Rebuild, any Error) -> Void
    /// Shows something cheap for a size, or prepares its build, without building for it. Returns early when its task
    /// is cancelled.
    public typealias Preview = @Sendable (SceneID, Size) async -> Void
    /// Asks the engine to decide a scene's rebuild now.
    public typealias Flush = @Sendable (SceneID) -> Void

    private struct State: Sendable {
        var queue: RebuildQueue
        /// The builds and previews that run.
        var tasks: [SceneID: Task<Void, Never>] = [:]
        /// The retries that wait for their time, by their numbers.
        var retries: [UInt64: Task<Void, Never>] = [:]
        /// Waits until the live budget has paid for the builds so far.
        var budgetWait: Task<Void, Never>?
        var idle: [CheckedContinuation<Void, Never>] = []
    }

    private let state: LockedValueBox<State>
    private let priority: TaskPriority?
    private let executor: (any TaskExecutor)?
    private let reallyBuilt: ReallyBuilt
    private let finished: Finished?
    private let previewed: Previewed?
    private let build: @Sendable (SceneID, Rebuild, (any Sendable)?) async throws -> Void
    private let onFailure: Failure?
    private let preview: (@Sendable (SceneID, Size) async throws -> (any Sendable)?)?
    private let flush: Flush?
    /// Returns the wait for a time so long after now.
    private let timer: @Sendable (Duration) -> @Sendable () async throws -> Void
    /// The time since this was made.
    private let elapsed: @Sendable () -> Duration

    /// - Parameters:
    ///   - configuration: How builds run.
    ///   - clock: Builds and waits are measured on this clock.
    ///   - reallyBuilt: Called when a scene's last rebuild failed or was abandoned: the caller
    ///     submits `Event.reallyBuilt` with the arguments, so that the size is decided again (contract,
    ///     rule 13). Called once more with the final size where such a call crossed a newer
    ///     decision. It is called on a task, never inside `submit`, once at a time per scene,
    ///     and nothing of that scene is built meanwhile. Its events have to stay in that order.
    ///   - finished: Called when a scene's last rebuild has ended, with what its build took from its begin to its
    ///     end: the caller submits `Event.finished` with the arguments (contract, rule 18). It is called as `reallyBuilt` is,
    ///     and before it. A build that failed took its time as well; one that was cancelled is not reported. Where the size
    ///     came back to what is built, the cost is that of the build before.
    ///   - previewed: Called when a preview has ended, or was given up before it began: the caller submits
    ///     `Event.previewed` with the arguments (contract, rule 17). It is called on a task, never inside `submit`, and
    ///     not for a scene that was removed.
    ///   - flush: Called when a retry is due: the caller submits `Event.flush`, after the events
    ///     of `reallyBuilt`. It is called on a task, never inside `submit`.
    ///   - build: Builds one scene. Its task is cancelled when a newer decision supersedes it.
    ///   - onFailure: Called when a build threw without having been cancelled, also for a
    ///     `CancellationError` of its own. Called once for each of `statistics.failed`, on the
    ///     build's task, before `reallyBuilt` and before anything else of the scene is built;
    ///     `waitUntilIdle` waits for it. Without it, failures are counted, and the last is
    ///     described in `statistics`.
    ///   - preview: Called for a size that stands still; without it, previews are ignored.
    /// - Precondition: `concurrency` is at least 1, and `liveBudgetPercent` is 1...100; a backoff has
    ///   `0 <= first <= limit` and `attempts >= 0`, and comes with `flush`.
    public convenience init(
        _ configuration: Configuration = Configuration(), clock: some Clock<Duration> = SuspendingClock(),
        reallyBuilt: @escaping ReallyBuilt, finished: Finished? = nil, previewed: Previewed? = nil,
        flush: Flush? = nil, build: @escaping Build,
        onFailure: Failure? = nil, preview: Preview? = nil
    ) {
        self.init(
            configuration, clock: clock, reallyBuilt: reallyBuilt, finished: finished, previewed: previewed,
            flush: flush, build: { scene, rebuild, _ in try await build(scene, rebuild) }, onFailure: onFailure,
            preview: preview.map { preview in
                { @Sendable scene, size in
                    await preview(scene, size)
                    return nil
                }
            }, prepares: false)
    }

    /// - Parameters:
    ///   - build: Gets what was prepared for the rebuild, if anything.
    ///   - preview: Returns what it prepared, if anything.
    init(
        _ configuration: Configuration, clock: some Clock<Duration>, reallyBuilt: @escaping ReallyBuilt,
        finished: Finished?, previewed: Previewed?, flush: Flush?,
        build: @escaping @Sendable (SceneID, Rebuild, (any Sendable)?) async throws -> Void, onFailure: Failure?,
        preview: (@Sendable (SceneID, Size) async throws -> (any Sendable)?)?, prepares: Bool
    ) {
        precondition(configuration.retry == .never || flush != nil, "a retry needs flush")
        let queue = RebuildQueue(
            concurrency: configuration.concurrency, retry: configuration.retry, reportsEnds: finished != nil,
            reportsPreviews: previewed != nil, prepares: prepares, liveBudget: configuration.liveBudgetPercent)
        state = LockedValueBox(State(queue: queue))
        priority = configuration.priority
        executor = configuration.executor
        self.reallyBuilt = reallyBuilt
        self.finished = finished
        self.previewed = previewed
        self.build = build
        self.onFailure = onFailure
        self.preview = preview
        self.flush = flush
        timer = { delay in
            let end = clock.now.advanced(by: delay)
            return { try await clock.sleep(until: end, tolerance: nil) }
        }
        let origin = clock.now
        elapsed = { origin.duration(to: clock.now) }
    }

    deinit { for retry in state.withLock({ $0.retries.values }) { retry.cancel() } }

    /// Runs the rebuild or preview of a decision, or lets it wait. The end of an interaction ends
    /// its preview, and a live rebuild's wait for the budget. It ignores every other decision. It does not wait for builds, and takes the
    /// same time however many scenes wait, apart from a step for each whose cancelled preview has
    /// not ended. Decisions of one scene have to be submitted in the engine's order.
    public func submit(_ decision: Decision) {
        let scene = decision.scene
        switch decision.kind {
        case .rebuild(let rebuild): change { $0.queue.submit(scene, rebuild) }
        case .preview(let size, let generation) where preview != nil:
            change { $0.queue.preview(scene, size, generation: generation) }
        case .interactionEnded: change { $0.queue.interactionEnded(scene) }
        default: break
        }
    }

    /// Cancels previews of sizes that the engine's scenes do not have any more, and lets go of what is kept for a
    /// rebuild that does not come. Call it after the decisions of each event or batch. It costs a lock, and more only
    /// while a scene has a preview. A live engine calls this itself.
    public func follow(_ engine: borrowing Engine) {
        let scenes = scenesToFollow().map { Followed($0, engine) }
        if !scenes.isEmpty { follow(scenes) }
    }

    /// What `follow` needs to know of a scene, read where its engine may be read.
    package struct Followed: Sendable {
        let scene: SceneID
        let size: Size?
        let isOwed: Bool

        package init(_ scene: SceneID, _ engine: borrowing Engine) {
            self.scene = scene
            size = engine.size(of: scene)
            isOwed = engine.isInteracting(scene) || engine.isPending(scene)
        }
    }

    /// The scenes that have a preview, waiting, running or kept.
    package func scenesToFollow() -> [SceneID] { state.withLock { $0.queue.scenesToFollow() } }

    package func follow(_ scenes: [Followed]) {
        change { state in
            scenes.flatMap { state.queue.follow($0.scene, size: $0.size, isOwed: $0.isOwed) }
        }
    }

    /// Lets go of what is prepared, and cancels what is being prepared: for a program that is short of memory. What a
    /// rebuild has been decided for stays. The rebuilds of the others build anew.
    public func dropPrepared() { change { $0.queue.dropPrepared() } }

    /// Removes a scene that disconnected: cancels its build, preview and retry, and `reallyBuilt` is
    /// not called for it.
    /// A scene that is not removed uses a little memory for as long as the rebuilder lives.
    public func remove(_ scene: SceneID) {
        change { $0.queue.remove(scene) }
    }

    /// The engine has stopped, so no decision follows: cancels the previews and drops the retries.
    /// Builds go on. A live engine calls this itself.
    public func decisionsEnded() { change { $0.queue.decisionsEnded() } }

    /// Returns when nothing runs or waits and every `reallyBuilt` and `flush` call has returned, also
    /// if the calling task is cancelled. It does not wait for retries that are not due. None of
    /// the rebuilder's closures may call it: it would wait for them.
    public func waitUntilIdle() async {
        await withCheckedContinuation { waiter in
            let isIdle = state.withLock { state in
                if !state.queue.isIdle { state.idle.append(waiter) }
                return state.queue.isIdle
            }
            if isIdle { waiter.resume() }
        }
    }

    /// Cancels all builds, previews and retries, reports the sizes that are really built, and
    /// returns when idle. Decisions submitted from now on are dropped and counted. Idempotent.
    /// None of the rebuilder's closures may call it.
    public func stop() async {
        change { $0.queue.stop() }
        state.withLock { $0.budgetWait.take() }?.cancel()
        await waitUntilIdle()
    }
}

extension AssetRebuilder {
    /// What was counted since the rebuilder was made.
    public var statistics: Statistics { state.withLock { $0.queue.statistics } }

    /// Decides with the mutex locked, then acts without it.
    private func change(_ decide: (inout State) -> [RebuildQueue.Action]) {
        let now = elapsed()
        // What was prepared in vain ends with this function, without the lock.
        let (actions, waiters, _) = state.withLock { state in
            state.queue.advance(to: now)
            let actions = decide(&state)
            let discarded = state.queue.drainDiscarded()
            guard state.queue.isIdle else { return (actions, [CheckedContinuation<Void, Never>](), discarded) }
            defer { state.idle = [] }
            return (actions, state.idle, discarded)
        }
        for action in actions { perform(action) }
        for waiter in waiters { waiter.resume() }
    }

    private func perform(_ action: RebuildQueue.Action) {
        switch action {
        case .build(let scene, let rebuild, let run):
            let task = detach { await self.run(scene, rebuild, number: run) }
            keep(task, of: scene, run: run)
        case .preview(let scene, let size, let run):
            let task = detach { await self.runPreview(scene, size) }
            keep(task, of: scene, run: run)
        case .cancel(let scene, let run):
            let task = state.withLock { state in
                state.queue.isCancelled(scene, run: run) == nil ? nil : state.tasks[scene]
            }
            task?.cancel()
        case .reportEnd(let scene, let generation, let cost):
            _ = detach {
                self.finished?(scene, generation, cost)
                self.change { $0.queue.reported(scene) }
            }
        case .reportPreview(let scene, let generation, let cost, let isKept):
            _ = detach {
                self.previewed?(scene, generation, cost, isKept)
                self.change { $0.queue.reported(scene) }
            }
        case .reportGivenUp(let scene, let generation):
            _ = detach { self.previewed?(scene, generation, .zero, false) }
        case .report(let scene, let size):
            _ = detach {
                self.reallyBuilt(scene, size)
                self.change { $0.queue.reported(scene) }
            }
        case .retry(let scene, let delay, let number): wait(delay, toRetry: scene, number: number)
        case .dropRetry(let number): state.withLock { $0.retries.removeValue(forKey: number) }?.cancel()
        case .flush(let scene):
            // On the task that waited for the retry.
            flush?(scene)
            change { $0.queue.flushed() }
        case .waitForBudget(let delay, let number): waitForBudget(delay, number)
        }
    }

    /// Waits on a task that keeps the rebuilder, as a build that runs does.
    private func waitForBudget(_ delay: Duration, _ number: UInt64) {
        let sleep = timer(delay)
        let task = detach {
            do { try await sleep() } catch { return }
            self.change { $0.queue.budgetDue() }
        }
        let isWaiting = state.withLock { state in
            let isWaiting = state.queue.isWaitingForBudget(number: number)
            if isWaiting { state.budgetWait = task }
            return isWaiting
        }
        if !isWaiting { task.cancel() }
    }

    /// Waits on a task that does not keep the rebuilder: nobody needs the retry of one that is
    /// gone.
    private func wait(_ delay: Duration, toRetry scene: SceneID, number: UInt64) {
        let sleep = timer(delay)
        let task = detach { [weak self] in
            do { try await sleep() } catch { return }
            self?.change { state in
                state.retries[number] = nil
                return state.queue.retryDue(scene, number: number)
            }
        }
        // The time may have passed by now, or another thread may have dropped the retry.
        let isArmed = state.withLock { state in
            let isArmed = state.queue.isRetryArmed(scene, number: number)
            if isArmed { state.retries[number] = task }
            return isArmed
        }
        if !isArmed { task.cancel() }
    }

    private func detach(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task.detached(executorPreference: executor, priority: priority, operation: body)
    }

    /// Keeps the task of a build or preview. It may have ended by now, or a thread that did not find
    /// the task yet may have cancelled it.
    private func keep(_ task: Task<Void, Never>, of scene: SceneID, run: UInt64) {
        let isCancelled = state.withLock { state in
            let isCancelled = state.queue.isCancelled(scene, run: run)
            if isCancelled != nil { state.tasks[scene] = task }
            return isCancelled
        }
        if isCancelled == true { task.cancel() }
    }

    private func runPreview(_ scene: SceneID, _ size: Size) async {
        let start = elapsed()
        var (asset, thrown): ((any Sendable)?, (any Error)?)
        do {
            try Task.checkCancellation()
            asset = try await preview?(scene, size)
        } catch {
            thrown = error
        }
        let time = elapsed() - start
        let (outcome, problem) = thrown.map { (RebuildQueue.Outcome.threw, "\($0)") } ?? (.returned, "")
        change { state in
            state.tasks[scene] = nil
            return state.queue.previewEnded(scene, outcome, after: time, asset: asset, problem: problem)
        }
    }

    private func run(_ scene: SceneID, _ rebuild: Rebuild, number: UInt64) async {
        let start = elapsed()
        var thrown: (any Error)?
        do {
            try Task.checkCancellation()
            let asset = state.withLock { $0.queue.takePrepared(scene, run: number) }
            try await build(scene, rebuild, asset)
        } catch {
            thrown = error
        }
        let time = elapsed() - start
        if let thrown { report(thrown, of: scene, rebuild, number: number) }
        change { state in
            state.tasks[scene] = nil
            return state.queue.ended(scene, thrown == nil ? .returned : .threw, after: time)
        }
    }

    /// Decides once whether an error is a failure, so that a cancellation while `onFailure`
    /// runs changes nothing.
    private func report(_ error: any Error, of scene: SceneID, _ rebuild: Rebuild, number: UInt64) {
        let problem = "\(error)"
        let isFailure = state.withLock { $0.queue.failed(scene, run: number, problem) }
        if isFailure { onFailure?(scene, rebuild, error) }
    }
}
