internal import Settle

/// What one producer has sent, on its way into a merge by time.
struct EventPiece {
    private let events: UnsafeBufferPointer<Event>
    private(set) var taken = 0

    init(_ events: UnsafeBufferPointer<Event>) {
        self.events = events
    }

    /// Nothing is left in it.
    var isEmpty: Bool { taken == events.count }
    /// Nothing is left in it, but there was something.
    var hasRunOut: Bool { isEmpty && taken > 0 }

    /// The piece with the earliest first event, up to the first event that is later
    /// than another piece's first. A producer's own order always stands.
    static func nextRun(_ pieces: inout [EventPiece]) -> UnsafeBufferPointer<Event>? {
        var earliest: Int?
        var limit = Timestamp.latest
        for index in pieces.indices where pieces[index].taken < pieces[index].events.count {
            guard let best = earliest else {
                earliest = index
                continue
            }
            if pieces[index].next < pieces[best].next {
                limit = min(limit, pieces[best].next)
                earliest = index
            } else {
                limit = min(limit, pieces[index].next)
            }
        }
        return earliest.map { pieces[$0].takeRun(upTo: limit) }
    }

    private var next: Timestamp { events[taken].place }

    private mutating func takeRun(upTo limit: Timestamp) -> UnsafeBufferPointer<Event> {
        let start = taken
        repeat { taken += 1 } while taken < events.count && events[taken].place <= limit
        return UnsafeBufferPointer(rebasing: events[start..<taken])
    }
}

extension Event {
    /// Where the event stands among others. One that is refused for its time stands first,
    /// as it moves none and must not hold up what its producer sent after it.
    var place: Timestamp { at <= .latest ? at : Timestamp(nanoseconds: 0) }
}
