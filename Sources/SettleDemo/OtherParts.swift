import Settle
import SettleClock
import SettlePlatform

/// Builds every size as GTK and Qt do, which compress size changes: the newest one, once a frame, and one build at a
/// time. Its thread is its own, so that the other parts and the window do not wait for it.
final class EverySizePart: @unchecked Sendable {
    /// Between the beginnings of two builds, at least.
    static let frame = Duration.milliseconds(16)

    private let part: Part
    private let mutex = PthreadMutex()
    private let added = PthreadCondition()
    /// What is to be built next, and when that may be, under the mutex.
    private var size: PixelSize?
    private var nextFrame = Timestamp.zero

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
                let now = MonotonicClock.now
                if self.size == nil {
                    added.wait(mutex)
                } else if now < nextFrame {
                    added.wait(mutex, until: nextFrame.nanoseconds)
                } else if let size = size.take() {
                    nextFrame = now + Self.frame
                    part.setWaiting(false)
                    return size
                }
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
                changed.wait(mutex, until: timer.due.nanoseconds)
            }
        }
    }
}
