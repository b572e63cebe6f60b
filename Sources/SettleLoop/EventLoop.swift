internal import CPlatform
@_spi(Faults) public import Settle
public import SettlePlatform

#if canImport(Glibc)
    internal import Glibc
#endif

/// What a live engine reads its clock from and waits with: `EventLoop`, or a test's own.
protocol LoopWaiting: AnyObject {
    var now: Timestamp { get }
    /// An eventfd that ends the waiting.
    var bellDescriptor: Int32 { get }
    var backendDescriptor: Int32 { get }
    func wake(at deadline: Timestamp)
    func run(_ mode: EventLoop.Mode)
    func close()
}

/// When a timer goes off next, so that it is set only when it must be.
///
/// An earlier time stands: waking is a hint, and asking less often saves system calls.
struct Alarm {
    private(set) var goesOffAt: Timestamp?

    /// Whether the timer has to be set to `deadline`.
    mutating func mustSet(to deadline: Timestamp, now: @autoclosure () -> Timestamp) -> Bool {
        if let goesOffAt, goesOffAt <= deadline, now() < goesOffAt || Planted.firedTimerCountsAsSet { return false }
        goesOffAt = deadline
        return true
    }
}

/// A loop that wakes for two things: a bell (an eventfd) that any thread may ring, and a
/// deadline (a timerfd).
///
/// libuv watches both by `uv_poll`. Its own timers count milliseconds on a cached clock
/// and fire up to 0.9 ms early, and `uv_async_send` took 60 µs across threads where an
/// eventfd took 5 (measured on libuv 1.44.2).
final class EventLoop: LoopWaiting {
    enum Mode { case once, withoutWaiting }

    private let loop: LibuvLoop
    let bellDescriptor: Int32
    /// The descriptor that a host's own loop watches for reading.
    let backendDescriptor: Int32
    private let timerDescriptor: Int32
    private var alarm = Alarm()

    init() throws(LoopError) {
        loop = try LibuvLoop()
        bellDescriptor = try loop.watch("eventfd", eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC)))
        timerDescriptor = try loop.watch(
            "timerfd_create", timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC)))
        backendDescriptor = loop.backendDescriptor
        // libuv begins to watch when it runs first; a host waits for its descriptor before.
        loop.run(.withoutWaiting)
    }

    /// Runs the loop once: waiting for the bell or the deadline, or not.
    func run(_ mode: Mode) { loop.run(mode) }

    var now: Timestamp { MonotonicClock.now }

    /// Asks to be woken at a time, not before. An earlier wake-up that was asked for
    /// stands.
    func wake(at deadline: Timestamp) {
        guard alarm.mustSet(to: deadline, now: MonotonicClock.now) else { return }
        var setting = itimerspec()
        // A timerfd takes zero for "never".
        let nanoseconds = max(deadline.nanoseconds, 1)
        setting.it_value.tv_sec = Int(nanoseconds / 1_000_000_000)
        setting.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
        timerfd_settime(timerDescriptor, Int32(TFD_TIMER_ABSTIME), &setting, nil)
    }

    /// Frees the loop and its descriptors. Not to be called while it runs; further calls
    /// do nothing.
    func close() { loop.close() }
}
