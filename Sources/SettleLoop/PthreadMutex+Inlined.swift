internal import SettlePlatform

extension PthreadMutex {
    /// `withLock`, inlined and specialised: the compiler inlines nothing of package access
    /// across modules, and a pass of the loop locks several times.
    @inline(__always)
    func withInlinedLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}
