import Settle
import SettleLoop
import SettlePlatform
import SettleProgram

/// Ends the process if its orderly end takes too long: nothing can unblock a thread that
/// writes to or opens a pipe without a reader.
///
/// A separate thread receives the signals that end the program, so they work even when the
/// main thread is blocked.
struct EndLimit {
    /// Starts the thread. Call it before anything that may block.
    ///
    /// - Parameters:
    ///   - endSignal: Woken when a signal arrives, so that the orderly end begins.
    ///   - time: The longest duration of the orderly end.
    ///   - line: Printed on standard error before the process ends, if that does not block.
    ///   - cleanUp: Called before the process ends. It must not wait for another thread.
    init(_ endSignal: EndSignal, _ time: Duration, _ line: String, cleanUp: @escaping @Sendable () -> Void) throws {
        // Never joined: the thread runs until the process ends.
        _ = try WorkerThread {
            while endSignal.wait(heedsWake: false) != .signalled {}
            endSignal.wake()
            let nanoseconds = time.wholeNanoseconds
            // No signal interrupts this: those that end the process are blocked.
            var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
            nanosleep(&time, nil)
            cleanUp()
            Terminal.offer(line)
            _exit(ExitCode.io.rawValue)
        }
    }

    /// Starts the time limit without a signal from outside.
    func begin() { kill(getpid(), SIGTERM) }
}
