internal import CPlatform

/// A pthread condition variable, for threads that wait for a change of what a `PthreadMutex`
/// guards. A wait may also return for no reason, so its caller checks again. Any thread.
package final class PthreadCondition: @unchecked Sendable {
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    package init() {
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        defer { pthread_condattr_destroy(&attributes) }
        #if !canImport(Darwin)
            // The default clock is the wall clock, which may be set while a thread waits.
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        #endif
        let result = pthread_cond_init(condition, &attributes)
        precondition(result == 0, "pthread_cond_init: \(result)")
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
    }

    /// Unlocks the mutex, waits for `signal` or `broadcast`, and locks the mutex again. All
    /// waits at the same time use the same mutex.
    package func wait(_ mutex: PthreadMutex) { pthread_cond_wait(condition, mutex.mutex) }

    /// The same, but waits no longer than until a time of CLOCK_MONOTONIC, in nanoseconds.
    package func wait(_ mutex: PthreadMutex, until deadline: UInt64) {
        #if canImport(Darwin)
            let nanoseconds = max(0, Int64(clamping: deadline) - Int64(clamping: settle_now_ns()))
            var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
            pthread_cond_timedwait_relative_np(condition, mutex.mutex, &time)
        #else
            var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
            pthread_cond_timedwait(condition, mutex.mutex, &time)
        #endif
    }

    /// Wakes one thread that waits.
    package func signal() { pthread_cond_signal(condition) }

    /// Wakes all threads that wait.
    package func broadcast() { pthread_cond_broadcast(condition) }
}
