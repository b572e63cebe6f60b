public import CSettle
public import Settle

/// A log bound by `settle_sweep_bind`, in memory of exactly the size that is asked for, between pages
/// that nobody may touch.
public final class BoundEvents {
    /// All counts of one policy, as settle_sweep.h numbers them.
    public static let countsWords = MemoryLayout<settle_sweep_counts>.size / 8

    /// The first of the histogram's words.
    public static let lagWord = 11
    public static let wastedWord = 9

    /// The first of the words that a builder's figures have.
    public static let buildsWord = lagWord + Int(SETTLE_LAG_BUCKETS)

    /// What was bound; only where `result` is zero.
    public private(set) var log = settle_sweep_log()
    /// What `settle_sweep_bind` returned.
    public let result: Int32
    private let events: GuardedMemory
    private let memory: GuardedMemory

    /// Binds a log.
    ///
    /// - Parameters:
    ///   - events: The log's events.
    ///   - names: The number of names; by default one more than the largest.
    ///   - connections: How many connections there is memory for; by default as many as there are.
    public init(_ events: [settle_log_event], names: UInt32? = nil, connections: Int? = nil) {
        let largest = events.filter { $0.kind != SETTLE_POINTER.rawValue }.map(\.name).max()
        let names = names ?? largest.map { $0 + 1 } ?? 0
        self.events = GuardedMemory(byteCount: events.count * MemoryLayout<settle_log_event>.stride)
        self.events.start.initializeMemory(as: settle_log_event.self, from: events, count: events.count)
        let start = self.events.start.assumingMemoryBound(to: settle_log_event.self)
        let scratch = GuardedMemory(byteCount: Int(names))
        let counted = settle_sweep_connections(
            start, events.count, names, scratch.start.assumingMemoryBound(to: Bool.self))
        let connections = connections ?? counted
        let size = settle_sweep_log_size(events.count, names, connections)
        memory = GuardedMemory(byteCount: size)
        result = settle_sweep_bind(start, events.count, names, connections, memory.start, size, &log)
    }

    /// The size of a workspace for the log, in bytes.
    public var workspaceSize: Int { settle_sweep_size(&log) }

    /// Adds what policies decide to their counts.
    ///
    /// - Parameters:
    ///   - policies: The policies.
    ///   - counts: `countsWords` numbers for each policy.
    ///   - workspace: Memory for the run.
    ///   - size: Its size in bytes.
    /// - Returns: What `settle_sweep_run` returned.
    public func run(
        _ policies: [settle_policy], _ counts: inout [UInt64], _ workspace: UnsafeMutableRawPointer?, _ size: Int
    ) -> Int32 {
        counts.withUnsafeMutableBytes {
            let start = $0.assumingMemoryBound(to: settle_sweep_counts.self).baseAddress
            return settle_sweep_run(workspace, size, &log, policies, policies.count, start)
        }
    }

    /// The same in a workspace of exactly its size.
    public func run(_ policies: [settle_policy], _ counts: inout [UInt64]) -> Int32 {
        let workspace = GuardedMemory(byteCount: workspaceSize)
        return run(policies, &counts, workspace.start, workspace.byteCount)
    }

    /// What a closed loop counts of each policy, in a workspace of exactly its size; `nil` if one is refused.
    public func played(_ policies: [settle_policy], cost: settle_build_cost) -> [[UInt64]]? {
        let workspace = GuardedMemory(byteCount: settle_sweep_play_size(&log))
        var (counts, cost) = ([UInt64](repeating: 0, count: policies.count * Self.countsWords), cost)
        let result = counts.withUnsafeMutableBytes {
            settle_sweep_play(
                workspace.start, workspace.byteCount, &log, &cost, policies, policies.count,
                $0.assumingMemoryBound(to: settle_sweep_counts.self).baseAddress)
        }
        guard result == 0 else { return nil }
        return policies.indices.map { Array(counts[$0 * Self.countsWords..<($0 + 1) * Self.countsWords]) }
    }

    /// What a program without an engine builds; without a cost at once.
    public func built(_ habit: settle_habit, cost: settle_build_cost?) -> [UInt64] {
        var counts = [UInt64](repeating: 0, count: Self.countsWords)
        counts.withUnsafeMutableBytes {
            let counts = $0.assumingMemoryBound(to: settle_sweep_counts.self).baseAddress
            guard var cost else { return settle_sweep_habit(&log, nil, habit.rawValue, counts) }
            settle_sweep_habit(&log, &cost, habit.rawValue, counts)
        }
        return counts
    }

    /// The durations that nothing waits for, in a workspace of exactly its size.
    public func idle(_ policy: settle_policy) -> UInt32 {
        let workspace = GuardedMemory(byteCount: workspaceSize)
        var policy = policy
        return settle_sweep_idle(workspace.start, workspace.byteCount, &log, &policy)
    }

    /// The counts of each policy; `nil` if one is refused.
    public func counts(_ policies: [settle_policy]) -> [[UInt64]]? {
        var counts = [UInt64](repeating: 0, count: policies.count * Self.countsWords)
        guard run(policies, &counts) == 0 else { return nil }
        return policies.indices.map { Array(counts[$0 * Self.countsWords..<($0 + 1) * Self.countsWords]) }
    }
}

extension NaiveSweep {
    /// Reasons in the order of the core's numbers.
    public static let reasons: [Rebuild.Reason] = [
        .interactionEnded, .timeout, .discrete, .quiet, .maximumWait, .flush, .first, .live,
    ]

    /// The counts as settle_sweep.h numbers them.
    public var words: [UInt64] { words(NaiveFigures()) }

    /// The same with a builder's figures.
    public func words(_ figures: NaiveFigures) -> [UInt64] {
        var words =
            Self.reasons.map { UInt64(rebuilds[$0] ?? 0) } + [UInt64(previews), UInt64(wasted), UInt64(released)]
        words += [UInt64](repeating: 0, count: NaiveLagBuckets.firsts.count)
        words += figures.words
        for lag in lags { words[BoundEvents.lagWord + NaiveLagBuckets.bucket(of: lag)] += 1 }
        return words
    }
}

extension settle_policy {
    /// The core's form of a policy whose durations are in range.
    public init(_ policy: Policy) {
        self = settle_policy_default()
        withUnsafeMutableBytes(of: &self) { form in try! policy.store(at: form.baseAddress!) }
    }
}

extension Policy {
    /// The policy of the core's form.
    public init(core raw: settle_policy) {
        self = withUnsafePointer(to: raw) { Policy(storedAt: $0) }
    }
}

extension settle_build_cost {
    /// A cost of builds of which none is a slow one.
    public init(ns: Double, ns_per_pixel: Double) {
        self.init(ns: ns, ns_per_pixel: ns_per_pixel, slow_every: 0)
    }
}

extension settle_log_event {
    /// An event of a log.
    public init(
        _ kind: settle_event_kind, _ name: UInt32, at: UInt64, _ width: Double = 0, _ height: Double = 0, flags: Int = 0
    ) {
        self.init()
        (at_ns, self.width, self.height) = (at, width, height)
        (self.name, self.kind, self.flags) = (name, UInt16(kind.rawValue), UInt16(flags))
    }

    /// An engine's event with the name's number as its scene.
    public var event: Event { Event(self) }
}
