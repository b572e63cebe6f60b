internal import CSettle
internal import SettlePlatform

/// A part of a sweep that one thread does at once: some logs under some policies.
///
/// A small item costs more to add than to decide, a large one keeps the other threads waiting at the
/// end. So an item has about `size` events times policies, if its logs allow: many small logs, or a
/// part of the policies for a large one.
struct SweepItem {
    var logs: Range<Int>
    var policies: Range<Int>

    /// Events times policies: about 10 ms of work.
    private static let size = 1 << 20
    /// Bounds the memory of a thread.
    static let policiesMax = 64

    /// A log costs something even if it has no events.
    static func cost(events: Int) -> Int { max(events, 16) }

    /// All items of logs with so many events each. Those of the policies 0 and `first` come first, and the others
    /// spread over the policies, so that a sweep that is stopped has tried some of all kinds.
    static func all(eventCounts: [Int], policies: Int, first firstPolicy: Int = 0) -> [SweepItem] {
        var items: [SweepItem] = []
        var first = 0
        while first < eventCounts.count {
            var (end, events) = (first, 0)
            repeat {
                events += cost(events: eventCounts[end])
                end += 1
            } while end < eventCounts.count && (events + eventCounts[end]) * policiesMax <= size
            let step = min(max(size / events, 1), policiesMax)
            for policy in stride(from: 0, to: policies, by: step) {
                items.append(SweepItem(logs: first..<end, policies: policy..<min(policy + step, policies)))
            }
            first = end
        }
        func place(_ item: SweepItem) -> UInt32 {
            let comesFirst = item.policies.contains(firstPolicy) || item.policies.contains(0)
            return comesFirst ? 0 : UInt32(truncatingIfNeeded: item.policies.lowerBound) &* 0x9E37_79B1
        }
        return items.sorted { (place($0), $0.logs.lowerBound) < (place($1), $1.logs.lowerBound) }
    }
}

/// The counts of a list of policies. One thread at a time: those of a sweep add to it under a mutex.
final class CountTable: @unchecked Sendable {
    let counts: UnsafeMutablePointer<settle_sweep_counts>
    private let policies: Int
    private static let integers = MemoryLayout<settle_sweep_counts>.stride / MemoryLayout<UInt64>.stride

    /// All counts are zero. The system clears a page when it is used first, by whichever thread.
    ///
    /// - Throws: `SystemError` if there is no memory for it.
    init(_ policies: Int) throws(SystemError) {
        self.policies = policies
        let memory = calloc(max(policies, 1), MemoryLayout<settle_sweep_counts>.stride)
        guard let memory else { throw SystemError(call: "calloc", code: ENOMEM) }
        counts = memory.assumingMemoryBound(to: settle_sweep_counts.self)
    }

    deinit { free(counts) }

    var all: UnsafeMutableBufferPointer<settle_sweep_counts> { .init(start: counts, count: policies) }

    /// Makes the first counts zero; all without a number.
    func removeAll(first: Int? = nil) {
        memset(counts, 0, (first ?? policies) * MemoryLayout<settle_sweep_counts>.stride)
    }

    /// Adds counts to those from an index on.
    func add(_ new: UnsafeMutableBufferPointer<settle_sweep_counts>, at index: Int) {
        guard let first = new.baseAddress else { return }
        let source = UnsafeRawPointer(first).assumingMemoryBound(to: UInt64.self)
        let sum = UnsafeMutableRawPointer(counts + index).assumingMemoryBound(to: UInt64.self)
        // Most lags do not occur: their pages are never used.
        for number in 0..<new.count * Self.integers where source[number] != 0 { sum[number] &+= source[number] }
    }
}

/// The memory of a thread.
final class SweepScratch {
    /// `nil` if there was no memory for it.
    let counts = try? CountTable(SweepItem.policiesMax)
    private var workspace: UnsafeMutableRawPointer?
    private var size = 0

    deinit { freeLines(workspace) }

    /// A workspace of at least so many bytes; `nil` if there is no memory for it.
    func workspace(_ size: Int) -> UnsafeMutableRawPointer? {
        if size > self.size {
            freeLines(workspace)
            workspace = allocateLines(byteCount: size)
            self.size = workspace == nil ? 0 : size
        }
        return workspace
    }
}

/// Finds the durations that nothing in any of some logs waits for.
final class IdleSearch: Sendable {
    private let today: SweepWork.PolicyList
    private let idle = LockedValueBox<PolicyChanges?>(PolicyChanges(rawValue: .max))

