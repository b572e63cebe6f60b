internal import CLibuv
public import Settle

#if canImport(Glibc)
    internal import Glibc
#endif

/// What the system refused to the event loop.
public struct LoopError: Error, Hashable, Sendable, CustomStringConvertible {
    public var call: String
    public var problem: String

    public var description: String { "the event loop: \(call): \(problem)" }

    /// What the system said about the last call.
    static func system(_ call: String) -> LoopError {
        LoopError(call: call, problem: String(cString: strerror(errno)))
    }
}

/// CLOCK_MONOTONIC, the clock of live events: it neither jumps nor counts a suspended
/// machine's time, and all processes of a machine share it.
public enum MonotonicClock {
    /// The clock now. Any thread.
    public static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Timestamp(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }
}

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
        if let goesOffAt, goesOffAt <= deadline, now() < goesOffAt { return false }
        goesOffAt = deadline
        return true
    }
}

/// A libuv loop that wakes for two things: a bell (an eventfd) that any thread may
/// ring, and a deadline (a timerfd).
///
/// Both are watched by `uv_poll`. libuv's own timers count milliseconds on a cached
/// clock and fire up to 0.9 ms early, and `uv_async_send` took 60 µs across threads
/// where an eventfd took 5 (measured on libuv 1.44.2).
final class EventLoop: LoopWaiting {
    enum Mode { case once, withoutWaiting }

    private let loop: UnsafeMutablePointer<uv_loop_t>
    private let bell: UnsafeMutablePointer<uv_poll_t>
    private let timer: UnsafeMutablePointer<uv_poll_t>
    let bellDescriptor: Int32
    private let timerDescriptor: Int32
    private var alarm = Alarm()
    private var isClosed = false

    init() throws(LoopError) {
        bellDescriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        if bellDescriptor < 0 { throw .system("eventfd") }
        timerDescriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
        if timerDescriptor < 0 { throw .system("timerfd_create") }
        loop = .allocate(capacity: 1)
        bell = .allocate(capacity: 1)
        timer = .allocate(capacity: 1)
        try Self.check("uv_loop_init", uv_loop_init(loop))
        try Self.watch(bellDescriptor, bell, loop)
        try Self.watch(timerDescriptor, timer, loop)
    }

    private static func check(_ call: String, _ result: Int32) throws(LoopError) {
        if result < 0 { throw LoopError(call: call, problem: String(cString: uv_strerror(result))) }
    }

    /// Makes the loop return when the descriptor is readable. Reading its counter
    /// makes it quiet again; what to do is for the caller of `run`.
    private static func watch(
        _ descriptor: Int32, _ poll: UnsafeMutablePointer<uv_poll_t>, _ loop: UnsafeMutablePointer<uv_loop_t>
    ) throws(LoopError) {
        try check("uv_poll_init", uv_poll_init(loop, poll, descriptor))
        try check(
            "uv_poll_start",
            uv_poll_start(poll, Int32(UV_READABLE.rawValue)) { poll, _, _ in
                guard let poll else { return }
                var number: Int32 = 0
                var count: UInt64 = 0
                let handle = UnsafeRawPointer(poll).assumingMemoryBound(to: uv_handle_t.self)
                if uv_fileno(handle, &number) == 0 { _ = read(number, &count, 8) }
            })
    }

    /// Runs the loop once: waiting for the bell or the deadline, or not.
    func run(_ mode: Mode) {
        uv_run(loop, mode == .once ? UV_RUN_ONCE : UV_RUN_NOWAIT)
    }

    /// Rings the bell: a loop that waits returns. Any thread.
    func ring() {
        var one: UInt64 = 1
        _ = write(bellDescriptor, &one, 8)
    }

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

    /// The descriptor that a host's own loop watches for reading.
    var backendDescriptor: Int32 { uv_backend_fd(loop) }

    /// Frees the loop. Not to be called while it runs; further calls do nothing.
    func close() {
        if isClosed { return }
        isClosed = true
        for poll in [bell, timer] {
            uv_close(UnsafeMutableRawPointer(poll).assumingMemoryBound(to: uv_handle_t.self), nil)
        }
        // libuv owns its handles until their close has run.
        uv_run(loop, UV_RUN_DEFAULT)
        uv_loop_close(loop)
        for descriptor in [bellDescriptor, timerDescriptor] { Glibc.close(descriptor) }
        bell.deallocate()
        timer.deallocate()
        loop.deallocate()
    }

    deinit { close() }
}
