internal import CSettle
public import Settle

/// Durations of a policy: those in which two policies differ, for example.
public struct PolicyChanges: OptionSet, Hashable, Sendable {
    /// A bit for each duration in the contract's order, from 0 for `firstDelay` on.
    public var rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The durations in which two policies differ.
    ///
    /// - Throws: `.durationOutOfRange` for a policy that no engine accepts.
    public init(_ policy: Policy, from today: Policy) throws(EngineError) {
        var (policy, today) = (try policy.raw, try today.raw)
        rawValue = settle_policy_changes(&policy, &today)
    }

    /// What builds before an end depend on: live rebuilds and previews.
    static let beforeEnds = PolicyChanges { $0.hasPrefix("live") || $0.hasPrefix("pause") }

    /// What may decide when interactions are, and which delay follows them: `settle_sweep_idle` holds for policies that
    /// have it in common.
    static let interactions = PolicyChanges {
        ["firstDelay", "pauseShare", "maximumWait", "interactionTimeout"].contains($0)
    }

    private init(_ isMeant: (String) -> Bool) {
        self.init(Policy.names.indices.filter { isMeant(Policy.names[$0]) }.map { Self(rawValue: 1 << UInt32($0)) })
    }

    /// How many durations there are.
    public var count: Int { rawValue.nonzeroBitCount }

    /// The durations' names, in the contract's order.
    public var names: [String] {
        Policy.names.enumerated().filter { contains(Self(rawValue: 1 << UInt32($0.offset))) }.map(\.element)
    }
}

/// The policy to take of those that were tried, as `settle tune`, a report's page and `settle-fleet` advise.
public struct PolicyAdvice: Hashable, Sendable {
    /// The fewest rebuilds that say how long a delay should be.
    public static let exercisedLeast = Int(SETTLE_EXERCISED_LEAST)

    /// The index of the policy; `nil` if none that leaves `unexercised` as today is within the bound.
    public let index: Int?
    /// The durations that stay as they are today, because fewer than `exercisedLeast` of the rebuilds
    /// under today's policy waited for them.
    public let unexercised: PolicyChanges

    /// The advice.
    ///
    /// Without a bound the policy has neither more rebuilds nor more wasted ones than today's: it is the
    /// knee of the front of such policies or, without a knee, the one with the fewest rebuilds whose p95
    /// lag is not longer than today's. With a bound it is the one with the fewest rebuilds within it
    /// or, if only wasted rebuilds are bounded, with the shortest p95 lag.
    ///
    /// - Parameters:
    ///   - points: The figures of the policies.
    ///   - today: The index of today's policy.
    ///   - counts: What today's policy decided.
    ///   - lagMost: The longest p95 lag, `nil` for any.
    ///   - wastedMost: The most wasted rebuilds, `nil` for any number.
    public init(
        _ points: [ParetoFront.Point], today: Int, counts: SweepCounts, lagMost: LagBucket? = nil,
        wastedMost: Int? = nil
    ) {
        self.init(
            points, today: today, unexercised: counts.unexercised, lagMost: lagMost?.rawValue ?? UInt32(SETTLE_ANY_LAG),
            wastedMost: wastedMost.map { UInt64(clamping: $0) } ?? .max)
    }

    /// The advice of a sweep with a build's cost.
    ///
    /// Without a bound it is the policy with the least `SweepCounts.weight`. Of weights within 3.2 % the policy that changes the fewest durations is taken. With a bound it is the one with the
    /// shortest wrong time within. Unlike other durations, those of live rebuilds and of previews may change although
    /// today's policy decides none, unless there are fewer than `exercisedLeast` sizes to build.
    ///
    /// - Parameters:
    ///   - sweep: Has a build's cost.
    ///   - points: The figures of its policies by `ParetoFront.Point.init(builds:changes:)`.
    ///   - today: The index of today's policy.
    ///   - busiestMost: The most that builds may take of any half second, in percent; `nil` for any.
    public init(_ sweep: Sweep, _ points: [ParetoFront.Point], today: Int, busiestMost: Int? = nil) {
        let hasFewSizes = sweep.counts(of: .everySize).builds < Self.exercisedLeast
        let unexercised = sweep[today].unexercised.subtracting(hasFewSizes ? [] : .beforeEnds)
        guard let busiestMost else {
            precondition(points.indices.contains(today))
            let least = points.indices.filter { points[$0].changes.isDisjoint(with: unexercised) }.min {
                Self.order(sweep, points, $0) < Self.order(sweep, points, $1)
            }
            self.init(index: least, unexercised: unexercised)
            return
        }
        self.init(
            points, today: today, unexercised: unexercised, lagMost: UInt32(SETTLE_ANY_LAG),
            wastedMost: UInt64(clamping: busiestMost)
        )
    }

    private init(index: Int?, unexercised: PolicyChanges) { (self.index, self.unexercised) = (index, unexercised) }

    /// What comes first is advised.
    private static func order(
        _ sweep: Sweep, _ points: [ParetoFront.Point], _ index: Int
    ) -> (LagBucket, Int, Duration, Int) {
        let weight = sweep.weight(of: index)
        return (LagBucket(nanoseconds: weight.wholeNanoseconds / 1000), points[index].changes.count, weight, index)
    }

    private init(
        _ points: [ParetoFront.Point], today: Int, unexercised: PolicyChanges, lagMost: UInt32, wastedMost: UInt64
    ) {
        precondition(points.indices.contains(today))
        self.unexercised = unexercised
        let index = settle_advise(
            points.map { $0.raw }, UInt32(points.count), UInt32(today), unexercised.rawValue, lagMost, wastedMost)
        self.index = index == SETTLE_NO_ADVICE ? nil : Int(index)
    }
}
