internal import CSettle
public import Settle

/// What a policy decided about a sweep's logs.
public struct SweepCounts: Hashable, Sendable {
    /// Rebuilds; a reason without any is absent.
    public let rebuildsByReason: [Rebuild.Reason: Int]
    public let rebuilds: Int
    /// Sizes that stood still for `pauseDelay` while they were owed.
    public let previews: Int
    /// Rebuilds that another of the same connected scene followed within a second.
    public let wasted: Int
    /// Rebuilds after an interaction that ended by a button's release.
    public let released: Int
    /// The durations that fewer than `PolicyAdvice.exercisedLeast` of the rebuilds waited for.
    public let unexercised: PolicyChanges
    /// The builds that a builder begins, for rebuilds and, with a `pauseShare`, for previews; of policies zero unless the
    /// sweep has a `buildCost`. A size that is decided while another is built takes the place of one that waits.
    public let builds: Int
    /// Those for previews that were given up, as the size changed or another was to be built.
    public let givenUp: Int
    /// The costs of all builds; of those that were given up, until then.
    public let work: Duration
    /// How wrong the sizes were that scenes showed: |w − ws| + |h − hs|, as a part of w + h, times the time for
    /// which w × h was a scene's size and ws × hs the one that was built last.
    public let wrong: Duration
    /// The most that a connected scene's builds took of any half second, in percent, rounded up.
    public let busiest: Int
    /// Interactions that a report or a release ended, and that changed the size; counted with a `buildCost`.
    public let ends: Int
    /// Those at whose end the size was shown already.
    public let atOnce: Int
    /// How long after an end the shown size was wrong: the mean of all ends, zero without any.
    public let rightAfterMean: Duration
    /// What the builds are weighed by, less is better: the wrong time, twice the sum of what `rightAfterMean` is the mean
    /// of, and a third of the work.
    public let weight: Duration
    /// Rebuilds by the bucket of their lag.
    private let lags: [UInt64]
    /// Ends by the bucket of the time until the size was shown.
    private let rightAfter: [UInt64]

    /// The lag that so many thousandths of the rebuilds, and at least one, do not exceed; zero
    /// without rebuilds. A rebuild's lag is the time to it from the later of its scene's last
    /// change and the end of its last interaction.
    ///
    /// - Parameter permille: From 0 to 1,000, the longest lag; 500 is the median.
    public func lag(permille: Int) -> LagBucket {
        LagBucket(nanoseconds: settle_lag_quantile(lags, UInt32(min(max(permille, 0), 1000))))
    }

    /// The time after an end, or after the last change that followed it, within which the size was shown of so many
    /// thousandths of the ends; zero without ends.
    ///
    /// - Parameter permille: From 0 to 1,000; 500 is the median.
    public func rightAfter(permille: Int) -> LagBucket {
        LagBucket(nanoseconds: settle_lag_quantile(rightAfter, UInt32(min(max(permille, 0), 1000))))
    }

    init() {
        rebuildsByReason = [:]
        (rebuilds, previews, wasted, released) = (0, 0, 0, 0)
        (builds, givenUp, work, wrong, busiest) = (0, 0, .zero, .zero, 0)
        (ends, atOnce, rightAfterMean, weight) = (0, 0, .zero, .zero)
        var raw = settle_sweep_counts()
        unexercised = PolicyChanges(rawValue: settle_unexercised(&raw))
        lags = [UInt64](repeating: 0, count: Int(SETTLE_LAG_BUCKETS))
        rightAfter = lags
    }

    init(_ raw: UnsafePointer<settle_sweep_counts>) {
        let integers = UnsafeRawPointer(raw).assumingMemoryBound(to: UInt64.self)
        var byReason: [Rebuild.Reason: Int] = [:]
        for number in 0..<Int(SETTLE_SWEEP_REASONS) where integers[number] > 0 {
            // The contract's names, which the core and this module share.
            let name = String(cString: settle_reason_name(SETTLE_REBUILD_INTERACTION_ENDED.rawValue + UInt32(number)))
            byReason[Rebuild.Reason(rawValue: name)!] = Int(clamping: integers[number])
        }
        rebuildsByReason = byReason
        rebuilds = byReason.values.reduce(0, +)
        previews = Int(clamping: raw.pointee.previews)
        wasted = Int(clamping: raw.pointee.wasted)
        released = Int(clamping: raw.pointee.released)
        unexercised = PolicyChanges(rawValue: settle_unexercised(raw))
        builds = Int(clamping: raw.pointee.builds)
        givenUp = Int(clamping: raw.pointee.given_up)
        work = .nanoseconds(Int64(clamping: raw.pointee.work_ns))
        wrong = .nanoseconds(Int64(clamping: raw.pointee.wrong_ns))
        func words(_ part: PartialKeyPath<settle_sweep_counts>, _ count: Int32) -> [UInt64] {
            // A stored property has an offset.
            let first = MemoryLayout<settle_sweep_counts>.offset(of: part)! / MemoryLayout<UInt64>.stride
            return Array(UnsafeBufferPointer(start: integers + first, count: Int(count)))
        }
        busiest = words(\.busiest, Int32(SETTLE_BUSY_PERCENTS)).lastIndex { $0 > 0 } ?? 0
        lags = words(\.lag, Int32(SETTLE_LAG_BUCKETS))
        rightAfter = words(\.right_after, Int32(SETTLE_LAG_BUCKETS))
        ends = Int(clamping: rightAfter.reduce(0, +))
        atOnce = Int(clamping: rightAfter[0])
        rightAfterMean = .nanoseconds(Int64(clamping: raw.pointee.right_after_ns / UInt64(max(ends, 1))))
        weight = .nanoseconds(Int64(clamping: settle_builds_weight_ns(raw)))
    }
}

/// Rebuilds of two common ways of handling resizes on the same events, for comparison.
public struct Baselines: Hashable, Sendable {
    /// Rebuilds at every changed size.
    public var everyChange = 0
    /// Those that another of the same connected scene followed within a second. Of two whose times go
    /// back, the first is not.
    public var everyChangeWasted = 0
    /// Rebuilds of a debounce by a fixed 100 ms, which ignores interactions.
    public var fixedDebounce = 0
    /// Those that another of the same connected scene followed within a second. Of two whose times go
    /// back, the first is not.
    public var fixedDebounceWasted = 0

    public init() {}

    init(_ raw: settle_baselines) {
        everyChange = Int(clamping: raw.every_change)
        everyChangeWasted = Int(clamping: raw.every_change_wasted)
        fixedDebounce = Int(clamping: raw.debounce)
        fixedDebounceWasted = Int(clamping: raw.debounce_wasted)
    }

    mutating func add(_ other: Baselines) {
        everyChange += other.everyChange
        everyChangeWasted += other.everyChangeWasted
        fixedDebounce += other.fixedDebounce
        fixedDebounceWasted += other.fixedDebounceWasted
    }
}
