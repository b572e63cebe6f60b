import CSettle
import TestSupport
import XCTest

/// What the C core does at the bounds of decisions and of its own memory. Those of its configuration: Tests/Cases/core.
final class CoreBoundsTests: XCTestCase {
    private let sized = Int(SETTLE_SIZE_KNOWN.rawValue)

    private func geometry(_ scene: settle_scene, at: UInt64, _ width: Double, _ height: Double) -> settle_event {
        event(SETTLE_GEOMETRY, scene, at: at, width, height, flags: sized)
    }

    // MARK: Decisions

    /// However many a call takes, over the end of the core's own memory for them.
    func testDecisions_areTakenInOrderInPiecesOfAnySize() throws {
        for piece in 1...4 {
            let core = try makeCore {
                $0.decisions_max = 5
                $0.scenes_max = 8
                $0.policy = settle_policy_uikit()
            }
            let scenes = (0..<8).map { _ in connect(core) }
            var (taken, result) = ([settle_decision](), ok)
            for round in 0..<4 {
                for scene in scenes {
                    let event = geometry(scene, at: UInt64(round), Double(10 + round), 1)
                    while submit(core, event) == full { taken += popAll(core, piece) }
                }
                repeat {
                    result = settle_core_advance(core, UInt64(round))
                    let more = popAll(core, piece)
                    XCTAssertLessThanOrEqual(more.count, piece)
                    taken += more
                } while result == full
            }
            while settle_core_stats(core).decisions_waiting > 0 { taken += popAll(core, piece) }
            XCTAssertEqual(taken.map(\.scene), (0..<4).flatMap { _ in scenes }, "\(piece) a call")
            XCTAssertEqual(taken.map(\.width), (0..<4).flatMap { [Double](repeating: Double(10 + $0), count: 8) })
        }
    }

    // MARK: Making a core

    /// Why each event is rejected that every core rejects.
    func testEvents_areRejectedForTheirKindFlagsTimeOrSize() {
        func rejection(_ event: settle_event) -> settle_rejection {
            var event = event
            return settle_rejection(UInt32(settle_event_rejection(&event)))
        }
        let known = SETTLE_PREVIEWED.rawValue
        for kind in [SETTLE_GEOMETRY, SETTLE_REALLY_BUILT] {
            XCTAssertEqual(rejection(event(kind, 1, 5, 6)), SETTLE_NOT_REJECTED)
            XCTAssertEqual(rejection(event(kind, 1, 5, .infinity)), SETTLE_REJECTED_SIZE)
            XCTAssertEqual(rejection(event(kind, 1, .nan, 6)), SETTLE_REJECTED_SIZE)
            XCTAssertEqual(rejection(event(kind, 1, at: .max, .nan, 6)), SETTLE_REJECTED_EVENT)
        }
        // None has a size: a request, and reports, whose numbers have the place of one.
        for kind in [SETTLE_FLUSH, SETTLE_FINISHED, SETTLE_PREVIEWED] {
            XCTAssertEqual(rejection(event(kind, 1, .nan, -1)), SETTLE_NOT_REJECTED)
        }
        XCTAssertEqual(rejection(event(settle_event_kind(known + 1), 1, 5, 6)), SETTLE_REJECTED_EVENT)
        XCTAssertEqual(rejection(event(SETTLE_FLUSH, 1, at: UInt64(Int64.max) + 1)), SETTLE_REJECTED_EVENT)
        let unknownFlag = Int(SETTLE_FLAGS_ALL.rawValue) + 1
        XCTAssertEqual(rejection(event(SETTLE_FLUSH, 1, flags: unknownFlag)), SETTLE_REJECTED_EVENT)
        XCTAssertEqual(
            rejection(event(SETTLE_FLUSH, 1, at: UInt64(Int64.max), flags: unknownFlag - 1)), SETTLE_NOT_REJECTED)
    }

    /// 128 bytes a scene, at most 64 more each with previews and with live rebuilds, 64 a decision, 256 a policy, and what
    /// every core takes;
    /// what is left of a cache line is given away.
    func testSize_growsByWhatIsDocumented() {
        func size(_ scenes: UInt32, _ decisions: UInt32 = 16, _ policies: UInt32 = 16, features: UInt32 = 0) -> Int {
            var config = settle_config_default()
            config.features = features
            (config.scenes_max, config.decisions_max, config.policies_max) = (scenes, decisions, policies)
            return settle_core_size(&config)
        }
        XCTAssertEqual(size(1_024 + 64) - size(1_024), 64 * 128)
        XCTAssertEqual(size(1_024, 17) - size(1_024, 16), 64)
        XCTAssertEqual(size(1_024, 16, 17) - size(1_024, 16, 16), 256)
        XCTAssertEqual(
            [1, 2, 3].map { size(1_024, features: $0) - size(1_024) }, [1_024 * 56, 1_024 * 48, 1_024 * 104])
        XCTAssertEqual(size(1) % 64, 0)
        // Beside them the heads of 5 × 1,024 buckets and about a kilobyte, without a line to spare.
        let rest = size(64, 1, 1) - 64 * 128 - 64 - 256 - 5 * 1_024 * 8
        XCTAssertEqual(rest, 17 * 64, "what a core keeps beside its scenes has another size")
        // The links of scenes are 8 bytes each, the queue's entries 16, the rest whole lines.
        XCTAssertEqual(size(2) - size(1), 64 + 64)
    }

    /// A core uses its whole memory and nothing beyond it, and its parts do not overlap: with
    /// all of its scenes, decisions and policies in use every decision comes out right.
    func testMemory_allPartsAreWhole() throws {
        for scenesMax: UInt32 in [1, 2, 3, 7, 8, 9, 33] {
            let core = try makeCore { ($0.scenes_max, $0.decisions_max, $0.policies_max) = (scenesMax, 3, 3) }
            var numbers = [UInt32(0)]
            for delay: UInt64 in [10, 20] {
                var (policy, number) = (plainPolicy, UInt32(0))
                policy.first_delay_ns = delay
                XCTAssertEqual(settle_core_add_policy(core, &policy, &number), ok)
                numbers.append(number)
            }
            XCTAssertEqual(numbers, [0, 1, 2])
            let scenes = (0..<Int(scenesMax)).map { connect(core, policy: numbers[$0 % 3]) }
            for (index, scene) in scenes.enumerated() { submit(core, geometry(scene, at: 5, Double(index + 1), 1)) }
            var decided: [settle_decision] = []
            while settle_core_finish(core) == full { decided += popAll(core) }
            decided += popAll(core)
            let due = scenes.indices.map { (UInt64(5) + [150_000_000, 10, 20][$0 % 3], $0) }.sorted { $0 < $1 }
            XCTAssertEqual(decided.map(\.at_ns), due.map(\.0), "\(scenesMax) scenes")
            XCTAssertEqual(decided.map(\.scene), due.map { scenes[$0.1] })
            XCTAssertEqual(decided.map(\.width), due.map { Double($0.1 + 1) })
        }
    }
}
