internal import Settle
internal import SettlePlatform

#if canImport(Glibc)
    internal import Glibc
#endif

/// Delivers the decisions of many streams to one handler, on a thread of its own.
///
/// Each stream has a queue of at most `waitingMax` decisions. Queues are delivered whole, in
/// the order in which they became non-empty. A stream that floods blocks itself; it delays
/// another stream's decision by at most `waitingMax` of its own, and by those that the
/// handler is already processing.
final class DecisionDelivery: @unchecked Sendable {
    /// The capacity of a stream's queue. The stream's thread blocks while it is full.
    static let waitingMax = 64

    private let handler: @Sendable (StreamDecision) -> Void
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    /// Signalled when a queue becomes non-empty, and at the end.
    private let filled = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    /// Signalled when queues have been emptied.
    private let emptied = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var thread: WorkerThread?

    // Guarded by the mutex.
    private var filledQueues: [Queue] = []
    private var isEnding = false
    private var waitingCount = 0

    /// The queue of one stream.
    final class Queue: @unchecked Sendable {
        fileprivate var waiting: [StreamDecision] = []
        private let delivery: DecisionDelivery

        init(_ delivery: DecisionDelivery) {
            self.delivery = delivery
            waiting.reserveCapacity(DecisionDelivery.waitingMax)
        }

        /// Appends a decision. Blocks while the queue is full.
        func enqueue(_ decision: StreamDecision) { delivery.enqueue(decision, in: self) }
    }

    /// - Parameter handler: Called with one decision at a time, on the delivery's thread.
    init(_ handler: @escaping @Sendable (StreamDecision) -> Void) {
        self.handler = handler
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(filled, nil)
        pthread_cond_init(emptied, nil)
    }

    deinit {
        pthread_cond_destroy(filled)
        pthread_cond_destroy(emptied)
        pthread_mutex_destroy(mutex)
        filled.deallocate()
        emptied.deallocate()
        mutex.deallocate()
    }

    func start() throws(SystemError) {
        thread = try WorkerThread { [self] in run() }
    }

    /// Delivers the remaining decisions and returns after the handler's last call. Must follow
    /// the last `enqueue`.
    func finish() {
        locked {
            isEnding = true
            pthread_cond_signal(filled)
        }
        thread?.join()
        thread = nil
        locked { isEnding = false }
    }

    /// The number of queued decisions of all streams.
    var waiting: Int { locked { waitingCount } }

    private func enqueue(_ decision: StreamDecision, in queue: Queue) {
        locked {
            while queue.waiting.count == Self.waitingMax { pthread_cond_wait(emptied, mutex) }
            queue.waiting.append(decision)
            waitingCount += 1
            guard queue.waiting.count == 1 else { return }
            filledQueues.append(queue)
            pthread_cond_signal(filled)
        }
    }

    private func run() {
        var decisions: [StreamDecision] = []
        while dequeue(&decisions) {
            for decision in decisions { handler(decision) }
            decisions.removeAll(keepingCapacity: true)
        }
    }

    /// Empties the queue that became non-empty first; false at the end.
    private func dequeue(_ decisions: inout [StreamDecision]) -> Bool {
        locked {
            while filledQueues.isEmpty, !isEnding { pthread_cond_wait(filled, mutex) }
            guard !filledQueues.isEmpty else { return false }
            let queue = filledQueues.removeFirst()
            swap(&queue.waiting, &decisions)
            waitingCount -= decisions.count
            pthread_cond_broadcast(emptied)
            return true
        }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }
}
