internal import Settle
internal import Synchronization

/// The events that a producer holds back while its ring is full, on their way to the loop.
///
/// The producer owns a batch while it adds to it, then offers it. Either side can claim an
/// offered batch, and neither waits. There are two batches, used in turn: the loop has
/// emptied the one that it claimed before it claims the next.
final class HeldBack: @unchecked Sendable {
    private final class Batch {
        var events = Coalescer()
        /// How many events had been pushed into the ring when the batch was begun.
        var position: UInt64 = 0
    }

    private let even = Batch()
    private let odd = Batch()
    private let token = Token()
    /// Batches begun, less those that the producer moved into the ring itself. The producer
    /// writes it.
    private let begun = Atomic<UInt64>(0)
    /// Events coalesced. The producer writes it.
    private let replaced = Atomic<UInt64>(0)
    /// The loop's own: batches claimed.
    private var claimed: UInt64 = 0

    /// Events that were replaced by another. Any thread.
    var coalesced: UInt64 { replaced.load(ordering: .relaxed) }

    private func batch(_ number: UInt64) -> Batch { number & 1 == 0 ? even : odd }

    // The producer's side.

    private var own: Batch { batch(begun.load(ordering: .relaxed)) }

    /// Begins a batch that follows the ring's event at a position.
    func begin(after position: UInt64) {
        begun.store(begun.load(ordering: .relaxed) + 1, ordering: .relaxed)
        own.position = position
    }

    /// Claims the offered batch back; false when the loop has claimed it.
    func reclaim() -> Bool { token.claim() }

    func add(_ events: UnsafePointer<Event>, count: Int) {
        let batch = own
        let before = batch.events.coalesced
        for index in 0..<count { batch.events.add(events[index]) }
        let more = batch.events.coalesced - before
        replaced.store(replaced.load(ordering: .relaxed) + more, ordering: .relaxed)
    }

    /// Moves events into the ring while it has space; true if those were all, which ends the
    /// batch.
    func move(to ring: EventRing) -> Bool {
        let batch = own
        batch.events.drain { event in withUnsafePointer(to: event) { ring.push($0, count: 1) == 1 } }
        batch.position = ring.pushed
        guard batch.events.isEmpty else { return false }
        begun.store(begun.load(ordering: .relaxed) - 1, ordering: .relaxed)
        return true
    }

    /// Offers the batch to the loop.
    func offer() { token.offer() }

    // The loop's side.

    var isOffered: Bool { token.isOffered }

    /// Whether there is a batch that the loop has not claimed.
    var isBegun: Bool { begun.load(ordering: .relaxed) != claimed }

    /// Claims the offered batch, `nil` if there is none.
    ///
    /// - Returns: How many events of the ring come before it, counted since the ring was made.
    func claim(into late: inout LateEvents) -> UInt64? {
        guard token.isOffered, token.claim() else { return nil }
        claimed += 1
        let batch = batch(claimed)
        late.fill(from: &batch.events)
        return batch.position
    }
}

/// Events that were held back and that the loop is submitting. It keeps its memory.
struct LateEvents: ~Copyable {
    private var memory = UnsafeMutableBufferPointer<Event>(start: nil, count: 0)
    private var done = 0
    private var count = 0

    deinit { memory.deallocate() }

    var isEmpty: Bool { done == count }

    var rest: UnsafeMutableBufferPointer<Event> { UnsafeMutableBufferPointer(rebasing: memory[done..<count]) }

    mutating func pop(_ count: Int) { done += count }

    mutating func fill(from events: inout Coalescer) {
        if memory.count < events.count {
            memory.deallocate()
            memory = .allocate(capacity: events.count)
        }
        (done, count) = (0, 0)
        events.drain { event in
            memory.initializeElement(at: count, to: event)
            count += 1
            return true
        }
    }
}
