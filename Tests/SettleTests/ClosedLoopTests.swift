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
        for seed: UInt64 in 0..<1_600 {
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
        XCTAssertGreaterThan(policies, 3_000)
        for count in [live, builds, superseded, ties] { XCTAssertGreaterThan(count, 1_000) }
        for count in [takenOver, shownAtOnce, givenUp, ends, late] { XCTAssertGreaterThan(count, 300) }
        for count in [wrong, several] { XCTAssertGreaterThan(count, 500) }
        XCTAssertGreaterThan(busy.count, 50)
    }

    func testRandomLogs_areBuiltByHabitAsListsOfChangesSay() throws {
        var (builds, fewer, wrong, wasted) = ([UInt64](repeating: 0, count: 4), 0, 0, UInt64(0))
        for seed: UInt64 in 0..<1_200 {
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
        XCTAssertGreaterThan(fewer, 100, "slow builds end the habit of every size")
        XCTAssertGreaterThan(wrong, 1_000)
        XCTAssertGreaterThan(wasted, 1_000)
    }

    // MARK: One figure at a time

    private let ms: UInt64 = 1_000_000

    /// 100 → 200 → 100 within 50 ms, and 300 behind it; then 100 → 300 → 100 → 200, which the timer finds.
    func testHabit_aThrottleDoesNotBuildASizeThatIsBuilt() {
        let sizes: [(at: UInt64, Double)] = [
            (0, 100), (10, 200), (20, 100), (70, 300), (200, 100), (210, 300), (220, 100), (230, 200),
        ]
        let log = BoundEvents(sizes.map { settle_log_event(SETTLE_GEOMETRY, 0, at: $0.at * ms, $0.1, 100) })
        for cost in [nil, settle_build_cost(ns: 8e6, ns_per_pixel: 0)] {
            let counted = log.built(SETTLE_HABIT_THROTTLE, cost: cost)
            XCTAssertEqual(counted[BoundEvents.buildsWord], 4, "at 0, 70, 200 and 250 ms")
            XCTAssertEqual(counted[BoundEvents.wastedWord], 3)
        }
        XCTAssertEqual(log.built(SETTLE_HABIT_DEBOUNCE, cost: nil)[BoundEvents.buildsWord], 2, "it compares none")
    }

    private func played(
        _ events: [settle_log_event], _ policy: settle_policy, _ cost: settle_build_cost
    ) -> ArraySlice<UInt64> {
        BoundEvents(events).played([policy], cost: cost)![0][BoundEvents.buildsWord...]
    }

    /// A build of 8 ms that begins at a change between two others ends before the next, although that has been
    /// looked at: the next build begins in time.
    func testPlay_reportsABuildThatEndsBeforeTheNextEvent() {
        var policy = settle_policy_live()
        (policy.live_share_percent, policy.live_interval_ns) = (100, 0)
        let events = (0..<5).map {
            settle_log_event(SETTLE_GEOMETRY, 0, at: 20 * ms * UInt64($0), 100 + Double($0), 100)
        }
        let counted = BoundEvents(events).played([policy], cost: settle_build_cost(ns: 8e6, ns_per_pixel: 0))![0]
        XCTAssertEqual(counted[6], 1, "the first")
        XCTAssertEqual(counted[7], 4, "each change is built at once")
        XCTAssertEqual(counted[BoundEvents.buildsWord], 5)
        XCTAssertEqual(counted[BoundEvents.buildsWord + 1], 40 * ms)
    }

    func testPlay_wrongTimeIsTheRelativeDifferenceTimesTheTime() {
        // 100 × 100 is built at 2 ms; 300 × 100 from 10 ms to its build's end at 10 + 2 ms, as each size is built.
        let events = [
            settle_log_event(SETTLE_GEOMETRY, 0, at: 0, 100, 100),
            settle_log_event(SETTLE_GEOMETRY, 0, at: 10 * ms, 300, 100),
            settle_log_event(SETTLE_GEOMETRY, 0, at: 20 * ms, 300, 100),
        ]
        let counted = Array(played(events, settle_policy_uikit(), settle_build_cost(ns: 2e6, ns_per_pixel: 0)))
        XCTAssertEqual(counted.prefix(3), [2, 4 * ms, ms])
        XCTAssertEqual(counted[3 + 1], 1, "4 of 500 ms are rounded up to one percent")
    }

    func testPlay_aHalfSecondThatIsFullIsBusyToAHundredPercent() {
        let events = [settle_log_event(SETTLE_GEOMETRY, 0, at: 3, 100, 100)]
        for (cost, percent) in [(0, 0), (1, 1), (5e6, 1), (5e6 + 1, 2), (499e6, 100), (504e6, 100), (1e15, 100)] {
            let counted = Array(played(events, settle_policy_uikit(), settle_build_cost(ns: cost, ns_per_pixel: 0)))
            XCTAssertEqual(counted[3...].firstIndex { $0 > 0 }, 3 + percent, "\(cost)")
            XCTAssertEqual(counted[1], UInt64(min(cost, 3.6e12)), "an hour is the most")
        }
    }

    // MARK: Previews

    /// A size of a scene that reports its resizing.
    private func size(_ at: UInt64, _ width: Double, isResizing: Bool) -> settle_log_event {
        let flags = SETTLE_RESIZING_KNOWN.rawValue | (isResizing ? SETTLE_RESIZING.rawValue : 0)
        return settle_log_event(SETTLE_GEOMETRY, 0, at: at * ms, width, 100, flags: Int(flags))
    }

    /// Builds, work in ms, builds that were given up, and how long it was wrong after the ends in ms, under the preset
    /// `prepared` with builds of 100 ms; the log's first size is built at 100 ms.
    private func prepared(_ events: [settle_log_event]) -> [UInt64] {
        let first = settle_log_event(SETTLE_GEOMETRY, 0, at: 0, 100, 100)
        let log = BoundEvents([first] + events)
        let counted = log.played([settle_policy_prepared()], cost: settle_build_cost(ns: 100e6, ns_per_pixel: 0))![0]
        let after = BoundEvents.buildsWord + 3 + Int(SETTLE_BUSY_PERCENTS)
        XCTAssertEqual(counted[(after + 2)...].reduce(0, +), UInt64(log.log.scenes[0].interactions), "each end once")
        return [counted[BoundEvents.buildsWord], counted[BoundEvents.buildsWord + 1] / ms, counted[after]]
            + [counted[after + 1] / ms]
    }

    func testPlay_showsAtTheEndWhatIsPreparedByThen() {
        // Work from 1,050 to 1,150 ms, for the size that stands from 1,000 ms on.
        let drag = [size(1_000, 200, isResizing: true)]
        XCTAssertEqual(prepared(drag + [size(1_400, 200, isResizing: false)]), [2, 200, 0, 0])
        XCTAssertEqual(prepared(drag + [size(1_150, 200, isResizing: false)]), [2, 200, 0, 0])
        XCTAssertEqual(prepared(drag + [size(1_110, 200, isResizing: false)]), [2, 200, 0, 40], "it goes on")
        XCTAssertEqual(prepared(drag + [size(1_040, 200, isResizing: false)]), [2, 200, 0, 100], "it begins then")
    }

    func testPlay_givesUpWhatIsPreparedAtAChange() {
        // 30 ms of work are given up at 1,080 ms, and paid for by 1,110; the next begins at 1,130.
        let drag = [size(1_000, 200, isResizing: true), size(1_080, 300, isResizing: true)]
        XCTAssertEqual(prepared(drag + [size(1_300, 300, isResizing: false)]), [3, 230, 1, 0])
        XCTAssertEqual(prepared(drag + [size(1_200, 300, isResizing: false)]), [3, 230, 1, 30])
        // A size that is kept is shown although another one came and went; it is not prepared twice.
        let back = [size(1_000, 200, isResizing: true), size(1_200, 300, isResizing: true)]
        XCTAssertEqual(
            prepared(back + [size(1_210, 200, isResizing: true), size(1_400, 200, isResizing: false)]), [2, 200, 0, 0])
        // A size without an event is none.
        XCTAssertEqual(
            prepared([drag[0], size(1_080, 0, isResizing: true), size(1_200, 0, isResizing: false)]), [2, 200, 0, 0])
        // The work for a scene that is gone ends with it; it was never right.
        let gone = settle_log_event(SETTLE_DISCONNECT, 0, at: 1_070 * ms)
        XCTAssertEqual(prepared([drag[0], gone]), [2, 120, 1, 0])
    }

    func testPlay_countsFromALastChangeThatFollowsTheRelease() {
        func button(_ at: UInt64, isPressed: Bool) -> settle_log_event {
            settle_log_event(SETTLE_POINTER, 1, at: at * ms, flags: isPressed ? Int(SETTLE_PRESSED.rawValue) : 0)
        }
        func size(_ at: UInt64, _ width: Double) -> settle_log_event {
            settle_log_event(SETTLE_GEOMETRY, 0, at: at * ms, width, 100)
        }
        // The work begins with the release, at 1,030 ms, and is given up; the last change is discrete: 50 ms.
        let drag = [button(990, isPressed: true), size(1_000, 200), button(1_030, isPressed: false)]
        XCTAssertEqual(prepared(drag), [2, 200, 0, 100])
        XCTAssertEqual(prepared(drag + [size(1_040, 300)]), [3, 210, 1, 116], "releasedEndDelay, 16 ms")
        // Later than 100 ms after the end it is another change.
        XCTAssertEqual(prepared(drag + [size(1_131, 300)]), [3, 300, 0, 100])
        // A press without a change has no end.
        XCTAssertEqual(prepared([button(990, isPressed: true), button(1_030, isPressed: false)]), [1, 100, 0, 0])
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

    /// Reports in a log are those of other builds.
    func testPlay_leavesTheLogsReportsOut() {
        var events = [
            settle_log_event(SETTLE_GEOMETRY, 0, at: 0, 100, 100),
            settle_log_event(SETTLE_GEOMETRY, 0, at: ms, 200, 100),
        ]
        let policy = settle_policy_live()
        let cost = settle_build_cost(ns: 2e6, ns_per_pixel: 0)
        let without = BoundEvents(events).played([policy], cost: cost)
        events.insert(settle_event_finished(0, 1, 1, 1), at: 1)
        XCTAssertEqual(BoundEvents(events).log.reports, 1)
        XCTAssertEqual(BoundEvents(events).played([policy], cost: cost), without)
        events[1] = settle_event_previewed(0, 1, 1, 1, true)
        XCTAssertEqual(BoundEvents(events).log.reports, 1)
        XCTAssertEqual(BoundEvents(events).played([policy], cost: cost), without)
    }
}
