internal import CLibuv
public import Settle

#if canImport(Glibc)
    internal import Glibc
#endif

/// What the system refused to the event loop.
public struct LoopError: Error, Hashable, Sendable, CustomStringConvertible {
    public var call: String
    public var problem: String

    public var description: String { "the event loop cannot start: \(call): \(problem)" }
}

/// Waits on a libuv loop until a time of the monotonic clock, never less.
///
/// The deadline is a timerfd watched by `uv_poll`: libuv's own timers count
/// milliseconds on a cached clock and may fire up to 0.9 ms early (measured on
/// libuv 1.44.2). Use it from one thread.
public final class LoopTimer {
    private let loop: UnsafeMutablePointer<uv_loop_t>
    private let poll: UnsafeMutablePointer<uv_poll_t>
    private let descriptor: Int32

    public init() throws(LoopError) {
        descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
        guard descriptor >= 0 else {
            throw LoopError(call: "timerfd_create", problem: String(cString: strerror(errno)))
        }
        loop = .allocate(capacity: 1)
        poll = .allocate(capacity: 1)
        try Self.check("uv_loop_init", uv_loop_init(loop))
        try Self.check("uv_poll_init", uv_poll_init(loop, poll, descriptor))
        let drain: uv_poll_cb = { poll, _, _ in
            // The loop wakes for this descriptor alone; reading it makes it quiet again.
            guard let poll else { return }
            var expirations: UInt64 = 0
            var number: Int32 = 0
            let handle = UnsafeRawPointer(poll).assumingMemoryBound(to: uv_handle_t.self)
            if uv_fileno(handle, &number) == 0 { _ = read(number, &expirations, 8) }
        }
        try Self.check("uv_poll_start", uv_poll_start(poll, Int32(UV_READABLE.rawValue), drain))
    }

    deinit {
        let handle = UnsafeMutableRawPointer(poll).assumingMemoryBound(to: uv_handle_t.self)
        uv_close(handle, nil)
        // libuv owns the handle until its close has run.
        uv_run(loop, UV_RUN_DEFAULT)
        uv_loop_close(loop)
        poll.deallocate()
        loop.deallocate()
        close(descriptor)
    }

    private static func check(_ call: String, _ result: Int32) throws(LoopError) {
        if result < 0 { throw LoopError(call: call, problem: String(cString: uv_strerror(result))) }
    }

    /// The monotonic clock now.
    public var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Timestamp(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    /// Runs the loop until the monotonic clock has reached `deadline`.
    public func wait(until deadline: Timestamp) {
        while now < deadline {
            var setting = itimerspec()
            setting.it_value.tv_sec = Int(deadline.nanoseconds / 1_000_000_000)
            setting.it_value.tv_nsec = Int(deadline.nanoseconds % 1_000_000_000)
            timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &setting, nil)
            uv_run(loop, UV_RUN_ONCE)
        }
    }
}
