import Settle
import SettlePlatform

/// Rebuilds at size changes, as a program does that rebuilds in its handler. Its thread is its
/// own, so that the other half and the window do not wait for it, which favours it.
final class NaiveHalf: @unchecked Sendable {
    /// Which sizes are built.
    enum Rule: String, CaseIterable, Sendable {
        /// Each one, in order, skipping none: what a handler does that is called for each size.
        case every
        /// The newest whenever the last build has ended: what a toolkit's frame clock does.
        case latest
    }

    let half: Half
    private let rule: Rule
    private let mutex = PthreadMutex()
    private let added = PthreadCondition()
    /// Those to be built, under the mutex.
    private var sizes = [PixelSize]()

    /// - Throws: `SystemError` if the system has no thread left.
    init(_ half: Half, rule: Rule) throws(SystemError) {
        self.half = half
        self.rule = rule
        // The thread ends with the program.
        try WorkerThread { [self] in
            while true { half.rebuild(next()) }
        }.detach()
    }

    func sizeChanged(to size: PixelSize) {
        mutex.withLock {
            if rule == .latest { sizes.removeAll() }
            sizes.append(size)
            half.setWaiting(sizes.count)
            added.signal()
        }
    }

    private func next() -> PixelSize {
        mutex.withLock {
            while sizes.isEmpty { added.wait(mutex) }
            defer { half.setWaiting(sizes.count) }
            return sizes.removeFirst()
        }
    }
}
