@_spi(Faults) public import Settle

/// Runs the rebuilds that an engine decides: off the caller's thread, at most one
/// at a time for a scene, and only the latest.
///
/// A newer decision asks the running build of its scene to give up, waits until it
/// has, and runs alone; whatever it overtakes while waiting never runs. Nothing runs
/// for a size that is really built already. Scenes wait in the order of their oldest
/// unserved decision.
///
/// ```swift
/// let rebuilder = AssetRebuilder(
///     built: { scene, size in post(.built(scene, size: size, at: now())) },
///     build: { scene, rebuild in try await textures(of: scene).load(for: rebuild.size) })
/// engine.submit(event) { decision in rebuilder.take(decision) }
/// ```
///
/// All methods may be called from any thread. Builds that run keep the rebuilder alive.
public final class AssetRebuilder: Sendable {
    /// Builds a scene's assets for one size. It throws when it fails or gives up, and
    /// then leaves what was built before; returning means that the size is built, even
    /// after its task was cancelled.
    public typealias Build = @Sendable (SceneID, Rebuild) async throws -> Void
    /// Hears what is really built for a scene, `nil` for nothing, where that is not
    /// what the engine takes for built.
    public typealias Built = @Sendable (SceneID, Size?) -> Void
    /// Hears of a build that failed, with what it threw.
    public typealias Failure = @Sendable (SceneID, Rebuild, any Error) -> Void

    private struct State: Sendable {
        var queue: RebuildQueue
        var tasks: [SceneID: Task<Void, Never>] = [:]
        var idle: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Guarded<State>
    private let priority: TaskPriority?
    private let executor: (any TaskExecutor)?
    private let built: Built
    private let build: Build
    private let onFailure: Failure?

    /// - Parameters:
    ///   - concurrency: Builds that run at the same time, at least 1.
    ///   - priority: Of the builds' tasks.
    ///   - executor: Where builds run, `nil` for the default one. It is kept until the
    ///     last build has ended.
    ///   - built: Returns a debt (contract, rule 13): the caller submits
    ///     `Event.built` with what it is given. Called when a scene's last rebuild
    ///     failed or was abandoned, and once more with the final size where such a
    ///     call crossed a newer decision. Calls for one scene come one after the
    ///     other, on a task, never inside `take`, and nothing of that scene is built
    ///     meanwhile; their events have to stay in that order.
    ///   - build: Is asked to give up by the cancellation of its task.
    ///   - onFailure: Called when a build threw that had not been asked to give up, whatever
    ///     it threw; also a `CancellationError` of its own. What a build throws after it was
    ///     asked is its way of giving up. Called once for each of `statistics.failed`, on the
    ///     build's task, before `built` returns the debt and before anything else of the
    ///     scene is built; `waitUntilIdle` waits for it. Without it, failures are only
    ///     counted and the last is described, in `statistics`.
    public init(
        concurrency: Int = 2, priority: TaskPriority? = nil, executor: (any TaskExecutor)? = nil,
        built: @escaping Built, build: @escaping Build, onFailure: Failure? = nil
    ) {
        state = Guarded(State(queue: RebuildQueue(concurrency: concurrency)))
        self.priority = priority
        self.executor = executor
        self.built = built
        self.build = build
        self.onFailure = onFailure
    }

    /// Sees to a rebuild and ignores every other decision. It waits for no build, and
    /// takes the same time however many scenes wait. Decisions of one scene have to
    /// come in the engine's order.
    public func take(_ decision: Decision) {
        guard case .rebuild(let rebuild) = decision.kind else { return }
        change { $0.queue.take(decision.scene, rebuild) }
    }

    /// Forgets a scene that disconnected: cancels its build, and `built` is not called
    /// for it. Without this, a scene takes up a little memory for good.
    public func remove(_ scene: SceneID) {
        change { $0.queue.remove(scene) }
    }

    /// Returns when nothing runs or waits and every `built` call has returned. It does
    /// so even if the calling task is cancelled. Not to be called by a build, by `built`
    /// or by `onFailure`, which it would wait for.
    public func waitUntilIdle() async {
        await withCheckedContinuation { waiter in
            let isIdle = state.withLock { state in
                if !state.queue.isIdle { state.idle.append(waiter) }
                return state.queue.isIdle
            }
            if isIdle { waiter.resume() }
        }
    }

