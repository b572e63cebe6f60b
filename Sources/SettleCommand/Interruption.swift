import CCommandLine
import Glibc

/// Defers the first SIGINT or SIGTERM, so that a verb can stop, print its results so far and
/// then end by that signal. The second signal ends the process at once.
struct Interruption: Sendable {
    /// Becomes readable when a signal arrives.
    let descriptor: Int32

    init() throws {
        descriptor = ending_signals_defer()
        if descriptor < 0 { throw Failure(code: .io, message: "pipe: \(String(cString: strerror(errno)))") }
    }

    /// Whether a signal has arrived.
    var hasArrived: Bool { ending_signals_deferred() != 0 }

    /// Waits for a signal; true as soon as one has arrived.
    func wait(milliseconds: Int32) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, milliseconds)
        return hasArrived
    }

    /// Ends the process by the signal, if one has arrived.
    func endProcessIfArrived() {
        if hasArrived { ending_signals_end(ending_signals_deferred()) }
    }
}
