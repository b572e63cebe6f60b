internal import Settle
internal import SettlePlatform
internal import Synchronization

/// A source's ring, and the events held back while it is full; shared by the producer and
/// the loop. Neither side waits for the other while it owns a batch.
///
/// While events are held back, the producer adds to them and leaves the ring alone, so the
/// ring holds only older ones. The loop submits the ring's events first, then those held
/// back, then what was pushed since.
final class SourceChannel: @unchecked Sendable {
    private let ring: EventRing
    private let overload: Overload
    private let bell: LoopBell
    private let closed = Atomic<Bool>(false)
    private var node: ReadyNode!

    private let heldBack = HeldBack()
    // Properties of one side are not checked for exclusive access.

    /// The producer's own: it holds back a batch that was not claimed yet, as far as it knows.
    @exclusivity(unchecked) private var isHolding = false
    /// The producer's own.
    @exclusivity(unchecked) private var backlog = ProducerBacklog()

    // The loop's own.
    /// Its index in `SourceList.all`.
    var position = 0
    /// How many passes in a row found the source empty.
    @exclusivity(unchecked) var emptyPasses = 0
    /// How many events of the ring the loop has looked at and not popped.
    @exclusivity(unchecked) private var inRing = 0
    /// A batch that was held back. The first `olderInRing` of the ring's events come before it.
    @exclusivity(unchecked) private var late = LateEvents()
    @exclusivity(unchecked) private var olderInRing = 0

    /// How a producer waits for space: it asks by the doorbell, the loop signals the event.
    private let space = Doorbell()
    /// `nil` for a source that coalesces.
    private let spaceEvent: EventDescriptor?

    init(capacity: Int, overload: Overload, bell: LoopBell) throws(SystemError) {
        ring = EventRing(capacity: capacity)
        self.overload = overload
        self.bell = bell
        spaceEvent = overload == .block ? try EventDescriptor() : nil
        node = ReadyNode(owner: Unmanaged.passUnretained(self).toOpaque())
    }

    /// Events that were replaced by another. Any thread.
    var coalesced: UInt64 { heldBack.coalesced }

    // The producer's side.

    func send(_ events: UnsafePointer<Event>, count: Int) {
        if bell.isStopped { return }
        if overload == .block { return pushOrWait(events, count: count) }
        let done = isHolding || backlog.isTooOld ? 0 : ring.push(events, count: count)
        if done < count { return hold(events + done, count: count - done) }
        bell.announce(node)
        if backlog.isMeasurementDue(afterSending: count) { backlog.measure(ring) }
    }

    /// Coalesces events that have no space. Once the loop has emptied the ring, the batch
    /// moves there: so a loop that never finds the batch offered gets it all the same.
    @inline(never)
    private func hold(_ events: UnsafePointer<Event>, count: Int) {
        var done = 0
        if isHolding, !heldBack.reclaim() {
            isHolding = false
            done = ring.push(events, count: count)
        }
        backlog = ProducerBacklog()
        if done < count {
            if !isHolding { heldBack.begin(after: ring.pushed) }
            heldBack.add(events + done, count: count - done)
            isHolding = ring.waiting == 0 ? !heldBack.move(to: ring) : true
            if isHolding { heldBack.offer() }
        }
        bell.announce(node)
        // The batch is offered, so the loop finds all of it.
        yieldProcessor()
    }

    /// A busy loop frees space within microseconds, sleeping and waking take longer: so the
    /// producer looks a few times before it sleeps.
    private static let looksBeforeSleep = 100

    private func pushOrWait(_ events: UnsafePointer<Event>, count: Int) {
        var done = push(events, count: count)
        var looks = 0
        while done < count, !bell.isStopped {
            if looks < Self.looksBeforeSleep {
                looks += 1
                yieldProcessor()
                done += push(events + done, count: count - done)
                continue
            }
            looks = 0
            let pushed = pushBeforeWaiting(events + done, count: count - done)
            done += pushed
            if pushed == 0, !bell.isStopped { _ = waitForSpace(milliseconds: -1) }
            awakeFromWaiting()
        }
    }

    /// Pushes events while there is space, wakes the loop, and returns how many were pushed.
    func push(_ events: UnsafePointer<Event>, count: Int) -> Int {
        let pushed = ring.push(events, count: count)
        bell.announce(node)
        return pushed
    }

    /// The same by a producer that waits if there is no space: the handshake of the loop's
    /// sleep, with the roles exchanged.
    func pushBeforeWaiting(_ events: UnsafePointer<Event>, count: Int) -> Int {
        space.prepareToSleep()
        return push(events, count: count)
    }

    /// Waits until the loop signals space; false when the time is over (-1: no limit), and
    /// when a signal ended the wait.
    func waitForSpace(milliseconds: Int32) -> Bool {
        guard let spaceEvent, spaceEvent.wait(milliseconds: milliseconds) else { return false }
        return spaceEvent.drain()
    }

    func awakeFromWaiting() { space.awake() }

    /// Ends the source. The producer's last call.
    func close() {
        closed.store(true, ordering: .releasing)
        bell.announce(node)
    }

    // The loop's side. It looks, then submits what it found.

    /// No more events come than those that a look after this finds.
    var isClosed: Bool { closed.load(ordering: .acquiring) }

    /// No event waits that the loop could submit now.
    var isEmpty: Bool { late.isEmpty && ring.count == 0 && !heldBack.isOffered }

    /// The producer holds back events that the loop has not claimed.
    var holdsMore: Bool { heldBack.isBegun }

    /// The loop's own. The producer held back more than the look found: it was adding to the batch just then,
    /// or the loop was not done with the batch before.
    @exclusivity(unchecked) private(set) var isCut = false

    /// Looks which events are there now; `peek` returns these and no newer ones. False if
    /// there are none.
    func look() -> Bool {
        if late.isEmpty, let position = heldBack.claim(into: &late) {
            olderInRing = Int(position - ring.popped)
        }
        isCut = heldBack.isBegun
        inRing = ring.count
        return inRing > 0 || !late.isEmpty
    }

    /// The oldest events that the look found, contiguous in memory. They are valid until
    /// `pop`, and the loop may change them.
    func peek() -> UnsafeMutableBufferPointer<Event> {
        if inRing == 0 || lateIsNext { return late.rest }
        let events = ring.peek()
        return UnsafeMutableBufferPointer(rebasing: events.prefix(late.isEmpty ? inRing : olderInRing))
    }

    /// The events held back are the next ones.
    private var lateIsNext: Bool { olderInRing == 0 && !late.isEmpty }

    /// Frees the first `count` events that were peeked.
    func pop(_ count: Int) {
        if count == 0 { return }
        if lateIsNext { return late.pop(count) }
        ring.pop(count)
        inRing -= count
        if !late.isEmpty { olderInRing -= count }
        if overload == .block, space.mustWake() { wakeProducer() }
    }

    /// Makes an empty source inactive: its producer lists it with the next event. False when
    /// it has events after all and stays active.
    func release() -> Bool {
        node.release()
        return isEmpty || !node.reacquire()
    }

    /// Wakes a producer that waits for space.
    func wakeProducer() { spaceEvent?.signal() }
}
