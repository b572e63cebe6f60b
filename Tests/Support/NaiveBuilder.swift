import CSettle
import Settle

/// What a connection's builder made, and what its scene was meanwhile: figures computed directly from the list
/// of builds, each of which takes a time that nothing else has to know.
struct NaiveBuilder {
    struct Build {
        var from: UInt64
        var to: UInt64
        var cost: UInt64
        var size: Size
        /// Work that was done before is shown.
        var isNoWork = false
    }

    struct Change {
        var at: UInt64
        var size: Size
    }

    var builds: [Build] = []
    /// What was shown, and since when.
    var shown: [Change] = []
    var givenUp = 0
    var changes: [Change] = []
    /// From when on the size of the change with a number should be shown, as an interaction ended with it.
    var ends: [(at: UInt64, change: Int)] = []
    /// When the scene disconnects, or the log's last time.
    var until: UInt64 = 0
    var disconnects = false

    static func cost(_ cost: settle_build_cost, of size: Size) -> UInt64 {
        let ns = cost.ns + cost.ns_per_pixel * size.width * size.height
        return ns > 0 ? UInt64(min(ns, 3.6e12)) : 0
    }

    /// - Parameter number: Of the connection's builds, from 1 on.
    static func build(_ size: Size, from: UInt64, _ cost: settle_build_cost, number: Int) -> Build {
        let isSlow = cost.slow_every > 0 && number % Int(cost.slow_every) == 0
        let own = Self.cost(cost, of: size) * (isSlow ? 4 : 1)
        return Build(from: from, to: min(from + own, UInt64(Int64.max)), cost: own, size: size)
    }

    var work: UInt64 { builds.reduce(0) { $1.isNoWork ? $0 : $0 &+ $1.cost } }

    /// When nothing is counted any more.
    private var end: UInt64 { disconnects ? until : max(until, shown.last?.at ?? 0) }

    /// For each end how long it was until the size was shown, or another one came.
    var rightAfter: [UInt64] {
        ends.map { from, change in
            let to = change + 1 < changes.count ? changes[change + 1].at : max(end, from)
            let times = Set(shown.map(\.at) + [from, to]).filter { from...to ~= $0 }.sorted()
            return zip(times, times.dropFirst()).reduce(0) { sum, part in
                let isRight = shown.last { $0.at <= part.0 }?.size == changes[change].size
                return isRight ? sum : sum + part.1 - part.0
            }
        }
    }

    /// The sum over all times between which neither the size nor what is built changes.
    var wrong: UInt64 {
        let times = Set(changes.map(\.at) + shown.map(\.at) + [end]).filter { $0 <= end }.sorted()
        return zip(times, times.dropFirst()).reduce(0) { sum, part in
            let (from, to) = part
            guard let size = changes.last(where: { $0.at <= from })?.size,
                let shown = shown.last(where: { $0.at <= from })?.size
            else { return sum }
            let apart = abs(size.width - shown.width) + abs(size.height - shown.height)
            let ratio = apart / (size.width + size.height)
            let part = UInt64((ratio < 4 ? ratio : 4) * 1_048_576)
            return sum + (min(to - from, 1 << 41) * part) >> 20
        }
    }

    /// The most of any half second that begins at a multiple of 5 ms, in percent. What a half second has of the
    /// builds is linear in its begin but where an end of it passes an end of a build.
    var busiest: Int {
        let (step, half) = (5_000_000, 500_000_000)
        let spans = builds.map { (Int($0.from), Int($0.to)) }
        if spans.contains(where: { $1 - $0 >= half + step }) { return 100 }
        var most = 0
        for edge in spans.flatMap({ [$0, $1] }) {
            for begin in [edge, edge - half] {
                let floor = Int((Double(begin) / Double(step)).rounded(.down)) * step
                for first in [floor - step, floor, floor + step] {
                    let sum = spans.reduce(0) { $0 + max(0, min($1.1, first + half) - max($1.0, first)) }
                    most = max(most, sum)
                }
            }
        }
        return (most * 100 + half - 1) / half
    }
}

