internal import Settle
internal import SettlePlatform

/// Runs actors and tasks on a live engine's loop, between its handlers; see
/// `LiveEngine.executor`.
///
/// ```swift
/// actor Layout {
///     private let executor: LoopExecutor
///     nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
///     …
/// }
/// ```
///
/// A handler may call `assumeIsolated` on such an actor, without a hop, because handlers run
/// on the loop as well. Jobs here delay the engine, so they have to be short.
///
/// After the engine has stopped, remaining and new jobs run on a thread of their own, one at
/// a time as before.
public final class LoopExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
    private enum Place {
        case loop
        /// The loop has ended, and no job waits.
        case nowhere
        case thread
    }

    private let bell: LoopBell
    private let mutex = PthreadMutex()
    // Guarded by the mutex, so accesses need no dynamic check of exclusivity.
    @exclusivity(unchecked) private var waiting: [UnownedJob] = []
    @exclusivity(unchecked) private var place = Place.loop
    /// The thread that runs jobs or handlers now.
    @exclusivity(unchecked) private var thread: ThreadIdentity?
    /// The loop's own: jobs that run now; kept for its memory.
    @exclusivity(unchecked) private var running: [UnownedJob] = []

    init(bell: LoopBell) {
        self.bell = bell
    }

    /// Runs a job on the loop, after the current pass. Any thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        // The runtime calls through an unowned reference. The job may run, end and release the
        // last owner while this call is still unlocking or waking the loop.
        let own = Unmanaged.passRetained(self)
        defer { own.release() }
        let job = UnownedJob(job)
        let place = mutex.withInlinedLock {
            waiting.append(job)
            defer { if self.place == .nowhere { self.place = .thread } }
            return self.place
        }
        switch place {
        case .loop: bell.ringIfAsleep()
        case .nowhere: startThread()
        case .thread: break
        }
    }

    /// Whether the caller runs on the loop, as handlers and jobs do.
    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    /// Stops the program if the caller does not run on the loop.
    public func checkIsolated() {
        precondition(isCurrent, "this is not the thread of the engine's loop")
    }

    var isCurrent: Bool {
        let current = ThreadIdentity.current()
        return mutex.withInlinedLock { thread == current }
    }

    // MARK: The loop's thread

    var isIdle: Bool { mutex.withInlinedLock { waiting.isEmpty } }

    func enter() {
        let current = ThreadIdentity.current()
        mutex.withInlinedLock { thread = current }
    }

    func leave() { mutex.withInlinedLock { thread = nil } }

    /// Runs the jobs that wait now. Jobs that they enqueue run in the next pass.
    func runJobs() {
        mutex.withInlinedLock { swap(&waiting, &running) }
        for job in running {
            job.runSynchronously(
                isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
        running.removeAll(keepingCapacity: true)
    }

    /// The loop has ended. Jobs continue on a thread.
    func end() {
        let isNeeded = mutex.withInlinedLock {
            guard place == .loop else { return false }
            thread = nil
            place = waiting.isEmpty ? .nowhere : .thread
            return place == .thread
        }
        if isNeeded { startThread() }
    }

    private func startThread() {
        do throws(SystemError) {
            try WorkerThread { [self] in runUntilIdle() }.detach()
        } catch {
            fatalError("no thread for the jobs of a loop that ended: \(error)")
        }
    }

    private func runUntilIdle() {
        enter()
        repeat {
            runJobs()
        } while mutex.withInlinedLock {
            if !waiting.isEmpty { return true }
            (place, thread) = (.nowhere, nil)
            return false
        }
    }
}
