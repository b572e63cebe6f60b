internal import CSettle
public import Settle
public import SettlePlatform

/// Decides logs under many policies, on any number of threads, and counts.
///
/// ```swift
/// let sweep = try Sweep(PolicyGrid.policies(from: .default))
/// _ = try sweep.add([BoundLog(LogReader(path: "drag.settle"))], jobs: 2)
/// for index in sweep.policies.indices {
///     print(sweep.policies[index], sweep[index].rebuilds, sweep[index].lag(permille: 950))
/// }
/// ```
///
/// With a `buildCost` the sweep is a closed loop: each policy's rebuilds are built one at a time, which takes so
/// long, and the policy learns of each build's end, as live rebuilds need it.
///
/// All counts are integers: they are the same for any number of threads, and for the logs in any
/// order. Of policies that differ only in delays that nothing in a log waits for, one is decided. Takes 19 kB of memory for a policy, twice while logs are added. Use a sweep from one thread at a time.
public final class Sweep {
    public let policies: [Policy]
    /// What two common ways of handling resizes make of the logs.
    public private(set) var baselines = Baselines()
    /// The logs that were added.
    public private(set) var logs = 0
    public private(set) var events = 0
    /// How many scenes connected in them.
    public private(set) var connections = 0
    /// What a build costs; `nil` for counts of decisions only.
    public let buildCost: BuildCost?
    private let raw: [settle_policy]
    /// `nil` before the first logs, as `total`.
    private var habits: CountTable?
    private var total: CountTable?
    /// The durations that nothing in any of the logs waits for.
    private var idleInAll = PolicyChanges(rawValue: .max)
    /// What an `add` decided that was stopped before any log was counted: a sweep of those policies that all of its
    /// first logs were decided under, `first` among them. `nil` for none.
    public private(set) var partial: Sweep?
    /// The index of the policy that is decided first, and so is there when `add` is stopped.
    public var first = 0
    /// Events times policies that `add` decides before it adds them: a second or two of work on one thread.
    var stepWork = 1 << 27

    /// The most policies.
    public static let policiesMax = 16_384

    /// The most threads of `add`.
    public static let jobsMax = Workers.jobsMax

    /// A sweep without logs.
    ///
    /// - Parameters:
    ///   - policies: At most `policiesMax`.
    ///   - buildCost: What a build costs, for `builds`, `work`, `wrong` and `busiest` of the policies' counts.
    /// - Throws: `.durationOutOfRange` for a policy that no engine accepts; `.boundOutOfRange` for too
    ///   many.
    public init(_ policies: [Policy], buildCost: BuildCost? = nil) throws(EngineError) {
        guard policies.count <= Self.policiesMax else {
            throw .boundOutOfRange(name: "policies", value: policies.count, allowed: 0...Self.policiesMax)
        }
        self.policies = policies
        self.buildCost = buildCost
        raw = try policies.map { policy throws(EngineError) in try policy.raw }
    }

    /// Decides logs under all policies, and adds what was decided, some logs after the other. If it
    /// stops early, the first logs are added that were decided by then, each under all policies, and
    /// `logs` counts them; a second or two of work may be lost, or one large log.
    ///
    /// - Parameters:
    ///   - new: The logs. They share threads, so add many small ones at once.
    ///   - jobs: The threads, the calling one included; fewer if the system has fewer left.
    ///   - goesOn: Called on the calling thread again and again with the part of the work that was
    ///     begun, from 0 to 1. If it returns false, the call stops early.
    /// - Returns: Whether all logs were added.
    /// - Throws: `SystemError` if there is not enough memory to decide a log.
    public func add(
        _ new: [BoundLog], jobs: Int, goesOn: (Double) -> Bool = { _ in true }
    ) throws(SystemError) -> Bool {
        let costs = new.map { SweepItem.cost(events: $0.events) }
        let all = Double(costs.reduce(0, +))
        var (first, done) = (0, 0)
        // A step whose last item has begun ends all the same.
        var isStopped = false
        while first < new.count {
            if isStopped { return false }
            var (end, cost) = (first, 0)
            repeat {
                cost += costs[end]
                end += 1
            } while end < new.count && (cost + costs[end]) * policies.count <= stepWork
            let isAdded = try addStep(Array(new[first..<end]), jobs: jobs) { part in
                isStopped = !goesOn((Double(done) + part * Double(cost)) / all)
                return !isStopped
            }
            guard isAdded else { return false }
            (first, done) = (end, done + cost)
        }
        return true
    }

