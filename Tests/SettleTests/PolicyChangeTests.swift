import CSettle
import XCTest

/// What another policy changes of a scene (`settle_core_set_policy`), and what stays.
final class PolicyChangeTests: XCTestCase {
    private let resizing = SETTLE_RESIZING_KNOWN.rawValue | SETTLE_RESIZING.rawValue
    private let locked = SETTLE_LOCKED_KNOWN.rawValue | SETTLE_LOCKED.rawValue

    private func add(_ core: OpaquePointer, _ change: (inout settle_policy) -> Void) -> UInt32 {
        var (policy, number) = (plainPolicy, UInt32(0))
        change(&policy)
        XCTAssertEqual(settle_core_add_policy(core, &policy, &number), ok)
        return number
    }

    func testANewPolicy_appliesFromTheNextEventOn() throws {
        let core = try makeCore()
        var (policy, number) = (settle_policy_uikit(), UInt32(0))
        XCTAssertEqual(settle_core_add_policy(core, &policy, &number), ok)
        let scene = connect(core)
        submit(core, event(SETTLE_GEOMETRY, scene, at: 0, 100, 100))
        let armed = settle_core_next_deadline_ns(core)
        XCTAssertEqual(settle_core_set_policy(core, scene, number), ok)
        XCTAssertEqual(settle_core_next_deadline_ns(core), armed, "what is armed stays")
        submit(core, event(SETTLE_GEOMETRY, scene, at: 10, 200, 100))
        XCTAssertEqual(settle_core_next_deadline_ns(core), 10)
        XCTAssertEqual(settle_core_set_policy(core, scene, number + 1), invalid)
        submit(core, event(SETTLE_DISCONNECT, scene, at: 11))
        XCTAssertEqual(settle_core_set_policy(core, scene, number), SETTLE_STALE.rawValue)
    }

    /// Rule 11: a policy without `interactionTimeout` has no watchdog, so the interaction stays open.
    func testAPolicyWithoutATimeout_disarmsTheWatchdog() throws {
        let core = try makeCore { $0.policy.interaction_timeout_ns = 1_000 }
        let unwatched = add(core) { $0.lock_delay_ns = 5_000 }
        let scene = connect(core)
        submit(core, settle_event_geometry(scene, 0, 100, 100, resizing))
        XCTAssertEqual(settle_core_next_deadline_ns(core), 1_000)
        XCTAssertEqual(settle_core_set_policy(core, scene, unwatched), ok)
        XCTAssertEqual(settle_core_next_deadline_ns(core), UInt64.max)
        XCTAssertEqual(settle_core_advance(core, 2_000), ok)
        XCTAssertEqual(popAll(core).map(\.kind), [UInt8(SETTLE_INTERACTION_BEGAN.rawValue)])
        XCTAssertTrue(settle_core_interacting(core, scene))

        submit(core, settle_event_geometry(scene, 3_000, 200, 100, resizing))
        XCTAssertEqual(settle_core_next_deadline_ns(core), UInt64.max, "no event arms it again")
        XCTAssertEqual(settle_core_set_policy(core, scene, 0), ok)
        submit(core, settle_event_geometry(scene, 4_000, 300, 100, resizing))
        XCTAssertEqual(settle_core_next_deadline_ns(core), 5_000, "until the scene has a timeout again")
        XCTAssertEqual(settle_core_advance(core, 5_000), ok)
        XCTAssertEqual(popAll(core).map(\.reason), [UInt8(SETTLE_ENDED_TIMEOUT.rawValue)])
    }

    func testAPolicyWithoutATimeout_keepsTheLockDeadline() throws {
        let core = try makeCore {
            $0.policy.interaction_timeout_ns = 1_000
            $0.policy.lock_delay_ns = 700
        }
        let unwatched = add(core) { $0.lock_delay_ns = 5_000 }
        let scene = connect(core)
        submit(core, settle_event_geometry(scene, 0, 100, 100, resizing | locked))
        XCTAssertEqual(settle_core_set_policy(core, scene, unwatched), ok)
        XCTAssertEqual(settle_core_next_deadline_ns(core), 700)
        XCTAssertEqual(settle_core_advance(core, 2_000), ok)
        XCTAssertEqual(popAll(core).map(\.at_ns), [0, 700])
        XCTAssertEqual(settle_core_next_deadline_ns(core), UInt64.max)
    }

    func testAPolicyWithAnotherTimeout_keepsTheArmedWatchdog() throws {
        let core = try makeCore { $0.policy.interaction_timeout_ns = 1_000 }
        let patient = add(core) { $0.interaction_timeout_ns = 9_000 }
        let scene = connect(core)
        submit(core, settle_event_geometry(scene, 0, 100, 100, resizing))
        XCTAssertEqual(settle_core_set_policy(core, scene, patient), ok)
        XCTAssertEqual(settle_core_next_deadline_ns(core), 1_000)
        submit(core, settle_event_geometry(scene, 500, 200, 100, resizing))
        XCTAssertEqual(settle_core_next_deadline_ns(core), 9_500)
    }

    /// Rule 6: a core that keeps no time of the first change counts `maximumWait` from the new policy on.
    func testAMaximumWait_countsFromTheNewPolicy() throws {
        let core = try makeCore { $0.policy.first_delay_ns = 1_000 }
        let patient = add(core) {
            $0.first_delay_ns = 1_000
            $0.maximum_wait_ns = 2_500
        }
        let scene = connect(core)
        submit(core, settle_event_geometry(scene, 50_000, 100, 100, 0))
        XCTAssertEqual(settle_core_advance(core, 50_400), ok)
        XCTAssertEqual(settle_core_set_policy(core, scene, patient), ok)
        XCTAssertEqual(settle_core_next_deadline_ns(core), 51_000)
        for (at, deadline) in [(50_900, 51_900), (51_800, 52_800), (52_700, 52_900)] as [(UInt64, UInt64)] {
            submit(core, settle_event_geometry(scene, at, Double(at), 100, 0))
            XCTAssertEqual(settle_core_next_deadline_ns(core), deadline)
        }
        XCTAssertEqual(settle_core_advance(core, 52_900), ok)
        XCTAssertEqual(popAll(core).map(\.reason), [UInt8(SETTLE_REBUILD_MAXIMUM_WAIT.rawValue)])
    }

    func testAnotherMaximumWait_countsFromTheFirstChange() throws {
        let core = try makeCore {
            $0.policy.first_delay_ns = 1_000
            $0.policy.maximum_wait_ns = 9_000
        }
        let hasty = add(core) {
            $0.first_delay_ns = 1_000
            $0.maximum_wait_ns = 1_500
        }
        let scene = connect(core)
        submit(core, settle_event_geometry(scene, 100, 100, 100, 0))
        XCTAssertEqual(settle_core_advance(core, 900), ok)
        XCTAssertEqual(settle_core_set_policy(core, scene, hasty), ok)
        submit(core, settle_event_geometry(scene, 1_000, 200, 100, 0))
        XCTAssertEqual(settle_core_next_deadline_ns(core), 1_600)
    }
}
