internal import CSettle

/// A lag, as exactly as it is counted: lags that differ by less than 3.2 % may be one bucket, and
/// all lags of 18 minutes or more are.
///
/// Lags are compared by their buckets. So a policy that waits for 100 ms has a lag of at most
/// 100 ms, although the bucket's longest lag is a little more.
public struct LagBucket: RawRepresentable, Hashable, Comparable, Sendable {
    /// From 0 to 1152, the longest lags.
    public var rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The bucket of a lag; that of zero for a negative one.
    public init(_ lag: Duration) { rawValue = settle_lag_bucket(lag.wholeNanoseconds) }

    /// The bucket of a number of nanoseconds.
    init(nanoseconds: UInt64) { rawValue = settle_lag_bucket(nanoseconds) }

    /// The bucket's shortest lag.
    public var shortest: Duration { .nanoseconds(Int64(settle_lag_bucket_first_ns(rawValue))) }

    /// The bucket's longest lag, `nil` for the last bucket, which has no longest.
    public var longest: Duration? {
        let nanoseconds = settle_lag_bucket_last_ns(rawValue)
        return nanoseconds == .max ? nil : .nanoseconds(Int64(nanoseconds))
    }

    /// The longest lag in nanoseconds; of the last bucket the shortest.
    var nanoseconds: UInt64 {
        let last = settle_lag_bucket_last_ns(rawValue)
        return last == .max ? settle_lag_bucket_first_ns(rawValue) : last
    }

    public static func < (a: LagBucket, b: LagBucket) -> Bool { a.rawValue < b.rawValue }
}
