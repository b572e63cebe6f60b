internal import CSettle

/// The policies that no other is better than: along the front, fewer rebuilds cost a longer lag.
///
/// A policy is better than another if it has neither more rebuilds nor a longer p95 lag, and less of
/// one of them. Of policies that have both in common one is on the front: that with the fewest wasted
/// rebuilds, then that with the shortest median lag, then that which changes the fewest durations, and
/// of several the first.
public struct ParetoFront: Hashable, Sendable {
    /// What a policy is judged by. A point is less than another if it has fewer rebuilds or, with as
    /// many, a shorter lag, then fewer wasted rebuilds, a shorter median lag, or fewer changes.
    public struct Point: Hashable, Comparable, Sendable {
        public var rebuilds: Int
        /// The lag that 95 % of the rebuilds do not exceed.
        public var lag: LagBucket
        /// The rebuilds that another of the same connected scene followed within a second.
        public var wasted: Int
        /// The lag that half of the rebuilds do not exceed.
        public var medianLag: LagBucket
        /// The durations that differ from those of today's policy. Fewer are less.
        public var changes: PolicyChanges

        /// The figures of a policy.
        public init(
            rebuilds: Int, lag: LagBucket, wasted: Int = 0, medianLag: LagBucket = LagBucket(rawValue: 0),
            changes: PolicyChanges = []
        ) {
            self.rebuilds = rebuilds
            self.lag = lag
            self.wasted = wasted
            self.medianLag = medianLag
            self.changes = changes
        }

        /// The figures of a policy in a sweep with a build's cost: the work in µs in place of the rebuilds, the
        /// wrong time in µs in place of the lag, and the busiest half second in percent in place of the wasted
        /// rebuilds. Works that differ by less than 3.2 % may be the same, as wrong times may, so that of like
        /// policies the one that changes less is taken.
        public init(builds counts: SweepCounts, changes: PolicyChanges = []) {
            self.init(
                rebuilds: Int(clamping: LagBucket(nanoseconds: counts.work.wholeNanoseconds / 1000).nanoseconds),
                lag: LagBucket(nanoseconds: counts.wrong.wholeNanoseconds / 1000), wasted: counts.busiest,
                changes: changes)
        }

        /// Whether `a` comes before `b`.
        public static func < (a: Point, b: Point) -> Bool {
            (a.rebuilds, a.lag, a.wasted, a.medianLag, a.changes.count)
                < (b.rebuilds, b.lag, b.wasted, b.medianLag, b.changes.count)
        }
    }

    /// The indices of the front's policies, by rising rebuilds and falling lag.
    public let indices: [Int]

    /// The index of the policy at the front's knee, beyond which either figure costs much of the
    /// other; `nil` if the front has none.
    ///
    /// Both figures are scaled linearly, so that they are 0 and 1 at the front's ends. The knee is the
    /// policy farthest below the line between the ends, in steps of 10^-9; of several at the same
    /// distance the one with the fewest rebuilds. A front without a policy below the line has no knee.
    public let knee: Int?

    /// The front of all policies.
    ///
    /// - Parameter points: The policies' figures.
    public init(_ points: [Point]) {
        let raw = points.map { $0.raw }
        var indices = [UInt32](repeating: 0, count: min(points.count, Int(SETTLE_LAG_BUCKETS)))
        var knee = SETTLE_FRONT_NO_KNEE
        let count = settle_front(raw, UInt32(raw.count), &indices, &knee)
        self.indices = indices.prefix(count).map(Int.init)
        self.knee = knee == SETTLE_FRONT_NO_KNEE ? nil : Int(knee)
    }
}

extension ParetoFront.Point {
    var raw: settle_front_point {
        settle_front_point(
            rebuilds: UInt64(clamping: rebuilds), wasted: UInt64(clamping: wasted), lag_bucket: lag.rawValue,
            median_lag_bucket: medianLag.rawValue, changes: UInt64(changes.rawValue))
    }
}
