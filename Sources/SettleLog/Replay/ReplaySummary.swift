internal import CSettle
public import Settle

/// Counts of a replay.
public struct ReplaySummary: Sendable {
    /// Events that were submitted.
    public var events = 0
    /// Pointer events among them.
    public var pointerEvents = 0
    /// Different scene names among the events.
    public var scenes = 0
    /// The earliest time of an event, `nil` without events.
    public var first: Timestamp?
    /// The latest time of an event, `nil` without events.
    public var last: Timestamp?
    /// Interactions that began.
    public var interactions = 0
    /// Interactions that never ended in the log.
    public var openInteractions = 0
    /// Rebuilds; a reason without any is absent.
    public var rebuildsByReason: [Rebuild.Reason: Int] {
        let counts = Rebuild.Reason.allCases.map { ($0, rebuildCounts[$0]) }
        return Dictionary(uniqueKeysWithValues: counts.filter { $0.1 > 0 })
    }
    /// Decisions that the orientation lock changed.
    public var lockChanges = 0
    /// Sizes that were held within an interaction for `pauseDelay`.
    public var previews = 0
    /// Rebuilds of a program that rebuilds at every changed size, for comparison; `nil` before the
    /// end, and if the replay does not count baselines.
    public var everyChange: Int?
    /// Rebuilds of a program that debounces changed sizes by a fixed 100 ms, for comparison; `nil`
    /// as `everyChange`.
    public var fixedDebounce: Int?
    /// Events rejected for a size that is negative or not finite.
    public var rejectedSizes = 0
    /// Events rejected because their scene is not connected.
    public var rejectedScenes = 0
    /// Events rejected for one pointer button too many.
    public var rejectedEvents = 0
    /// Events that were earlier than a previous one.
    public var regressions = 0

    /// All rebuilds.
    public private(set) var rebuilds = 0

    private var rebuildCounts = ReasonCounts()

    /// The time from the earliest event to the latest; zero without events.
    public var span: Duration {
        guard let first, let last else { return .zero }
        return last.duration(since: first)
    }

    mutating func take(_ counts: LogCounts) {
        events = counts.events
        pointerEvents = counts.pointerEvents
        scenes = counts.scenes
        first = counts.first
        last = counts.last
    }

    mutating func add(_ decision: Decision) {
        switch decision.kind {
        case .interactionBegan:
            interactions += 1
            openInteractions += 1
        case .interactionEnded: openInteractions -= 1
        case .rebuild(let rebuild):
            rebuilds += 1
            rebuildCounts[rebuild.reason] += 1
        case .preview: previews += 1
        case .lockChanged: lockChanges += 1
        }
    }

    mutating func complete(_ statistics: Engine.Statistics, _ baselines: Baselines?) {
        everyChange = baselines?.everyChange
        fixedDebounce = baselines?.fixedDebounce
        rejectedSizes = Int(statistics.rejectedSizes)
        rejectedScenes = Int(statistics.rejectedScenes)
        rejectedEvents = Int(statistics.rejectedEvents)
        regressions = Int(statistics.regressions)
    }
}

/// A number for each reason of a rebuild. A dictionary would hash the reason's text each time.
private struct ReasonCounts {
    private var counts = [Int](repeating: 0, count: Rebuild.Reason.allCases.count)

    private static func index(of reason: Rebuild.Reason) -> Int {
        switch reason {
        case .first: 0
        case .interactionEnded: 1
        case .discrete: 2
        case .quiet: 3
        case .maximumWait: 4
        case .timeout: 5
        case .flush: 6
        }
    }

    subscript(reason: Rebuild.Reason) -> Int {
        get { counts[Self.index(of: reason)] }
        set { counts[Self.index(of: reason)] = newValue }
    }
}

/// The rebuilds of two common ways of handling resizes on the same events, for comparison.
struct Baselines {
    private var scenes: [settle_baseline_scene] = []
    private var counts = settle_baselines()

    var everyChange: Int { Int(counts.every_change) }
    var fixedDebounce: Int { Int(counts.debounce) }

    /// Applies a log's next events.
    ///
    /// - Parameter names: One more than the largest number of a scene's name in them.
    mutating func add(_ events: UnsafeMutableBufferPointer<LogEvent>, names: Int) {
        if names > scenes.count {
            var unknown = settle_baseline_scene()
            settle_baselines_start(&unknown, 1)
            scenes.append(contentsOf: repeatElement(unknown, count: names - scenes.count))
        }
        events.withMemoryRebound(to: settle_log_event.self) { raw in
            settle_baselines_add(&scenes, raw.baseAddress, raw.count, &counts)
        }
    }

    /// Applies the log's end.
    mutating func finish() {
        settle_baselines_finish(scenes, scenes.count, &counts)
    }
}
