import CSettle
import TestSupport
import XCTest

let ok = SETTLE_OK.rawValue
let invalid = SETTLE_INVALID.rawValue
let full = SETTLE_FULL.rawValue

/// 150 ms of quiet and before a first build, 50 ms after ends and discrete changes, 100 ms for the
/// lock, without jumps, previews and watchdog.
let plainPolicy: settle_policy = {
    var policy = settle_policy_uikit()
    (policy.first_delay_ns, policy.quiet_delay_ns) = (150_000_000, 150_000_000)
    (policy.reported_end_delay_ns, policy.released_end_delay_ns, policy.discrete_delay_ns) =
        (50_000_000, 50_000_000, 50_000_000)
    policy.lock_delay_ns = 100_000_000
    return policy
}()

/// The C core without the Swift engine around it.
extension XCTestCase {
    /// A core in memory of its own, full of `filler` before, freed when the test ends. Its policy is
    /// `plainPolicy`.
    func makeCore(filler: UInt8 = 0xA5, _ change: (inout settle_config) -> Void = { _ in }) throws -> OpaquePointer {
        var config = settle_config_default()
        config.policy = plainPolicy
        change(&config)
        let size = settle_core_size(&config)
        let workspace = GuardedMemory(byteCount: size, filler: filler)
        addTeardownBlock { withExtendedLifetime(workspace) {} }
        var core: OpaquePointer?
        XCTAssertEqual(settle_core_init(workspace.start, size, &config, &core), ok)
        return try XCTUnwrap(core)
    }

    func connect(_ core: OpaquePointer, policy: UInt32 = 0) -> settle_scene {
        var scene: settle_scene = 0
        XCTAssertEqual(settle_core_connect(core, policy, &scene), ok)
        return scene
    }

    func event(
        _ kind: settle_event_kind, _ scene: settle_scene, at: UInt64 = 0, _ width: Double = 0, _ height: Double = 0,
        flags: Int = 0
    ) -> settle_event {
        settle_event(
            at_ns: at, width: width, height: height, scene: scene, kind: UInt16(kind.rawValue), flags: UInt16(flags))
    }

    @discardableResult
    func submit(_ core: OpaquePointer, _ events: settle_event...) -> Int32 {
        var accepted = 0
        return settle_core_submit(core, events, events.count, &accepted)
    }

    func popAll(_ core: OpaquePointer, _ count: Int = 64) -> [settle_decision] {
        var decisions = Array(repeating: settle_decision(), count: count)
        let popped = settle_core_pop_decisions(core, &decisions, decisions.count)
        return Array(decisions.prefix(popped))
    }
}

extension settle_event {
    init(at_ns: UInt64, width: Double, height: Double, scene: settle_scene, kind: UInt16, flags: UInt16) {
        self = settle_event_make(UInt32(kind), scene, at_ns)
        self.width = width
        self.height = height
        self.flags = flags
    }
}
