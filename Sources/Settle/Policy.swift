internal import CSettle

/// What the decision rules use; `docs/guide/choosing-a-policy.md` says which value matters
/// for which source. Each duration is from zero to `Policy.longestDelay`, in whole nanoseconds; an engine throws for one
/// that is out of range.
///
/// Encoded as an object with the properties' names as keys, without `Percent`, and texts with a unit as
/// values, such as `"50ms"` and `"30%"`: the form that `settle policy` writes and `--policy FILE` reads. A value that
/// is `nil` is `null`. When decoded, a missing value is the default; an unknown key and a
/// value that is out of range are errors.
public struct Policy: Hashable, Sendable {
    /// Wait before a scene's first rebuild.
    public var firstDelay = Duration.zero
    /// Quiet time after the reported end of an interaction, and after one that `interactionTimeout`
    /// ended.
    public var reportedEndDelay = Duration.zero
    /// Quiet time after the release of the last pointer button: a scene's last size may follow it.
    public var releasedEndDelay = Duration.zero
    /// Quiet time after a change outside any interaction, on a scene that reports
    /// `isInteractivelyResizing`, or that the pointer has dragged before.
    public var discreteDelay = Duration.zero
    /// Quiet time on a scene that has no end signal.
    public var quietDelay = Duration.zero
    /// Quiet time there after one large change out of calm; `nil`: such a change is like any other.
    public var jumpDelay: Duration?
    /// Calm: so long without a change.
    public var calmDelay = Duration.zero
    /// How long a new orientation-lock value must hold before it is decided.
    public var lockDelay = Duration.zero
    /// How long a size that is owed must stand still for a preview, within an interaction or before its quiet
    /// time's end; `nil` for no previews.
    public var pauseDelay: Duration?
    /// How much of the time work for previews may take, in percent, 1 to 100: the next preview waits until the
    /// work for the last one is reported (`Event.previewed`) and paid for, and a rebuild says whether its size is
    /// prepared (contract, rule 17). `nil`: previews cost nothing that counts, and nobody reports them.
    public var pauseSharePercent: Int?
    /// The longest time from a change outside any interaction to its rebuild; `nil` for no
    /// bound.
    public var maximumWait: Duration?
    /// An interaction ends after this time without a change of its scene's size; `nil` for
    /// never. A hand can hold still for seconds, so make it long.
    public var interactionTimeout: Duration?
    /// How much of the time live rebuilds may take, in percent, 1 to 100: a size is also built before its
    /// interaction ends, or its quiet time, as soon as the last build has paid for itself
    /// (contract, rule 18). `nil` for no live rebuilds. Needs reports of the builds' ends: those of an
    /// `AssetRebuilder`, or `Event.finished`.
    public var liveSharePercent: Int?
    /// What a live rebuild may block: a build of several such limits, begun ones counted, must be paid for as
    /// many times; `nil`: once, however long it took, for builds that keep nobody waiting.
    public var liveLimit: Duration?
    /// Least time from a scene's last rebuild to a live one.
    public var liveInterval = Duration.zero
    /// At a size that stands still for so long, a build longer than `liveLimit` must be paid for only once; `nil`
    /// for no such pause.
    public var livePause: Duration?

