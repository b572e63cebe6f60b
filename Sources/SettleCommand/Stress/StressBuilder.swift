import Settle
import SettleClock
import SettleLoop
import SettlePlatform

/// Simulates rebuilds, one at a time on its own thread, and reports their ends.
///
/// A scene waits at most once: a newer request supersedes one that waits.
final class StressBuilder: @unchecked Sendable {
    private let time: Duration
    private let didBuild: @Sendable (_ scene: Int, Build) -> Void
    private let mutex = PthreadMutex()
    /// Signalled when a scene waits, and at the end.
    private let changed = PthreadCondition()
    /// The maker's.
    private var thread: WorkerThread?

    // Guarded by the mutex.
    /// A ring buffer of the scenes that wait, with capacity for all.
    private var waiting: [Int]
    private var first = 0
    private var waitingCount = 0
    /// The generation of the rebuild for which each scene waits; zero for none.
    private var generations: [UInt32]
    /// Each scene's last build that ended.
    private var last: [Build?]
    private var isStopped = false
    private var counted = Counts()

    /// The end of a build.
    struct Build: Equatable {
        var generation: UInt32
        var end: Timestamp
        var cost: Duration
    }

    struct Counts {
        var built = 0
        /// Requests that a newer one superseded before their build began.
        var superseded = 0
        /// Requests that waited at the end of the run.
        var left = 0
    }

    /// - Parameter didBuild: Called at the end of each build, on the builder's thread.
    init(time: Duration, scenes: Int, didBuild: @escaping @Sendable (_ scene: Int, Build) -> Void) throws {
        self.time = time
        self.didBuild = didBuild
        waiting = Array(repeating: 0, count: scenes)
        generations = Array(repeating: 0, count: scenes)
        last = Array(repeating: nil, count: scenes)
        thread = try WorkerThread { [unowned self] in run() }
    }

    /// The scene's last build that ended, which may not be reported yet. Can be called on any thread.
    func lastBuild(of scene: Int) -> Build? { mutex.withLock { last[scene] } }

    /// Requests the rebuild of a scene with this generation. Can be called on any thread.
    func request(_ scene: Int, generation: UInt32) {
        mutex.withLock {
            let isWaiting = generations[scene] > 0
            generations[scene] = generation
            if isWaiting {
                counted.superseded += 1
                return
            }
            waiting[(first + waitingCount) % waiting.count] = scene
            waitingCount += 1
            changed.signal()
        }
    }

    private func run() {
        while let (scene, generation) = dequeue() {
            let build: Build? = mutex.withLock {
                let start = MonotonicClock.now
                guard sleepUnlessStopped() else { return nil }
                counted.built += 1
                let end = MonotonicClock.now
                last[scene] = Build(generation: generation, end: end, cost: end.duration(since: start))
                return last[scene]
            }
            if let build { didBuild(scene, build) }
        }
    }

    /// Waits for as long as a build takes, with the mutex locked; false when the end comes first.
    private func sleepUnlessStopped() -> Bool {
        let end = MonotonicClock.now.after(time.wholeNanoseconds)
        while !isStopped, MonotonicClock.now < end { changed.wait(mutex, until: end.nanoseconds) }
        return !isStopped
    }

    /// Removes the scene that has waited longest; `nil` at the end.
    private func dequeue() -> (scene: Int, generation: UInt32)? {
        mutex.withLock {
            while waitingCount == 0, !isStopped { changed.wait(mutex) }
            if isStopped { return nil }
            let scene = waiting[first]
            first = (first + 1) % waiting.count
            waitingCount -= 1
            defer { generations[scene] = 0 }
            return (scene, generations[scene])
        }
    }

    /// Breaks off the current build, drops those that wait, and returns the counts. Must be
    /// called before the builder is released, which its thread does not retain; further calls
    /// only return the counts.
    @discardableResult
    func stop() -> Counts {
        mutex.withLock {
            isStopped = true
            changed.signal()
        }
        thread?.join()
        thread = nil
        counted.left = waitingCount
        return counted
    }
}
