internal import Settle
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// A source's ring and what stands around it, shared by producer and loop.
///
/// While events are held back, the producer adds to them and leaves the ring alone, so
/// the ring only holds older ones; the loop takes the ring's first, then these.
final class SourceChannel: @unchecked Sendable {
    private let ring: EventRing
    private let overload: Overload
    private let bell: LoopBell
    private let closed = Atomic<Bool>(false)

    /// Under overload only.
    private let lock = Lock()
    private var heldBack = Conflation()
    private let holding = Atomic<Bool>(false)

    /// The loop tells a producer that waits for room.
    private let room = Doorbell()
    private let roomDescriptor: Int32

    init(capacity: Int, overload: Overload, bell: LoopBell) throws(LoopError) {
        ring = EventRing(capacity: capacity)
        self.overload = overload
        self.bell = bell
        roomDescriptor = overload == .block ? eventfdForRoom() : -1
        if overload == .block, roomDescriptor < 0 { throw .system("eventfd") }
    }

    deinit { if roomDescriptor >= 0 { Glibc.close(roomDescriptor) } }

    var conflated: UInt64 { lock.locked { heldBack.conflated } }

    // The producer's side.

    func send(_ events: UnsafePointer<Event>, count: Int) {
        if bell.isStopped { return }
        var done = 0
        if !holding.load(ordering: .acquiring) { done = ring.push(events, count: count) }
        if done < count {
            switch overload {
            case .conflate: hold(events + done, count: count - done)
            case .block: waitAndPush(events + done, count: count - done)
            }
        }
        bell.ringIfAsleep()
    }

    private func hold(_ events: UnsafePointer<Event>, count: Int) {
        lock.locked {
            // The loop may have taken all meanwhile; then the ring is free again.
            let pushed = heldBack.isEmpty ? ring.push(events, count: count) : 0
            for index in pushed..<count { heldBack.add(events[index]) }
            holding.store(!heldBack.isEmpty, ordering: .releasing)
        }
    }

    /// A loop that is at work makes room within microseconds, sleeping and being woken
    /// take longer: so first a few looks, then sleep.
    private static let looksBeforeSleep = 100

    private func waitAndPush(_ events: UnsafePointer<Event>, count: Int) {
        var done = 0
        var looks = 0
        while done < count, !bell.isStopped {
            bell.ringIfAsleep()
            if looks < Self.looksBeforeSleep {
                looks += 1
                sched_yield()
                done += ring.push(events + done, count: count - done)
                continue
            }
            looks = 0
            // The handshake of the loop's sleep, the other way round.
            room.prepareToSleep()
            let pushed = ring.push(events + done, count: count - done)
            done += pushed
            if pushed == 0, !bell.isStopped {
                var waiting = pollfd(fd: roomDescriptor, events: Int16(POLLIN), revents: 0)
                poll(&waiting, 1, -1)
                var rings: UInt64 = 0
                _ = read(roomDescriptor, &rings, 8)
            }
            room.awake()
        }
    }

    /// The producer's last act.
    func close() {
        closed.store(true, ordering: .releasing)
        bell.ringIfAsleep()
    }

    // The loop's side.

    /// No more events will come, and none waits.
    var isFinished: Bool { closed.load(ordering: .acquiring) && isEmpty }

    var isEmpty: Bool { ring.isEmpty && !isHolding }

    /// Events are held back; they come after the ring's.
    var isHolding: Bool { holding.load(ordering: .acquiring) }

    /// The events that wait in the ring, in one piece; valid until `pop`.
    func peek() -> UnsafeBufferPointer<Event> { ring.peek() }

    func pop(_ count: Int) {
        ring.pop(count)
        if overload == .block, room.mustWake() { wakeProducer() }
    }

    /// What is held back, if the ring is empty of older events.
    func takeHeldBack(into events: inout [Event]) {
        guard holding.load(ordering: .acquiring) else { return }
        lock.locked {
            guard ring.isEmpty else { return }
            heldBack.take(into: &events)
            holding.store(false, ordering: .releasing)
        }
    }

    /// Wakes a producer that waits, as the engine stops.
    func wakeProducer() {
        guard roomDescriptor >= 0 else { return }
        var one: UInt64 = 1
        _ = write(roomDescriptor, &one, 8)
    }
}
