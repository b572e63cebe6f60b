import CSettle
import TestSupport
import XCTest

/// The histogram of lags, against a list of its buckets and sorted lists of lags.
final class SweepLagTests: XCTestCase {
    private let last = UInt32(SETTLE_LAG_BUCKETS) - 1

    func testBuckets_followEachOtherWithoutGaps() {
        let firsts = NaiveLagBuckets.firsts
        XCTAssertEqual(firsts.count, Int(SETTLE_LAG_BUCKETS))
        for bucket in 0...last {
            let first = settle_lag_bucket_first_ns(bucket)
            let end = settle_lag_bucket_last_ns(bucket)
            XCTAssertEqual(first, firsts[Int(bucket)])
            XCTAssertEqual(end, bucket == last ? .max : firsts[Int(bucket) + 1] - 1)
            for lag in [first, first + (end - first) / 2, end] { XCTAssertEqual(settle_lag_bucket(lag), bucket) }
            // At most 5 % wide; in fact less than 3.2 %.
            if bucket < last { XCTAssertLessThanOrEqual((end - first) * 1_000, first * 32) }
        }
        for bucket in [last + 1, .max] {
            XCTAssertEqual(settle_lag_bucket_first_ns(bucket), settle_lag_bucket_first_ns(last))
            XCTAssertEqual(settle_lag_bucket_last_ns(bucket), .max)
        }
    }

    func testBuckets_ofRandomLagsAreTheListed() {
        var random = SplitMix64(seed: 3)
        for _ in 0..<20_000 {
            let lag = random.next() >> UInt64(random.below(64))
            XCTAssertEqual(Int(settle_lag_bucket(lag)), NaiveLagBuckets.bucket(of: lag), "\(lag) ns")
        }
    }

    /// The lag that is not shorter than so many thousandths, from the sorted list.
    func testQuantile_isTheLastLagOfTheBucketThatTheListSays() {
        var random = SplitMix64(seed: 4)
        for round in 0..<400 {
            let count = round < 40 ? 1 + round % 4 : 1 + random.below(2_500)
            let shift = UInt64(random.below(64))
            let lags = (0..<count).map { _ in random.next() >> shift }.sorted()
            var histogram = [UInt64](repeating: 0, count: Int(SETTLE_LAG_BUCKETS))
            for lag in lags { histogram[NaiveLagBuckets.bucket(of: lag)] += 1 }
            for permille in [0, 1, 2, 250, 333, 500, 501, 900, 950, 999, 1_000, random.below(1_001)] {
                // At least one, and so many that count × permille / 1,000 are reached.
                let rank = max(1, (count * permille + 999) / 1_000)
                let bucket = NaiveLagBuckets.bucket(of: lags[rank - 1])
                XCTAssertEqual(
                    settle_lag_quantile(histogram, UInt32(permille)), settle_lag_bucket_last_ns(UInt32(bucket)),
                    "\(permille) ‰ of \(count)")
            }
        }
    }

    func testQuantile_ofNothingAndOfMoreThanAllIsInBounds() {
        var histogram = [UInt64](repeating: 0, count: Int(SETTLE_LAG_BUCKETS))
        for permille: UInt32 in [0, 500, 1_000, .max] { XCTAssertEqual(settle_lag_quantile(histogram, permille), 0) }
        histogram[40] = 5
        for permille: UInt32 in [0, 500, 1_000, 1_001, .max] {
            XCTAssertEqual(settle_lag_quantile(histogram, permille), settle_lag_bucket_last_ns(40))
        }
        // Sums beyond 32 bits.
        (histogram[40], histogram[41]) = (1 << 32, 3 << 32)
        XCTAssertEqual(settle_lag_quantile(histogram, 250), settle_lag_bucket_last_ns(40))
        XCTAssertEqual(settle_lag_quantile(histogram, 251), settle_lag_bucket_last_ns(41))
        (histogram[40], histogram[41]) = ((1 << 32) - 5, 10)
        XCTAssertEqual(settle_lag_quantile(histogram, 999), settle_lag_bucket_last_ns(40))
        XCTAssertEqual(settle_lag_quantile(histogram, 1_000), settle_lag_bucket_last_ns(41))
        // As large as a sum can be.
        histogram[40] = UInt64.max - 1
        histogram[41] = 1
        XCTAssertEqual(settle_lag_quantile(histogram, 999), settle_lag_bucket_last_ns(40))
        XCTAssertEqual(settle_lag_quantile(histogram, 1_000), settle_lag_bucket_last_ns(41))
        histogram[41] = 0
        histogram[Int(last)] = 1
        XCTAssertEqual(settle_lag_quantile(histogram, 1_000), .max)
    }
}
