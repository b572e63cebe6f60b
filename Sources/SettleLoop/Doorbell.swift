internal import CSettle

/// Asleep or awake, said to whoever may have to wake the sleeper without a system call.
///
/// A class of its own, so that it outlives whoever rings last.
final class Doorbell: @unchecked Sendable {
    private let memory: UnsafeMutableRawPointer
    fileprivate let bell: OpaquePointer

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

/// The sources that have something, as their producers list them for the loop.
///
/// It retains no source: a source is kept by the loop for as long as it may be listed.
final class ReadyList: @unchecked Sendable {
    private let memory: UnsafeMutableRawPointer
    private let list: OpaquePointer

    init() {
        memory = .allocate(byteCount: Int(SETTLE_READY_LIST_BYTES), alignment: 64)
        list = settle_ready_list_init(memory)
    }

    deinit { memory.deallocate() }

    /// The producer's, after it published work: lists its source unless that is listed or
    /// with the loop. True for the one caller who must wake the sleeper.
    func announce(_ node: ReadyNode, _ bell: Doorbell) -> Bool { settle_ready_announce(list, node.node, bell.bell) }

    /// The loop's: whether a source is listed.
    var isEmpty: Bool { !settle_ready_any(list) }

    /// The loop's: takes all sources that are listed.
    func take(_ body: (SourceChannel) -> Void) {
        var next = settle_ready_pop_all(list)
        while let node = next {
            next = settle_ready_next(node)
            body(Unmanaged<SourceChannel>.fromOpaque(settle_ready_owner(node)!).takeUnretainedValue())
        }
    }
}

/// A source's place on the list.
final class ReadyNode: @unchecked Sendable {
    private let memory: UnsafeMutableRawPointer
    fileprivate let node: OpaquePointer

    init(owner: UnsafeMutableRawPointer) {
        memory = .allocate(byteCount: Int(SETTLE_READY_NODE_BYTES), alignment: 64)
        node = settle_ready_node_init(memory, owner)
    }

    deinit { memory.deallocate() }

    /// The loop's: lets a source go that has nothing. The loop must look at the source
    /// once more after this.
    func forget() { settle_ready_release(node) }
    /// The loop's, if it found something after all: false when the producer has listed
    /// the source again.
    func reclaim() -> Bool { settle_ready_reclaim(node) }
}

/// What a producer and the loop pass back and forth: whoever takes it owns what it stands
/// for. Neither side ever waits for the other.
final class Token: @unchecked Sendable {
    private let memory: UnsafeMutableRawPointer
    private let token: OpaquePointer

    init() {
        memory = .allocate(byteCount: Int(SETTLE_TOKEN_BYTES), alignment: 64)
        token = settle_token_init(memory)
    }

    deinit { memory.deallocate() }

    func offer() { settle_token_offer(token) }
    func take() -> Bool { settle_token_acquire(token) }
    var isOffered: Bool { settle_token_offered(token) }
}
