import Glibc
import Settle
import SettleLoop
import SettlePlatform

/// Waits for a signal that ends the program in order, or for a call of `wake`.
struct StopSignal: Sendable {
    /// Why `wait` returned.
    enum Wake {
        /// SIGINT, SIGTERM or SIGHUP arrived.
        case signalled
        /// A thread called `wake`.
        case woken
        case timeOver
    }

    /// Blocks the signals. Create it before any thread, since threads inherit the mask. Also
    /// ignores SIGPIPE: writing to a closed pipe is an error instead.
    init() {
        signal(SIGPIPE, SIG_IGN)
        var signals = Self.set(.both)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// The signals that a thread waits for.
    enum Kind {
        /// Only those that end the program.
        case signals
        /// Also those of `wake`.
        case both
    }

    private static func set(_ kind: Kind) -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] { sigaddset(&signals, number) }
        // `sigtimedwait` returns blocked signals even if they are ignored. Under `nohup`,
        // SIGHUP is ignored and must not end the program.
        var hangUp = sigaction()
        if sigaction(SIGHUP, nil, &hangUp) == 0, !isIgnored(hangUp) { sigaddset(&signals, SIGHUP) }
        if kind == .both { sigaddset(&signals, SIGUSR1) }
        return signals
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Lets the signals end the process while `body` runs, which may wait for others.
    func letThrough<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        var signals = Self.set(.signals)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        defer { pthread_sigmask(SIG_BLOCK, &signals, nil) }
        return try body()
    }

    /// Ends `wait`. Can be called on any thread.
    func wake() { kill(getpid(), SIGUSR1) }

    /// Returns at a signal, after `wake`, or when the time is over; `nil` for no limit.
    func wait(_ time: Duration?) {
        guard let time else {
            while wait(until: .latest) == .timeOver {}
            return
        }
        _ = wait(until: MonotonicClock.now.after(time.wholeNanoseconds))
    }

    /// The same, up to a time of the monotonic clock. Returns the cause.
    func wait(until end: Timestamp, for kind: Kind = .both) -> Wake {
        var signals = Self.set(kind)
        while true {
            let (now, end) = (MonotonicClock.now.nanoseconds, end.nanoseconds)
            let rest = end > now ? end - now : 0
            var timeout = timespec(tv_sec: Int(rest / 1_000_000_000), tv_nsec: Int(rest % 1_000_000_000))
            let number = sigtimedwait(&signals, nil, &timeout)
            if number > 0 { return number == SIGUSR1 ? .woken : .signalled }
            if rest == 0 { return .timeOver }
        }
    }
}
