internal import Settle
internal import SettlePlatform

#if canImport(Glibc)
    internal import Glibc
#endif

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
/// On such an actor a handler may use `assumeIsolated`, without a hop: handlers run on
/// the loop as well. What runs here holds up the engine, so it has to be short.
///
/// After the engine has stopped, what is left and what still comes runs on a thread of
/// its own, one at a time as before.
public final class LoopExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
    private enum Place {
        case loop
        /// The loop is no more, and nothing waits.
        case nowhere
        case thread
    }

    private let bell: LoopBell
    private let lock = Lock()
    private var waiting: [UnownedJob] = []
    private var place = Place.loop
    /// The thread that runs jobs or handlers just now.
    private var thread: pthread_t?
    /// The loop's alone: jobs on their way, kept for its memory.
    private var running: [UnownedJob] = []

    init(bell: LoopBell) {
        self.bell = bell
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let place = lock.locked {
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

    /// Whether the caller is on the loop, as a handler or a job is.
    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    public func checkIsolated() {
        precondition(isCurrent, "this is not the thread of the engine's loop")
    }

    /// Not inlined: glibc declares pthread_self constant, and a caller that moved to
    /// another thread would see the old one.
    @inline(never)
    var isCurrent: Bool {
        let current = pthread_self()
        return lock.locked { thread.map { pthread_equal($0, current) != 0 } ?? false }
    }

    // MARK: The loop's thread

    var isIdle: Bool { lock.locked { waiting.isEmpty } }

    @inline(never)
    func enter() {
        let current = pthread_self()
        lock.locked { thread = current }
    }

    func leave() { lock.locked { thread = nil } }

    /// Runs what waits now; what it enqueues is for the next pass.
    func runJobs() {
        lock.locked { swap(&waiting, &running) }
        for job in running {
            job.runSynchronously(
                isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
        running.removeAll(keepingCapacity: true)
    }

    /// The loop has ended. Jobs go on elsewhere.
    func end() {
        let isNeeded = lock.locked {
            guard place == .loop else { return false }
            thread = nil
            place = waiting.isEmpty ? .nowhere : .thread
            return place == .thread
        }
        if isNeeded { startThread() }
    }

    private func startThread() {
        let me = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { context in
                Unmanaged<LoopExecutor>.fromOpaque(context!).takeRetainedValue().runUntilIdle()
                return nil
            }, me.toOpaque())
        guard result == 0 else { fatalError("no thread for a loop's last jobs: \(String(cString: strerror(result)))") }
        pthread_detach(thread)
    }

    private func runUntilIdle() {
        enter()
        repeat {
            runJobs()
        } while lock.locked {
            if !waiting.isEmpty { return true }
            (place, thread) = (.nowhere, nil)
            return false
        }
    }
}
