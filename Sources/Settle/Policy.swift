internal import CSettle

/// The durations that the decision rules use; `docs/guide/choosing-a-policy.md` says which one matters
/// for which source. Each is from zero to `Policy.longestDelay`, in whole nanoseconds, and
/// `quietDelay` ≤ `quietMaximum` ≤ one hour; an engine throws for one that is out of range.
///
/// Encoded as an object with the durations' names as keys and texts with a unit as values, such
/// as `"50ms"`: the form that `settle policy` writes and `--policy FILE` reads. A duration that
/// is `nil` is `null`. When decoded, a missing duration has its default; an unknown key and a
/// duration that is out of range are errors.
public struct Policy: Hashable, Sendable {
    /// Wait before a scene's first rebuild.
    public var firstDelay: Duration
    /// Quiet time after the reported end of an interaction, and after one that `interactionTimeout`
    /// ended.
    public var reportedEndDelay: Duration
    /// Quiet time after the release of the last pointer button: a scene's last size may follow it.
    public var releasedEndDelay: Duration
    /// Quiet time after a change outside any interaction, on a scene that reports
    /// `isInteractivelyResizing`.
    public var discreteDelay: Duration
    /// Least quiet time on a scene that has no end signal.
    public var quietDelay: Duration
    /// Most quiet time there: the wait follows the cadence of the changes. Equal to `quietDelay`
    /// for a fixed wait.
    public var quietMaximum: Duration
    /// Quiet time there after one large change out of calm; `nil`: such a change is like any other.
    public var jumpDelay: Duration?
    /// How long a new orientation-lock value must hold before it is decided.
    public var lockDelay: Duration
    /// How long a size must be held within an interaction for a preview; `nil` for no previews.
    public var pauseDelay: Duration?
    /// The longest time from a change outside any interaction to its rebuild; `nil` for no
    /// bound.
    public var maximumWait: Duration?
    /// An interaction ends after this time without a geometry event of its scene; `nil` for
    /// never. A hand can hold still for seconds, so make it long.
    public var interactionTimeout: Duration?

    /// A policy; the defaults are those of `Policy.default`. Of `quietDelay` and `quietMaximum` one that
    /// is given alone takes the other along: a longer `quietDelay` raises `quietMaximum`, to an hour at
    /// most, and a shorter `quietMaximum` lowers `quietDelay`. Durations out of range are errors of the
    /// engine that is given the policy.
    public init(
        firstDelay: Duration = .zero, reportedEndDelay: Duration = .zero,
        releasedEndDelay: Duration = .milliseconds(16),
        discreteDelay: Duration = .milliseconds(50), quietDelay: Duration? = nil,
        quietMaximum: Duration? = nil, jumpDelay: Duration? = .milliseconds(50),
        lockDelay: Duration = .milliseconds(100), pauseDelay: Duration? = nil, maximumWait: Duration? = nil,
        interactionTimeout: Duration? = .seconds(10)
    ) {
        self.firstDelay = firstDelay
        self.reportedEndDelay = reportedEndDelay
        self.releasedEndDelay = releasedEndDelay
        self.discreteDelay = discreteDelay
        self.quietDelay = quietDelay ?? .milliseconds(200)
        self.quietMaximum = quietMaximum ?? .milliseconds(500)
        self.jumpDelay = jumpDelay
        self.lockDelay = lockDelay
        self.pauseDelay = pauseDelay
        self.maximumWait = maximumWait
        self.interactionTimeout = interactionTimeout
        fitQuietTimes { $0 == "quietDelay" ? quietDelay != nil : quietMaximum != nil }
    }

    /// Of `quietDelay` and `quietMaximum`, lets one that is given alone take the other along.
    package mutating func fitQuietTimes(isGiven: (_ name: String) -> Bool) {
        switch (isGiven("quietDelay"), isGiven("quietMaximum")) {
        case (true, false): quietMaximum = max(quietMaximum, min(quietDelay, Self.longestQuietMaximum))
        case (false, true): quietDelay = min(quietDelay, max(quietMaximum, .zero))
        default: break
        }
    }

    /// No wait for a first size or after a reported end, 16 ms after a release, 50 ms after other
    /// changes, 200 to 500 ms of quiet where nothing signals an end, 100 ms for the lock.
    public static let `default` = Policy()

    /// Decides at every event, like UIKit code that tests
    /// `!isInteractivelyResizing && size != built` in each callback.
    public static let uikit = Policy.immediate()

    /// A policy that waits for nothing: every delay is zero, and the limits are `nil`.
    ///
    /// - Parameter lockDelay: How long a new orientation-lock value must hold.
    public static func immediate(lockDelay: Duration = .zero) -> Policy {
        Policy(
            releasedEndDelay: .zero, discreteDelay: .zero, quietDelay: .zero, quietMaximum: .zero, jumpDelay: nil,
            lockDelay: lockDelay, interactionTimeout: nil)
    }

    /// A policy with one delay after every change and every end, as a debounce timer has it, and no
    /// watchdog.
    ///
    /// - Parameter delay: Also the delay of a new orientation-lock value.
    public static func fixed(_ delay: Duration) -> Policy {
        Policy(
            firstDelay: delay, reportedEndDelay: delay, releasedEndDelay: delay, discreteDelay: delay,
            quietDelay: delay, quietMaximum: delay, jumpDelay: nil, lockDelay: delay, interactionTimeout: nil)
    }

