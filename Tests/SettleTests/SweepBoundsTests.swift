import CSettle
import Settle
import TestSupport
import XCTest

/// The sweep's functions at the bounds of their arguments. All memory has exactly the size that they
/// ask for: see `BoundEvents`.
final class SweepBoundsTests: XCTestCase {
    private let someEvents = [
        settle_log_event(SETTLE_GEOMETRY, 0, at: 0, 10, 10), settle_log_event(SETTLE_GEOMETRY, 1, at: 1, 20, 20),
        settle_log_event(SETTLE_POINTER, 9, at: 2), settle_log_event(SETTLE_DISCONNECT, 0, at: 3),
        settle_log_event(SETTLE_GEOMETRY, 0, at: 4, 30, 30),
    ]

    private func rebuilds(_ log: BoundEvents, _ policy: settle_policy = settle_policy_uikit()) -> UInt64 {
        log.counts([policy])![0].prefix(8).reduce(0, +)
    }

    // MARK: Nothing

    func testNothing_isDecidedWithoutEventsOrScenes() {
        for events in [
            [], [settle_log_event(SETTLE_POINTER, 5, at: 9)], [settle_log_event(SETTLE_DISCONNECT, 0, at: 9)],
        ] {
            let log = BoundEvents(events)
            XCTAssertEqual(log.result, ok)
            XCTAssertEqual(log.log.connections, 0)
            XCTAssertEqual(log.log.count, events.count)
            XCTAssertEqual(
                log.counts([settle_policy_default()])?.first, [UInt64](repeating: 0, count: BoundEvents.countsWords))
        }
        var log = settle_sweep_log()
        let size = settle_sweep_log_size(0, 0, 0)
        let memory = GuardedMemory(byteCount: size)
        XCTAssertEqual(settle_sweep_connections(nil, 0, 0, nil), 0)
        XCTAssertEqual(settle_sweep_bind(nil, 0, 0, 0, memory.start, size, &log), ok)
        let workspace = GuardedMemory(byteCount: settle_sweep_size(&log))
        var (policy, counts) = (settle_policy_default(), settle_sweep_counts())
        XCTAssertEqual(settle_sweep_run(workspace.start, workspace.byteCount, &log, &policy, 1, &counts), ok)
        XCTAssertEqual(settle_sweep_run(workspace.start, workspace.byteCount, &log, nil, 0, nil), ok)
        XCTAssertEqual(counts.rebuilds.6, 0)
    }

    // MARK: What a lag counts from

    func testSince_ofAnyDecisionButARebuildIsItsOwnTime() {
        var (log, known) = (settle_sweep_log(), settle_sweep_known())
        for kind in [SETTLE_INTERACTION_BEGAN, SETTLE_INTERACTION_ENDED, SETTLE_LOCK_CHANGED, SETTLE_PREVIEW] {
            var decision = settle_decision()
            (decision.kind, decision.at_ns) = (UInt8(kind.rawValue), 1 << 32 + UInt64(kind.rawValue))
            XCTAssertEqual(settle_sweep_since_ns(&log, 0, &decision, &known), decision.at_ns)
            if kind == SETTLE_INTERACTION_ENDED { XCTAssertEqual(known.ended_ns, decision.at_ns) }
        }
    }

    // MARK: Binding

    func testConnections_leaveOutWhatCannotBeBound() {
        var scratch = [true, true]
        let flush = settle_log_event(SETTLE_FLUSH, 0, at: 0)
        XCTAssertEqual(
            settle_sweep_connections([flush, settle_log_event(SETTLE_CONNECT, 2, at: 0)], 2, 2, &scratch), 0)
        XCTAssertEqual(BoundEvents([flush]).result, invalid)
        XCTAssertEqual(BoundEvents([settle_log_event(SETTLE_CONNECT, 2, at: 0)], names: 2).result, invalid)
        XCTAssertEqual(BoundEvents([settle_log_event(SETTLE_CONNECT, 2, at: 0)], names: 3).result, ok)
        // The button of a pointer event is no name.
        XCTAssertEqual(BoundEvents([settle_log_event(SETTLE_POINTER, .max, at: 0)], names: 0).result, ok)
    }

    func testBind_takesMoreConnectionsThanThereAreAndRefusesFewer() {
        for connections in 0..<3 { XCTAssertEqual(BoundEvents(someEvents, connections: connections).result, invalid) }
        let (exact, more) = (BoundEvents(someEvents), BoundEvents(someEvents, names: 7, connections: 90))
        for log in [exact, more] {
            XCTAssertEqual(log.result, ok)
            XCTAssertEqual(log.log.connections, 3)
            XCTAssertEqual(rebuilds(log), 3)
        }
    }

