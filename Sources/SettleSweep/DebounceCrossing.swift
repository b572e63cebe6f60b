public import Settle
public import SettlePlatform

/// From which cost of a build on a policy has the right size later after interactions' ends than a debounce of 100 ms.
///
/// Who waits for an end begins to build then; a debounce has often built when the hand lets go, as hands rest before they
/// do. So cheap builds are there sooner without it, and costly ones later.
public final class DebounceCrossing {
    /// What was found.
    public enum Cost: Hashable, Sendable {
        /// No interaction ended at another size.
        case noEnds
        /// Never, up to the dearest build that was played.
        case never
        /// From this cost on; zero for any cost.
        case from(Duration)
    }

    /// The costs that are played.
    static let milliseconds = [2, 5, 10, 20, 40, 80, 160, 320, 640]
    private let sweeps: [Sweep]

    /// The dearest build that is played.
    public static var dearest: Duration { .milliseconds(milliseconds.last!) }

    /// - Parameters:
    ///   - policy: Builds at ends.
    ///   - slowEvery: Every so many-th build takes four times as long; `nil` for none.
    /// - Throws: `.durationOutOfRange` for a policy that no engine accepts.
    public init(_ policy: Policy, slowEvery: Int?) throws(EngineError) {
        sweeps = try Self.milliseconds.map { cost throws(EngineError) in
            try Sweep([policy], buildCost: BuildCost(fixed: .milliseconds(cost), slowEvery: slowEvery))
        }
    }

    /// Plays logs.
    ///
    /// - Returns: False if it was stopped; `cost` then says nothing.
    /// - Throws: `SystemError` if there is not enough memory.
    public func add(_ logs: [BoundLog], jobs: Int, goesOn: () -> Bool = { true }) throws(SystemError) -> Bool {
        for sweep in sweeps where !(try sweep.add(logs, jobs: jobs, goesOn: { _ in goesOn() })) { return false }
        return true
    }

    /// The cost at which the means are the same, between two that were played by a straight line.
    public var cost: Cost {
        var before = (cost: 0.0, later: 0.0)
        for (cost, sweep) in zip(Self.milliseconds, sweeps) {
            let own = sweep[0]
            guard own.ends > 0 else { return .noEnds }
            let debounce = sweep.counts(of: .debounce).rightAfterMean
            let later = Double(own.rightAfterMean.wholeNanoseconds) - Double(debounce.wholeNanoseconds)
            let now = (cost: Double(cost), later: later)
            if now.later > 0 {
                let part = before.later / (before.later - now.later)
                return .from(.microseconds(Int64((before.cost + part * (now.cost - before.cost)) * 1000)))
            }
            before = now
        }
        return .never
    }
}