    /// Cancels all builds, returns the debts that remain, and returns when idle.
    /// Decisions taken from now on are counted as dropped, and their debts are not
    /// returned. Stopping again only waits. Not to be called by a build, by `built` or by
    /// `onFailure`.
    public func stop() async {
        change { $0.queue.stop() }
        await waitUntilIdle()
    }

    /// What was counted since the rebuilder was made.
    public var statistics: Statistics { state.withLock { $0.queue.statistics } }

    /// `decided` = `started` + `superseded` + `skipped` + `dropped` + `waiting`, and
    /// `started` = `finished` + `cancelled` + `failed` + `running`.
    public struct Statistics: Hashable, Sendable {
        /// Rebuild decisions taken.
        public var decided: UInt64 = 0
        /// Builds begun.
        public var started: UInt64 = 0
        /// Ended by throwing after they were asked to give up.
        public var cancelled: UInt64 = 0
        /// Ended by returning, asked to give up or not.
        public var finished: UInt64 = 0
        /// Ended by throwing of their own accord; `onFailure` was called for each.
        public var failed: UInt64 = 0
        /// The last of those: its scene, its size and what it threw.
        public var lastFailure: String?
        /// Not run because their size was built, or on its way.
        public var skipped: UInt64 = 0
        /// Not run because a newer decision came while they waited.
        public var superseded: UInt64 = 0
        /// Not run because their scene was removed or the rebuilder stopped.
        public var dropped: UInt64 = 0
        /// Builds that run now.
        public var running = 0
        /// Decisions that wait now.
        public var waiting = 0
        /// How long builds took, all together.
        public var timeSpent = Duration.zero

        public init() {}
    }
}

extension AssetRebuilder {
    /// Decides under the lock, then acts without it.
    private func change(_ decide: (inout State) -> [RebuildQueue.Action]) {
        let (actions, waiters) = state.withLock { state in
            let actions = decide(&state)
            guard state.queue.isIdle else { return (actions, [CheckedContinuation<Void, Never>]()) }
            defer { state.idle = [] }
            return (actions, state.idle)
        }
        for action in actions { perform(action) }
        for waiter in waiters { waiter.resume() }
    }

    private func perform(_ action: RebuildQueue.Action) {
        switch action {
        case .build(let scene, let rebuild, let run):
            let task = detach { await self.run(scene, rebuild, number: run) }
            keep(task, of: scene, run: run)
        case .cancel(let scene, let run):
            let task = state.withLock { state in
                state.queue.isCancelled(scene, run: run) == nil ? nil : state.tasks[scene]
            }
            task?.cancel()
        case .tell(let scene, let size):
            _ = detach {
                self.built(scene, size)
                self.change { $0.queue.told(scene) }
            }
        }
    }

    private func detach(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task.detached(executorPreference: executor, priority: priority, operation: body)
    }

    /// By now the build may have ended, or been cancelled by a thread that did not
    /// find the task yet.
    private func keep(_ task: Task<Void, Never>, of scene: SceneID, run: UInt64) {
        let isCancelled = state.withLock { state in
            let isCancelled = state.queue.isCancelled(scene, run: run)
            if isCancelled != nil { state.tasks[scene] = task }
            return isCancelled
        }
        if isCancelled == true { task.cancel() }
    }

    private func run(_ scene: SceneID, _ rebuild: Rebuild, number: UInt64) async {
        let clock = SuspendingClock()
        let start = clock.now
        var thrown: (any Error)?
        do {
            try Task.checkCancellation()
            try await build(scene, rebuild)
        } catch {
            thrown = error
        }
        let time = start.duration(to: clock.now)
        if let thrown { report(thrown, of: scene, rebuild, number: number) }
        change { state in
            state.tasks[scene] = nil
            return state.queue.ended(scene, thrown == nil ? .returned : .threw, after: time)
        }
    }

    /// Whether it is a failure is decided once, so that a cancellation that comes while
    /// `onFailure` runs changes nothing.
    private func report(_ error: any Error, of scene: SceneID, _ rebuild: Rebuild, number: UInt64) {
        let problem = "\(error)"
        let isFailure = state.withLock { $0.queue.failed(scene, run: number, problem) }
        if isFailure, !Planted.failureUnreported { onFailure?(scene, rebuild, error) }
    }
}
