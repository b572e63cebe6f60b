internal import CSettle

/// The durations that the decision rules use. Each is from zero to `Policy.longestDelay`,
/// in whole nanoseconds; an engine throws for one that is out of range.
///
/// Encoded as an object with the durations' names as keys and whole nanoseconds as values.
/// A duration that is `nil` is left out. When decoded, `settleDelay`, `quietDelay` and
/// `lockDelay` have their default if they are missing. A duration that is out of range is
/// neither encoded nor decoded.
public struct Policy: Hashable, Sendable {
    /// Quiet time after the signalled end of an interaction, and after a change outside
    /// any interaction on a scene that reports `isInteractivelyResizing`.
    public var settleDelay: Duration
    /// Quiet time on a scene that never reported the flag, while no pointer button is held.
    public var quietDelay: Duration
    /// How long a new orientation-lock value must hold before it is decided.
    public var lockDelay: Duration
    /// The longest time from a change outside any interaction to its rebuild; `nil` for no
    /// bound.
    public var maximumWait: Duration?
    /// A reported interaction ends after this time without an event of its scene; `nil` for
    /// never. A hand can hold still for seconds, so make it long.
    public var interactionTimeout: Duration?

    /// A policy; the defaults are those of `Policy.default`. Durations out of range are errors of
    /// the engine that is given the policy.
    public init(
        settleDelay: Duration = .milliseconds(50), quietDelay: Duration = .milliseconds(150),
        lockDelay: Duration = .milliseconds(100), maximumWait: Duration? = nil,
        interactionTimeout: Duration? = nil
    ) {
        self.settleDelay = settleDelay
        self.quietDelay = quietDelay
        self.lockDelay = lockDelay
        self.maximumWait = maximumWait
        self.interactionTimeout = interactionTimeout
    }

    /// 50 ms after an end, 150 ms of quiet without a flag, 100 ms for the lock.
    public static let `default` = Policy()

    /// Decides at every event, like UIKit code that tests
    /// `!isInteractivelyResizing && size != built` in each callback.
    public static let uikit = Policy(settleDelay: .zero, quietDelay: .zero, lockDelay: .zero)

    /// 2^60 ns, about 36 years.
    public static let longestDelay = Duration.nanoseconds(Int64(SETTLE_DELAY_MAX))
}

extension Policy: Codable {
    private enum CodingKeys: String, CodingKey {
        case settleDelay, quietDelay, lockDelay, maximumWait, interactionTimeout
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func duration(_ key: CodingKeys) throws -> Duration? {
            try container.decodeDurationIfPresent(forKey: key, upTo: Policy.longestDelay)
        }
        self.init()
        settleDelay = try duration(.settleDelay) ?? settleDelay
        quietDelay = try duration(.quietDelay) ?? quietDelay
        lockDelay = try duration(.lockDelay) ?? lockDelay
        maximumWait = try duration(.maximumWait)
        interactionTimeout = try duration(.interactionTimeout)
    }

    /// - Throws: `EncodingError.invalidValue` for a duration that is out of range, and what the
    ///   encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        func encode(_ duration: Duration?, _ key: CodingKeys) throws {
            guard let duration else { return }
            try container.encodeDuration(duration, forKey: key, upTo: Policy.longestDelay)
        }
        try encode(settleDelay, .settleDelay)
        try encode(quietDelay, .quietDelay)
        try encode(lockDelay, .lockDelay)
        try encode(maximumWait, .maximumWait)
        try encode(interactionTimeout, .interactionTimeout)
    }
}

extension Policy: CustomStringConvertible {
    /// For example `settleDelay 50 ms, quietDelay 150 ms, lockDelay 100 ms`.
    public var description: String {
        let durations: [(String, Duration?)] = [
            ("settleDelay", settleDelay), ("quietDelay", quietDelay), ("lockDelay", lockDelay),
            ("maximumWait", maximumWait), ("interactionTimeout", interactionTimeout),
        ]
        return durations.compactMap { name, duration in duration.map { "\(name) \($0.text)" } }.joined(separator: ", ")
    }
}

extension Policy {
    /// The core's form of the policy.
    var raw: settle_policy {
        get throws(EngineError) {
            settle_policy(
                size: UInt64(MemoryLayout<settle_policy>.size),
                settle_delay_ns: try Policy.nanoseconds(settleDelay, "settleDelay"),
                quiet_delay_ns: try Policy.nanoseconds(quietDelay, "quietDelay"),
                lock_delay_ns: try Policy.nanoseconds(lockDelay, "lockDelay"),
                maximum_wait_ns: try Policy.nanoseconds(maximumWait, "maximumWait"),
                interaction_timeout_ns: try Policy.nanoseconds(interactionTimeout, "interactionTimeout"))
        }
    }

    /// The policy of the core's form.
    init(_ raw: settle_policy) {
        func limit(_ nanoseconds: UInt64) -> Duration? { nanoseconds == .max ? nil : .nanoseconds(Int64(nanoseconds)) }
        self.init(
            settleDelay: .nanoseconds(Int64(raw.settle_delay_ns)), quietDelay: .nanoseconds(Int64(raw.quiet_delay_ns)),
            lockDelay: .nanoseconds(Int64(raw.lock_delay_ns)), maximumWait: limit(raw.maximum_wait_ns),
            interactionTimeout: limit(raw.interaction_timeout_ns))
    }

    private static func nanoseconds(_ duration: Duration?, _ name: String) throws(EngineError) -> UInt64 {
        guard let duration else { return .max }
        guard duration >= .zero, duration <= longestDelay else {
            throw .durationOutOfRange(name: name, value: duration)
        }
        return duration.wholeNanoseconds
    }
}
