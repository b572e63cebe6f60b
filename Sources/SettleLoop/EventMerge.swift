internal import Settle

/// Merges several producers' events in the order of their times: a heap of their next ones.
/// The order of one producer's events is kept.
struct EventMerge {
    /// Events of one producer that are contiguous in memory.
    private struct Piece {
        let events: UnsafeBufferPointer<Event>
        /// The producer; of two with equal times, the lower number comes first.
        let source: Int
        var done = 0
        var next: Timestamp

        init(_ events: UnsafeBufferPointer<Event>, _ source: Int) {
            (self.events, self.source, next) = (events, source, events[0].mergeTime)
        }

        func comes(before other: Piece) -> Bool {
            return next < other.next || (next == other.next && source < other.source)
        }

        mutating func nextRun(upTo limit: Timestamp) -> UnsafeBufferPointer<Event> {
            let start = done
            repeat { done += 1 } while done < events.count && events[done].mergeTime <= limit
            if done < events.count { next = events[done].mergeTime }
            return UnsafeBufferPointer(rebasing: events[start..<done])
        }
    }

    private var heap: [Piece] = []

    mutating func add(_ events: UnsafeBufferPointer<Event>, source: Int) {
        if events.isEmpty { return }
        heap.append(Piece(events, source))
        var child = heap.count - 1
        while child > 0, heap[child].comes(before: heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// The earliest event, and those of its producer up to the first that is later than
    /// another producer's next.
    mutating func nextRun() -> UnsafeBufferPointer<Event>? {
        if heap.isEmpty { return nil }
        var limit = Timestamp.latest
        for child in 1...2 where child < heap.count { limit = min(limit, heap[child].next) }
        let run = heap[0].nextRun(upTo: limit)
        if runOut == nil { sink() }
        return run
    }

    /// The producer of the latest run, if its piece has run out: before the next run, it must
    /// be replaced by the producer's next piece, or dropped.
    var runOut: (source: Int, done: Int)? {
        guard let first = heap.first, first.done == first.events.count else { return nil }
        return (first.source, first.done)
    }

    mutating func replace(with events: UnsafeBufferPointer<Event>) {
        heap[0] = Piece(events, heap[0].source)
        sink()
    }

    mutating func drop() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        sink()
    }

    /// Ends the merge. The closure gets how many events of each remaining piece are done.
    mutating func end(_ body: (_ source: Int, _ done: Int) -> Void) {
        for piece in heap { body(piece.source, piece.done) }
        heap.removeAll(keepingCapacity: true)
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var first = parent
            for child in (2 * parent + 1)...(2 * parent + 2) where child < heap.count {
                if heap[child].comes(before: heap[first]) { first = child }
            }
            if first == parent { return }
            heap.swapAt(parent, first)
            parent = first
        }
    }
}

extension Event {
    /// The event's time in a merge. An event that is rejected for its time comes first: it
    /// moves no time, and must not delay what its producer sent after it.
    var mergeTime: Timestamp { at <= .latest ? at : .zero }
}
