/// A value that one thread at a time can reach, guarded by a `PthreadMutex`.
///
/// The mutex is held for a few instructions only: never across an `await`, and never
/// while a closure of the library's user runs.
package final class LockedValueBox<Value: Sendable>: @unchecked Sendable {
    private let mutex = PthreadMutex()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    /// Reads or changes the value.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        mutex.lock()
        defer { mutex.unlock() }
        return try body(&value)
    }
}
