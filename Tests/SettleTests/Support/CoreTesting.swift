import CSettle
import TestSupport
import XCTest

let ok = SETTLE_OK.rawValue
let invalid = SETTLE_INVALID.rawValue
let full = SETTLE_FULL.rawValue

/// The C core without the Swift engine around it.
extension XCTestCase {
    /// A core in memory of its own, full of `filler` before, freed when the test ends.
    func makeCore(filler: UInt8 = 0xA5, _ change: (inout settle_config) -> Void = { _ in }) throws -> OpaquePointer {
        var config = settle_config_default()
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

    func takeAll(_ core: OpaquePointer, _ count: Int = 64) -> [settle_decision] {
        var taken = 0
        var decisions = Array(repeating: settle_decision(), count: count)
        XCTAssertEqual(settle_core_pop_decisions(core, &decisions, decisions.count, &taken), ok)
        return Array(decisions.prefix(taken))
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
