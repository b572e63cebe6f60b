import CSettle
import Settle
import TestSupport
import XCTest

/// The baselines against counts from pairs of changes: see `NaiveBaselines`.
final class SweepBaselineTests: XCTestCase {
    private func counted(_ events: [settle_log_event], names: Int, parts: inout SplitMix64) -> settle_baselines {
        let scenes = GuardedMemory(byteCount: names * MemoryLayout<settle_baseline_scene>.stride)
        let start = scenes.start.assumingMemoryBound(to: settle_baseline_scene.self)
        settle_baselines_start(start, names)
        var counts = settle_baselines()
        var rest = events[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(1 + parts.below(50)))
            settle_baselines_add(start, part, part.count, &counts)
            rest = rest.dropFirst(part.count)
        }
        settle_baselines_finish(start, names, &counts)
        return counts
    }

    private func words(_ counts: settle_baselines) -> [UInt64] {
        [counts.every_change, counts.every_change_wasted, counts.debounce, counts.debounce_wasted]
    }

    private func words(_ naive: NaiveBaselines) -> [UInt64] {
        [naive.everyChange, naive.everyChangeWasted, naive.debounce, naive.debounceWasted].map { UInt64($0) }
    }

    func testRandomLogs_areCountedAsPairsOfChangesSay() {
        var random = SplitMix64(seed: 8)
        var sums = [UInt64](repeating: 0, count: 4)
        for seed: UInt64 in 0..<1_000 {
            let events = RandomLog(seed: seed).events
            let found = words(counted(events, names: 5, parts: &random))
            let expected = words(NaiveBaselines(events.map(\.event)))
            guard found == expected else { return XCTFail("seed \(seed): \(found), naively \(expected)") }
            sums = zip(sums, found).map(+)
        }
        for sum in sums { XCTAssertGreaterThan(sum, 1_000) }
        XCTAssertLessThan(sums[1], sums[0])
        XCTAssertLessThan(sums[3], sums[2])
    }

    func testStep_saysWhatAnEventDoes() {
        var scene = settle_baseline_scene()
        settle_baselines_start(&scene, 1)
        func step(_ event: settle_log_event) -> Int {
            withUnsafePointer(to: event) { Int(settle_baseline_step(&scene, $0)) }
        }
        let (changed, fired) = (Int(SETTLE_BASELINE_CHANGED.rawValue), Int(SETTLE_BASELINE_FIRED.rawValue))
        let delay = UInt64(SETTLE_DEBOUNCE_NS)
        XCTAssertEqual(step(settle_log_event(SETTLE_GEOMETRY, 0, at: 5, 1, 1)), changed)
        XCTAssertEqual(step(settle_log_event(SETTLE_GEOMETRY, 0, at: 6, 1, 1)), 0)
        for (width, height) in [(0.0, 1.0), (1, 0), (-1, 1), (1, -1), (.nan, 1), (1, .infinity)] {
            XCTAssertEqual(step(settle_log_event(SETTLE_GEOMETRY, 0, at: 6, width, height)), 0)
        }
        // The time is out of range, so it fires nothing either.
        XCTAssertEqual(step(settle_log_event(SETTLE_GEOMETRY, 0, at: .max, 2, 2)), 0)
        XCTAssertEqual(step(settle_log_event(SETTLE_CONNECT, 0, at: 5 + delay, 2, 2)), fired)
        XCTAssertEqual(scene.fired_ns, 5 + delay)
        XCTAssertEqual(step(settle_log_event(SETTLE_GEOMETRY, 0, at: 5 + delay, 2, 1)), changed)
        XCTAssertEqual(step(settle_log_event(SETTLE_GEOMETRY, 0, at: 5 + 2 * delay, 2, 2)), changed | fired)
        XCTAssertEqual(step(settle_log_event(SETTLE_DISCONNECT, 0, at: 6 + 2 * delay)), 0)
        XCTAssertEqual(step(settle_log_event(SETTLE_GEOMETRY, 0, at: 7 + 9 * delay, 2, 2)), changed)
    }
}
