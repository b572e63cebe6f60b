import CSettle
import Settle
import TestSupport
import XCTest

/// The advice of settle_sweep.h, against its definition.
final class AdviceTests: XCTestCase {
    private typealias Point = settle_front_point

    private func advised(
        _ points: [Point], today: Int, kept: UInt32 = 0, lag: UInt32 = UInt32(SETTLE_ANY_LAG), wasted: UInt64 = .max
    ) -> Int? {
        let index = settle_advise(points, UInt32(points.count), UInt32(today), kept, lag, wasted)
        return index == SETTLE_NO_ADVICE ? nil : Int(index)
    }

    /// The front of some of the points, as indices of all, and its knee.
    private func front(_ points: [Point], _ isWithin: (Point) -> Bool) -> (indices: [Int], knee: Int?) {
        let numbers = points.indices.filter { isWithin(points[$0]) }
        var (indices, knee) = ([UInt32](repeating: 0, count: Int(SETTLE_LAG_BUCKETS)), UInt32(0))
        let count = settle_front(numbers.map { points[$0] }, UInt32(numbers.count), &indices, &knee)
        return (
            indices.prefix(count).map { numbers[Int($0)] },
            knee == SETTLE_FRONT_NO_KNEE ? nil : numbers[Int(knee)]
        )
    }

    // MARK: The choice

    func testAdvice_ofRandomPointsIsThatOfTheDefinition() {
        var random = SplitMix64(seed: 41)
        var (free, changed, bounded, none) = (0, 0, 0, 0)
        for round in 0..<4_000 {
            let points = (0..<1 + random.below(40)).map { _ in
                Point(
                    rebuilds: UInt64(random.below(20)), wasted: UInt64(random.below(5)),
                    lag_bucket: UInt32(random.below(30)), median_lag_bucket: UInt32(random.below(3)),
                    changes: UInt64(random.below(16)))
            }
            let (today, kept) = (random.below(points.count), UInt32(random.chance(50) ? 0 : random.below(16)))
            var own = points
            own[today].changes = 0
            let now = own[today]
            func keeps(_ point: Point) -> Bool { point.changes & UInt64(kept) == 0 }

            let better = front(own) {
                let isAsMany = $0.rebuilds == now.rebuilds && $0.wasted == now.wasted
                return keeps($0) && $0.rebuilds <= now.rebuilds && $0.wasted <= now.wasted
                    && (!isAsMany || $0.median_lag_bucket <= now.median_lag_bucket)
            }
            let index = advised(own, today: today, kept: kept)
            let expected = better.knee ?? better.indices.first { own[$0].lag_bucket <= now.lag_bucket }
            XCTAssertEqual(index, expected, "round \(round)")
            if better.knee != nil { free += 1 }
            if index != today { changed += 1 }

            let (lag, wasted) = (UInt32(random.below(30)), UInt64(random.below(5)))
            let byBoth = front(own) { keeps($0) && $0.lag_bucket <= lag && $0.wasted <= wasted }.indices
            XCTAssertEqual(advised(own, today: today, kept: kept, lag: lag, wasted: wasted), byBoth.first)
            let byWasted = front(own) { keeps($0) && $0.wasted <= wasted }.indices
            XCTAssertEqual(advised(own, today: today, kept: kept, wasted: wasted), byWasted.last)
            if byBoth.isEmpty { none += 1 } else { bounded += 1 }
        }
        for count in [free, changed, bounded, none] { XCTAssertGreaterThan(count, 200) }
    }

    /// Few counts, so that many points have both in common.
    func testAdvice_isNoWorseThanAnotherOfEqualCounts() {
        var random = SplitMix64(seed: 43)
        var (equal, asToday, kept) = (0, 0, 0)
        for round in 0..<4_000 {
            var points = (0..<1 + random.below(40)).map { _ in
                Point(
                    rebuilds: UInt64(random.below(4)), wasted: UInt64(random.below(2)),
                    lag_bucket: UInt32(random.below(6)), median_lag_bucket: UInt32(random.below(6)),
                    changes: UInt64(random.below(16)))
            }
            let (today, fixed) = (random.below(points.count), UInt32(random.chance(50) ? 0 : random.below(16)))
            points[today].changes = 0
            let now = points[today]
            let bounds: [(lag: UInt32, wasted: UInt64)] = [
                (UInt32(SETTLE_ANY_LAG), .max), (UInt32(random.below(6)), .max),
                (UInt32(SETTLE_ANY_LAG), UInt64(random.below(2))),
            ]
            for (number, bound) in bounds.enumerated() {
                let index = advised(points, today: today, kept: fixed, lag: bound.lag, wasted: bound.wasted)
                guard let index else { continue }
                let taken = points[index]
                for other in points where other.rebuilds == taken.rebuilds && other.wasted == taken.wasted {
                    if other.changes & UInt64(fixed) != 0 {
                        kept += 1
                        continue
                    }
                    equal += 1
                    let isBetter =
                        other.lag_bucket < taken.lag_bucket
                        || other.median_lag_bucket < taken.median_lag_bucket
                    let isWorse =
                        other.lag_bucket > taken.lag_bucket
                        || other.median_lag_bucket > taken.median_lag_bucket
                    if isBetter, !isWorse { XCTFail("round \(round): \(other) is better than \(taken)") }
                }
                guard number == 0, taken.rebuilds == now.rebuilds, taken.wasted == now.wasted else { continue }
                asToday += 1
                XCTAssertLessThanOrEqual(taken.lag_bucket, now.lag_bucket, "round \(round)")
                XCTAssertLessThanOrEqual(taken.median_lag_bucket, now.median_lag_bucket, "round \(round)")
            }
        }
        for count in [equal, asToday, kept] { XCTAssertGreaterThan(count, 500) }
    }

