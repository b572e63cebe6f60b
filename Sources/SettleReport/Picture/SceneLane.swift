internal import CSettle
internal import Settle
internal import SettleLog

/// What a picture shows of one scene.
struct SceneLane {
    let scene: SceneNumber
    var events = 0
    /// The size from a time on; `nil` after a disconnect.
    var sizes: [(at: Timestamp, size: Size?)] = []
    var interactions: [(from: Timestamp, to: Timestamp)] = []
    /// Rebuilds of a program that rebuilds at every changed size.
    var everyChange: [Timestamp] = []
    /// Rebuilds of a program that debounces changed sizes by a fixed 100 ms.
    var debounce: [Timestamp] = []
    /// The rebuilds that the policy decides, with their lags.
    var rebuilds: [(at: Timestamp, lag: Duration, isLive: Bool)] = []
    var previews: [Timestamp] = []
    private var baseline = settle_baseline_scene()
    private var open: Timestamp?

    init(_ scene: SceneNumber) {
        self.scene = scene
        settle_baselines_start(&baseline, 1)
    }

    mutating func add(_ event: LogEvent, at: Timestamp, change: Size?) {
        events += 1
        if let change { sizes.append((at, change)) }
        if event.kind == .disconnect { sizes.append((at, nil)) }
        var raw = event.raw
        // A disconnect forgets when the timer fired.
        let fires = baseline.fires_ns
        let step = settle_baseline_step(&baseline, &raw)
        if step & SETTLE_BASELINE_FIRED.rawValue != 0 { debounce.append(.latest(fires)) }
        if step & SETTLE_BASELINE_CHANGED.rawValue != 0 { everyChange.append(at) }
    }

    mutating func add(_ decision: Decision, lag: Duration?) {
        switch decision.kind {
        case .interactionBegan: open = decision.at
        case .interactionEnded:
            if let open { interactions.append((open, decision.at)) }
            open = nil
        case .rebuild(let rebuild): rebuilds.append((decision.at, lag ?? .zero, rebuild.reason == .live))
        case .preview: previews.append(decision.at)
        default: break
        }
    }

    /// The log's end: a timer that runs fires, and what is open ends at the last event.
    mutating func finish(_ last: Timestamp) {
        if baseline.fires_ns != UInt64.max { debounce.append(.latest(baseline.fires_ns)) }
        if let open { interactions.append((open, max(open, last))) }
        open = nil
    }
}

extension Timestamp {
    /// A time of the core's, which may be after the latest of a log.
    fileprivate static func latest(_ nanoseconds: UInt64) -> Timestamp {
        min(Timestamp(nanoseconds: nanoseconds), .latest)
    }
}

/// What a picture shows of one log.
struct LogLanes {
    let log: ReportLog
    /// One for each scene, in the order of the scenes' names in the log.
    private(set) var lanes: [SceneLane] = []
    private(set) var first = Timestamp.zero
    /// The last event or decision.
    private(set) var last = Timestamp.zero
    /// The time from the earliest event to the latest, as a replay states it.
    private(set) var span = Duration.zero

    /// - Throws: `.malformed` as `LogSteps`.
    init(_ log: ReportLog, policy: Policy) throws(LogError) {
        self.log = log
        let steps = try LogExportInput(log: log.name, header: log.header, policy: policy).steps()
        first = log.events.first.map { min($0.at, .latest) } ?? .zero
        let times = log.events.map { min($0.at, .latest) }
        if let earliest = times.min(), let latest = times.max() { span = latest.duration(since: earliest) }
        for event in log.events { try steps.add(event) { add($0) } }
        let lastEvent = last
        steps.finish { add($0) }
        for index in lanes.indices {
            lanes[index].finish(lastEvent)
            if let fired = lanes[index].debounce.last { last = max(last, fired) }
        }
        lanes.removeAll { $0.events == 0 }
    }

    private mutating func add(_ step: LogStep) {
        switch step {
        case .event(let event, let at, let change):
            last = max(last, at)
            if event.kind == .pointer { return }
            lanes[index(of: event.name)].add(event, at: at, change: change)
        case .decision(let decision, let scene, let lag):
            last = max(last, decision.at)
            lanes[index(of: scene)].add(decision, lag: lag)
        }
    }

    private mutating func index(of scene: SceneNumber) -> Int {
        let index = Int(scene.rawValue)
        while index >= lanes.count { lanes.append(SceneLane(SceneNumber(rawValue: UInt32(lanes.count)))) }
        return index
    }
}
