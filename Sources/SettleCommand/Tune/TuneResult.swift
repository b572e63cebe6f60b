import Settle
import SettleSweep

/// What was decided, and which policies stand out.
struct TuneResult {
    /// A policy's figures.
    struct Row {
        let index: Int
        let policy: Policy
        let rebuilds: Int
        let rebuildsByReason: [Rebuild.Reason: Int]
        let previews: Int
        let wasted: Int
        let p50: LagBucket
        let p95: LagBucket
        let longest: LagBucket
        let built: BuiltFigures
        /// The durations that differ from today's.
        let changes: PolicyChanges
        /// What it is judged by.
        let point: ParetoFront.Point

        /// Keeps the figures only: the counts of all lags would be 9 kB for each policy.
        init(_ index: Int, _ sweep: Sweep, today: Policy) throws(EngineError) {
            let counts = sweep[index]
            self.index = index
            policy = sweep.policies[index]
            rebuilds = counts.rebuilds
            rebuildsByReason = counts.rebuildsByReason
            previews = counts.previews
            wasted = counts.wasted
            p50 = counts.lag(permille: 500)
            p95 = counts.lag(permille: 950)
            longest = counts.lag(permille: 1000)
            built = BuiltFigures(counts, sweep.buildCost)
            changes = try PolicyChanges(policy, from: today)
            point =
                sweep.buildCost == nil
                ? ParetoFront.Point(rebuilds: rebuilds, lag: p95, wasted: wasted, medianLag: p50, changes: changes)
                : ParetoFront.Point(builds: counts, changes: changes)
        }
    }

    /// What a policy must not exceed.
    struct Bound {
        var p95Lag: Duration?
        var wasted: Int?
        /// The most of any half second, in percent; only with a build's cost, which excludes the others.
        var busy: Int?

        var isEmpty: Bool { p95Lag == nil && wasted == nil && busy == nil }

        /// As options of `settle tune`.
        var options: String {
            [
                p95Lag.map { "--p95-lag \($0.withUnit)" }, wasted.map { "--wasted \($0)" },
                busy.map { "--busy \($0)%" },
            ].compactMap(\.self).joined(separator: " ")
        }
    }

    let sweep: Sweep
    let bound: Bound
    /// All policies, in the sweep's order.
    let rows: [Row]
    let front: ParetoFront
    /// The index of today's policy.
    let today: Int
    /// The policy to take, and what no policy to take changes.
    let advice: PolicyAdvice
    /// If no policy is within the bound: bounds within reach, with the policies that they choose. Each has one of its
    /// values as near as possible, the other one as it is or, if none is in reach beside it, left out.
    let nearest: [(bound: Bound, index: Int)]
    static let atEnds = "at ends"
    /// Today's policy with builds at ends alone, prepared and live, as far as they were tried.
    var presets: [(name: String, index: Int)] {
        let today = sweep.policies[today]
        let ends = today.atEnds
        func live(_ base: Policy) -> Policy {
            var live = base
            (live.liveSharePercent, live.liveLimit) = (Policy.live.liveSharePercent, Policy.live.liveLimit)
            (live.liveInterval, live.livePause) = (Policy.live.liveInterval, Policy.live.livePause)
            return live
        }
        var prepared = ends
        (prepared.pauseDelay, prepared.pauseSharePercent) = (
            Policy.prepared.pauseDelay, Policy.prepared.pauseSharePercent
        )
        let named = [(Self.atEnds, [ends]), ("prepared", [prepared]), ("live", [live(ends), live(today)])]
        return named.compactMap { name, policies in
            policies.lazy.compactMap(sweep.policies.firstIndex(of:)).first.map { (name, $0) }
        }
    }
    /// The policy to take; `nil` if none is within the bound, or if there is nothing to judge by.
    var advised: Int? { sweep.lack == nil ? advice.index : nil }
    /// The same if there is a bound.
    var choice: Int? { bound.isEmpty ? nil : advised }

