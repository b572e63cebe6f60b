internal import CSettle

/// Says whether a thread sleeps, so that others make a system call only when they must wake
/// it.
///
/// A class, so that it lives until the last thread that may ring is done. Like the types below, it is
/// sendable since its memory has nothing but C's atomics.
final class Doorbell: @unchecked Sendable {
    private let memory: UnsafeMutableRawPointer
    fileprivate let bell: OpaquePointer

    init() {
        memory = .allocate(byteCount: Int(SETTLE_DOORBELL_BYTES), alignment: 64)
        bell = settle_doorbell_init(memory)
    }

    deinit { memory.deallocate() }

    /// Announces that the thread will sleep. It must look for work once more after this.
    func prepareToSleep() { settle_doorbell_prepare(bell) }
    /// Announces that the thread is awake.
    func awake() { settle_doorbell_awake(bell) }
    /// True for the one caller who must wake the sleeper.
    func mustWake() -> Bool { settle_doorbell_ring(bell) }
}

/// The list of sources with events: producers add to it, the loop drains it.
///
/// It retains no source. The loop keeps a source for as long as it may be listed. Atomics alone.
final class ReadyList: @unchecked Sendable {
    private let memory: UnsafeMutableRawPointer
    private let list: OpaquePointer

    init() {
        memory = .allocate(byteCount: Int(SETTLE_READY_LIST_BYTES), alignment: 64)
        list = settle_ready_list_init(memory)
    }

    deinit { memory.deallocate() }

    /// The producer's, after it pushed events: lists its source unless that is listed or
    /// active already. True for the one caller that must wake the loop.
    func announce(_ node: ReadyNode, _ bell: Doorbell) -> Bool { settle_ready_announce(list, node.node, bell.bell) }

    /// The loop's: whether a source is listed.
    var isEmpty: Bool { !settle_ready_any(list) }

    /// The loop's: removes all listed sources and passes them to the closure.
    func drain(_ body: (SourceChannel) -> Void) {
        var next = settle_ready_pop_all(list)
        while let node = next {
            next = settle_ready_next(node)
            // Every node has an owner from the start.
            body(Unmanaged<SourceChannel>.fromOpaque(settle_ready_owner(node)!).takeUnretainedValue())
        }
    }
}

/// A source's node of the list. Atomics alone.
final class ReadyNode: @unchecked Sendable {
    private let memory: UnsafeMutableRawPointer
    fileprivate let node: OpaquePointer

    init(owner: UnsafeMutableRawPointer) {
        memory = .allocate(byteCount: Int(SETTLE_READY_NODE_BYTES), alignment: 64)
        node = settle_ready_node_init(memory, owner)
    }

    deinit { memory.deallocate() }

    /// The loop's: gives an empty source back to its producer, which may list it again. The
    /// loop must look into the source once more after this.
    func release() { settle_ready_release(node) }
    /// The loop's, if that look found events: false when the producer has listed the source
    /// already.
    func reacquire() -> Bool { settle_ready_reclaim(node) }
}

/// Ownership of a batch, between a producer and the loop. One side offers it, then whichever
/// side claims it first owns the batch. Neither side waits for the other. Atomics alone.
final class Token: @unchecked Sendable {
    private let memory: UnsafeMutableRawPointer
    private let token: OpaquePointer

    init() {
        memory = .allocate(byteCount: Int(SETTLE_TOKEN_BYTES), alignment: 64)
        token = settle_token_init(memory)
    }

    deinit { memory.deallocate() }

    func offer() { settle_token_offer(token) }
    /// True for the one caller that owns the batch now.
    func claim() -> Bool { settle_token_acquire(token) }
    var isOffered: Bool { settle_token_offered(token) }
}
