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
        /// The durations that differ from today's.
        let changes: [String]

        /// Keeps the figures only: the counts of all lags would be 9 kB for each policy.
        init(_ index: Int, _ sweep: Sweep, today: Policy) {
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
            changes = policy.names(differingFrom: today)
        }

        var point: ParetoFront.Point {
            ParetoFront.Point(
                rebuilds: rebuilds, lag: p95, wasted: wasted, medianLag: p50, changes: changes.count)
        }
    }

    /// What a policy must not exceed.
    struct Bound {
        var p95Lag: Duration?
        var wasted: Int?

        var isEmpty: Bool { p95Lag == nil && wasted == nil }

        func allows(_ row: Row) -> Bool {
            p95Lag.map { row.p95 <= LagBucket($0) } != false && wasted.map { row.wasted <= $0 } != false
        }
    }

    let sweep: Sweep
    let bound: Bound
    /// All policies, in the sweep's order.
    let rows: [Row]
    let front: ParetoFront
    /// The index of today's policy.
    let today: Int
    /// Of the policies within the bound, the best: that with the fewest rebuilds or, if only wasted
    /// rebuilds are bounded, with the shortest p95 lag. `nil` without a bound, or if no policy is
    /// within it.
    let choice: Int?

    init(_ sweep: Sweep, today: Int, bound: Bound) {
        self.sweep = sweep
        self.bound = bound
        self.today = today
        let rows = sweep.policies.indices.map { Row($0, sweep, today: sweep.policies[today]) }
        self.rows = rows
        front = ParetoFront(rows.map(\.point))
        let allowed = bound.isEmpty ? [] : rows.filter(bound.allows)
        let best = ParetoFront(allowed.map(\.point)).indices
        choice = (bound.p95Lag == nil ? best.last : best.first).map { allowed[$0].index }
    }

    /// The policy to take: the choice or, without a bound, the knee. If there is none, the policy of
    /// the front with the fewest rebuilds whose p95 lag is not longer than today's.
    var advised: Int? {
        if !bound.isEmpty { return choice }
        return front.knee ?? front.indices.first { rows[$0].p95 <= rows[today].p95 } ?? today
    }

    /// Rows by rising rebuilds, then by rising lag, then by preference.
    func sorted(_ indices: some Sequence<Int>) -> [Row] {
        indices.map { rows[$0] }.sorted { ($0.point, $0.index) < ($1.point, $1.index) }
    }

    /// What stands out about a policy, in words.
    func marks(_ index: Int) -> [String] {
        [
            front.indices.contains(index) ? "front" : nil, index == front.knee ? "knee" : nil,
            index == today ? "today" : nil, index == choice ? "choice" : nil,
        ].compactMap(\.self)
    }
}
