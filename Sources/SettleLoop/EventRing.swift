internal import CSettle
internal import Settle

/// The loop's doorbell: asleep or awake, told to producers without a system call.
///
/// A class of its own, so that it outlives whoever rings last.
final class Doorbell: @unchecked Sendable {
    private let memory: UnsafeMutableRawPointer
    private let bell: OpaquePointer

    init() {
        memory = .allocate(byteCount: Int(SETTLE_DOORBELL_BYTES), alignment: 64)
        bell = settle_doorbell_init(memory)
    }

    deinit { memory.deallocate() }

    /// The sleeper must look for work once more after this and before it sleeps.
    func prepareToSleep() { settle_doorbell_prepare(bell) }
    func awake() { settle_doorbell_awake(bell) }
    /// True for the one caller who must wake the sleeper.
    func mustWake() -> Bool { settle_doorbell_ring(bell) }
}

/// A bounded ring of events: one producer, one consumer.
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

    static let capacityMax = Int(SETTLE_RING_CAPACITY_MAX)

    deinit { memory.deallocate() }

    /// The producer's: how many of the events found room.
    func push(_ events: UnsafePointer<Event>, count: Int) -> Int {
        settle_ring_push(ring, UnsafeRawPointer(events).assumingMemoryBound(to: settle_event.self), count)
    }

    /// The consumer's: the events that wait, in one piece; valid until `pop`.
    func peek() -> UnsafeBufferPointer<Event> {
        var events: UnsafePointer<settle_event>?
        let count = settle_ring_peek(ring, &events)
        return UnsafeBufferPointer(
            start: UnsafeRawPointer(events)?.assumingMemoryBound(to: Event.self), count: count)
    }

    func pop(_ count: Int) { settle_ring_pop(ring, count) }

    /// The consumer's.
    var isEmpty: Bool { peek().isEmpty }
}
