internal import CCommandLine
package import Settle
internal import SettleClock
package import SettlePlatform

/// The signals that end the program, for one that ends in order. One at a time; make it before any
/// thread starts, since threads inherit which signals are blocked.
package struct EndSignal: Sendable {
    /// Which signals wait for the program instead of ending it at once.
    package enum Kept: Sendable {
        /// The first SIGINT or SIGTERM, which also ends a call that blocks. It stays for good.
        case first
        /// Each SIGINT, SIGTERM and SIGHUP, until `wait` has returned it; SIGHUP not under `nohup`, which
        /// ignores it. No call that blocks ends, and SIGPIPE is ignored: writing to a closed pipe is an
        /// error instead.
        case each
    }

    /// Why `wait` returned.
    package enum Cause {
        /// A signal has arrived.
        case signalled
        /// A thread has called `wake`.
        case woken
        case timeOver
    }

    private let kept: Kept
    /// Readable when a signal has arrived, for as long as it stays.
    package let descriptor: Int32
    private let bell: EventDescriptor

    /// - Throws: `SystemError` if the process has no descriptor left.
    package init(keeping kept: Kept) throws(SystemError) {
        self.kept = kept
        bell = try EventDescriptor()
        if kept == .each { signal(SIGPIPE, SIG_IGN) }
        descriptor = kept == .first ? ending_signals_defer() : ending_signals_block()
        if descriptor < 0 { throw .last(kept == .first ? "pipe" : "signalfd") }
    }

    /// From now on every signal that ends the process first removes the file of `remove`. Once, at the start.
    package static func catchAll() { ending_signals_catch() }

    /// A signal that ends the process from now on removes this file, and no other one.
    package static func remove(_ path: String) { ending_signals_remove(path) }

    /// Whether the first signal has arrived, where that one is kept.
    package var hasArrived: Bool { ending_signals_deferred() != 0 }

    /// Ends the process by the first signal, if it has arrived.
    package func endProcessIfArrived() {
        if hasArrived { ending_signals_end(ending_signals_deferred()) }
    }

    /// Lets the signals end the process while the body runs, which may wait for others.
    package func letThrough<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        ending_signals_let_through(true)
        defer { ending_signals_let_through(false) }
        return try body()
    }

    /// Ends a `wait`, or the next one. Any thread.
    package func wake() { bell.signal() }

    /// Waits for a signal, for `wake`, or until a time.
    ///
    /// - Parameter heedsWake: False to wait for signals alone.
    package func wait(until end: Timestamp = .latest, heedsWake: Bool = true) -> Cause {
        while true {
            if takeSignal() { return .signalled }
            if heedsWake, bell.drain() { return .woken }
            let rest = Int64(clamping: end.nanoseconds) - Int64(clamping: MonotonicClock.now.nanoseconds)
            if rest <= 0 { return .timeOver }
            waitUntilReadable(descriptor, or: heedsWake ? bell.number : -1, nanoseconds: rest)
        }
    }

    private func takeSignal() -> Bool { kept == .first ? hasArrived : ending_signals_take(descriptor) }
}
