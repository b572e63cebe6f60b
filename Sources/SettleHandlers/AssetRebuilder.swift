@_spi(Faults) public import Settle
internal import SettlePlatform

/// Runs the rebuilds that an engine decides: off the caller's thread, at most one per scene
/// at a time, and only the latest.
///
/// A newer decision cancels the running build of its scene, waits for its end, and then runs
/// alone; it supersedes a decision that waits. Nothing runs for a size that is really built
/// already. Scenes wait in the order of their oldest decision that waits.
///
/// ```swift
/// let rebuilder = AssetRebuilder(
///     built: { scene, size in post(.built(scene, size: size, at: now())) },
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
    public typealias Built = @Sendable (SceneID, Size?) -> Void
    /// Receives what a failed build threw.
    public typealias Failure = @Sendable (SceneID, Rebuild, any Error) -> Void

    private struct State: Sendable {
        var queue: RebuildQueue
        var tasks: [SceneID: Task<Void, Never>] = [:]
        var idle: [CheckedContinuation<Void, Never>] = []
    }

    private let state: LockedValueBox<State>
    private let priority: TaskPriority?
    private let executor: (any TaskExecutor)?
    private let built: Built
    private let build: Build
    private let onFailure: Failure?

    /// - Parameters:
    ///   - concurrency: How many builds run at the same time.
    ///   - priority: The priority of the builds' tasks.
    ///   - executor: Where builds run, `nil` for the default executor. It is kept until the
    ///     last build has ended.
    ///   - built: Called when a scene's last rebuild failed or was abandoned: the caller
    ///     submits `Event.built` with the arguments, so that the size is owed again (contract,
    ///     rule 13). Called once more with the final size where such a call crossed a newer
    ///     decision. It is called on a task, never inside `submit`, once at a time per scene,
    ///     and nothing of that scene is built meanwhile. Its events have to stay in that order.
    ///   - build: Builds one scene. Its task is cancelled when a newer decision supersedes it.
    ///   - onFailure: Called when a build threw without having been cancelled, also for a
    ///     `CancellationError` of its own. Called once for each of `statistics.failed`, on the
    ///     build's task, before `built` and before anything else of the scene is built;
    ///     `waitUntilIdle` waits for it. Without it, failures are counted, and the last is
    ///     described in `statistics`.
    /// - Precondition: `concurrency` is at least 1.
    public init(
        concurrency: Int = 2, priority: TaskPriority? = nil, executor: (any TaskExecutor)? = nil,
        built: @escaping Built, build: @escaping Build, onFailure: Failure? = nil
    ) {
        state = LockedValueBox(State(queue: RebuildQueue(concurrency: concurrency)))
        self.priority = priority
        self.executor = executor
        self.built = built
        self.build = build
        self.onFailure = onFailure
    }

    /// Runs the rebuild of a decision, or lets it wait; ignores every other decision. It does
    /// not wait for builds, and takes the same time however many scenes wait. Decisions of one
    /// scene have to be submitted in the engine's order.
    public func submit(_ decision: Decision) {
        guard case .rebuild(let rebuild) = decision.kind else { return }
        change { $0.queue.submit(decision.scene, rebuild) }
    }

    /// Removes a scene that disconnected: cancels its build, and `built` is not called for it.
    /// A scene that is not removed uses a little memory for as long as the rebuilder lives.
    public func remove(_ scene: SceneID) {
        change { $0.queue.remove(scene) }
    }

    /// Returns when nothing runs or waits and every `built` call has returned, also if the
    /// calling task is cancelled. A build, `built` and `onFailure` must not call it: it would
    /// wait for them.
    public func waitUntilIdle() async {
        await withCheckedContinuation { waiter in
            let isIdle = state.withLock { state in
                if !state.queue.isIdle { state.idle.append(waiter) }
                return state.queue.isIdle
            }
            if isIdle { waiter.resume() }
        }
    }

    /// Cancels all builds, reports the sizes that are really built, and returns when idle.
    /// Decisions submitted from now on are dropped and counted. Idempotent. A build, `built`
    /// and `onFailure` must not call it.
    public func stop() async {
        change { $0.queue.stop() }
        await waitUntilIdle()
    }

    /// What was counted since the rebuilder was made.
    public var statistics: Statistics { state.withLock { $0.queue.statistics } }

    /// `decided` = `started` + `superseded` + `skipped` + `dropped` + `waiting`, and
    /// `started` = `finished` + `cancelled` + `failed` + `running`.
    public struct Statistics: Hashable, Sendable {
        /// Rebuild decisions submitted.
        public var decided: UInt64 = 0
        /// Builds begun.
        public var started: UInt64 = 0
        /// Builds that threw after they were cancelled.
        public var cancelled: UInt64 = 0
        /// Builds that returned, cancelled or not.
        public var finished: UInt64 = 0
        /// Builds that threw without having been cancelled; `onFailure` was called for each.
        public var failed: UInt64 = 0
        /// The last failure: its scene, its size and what it threw.
        public var lastFailure: String?
        /// Decisions not run because their size was built, or being built.
        public var skipped: UInt64 = 0
        /// Decisions superseded by a newer one while they waited.
        public var superseded: UInt64 = 0
        /// Decisions dropped because their scene was removed or the rebuilder stopped.
        public var dropped: UInt64 = 0
        /// Builds that run now.
        public var running = 0
        /// Decisions that wait now.
        public var waiting = 0
        /// How long all builds took together.
        public var timeSpent = Duration.zero

        /// All counts are 0.
        public init() {}
    }
}

extension AssetRebuilder {
    /// Decides with the mutex locked, then acts without it.
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
        case .report(let scene, let size):
            _ = detach {
                self.built(scene, size)
                self.change { $0.queue.reported(scene) }
            }
        }
    }

    private func detach(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task.detached(executorPreference: executor, priority: priority, operation: body)
    }

    /// Keeps a build's task. The build may have ended by now, or a thread that did not find
    /// the task yet may have cancelled it.
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

    /// Decides once whether an error is a failure, so that a cancellation while `onFailure`
    /// runs changes nothing.
    private func report(_ error: any Error, of scene: SceneID, _ rebuild: Rebuild, number: UInt64) {
        let problem = "\(error)"
        let isFailure = state.withLock { $0.queue.failed(scene, run: number, problem) }
        if isFailure, !Planted.failureUnreported { onFailure?(scene, rebuild, error) }
    }
}