    init(_ sweep: Sweep, today: Int, bound: Bound) throws(EngineError) {
        self.sweep = sweep
        self.bound = bound
        self.today = today
        let rows = try sweep.policies.indices.map { index throws(EngineError) in
            try Row(index, sweep, today: sweep.policies[today])
        }
        self.rows = rows
        let points = rows.map(\.point)
        front = ParetoFront(points)
        func advise(within bound: Bound) -> PolicyAdvice {
            sweep.buildCost == nil
                ? PolicyAdvice(
                    points, today: today, counts: sweep[today], lagMost: bound.p95Lag.map(LagBucket.init(_:)),
                    wastedMost: bound.wasted)
                : PolicyAdvice(sweep, points, today: today, busiestMost: bound.busy)
        }
        advice = advise(within: bound)
        nearest = advice.index == nil ? Self.nearest(bound, rows) { advise(within: $0).index } : []
    }

    private static func nearest(
        _ bound: Bound, _ rows: [Row], _ choice: (Bound) -> Int?
    ) -> [(bound: Bound, index: Int)] {
        /// The least of some values with which a bound has a choice: what is within a value is within any larger one.
        func least<Value>(_ bound: Bound, _ field: WritableKeyPath<Bound, Value?>, _ values: [Value]) -> (Bound, Int)? {
            guard bound[keyPath: field] != nil else { return nil }
            func with(_ value: Value) -> Bound {
                var bound = bound
                bound[keyPath: field] = value
                return bound
            }
            var (low, high) = (0, values.count)
            while low < high {
                let middle = (low + high) / 2
                if choice(with(values[middle])) == nil { low = middle + 1 } else { high = middle }
            }
            guard low < values.count, let index = choice(with(values[low])) else { return nil }
            return (with(values[low]), index)
        }
        func all(_ lag: Bound, _ others: Bound) -> [(bound: Bound, index: Int)] {
            [
                least(lag, \.p95Lag, Set(rows.map(\.p95)).sorted().map(\.asBound)),
                least(others, \.wasted, Set(rows.map(\.wasted)).sorted()),
                least(others, \.busy, Set(rows.map(\.built.busiest)).sorted()),
            ].compactMap(\.self)
        }
        let near = all(bound, bound)
        if !near.isEmpty { return near }
        var (lag, others) = (bound, bound)
        (lag.wasted, others.p95Lag) = (nil, nil)
        return all(lag, others)
    }

    /// Rows by rising rebuilds or work, then by rising lag or wrong time, then by preference.
    func sorted(_ indices: some Sequence<Int>) -> [Row] {
        indices.map { rows[$0] }.sorted { ($0.point, $0.index) < ($1.point, $1.index) }
    }

    /// What stands out about a policy, in words.
    func marks(_ index: Int) -> [String] {
        [
            front.indices.contains(index) ? "front" : nil, index == front.knee ? "knee" : nil,
            index == today ? "today" : nil, index == choice ? "choice" : nil,
            index == advised && choice == nil ? "advised" : nil,
            nearest.contains { $0.index == index } ? "nearest" : nil,
        ].compactMap(\.self)
    }
}

extension LagBucket {
    /// A lag of this bucket in three digits, as a bound: buckets are wider than that.
    fileprivate var asBound: Duration {
        let longest = (longest ?? shortest).wholeNanoseconds
        var step: UInt64 = 1
        while longest / step >= 1000 { step *= 10 }
        return .nanoseconds(Int64(longest / step * step))
    }
}

extension Policy {
    /// The policy without builds before ends.
    var atEnds: Policy {
        var ends = self
        (ends.liveSharePercent, ends.pauseSharePercent) = (nil, nil)
        if pauseSharePercent != nil { ends.pauseDelay = nil }
        return ends
    }
}

extension Sweep {
    /// What the logs lack, so that there is nothing to judge by; `nil` if they lack nothing.
    var lack: String? {
        if events == 0 { return "the logs have no events" }
        return policies.indices.contains { self[$0].rebuilds > 0 } ? nil : "the logs have no size to rebuild for"
    }
}
