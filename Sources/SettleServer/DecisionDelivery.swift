internal import Settle
internal import SettlePlatform

#if canImport(Glibc)
    internal import Glibc
#endif

/// Carries the decisions of many streams to one handler, on a thread of its own.
///
/// The streams take turns: each has a queue of at most `waitingMax` decisions, and the
/// queues are delivered whole in the order in which they began to fill. So a flood of
/// one stream's decisions holds up that stream, and delays another's by `waitingMax`
/// decisions at most, besides those that the handler has got already.
final class DecisionDelivery: @unchecked Sendable {
    /// A stream's decisions that wait; it waits itself to hand over one more.
    static let waitingMax = 64

    private let handler: @Sendable (StreamDecision) -> Void
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    /// Signalled when a queue begins to fill, and at the end.
    private let filled = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    /// Signalled when queues have been emptied.
    private let emptied = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var thread: WorkerThread?

    // Guarded by the mutex.
    private var filledQueues: [Queue] = []
    private var isEnding = false
    private var waitingCount = 0

    /// A stream's decisions that wait.
    final class Queue: @unchecked Sendable {
        fileprivate var waiting: [StreamDecision] = []
        private let delivery: DecisionDelivery

        init(_ delivery: DecisionDelivery) {
            self.delivery = delivery
            waiting.reserveCapacity(DecisionDelivery.waitingMax)
        }

        /// Hands over a decision, when there is room.
        func put(_ decision: StreamDecision) { delivery.put(decision, into: self) }
    }

    /// - Parameter handler: Called with one decision at a time.
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

    /// Delivers what waits, and returns once the handler has had it. After the last `put`.
    func finish() {
        locked {
            isEnding = true
            pthread_cond_signal(filled)
        }
        thread?.join()
        thread = nil
        locked { isEnding = false }
    }

    /// Decisions that wait, of all streams.
    var waiting: Int { locked { waitingCount } }

    private func put(_ decision: StreamDecision, into queue: Queue) {
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
        while takeNext(&decisions) {
            for decision in decisions { handler(decision) }
            decisions.removeAll(keepingCapacity: true)
        }
    }

    /// Takes the queue that has waited longest; false at the end.
    private func takeNext(_ decisions: inout [StreamDecision]) -> Bool {
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
