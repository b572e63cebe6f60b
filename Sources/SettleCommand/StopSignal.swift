import Glibc
import Settle
import SettleLoop
import SettlePlatform

/// Waits for a signal that ends the program in order, or for `ask`.
struct StopSignal: Sendable {
    /// Why `wait` returned.
    enum Wake {
        /// SIGINT, SIGTERM or SIGHUP came.
        case signalled
        /// Another thread asked.
        case asked
        case timeOver
    }

    /// To be made before any thread is. A reader that goes away is an error of a
    /// write rather than a signal.
    init() {
        signal(SIGPIPE, SIG_IGN)
        var signals = Self.set(.both)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// What a thread waits for.
    enum Kind {
        /// Those that a user sends.
        case signals
        case both
    }

    private static func set(_ kind: Kind) -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] { sigaddset(&signals, number) }
        // Blocked, a signal comes though it is ignored: that of a terminal which `nohup`
        // has the program outlive.
        var hangUp = sigaction()
        if sigaction(SIGHUP, nil, &hangUp) == 0, !isIgnored(hangUp) { sigaddset(&signals, SIGHUP) }
        if kind == .both { sigaddset(&signals, SIGUSR1) }
        return signals
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Ends `wait`, from any thread.
    func ask() { kill(getpid(), SIGUSR1) }

    /// Returns at a signal, when asked, or when the time is over.
    func wait(_ time: Duration?) {
        guard let time else {
            while wait(until: .latest) == .timeOver {}
            return
        }
        _ = wait(until: MonotonicClock.now.after(time.wholeNanoseconds))
    }

    /// The same, up to a time of the monotonic clock.
    func wait(until end: Timestamp, for kind: Kind = .both) -> Wake {
        var signals = Self.set(kind)
        while true {
            let (now, end) = (MonotonicClock.now.nanoseconds, end.nanoseconds)
            let rest = end > now ? end - now : 0
            var timeout = timespec(tv_sec: Int(rest / 1_000_000_000), tv_nsec: Int(rest % 1_000_000_000))
            let number = sigtimedwait(&signals, nil, &timeout)
            if number > 0 { return number == SIGUSR1 ? .asked : .signalled }
            if rest == 0 { return .timeOver }
        }
    }
}
