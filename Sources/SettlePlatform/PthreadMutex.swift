/// A pthread mutex, for what happens rarely. The path of an event does not lock it.
///
/// Synchronization's `Mutex` is not used, because the thread sanitizer does not recognise
/// its futex as a lock and reports false races.
package final class PthreadMutex: @unchecked Sendable {
    /// For `PthreadCondition`.
    let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        let result = pthread_mutex_init(mutex, nil)
        precondition(result == 0, "pthread_mutex_init: \(result)")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    package func lock() { pthread_mutex_lock(mutex) }
    package func unlock() { pthread_mutex_unlock(mutex) }

    /// Runs the closure with the mutex locked. The mutex is not recursive.
    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}
