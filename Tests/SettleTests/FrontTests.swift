import CSettle
import TestSupport
import XCTest

/// The Pareto front of settle_sweep.h and its knee, against their definitions. Small fronts are Tests/Cases/advice.
final class FrontTests: XCTestCase {
    private typealias Point = settle_front_point

    private func point(
        _ rebuilds: UInt64, _ lag: UInt32, wasted: UInt64 = 0, median: UInt32 = 0, changes: UInt64 = 0
    ) -> Point {
        Point(rebuilds: rebuilds, wasted: wasted, lag_bucket: lag, median_lag_bucket: median, changes: changes)
    }

    private func front(_ points: [Point]) -> (indices: [Int], knee: Int?) {
        // Memory for as many as there can be, and no more.
        let capacity = min(points.count, Int(SETTLE_LAG_BUCKETS))
        let memory = GuardedMemory(byteCount: 4 * capacity)
        let indices = memory.start.bindMemory(to: UInt32.self, capacity: capacity)
        let copy = GuardedMemory(byteCount: points.count * MemoryLayout<Point>.stride)
        let start = copy.start.bindMemory(to: Point.self, capacity: points.count)
        for (number, point) in points.enumerated() { start[number] = point }
        var knee: UInt32 = 99
        let count = settle_front(start, UInt32(points.count), indices, &knee)
        return ((0..<count).map { Int(indices[$0]) }, knee == UInt32(SETTLE_FRONT_NO_KNEE) ? nil : Int(knee))
    }

    /// The definition, in steps that grow with the square of the points.
    private func naiveFront(_ points: [Point]) -> [Int] {
        func rank(_ index: Int) -> [UInt64] {
            let point = points[index]
            return [
                point.wasted, UInt64(point.median_lag_bucket), UInt64(point.changes.nonzeroBitCount), UInt64(index),
            ]
        }
        let inRange = points.indices.filter { points[$0].lag_bucket < SETTLE_LAG_BUCKETS }
        return inRange.filter { own in
            inRange.allSatisfy { other in
                let (a, b) = (points[own], points[other])
                let isWorse = b.rebuilds > a.rebuilds || b.lag_bucket > a.lag_bucket
                let isSame = b.rebuilds == a.rebuilds && b.lag_bucket == a.lag_bucket
                return isSame ? !rank(other).lexicographicallyPrecedes(rank(own)) : isWorse
            }
        }.sorted { points[$0].rebuilds < points[$1].rebuilds }
    }

    func testFront_ofRandomPointsIsThatOfTheDefinition() {
        var random = SplitMix64(seed: 31)
        var sizes: Set<Int> = []
        for round in 0..<2_000 {
            let (rebuilds, lags) = (1 + random.below(30), 1 + random.below(40))
            let points = (0..<random.below(30)).map { _ -> Point in
                let isLast = random.chance(3)
                return point(
                    UInt64(random.below(rebuilds)),
                    isLast ? UInt32(SETTLE_LAG_BUCKETS) - UInt32(random.below(3)) : UInt32(random.below(lags)),
                    wasted: UInt64(random.below(3)), median: UInt32(random.below(3)),
                    changes: [0, 2, 3][random.below(3)])
            }
            let indices = front(points).indices
            XCTAssertEqual(indices, naiveFront(points), "round \(round)")
            sizes.insert(indices.count)
        }
        XCTAssertGreaterThan(sizes.count, 5, "fronts of several sizes")
    }

    func testFront_hasUpToAPointOfEachBucket() {
        let last = UInt32(SETTLE_LAG_BUCKETS) - 1
        let all = (0...last).map { point(UInt64($0), last - $0) }
        XCTAssertEqual(front(all).indices, Array(0...Int(last)))
        XCTAssertEqual(front(all + all).indices, Array(0...Int(last)))
    }

    /// Points on a front, whose lags are those of the first buckets: so many nanoseconds.
    private func knee(_ figures: [(rebuilds: UInt64, lag: UInt32)]) -> Int? {
        front(figures.map { point($0.rebuilds, $0.lag) }).knee
    }

    func testKnee_withTheLastBucketCountsItsShortestLag() {
        let last = UInt32(SETTLE_LAG_BUCKETS) - 1
        let end = settle_lag_bucket_first_ns(last)
        for lag in 1..<last {
            let share = Double(settle_lag_bucket_last_ns(lag)) / Double(end)
            // Rebuilds of 1,000 at which the line has this lag.
            let onLine = (1 - share) * 1_000
            guard abs(onLine - onLine.rounded()) > 0.001 else { continue }
            let below = UInt64(onLine.rounded(.down))
            XCTAssertEqual(knee([(0, last), (below, lag), (1_000, 0)]) == 1, below >= 1, "\(lag)")
            XCTAssertNil(knee([(0, last), (below + 1, lag), (1_000, 0)]), "\(lag)")
        }
    }
}
