internal import CTerminal
internal import SettlePlatform

/// The terminal that the user sits at, in raw mode. Its modes are restored with this object, and
/// whenever the process ends, except by SIGKILL.
final class UserTerminal {
    /// The terminal, opened once more: the descriptors that a shell has given us share their flags
    /// with the shell's, which must not stop to block.
    let descriptor: Int32
    /// The modes that the user had; the usual ones if this process began in the background.
    let modes: termios

    /// - Parameter stream: A descriptor of the terminal.
    init(_ stream: Int32) throws(SourceError) {
        let flags = O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC
        var opened = open("/proc/self/fd/\(stream)", flags)
        if opened < 0 {
            let error = SystemError.last("open")
            // Another user's terminal (after su) may be used, but not opened by its name.
            if tcgetpgrp(stream) >= 0 { opened = open("/dev/tty", flags) }
            if opened < 0 { throw SourceError("the terminal cannot be opened: \(error.reason)") }
        }
        descriptor = opened
        var modes = termios()
        let isOpen = terminal_modes_open(descriptor) == 0
        if !isOpen || terminal_modes_raw(&modes) != 0 {
            let reason = errno == EBUSY ? "one is in use already" : SystemError.last("tcsetattr").reason
            if isOpen { terminal_modes_close() }
            close(descriptor)
            throw SourceError("the terminal's modes cannot be changed: \(reason)")
        }
        self.modes = modes
    }

    deinit {
        terminal_modes_close()
        close(descriptor)
    }

    /// Whether this process may read the terminal and change its modes.
    var isForeground: Bool { terminal_is_foreground() }

    /// Whether it has closed. Without a read, which would take keys.
    var hasHungUp: Bool {
        var state = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&state, 1, 0) > 0 && state.revents & Int16(POLLHUP) != 0
    }

    /// Raw mode again, after it was restored or this process was stopped; nothing in the background.
    func makeRaw() { _ = terminal_modes_raw(nil) }

    /// The user's modes again.
    func restore() { terminal_modes_restore() }
}