    /// 2^60 ns, about 36 years.
    public static let longestDelay = Duration.nanoseconds(Int64(SETTLE_DELAY_MAX))

    /// The longest `quietMaximum`: one hour.
    public static let longestQuietMaximum = Duration.nanoseconds(Int64(SETTLE_QUIET_MAXIMUM_MAX))
}

extension Policy {
    /// One row for each property. The encoding, the description and the core's form follow
    /// from it.
    static let fields: [Field] = [
        .delay("firstDelay", \.firstDelay, \.first_delay_ns),
        .delay("reportedEndDelay", \.reportedEndDelay, \.reported_end_delay_ns),
        .delay("releasedEndDelay", \.releasedEndDelay, \.released_end_delay_ns),
        .delay("discreteDelay", \.discreteDelay, \.discrete_delay_ns),
        .delay("quietDelay", \.quietDelay, \.quiet_delay_ns, most: { max($0.quietMaximum, .zero) }),
        .delay("quietMaximum", \.quietMaximum, \.quiet_maximum_ns, most: { _ in longestQuietMaximum }),
        .limit("jumpDelay", \.jumpDelay, \.jump_delay_ns),
        .delay("lockDelay", \.lockDelay, \.lock_delay_ns),
        .limit("pauseDelay", \.pauseDelay, \.pause_delay_ns),
        .limit("maximumWait", \.maximumWait, \.maximum_wait_ns),
        .limit("interactionTimeout", \.interactionTimeout, \.interaction_timeout_ns),
    ]

    struct Field: Sendable {
        /// The property's name, in encodings and messages.
        let name: String
        let value: @Sendable (Policy) -> Duration?
        let set: @Sendable (inout Policy, Duration?) -> Void
        /// The core's field.
        let raw: WritableKeyPath<settle_policy, UInt64> & Sendable
        /// Whether `nil` switches it off.
        let isLimit: Bool
        /// The longest value in a policy.
        let most: @Sendable (Policy) -> Duration

        /// A duration that always has a value.
        static func delay(
            _ name: String, _ path: WritableKeyPath<Policy, Duration> & Sendable,
            _ raw: WritableKeyPath<settle_policy, UInt64> & Sendable,
            most: @escaping @Sendable (Policy) -> Duration = { _ in longestDelay }
        ) -> Field {
            Field(
                name: name, value: { $0[keyPath: path] }, set: { if let delay = $1 { $0[keyPath: path] = delay } },
                raw: raw, isLimit: false, most: most)
        }

        /// A duration that `nil` switches off.
        static func limit(
            _ name: String, _ path: WritableKeyPath<Policy, Duration?> & Sendable,
            _ raw: WritableKeyPath<settle_policy, UInt64> & Sendable
        ) -> Field {
            Field(
                name: name, value: { $0[keyPath: path] }, set: { $0[keyPath: path] = $1 }, raw: raw, isLimit: true,
                most: { _ in longestDelay })
        }

        /// The value in the core's form: whole nanoseconds, `SETTLE_NEVER` for `nil`.
        func nanoseconds(of policy: Policy) throws(EngineError) -> UInt64 {
            guard let duration = value(policy) else { return .max }
            let most = most(policy)
            guard duration >= .zero, duration <= most else {
                throw .durationOutOfRange(name: name, value: duration, most: most)
            }
            return duration.wholeNanoseconds
        }
    }

    /// Checks the durations' ranges, as an engine does that is given the policy.
    ///
    /// - Throws: `EngineError.durationOutOfRange` for the first one out of range, in the order of the
    ///   properties.
    public func validate() throws(EngineError) { _ = try raw }

    /// The core's form of the policy.
    var raw: settle_policy {
        get throws(EngineError) {
            var raw = settle_policy_default()
            for field in Self.fields { raw[keyPath: field.raw] = try field.nanoseconds(of: self) }
            return raw
        }
    }

    /// Writes the core's form, a `settle_policy`. The C type is not part of the declaration: if this
    /// module's interface had it, the compiler would not specialize the engine for its callers.
    package func store(at form: UnsafeMutableRawPointer) throws(EngineError) {
        form.storeBytes(of: try raw, as: settle_policy.self)
    }

    /// The policy whose core's form, a `settle_policy`, is at an address.
    package init(storedAt form: UnsafeRawPointer) { self.init(form.load(as: settle_policy.self)) }

    /// The policy of the core's form.
    init(_ raw: settle_policy) {
        self.init()
        for field in Self.fields {
            let nanoseconds = raw[keyPath: field.raw]
            field.set(&self, nanoseconds == .max ? nil : .nanoseconds(Int64(nanoseconds)))
        }
    }
}

extension Policy: CustomStringConvertible {
    /// For example `firstDelay 0 s, …, quietDelay 200 ms, …`, without durations that are `nil`.
    public var description: String {
        Self.fields.compactMap { field in field.value(self).map { "\(field.name) \($0.text)" } }
            .joined(separator: ", ")
    }
}
