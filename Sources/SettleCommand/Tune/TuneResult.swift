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
        let builds: Int
        let work: Duration
        let wrong: Duration
        let busiest: Int
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
            (builds, work, wrong, busiest) = (counts.builds, counts.work, counts.wrong, counts.busiest)
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
    /// The policy to take.
    var advised: Int? { advice.index }
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
        advice =
            sweep.buildCost == nil
            ? PolicyAdvice(
                points, today: today, counts: sweep[today], lagMost: bound.p95Lag.map(LagBucket.init(_:)),
                wastedMost: bound.wasted)
            : PolicyAdvice(sweep, points, today: today, busiestMost: bound.busy)
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
        ].compactMap(\.self)
    }
}
