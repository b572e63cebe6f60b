#if canImport(Glibc)
    internal import Glibc
#endif

/// The policies that no other is better than: along the front, fewer rebuilds cost a longer lag.
///
/// A policy is better than another if it has neither more rebuilds nor a longer p95 lag, and less of
/// one of them. Of policies with the same figures one is on the front: that which changes the fewest
/// durations, and of several the first.
public struct ParetoFront: Hashable, Sendable {
    /// What a policy is judged by.
    public struct Point: Hashable, Sendable {
        /// The rebuilds.
        public var rebuilds: Int
        /// The lag that 95 % of the rebuilds do not exceed.
        public var lag: LagBucket
        /// How many durations differ from those of today's policy.
        public var changes: Int

        /// The figures of a policy.
        public init(rebuilds: Int, lag: LagBucket, changes: Int) {
            self.rebuilds = rebuilds
            self.lag = lag
            self.changes = changes
        }
    }

    /// The indices of the front's policies, by rising rebuilds and falling lag.
    public let indices: [Int]

    /// The index of the policy at the front's knee, beyond which either figure costs much of the
    /// other; `nil` if the front has none.
    ///
    /// Both figures are scaled by log2(1 + x), the lag in milliseconds, and then so that the front's
    /// ends are 0 and 1. The knee is the policy farthest below the line between the ends, in steps of
    /// 10^-9; of several at the same distance the one with the fewest rebuilds. A front of fewer than
    /// three policies has no knee, nor has one without a policy below the line.
    public let knee: Int?

    /// The front of all policies.
    ///
    /// - Parameter points: The policies' figures.
    public init(_ points: [Point]) {
        let order = points.indices.sorted { a, b in
            let (one, other) = (points[a], points[b])
            return (one.rebuilds, one.lag, one.changes, a) < (other.rebuilds, other.lag, other.changes, b)
        }
        var indices: [Int] = []
        for index in order {
            if let last = indices.last, points[index].lag >= points[last].lag { continue }
            indices.append(index)
        }
        self.indices = indices
        knee = Self.knee(indices.map { points[$0] }).map { indices[$0] }
    }

    private static func knee(_ front: [Point]) -> Int? {
        guard front.count > 2, let first = front.first, let last = front.last else { return nil }
        func part(_ value: Double, _ start: Double, _ end: Double) -> Double { (value - start) / (end - start) }
        let distances = front.map { point in
            let rebuilds = part(scale(point.rebuilds), scale(first.rebuilds), scale(last.rebuilds))
            let lag = part(scale(point.lag), scale(last.lag), scale(first.lag))
            // The distance from the line through (0, 1) and (1, 0), times the square root of two.
            return ((1 - rebuilds - lag) * 1e9).rounded()
        }
        return farthest(distances)
    }

    /// The first of the largest positive distances. One of counts beyond 2^53 may be no number.
    static func farthest(_ distances: [Double]) -> Int? {
        var best: Int?
        for (index, distance) in distances.enumerated() where distance > best.map({ distances[$0] }) ?? 0 {
            best = index
        }
        return best
    }

    private static func scale(_ rebuilds: Int) -> Double { log2(1 + Double(rebuilds)) }

    private static func scale(_ lag: LagBucket) -> Double {
        let (seconds, attoseconds) = (lag.longest ?? lag.shortest).components
        return log2(1 + Double(seconds) * 1e3 + Double(attoseconds) / 1e15)
    }
}
