import Glibc
import Settle
import SettleLoop

/// Ends the process when its orderly end takes too long: a thread that writes what nobody
/// reads cannot be called back.
enum EndLimit {
    /// Ends the process after a while with a line on standard error, if that takes it.
    static func start(_ time: Duration, _ line: String) throws {
        // Never joined: the process ends first.
        _ = try WorkerThread {
            let nanoseconds = time.wholeNanoseconds
            // Signals that end the process are blocked, so that nothing cuts this short.
            var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
            nanosleep(&time, nil)
            var output = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
            let bytes = Array((line + "\n").utf8)
            if poll(&output, 1, 0) > 0 { _ = write(2, bytes, bytes.count) }
            _exit(ExitCode.io.rawValue)
        }
    }
}
