internal import Settle
internal import SettlePlatform

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
    private let mutex = PthreadMutex()
    /// Signalled when a queue becomes non-empty, and at the end.
    private let filled = PthreadCondition()
    /// Signalled when queues have been emptied.
    private let emptied = PthreadCondition()
    private var thread: WorkerThread?

    // Guarded by the mutex.
    private var filledQueues: [Queue] = []
    private var isEnding = false
    private var waitingCount = 0

    /// The queue of one stream.
    final class Queue: @unchecked Sendable {
        /// Guarded by the delivery's mutex.
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
    }

    func start() throws(SystemError) {
        thread = try WorkerThread { [self] in run() }
    }

    /// Delivers the remaining decisions and returns after the handler's last call. Must follow
    /// the last `enqueue`.
    func finish() {
        mutex.withLock {
            isEnding = true
            filled.signal()
        }
        thread?.join()
        thread = nil
        mutex.withLock { isEnding = false }
    }

    /// The number of queued decisions of all streams.
    var waiting: Int { mutex.withLock { waitingCount } }

    private func enqueue(_ decision: StreamDecision, in queue: Queue) {
        mutex.withLock {
            while queue.waiting.count == Self.waitingMax { emptied.wait(mutex) }
            queue.waiting.append(decision)
            waitingCount += 1
            guard queue.waiting.count == 1 else { return }
            filledQueues.append(queue)
            filled.signal()
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
        mutex.withLock {
            while filledQueues.isEmpty, !isEnding { filled.wait(mutex) }
            guard !filledQueues.isEmpty else { return false }
            let queue = filledQueues.removeFirst()
            swap(&queue.waiting, &decisions)
            waitingCount -= decisions.count
            emptied.broadcast()
            return true
        }
    }
}
