#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A pthread mutex, for what happens rarely; nothing takes it per event of a flood.
///
/// Not Synchronization's: the thread sanitizer takes that one's futex for no lock at
/// all and gives false alarms.
package final class Lock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        let result = pthread_mutex_init(mutex, nil)
        precondition(result == 0, "pthread_mutex_init: \(result)")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    @usableFromInline package func take() { pthread_mutex_lock(mutex) }
    @usableFromInline package func release() { pthread_mutex_unlock(mutex) }

    @inlinable
    package func locked<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        take()
        defer { release() }
        return try body()
    }
}
