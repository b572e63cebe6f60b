import Settle
import SettlePlatform

/// Builds every size, one at a time: the newest whenever the last build has ended, as toolkits do that compress size
/// changes. Its thread is its own, so that the other parts and the window do not wait for it.
final class EverySizePart: @unchecked Sendable {
    private let part: Part
    private let mutex = PthreadMutex()
    private let added = PthreadCondition()
    /// What is to be built next, under the mutex.
    private var size: PixelSize?

    /// - Throws: `SystemError` if the system has no thread left.
    init(_ part: Part) throws(SystemError) {
        self.part = part
        // The thread ends with the program.
        try WorkerThread { [self] in
            while true { part.build(next()) }
        }.detach()
    }

    func sizeChanged(to size: PixelSize) {
        mutex.withLock {
            self.size = size
            part.setWaiting(true)
            added.signal()
        }
    }

    private func next() -> PixelSize {
        mutex.withLock {
            while true {
                if let size = size.take() {
                    part.setWaiting(false)
                    return size
                }
                added.wait(mutex)
            }
        }
    }
}

/// Builds when no size has changed for a fixed time, on a thread of its own.
final class DebouncePart: @unchecked Sendable {
    static let delay = Duration.milliseconds(100)

    private let part: Part
    private let mutex = PthreadMutex()
    private let changed = PthreadCondition()
    /// What is to be built and when, under the mutex.
    private var timer: (size: PixelSize, due: Timestamp)?

    /// - Throws: `SystemError` if the system has no thread left.
    init(_ part: Part) throws(SystemError) {
        self.part = part
        // The thread ends with the program.
        try WorkerThread { [self] in
            while true { part.build(next()) }
        }.detach()
    }

    func sizeChanged(to size: PixelSize, at now: Timestamp) {
        mutex.withLock {
            timer = (size, now + Self.delay)
            part.setWaiting(true)
            changed.signal()
        }
    }

    private func next() -> PixelSize {
        mutex.withLock {
            while true {
                guard let timer else {
                    changed.wait(mutex)
                    continue
                }
                if MonotonicClock.now >= timer.due {
                    self.timer = nil
                    part.setWaiting(false)
                    return timer.size
                }
                changed.wait(mutex, until: timer.due)
            }
        }
    }
}
