internal import CTerminal
internal import SettlePlatform

/// Signals that are read from a descriptor. They are blocked in the thread that makes this object, and
/// in those that it starts, until the object is released on the same thread.
final class TerminalSignals {
    /// Readable when a signal has arrived.
    let descriptor: Int32
    /// The thread's blocked signals before.
    private var mask: sigset_t

    /// - Parameter numbers: The signals. One that the process ignores does nothing.
    init(_ numbers: [Int32]) throws(SystemError) {
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        descriptor = terminal_signals_open(numbers, Int32(numbers.count))
        if descriptor < 0 {
            let error = SystemError.last("signalfd")
            pthread_sigmask(SIG_SETMASK, &mask, nil)
            throw error
        }
        // Last: with all properties set, `deinit` also runs when an initializer throws.
        self.mask = mask
    }

    deinit {
        close(descriptor)
        pthread_sigmask(SIG_SETMASK, &mask, nil)
    }

    /// The next signal that has arrived; `nil` if there is none.
    func next() -> Int32? {
        let signal = terminal_signals_next(descriptor)
        return signal == 0 ? nil : signal
    }
}