    func testBind_refusesNullMisalignedAndTooSmallMemory() {
        let size = settle_sweep_log_size(5, 2, 3)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size + 64, alignment: 64)
        defer { memory.deallocate() }
        var (events, log) = (someEvents, settle_sweep_log())
        XCTAssertEqual(settle_sweep_bind(&events, 5, 2, 3, nil, size, &log), invalid)
        XCTAssertEqual(settle_sweep_bind(&events, 5, 2, 3, memory + 8, size, &log), invalid)
        XCTAssertEqual(settle_sweep_bind(&events, 5, 2, 3, memory, size - 1, &log), invalid)
        XCTAssertNil(log.events)
        for (event, other) in zip(events, someEvents) { XCTAssertEqual(event.event, other.event) }
        XCTAssertEqual(settle_sweep_bind(&events, 5, 2, 3, memory, size, &log), ok)
        XCTAssertNotNil(log.events)
    }

    func testLogSize_isZeroBeyondTheBounds() {
        let scenes = Int(SETTLE_SCENES_MAX)
        let names = UInt32(1) << 28
        XCTAssertGreaterThan(settle_sweep_log_size(1, 1, scenes), scenes * 40)
        XCTAssertGreaterThan(settle_sweep_log_size(Int(UInt32.max), 1, 1), Int(UInt32.max) * 8)
        XCTAssertGreaterThan(settle_sweep_log_size(1, names, 1), Int(names) * 4)
        XCTAssertEqual(settle_sweep_log_size(1, 1, scenes + 1), 0)
        XCTAssertEqual(settle_sweep_log_size(Int(UInt32.max) + 1, 1, 1), 0)
        XCTAssertEqual(settle_sweep_log_size(1, names + 1, 1), 0)
        var (event, log) = (someEvents[0], settle_sweep_log())
        let memory = GuardedMemory(byteCount: 64)
        XCTAssertEqual(settle_sweep_bind(&event, 1, 1, scenes + 1, memory.start, .max, &log), invalid)
    }

    func testBind_asManyConnectionsAsACoreCanHave() {
        let scenes = SETTLE_SCENES_MAX
        var events = (0..<scenes).map { settle_log_event(SETTLE_GEOMETRY, $0, at: UInt64($0 / 1024), 10, 10) }
        events.append(settle_log_event(SETTLE_GEOMETRY, scenes - 1, at: 2_000, 20, 20))
        let log = BoundEvents(events)
        XCTAssertEqual(log.result, ok)
        XCTAssertEqual(rebuilds(log), UInt64(scenes) + 1)
    }

    // MARK: Running

    func testRun_refusesNullMisalignedAndTooSmallWorkspaces() {
        let log = BoundEvents(someEvents)
        let size = log.workspaceSize
        let workspace = UnsafeMutableRawPointer.allocate(byteCount: size + 64, alignment: 64)
        defer { workspace.deallocate() }
        var counts = [UInt64](repeating: 0, count: BoundEvents.countsWords)
        let policies = [settle_policy_uikit()]
        XCTAssertEqual(log.run(policies, &counts, nil, size), invalid)
        XCTAssertEqual(log.run(policies, &counts, workspace + 8, size), invalid)
        XCTAssertEqual(log.run(policies, &counts, workspace, size - 1), invalid)
        XCTAssertEqual(counts.reduce(0, +), 0)
        XCTAssertEqual(log.run(policies, &counts, workspace, size), ok)
        XCTAssertEqual(counts.prefix(8).reduce(0, +), 3)
    }

    func testRun_countsUpToAPolicyOutOfRangeAndNothingFromThereOn() {
        let log = BoundEvents(someEvents)
        var (good, bad, unset) = (settle_policy_uikit(), settle_policy_uikit(), settle_policy_uikit())
        good.pause_delay_ns = 5
        bad.first_delay_ns = UInt64(SETTLE_DELAY_MAX) + 1
        unset.size = 0
        for wrong in [bad, unset] {
            var counts = [UInt64](repeating: 7, count: 3 * BoundEvents.countsWords)
            XCTAssertEqual(log.run([good, wrong, good], &counts), invalid)
            XCTAssertEqual(counts.prefix(8).reduce(0, +), 8 * 7 + 3)
            XCTAssertTrue(counts.dropFirst(BoundEvents.countsWords).allSatisfy { $0 == 7 })
        }
    }

    // MARK: The grid

    func testGrid_hasEachPolicyOnceAndChangesOnlyWhatItSays() {
        var base = settle_policy_default()
        (base.first_delay_ns, base.lock_delay_ns, base.pause_delay_ns) = (1, 2, 3)
        (base.maximum_wait_ns, base.interaction_timeout_ns, base.pause_share_percent) = (4, 5, 6)
        var all = Set<Policy>()
        for index in 0..<settle_grid_count() {
            var policy = settle_policy()
            XCTAssertTrue(settle_grid_policy(&base, index, &policy))
            XCTAssertEqual(policy.size, base.size)
            XCTAssertNoThrow(try Policy(core: policy).validate())
            all.insert(Policy(core: policy))
            let kept = [policy.first_delay_ns, policy.lock_delay_ns, policy.pause_delay_ns, policy.maximum_wait_ns]
            XCTAssertEqual(kept + [policy.interaction_timeout_ns, policy.pause_share_percent], [1, 2, 3, 4, 5, 6])
        }
        XCTAssertEqual(all.count, Int(settle_grid_count()))
        XCTAssertEqual(all.count, 4 * 5 * 6 * 8 * (1 + 3))
        // The values that docs/guide/choosing-a-policy.md begins from are among them.
        var policy = settle_policy_default()
        XCTAssertTrue(
            (0..<settle_grid_count()).contains {
                settle_grid_policy(&policy, $0, &base) && Policy(core: base) == .default
            })
        policy = settle_policy_default()
        // In place.
        withUnsafeMutablePointer(to: &policy) { XCTAssertTrue(settle_grid_policy($0, 0, $0)) }
        XCTAssertEqual([policy.discrete_delay_ns, policy.quiet_delay_ns, policy.jump_delay_ns], [0, 0, .max])
    }

    /// Reports, scripts and stored results name policies by these numbers.
    func testGrid_hasThesePoliciesAtTheseNumbers() {
        func ms(_ values: UInt64...) -> [UInt64] { values.map { $0 == .max ? $0 : $0 * 1_000_000 } }
        let (reported, released) = (ms(0, 16, 50, 100), ms(0, 8, 16, 33, 66))
        let (discrete, quiet) = (ms(0, 16, 33, 50, 100, 200), ms(0, 50, 100, 150, 200, 300, 500, 1000))
        let jumps: [(UInt64, calm: UInt64)] = [(.max, 500), (50, 250), (50, 500), (50, 1000)]
        var (number, base, policy) = (UInt32(0), settle_policy_default(), settle_policy())
        for (jump, calm) in jumps {
            for quiet in quiet {
                for discrete in discrete {
                    for released in released {
                        for reported in reported {
                            XCTAssertTrue(settle_grid_policy(&base, number, &policy))
                            var expected = base
                            expected.reported_end_delay_ns = reported
                            expected.released_end_delay_ns = released
                            (expected.discrete_delay_ns, expected.quiet_delay_ns) = (discrete, quiet)
                            expected.jump_delay_ns = ms(jump)[0]
                            expected.calm_delay_ns = ms(calm)[0]
                            XCTAssertEqual(Policy(core: policy), Policy(core: expected), "number \(number)")
                            number += 1
                        }
                    }
                }
            }
        }
        XCTAssertEqual(number, settle_grid_count())
    }

    /// Also durations of more than 2^32 ns: 4.4 s take the place of 100 ms, and 3 s that of a jump's 50 ms.
    func testGrid_findsTheNearestOfLongDurations() {
        var (base, policy) = (settle_policy_default(), settle_policy())
        (base.reported_end_delay_ns, base.jump_delay_ns) = (4_400_000_000, 3_000_000_000)
        var reported = Set<UInt64>()
        var jumps = Set<UInt64>()
        for number in 0..<settle_grid_count() {
            XCTAssertTrue(settle_grid_policy(&base, number, &policy))
            reported.insert(policy.reported_end_delay_ns)
            jumps.insert(policy.jump_delay_ns)
        }
        XCTAssertEqual(reported, [0, 16_000_000, 50_000_000, 4_400_000_000])
        XCTAssertEqual(jumps, [3_000_000_000, .max])
    }

    /// The page says of these that they were tried.
    func testGrid_variesTheFieldsThatTheTableNames() {
        var (base, policy, changes) = (settle_policy_default(), settle_policy(), UInt32(0))
        for index in 0..<settle_grid_count() {
            XCTAssertTrue(settle_grid_policy(&base, index, &policy))
            changes |= settle_policy_changes(&policy, &base)
        }
        let named = (0..<32 as Range<UInt32>).reduce(0 as UInt32) { bits, field in
            settle_policy_field_at(field)?.pointee.in_grid == 1 ? bits | 1 << field : bits
        }
        XCTAssertEqual(changes, named)
    }

    /// So a delay that stays as it is does so in a policy that was tried.
    func testGrid_hasItsBaseWhoseValuesTakeThePlaceOfTheNearest() {
        func grid(_ base: Policy) -> [Policy] {
            var (base, policy) = (settle_policy(base), settle_policy())
            return (0..<settle_grid_count()).map { index in
                XCTAssertTrue(settle_grid_policy(&base, index, &policy))
                return Policy(core: policy)
            }
        }
        let base = Policy(
            reportedEndDelay: .milliseconds(33), releasedEndDelay: .seconds(1), discreteDelay: .milliseconds(40),
            quietDelay: .milliseconds(210), jumpDelay: .milliseconds(80), calmDelay: .milliseconds(375))
        let policies = grid(base)
        XCTAssertEqual(Set(policies).count, policies.count)
        XCTAssertTrue(policies.contains(base))
        func values<Value: Hashable>(_ field: KeyPath<Policy, Value>) -> Set<Value> {
            Set(policies.map { $0[keyPath: field] })
        }
        func ms(_ values: Int...) -> Set<Duration> { Set(values.map { .milliseconds($0) }) }
        // 16 and 50 are as near; the first is replaced.
        XCTAssertEqual(values(\.reportedEndDelay), ms(0, 33, 50, 100))
        XCTAssertEqual(values(\.releasedEndDelay), ms(0, 8, 16, 33, 1000))
        XCTAssertEqual(values(\.discreteDelay), ms(0, 16, 40, 50, 100, 200))
        XCTAssertEqual(values(\.jumpDelay), [.milliseconds(80), nil])
        XCTAssertEqual(values(\.quietDelay), ms(0, 50, 100, 150, 210, 300, 500, 1000))
        XCTAssertEqual(values(\.calmDelay), ms(375, 500, 1000))
        for other in [Policy.default, .uikit, Policy(jumpDelay: .zero), Policy(releasedEndDelay: .seconds(9_000_000))] {
            XCTAssertTrue(grid(other).contains(other), "\(other)")
        }
    }

    /// Live rebuilds by share, limit and pause, previews by delay and share, and neither, beside fewer other delays.
    func testLiveGrid_hasEachWayToBuildBeforeAnEndOnceBesideTheOtherDelays() {
        var base = settle_policy_default()
        (base.first_delay_ns, base.live_interval_ns) = (1, 2)
        var modes: [[UInt64]: Int] = [:]
        var all = Set<Policy>()
        for index in 0..<settle_live_grid_count() {
            var policy = settle_policy()
            XCTAssertTrue(settle_live_grid_policy(&base, index, &policy))
            XCTAssertNoThrow(try Policy(core: policy).validate())
            XCTAssertEqual([policy.first_delay_ns, policy.live_interval_ns, policy.calm_delay_ns], [1, 2, 500 * ms])
            let live = [policy.live_share_percent, policy.live_limit_ns, policy.live_pause_ns]
            modes[live + [policy.pause_delay_ns, policy.pause_share_percent], default: 0] += 1
            all.insert(Policy(core: policy))
        }
        XCTAssertEqual(all.count, Int(settle_live_grid_count()))
        let never = UInt64.max
        var expected: [[UInt64]: Int] = [:]
        func expect(_ live: [UInt64], _ pause: [UInt64]) { expected[live + pause] = 2 * 2 * 3 * 7 * 2 }
        expect([never, 16 * ms, never], [never, never])
        for share: UInt64 in [10, 20, 30, 50, 75, 100] {
            for limits in [[16 * ms, never], [16 * ms, 50 * ms], [never, never]] {
                expect([share] + limits, [never, never])
            }
        }
        for delay: UInt64 in [50, 100, 200] {
            for share: UInt64 in [25, 50, 100] { expect([never, 16 * ms, never], [delay * ms, share]) }
        }
        XCTAssertEqual(modes, expected)
        var policy = settle_policy_default()
        XCTAssertFalse(settle_live_grid_policy(&base, settle_live_grid_count(), &policy))
        XCTAssertFalse(settle_live_grid_policy(nil, 0, &policy))
        XCTAssertEqual(Policy(core: policy), .default)
    }

    private let ms: UInt64 = 1_000_000

    func testGrid_refusesAnIndexAndABaseOutOfRange() {
        var (base, policy) = (settle_policy_default(), settle_policy())
        XCTAssertFalse(settle_grid_policy(&base, settle_grid_count(), &policy))
        XCTAssertFalse(settle_grid_policy(&base, .max, &policy))
        XCTAssertFalse(settle_grid_policy(nil, 0, &policy))
        base.size = 8
        XCTAssertFalse(settle_grid_policy(&base, 0, &policy))
        base = settle_policy_default()
        base.lock_delay_ns = UInt64(SETTLE_DELAY_MAX) + 1
        XCTAssertFalse(settle_grid_policy(&base, 0, &policy))
        XCTAssertEqual(policy.size, 0)
    }
}
