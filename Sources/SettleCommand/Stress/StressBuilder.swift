import Settle
import SettleLoop
import SettlePlatform

/// Simulates rebuilds, one at a time on its own thread.
///
/// A scene waits at most once: a newer request supersedes one that waits.
final class StressBuilder: @unchecked Sendable {
    private let time: Duration
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
    private var isWaiting: [Bool]
    private var isStopped = false
    private var counted = Counts()

    struct Counts {
        var built = 0
        /// Requests that a newer one superseded before their build began.
        var superseded = 0
        /// Requests that waited at the end of the run.
        var left = 0
    }

    init(time: Duration, scenes: Int) throws {
        self.time = time
        waiting = Array(repeating: 0, count: scenes)
        isWaiting = Array(repeating: false, count: scenes)
        thread = try WorkerThread { [unowned self] in run() }
    }

    /// Requests a rebuild of a scene. Can be called on any thread.
    func request(_ scene: Int) {
        mutex.withLock {
            if isWaiting[scene] {
                counted.superseded += 1
                return
            }
            isWaiting[scene] = true
            waiting[(first + waitingCount) % waiting.count] = scene
            waitingCount += 1
            changed.signal()
        }
    }

    private func run() {
        while dequeue() {
            mutex.withLock { if sleepUnlessStopped() { counted.built += 1 } }
        }
    }

    /// Waits for as long as a build takes, with the mutex locked; false when the end comes first.
    private func sleepUnlessStopped() -> Bool {
        let end = MonotonicClock.now.after(time.wholeNanoseconds)
        while !isStopped, MonotonicClock.now < end { changed.wait(mutex, until: end) }
        return !isStopped
    }

    /// Removes the scene that has waited longest; false at the end.
    private func dequeue() -> Bool {
        mutex.withLock {
            while waitingCount == 0, !isStopped { changed.wait(mutex) }
            if isStopped { return false }
            isWaiting[waiting[first]] = false
            first = (first + 1) % waiting.count
            waitingCount -= 1
            return true
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