    /// Random logs, again and again so that their rebuilds are enough, under a part of the grid.
    func testAdvice_ofRandomLogsHasNeitherMoreRebuildsNorMoreWastedOnesAndChangesNothingUnexercised() throws {
        var (changed, kept, free) = (0, Set<UInt32>(), 0)
        for seed: UInt64 in 0..<tried(500) {
            var random = SplitMix64(seed: seed)
            let stream = RandomLog(seed: 4_000 + seed)
            var base = settle_policy(stream.policies[0])
            if random.chance(50) { base = settle_policy_default() }
            var policies = [base]
            for _ in 0..<90 {
                var policy = settle_policy()
                let index = UInt32(random.below(Int(settle_grid_count())))
                XCTAssertTrue(settle_grid_policy(&base, index, &policy))
                policies.append(policy)
            }
            let times = 1 + random.below(20)
            let counts = try XCTUnwrap(BoundEvents(stream.events).counts(policies)).map {
                $0.map { $0 * UInt64(times) }
            }
            let points = zip(counts, policies).map { words, policy in
                var policy = policy
                let lags = Array(words.dropFirst(BoundEvents.lagWord))
                return Point(
                    rebuilds: words.prefix(8).reduce(0, +), wasted: words[9],
                    lag_bucket: settle_lag_bucket(settle_lag_quantile(lags, 950)),
                    median_lag_bucket: settle_lag_bucket(settle_lag_quantile(lags, 500)),
                    changes: UInt64(settle_policy_changes(&policy, &base)))
            }
            let few = unexercised(counts[0])
            let index = try XCTUnwrap(advised(points, today: 0, kept: few), "seed \(seed)")
            XCTAssertLessThanOrEqual(points[index].rebuilds, points[0].rebuilds, "seed \(seed)")
            XCTAssertLessThanOrEqual(points[index].wasted, points[0].wasted, "seed \(seed)")
            XCTAssertEqual(points[index].changes & UInt64(few), 0, "seed \(seed)")
            let bounded = advised(points, today: 0, kept: few, lag: points[0].lag_bucket)
            XCTAssertEqual(points[try XCTUnwrap(bounded)].changes & UInt64(few), 0, "seed \(seed)")
            if index != 0 { changed += 1 }
            if advised(points, today: 0) != index { free += 1 }
            kept.insert(few)
        }
        XCTAssertGreaterThan(changed, tried(12), "other policies than today's")
        XCTAssertGreaterThan(free, tried(20), "what few rebuilds exercise matters")
        XCTAssertGreaterThan(kept.count, 6)
    }

    // MARK: What few rebuilds exercise

    private func unexercised(_ words: [UInt64]) -> UInt32 {
        words.withUnsafeBytes { settle_unexercised($0.assumingMemoryBound(to: settle_sweep_counts.self).baseAddress) }
    }

    func testChanges_areABitForEachDuration() {
        var today = settle_policy_default()
        XCTAssertEqual(settle_policy_changes(&today, &today), 0)
        let fields: [WritableKeyPath<settle_policy, UInt64>] = [
            \.first_delay_ns, \.reported_end_delay_ns, \.released_end_delay_ns, \.discrete_delay_ns, \.quiet_delay_ns,
            \.jump_delay_ns, \.calm_delay_ns, \.lock_delay_ns, \.pause_delay_ns, \.pause_share_percent,
            \.maximum_wait_ns, \.interaction_timeout_ns, \.live_share_percent, \.live_limit_ns, \.live_interval_ns,
            \.live_pause_ns,
        ]
        var all = today
        for (bit, field) in fields.enumerated() {
            var policy = today
            policy[keyPath: field] ^= 1 << 40
            all[keyPath: field] ^= 1
            XCTAssertEqual(settle_policy_changes(&policy, &today), 1 << UInt32(bit))
        }
        XCTAssertEqual(settle_policy_changes(&all, &today), 1 << UInt32(fields.count) - 1)
        XCTAssertEqual(MemoryLayout<settle_policy>.size, 8 * (fields.count + 1), "every duration has a bit")
    }
}
