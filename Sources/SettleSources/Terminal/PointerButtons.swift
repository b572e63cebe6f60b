internal import Settle
internal import SettleClock
internal import SettleLog
internal import SettlePlatform

/// The pointer events of another source, and nothing else of it.
final class PointerButtons {
    private let opening: OpeningSource
    private let poll: EpollDescriptor
    private let read = EventBatch()
    /// The source, once it is open and as long as it can be read.
    private var source: (any GeometrySource)?
    private var held: Set<UInt32> = []

    /// Begins to open the source.
    ///
    /// - Parameter open: Called on a thread of its own, because a server may let it wait for ever.
    /// - Returns: `nil` if the system has no descriptor or thread left.
    init?(_ poll: EpollDescriptor, open: @escaping @Sendable () -> (any GeometrySource)?) {
        self.poll = poll
        do {
            opening = try OpeningSource(open)
            try poll.watch(opening.descriptor, for: .reading)
        } catch { return nil }
    }

    /// When the source must be read although it is not readable. What did not fit into the last
    /// batch is in the source already.
    var nextWake: Timestamp? { source.flatMap { read.isFull ? MonotonicClock.now : $0.nextWake } }

    /// Appends the pointer events that have happened. After a failure there are none, and held
    /// buttons are released: nobody would say when they are.
    func read(into batch: EventBatch) {
        takeOpened()
        guard let source else { return }
        var isOpen = true
        read.removeAll()
        do {
            for case .ended in try source.read(into: read) { isOpen = false }
        } catch {
            isOpen = false
        }
        for index in 0..<read.count where read[index].kind == .pointer && !batch.isFull {
            let event = read[index]
            batch.append(event)
            if event.isPressed { held.insert(event.button) } else { held.remove(event.button) }
        }
        if isOpen { return }
        poll.ignore(source.descriptor)
        self.source = nil
        for button in held.sorted() where !batch.isFull {
            batch.append(.pointer(button: button, at: MonotonicClock.now, isPressed: false))
        }
    }

    private func takeOpened() {
        guard let opened = opening.take() else { return }
        poll.ignore(opening.descriptor)
        do {
            try poll.watch(opened.descriptor, for: .reading)
            source = opened
        } catch {
            // Without it, quiet time decides.
        }
    }
}

/// A source that another thread opens and hands over.
private final class OpeningSource: @unchecked Sendable {
    private let bell: EventDescriptor
    private let lock = PthreadMutex()
    private var source: (any GeometrySource)?

    init(_ open: @escaping @Sendable () -> (any GeometrySource)?) throws(SystemError) {
        bell = try EventDescriptor()
        let thread = try WorkerThread {
            guard let opened = open() else { return }
            self.lock.withLock { self.source = opened }
            self.bell.signal()
        }
        thread.detach()
    }

    /// Readable when there is something to take.
    var descriptor: Int32 { bell.number }

    /// The source once it is open, and only then; it belongs to the caller's thread.
    func take() -> (any GeometrySource)? {
        lock.withLock {
            defer { source = nil }
            return source
        }
    }
}