/// Figures of builds, as settle_sweep.h has them.
public struct NaiveFigures: Equatable {
    public private(set) var builds: UInt64 = 0
    public private(set) var work: UInt64 = 0
    public private(set) var wrong: UInt64 = 0
    public private(set) var busiest = [UInt64](repeating: 0, count: Int(SETTLE_BUSY_PERCENTS))
    public private(set) var givenUp: UInt64 = 0
    /// How long it was wrong after each end.
    public private(set) var rightAfter: [UInt64] = []

    mutating func add(_ builder: NaiveBuilder) {
        builds += UInt64(builder.builds.count { !$0.isNoWork })
        givenUp += UInt64(builder.givenUp)
        rightAfter += builder.rightAfter
        work &+= builder.work
        wrong &+= builder.wrong
        busiest[builder.busiest] += 1
    }

    public init() {}

    /// The counts as settle_sweep.h numbers them, behind the lags.
    public var words: [UInt64] {
        var histogram = [UInt64](repeating: 0, count: NaiveLagBuckets.firsts.count)
        for late in rightAfter { histogram[NaiveLagBuckets.bucket(of: late)] += 1 }
        return [builds, work, wrong] + busiest + [givenUp, rightAfter.reduce(0, &+)] + histogram
    }
}

/// A log's accepted events with the times at which they are applied, and its connections' changes and ends.
struct NaiveConnections {
    var builders: [NaiveBuilder] = []
    private var connected: [SceneID: Int] = [:]
    private(set) var now: UInt64 = 0
    /// Knows when interactions are, under the default policy.
    private var oracle = Oracle()
    private var seen = 0
    /// For each connection how many changes there were before its last interaction, and when that ended.
    private var before: [Int] = []
    private var ended: [UInt64] = []

    func isConnected(_ scene: SceneID) -> Bool { connected[scene] != nil }

    /// The connection of an event's scene, whose number it is; `nil` if the event is rejected.
    mutating func connection(of event: Event) -> Int? {
        guard event.isValid else { return nil }
        if let known = connected[event.scene] { return known }
        guard event.kind != .disconnect else { return nil }
        connected[event.scene] = builders.count
        oracle.connect(SceneID(rawValue: UInt32(builders.count)), policy: .default)
        builders.append(NaiveBuilder())
        before.append(0)
        ended.append(0)
        return builders.count - 1
    }

    /// Applies an accepted event of a connection, or any of the pointer: a button that is one too many under the default
    /// policy moves no time.
    mutating func apply(_ event: Event, _ number: Int?) {
        guard let number else {
            let rejected = oracle.counts.rejectedEvents
            if event.kind == .pointer { oracle.submit(event) }
            if oracle.counts.rejectedEvents == rejected { now = max(now, event.at.nanoseconds) }
            return note(nil, 0)
        }
        now = max(now, event.at.nanoseconds)
        if event.kind == .disconnect {
            connected[event.scene] = nil
            (builders[number].until, builders[number].disconnects) = (now, true)
        }
        let (changes, ends) = (builders[number].changes.count, builders[number].ends.count)
        if event.kind == .geometry, let size = event.rawSize, size.width != 0, size.height != 0,
            size != builders[number].changes.last?.size
        {
            builders[number].changes.append(.init(at: now, size: size))
        }
        var own = event
        own.scene = SceneID(rawValue: UInt32(number))
        oracle.submit(own)
        note(number, changes)
        let follows = builders[number].changes.count > changes && builders[number].ends.count == ends
        if follows, ends > 0, now - ended[number] <= 100_000_000, !oracle.isInteracting(own.scene) {
            builders[number].ends[ends - 1] = (now, changes)
        }
    }

    /// Notes what the oracle decided; at the event of a connection that had so many changes before.
    private mutating func note(_ number: Int?, _ changes: Int) {
        for decision in oracle.decisions[seen...] {
            let own = Int(decision.scene.rawValue)
            switch decision.kind {
            case .interactionBegan: before[own] = changes
            case .interactionEnded(let reason, _) where reason == .reported || reason == .released:
                guard builders[own].changes.count > before[own] else { continue }
                ended[own] = now
                builders[own].ends.append((now, builders[own].changes.count - 1))
            default: break
            }
        }
        seen = oracle.decisions.count
    }

    mutating func finish() {
        for number in builders.indices where !builders[number].disconnects { builders[number].until = now }
    }
}
