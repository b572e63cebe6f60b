internal import Settle
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// A source's ring and what stands around it, shared by producer and loop.
///
/// While events are held back, the producer adds to them and leaves the ring alone, so
/// the ring only holds older ones; the loop takes the ring's first, then these, and then
/// what the ring has got since.
final class SourceChannel: @unchecked Sendable {
    private let ring: EventRing
    private let overload: Overload
    private let bell: LoopBell
    private let closed = Atomic<Bool>(false)

    /// Under overload only.
    private let lock = Lock()
    private var heldBack = Conflation()
    private let holding = Atomic<Bool>(false)
    /// The loop's own: events that were held back and are being taken. They are older than
    /// what the ring has got since.
    private var late = UnsafeMutableBufferPointer<Event>(start: nil, count: 0)
    private var lateTaken = 0

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

    deinit {
        if roomDescriptor >= 0 { Glibc.close(roomDescriptor) }
        late.deallocate()
    }

    var conflated: UInt64 { lock.locked { heldBack.conflated } }

    // The producer's side.

    func send(_ events: UnsafePointer<Event>, count: Int) {
        if bell.isStopped { return }
        if overload == .block { return pushOrWait(events, count: count) }
        var done = 0
        if !holding.load(ordering: .acquiring) { done = ring.push(events, count: count) }
        if done < count { hold(events + done, count: count - done) }
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

    private func pushOrWait(_ events: UnsafePointer<Event>, count: Int) {
        var done = push(events, count: count)
        var looks = 0
        while done < count, !bell.isStopped {
            if looks < Self.looksBeforeSleep {
                looks += 1
                sched_yield()
                done += push(events + done, count: count - done)
                continue
            }
            looks = 0
            let pushed = pushBeforeWaiting(events + done, count: count - done)
            done += pushed
            if pushed == 0, !bell.isStopped { _ = waitForRoom(milliseconds: -1) }
            awakeFromWaiting()
        }
    }

    /// What finds room now, and the loop woken for it.
    func push(_ events: UnsafePointer<Event>, count: Int) -> Int {
        let pushed = ring.push(events, count: count)
        bell.ringIfAsleep()
        return pushed
    }

    /// The same by a producer that waits if nothing finds room: the handshake of the
    /// loop's sleep, the other way round.
    func pushBeforeWaiting(_ events: UnsafePointer<Event>, count: Int) -> Int {
        room.prepareToSleep()
        return push(events, count: count)
    }

    /// Whether the loop told within that time (-1: any) that there is room.
    func waitForRoom(milliseconds: Int32) -> Bool {
        var waiting = pollfd(fd: roomDescriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, milliseconds) > 0 else { return false }
        var rings: UInt64 = 0
        return read(roomDescriptor, &rings, 8) == 8
    }

    func awakeFromWaiting() { room.awake() }

    /// The producer's last act.
    func close() {
        closed.store(true, ordering: .releasing)
        bell.ringIfAsleep()
    }

    // The loop's side.

    /// No more events will come, and none waits.
    var isFinished: Bool { closed.load(ordering: .acquiring) && isEmpty }

    var isEmpty: Bool { late.isEmpty && ring.isEmpty && !holding.load(ordering: .acquiring) }

    /// The oldest events that wait, in one piece; valid until `pop`.
    func peek() -> UnsafeBufferPointer<Event> {
        if late.isEmpty {
            let events = ring.peek()
            guard events.isEmpty, holding.load(ordering: .acquiring) else { return events }
            guard takeHeldBack() else { return ring.peek() }
        }
        return UnsafeBufferPointer(rebasing: late[lateTaken...])
    }

    /// Gives the first `count` events that were peeked back.
    func pop(_ count: Int) {
        if count == 0 { return }
        if !late.isEmpty {
            lateTaken += count
            if lateTaken == late.count { setLate([]) }
            return
        }
        ring.pop(count)
        if overload == .block, room.mustWake() { wakeProducer() }
    }

    /// False if the producer had filled the ring before it began to hold events back.
    private func takeHeldBack() -> Bool {
        lock.locked {
            guard ring.isEmpty else { return false }
            setLate(heldBack.take())
            holding.store(false, ordering: .releasing)
            return true
        }
    }

    private func setLate(_ events: [Event]) {
        late.deallocate()
        late = .allocate(capacity: events.count)
        _ = late.initialize(from: events)
        lateTaken = 0
    }

    /// Wakes a producer that waits, as the engine stops.
    func wakeProducer() {
        guard roomDescriptor >= 0 else { return }
        var one: UInt64 = 1
        _ = write(roomDescriptor, &one, 8)
    }
}
