internal import Settle
internal import SettlePlatform

/// What a live engine reads its clock from and waits with: `EventLoop`, or a test's own.
protocol LoopWaiting: AnyObject {
    var now: Timestamp { get }
    /// The number of an eventfd that ends the waiting.
    var bellDescriptor: Int32 { get }
    var backendDescriptor: Int32 { get }
    func wake(at deadline: Timestamp)
    func run(_ mode: EventLoop.Mode)
    func close()
}

/// When a timer fires next, so that it is set only when it must be.
///
/// An earlier time than asked for stays set: a wake-up is a hint, and setting the timer less
/// often saves system calls.
struct Alarm {
    private(set) var firesAt: Timestamp?

    /// Whether the timer has to be set to `deadline`.
    mutating func mustSet(to deadline: Timestamp, now: @autoclosure () -> Timestamp) -> Bool {
        if let firesAt, firesAt <= deadline, now() < firesAt { return false }
        firesAt = deadline
        return true
    }
}

/// A loop that wakes for a bell (an eventfd), which any thread may ring, and for a deadline
/// (a timerfd).
///
/// libuv watches both by `uv_poll`. Its own timers count milliseconds on a cached clock and
/// fire up to 0.9 ms early, and `uv_async_send` took 60 µs across threads where an eventfd
/// took 5 (measured with libuv 1.44.2).
final class EventLoop: LoopWaiting {
    enum Mode { case once, withoutWaiting }

    private let loop: LibuvLoop
    let bellDescriptor: Int32
    /// The descriptor that a host's own loop watches for reading.
    let backendDescriptor: Int32
    /// `nil` once the loop is closed.
    private var timer: TimerDescriptor?
    private var alarm = Alarm()

    init() throws(SystemError) {
        loop = try LibuvLoop()
        let bell = try EventDescriptor()
        try loop.watch(bell)
        bellDescriptor = bell.number
        let timer = try TimerDescriptor()
        try loop.watch(timer)
        self.timer = timer
        backendDescriptor = loop.backendDescriptor
        // libuv begins to watch when it first runs; a host waits for its descriptor before.
        loop.run(.withoutWaiting)
    }

    /// Runs the loop once, and waits for the bell or the deadline in the mode `.once`.
    func run(_ mode: Mode) { loop.run(mode) }

    var now: Timestamp { MonotonicClock.now }

    /// Asks for a wake-up at a time, not before. An earlier one that was asked for stays.
    func wake(at deadline: Timestamp) {
        guard alarm.mustSet(to: deadline, now: MonotonicClock.now) else { return }
        timer?.set(to: deadline)
    }

    /// Frees the loop and closes its descriptors. Must not be called while the loop runs.
    /// Idempotent.
    func close() {
        loop.close()
        timer = nil
    }
}
