import Glibc
import Settle
import SettleLoop

/// Waits for a signal that ends the program in order, or for `ask`.
struct StopSignal: Sendable {
    /// Why `wait` returned.
    enum Wake {
        /// SIGINT or SIGTERM came.
        case signalled
        /// Another thread asked.
        case asked
        case timeOver
    }

    /// To be made before any thread is. A reader that goes away is an error of a
    /// write rather than a signal.
    init() {
        signal(SIGPIPE, SIG_IGN)
        var signals = Self.signals
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private static var signals: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGUSR1] { sigaddset(&signals, number) }
        return signals
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
    func wait(until end: Timestamp) -> Wake {
        var signals = Self.signals
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
