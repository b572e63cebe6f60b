import CSettle
import Settle

/// The sweep of policies over any log counts what an engine for each policy decides, one event at a
/// time, and the baselines what pairs of changes say (`NaiveSweep`, `NaiveBaselines`). All memory has
/// exactly the size that is asked for. What cannot be bound is refused.
enum SweepJudge {
    static func run(_ bytes: [UInt8]) {
        var program = Numbers(bytes)
        let policies = [CoreJudge.policy(&program), CoreJudge.policy(&program), .default]
        let names = UInt32(1 + program.byte() % 4)
        let connections = program.byte()
        var time = program.pick([0, 0, 1_000, UInt64(Int64.max) - 300])
        var events: [settle_log_event] = []
        while !program.isAtEnd { events += event(&program, names: names, &time) }

        let log = BoundEvents(events, names: names)
        let isBindable = events.allSatisfy {
            $0.kind == SETTLE_POINTER.rawValue
                || ($0.kind < SETTLE_POINTER.rawValue || $0.kind == SETTLE_FINISHED.rawValue) && $0.name < names
        }
        demand((log.result == 0) == isBindable, "a log is bound exactly if it is one: \(log.result)")
        guard isBindable else { return }
        judgeRoom(events, names, Int(log.log.connections), connections)
        judgeCounts(events, log, policies)
        judgeLoop(events, log, policies[0], connections)
        judgeBaselines(events, names)
    }

    /// The closed loop of one policy, with builds of one of a few costs.
    private static func judgeLoop(
        _ events: [settle_log_event], _ log: BoundEvents, _ policy: Policy, _ choice: Int
    ) {
        let cost = settle_build_cost(ns: [0, 1, 3, 20, 500, 16e6][choice % 6], ns_per_pixel: 0)
        // Near the latest time the naive sums of half seconds overflow.
        guard events.allSatisfy({ $0.at_ns < 1 << 60 }) else { return }
        let flagged = events.map { event in
            // The oracle reads a size where the flag says so.
            var event = event
            let hasSize = event.kind == SETTLE_GEOMETRY.rawValue && event.width != 0 && event.height != 0
            if hasSize { event.flags |= UInt16(SETTLE_SIZE_KNOWN.rawValue) }
            return event.event
        }
        let loop = NaiveLoop(flagged, policy: policy, cost: cost)
        guard let naive = try? NaiveSweep(loop.events, policy: policy).words(loop.figures),
            let counted = log.played([settle_policy(policy)], cost: cost)?.first
        else { return demand(false, "a loop with a policy in range is accepted") }
        // The wrong time is left to ClosedLoopTests: here the sums, whose parts are cut, differ by one at times.
        let wrong = BoundEvents.buildsWord + 2
        let differing = counted.indices.filter { counted[$0] != naive[$0] && $0 != wrong }
        demand(
            differing.isEmpty,
            "the loop's counts \(differing): \(differing.map { counted[$0] }), naively \(differing.map { naive[$0] })")
    }

    /// Memory for fewer connections than there are is refused, and for more is not.
    private static func judgeRoom(_ events: [settle_log_event], _ names: UInt32, _ needed: Int, _ given: Int) {
        let result = BoundEvents(events, names: names, connections: given).result
        demand((result == 0) == (given >= needed), "\(needed) connections in memory for \(given): \(result)")
    }

    private static func judgeCounts(_ events: [settle_log_event], _ log: BoundEvents, _ policies: [Policy]) {
        guard let counts = log.counts(policies.map(settle_policy.init)) else {
            return demand(false, "policies in range are accepted")
        }
        for (counted, policy) in zip(counts, policies) {
            guard let naive = try? NaiveSweep(events.map(\.event), policy: policy).words else {
                return demand(false, "an engine accepts the policy and the scenes")
            }
            let differing = counted.indices.filter { counted[$0] != naive[$0] }
            demand(
                differing.isEmpty,
                "counts \(differing): \(differing.map { counted[$0] }), naively \(differing.map { naive[$0] })")
            let rebuilds = counted.prefix(Int(SETTLE_SWEEP_REASONS)).reduce(0, +)
            let lags = counted[BoundEvents.lagWord..<BoundEvents.buildsWord].reduce(0, +)
            demand(lags == rebuilds, "each rebuild has one lag")
        }
    }

