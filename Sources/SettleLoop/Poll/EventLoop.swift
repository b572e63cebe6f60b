internal import Settle
internal import SettleClock
internal import SettlePlatform

/// A loop that wakes for a bell (a pipe), which any thread may ring, and for a deadline, by `poll` alone.
///
/// `poll` has no descriptor that becomes readable at a deadline. So once a host runs the loop, a thread rings then.
final class EventLoop: LoopWaiting {
    let bell: EventDescriptor
    let backendDescriptor: Int32
    /// `nil` once the loop is closed.
    private var backend: CounterDescriptor?
    private var deadline: Timestamp?
    private var isHosted = false
    private var alarm = Alarm()
    private var alarmThread: AlarmThread?

    init() throws(SystemError) {
        bell = try EventDescriptor()
        let backend = try CounterDescriptor(duplicating: bell)
        self.backend = backend
        backendDescriptor = backend.number
    }

    deinit { close() }

    var now: Timestamp { MonotonicClock.now }

    func run(_ mode: LoopMode) {
        if mode == .withoutWaiting {
            isHosted = true
            bell.drain()
        } else if waitUntilReadable(bell.number, nanoseconds: rest) {
            bell.drain()
        }
        if let deadline, deadline <= now { self.deadline = nil }
    }

    /// The nanoseconds until the deadline; -1 if there is none.
    private var rest: Int64 {
        guard let deadline else { return -1 }
        return max(0, Int64(clamping: deadline.nanoseconds) - Int64(clamping: now.nanoseconds))
    }

    func wake(at deadline: Timestamp) {
        self.deadline = deadline
        guard isHosted, backend != nil, alarm.mustSet(to: deadline, now: now) else { return }
        if alarmThread == nil { alarmThread = try? AlarmThread(bell) }
        // Where the system has no thread left, the host turns without a pause until the deadline.
        alarmThread?.set(to: deadline) ?? bell.signal()
    }

    func close() {
        alarmThread?.end()
        alarmThread = nil
        backend = nil
    }
}