    /// Adds logs, all or none.
    private func addStep(_ new: [BoundLog], jobs: Int, goesOn: (Double) -> Bool) throws(SystemError) -> Bool {
        guard let idle = try idleDurations(new, jobs: jobs, goesOn: goesOn) else { return false }
        let alike = AlikePolicies(raw, first: first, idle: idle)
        let items = SweepItem.all(
            eventCounts: new.map(\.events), policies: alike.decided.count,
            first: raw.isEmpty ? 0 : alike.places[first])
        let (added, newHabits) = (try CountTable(alike.decided.count), try CountTable(Habit.allCases.count))
        let work = SweepWork(
            logs: new, policies: alike.decided.map { raw[$0] }, items: items, counts: added, habits: newHabits,
            buildCost: buildCost?.raw)
        let isComplete = Workers.run(count: items.count, jobs: jobs) {
            SweepScratch()
        } goesOn: { begun in
            !work.hasFailed && goesOn(Double(begun) / Double(items.count))
        } item: { scratch, number in
            work.run(number, scratch)
        }
        if work.hasFailed { throw SystemError(call: "posix_memalign", code: ENOMEM) }
        guard isComplete else {
            if total == nil {
                let tried = Set(work.tried(of: alike.decided.count))
                partial = try self.tried(
                    alike.places.indices.filter { tried.contains(alike.places[$0]) }, alike, added, newHabits, new, idle
                )
            }
            return false
        }
        try add(new, alike.places, added, newHabits, idle)
        return true
    }

    /// The durations that nothing in some logs waits for; `nil` after a stop.
    private func idleDurations(
        _ logs: [BoundLog], jobs: Int, goesOn: (Double) -> Bool
    ) throws(SystemError) -> PolicyChanges? {
        // One policy is decided in any case.
        guard policies.count > 1 else { return [] }
        let search = IdleSearch(raw[first])
        let isComplete = Workers.run(count: logs.count, jobs: jobs) {
            SweepScratch()
        } goesOn: { _ in
            !search.hasFailed && goesOn(0)
        } item: { scratch, number in
            search.run(logs[number], scratch)
        }
        if search.hasFailed { throw SystemError(call: "posix_memalign", code: ENOMEM) }
        return isComplete ? search.found : nil
    }

    /// Adds what was decided of logs.
    ///
    /// - Parameter places: For each policy the index of its counts.
    private func add(
        _ new: [BoundLog], _ places: [Int], _ counts: CountTable, _ newHabits: CountTable, _ idle: PolicyChanges
    ) throws(SystemError) {
        let sum = if let total { total } else { try CountTable(policies.count) }
        for (index, place) in places.enumerated() {
            sum.add(UnsafeMutableBufferPointer(rebasing: counts.all[place...place]), at: index)
        }
        total = sum
        if let habits { habits.add(newHabits.all, at: 0) } else { habits = newHabits }
        for log in new {
            baselines.add(log.baselines)
            events += log.events
            connections += log.connections
        }
        idleInAll.formIntersection(idle)
        logs += new.count
    }

    /// A sweep of some policies, with their counts.
    private func tried(
        _ indices: [Int], _ alike: AlikePolicies, _ counts: CountTable, _ habits: CountTable, _ logs: [BoundLog],
        _ idle: PolicyChanges
    ) throws(SystemError) -> Sweep? {
        guard let own = indices.firstIndex(of: first), indices.contains(0),
            let part = try? Sweep(indices.map { policies[$0] }, buildCost: buildCost)
        else { return nil }
        part.first = own
        try part.add(logs, indices.map { alike.places[$0] }, counts, habits, idle)
        return part
    }

    /// How many policies were not decided, as each differs from another one in nothing that any of the logs waits
    /// for: it is counted as that one.
    public var skipped: Int {
        logs == 0 ? 0 : policies.count - AlikePolicies(raw, first: first, idle: idleInAll).decided.count
    }

    /// What a policy decided about the logs.
    ///
    /// - Parameter index: That of the policy in `policies`.
    public subscript(index: Int) -> SweepCounts {
        precondition(policies.indices.contains(index))
        guard let total else { return SweepCounts() }
        return SweepCounts(total.counts + index)
    }

    /// The `weight` of what a policy decided, faster than its counts.
    func weight(of index: Int) -> Duration {
        total.map { .nanoseconds(Int64(clamping: settle_builds_weight_ns($0.counts + index))) } ?? .zero
    }

    /// What a program without an engine builds on the logs: `builds`, `work`, `wrong` and `busiest`; and, of the sizes
    /// that it decides to build, the lags and how many are `wasted`. Without a `buildCost` builds take no time, so that
    /// `live` is `everySize`.
    public func counts(of habit: Habit) -> SweepCounts {
        let counted = buildCost == nil && habit == .live ? .everySize : habit
        return habits.map { SweepCounts($0.counts + Int(counted.rawValue)) } ?? SweepCounts()
    }
}
