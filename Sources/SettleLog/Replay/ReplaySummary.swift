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
    /// Rebuilds that are feedback, by scene.
    package private(set) var feedback = Feedback()
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

    mutating func add(_ decision: Decision, _ scene: SceneNumber) {
        switch decision.kind {
        case .interactionBegan:
            interactions += 1
            openInteractions += 1
        case .interactionEnded: openInteractions -= 1
        case .rebuild(let rebuild):
            rebuilds += 1
            rebuildCounts[rebuild.reason] += 1
            feedback.add(decision, scene)
        case .preview: previews += 1
        case .lockChanged: lockChanges += 1
        }
    }

    mutating func complete(_ statistics: Engine.Statistics, _ baselines: settle_baselines?) {
        everyChange = baselines.map { Int(clamping: $0.every_change) }
        fixedDebounce = baselines.map { Int(clamping: $0.debounce) }
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
        case .live: 7
        }
    }

    subscript(reason: Rebuild.Reason) -> Int {
        get { counts[Self.index(of: reason)] }
        set { counts[Self.index(of: reason)] = newValue }
    }
}
