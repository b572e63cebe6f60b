/// All sources of an engine, and among them those that have something. A pass visits the
/// latter only, so that idle ones cost nothing.
///
/// A source is active from when its producer lists it until a look finds nothing in it.
/// The look that takes its events does not let it go, as a flood's next events are about
/// to come; the next pass does.
struct SourceList {
    private(set) var all: [SourceChannel] = []
    private(set) var active: [SourceChannel] = []
    /// How often a pass looked at a source.
    private(set) var visits: UInt64 = 0
    private let ready: ReadyList
    /// Events merged by sources that are gone.
    private var conflatedBefore: UInt64 = 0

    init(_ ready: ReadyList) {
        self.ready = ready
    }

    var conflated: UInt64 { conflatedBefore + all.reduce(0) { $0 + $1.conflated } }

    /// A source has something that no pass has looked at.
    var hasListed: Bool { !ready.isEmpty }

    /// Nothing waits that the loop could take now.
    var isEmpty: Bool { ready.isEmpty && active.allSatisfy(\.isEmpty) }

    /// A producer is about to hand over events, some of which were sent before.
    var holdMore: Bool { all.contains(where: \.holdsMore) }

    mutating func add(_ source: SourceChannel) {
        source.place = all.count
        all.append(source)
    }

    /// Sources that were listed become active.
    mutating func takeListed() {
        if ready.isEmpty { return }
        ready.take { active.append($0) }
    }

    /// Looks into the active sources and lets those go that have nothing.
    mutating func look() {
        takeListed()
        visits += UInt64(active.count)
        var kept = 0
        for index in active.indices {
            let source = active[index]
            // Asked first: what was sent before it was closed is then there to be seen.
            let isClosed = source.isClosed
            if !source.look() {
                if isClosed {
                    remove(source)
                    continue
                }
                if source.forget() { continue }
                // Something came after all, for the next pass.
            }
            if kept < index { active[kept] = source }
            kept += 1
        }
        active.removeLast(active.count - kept)
    }

    /// A source that is gone is never forgotten, so its producer's last act cannot list it.
    private mutating func remove(_ source: SourceChannel) {
        conflatedBefore += source.conflated
        let last = all.removeLast()
        if last !== source {
            all[source.place] = last
            last.place = source.place
        }
    }
}