    init(_ today: settle_policy) { self.today = SweepWork.PolicyList(raw: [today]) }

    /// Whether there was no memory for a log.
    var hasFailed: Bool { idle.withLock { $0 == nil } }
    var found: PolicyChanges { idle.withLock { $0 ?? [] } }

    func run(_ log: BoundLog, _ scratch: SweepScratch) {
        var raw = log.raw
        let size = settle_sweep_size(&raw)
        guard let workspace = scratch.workspace(size) else { return idle.withLock { $0 = nil } }
        let own = PolicyChanges(rawValue: settle_sweep_idle(workspace, size, &raw, today.raw))
        idle.withLock { $0?.formIntersection(own) }
    }
}

/// What the threads of a sweep share.
final class SweepWork: Sendable {
    private let logs: [BoundLog]
    private let policies: PolicyList
    private let items: [SweepItem]
    private let counts: CountTable
    private let habits: CountTable?
    private let buildCost: Cost?
    private let mutex = PthreadMutex()
    private let failed = LockedValueBox(false)
    private let done = LockedValueBox(Set<Int>())

    /// Policies in the core's form, which nobody changes.
    struct PolicyList: @unchecked Sendable {
        let raw: [settle_policy]
    }

    /// What a build costs, which nobody changes.
    private struct Cost: @unchecked Sendable {
        let raw: settle_build_cost
    }

    /// - Parameters:
    ///   - habits: Where programs without an engine are counted; `nil` for nowhere.
    ///   - buildCost: For a closed loop.
    init(
        logs: [BoundLog], policies: [settle_policy], items: [SweepItem], counts: CountTable,
        habits: CountTable? = nil, buildCost: settle_build_cost? = nil
    ) {
        self.logs = logs
        self.policies = PolicyList(raw: policies)
        self.items = items
        self.counts = counts
        self.habits = habits
        self.buildCost = buildCost.map(Cost.init)
    }

    /// Whether there was no memory for an item.
    var hasFailed: Bool { failed.withLock { $0 } }

    /// The policies that all logs were decided under, of so many.
    func tried(of count: Int) -> [Int] {
        let done = done.withLock { $0 }
        var isTried = [Bool](repeating: true, count: count)
        for number in items.indices where !done.contains(number) {
            for index in items[number].policies { isTried[index] = false }
        }
        return isTried.indices.filter { isTried[$0] }
    }

    func run(_ number: Int, _ scratch: SweepScratch) {
        let item = items[number]
        guard let table = scratch.counts else { return failed.withLock { $0 = true } }
        table.removeAll(first: item.policies.count)
        for log in logs[item.logs] {
            var raw = log.raw
            let size = buildCost == nil ? settle_sweep_size(&raw) : settle_sweep_play_size(&raw)
            guard let workspace = scratch.workspace(size) else { return failed.withLock { $0 = true } }
            policies.raw[item.policies].withUnsafeBufferPointer { policies in
                let (first, count) = (policies.baseAddress, policies.count)
                let result: Int32
                if var cost = buildCost?.raw {
                    result = settle_sweep_play(workspace, size, &raw, &cost, first, count, table.counts)
                } else {
                    result = settle_sweep_run(workspace, size, &raw, first, count, table.counts)
                }
                precondition(result == SETTLE_OK.rawValue, "the policies were checked")
            }
        }
        let new = UnsafeMutableBufferPointer(rebasing: table.all[..<item.policies.count])
        mutex.withLock { counts.add(new, at: item.policies.lowerBound) }
        // Each log is in one item with the first policy.
        if let habits, item.policies.lowerBound == 0 { count(habits, table, item.logs) }
        done.withLock { _ = $0.insert(number) }
    }

    private func count(_ habits: CountTable, _ table: CountTable, _ logs: Range<Int>) {
        let all = Habit.allCases
        table.removeAll(first: all.count)
        for log in self.logs[logs] {
            var raw = log.raw
            for habit in all where buildCost != nil || habit != .live {
                let counts = table.counts + Int(habit.rawValue)
                if var cost = buildCost?.raw {
                    settle_sweep_habit(&raw, &cost, habit.rawValue, counts)
                } else {
                    settle_sweep_habit(&raw, nil, habit.rawValue, counts)
                }
            }
        }
        let new = UnsafeMutableBufferPointer(rebasing: table.all[..<all.count])
        mutex.withLock { habits.add(new, at: 0) }
    }
}
