import Settle
import SettleClock
import SettleLog
import SettlePlatform

/// Draws the table of a session on a thread of its own, since a terminal that does not read blocks
/// whoever writes to it.
final class TableThread: LiveView, @unchecked Sendable {
    private let lock = PthreadMutex()
    private let changed = PthreadCondition()
    // Guarded by the mutex.
    private var isWanted = true
    private var isOver = false
    private var hasLeft = false
    private var problem: (any Error)?
    private var message: String?
    private let wake: @Sendable () -> Void

    /// Opens the screen. The signals that ncurses handles reach the table's thread alone.
    ///
    /// - Parameter wake: Called on the thread when the table is left or fails.
    /// - Throws: `Failure` if the terminal cannot show a table.
    init(_ session: SourceSession, _ header: LogHeader, putsBusiestFirst: Bool, wake: @escaping @Sendable () -> Void)
        throws
    {
        self.wake = wake
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGTSTP, SIGWINCH, SIGCONT] { sigaddset(&signals, number) }
        let screen = try TableScreen(header: header, putsBusiestFirst: putsBusiestFirst)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let handled = signals
        // It ends with the process if the terminal never takes what it writes.
        try WorkerThread { [self] in
            var handled = handled
            pthread_sigmask(SIG_UNBLOCK, &handled, nil)
            do { try run(session, screen) } catch { lock.withLock { problem = error } }
            screen.close()
            lock.withLock {
                isOver = true
                changed.broadcast()
            }
            wake()
        }.detach()
    }

    private func run(_ session: SourceSession, _ screen: TableScreen) throws {
        while lock.withLock({ isWanted }) {
            if let table = session.table() { screen.show(table, message: lock.withLock { message }) }
            let next = MonotonicClock.now.after(TableScreen.interval)
            // However many keys come: a held key must not draw the table more often.
            while MonotonicClock.now < next {
                guard try screen.waitForKey(until: next) else { continue }
                lock.withLock { hasLeft = true }
                wake()
                return
            }
        }
        // The signal of a terminal that closes may come before its end is read.
        try screen.check()
    }

    /// Shows a line below the table.
    func say(_ text: String) { lock.withLock { message = text } }

    /// Whether somebody has pressed the key that leaves it.
    var isLeft: Bool { lock.withLock { hasLeft } }

    /// Why it cannot be drawn any more; `nil` if it can.
    var failure: (any Error)? { lock.withLock { problem } }

    /// Restores the terminal.
    ///
    /// - Returns: False if it does not take that within a second; nothing else must be printed on it then.
    @discardableResult
    func close() -> Bool {
        let limit = MonotonicClock.now.after(1_000_000_000)
        return lock.withLock {
            isWanted = false
            while !isOver, MonotonicClock.now < limit { changed.wait(lock, until: limit.nanoseconds) }
            return isOver
        }
    }
}
