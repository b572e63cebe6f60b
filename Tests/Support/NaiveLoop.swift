public import CSettle
public import Settle

/// A closed loop, one event after another: the oracle decides, a builder for each connection builds, and the
/// reports of its work are events.
public struct NaiveLoop {
    public private(set) var figures = NaiveFigures()
    /// The log's events without its reports, and the reports of these builds. A report for a scene that is gone
    /// is left out, since its name may be another's.
    public private(set) var events: [Event] = []
    /// Deadlines that fired at the time of a build's end, and events at that time.
    public private(set) var ties = 0
    /// Rebuilds by what there was of the work for them: a part of it, or all.
    public private(set) var (takenOver, shownAtOnce) = (0, 0)

    /// Work of a size: for a rebuild, or ahead of one.
    private struct Work {
        var size: Size
        var generation: UInt32
        var isAhead: Bool
    }

    private struct Maker {
        var running: (work: Work, build: NaiveBuilder.Build)?
        var next: Work?
        var ahead: Work?
        /// The cost of the work that is done for the size previewed last.
        var done: UInt64?
        var begun = 0

        var isAhead: Bool { ahead != nil || running?.work.isAhead == true }
    }

    private let policy: Policy
    private let cost: settle_build_cost
    private var oracle = Oracle()
    private var connections = NaiveConnections()
    private var names: [SceneID] = []
    private var gone: Set<Int> = []
    private var makers: [Maker] = []
    private var seen = 0

