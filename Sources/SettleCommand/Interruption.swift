import CCommandLine
import Glibc

/// Lets the first SIGINT or SIGTERM end a verb in order: it stops what it does, prints
/// what it has, and then ends by the signal. The second ends it at once.
struct Interruption: Sendable {
    /// Can be read once a signal has come.
    let descriptor: Int32

    init() throws {
        descriptor = ending_signals_defer()
        if descriptor < 0 { throw Failure(code: .io, message: "pipe: \(String(cString: strerror(errno)))") }
    }

    var hasCome: Bool { ending_signals_deferred() != 0 }

    /// Waits; true as soon as a signal has come.
    func wait(milliseconds: Int32) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, milliseconds)
        return hasCome
    }

    /// Ends the program by the signal, if one has come.
    func endIfCome() {
        if hasCome { ending_signals_end(ending_signals_deferred()) }
    }
}
