import Settle
import TestSupport
import XCTest

/// So many scenes that the core asks for their lines ahead of the events.
final class ManyScenesTests: XCTestCase {
    /// However the same events are divided among calls, the decisions are the same.
    func testManyScenes_aBatchDecidesWhatItsEventsDecideOneByOne() throws {
        let sceneCount = 20_000
        var random = SplitMix64(seed: 1)
        var whole = try Engine(.init(scenesMax: sceneCount))
        var single = try Engine(.init(scenesMax: sceneCount))
        let scenes = try (0..<sceneCount).map { _ in
            _ = try single.connect()
            return try whole.connect()
        }
        // A handle that no scene has, of a slot that was never used.
        let unknown = SceneID(rawValue: UInt32(sceneCount) + 1)
        var now: UInt64 = 0
        let events = (0..<60_000).map { _ in
            now += UInt64(random.below(5_000))
            let scene = random.chance(99) ? random.pick(scenes) : unknown
            return Event.geometry(
                scene, at: Timestamp(nanoseconds: now), size: Size(width: Double(1 + random.below(3)), height: 1),
                isInteractivelyResizing: random.chance(20) ? random.chance(50) : nil)
        }

        var (decided, expected): ([Decision], [Decision]) = ([], [])
        whole.submit(events.span) { decided.append($0) }
        for event in events { single.submit(event) { expected.append($0) } }
        whole.finish { decided.append($0) }
        single.finish { expected.append($0) }
        XCTAssertGreaterThan(decided.count, sceneCount)
        XCTAssertTrue(decided == expected, "\(decided.count) decisions, \(expected.count) one by one")
        XCTAssertGreaterThan(whole.statistics.rejectedScenes, 0)
        XCTAssertEqual(whole.statistics, single.statistics)
    }
}