    /// A policy; the defaults are those of `Policy.default`, and `nil` switches off. Durations
    /// out of range are errors of the engine that is given the policy.
    public init(
        firstDelay: Duration = Policy.default.firstDelay, reportedEndDelay: Duration = Policy.default.reportedEndDelay,
        releasedEndDelay: Duration = Policy.default.releasedEndDelay,
        discreteDelay: Duration = Policy.default.discreteDelay,
        quietDelay: Duration = Policy.default.quietDelay, jumpDelay: Duration? = Policy.default.jumpDelay,
        calmDelay: Duration = Policy.default.calmDelay, lockDelay: Duration = Policy.default.lockDelay,
        pauseDelay: Duration? = Policy.default.pauseDelay, pauseSharePercent: Int? = Policy.default.pauseSharePercent,
        maximumWait: Duration? = Policy.default.maximumWait,
        interactionTimeout: Duration? = Policy.default.interactionTimeout,
        liveSharePercent: Int? = Policy.default.liveSharePercent, liveLimit: Duration? = Policy.default.liveLimit,
        liveInterval: Duration = Policy.default.liveInterval, livePause: Duration? = Policy.default.livePause
    ) {
        self.firstDelay = firstDelay
        self.reportedEndDelay = reportedEndDelay
        self.releasedEndDelay = releasedEndDelay
        self.discreteDelay = discreteDelay
        self.quietDelay = quietDelay
        self.jumpDelay = jumpDelay
        self.calmDelay = calmDelay
        self.lockDelay = lockDelay
        self.pauseDelay = pauseDelay
        self.pauseSharePercent = pauseSharePercent
        self.maximumWait = maximumWait
        self.interactionTimeout = interactionTimeout
        self.liveSharePercent = liveSharePercent
        self.liveLimit = liveLimit
        self.liveInterval = liveInterval
        self.livePause = livePause
    }

    /// No wait for a first size or after a reported end, 16 ms after a release, 50 ms after other
    /// changes, 200 ms of quiet where nothing signals an end, 100 ms for the lock.
    public static let `default` = Policy(settle_policy_default())

    /// Decides at every event, like UIKit code that tests
    /// `!isInteractivelyResizing && size != built` in each callback.
    public static let uikit = Policy.immediate()

    /// The defaults with previews of sizes that stand still for 50 ms, for half of the time: a size that takes long to
    /// build is prepared while the hand rests, and shown at its end.
    public static let prepared = Policy(settle_policy_prepared())

    /// The defaults with live rebuilds for 30 % of the time: a size that is cheap to build is shown while a
    /// hand still drags.
    public static let live = Policy(settle_policy_live())

    /// A policy that waits for nothing: every delay is zero, and the limits are `nil`.
    ///
    /// - Parameter lockDelay: How long a new orientation-lock value must hold.
    public static func immediate(lockDelay: Duration = .zero) -> Policy {
        var policy = Policy(settle_policy_uikit())
        policy.lockDelay = lockDelay
        return policy
    }

    /// A policy with one delay after every change and every end, as a debounce timer has it, and no
    /// watchdog.
    ///
    /// - Parameter delay: Also the delay of a new orientation-lock value.
    public static func fixed(_ delay: Duration) -> Policy {
        Policy(
            firstDelay: delay, reportedEndDelay: delay, releasedEndDelay: delay, discreteDelay: delay,
            quietDelay: delay, jumpDelay: nil, lockDelay: delay, interactionTimeout: nil)
    }

    /// Whether reports of builds matter to it: `Event.finished`, and `Event.previewed`.
    package var takesReports: Bool { liveSharePercent != nil || pauseSharePercent != nil }

    /// 2^60 ns, about 36 years.
    public static let longestDelay = Duration.nanoseconds(Int64(SETTLE_DELAY_MAX))
}

extension Policy {
    /// The properties, in the order of the core's table, which has their names and bounds.
    static let fields: [Field] = zip(
        0...,
        [
            .delay(\.firstDelay), .delay(\.reportedEndDelay), .delay(\.releasedEndDelay), .delay(\.discreteDelay),
            .delay(\.quietDelay), .limit(\.jumpDelay), .delay(\.calmDelay), .delay(\.lockDelay),
            .limit(\.pauseDelay), .share(\.pauseSharePercent), .limit(\.maximumWait), .limit(\.interactionTimeout),
            .share(\.liveSharePercent), .limit(\.liveLimit), .delay(\.liveInterval), .limit(\.livePause),
        ]
    ).map(Field.init)

    enum Property: Sendable {
        /// A duration that always has a value.
        case delay(WritableKeyPath<Policy, Duration> & Sendable)
        /// A duration that `nil` switches off.
        case limit(WritableKeyPath<Policy, Duration?> & Sendable)
        /// A percentage that `nil` switches off.
        case share(WritableKeyPath<Policy, Int?> & Sendable)
    }

