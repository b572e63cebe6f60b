import CSettle
import Settle
import TestSupport
import XCTest

/// `settle_sweep_play` and `settle_sweep_habit` against a loop that goes event by event, and against lists of
/// builds: see `NaiveLoop` and `NaiveHabit`.
final class ClosedLoopTests: XCTestCase {
    private let habits = [
        SETTLE_HABIT_EVERY_SIZE, SETTLE_HABIT_THROTTLE, SETTLE_HABIT_DEBOUNCE, SETTLE_HABIT_LIVE,
    ]

    /// Mostly multiples of the log's own gaps, so that builds end at the times of events and deadlines.
    private func cost(_ events: [Event], _ random: inout SplitMix64) -> settle_build_cost {
        // As long as the habits' timers.
        let slow = UInt64(random.pick([0, 0, 0, 1, 3]))
        if random.chance(15) {
            return settle_build_cost(ns: random.pick([25e6, 50e6, 100e6]), ns_per_pixel: 0, slow_every: slow)
        }
        let number = random.below(max(events.count - 1, 1))
        let times = events.dropFirst(number).prefix(2).map(\.at.nanoseconds).sorted()
        let gap = Double(times.count == 2 ? min(times[1] - times[0], 1 << 40) : 1)
        let fixed = gap * random.pick([0, 1, 1, 1, 2, 3, 0.5])
        let area: Double = random.pick([0, 0, 0, 300 * 400, 1])
        return settle_build_cost(
            ns: random.chance(4) ? -1 : fixed, ns_per_pixel: area > 0 ? gap / area : 0, slow_every: slow)
    }

    /// Shows where two lists of words differ.
    private func difference(_ counted: [UInt64], _ naive: [UInt64]) -> String {
        let parts = zip(counted, naive).enumerated().filter { $0.element.0 != $0.element.1 }
        return parts.prefix(12).map { "word \($0.offset): \($0.element.0), naively \($0.element.1)" }
            .joined(separator: "; ")
    }

    func testRandomLogs_arePlayedAsALoopGoesEventByEvent() throws {
        var (live, wrong, builds, superseded, ties, busy, several) = (0, 0, 0, 0, 0, Set<Int>(), 0)
        var (policies, givenUp, takenOver, shownAtOnce, ends, late) = (0, 0, 0, 0, 0, 0)
        for seed: UInt64 in 0..<tried(1_600) {
            var random = SplitMix64(seed: seed &* 31 &+ 7)
            let stream = RandomLog(seed: seed)
            let events = stream.events.map(\.event)
            let log = BoundEvents(stream.events)
            let cost = cost(events, &random)
            let counted = try XCTUnwrap(log.played(stream.policies.map(settle_policy.init), cost: cost))
            for (number, policy) in stream.policies.enumerated() {
                let loop = NaiveLoop(events, policy: policy, cost: cost)
                let naive = try NaiveSweep(loop.events, policy: policy).words(loop.figures)
                guard counted[number] == naive else {
                    return XCTFail(
                        "seed \(seed), \(policy), \(cost): \(difference(counted[number], naive))")
                }
                policies += 1
                live += Int(naive[7])
                wrong += loop.figures.wrong > 0 ? 1 : 0
                builds += Int(loop.figures.builds)
                let forRebuilds = Int(loop.figures.builds - loop.figures.givenUp) + loop.shownAtOnce
                superseded += max(0, Int(naive.prefix(8).reduce(0, +)) - forRebuilds)
                givenUp += Int(loop.figures.givenUp)
                takenOver += loop.takenOver
                shownAtOnce += loop.shownAtOnce
                ends += loop.figures.rightAfter.count
                late += loop.figures.rightAfter.count { $0 > 0 }
                ties += loop.ties
                several += log.log.connections > 1 ? 1 : 0
                busy.formUnion(loop.figures.busiest.indices.filter { loop.figures.busiest[$0] > 0 })
            }
        }
        // The logs are worth nothing if they do not reach what is counted.
        XCTAssertGreaterThan(policies, tried(3_000))
        for count in [live, builds, superseded, ties] { XCTAssertGreaterThan(count, tried(1_000)) }
        for count in [takenOver, shownAtOnce, givenUp, ends, late] { XCTAssertGreaterThan(count, tried(300)) }
        for count in [wrong, several] { XCTAssertGreaterThan(count, tried(500)) }
        XCTAssertGreaterThan(busy.count, 50)
    }

