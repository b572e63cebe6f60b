import Glibc
import Settle
import SettleLoop
import SettlePlatform

/// Simulates rebuilds, one at a time on its own thread.
///
/// A scene waits at most once: a newer request supersedes one that waits.
final class StressBuilder: @unchecked Sendable {
    private let time: timespec
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var thread: WorkerThread?

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
        self.time = timespec(
            tv_sec: Int(time.components.seconds), tv_nsec: Int(time.components.attoseconds / 1_000_000_000))
        waiting = Array(repeating: 0, count: scenes)
        isWaiting = Array(repeating: false, count: scenes)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
        thread = try WorkerThread { [unowned self] in run() }
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Requests a rebuild of a scene. Can be called on any thread.
    func request(_ scene: Int) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if isWaiting[scene] {
            counted.superseded += 1
            return
        }
        isWaiting[scene] = true
        waiting[(first + waitingCount) % waiting.count] = scene
        waitingCount += 1
        pthread_cond_signal(condition)
    }

    private func run() {
        while dequeue() {
            pthread_mutex_lock(mutex)
            if sleepUnlessStopped() { counted.built += 1 }
            pthread_mutex_unlock(mutex)
        }
    }

    /// Waits for the duration of a build, with the mutex held; false if `stop` ends it early.
    private func sleepUnlessStopped() -> Bool {
        let end = MonotonicClock.now.after(UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
        while !isStopped {
            let now = MonotonicClock.now
            if now >= end { break }
            // The condition uses the wall clock, which may be set: so check again.
            var until = timespec()
            clock_gettime(CLOCK_REALTIME, &until)
            let rest = min(end.nanoseconds - now.nanoseconds, 1_000_000_000) + UInt64(until.tv_nsec)
            until.tv_sec += Int(rest / 1_000_000_000)
            until.tv_nsec = Int(rest % 1_000_000_000)
            pthread_cond_timedwait(condition, mutex, &until)
        }
        return !isStopped
    }

    /// Waits for a request and removes it; false after `stop`.
    private func dequeue() -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while waitingCount == 0, !isStopped { pthread_cond_wait(condition, mutex) }
        if isStopped { return false }
        isWaiting[waiting[first]] = false
        first = (first + 1) % waiting.count
        waitingCount -= 1
        return true
    }

    /// Cancels the running build, ends the thread and returns the counts. Call it before the
    /// builder is released, as the thread does not retain it. Further calls only return the
    /// counts.
    @discardableResult
    func stop() -> Counts {
        pthread_mutex_lock(mutex)
        isStopped = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
        thread?.join()
        thread = nil
        counted.left = waitingCount
        return counted
    }
}
