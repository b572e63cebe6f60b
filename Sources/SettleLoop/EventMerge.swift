@_spi(Faults) internal import Settle

/// Puts several producers' events into the order of their times: a heap of their next
/// ones. A producer's own order always stands.
struct EventMerge {
    /// What one producer has sent, as far as it lies in one piece.
    private struct Piece {
        let events: UnsafeBufferPointer<Event>
        /// The producer; of two with equal times, the lower number comes first.
        let source: Int
        var taken = 0
        var next: Timestamp

        init(_ events: UnsafeBufferPointer<Event>, _ source: Int) {
            (self.events, self.source, next) = (events, source, events[0].place)
        }

        func comes(before other: Piece) -> Bool {
            if Planted.mergeTimeIgnored { return source < other.source }
            return next < other.next || (next == other.next && source < other.source)
        }

        mutating func takeRun(upTo limit: Timestamp) -> UnsafeBufferPointer<Event> {
            let start = taken
            repeat { taken += 1 } while taken < events.count && events[taken].place <= limit
            if taken < events.count { next = events[taken].place }
            return UnsafeBufferPointer(rebasing: events[start..<taken])
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

    /// The earliest event and those of its producer up to the first that is later than
    /// another's next.
    mutating func takeRun() -> UnsafeBufferPointer<Event>? {
        if heap.isEmpty { return nil }
        var limit = Timestamp.latest
        for child in 1...2 where child < heap.count { limit = min(limit, heap[child].next) }
        let run = heap[0].takeRun(upTo: limit)
        if runOut == nil { sink() }
        return run
    }

    /// The producer of the latest run, if its piece has run out: it must be followed by
    /// the producer's next piece or dropped before the next run.
    var runOut: (source: Int, taken: Int)? {
        guard let first = heap.first, first.taken == first.events.count else { return nil }
        return (first.source, first.taken)
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

    /// Ends the merge: how much was taken of each piece that is left.
    mutating func end(_ body: (_ source: Int, _ taken: Int) -> Void) {
        for piece in heap { body(piece.source, piece.taken) }
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
    /// Where the event stands among others. One that is refused for its time stands first,
    /// as it moves none and must not hold up what its producer sent after it.
    var place: Timestamp { at <= .latest ? at : Timestamp(nanoseconds: 0) }
}
