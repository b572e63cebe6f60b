internal import Settle
internal import SettleLog
internal import SettlePlatform

/// The pointer events of another source, and nothing else of it.
final class PointerButtons {
    private let source: any GeometrySource
    private let poll: EpollDescriptor
    private let read = EventBatch()
    /// Whether the source can still be read.
    private var isOpen = true
    private var held: Set<UInt32> = []

    /// - Returns: `nil` if the source's descriptor cannot be watched.
    init?(_ source: any GeometrySource, _ poll: EpollDescriptor) {
        self.source = source
        self.poll = poll
        do { try poll.watch(source.descriptor, for: .reading) } catch { return nil }
    }

    /// When the source must be read although it is not readable.
    var nextWake: Timestamp? { isOpen ? source.nextWake : nil }

    /// Appends the pointer events that have happened. After a failure there are none, and held
    /// buttons are released: nobody would say when they are.
    func read(into batch: EventBatch) {
        if !isOpen { return }
        read.removeAll()
        do {
            for case .ended in try source.read(into: read) { isOpen = false }
        } catch {
            isOpen = false
        }
        for index in 0..<read.count where read[index].kind == .pointer && !batch.isFull {
            let event = read[index]
            batch.append(event, at: .line(0))
            if event.isPressed { held.insert(event.button) } else { held.remove(event.button) }
        }
        if isOpen { return }
        poll.ignore(source.descriptor)
        for button in held.sorted() where !batch.isFull {
            batch.append(.pointer(button: button, isPressed: false, at: MonotonicClock.now), at: .line(0))
        }
    }
}
