internal import CSettle

/// A moment in absolute nanoseconds, from 0 to `Timestamp.latest`, on whatever clock the
/// producer uses.
///
/// Time is an argument everywhere in this module: nothing here reads a clock. A live engine
/// reads CLOCK_MONOTONIC (`MonotonicClock` in `SettleClock`), so its events' times are of
/// that clock.
///
/// Encoded as a whole number of nanoseconds. One after `latest` is neither encoded nor decoded.
public struct Timestamp: Hashable, Sendable {
    /// Nanoseconds since the clock's zero.
    public var nanoseconds: UInt64

    /// A time. One after `latest` can be made; an engine rejects an event with it.
    public init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    public static let zero = Timestamp(nanoseconds: 0)

    /// 2^63 − 1 ns, about 292 years. An engine rejects events later than this.
    public static let latest = Timestamp(nanoseconds: UInt64(Int64.max))

    /// The time from `earlier` to this, negative when this is before it.
    public func duration(since earlier: Timestamp) -> Duration {
        .nanoseconds(Int64(bitPattern: nanoseconds &- earlier.nanoseconds))
    }
}

extension Timestamp: InstantProtocol {
    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.nanoseconds < b.nanoseconds }

    /// This time moved by a duration, in whole nanoseconds; a fraction is dropped. The
    /// result saturates: it is at least `zero` and at most `latest`.
    public func advanced(by duration: Duration) -> Timestamp {
        duration < .zero ? before(duration.nanosecondsBelowZero) : after(duration.wholeNanoseconds)
    }

    /// The time from this to `other`, negative when `other` is before it.
    public func duration(to other: Timestamp) -> Duration { other.duration(since: self) }

    /// See `advanced(by:)`.
    public static func + (time: Timestamp, duration: Duration) -> Timestamp { time.advanced(by: duration) }

    /// See `advanced(by:)`.
    public static func - (time: Timestamp, duration: Duration) -> Timestamp {
        // The shortest duration has no opposite, so it is not negated.
        duration < .zero ? time.after(duration.nanosecondsBelowZero) : time.before(duration.wholeNanoseconds)
    }

    /// The time from `earlier` to `later`, negative when `later` is before it.
    public static func - (later: Timestamp, earlier: Timestamp) -> Duration { later.duration(since: earlier) }

    /// See `advanced(by:)`.
    public static func += (time: inout Timestamp, duration: Duration) { time = time + duration }

    /// See `advanced(by:)`.
    public static func -= (time: inout Timestamp, duration: Duration) { time = time - duration }
}

extension Timestamp: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        nanoseconds = try container.decode(UInt64.self)
        guard self <= .latest else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "\(nanoseconds) ns; it must be at most \(Timestamp.latest.nanoseconds) ns")
        }
    }

    /// - Throws: `EncodingError.invalidValue` for a time after `latest`, and what the encoder
    ///   throws.
    public func encode(to encoder: any Encoder) throws {
        guard self <= .latest else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "it must be at most \(Timestamp.latest.nanoseconds) ns"))
        }
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }
}

extension Timestamp: CustomStringConvertible {
    /// In seconds, with as many digits as are needed: `12.5 s`.
    public var description: String { settleText(nanoseconds, SETTLE_DURATION_SECONDS) }
}

extension Timestamp {
    /// So many nanoseconds later, at most `latest`.
    package func after(_ nanoseconds: UInt64) -> Timestamp {
        let (sum, overflow) = self.nanoseconds.addingReportingOverflow(nanoseconds)
        return overflow ? .latest : min(Timestamp(nanoseconds: sum), .latest)
    }

    /// So many nanoseconds earlier, at least `zero`, at most `latest`.
    package func before(_ nanoseconds: UInt64) -> Timestamp {
        guard nanoseconds < self.nanoseconds else { return .zero }
        return min(Timestamp(nanoseconds: self.nanoseconds - nanoseconds), .latest)
    }
}