    private static func judgeBaselines(_ events: [settle_log_event], _ names: UInt32) {
        let scenes = GuardedMemory(byteCount: Int(names) * MemoryLayout<settle_baseline_scene>.stride)
        let start = scenes.start.assumingMemoryBound(to: settle_baseline_scene.self)
        var counts = settle_baselines()
        settle_baselines_start(start, Int(names))
        settle_baselines_add(start, events, events.count, &counts)
        settle_baselines_finish(start, Int(names), &counts)
        let naive = NaiveBaselines(events.map(\.event))
        let found = [counts.every_change, counts.every_change_wasted, counts.debounce, counts.debounce_wasted]
        let expected = [naive.everyChange, naive.everyChangeWasted, naive.debounce, naive.debounceWasted]
        demand(found.map { Int($0) } == expected, "baselines: \(found), naively \(expected)")
    }

    /// One event, or as many buttons as can be held and some more.
    private static func event(
        _ program: inout Numbers, names: UInt32, _ time: inout UInt64
    ) -> [settle_log_event] {
        let what = program.byte()
        let name = UInt32(what >> 4) % names
        let at = moment(&program, &time)
        switch what & 15 {
        case 0: return [settle_log_event(SETTLE_CONNECT, name, at: at)]
        case 1, 2: return [settle_log_event(SETTLE_DISCONNECT, name, at: at)]
        case 3: return [settle_log_event(SETTLE_POINTER, name, at: at, flags: pressed)]
        case 4: return [settle_log_event(SETTLE_POINTER, name, at: at)]
        case 5:
            let flags = what & 16 == 0 ? pressed : 0
            return (0..<33).map { settle_log_event(SETTLE_POINTER, $0, at: at, flags: flags) }
        case 6:
            let choice = program.byte()
            // What no log has: a request, a name that does not exist.
            if choice == 0xFF {
                return [settle_log_event(what & 16 == 0 ? SETTLE_FLUSH : SETTLE_CONNECT, names, at: at)]
            }
            let cost = CoreJudge.cost(&program).wholeNanoseconds
            return [settle_event_finished(name, at, UInt32(choice & 7), cost)]
        case 7:
            let flags = program.number(UInt16.self)
            return [settle_log_event(SETTLE_GEOMETRY, name, at: at, 5, 5, flags: Int(flags))]
        default:
            let flags = program.pick([0, 0, 0, 1, 1, 3, 3, 4, 12, 5, 15, 7, 13])
            let width = program.pick([0, 1, 2, 400, 401, 402, 460, 1e300, -0.0, -1, .nan, .infinity])
            return [settle_log_event(SETTLE_GEOMETRY, name, at: at, width, width == 402 ? 0 : 300, flags: flags)]
        }
    }

    private static let pressed = Int(SETTLE_PRESSED.rawValue)

    /// A step of a few nanoseconds, of a quiet time, of just a second, back, or far; or no time.
    private static func moment(_ program: inout Numbers, _ time: inout UInt64) -> UInt64 {
        let step = UInt64(program.byte())
        switch step {
        case 0..<0xA0: time += step >> 3
        case 0xA0..<0xC0: time += (step - 0xA0) * 500
        case 0xC0..<0xE0: time += (step - 0xC0) * 10_000_000
        case 0xE0..<0xE8: time += 1_000_000_000 + (step & 1) - (step >> 1 & 1)
        case 0xE8..<0xF8: return time - min(time, step - 0xE8)
        case 0xF8..<0xFF: time += 1 << (8 * (step - 0xF8))
        default: return UInt64(Int64.max) + 1
        }
        time = min(time, UInt64(Int64.max))
        return time
    }
}
