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
    }

    struct Change {
        var at: UInt64
        var size: Size
    }

    var builds: [Build] = []
    var changes: [Change] = []
    /// When the scene disconnects, or the log's last time.
    var until: UInt64 = 0
    var disconnects = false

    static func cost(_ cost: settle_build_cost, of size: Size) -> UInt64 {
        let ns = cost.ns + cost.ns_per_pixel * size.width * size.height
        return ns > 0 ? UInt64(min(ns, 3.6e12)) : 0
    }

    static func build(_ size: Size, from: UInt64, _ cost: settle_build_cost) -> Build {
        let own = Self.cost(cost, of: size)
        return Build(from: from, to: min(from + own, UInt64(Int64.max)), cost: own, size: size)
    }

    var work: UInt64 { builds.reduce(0) { $0 &+ $1.cost } }

    /// The sum over all times between which neither the size nor what is built changes.
    var wrong: UInt64 {
        let end = disconnects ? until : max(until, builds.last?.to ?? 0)
        let times = Set(changes.map(\.at) + builds.map(\.to) + [end]).filter { $0 <= end }.sorted()
        return zip(times, times.dropFirst()).reduce(0) { sum, part in
            let (from, to) = part
            guard let size = changes.last(where: { $0.at <= from })?.size,
                let shown = builds.last(where: { $0.to <= from })?.size
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

    mutating func add(_ builder: NaiveBuilder) {
        builds += UInt64(builder.builds.count)
        work &+= builder.work
        wrong &+= builder.wrong
        busiest[builder.busiest] += 1
    }

    public init() {}

    /// The counts as settle_sweep.h numbers them, behind the lags.
    public var words: [UInt64] { [builds, work, wrong] + busiest }
}

/// A log's accepted events with the times at which they are applied, and its connections' changes.
struct NaiveConnections {
    private(set) var builders: [NaiveBuilder] = []
    private var connected: [SceneID: Int] = [:]
    private(set) var now: UInt64 = 0

    func isConnected(_ scene: SceneID) -> Bool { connected[scene] != nil }

    /// The connection of an event's scene, whose number it is; `nil` if the event is rejected.
    mutating func connection(of event: Event) -> Int? {
        guard event.isValid else { return nil }
        if let known = connected[event.scene] { return known }
        guard event.kind != .disconnect else { return nil }
        connected[event.scene] = builders.count
        builders.append(NaiveBuilder())
        return builders.count - 1
    }

    /// Applies an accepted event: of a connection, or of the pointer.
    mutating func apply(_ event: Event, _ number: Int?) {
        now = max(now, event.at.nanoseconds)
        guard let number else { return }
        if event.kind == .disconnect {
            connected[event.scene] = nil
            (builders[number].until, builders[number].disconnects) = (now, true)
        }
        guard event.kind == .geometry, let size = event.rawSize, size.width != 0, size.height != 0,
            size != builders[number].changes.last?.size
        else { return }
        builders[number].changes.append(.init(at: now, size: size))
    }

    mutating func finish() {
        for number in builders.indices where !builders[number].disconnects { builders[number].until = now }
    }

    mutating func add(_ build: NaiveBuilder.Build, to number: Int) { builders[number].builds.append(build) }
}
