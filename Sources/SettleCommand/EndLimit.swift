import Glibc
import Settle
import SettleLoop
import SettlePlatform

/// Ends the process when its orderly end takes too long: a thread that writes what nobody
/// reads, or opens a pipe that nobody reads, cannot be called back.
///
/// It has a thread of its own, which takes the signals that end the program at any time,
/// whatever the main thread waits for.
struct EndLimit {
    /// Starts the thread, before anything that may block.
    ///
    /// - Parameters:
    ///   - stop: Asked when a signal comes, so that the orderly end begins.
    ///   - line: For standard error, if that takes it.
    ///   - cleanUp: Called before the process ends. It must not wait for another thread.
    init(_ stop: StopSignal, _ time: Duration, _ line: String, cleanUp: @escaping @Sendable () -> Void) throws {
        // Never joined: the process ends first.
        _ = try WorkerThread {
            while stop.wait(until: .latest, for: .signals) != .signalled {}
            stop.ask()
            let nanoseconds = time.wholeNanoseconds
            // Signals that end the process are blocked, so that nothing cuts this short.
            var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
            nanosleep(&time, nil)
            cleanUp()
            Terminal.offer(line)
            _exit(ExitCode.io.rawValue)
        }
    }

    /// Begins to count though no signal has come.
    func begin() { kill(getpid(), SIGTERM) }
}
