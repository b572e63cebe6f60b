import CSettle
import TestSupport
import XCTest

/// The ring on one thread; how its two sides meet is for `scripts/checks/ring-model`.
final class RingTests: XCTestCase {
    private func makeRing(_ capacity: UInt32) throws -> OpaquePointer {
        let memory = GuardedMemory(byteCount: settle_ring_size(capacity))
        addTeardownBlock { withExtendedLifetime(memory) {} }
        var ring: OpaquePointer?
        XCTAssertEqual(settle_ring_init(memory.start, capacity, &ring), ok)
        return try XCTUnwrap(ring)
    }

    /// Pushes events with these times; how many found room.
    private func push(_ ring: OpaquePointer, _ times: Range<UInt64>) -> Int {
        let events = times.map { settle_event(at_ns: $0, width: 0, height: 0, scene: 1, kind: 0, flags: 0) }
        return settle_ring_push(ring, events, events.count)
    }

    private func peek(_ ring: OpaquePointer) -> [UInt64] {
        var events: UnsafePointer<settle_event>?
        let count = settle_ring_peek(ring, &events)
        return UnsafeBufferPointer(start: events, count: count).map(\.at_ns)
    }

    func testRing_takesWhatFitsAndGivesItInPieces() throws {
        let ring = try makeRing(4)
        XCTAssertEqual(peek(ring), [])
        XCTAssertEqual(push(ring, 0..<0), 0)
        XCTAssertEqual(push(ring, 0..<3), 3)
        XCTAssertEqual(peek(ring), [0, 1, 2])
        settle_ring_pop(ring, 2)
        XCTAssertEqual(peek(ring), [2])
        // Over the end of the memory: the piece before it comes first.
        XCTAssertEqual(push(ring, 3..<9), 3)
        XCTAssertEqual(push(ring, 6..<9), 0)
        settle_ring_pop(ring, 1)
        XCTAssertEqual(peek(ring), [3])
        settle_ring_pop(ring, 1)
        XCTAssertEqual(peek(ring), [4, 5])
        settle_ring_pop(ring, 2)
        XCTAssertEqual(peek(ring), [])
    }

    func testCount_isOfTheEventsThatArePeekedUntilTheNextCount() throws {
        let ring = try makeRing(4)
        XCTAssertEqual(push(ring, 0..<1), 1)
        XCTAssertEqual(settle_ring_count(ring), 1)
        XCTAssertEqual(push(ring, 1..<3), 2)
        XCTAssertEqual(peek(ring), [0])
        settle_ring_pop(ring, 1)
        XCTAssertEqual(peek(ring), [1, 2])
        XCTAssertEqual(push(ring, 3..<4), 1)
        XCTAssertEqual(settle_ring_count(ring), 3)
        XCTAssertEqual(peek(ring), [1, 2, 3])
    }

    /// Each side looks at the other's index only when its copy of it says full or empty, so
    /// this goes round often.
    func testRing_givesEveryEventInOrderHoweverOftenItGoesRound() throws {
        for capacity: UInt32 in [1, 2, 4, 8] {
            let ring = try makeRing(capacity)
            var (pushed, popped) = (UInt64(0), UInt64(0))
            for step in 0..<200 {
                let wanted = UInt64(step % Int(capacity + 2))
                let room = UInt64(capacity) - (pushed - popped)
                XCTAssertEqual(push(ring, pushed..<pushed + wanted), Int(min(wanted, room)), "capacity \(capacity)")
                pushed += min(wanted, room)
                let first = peek(ring)
                XCTAssertEqual(first, Array(popped..<popped + UInt64(first.count)), "capacity \(capacity)")
                XCTAssertEqual(first.isEmpty, pushed == popped)
                let taken = first.isEmpty ? 0 : 1 + step % first.count
                settle_ring_pop(ring, taken)
                popped += UInt64(taken)
            }
            XCTAssertGreaterThan(pushed, 60)
        }
    }

    /// As after 2^32 events, which no test can wait for: each side's line begins with its index.
    func testRing_goesOnBeyondTwoToThe32() throws {
        let ring = try makeRing(4)
        let start = UInt64(UInt32.max) - 9
        for line in [0, 64] { UnsafeMutableRawPointer(ring).storeBytes(of: start, toByteOffset: line, as: UInt64.self) }
        // Each side looks at the other's index.
        XCTAssertEqual(settle_ring_waiting(ring), 0)
        XCTAssertEqual(settle_ring_count(ring), 0)
        for at in stride(from: start, to: start + 20, by: 4) {
            XCTAssertEqual(settle_ring_pushed(ring), at)
            XCTAssertEqual(settle_ring_popped(ring), at)
            XCTAssertEqual(push(ring, at..<at + 5), 4)
            XCTAssertEqual(settle_ring_waiting(ring), 4)
            XCTAssertEqual(settle_ring_count(ring), 4)
            var taken: [UInt64] = []
            for _ in 0..<2 {
                let piece = peek(ring)
                taken += piece
                settle_ring_pop(ring, piece.count)
            }
            XCTAssertEqual(taken, Array(at..<at + 4))
        }
    }

