internal import CSettle
internal import Settle

/// A bounded ring of events for one producer and one consumer.
final class EventRing: @unchecked Sendable {
    private let memory: UnsafeMutableRawPointer
    private let ring: OpaquePointer

    /// - Parameter capacity: A power of two up to `EventRing.capacityMax`.
    init(capacity: Int) {
        let size = settle_ring_size(UInt32(capacity))
        precondition(size > 0, "a ring's capacity is a power of two up to \(Self.capacityMax)")
        memory = .allocate(byteCount: size, alignment: 64)
        var made: OpaquePointer?
        let result = settle_ring_init(memory, UInt32(capacity), &made)
        guard result == SETTLE_OK.rawValue, let made else { fatalError("the ring refused its memory: \(result)") }
        ring = made
    }

    /// 2^24: the largest capacity.
    static let capacityMax = Int(SETTLE_RING_CAPACITY_MAX)

    deinit { memory.deallocate() }

    /// The producer's: pushes events while there is space, and returns how many.
    func push(_ events: UnsafePointer<Event>, count: Int) -> Int {
        settle_ring_push(ring, UnsafeRawPointer(events).assumingMemoryBound(to: settle_event.self), count)
    }

    /// The producer's: how many of its events wait.
    var waiting: Int { settle_ring_waiting(ring) }

    /// The producer's: events pushed so far.
    var pushed: UInt64 { settle_ring_pushed(ring) }

    /// The consumer's: how many events wait. `peek` gives these and no newer ones until
    /// they are popped or this is asked again.
    var count: Int { settle_ring_count(ring) }

    /// The consumer's: events popped so far.
    var popped: UInt64 { settle_ring_popped(ring) }

    /// The consumer's: events that wait, contiguous in memory. They are valid until `pop`,
    /// and the consumer may change them until then.
    func peek() -> UnsafeMutableBufferPointer<Event> {
        var events: UnsafePointer<settle_event>?
        let count = settle_ring_peek(ring, &events)
        return UnsafeMutableBufferPointer(
            start: UnsafeMutableRawPointer(mutating: events)?.assumingMemoryBound(to: Event.self), count: count)
    }

    /// The consumer's: frees the first `count` events that were peeked.
    func pop(_ count: Int) { settle_ring_pop(ring, count) }
}
