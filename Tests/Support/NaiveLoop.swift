public import CSettle
public import Settle

/// A closed loop, one event after another: the oracle decides, a builder for each connection builds, and the
/// builds' ends are events.
public struct NaiveLoop {
    public private(set) var figures = NaiveFigures()
    /// The log's events without its reports, and the reports of these builds. A report for a scene that is gone
    /// is left out, since its name may be another's.
    public private(set) var events: [Event] = []
    /// Deadlines that fired at the time of a build's end, and events at that time.
    public private(set) var ties = 0

    private struct Running {
        var build: NaiveBuilder.Build
        var generation: UInt32
        var waiting: (size: Size, generation: UInt32)?
    }

    private let policy: Policy
    private let cost: settle_build_cost
    private var oracle = Oracle()
    private var connections = NaiveConnections()
    private var names: [SceneID] = []
    private var gone: Set<Int> = []
    private var running: [Int: Running] = [:]
    private var generations: [Int: UInt32] = [:]
    private var seen = 0

    /// Decides a log.
    ///
    /// - Parameters:
    ///   - log: The log's events. A scene's raw value is the number of its name.
    ///   - policy: The policy of all scenes.
    ///   - cost: What a build costs.
    public init(_ log: [Event], policy: Policy, cost: settle_build_cost) {
        (self.policy, self.cost) = (policy, cost)
        for event in log where event.kind != .finished {
            guard event.at <= .latest, event.isValid else { continue }
            if event.kind == .pointer {
                var probe = oracle
                probe.submit(event)
                if probe.counts.rejectedEvents > oracle.counts.rejectedEvents { continue }
                run(until: event.at.nanoseconds)
                submit(event, nil)
            } else if let number = connections.connection(of: event) {
                if number == names.count {
                    names.append(event.scene)
                    oracle.connect(SceneID(rawValue: UInt32(number)), policy: policy)
                }
                run(until: event.at.nanoseconds)
                submit(event, number)
            }
        }
        connections.finish()
        run(until: .max)
        for builder in connections.builders { figures.add(builder) }
    }

    private mutating func submit(_ event: Event, _ number: Int?) {
        var own = event
        if let number { own.scene = SceneID(rawValue: UInt32(number)) }
        oracle.submit(own)
        connections.apply(event, number)
        events.append(event)
        if event.kind == .disconnect { gone.insert(number!) }
        takeDecisions()
    }

    /// Deadlines, and ends of builds, up to a time; of the same time the deadlines first.
    private mutating func run(until limit: UInt64) {
        let limit = max(limit, connections.now)
        while true {
            let deadline = oracle.nextDeadline?.nanoseconds
            let end = running.min { ($0.value.build.to, $0.key) < ($1.value.build.to, $1.key) }
            if let deadline, deadline <= limit, deadline <= end?.value.build.to ?? .max {
                if deadline == end?.value.build.to { ties += 1 }
                oracle.advance(to: Timestamp(nanoseconds: deadline))
                takeDecisions()
            } else if let end, end.value.build.to <= limit {
                if end.value.build.to == limit { ties += 1 }
                report(end.key, end.value)
            } else {
                return
            }
        }
    }

    private mutating func report(_ number: Int, _ ended: Running) {
        let at = Timestamp(nanoseconds: ended.build.to)
        let cost = Duration.nanoseconds(Int64(ended.build.cost))
        let report = Event.finished(
            SceneID(rawValue: UInt32(number)), at: at, generation: ended.generation, cost: cost)
        oracle.submit(report)
        if !gone.contains(number) {
            var named = report
            named.scene = names[number]
            events.append(named)
        }
        running[number] = nil
        if let waiting = ended.waiting { begin(waiting.size, waiting.generation, number, ended.build.to) }
        takeDecisions()
    }

    private mutating func begin(_ size: Size, _ generation: UInt32, _ number: Int, _ now: UInt64) {
        let build = NaiveBuilder.build(size, from: now, cost)
        connections.add(build, to: number)
        running[number] = Running(build: build, generation: generation)
    }