    /// Decides a log.
    ///
    /// - Parameters:
    ///   - log: The log's events. A scene's raw value is the number of its name.
    ///   - policy: The policy of all scenes.
    ///   - cost: What a build costs.
    public init(_ log: [Event], policy: Policy, cost: settle_build_cost) {
        (self.policy, self.cost) = (policy, cost)
        for event in log where event.kind != .finished && event.kind != .previewed {
            guard event.at <= .latest, event.isValid else { continue }
            if event.kind == .pointer {
                var probe = oracle
                probe.submit(event)
                if probe.counts.rejectedEvents > oracle.counts.rejectedEvents {
                    connections.apply(event, nil)
                    continue
                }
                run(until: event.at.nanoseconds)
                submit(event, nil)
            } else if let number = connections.connection(of: event) {
                if number == names.count {
                    names.append(event.scene)
                    makers.append(Maker())
                    oracle.connect(SceneID(rawValue: UInt32(number)), policy: policy)
                }
                run(until: event.at.nanoseconds)
                let (size, isAhead) = (connections.builders[number].changes.last?.size, makers[number].isAhead)
                submit(event, number)
                let isOver = event.kind == .disconnect || connections.builders[number].changes.last?.size != size
                if isAhead, isOver { giveUp(number) }
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
        let limit = max(limit, oracle.now.nanoseconds)
        while true {
            let deadline = oracle.nextDeadline?.nanoseconds
            let ends = makers.indices.filter { makers[$0].running != nil }
            let first = ends.min { (makers[$0].running!.build.to, $0) < (makers[$1].running!.build.to, $1) }
            let end = first.map { makers[$0].running!.build.to }
            if let deadline, deadline <= limit, deadline <= end ?? .max {
                if deadline == end { ties += 1 }
                oracle.advance(to: Timestamp(nanoseconds: deadline))
                takeDecisions()
            } else if let first, end! <= limit {
                if end == limit { ties += 1 }
                finish(first)
            } else {
                return
            }
        }
    }

    /// The work that runs is done.
    private mutating func finish(_ number: Int) {
        let (work, build) = makers[number].running!
        makers[number].running = nil
        connections.builders[number].builds.append(build)
        if work.isAhead {
            makers[number].done = build.cost
        } else {
            connections.builders[number].shown.append(.init(at: build.to, size: work.size))
        }
        report(work, number, at: build.to, cost: build.cost)
        beginNext(number, build.to)
        takeDecisions()
    }

    private mutating func beginNext(_ number: Int, _ now: UInt64) {
        guard makers[number].running == nil, let work = makers[number].next ?? makers[number].ahead else { return }
        if makers[number].next != nil { makers[number].next = nil } else { makers[number].ahead = nil }
        makers[number].begun += 1
        let build = NaiveBuilder.build(work.size, from: now, cost, number: makers[number].begun)
        makers[number].running = (work, build)
    }

    /// The work ahead of a rebuild is over before its time; returns what it cost.
    private mutating func cutOff(_ number: Int, _ now: UInt64) -> UInt64 {
        var build = makers[number].running!.build
        (build.to, build.cost) = (now, now - build.from)
        makers[number].running = nil
        connections.builders[number].builds.append(build)
        connections.builders[number].givenUp += 1
        return build.cost
    }

    /// The size of work ahead is the scene's no more.
    private mutating func giveUp(_ number: Int) {
        // What has no delay comes before the report.
        oracle.advance(to: Timestamp(nanoseconds: connections.now))
        takeDecisions()
        guard makers[number].isAhead else { return }
        var (work, cost) = (makers[number].ahead, UInt64(0))
        makers[number].ahead = nil
        if work == nil {
            work = makers[number].running!.work
            cost = cutOff(number, connections.now)
        }
        report(work!, number, at: connections.now, cost: cost, isKept: false)
        takeDecisions()
    }

    private mutating func report(_ work: Work, _ number: Int, at now: UInt64, cost: UInt64, isKept: Bool = true) {
        let (at, scene) = (Timestamp(nanoseconds: now), SceneID(rawValue: UInt32(number)))
        let cost = Duration.nanoseconds(Int64(cost))
        var report =
            work.isAhead
            ? Event.previewed(scene, at: at, generation: work.generation, cost: cost, isKept: isKept)
            : Event.finished(scene, at: at, generation: work.generation, cost: cost)
        oracle.submit(report)
        if gone.contains(number) { return }
        report.scene = names[number]
        events.append(report)
    }

    private mutating func takeDecisions() {
        for decision in oracle.decisions[seen...] {
            let (number, now) = (Int(decision.scene.rawValue), decision.at.nanoseconds)
            switch decision.kind {
            case .rebuild(let rebuild): decided(rebuild, number, now)
            case .preview(let size, let generation) where policy.pauseSharePercent != nil:
                makers[number].done = nil
                makers[number].ahead = Work(size: size, generation: generation, isAhead: true)
                beginNext(number, now)
            default: break
            }
        }
        seen = oracle.decisions.count
    }

    private mutating func decided(_ rebuild: Rebuild, _ number: Int, _ now: UInt64) {
        let work = Work(size: rebuild.size, generation: rebuild.generation, isAhead: false)
        let done = makers[number].done
        (makers[number].done, makers[number].ahead) = (nil, nil)
        if makers[number].running?.work.isAhead == true {
            if rebuild.isPrepared {
                makers[number].running!.work = work
                takenOver += 1
                return
            }
            _ = cutOff(number, now)
        }
        makers[number].next = work
        if let done, rebuild.isPrepared {
            // Nothing else runs, or the work for the preview had not begun.
            makers[number].next = nil
            shownAtOnce += 1
            let build = NaiveBuilder.Build(from: now, to: now, cost: done, size: rebuild.size, isNoWork: true)
            makers[number].running = (work, build)
        }
        beginNext(number, now)
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
        for event in log where event.at <= .latest && event.isValid {
            if event.kind == .pointer {
                connections.apply(event, nil)
            } else if event.kind == .finished || event.kind == .previewed {
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
            builder.shown = builder.builds.map { .init(at: $0.to, size: $0.size) }
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
            builds.append(
                NaiveBuilder.build(
                    decided[chosen].size, from: max(free, decided[chosen].at), cost, number: builds.count + 1))
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
