internal import CSettle

/// The durations that the decision rules use. Each is from zero to `Policy.longestDelay`,
/// in whole nanoseconds; an engine throws for one that is out of range.
///
/// Encoded as an object with the durations' names as keys and whole nanoseconds as values.
/// A duration that is `nil` is left out. When decoded, a missing duration has its default.
/// A duration that is out of range is neither encoded nor decoded.
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

extension Policy {
    /// One row for each property. The encoding, the description and the core's form follow
    /// from it.
    private static let fields: [Field] = [
        .delay("settleDelay", \.settleDelay, \.settle_delay_ns),
        .delay("quietDelay", \.quietDelay, \.quiet_delay_ns),
        .delay("lockDelay", \.lockDelay, \.lock_delay_ns),
        .limit("maximumWait", \.maximumWait, \.maximum_wait_ns),
        .limit("interactionTimeout", \.interactionTimeout, \.interaction_timeout_ns),
    ]

    private struct Field: Sendable {
        /// The property's name, in encodings and messages.
        let name: String
        let value: @Sendable (Policy) -> Duration?
        let set: @Sendable (inout Policy, Duration) -> Void
        /// The core's field.
        let raw: WritableKeyPath<settle_policy, UInt64> & Sendable

        /// A duration that always has a value.
        static func delay(
            _ name: String, _ path: WritableKeyPath<Policy, Duration> & Sendable,
            _ raw: WritableKeyPath<settle_policy, UInt64> & Sendable
        ) -> Field {
            Field(name: name, value: { $0[keyPath: path] }, set: { $0[keyPath: path] = $1 }, raw: raw)
        }

        /// A duration that `nil` switches off.
        static func limit(
            _ name: String, _ path: WritableKeyPath<Policy, Duration?> & Sendable,
            _ raw: WritableKeyPath<settle_policy, UInt64> & Sendable
        ) -> Field {
            Field(name: name, value: { $0[keyPath: path] }, set: { $0[keyPath: path] = $1 }, raw: raw)
        }

        /// The value in the core's form: whole nanoseconds, `SETTLE_NEVER` for `nil`.
        func nanoseconds(of policy: Policy) throws(EngineError) -> UInt64 {
            guard let duration = value(policy) else { return .max }
            guard duration >= .zero, duration <= longestDelay else {
                throw .durationOutOfRange(name: name, value: duration)
            }
            return duration.wholeNanoseconds
        }
    }

    /// The core's form of the policy.
    var raw: settle_policy {
        get throws(EngineError) {
            var raw = settle_policy_default()
            for field in Self.fields { raw[keyPath: field.raw] = try field.nanoseconds(of: self) }
            return raw
        }
    }

    /// The policy of the core's form.
    init(_ raw: settle_policy) {
        self.init()
        for field in Self.fields where raw[keyPath: field.raw] != .max {
            field.set(&self, .nanoseconds(Int64(raw[keyPath: field.raw])))
        }
    }
}

extension Policy: Codable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ field: Field) { stringValue = field.name }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init()
        for field in Self.fields {
            guard let duration = try container.decodeDurationIfPresent(forKey: Key(field), upTo: Policy.longestDelay)
            else { continue }
            field.set(&self, duration)
        }
    }

    /// - Throws: `EncodingError.invalidValue` for a duration that is out of range, and what the
    ///   encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for field in Self.fields {
            guard let duration = field.value(self) else { continue }
            try container.encodeDuration(duration, forKey: Key(field), upTo: Policy.longestDelay)
        }
    }
}

extension Policy: CustomStringConvertible {
    /// For example `settleDelay 50 ms, quietDelay 150 ms, lockDelay 100 ms`.
    public var description: String {
        Self.fields.compactMap { field in field.value(self).map { "\(field.name) \($0.text)" } }
            .joined(separator: ", ")
    }
}