    private mutating func takeDecisions() {
        for decision in oracle.decisions[seen...] {
            guard case .rebuild(let rebuild) = decision.kind else { continue }
            let number = Int(decision.scene.rawValue)
            if running[number] != nil {
                running[number]!.waiting = (rebuild.size, rebuild.generation)
            } else {
                begin(rebuild.size, rebuild.generation, number, decision.at.nanoseconds)
            }
        }
        seen = oracle.decisions.count
    }
}

/// What programs without an engine build, read from the lists of their changes: first when they decide, then what
/// a builder makes of that.
public enum NaiveHabit {
    private typealias Change = NaiveBuilder.Change

    /// The counts as settle_sweep.h numbers them.
    ///
    /// - Parameter log: The log's events. A scene's raw value is the number of its name.
    public static func words(_ log: [Event], _ habit: settle_habit, cost: settle_build_cost) -> [UInt64] {
        var connections = NaiveConnections()
        // Knows which buttons are one too many: they move no time.
        var oracle = Oracle()
        for event in log where event.at <= .latest && event.isValid {
            if event.kind == .pointer {
                let before = oracle.counts.rejectedEvents
                oracle.submit(event)
                if oracle.counts.rejectedEvents == before { connections.apply(event, nil) }
            } else if event.kind == .finished {
                if connections.isConnected(event.scene) { connections.apply(event, nil) }
            } else if let number = connections.connection(of: event) {
                connections.apply(event, number)
            }
        }
        connections.finish()
        var figures = NaiveFigures()
        var words = [UInt64](repeating: 0, count: BoundEvents.buildsWord)
        for var builder in connections.builders {
            let (decided, lags) = decided(builder, habit, cost)
            builder.builds = builds(decided, cost)
            figures.add(builder)
            for lag in lags { words[BoundEvents.lagWord + NaiveLagBuckets.bucket(of: lag)] += 1 }
            for (one, next) in zip(decided, decided.dropFirst()) where next.at - one.at <= 1_000_000_000 {
                words[BoundEvents.wastedWord] += 1
            }
        }
        return words + figures.words
    }

    /// One build at a time; of what is decided meanwhile the last is next.
    private static func builds(_ decided: [Change], _ cost: settle_build_cost) -> [NaiveBuilder.Build] {
        var (builds, next, free): ([NaiveBuilder.Build], Int, UInt64) = ([], 0, 0)
        while next < decided.count {
            let meanwhile = decided[next...].prefix { $0.at < free }
            let chosen = meanwhile.indices.last ?? next
            builds.append(NaiveBuilder.build(decided[chosen].size, from: max(free, decided[chosen].at), cost))
            free = builds.last!.to
            next = chosen + 1
        }
        return builds
    }

    /// What is decided, and how long after the last change.
    private static func decided(
        _ builder: NaiveBuilder, _ habit: settle_habit, _ cost: settle_build_cost
    ) -> ([Change], lags: [UInt64]) {
        var (decided, lags): ([Change], [UInt64]) = ([], [])
        /// At once or by a timer, unless the scene is gone by then.
        func add(_ change: Change, at: UInt64) {
            if at > change.at, builder.disconnects, at > builder.until { return }
            decided.append(Change(at: at, size: change.size))
            lags.append(at - change.at)
        }
        var due: UInt64?
        for (number, change) in builder.changes.enumerated() {
            let next = number + 1 < builder.changes.count ? builder.changes[number + 1].at : .max
            let debounced = change.at + 100_000_000
            switch habit {
            case SETTLE_HABIT_DEBOUNCE: if next >= debounced { add(change, at: debounced) }
            case SETTLE_HABIT_THROTTLE:
                let last = decided.last?.at
                if due == nil, last.map({ change.at - $0 >= 50_000_000 }) ?? true {
                    add(change, at: change.at)
                } else {
                    due = due ?? last! + 50_000_000
                    if next >= due! {
                        if change.size != decided.last!.size { add(change, at: due!) }
                        due = nil
                    }
                }
            case SETTLE_HABIT_LIVE:
                let isSlow = builds(decided, cost).contains { $0.cost > 16_000_000 && $0.to <= change.at }
                if !isSlow { add(change, at: change.at) } else if next >= debounced { add(change, at: debounced) }
            default: add(change, at: change.at)
            }
        }
        return (decided, lags)
    }
}
