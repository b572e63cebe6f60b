import CSettle
import XCTest

/// The list of ready sources and the token on one thread; how their two sides meet is for
/// `scripts/checks/ring-model`.
final class ReadyListTests: XCTestCase {
    private var memory: [UnsafeMutableRawPointer] = []

    override func tearDown() { for part in memory { part.deallocate() } }

    private func allocate(_ bytes: Int) -> UnsafeMutableRawPointer {
        let new = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
        new.initializeMemory(as: UInt8.self, repeating: 0xFF, count: bytes)
        memory.append(new)
        return new
    }

    private func makeList() -> OpaquePointer { settle_ready_list_init(allocate(Int(SETTLE_READY_LIST_BYTES))) }
    private func makeBell() -> OpaquePointer { settle_doorbell_init(allocate(Int(SETTLE_DOORBELL_BYTES))) }
    private func makeNode(_ owner: Int) -> OpaquePointer {
        settle_ready_node_init(allocate(Int(SETTLE_READY_NODE_BYTES)), UnsafeMutableRawPointer(bitPattern: owner))
    }

    /// The owners of all listed nodes, which the list then no longer has.
    private func drain(_ list: OpaquePointer) -> [Int] {
        var owners: [Int] = []
        var next = settle_ready_pop_all(list)
        while let node = next {
            owners.append(Int(bitPattern: settle_ready_owner(node)))
            // A node that is listed twice leads back to itself.
            guard owners.count < 10 else { break }
            next = settle_ready_next(node)
        }
        return owners
    }

    func testReadyList_givesEachNodeOnceLastFirst() {
        let (list, bell) = (makeList(), makeBell())
        let nodes = [makeNode(1), makeNode(2), makeNode(3)]
        XCTAssertFalse(settle_ready_any(list))
        XCTAssertEqual(drain(list), [])
        for node in nodes + nodes { XCTAssertFalse(settle_ready_announce(list, node, bell)) }
        XCTAssertTrue(settle_ready_any(list))
        XCTAssertEqual(drain(list), [3, 2, 1])
        XCTAssertFalse(settle_ready_any(list))
    }

    func testReadyList_aNodeThatIsTakenIsListedAgainOnlyWhenItWasForgotten() {
        let (list, bell, node) = (makeList(), makeBell(), makeNode(1))
        _ = settle_ready_announce(list, node, bell)
        XCTAssertEqual(drain(list), [1])
        _ = settle_ready_announce(list, node, bell)
        XCTAssertEqual(drain(list), [], "the consumer still has it")
        settle_ready_release(node)
        _ = settle_ready_announce(list, node, bell)
        XCTAssertFalse(settle_ready_reclaim(node), "the producer has listed it again")
        XCTAssertEqual(drain(list), [1])
        settle_ready_release(node)
        XCTAssertTrue(settle_ready_reclaim(node))
        _ = settle_ready_announce(list, node, bell)
        XCTAssertEqual(drain(list), [], "the consumer has it again")
    }

    func testReadyList_announcingWakesTheSleeperOnce() {
        let (list, bell) = (makeList(), makeBell())
        let nodes = [makeNode(1), makeNode(2)]
        settle_doorbell_prepare(bell)
        XCTAssertTrue(settle_ready_announce(list, nodes[0], bell))
        XCTAssertFalse(settle_ready_announce(list, nodes[1], bell))
        // Also by a node that is listed already.
        settle_doorbell_prepare(bell)
        XCTAssertTrue(settle_ready_announce(list, nodes[0], bell))
    }

    func testToken_isTakenOnceForEachOffer() {
        let token = settle_token_init(allocate(Int(SETTLE_TOKEN_BYTES)))
        XCTAssertFalse(settle_token_offered(token))
        XCTAssertFalse(settle_token_acquire(token))
        for _ in 0..<2 {
            settle_token_offer(token)
            XCTAssertTrue(settle_token_offered(token))
            XCTAssertTrue(settle_token_acquire(token))
            XCTAssertFalse(settle_token_offered(token))
            XCTAssertFalse(settle_token_acquire(token))
        }
    }
}
