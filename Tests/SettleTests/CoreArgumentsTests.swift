import CSettle
import Settle
import XCTest

/// The C core's answers to wrong arguments and at its bounds, which the Swift engine
/// refuses earlier or drains at once; more of them are in Tests/Cases/core.
final class CoreArgumentsTests: XCTestCase {
    // MARK: Making a core

    func testInit_refusesNullMisalignedAndTooSmallMemory() {
        var config = settle_config_default()
        let size = settle_core_size(&config)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size + 64, alignment: 64)
        defer { memory.deallocate() }
        var core: OpaquePointer?
        XCTAssertEqual(settle_core_init(nil, size, &config, &core), invalid)
        XCTAssertEqual(settle_core_init(memory, size, nil, &core), invalid)
        XCTAssertEqual(settle_core_init(memory, size, &config, nil), invalid)
        XCTAssertEqual(settle_core_init(memory + 8, size, &config, &core), invalid)
        XCTAssertEqual(settle_core_init(memory, size - 1, &config, &core), invalid)
        XCTAssertNil(core)
        XCTAssertEqual(settle_core_size(nil), 0)
        XCTAssertEqual(settle_core_init(memory, size, &config, &core), ok)
    }

    /// Memory of slots that were never used says nothing: here it is that of connected scenes
    /// with the last policy.
    func testPolicies_unusedSlotsHaveNone() throws {
        let filler: UInt8 = 0x04
        let last = UInt32(filler) * 0x0101
        let core = try makeCore(filler: filler) { $0.policies_max = last + 1 }
        var (policy, number) = (settle_policy_uikit(), UInt32(0))
        while number < last { XCTAssertEqual(settle_core_add_policy(core, &policy, &number), ok) }
        XCTAssertEqual(settle_core_remove_policy(core, last), ok)
    }

    func testNames_areTheContractsWords() {
        func text(_ name: UnsafePointer<CChar>?) -> String { name.map { String(cString: $0) } ?? "" }
        XCTAssertEqual(text(settle_version_string()), "0.2.0")
        XCTAssertEqual(
            settle_version(), UInt32(SETTLE_VERSION_MAJOR << 16 | SETTLE_VERSION_MINOR << 8 | SETTLE_VERSION_PATCH))
        XCTAssertEqual(
            (0...5).map { text(settle_result_name(-$0)) },
            ["SETTLE_OK", "SETTLE_FULL", "SETTLE_INVALID", "SETTLE_STALE", "SETTLE_BUSY", "unknown"])
        XCTAssertEqual(text(settle_result_name(1)), "unknown")
        XCTAssertEqual(
            (0...9).map { text(settle_event_kind_name($0)) },
            [
                "geometry", "connect", "disconnect", "pointer", "flush", "cancel", "reallyBuilt", "finished",
                "previewed", "unknown",
            ])
        XCTAssertEqual((0...9).filter { settle_event_is_report($0) }, [7, 8])
        XCTAssertEqual(
            (0...5).map { text(settle_orientation_name($0)) },
            ["none", "portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "unknown"])
        XCTAssertEqual(
            (0...5).map { text(settle_decision_kind_name($0)) },
            ["interactionBegan", "interactionEnded", "rebuild", "lockChanged", "preview", "unknown"])
        XCTAssertEqual(
            (0...13).map { text(settle_reason_name($0)) },
            [
                "none", "reported", "released", "disconnected", "timeout", "interactionEnded", "timeout", "discrete",
                "quiet", "maximumWait", "flush", "first", "live", "unknown",
            ])
        // Only the watchdog's two have one word, on purpose.
        XCTAssertEqual(
            Dictionary(grouping: 0...12) { text(settle_reason_name($0)) }.values.filter { $0.count > 1 },
            [[SETTLE_ENDED_TIMEOUT.rawValue, SETTLE_REBUILD_TIMEOUT.rawValue]])
    }

    func testEvents_areMadeAsTheHeaderSays() {
        XCTAssertEqual(settle_event_geometry(7, 5, 3, 2, UInt32(SETTLE_RESIZING_KNOWN.rawValue)).flags, 0x81)
        XCTAssertEqual(settle_event_flags(7, 5, UInt32(SETTLE_LOCKED_KNOWN.rawValue)).flags, 4)
        let press = settle_event_pointer(3, 9, true)
        XCTAssertEqual([UInt32(press.kind), UInt32(press.flags), press.button], [3, 0x100, 3])
        XCTAssertEqual(settle_event_pointer(3, 9, false).flags, 0)
        XCTAssertEqual(
            [settle_event_disconnect(1, 2), settle_event_flush(1, 2), settle_event_cancel(1, 2)].map(\.kind), [2, 4, 5])
        XCTAssertEqual(settle_event_really_built(1, 2, 0, 0).flags, 0)
        XCTAssertEqual(settle_event_really_built(1, 2, 30, 20).flags, 0x80)
    }

    /// 65,536 is no geometry event, and a flag beyond the sixteenth does not vanish.
    func testEvents_ofMoreThanSixteenBitsAreRejected() throws {
        let core = try makeCore()
        let scene = connect(core)
        let resizing = UInt32(SETTLE_RESIZING_KNOWN.rawValue)
        XCTAssertEqual(settle_event_make(65_535, scene, 0).kind, 65_535)
        XCTAssertEqual(settle_event_flags(scene, 0, 65_534).flags, 65_534)
        for wide in [UInt32(1) << 16, 1 << 31, .max] {
            let events = [
                settle_event_make(wide, scene, 5), settle_event_flags(scene, 5, wide | resizing),
                settle_event_geometry(scene, 5, 100, 100, wide),
            ]
            XCTAssertEqual(
                events.map { withUnsafePointer(to: $0) { settle_event_rejection($0) } },
                Array(repeating: Int32(SETTLE_REJECTED_EVENT.rawValue), count: 3))
            submit(core, events[0], events[1], events[2])
        }
        XCTAssertEqual(settle_core_stats(core).rejected_event, 9)
        XCTAssertEqual(settle_core_now_ns(core), 0)
        XCTAssertEqual(settle_core_next_deadline_ns(core), UInt64.max)
    }

    // MARK: Handles

    /// Every handle of a core has a slot below its bound; another number need not.
    func testSlots_areBelowTheBoundForTheCoresOwnHandles() throws {
        let core = try makeCore { $0.scenes_max = 3 }
        let scenes = (0..<3).map { _ in connect(core) }
        XCTAssertEqual(scenes.map { settle_core_slot(core, $0) }, [0, 1, 2])
        submit(core, event(SETTLE_DISCONNECT, scenes[1]))
        XCTAssertEqual(settle_core_slot(core, scenes[1]), 1, "also the slot of a stale handle")
        XCTAssertEqual(settle_core_slot(core, connect(core)), 1)
        XCTAssertEqual(settle_core_slot(core, 7), 3, "no handle of this core")
    }

    /// Asked before each event, and compared with what submit counts.
    func testRejects_saysWhatSubmitDoes() throws {
        let core = try makeCore()
        let scene = connect(core)
        let (pressed, most) = (Int(SETTLE_PRESSED.rawValue), UInt32(SETTLE_BUTTONS_MAX))
        var events: [(settle_event, Bool)] = [
            (event(SETTLE_GEOMETRY, scene, 100, 100), false), (event(SETTLE_GEOMETRY, scene, -1, 100), true),
            (event(SETTLE_FLUSH, scene, at: UInt64.max), true), (event(SETTLE_FLUSH, 1_500), true),
        ]
        events += (0..<most).map { (event(SETTLE_POINTER, $0, flags: pressed), false) }
        events += [
            (event(SETTLE_POINTER, most, flags: pressed), true), (event(SETTLE_POINTER, 0, flags: pressed), false),
            (event(SETTLE_POINTER, most), false), (event(SETTLE_POINTER, 0), false),
            (event(SETTLE_POINTER, most, flags: pressed), false), (event(SETTLE_POINTER, 0, flags: pressed), true),
            (event(SETTLE_DISCONNECT, scene), false), (event(SETTLE_DISCONNECT, scene), true),
        ]
        for (number, (event, isRejected)) in events.enumerated() {
            let before = settle_core_stats(core).events
            XCTAssertEqual(withUnsafePointer(to: event) { settle_core_rejects(core, $0) }, isRejected, "\(number)")
            submit(core, event)
            XCTAssertEqual(settle_core_stats(core).events == before, isRejected, "\(number)")
        }
    }
}
