internal import Settle
internal import SettleClock
internal import SettlePlatform

/// A thread that rings a bell at a set time. It must be ended, once.
final class AlarmThread: @unchecked Sendable {
    private let mutex = PthreadMutex()
    private let changed = PthreadCondition()
    // Guarded by the mutex.
    private var time: Timestamp?
    private var isEnding = false
    private var thread: WorkerThread?

    /// - Throws: `SystemError` if the system has no thread left.
    init(_ bell: EventDescriptor) throws(SystemError) {
        thread = try WorkerThread { [self] in mutex.withLock { run(bell) } }
    }

    private func run(_ bell: EventDescriptor) {
        while !isEnding {
            if let time, time <= MonotonicClock.now {
                self.time = nil
                bell.signal()
            } else if let time {
                changed.wait(mutex, until: time.nanoseconds)
            } else {
                changed.wait(mutex)
            }
        }
    }

    /// Rings at a time, instead of one that was set before.
    func set(to time: Timestamp) {
        mutex.withLock { self.time = time }
        changed.signal()
    }

    /// Ends the thread, and waits for it.
    func end() {
        mutex.withLock { isEnding = true }
        changed.signal()
        thread?.join()
    }
}
