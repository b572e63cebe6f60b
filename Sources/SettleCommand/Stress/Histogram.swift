import Settle

/// Counts durations in nanoseconds, in buckets whose width is at most 1/32 of the value. Its
/// memory is fixed, and counting does not allocate.
struct Histogram {
    private var counts = [UInt64](repeating: 0, count: (64 - bits + 1) << bits)
    private(set) var count: UInt64 = 0
    private(set) var largest: UInt64 = 0

    private static let bits = 5

    mutating func add(_ nanoseconds: UInt64) {
        counts[Self.bucket(nanoseconds)] += 1
        count += 1
        largest = max(largest, nanoseconds)
    }

    private static func bucket(_ value: UInt64) -> Int {
        if value < 1 << bits { return Int(value) }
        let exponent = 63 - value.leadingZeroBitCount
        let mantissa = Int(value >> UInt64(exponent - bits)) & ((1 << bits) - 1)
        return (exponent - bits + 1) << bits + mantissa
    }

    private static func upperEnd(of bucket: Int) -> UInt64 {
        if bucket < 1 << bits { return UInt64(bucket) }
        let exponent = UInt64(bucket >> bits - 1)
        let mantissa = UInt64(bucket & ((1 << bits) - 1))
        return ((1 << UInt64(bits)) + mantissa) << exponent + ((1 << exponent) - 1)
    }

    /// The value that a share (0...1) of the durations do not exceed, at most 1/32 too high.
    func quantile(_ share: Double) -> UInt64 {
        let rank = max(1, UInt64((share * Double(count)).rounded(.up)))
        var seen: UInt64 = 0
        for bucket in counts.indices {
            seen += counts[bucket]
            if seen >= rank { return min(Self.upperEnd(of: bucket), largest) }
        }
        return largest
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
