import Settle

/// What the contract says that a scene remembers, and the rules that need nothing else.
struct OracleScene {
    /// A deadline, with its number in the order in which deadlines were armed.
    struct Armed {
        var at: UInt64
        var number: Int
    }

    struct Interaction {
        var since: UInt64
        var number: Int
        var isReported: Bool
        /// The size of the interaction's last preview.
        var previewed: Size?
    }

    /// The interaction that a pending rebuild (the contract's debt) stems from.
    struct Stem {
        var end: Decision.EndReason
        var duration: UInt64
    }

    /// A scene's pending rebuild since `arose`, its deadline and the rule that armed it.
    struct Debt {
        var arose: UInt64
        var stem: Stem?
        var deadline = Armed(at: 0, number: 0)
        var reason = Rebuild.Reason.quiet
    }

    /// Rule 16: when it was consulted last, and the cadence in whole microseconds.
    struct Quiet {
        var consulted: UInt64
        var cadence: UInt64?
    }

    var policy: Policy
    var size: Size?
    var built: Size?
    var reports = false
    var interaction: Interaction?
    var debt: Debt?
    var isForgotten = false
    var watchdog: Armed?
    var preview: Armed?
    var live: Armed?
    /// Rule 18: the build in flight by its number, the last report, and the time of the last rebuild.
    var flight: UInt32?
    var report: (at: UInt64, cost: Duration)?
    var rebuilt: UInt64 = 0
    var isLocked = false
    var deliveredLock = false
    var lock: Armed?
    var quiet: Quiet?
    var coalesced: UInt32 = 0
    var generation: UInt32 = 0

    init(policy: Policy) { self.policy = policy }

    var isUnbuilt: Bool { size != nil && size != built }

    /// Rule 16: the wait after a change from `old` to the scene's size.
    mutating func quietWait(from old: Size?, at moment: UInt64) -> Duration {
        let last = quiet
        quiet = Quiet(consulted: moment, cadence: last?.cadence)
        if let last, Oracle.microseconds(from: last.consulted, to: moment) < policy.quietMaximum {
            let gap = (moment - last.consulted) / 1_000
            quiet!.cadence = last.cadence.map { (7 * $0 + gap) / 8 } ?? gap
        } else if let jumpDelay = policy.jumpDelay, isJump(from: old ?? .zero, to: size!) {
            return jumpDelay
        }
        let cadence = Duration.microseconds(Int64(quiet!.cadence ?? 0))
        return min(max(cadence * 2, policy.quietDelay), policy.quietMaximum)
    }

    private func isJump(from old: Size, to new: Size) -> Bool {
        8 * (abs(new.width - old.width) + abs(new.height - old.height)) >= old.width + old.height
    }

    /// Rule 6: the first line that holds, with rule 16's wait for the last one.
    func wait(after stem: Stem?, quiet: Duration?) -> (delay: Duration, reason: Rebuild.Reason) {
        if built == nil { return (policy.firstDelay, .first) }
        if let stem {
            let delay = stem.end == .released ? policy.releasedEndDelay : policy.reportedEndDelay
            return (delay, stem.end == .timeout ? .timeout : .interactionEnded)
        }
        return reports ? (policy.discreteDelay, .discrete) : (quiet!, .quiet)
    }
}
