internal import Settle
internal import Synchronization

/// What a producer holds back while its ring is full, on its way to the loop.
///
/// A batch is with the producer while that adds to it, or on offer; then either side takes
/// it, and neither waits. There are two, used in turn: what the loop has taken, it has
/// emptied before it takes the next.
final class HeldBack: @unchecked Sendable {
    private final class Batch {
        var events = Conflation()
        /// How many events the ring had got when the batch was begun.
        var position: UInt64 = 0
    }

    private let even = Batch()
    private let odd = Batch()
    private let token = Token()
    /// Batches begun, but for those that the producer has moved into the ring itself. The
    /// producer writes it.
    private let begun = Atomic<UInt64>(0)
    /// The producer writes it.
    private let merged = Atomic<UInt64>(0)
    /// The loop's own: batches taken.
    private var taken: UInt64 = 0

    var conflated: UInt64 { merged.load(ordering: .relaxed) }

    private func batch(_ number: UInt64) -> Batch { number & 1 == 0 ? even : odd }

    // The producer's side.

    private var own: Batch { batch(begun.load(ordering: .relaxed)) }

    func begin(after position: UInt64) {
        begun.store(begun.load(ordering: .relaxed) + 1, ordering: .relaxed)
        own.position = position
    }

    /// False when the loop has taken the batch that was on offer.
    func takeBack() -> Bool { token.take() }

    func add(_ events: UnsafePointer<Event>, count: Int) {
        let batch = own
        let before = batch.events.conflated
        for index in 0..<count { batch.events.add(events[index]) }
        let more = batch.events.conflated - before
        merged.store(merged.load(ordering: .relaxed) + more, ordering: .relaxed)
    }

    /// Moves what has room into the ring; whether that was all, which ends the batch.
    func move(to ring: EventRing) -> Bool {
        let batch = own
        batch.events.handOver { event in withUnsafePointer(to: event) { ring.push($0, count: 1) == 1 } }
        batch.position = ring.pushed
        guard batch.events.isEmpty else { return false }
        begun.store(begun.load(ordering: .relaxed) - 1, ordering: .relaxed)
        return true
    }

    func offer() { token.offer() }

    // The loop's side.

    var isOffered: Bool { token.isOffered }

    /// Whether there is a batch that the loop has not taken.
    var isBegun: Bool { begun.load(ordering: .relaxed) != taken }

    /// Takes the batch that is on offer; how many events of the ring come before it, since
    /// the ring was made.
    func take(into late: inout LateEvents) -> UInt64? {
        guard token.isOffered, token.take() else { return nil }
        taken += 1
        let batch = batch(taken)
        late.fill(from: &batch.events)
        return batch.position
    }
}

/// Events that were held back and are being taken; it keeps its memory.
struct LateEvents: ~Copyable {
    private var memory = UnsafeMutableBufferPointer<Event>(start: nil, count: 0)
    private var taken = 0
    private var count = 0

    deinit { memory.deallocate() }

    var isEmpty: Bool { taken == count }

    var rest: UnsafeMutableBufferPointer<Event> { UnsafeMutableBufferPointer(rebasing: memory[taken..<count]) }

    mutating func pop(_ count: Int) { taken += count }

    mutating func fill(from events: inout Conflation) {
        if memory.count < events.count {
            memory.deallocate()
            memory = .allocate(capacity: events.count)
        }
        (taken, count) = (0, 0)
        events.handOver { event in
            memory.initializeElement(at: count, to: event)
            count += 1
            return true
        }
    }
}
