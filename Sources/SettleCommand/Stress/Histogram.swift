import CSettle
import Settle

/// Counts durations in nanoseconds, in the buckets of lags, whose width is at most 1/32 of the value. Its
/// memory is fixed, and counting does not allocate.
struct Histogram {
    private var counts = [UInt64](repeating: 0, count: Int(SETTLE_LAG_BUCKETS))
    private(set) var count: UInt64 = 0
    private(set) var largest: UInt64 = 0

    mutating func add(_ nanoseconds: UInt64) {
        counts[Int(settle_lag_bucket(nanoseconds))] += 1
        count += 1
        largest = max(largest, nanoseconds)
    }

    /// The value that a share (0...1, in steps of a thousandth) of the durations do not exceed, at most 1/32 too high.
    func quantile(_ share: Double) -> UInt64 {
        min(settle_lag_quantile(counts, UInt32((share * 1000).rounded())), largest)
    }

    static let quantiles: [(String, Double)] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)]

    var text: String {
        if count == 0 { return "none" }
        let parts = Self.quantiles.map { "\($0.0) \(Self.duration(quantile($0.1)))" }
        return (parts + ["max \(Self.duration(largest))"]).joined(separator: ", ")
    }

    private static func duration(_ value: UInt64) -> String { Duration.nanoseconds(Int64(clamping: value)).text }

    var json: String {
        let parts = Self.quantiles.map { #""\#($0.0)_ns":\#(count == 0 ? 0 : quantile($0.1))"# }
        return #"{"count":\#(count),\#(parts.joined(separator: ",")),"max_ns":\#(largest)}"#
    }
}
