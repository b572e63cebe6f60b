internal import Settle
internal import SettlePlatform

/// A value that one thread at a time can reach. Held for a few instructions only:
/// never across an await, and never while a closure of the caller's runs.
final class Guarded<Value: Sendable>: @unchecked Sendable {
    private let lock = Lock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.locked { body(&value) }
    }
}