    func testRandomLogs_areBuiltByHabitAsListsOfChangesSay() throws {
        var (builds, fewer, wrong, wasted) = ([UInt64](repeating: 0, count: 4), 0, 0, UInt64(0))
        for seed: UInt64 in 0..<tried(1_200) {
            var random = SplitMix64(seed: seed &* 17 &+ 3)
            let stream = RandomLog(seed: seed)
            let events = stream.events.map(\.event)
            let log = BoundEvents(stream.events)
            let cost = cost(events, &random)
            for habit in habits {
                let counted = log.built(habit, cost: cost)
                let naive = NaiveHabit.words(events, habit, cost: cost)
                guard counted == naive else {
                    return XCTFail(
                        "seed \(seed), habit \(habit.rawValue), \(cost): \(difference(counted, naive))")
                }
                if habit != SETTLE_HABIT_LIVE {
                    let decided = naive.prefix(BoundEvents.buildsWord)
                    let figures = [decided.dropFirst(BoundEvents.lagWord).reduce(0, +)]
                    let rest = [UInt64](repeating: 0, count: naive.count - decided.count - 1)
                    XCTAssertEqual(log.built(habit, cost: nil), decided + figures + rest, "seed \(seed)")
                }
                builds[Int(habit.rawValue)] += naive[BoundEvents.buildsWord]
                wrong += naive[BoundEvents.buildsWord + 2] > 0 ? 1 : 0
                wasted += naive[BoundEvents.wastedWord]
            }
            fewer += builds[3] < builds[0] ? 1 : 0
        }
        XCTAssertGreaterThan(builds[0], builds[1])
        XCTAssertGreaterThan(builds[1], builds[2])
        XCTAssertGreaterThan(fewer, tried(100), "slow builds end the habit of every size")
        XCTAssertGreaterThan(wrong, tried(1_000))
        XCTAssertGreaterThan(wasted, tried(1_000))
    }

    func testCost_isWholeNanosecondsUpToAnHour() {
        func cost(_ ns: Double, _ perPixel: Double, _ width: Double = 100, _ height: Double = 50) -> UInt64 {
            var cost = settle_build_cost(ns: ns, ns_per_pixel: perPixel)
            return settle_build_cost_ns(&cost, width, height)
        }
        XCTAssertEqual(cost(7.9, 0), 7)
        XCTAssertEqual(cost(7, 2), 10_007)
        for nothing in [-1, 0, -Double.infinity, Double.nan] { XCTAssertEqual(cost(nothing, 0), 0) }
        XCTAssertEqual(cost(0, 1e300, 1e300, 1e300), 3_600_000_000_000)
        XCTAssertEqual(cost(.infinity, 0), 3_600_000_000_000)
    }

    func testPlay_refusesWorkspacesAndPoliciesAsRunDoes() {
        let log = BoundEvents([settle_log_event(SETTLE_GEOMETRY, 0, at: 3, 100, 100)])
        var (raw, counts, cost) = (log.log, settle_sweep_counts(), settle_build_cost(ns: 1, ns_per_pixel: 0))
        var policy = settle_policy_uikit()
        let size = settle_sweep_play_size(&raw)
        XCTAssertGreaterThan(size, settle_sweep_size(&raw))
        let workspace = UnsafeMutableRawPointer.allocate(byteCount: size + 64, alignment: 64)
        defer { workspace.deallocate() }
        XCTAssertEqual(settle_sweep_play(nil, size, &raw, &cost, &policy, 1, &counts), invalid)
        XCTAssertEqual(settle_sweep_play(workspace + 8, size, &raw, &cost, &policy, 1, &counts), invalid)
        XCTAssertEqual(settle_sweep_play(workspace, size - 1, &raw, &cost, &policy, 1, &counts), invalid)
        var bad = policy
        bad.live_share_percent = 101
        XCTAssertEqual(settle_sweep_play(workspace, size, &raw, &cost, &bad, 1, &counts), invalid)
        XCTAssertEqual(counts.builds, 0)
        XCTAssertEqual(settle_sweep_play(workspace, size, &raw, &cost, &policy, 1, &counts), ok)
        XCTAssertEqual(counts.builds, 1)
        XCTAssertEqual(counts.busiest.1, 1)
    }
}
