@_spi(Faults) internal import Settle
internal import SettlePlatform
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#endif

/// A source's ring and what stands around it, shared by producer and loop. Neither side
/// ever waits for the other with anything in its hands.
///
/// While events are held back, the producer adds to them and leaves the ring alone, so
/// the ring only holds older ones; the loop takes the ring's first, then these, and then
/// what the ring has got since.
final class SourceChannel: @unchecked Sendable {
    private let ring: EventRing
    private let overload: Overload
    private let bell: LoopBell
    private let closed = Atomic<Bool>(false)
    private var node: ReadyNode!

    private let heldBack = HeldBack()
    /// The producer's own: it has a batch that was not taken yet, as far as it knows.
    @exclusivity(unchecked) private var isHolding = false
    /// The producer's own. What is one side's own is not checked at each access.
    @exclusivity(unchecked) private var lead = Lead()

    // The loop's own.
    /// Where the sources keep it.
    var place = 0
    /// In how many passes in a row the loop has found nothing.
    @exclusivity(unchecked) var vainPasses = 0
    /// How many events of the ring the loop has looked at and not taken.
    @exclusivity(unchecked) private var inRing = 0
    /// A batch that was held back. The first `olderInRing` of the ring's events come before it.
    @exclusivity(unchecked) private var late = LateEvents()
    @exclusivity(unchecked) private var olderInRing = 0

    /// Asked for by the producer, rung by the loop, when a producer waits for room.
    private let room = Doorbell()
    private let roomDescriptor: Int32

    init(capacity: Int, overload: Overload, bell: LoopBell) throws(LoopError) {
        ring = EventRing(capacity: capacity)
        self.overload = overload
        self.bell = bell
        roomDescriptor = overload == .block ? makeEventDescriptor() : -1
        if overload == .block, roomDescriptor < 0 { throw .system("eventfd") }
        node = ReadyNode(owner: Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        if roomDescriptor >= 0 { Glibc.close(roomDescriptor) }
    }

    /// Events that were merged into another. Any thread.
    var conflated: UInt64 { heldBack.conflated }

    // The producer's side.

    func send(_ events: UnsafePointer<Event>, count: Int) {
        if bell.isStopped { return }
        if overload == .block { return pushOrWait(events, count: count) }
        let done = isHolding && !Planted.heldBackPassed || lead.isTooLong ? 0 : ring.push(events, count: count)
        if done < count { return hold(events + done, count: count - done) }
        bell.announce(node)
        if lead.isToBeMeasured(afterSending: count) { lead.measure(ring) }
    }

    /// Merges what has no room. Once the loop has emptied the ring, the batch goes there:
    /// so a loop that never finds the batch at rest gets it all the same.
    @inline(never)
    private func hold(_ events: UnsafePointer<Event>, count: Int) {
        var done = 0
        if isHolding, !heldBack.takeBack() {
            isHolding = false
            done = ring.push(events, count: count)
        }
        lead = Lead()
        if done < count {
            if !isHolding { heldBack.begin(after: ring.pushed) }
            heldBack.add(events + done, count: count - done)
            isHolding = ring.waiting == 0 ? !heldBack.move(to: ring) : true
            if isHolding { heldBack.offer() }
        }
        bell.announce(node)
        // With nothing in its hands, so that the loop finds all of it.
        sched_yield()
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
        bell.announce(node)
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
        bell.announce(node)
    }

    // The loop's side. It looks, then takes what it saw.

    /// No more events will come than those that a look after this finds.
    var isClosed: Bool { closed.load(ordering: .acquiring) }

    /// Nothing waits that the loop could take now.
    var isEmpty: Bool { late.isEmpty && ring.count == 0 && !heldBack.isOffered }

    /// The producer holds events back that the loop has not taken.
    var holdsMore: Bool { heldBack.isBegun }

    /// When the loop looked, the producer held back more than the look found: it was adding
    /// to it just then, or the loop had not got through with what was held back before.
    private(set) var isCut = false

    /// Looks what is there now; `peek` gives that and nothing newer. False for nothing.
    func look() -> Bool {
        if late.isEmpty, let position = heldBack.take(into: &late) {
            olderInRing = Planted.heldBackOvertakes ? 0 : Int(position - ring.popped)
        }
        isCut = heldBack.isBegun
        inRing = ring.count
        return inRing > 0 || !late.isEmpty
    }

    /// The oldest events that were looked at, in one piece; valid until `pop`, and the
    /// loop's to change.
    func peek() -> UnsafeMutableBufferPointer<Event> {
        if inRing == 0 || takesLate { return late.rest }
        let events = ring.peek()
        return UnsafeMutableBufferPointer(rebasing: events.prefix(late.isEmpty ? inRing : olderInRing))
    }

    private var takesLate: Bool { olderInRing == 0 && !late.isEmpty }

    /// Gives the first `count` events that were peeked back.
    func pop(_ count: Int) {
        if count == 0 { return }
        if takesLate { return late.pop(count) }
        ring.pop(count)
        inRing -= count
        if !late.isEmpty { olderInRing -= count }
        if overload == .block, !Planted.waitingProducerAsleep, room.mustWake() { wakeProducer() }
    }

    /// Lets the source go, which had nothing. False when it has something after all and
    /// stays with the loop.
    func forget() -> Bool {
        node.forget()
        return isEmpty || !node.reclaim()
    }

    /// Wakes a producer that waits, as the engine stops.
    func wakeProducer() {
        guard roomDescriptor >= 0 else { return }
        var one: UInt64 = 1
        _ = write(roomDescriptor, &one, 8)
    }
}
