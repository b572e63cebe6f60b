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
        /// Whether nothing was built when it was armed.
        var isFirst = false
    }

    /// Rebuilds of which each came of a size that the build before made.
    struct Row {
        /// When the last one was decided, or its build's end was reported.
        var built: UInt64
        var milliseconds: UInt64
    }

    var policy: Policy
    var size: Size?
    var built: Size?
    var reports = false
    var isDragged = false
    /// Rule 4: the watchdog ended a reported interaction, and no event has said false since.
    var isStuck = false
    var interaction: Interaction?
    var debt: Debt?
    var isCancelled = false
    var watchdog: Armed?
    /// When the size changed last; and the same for rules 17 and 18, for which a new policy counts as well.
    var changed: UInt64 = 0
    var standsStillSince: UInt64 = 0
    /// Rule 16: the change consulted last.
    var consulted: UInt64?
    /// Rule 17: the deadline, the remembered size, how many there were, the one in flight, and when work is paid for.
    var preview: Armed?
    var previewed: Size?
    var previews: UInt32 = 0
    var previewInFlight: UInt32?
    var previewPayDay: UInt64 = 0
    /// Rule 18: the deadline, the build in flight by its number, the last report, and the time of the last rebuild.
    var live: Armed?
    var flight: UInt32?
    var report: (at: UInt64, cost: UInt64, generation: UInt32)?
    var rebuilt: UInt64 = 0
    var isLocked = false
    var deliveredLock = false
    var lock: Armed?
    var coalesced: UInt32 = 0
    var generation: UInt32 = 0
    /// `nil` from an interaction's begin, or another policy, to the next rebuild outside an interaction.
    var row: Row?

    init(policy: Policy) { self.policy = policy }

    var isUnbuilt: Bool { size != nil && size != built }

    /// Feedback, as settle.h has it: what a rebuild at a moment adds to its row, `nil` if it begins one.
    func step(_ reason: Rebuild.Reason, at moment: UInt64) -> UInt64? {
        guard let row, let debt, !debt.isFirst, debt.deadline.at < Timestamp.latest.nanoseconds else { return nil }
        if debt.reason == .maximumWait && coalesced > 1 || changed > row.built + 20_000_000 { return nil }
        let isStill = moment - changed >= 40_000_000
        if isStill && reason != .live { return 250 }
        return isStill || coalesced == 1 ? min((moment - row.built) / 1_000_000, 250) : nil
    }

    /// Rule 16: the wait after a change from `old` to the scene's size.
    mutating func quietWait(from old: Size?, at moment: UInt64) -> Duration {
        let isCalm = consulted.map { moment - $0 >= policy.calmDelay.wholeNanoseconds } ?? true
        consulted = moment
        guard let jumpDelay = policy.jumpDelay, isCalm, isJump(from: old ?? .zero, to: size!) else {
            return policy.quietDelay
        }
        return jumpDelay
    }

    private func isJump(from old: Size, to new: Size) -> Bool {
        8 * (abs(new.width - old.width) + abs(new.height - old.height)) >= old.width + old.height
    }

    /// Rule 17: the size is the one whose work is done or under way, and paid for.
    var isPrepared: Bool { policy.pauseSharePercent != nil && size != nil && size == previewed }

    /// Rule 17: a preview of the known size may be armed.
    var mayPreview: Bool {
        policy.pauseDelay != nil && built != nil && size != built && !isCancelled && size != previewed
            && (interaction != nil || debt != nil)
    }

    /// Rule 6: the first line that holds, with rule 16's wait for the last one.
    func wait(after stem: Stem?, quiet: Duration?) -> (delay: Duration, reason: Rebuild.Reason) {
        if built == nil { return (policy.firstDelay, .first) }
        if let stem {
            let waits = stem.end == .released && !isPrepared
            return (
                waits ? policy.releasedEndDelay : policy.reportedEndDelay,
                stem.end == .timeout ? .timeout : .interactionEnded
            )
        }
        return reports || isDragged ? (policy.discreteDelay, .discrete) : (quiet!, .quiet)
    }

    /// Rule 18: when the build reported last has paid for itself.
    func livePayDay(_ report: (at: UInt64, cost: UInt64, generation: UInt32), share: Int) -> UInt64 {
        func paid(_ times: UInt64) -> UInt64 {
            report.at + OracleScene.waitToPay(report.cost, times: times, share: share)
        }
        var payDay = paid(1)
        if let limit = policy.liveLimit?.wholeNanoseconds, report.cost > limit, report.generation != 1 {
            payDay = limit == 0 ? report.at + OracleScene.hour : paid((report.cost + limit - 1) / limit)
        }
        if let pause = policy.livePause {
            payDay = min(payDay, max(paid(1), standsStillSince + pause.wholeNanoseconds))
        }
        return payDay
    }

    static let hour: UInt64 = 3_600_000_000_000

    /// ceil(times × cost × 100 / share) − cost, at most an hour.
    static func waitToPay(_ cost: UInt64, times: UInt64, share: Int) -> UInt64 {
        let (product, overflow) = times.multipliedReportingOverflow(by: cost)
        let (hundredfold, overflows) = product.multipliedReportingOverflow(by: 100)
        if overflow || overflows { return hour }
        return min((hundredfold / UInt64(share) + (hundredfold % UInt64(share) == 0 ? 0 : 1)) - cost, hour)
    }
}

extension Duration {
    /// Also for durations beyond Int64: the end of a log can be after the latest timestamp.
    init(wholeNanoseconds: UInt64) {
        let (seconds, rest) = wholeNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        self = .seconds(Int64(seconds)) + .nanoseconds(Int64(rest))
    }

    var wholeNanoseconds: UInt64 {
        UInt64(components.seconds) * 1_000_000_000 + UInt64(components.attoseconds) / 1_000_000_000
    }
}