    struct Field: Sendable {
        /// The row of the core's table, and the place in the core's form.
        let number: UInt32
        /// The property's name, in encodings and messages.
        let name: String
        /// What it is for, without a capital and a full stop.
        let meaning: String
        /// The values of every policy, in nanoseconds or percent.
        let range: ClosedRange<UInt64>
        private let property: Property

        init(number: UInt32, property: Property) {
            // The table has every number that the core's header names.
            let row = settle_policy_field_at(number)!.pointee
            self.number = number
            name = String(cString: row.name)
            meaning = String(cString: row.meaning)
            range = row.least...row.most
            self.property = property
        }

        /// Whether `nil` switches it off.
        var isLimit: Bool { if case .delay = property { false } else { true } }

        var isPercentage: Bool { if case .share = property { true } else { false } }

        /// The duration, `nil` for none and for a percentage.
        func duration(_ policy: Policy) -> Duration? {
            switch property {
            case .delay(let path): policy[keyPath: path]
            case .limit(let path): policy[keyPath: path]
            case .share: nil
            }
        }

        /// The value as the core has it, clamped to that: whole nanoseconds or percent, `SETTLE_NEVER` for `nil`.
        func number(_ policy: Policy) -> UInt64 {
            if case .share(let path) = property { return policy[keyPath: path].map { UInt64(clamping: $0) } ?? .max }
            return duration(policy).map { max($0, .zero).wholeNanoseconds } ?? .max
        }

        /// The value as text with a unit, `nil` for one that is off.
        func text(_ policy: Policy) -> String? {
            let number = number(policy)
            return number == .max ? nil : settleText { settle_policy_write(self.number, number, $0) }
        }

        /// Sets the value to that of the core's form.
        func set(_ policy: inout Policy, from raw: settle_policy) {
            let value = withUnsafeBytes(of: raw) { $0.bindMemory(to: UInt64.self)[Int(number) + 1] }
            let duration = value == .max ? nil : Duration.nanoseconds(Int64(value))
            switch property {
            case .delay(let path): policy[keyPath: path] = duration!
            case .limit(let path): policy[keyPath: path] = duration
            case .share(let path): policy[keyPath: path] = value == .max ? nil : Int(value)
            }
        }

        /// Writes the value into the core's form, clamped to what that can have.
        func write(_ policy: Policy, to raw: inout settle_policy) {
            let value = number(policy)
            withUnsafeMutableBytes(of: &raw) { $0.bindMemory(to: UInt64.self)[Int(number) + 1] = value }
        }

        /// Checks the value's range.
        func check(_ policy: Policy) throws(EngineError) {
            if case .share(let path) = property, let percent = policy[keyPath: path] {
                let allowed = Int(range.lowerBound)...Int(range.upperBound)
                if allowed.contains(percent) { return }
                throw .boundOutOfRange(name: name, value: percent, allowed: allowed)
            }
            let most = Duration.nanoseconds(Int64(range.upperBound))
            guard let duration = duration(policy), duration < .zero || duration > most else { return }
            throw .durationOutOfRange(name: name, value: duration, most: most)
        }
    }

    /// Checks the values' ranges, as an engine does that is given the policy.
    ///
    /// - Throws: `EngineError.durationOutOfRange`, or `.boundOutOfRange` of a percentage, for the first one
    ///   out of range, in the order of the properties.
    public func validate() throws(EngineError) { _ = try raw }

    /// The core's form of the policy.
    var raw: settle_policy {
        get throws(EngineError) {
            for field in Self.fields { try field.check(self) }
            return clamped
        }
    }

    /// The same of a policy that may be out of range.
    var clamped: settle_policy {
        var raw = settle_policy_default()
        for field in Self.fields { field.write(self, to: &raw) }
        return raw
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
        for field in Self.fields { field.set(&self, from: raw) }
    }
}

extension Policy: CustomStringConvertible {
    /// For example `firstDelay 0 s, …, quietDelay 200 ms, …`, without values that are `nil`.
    public var description: String {
        Self.fields.compactMap { field in
            (field.duration(self)?.exactText ?? field.text(self)).map { "\(field.name) \($0)" }
        }.joined(separator: ", ")
    }
}