    func testRing_takesItsHeaderAndWholeLinesForItsEvents() {
        let sizes = [1, 2, 4, 64, UInt32(SETTLE_RING_CAPACITY_MAX)].map { settle_ring_size($0) }
        let most = Int(SETTLE_RING_CAPACITY_MAX) * MemoryLayout<settle_event>.stride
        XCTAssertEqual(sizes, [64, 64, 128, 2_048, most].map { 3 * 64 + $0 })
    }

    /// Within its memory, behind its header.
    func testRing_keepsItsEventsWhereItsMemoryIs() throws {
        let memory = GuardedMemory(byteCount: settle_ring_size(2))
        var ring: OpaquePointer?
        XCTAssertEqual(settle_ring_init(memory.start, 2, &ring), ok)
        XCTAssertEqual(push(try XCTUnwrap(ring), 0..<2), 2)
        var events: UnsafePointer<settle_event>?
        XCTAssertEqual(settle_ring_peek(ring, &events), 2)
        XCTAssertEqual(UnsafeRawPointer(events), UnsafeRawPointer(memory.start + 3 * 64))
    }

    func testRing_refusesCapacitiesAndMemoryThatAreWrong() {
        for capacity in [0, 3, 6, UInt32(SETTLE_RING_CAPACITY_MAX) * 2] {
            XCTAssertEqual(settle_ring_size(capacity), 0, "\(capacity)")
        }
        XCTAssertGreaterThan(settle_ring_size(UInt32(SETTLE_RING_CAPACITY_MAX)), 0)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: settle_ring_size(2) + 64, alignment: 64)
        defer { memory.deallocate() }
        var ring: OpaquePointer?
        XCTAssertEqual(settle_ring_init(nil, 2, &ring), invalid)
        XCTAssertEqual(settle_ring_init(memory, 2, nil), invalid)
        XCTAssertEqual(settle_ring_init(memory + 8, 2, &ring), invalid)
        XCTAssertEqual(settle_ring_init(memory, 3, &ring), invalid)
        XCTAssertNil(ring)
        XCTAssertEqual(settle_ring_init(memory, 2, &ring), ok)
    }

    /// What each side counts: all pushed and popped since the start, and what is between.
    func testRing_countsWhatWaits() throws {
        let ring = try makeRing(4)
        for (pushes, pops) in [(0, 0), (3, 2), (3, 1), (1, 4), (2, 2)] {
            let (pushed, popped) = (settle_ring_pushed(ring), settle_ring_popped(ring))
            XCTAssertEqual(push(ring, 0..<UInt64(pushes)), pushes)
            XCTAssertEqual(settle_ring_pushed(ring), pushed + UInt64(pushes))
            XCTAssertEqual(settle_ring_waiting(ring), Int(pushed - popped) + pushes)
            XCTAssertEqual(settle_ring_count(ring), Int(pushed - popped) + pushes)
            settle_ring_pop(ring, pops)
            XCTAssertEqual(settle_ring_popped(ring), popped + UInt64(pops))
            XCTAssertEqual(settle_ring_count(ring), Int(pushed - popped) + pushes - pops)
            XCTAssertEqual(settle_ring_waiting(ring), Int(pushed - popped) + pushes - pops)
        }
    }

    func testDoorbell_wakesOncePerSleep() {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: Int(SETTLE_DOORBELL_BYTES), alignment: 64)
        defer { memory.deallocate() }
        let bell = settle_doorbell_init(memory)
        XCTAssertFalse(settle_doorbell_ring(bell))
        settle_doorbell_prepare(bell)
        XCTAssertTrue(settle_doorbell_ring(bell))
        XCTAssertFalse(settle_doorbell_ring(bell))
        settle_doorbell_prepare(bell)
        settle_doorbell_awake(bell)
        XCTAssertFalse(settle_doorbell_ring(bell))
    }

    func testReadyList_aReleasedNodeIsWithOneSideOnly() {
        let size = max(SETTLE_DOORBELL_BYTES, SETTLE_READY_LIST_BYTES, SETTLE_READY_NODE_BYTES)
        let memory = (0..<3).map { _ in UnsafeMutableRawPointer.allocate(byteCount: Int(size), alignment: 64) }
        defer { for part in memory { part.deallocate() } }
        let (bell, list) = (settle_doorbell_init(memory[0]), settle_ready_list_init(memory[1]))
        let node = settle_ready_node_init(memory[2], memory[0])
        _ = settle_ready_announce(list, node, bell)
        XCTAssertEqual(settle_ready_pop_all(list), node)
        XCTAssertEqual(settle_ready_owner(node), memory[0])
        XCTAssertNil(settle_ready_next(node))
        settle_ready_release(node)
        XCTAssertTrue(settle_ready_reclaim(node), "nobody else has the node")
        _ = settle_ready_announce(list, node, bell)
        XCTAssertFalse(settle_ready_any(list), "the consumer has the node")
        settle_ready_release(node)
        _ = settle_ready_announce(list, node, bell)
        XCTAssertFalse(settle_ready_reclaim(node), "the producer has listed the node")
        XCTAssertEqual(settle_ready_pop_all(list), node)
    }
}
