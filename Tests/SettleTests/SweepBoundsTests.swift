import CSettle
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
}
