/// All sources of an engine, and which of them are active. A pass visits the active ones
/// only, so idle sources cost nothing.
///
/// A source becomes active when its producer lists it, and inactive when a number of passes
/// in a row found it empty. Listing it for each event would cost the producer more than a
/// few looks cost the loop, which looks often while it waits for a deadline.
struct SourceList {
    /// Passes in a row that find a source empty before it becomes inactive.
    static let emptyPassesMax = 16

    private(set) var all: [SourceChannel] = []
    private(set) var active: [SourceChannel] = []
    /// How often a pass looked into a source.
    private(set) var visits: UInt64 = 0
    private let ready: ReadyList
    /// Events coalesced by sources that are gone.
    private var coalescedBefore: UInt64 = 0

    init(_ ready: ReadyList) {
        self.ready = ready
    }

    /// Events coalesced by all sources.
    var coalesced: UInt64 { coalescedBefore + all.reduce(0) { $0 + $1.coalesced } }

    /// A source is listed that no pass has looked into.
    var hasListed: Bool { !ready.isEmpty }

    /// No event waits that the loop could submit now.
    var isEmpty: Bool { ready.isEmpty && active.allSatisfy(\.isEmpty) }

    /// A producer is about to offer events that it held back.
    var holdMore: Bool { all.contains(where: \.holdsMore) }

    mutating func add(_ source: SourceChannel) {
        source.position = all.count
        all.append(source)
    }

    /// Makes listed sources active.
    mutating func activateListed() {
        if ready.isEmpty { return }
        ready.drain { active.append($0) }
    }

    /// Looks into the active sources, and makes those inactive that were empty for long.
    mutating func look() {
        activateListed()
        visits += UInt64(active.count)
        var kept = 0
        for index in active.indices {
            let source = active[index]
            // Asked first, so that the look finds all that was sent before the source closed.
            let isClosed = source.isClosed
            if source.look() {
                source.emptyPasses = 0
            } else {
                if isClosed {
                    remove(source)
                    continue
                }
                source.emptyPasses += 1
                if source.emptyPasses >= Self.emptyPassesMax, source.release() { continue }
            }
            if kept < index { active[kept] = source }
            kept += 1
        }
        active.removeLast(active.count - kept)
    }

    /// A closed source is not released, so its producer's `close` cannot list it again.
    private mutating func remove(_ source: SourceChannel) {
        coalescedBefore += source.coalesced
        let last = all.removeLast()
        if last !== source {
            all[source.position] = last
            last.position = source.position
        }
    }
}
