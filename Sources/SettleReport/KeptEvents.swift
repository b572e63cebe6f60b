internal import Settle
internal import SettleLog

/// Collects the events within a window, as a replay of the window reads them, and of too many a sample: some scenes,
/// as a scene's decisions follow from its own events and the pointer's, and of a single scene the first part.
struct KeptEvents {
    private(set) var events: [LogEvent] = []
    private var window: WindowFilter
    private let eventsMax: Int
    /// How many events the window has.
    private var count = 0
    /// Scenes whose rank is this or higher are left out.
    private var rankLimit = UInt64(UInt32.max) + 1
    /// Whether events behind the last one are left out.
    private var isCut = false
    /// All scenes that have events.
    private var seen: Set<SceneNumber> = []

    init(_ window: ReplayWindow, eventsMax: Int) {
        self.window = WindowFilter(window)
        self.eventsMax = eventsMax
    }

    var span: Duration? { window.span }
    var isOver: Bool { window.isOver }

    mutating func add(_ batch: EventBatch, _ reader: LogReader) {
        if window.isOver { return }
        window.start(batch, reader.scenes)
        var next = window.next(in: batch, from: 0)
        while !next.isEmpty {
            for index in next { add(batch[index]) }
            next = window.next(in: batch, from: next.upperBound)
        }
    }

    private mutating func add(_ event: LogEvent) {
        count += 1
        if event.kind != .pointer { seen.insert(event.name) }
        guard !isCut, Self.isKept(event, rankLimit) else { return }
        events.append(event)
        if events.count > eventsMax { shrink() }
    }

    private static func isKept(_ event: LogEvent, _ rankLimit: UInt64) -> Bool {
        event.kind == .pointer || rank(event.name) < rankLimit
    }

    /// Spreads the scenes: the order of their first events says something about them.
    private static func rank(_ scene: SceneNumber) -> UInt64 {
        UInt64(UInt32(truncatingIfNeeded: scene.rawValue &+ 1) &* 0x9E37_79B1)
    }

    /// Leaves out scenes until a quarter is free, or one is left; then what follows.
    private mutating func shrink() {
        var counts: [UInt64: Int] = [:]
        for event in events where event.kind != .pointer { counts[Self.rank(event.name), default: 0] += 1 }
        var (rest, ranks) = (events.count, counts.keys.sorted())
        while rest > eventsMax / 4 * 3, ranks.count > 1, let last = ranks.popLast() {
            rest -= counts[last] ?? 0
            rankLimit = last
        }
        events.removeAll { [rankLimit] in !Self.isKept($0, rankLimit) }
        guard events.count > eventsMax else { return }
        events.removeLast(events.count - eventsMax)
        isCut = true
    }

    /// What is left out, in a sentence; `nil` for nothing.
    var note: String? {
        guard events.count < count else { return nil }
        let kept = Set(events.lazy.filter { $0.kind != .pointer }.map(\.name)).count
        let (from, to) = (events.first?.at ?? .zero, events.map(\.at).max() ?? .zero)
        let scenes = kept < seen.count ? " \(grouped(kept)) of its \(counted(seen.count, "scene"))" : ""
        let time = isCut ? " its first \(to.duration(since: from).text)" : ""
        return "this is a sample,\(scenes)\(scenes.isEmpty || time.isEmpty ? "" : " and")\(time):"
            + " \(grouped(events.count)) of \(counted(count, "event")), as a report has at most"
            + " \(grouped(ReportLog.eventsMax)); --scene, --start and --duration choose others"
    }
}
