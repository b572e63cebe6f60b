import CSettle
import Settle
import TestSupport
import XCTest

/// Sums in place of logs. `Tests/Python/test_sums.py` compares them with sweeps of whole logs.
final class SumsTests: XCTestCase {
    private let policies = [settle_policy](
        [Policy.default, .uikit, Policy(pauseDelay: .milliseconds(80))].map(settle_policy.init))

    /// A session's figures and counts.
    private struct Counted {
        var sums = settle_sums()
        var counts: [settle_sweep_counts]

        init(policies: Int) { counts = Array(repeating: settle_sweep_counts(), count: policies) }

        var words: [UInt64] {
            withUnsafeBytes(of: sums) { Array($0.bindMemory(to: UInt64.self)) }
                + counts.withUnsafeBytes { Array($0.bindMemory(to: UInt64.self)) }
        }
    }

    private func count(
        _ events: [settle_log_event], into counted: inout Counted, policies: [settle_policy]? = nil,
        names: UInt32? = nil,
        connections: Int? = nil, lacking: Int = 0
    ) -> Int32 {
        let policies = policies ?? self.policies
        let largest = events.filter { $0.kind != SETTLE_POINTER.rawValue }.map(\.name).max()
        let names = names ?? largest.map { $0 + 1 } ?? 0
        var events = events
        var scratch = [Bool](repeating: false, count: Int(names) + 1)
        let found = connections ?? settle_sweep_connections(events, events.count, names, &scratch)
        let size = settle_sums_size(events.count, names, found)
        let memory = GuardedMemory(byteCount: (size + 63) / 64 * 64)
        return settle_sums_count(
            &events, events.count, names, found, policies, policies.count, memory.start, size - lacking, &counted.sums,
            &counted.counts)
    }

    private func records(_ counted: Counted) -> [[UInt8]] {
        var (records, next) = ([[UInt8]](), UInt32(0))
        while true {
            let memory = GuardedMemory(byteCount: Int(SETTLE_SUMS_BYTES_MAX))
            let bytes = memory.start.assumingMemoryBound(to: UInt8.self)
            var sums = counted.sums
            let size = settle_sums_write(&sums, counted.counts, policies, policies.count, &next, bytes)
            if size == 0 { return records }
            records.append(Array(UnsafeBufferPointer(start: bytes, count: size)))
        }
    }

    private func add(_ bytes: [UInt8], _ counted: inout Counted, _ policies: [settle_policy]? = nil) -> Int32 {
        let policies = policies ?? self.policies
        let memory = GuardedMemory(byteCount: bytes.count)
        memory.start.copyMemory(from: bytes, byteCount: bytes.count)
        return settle_sums_add(
            memory.start, bytes.count, policies, policies.count, &counted.sums, &counted.counts)
    }

    func testRandomSessionsAddUpToTheirSweep() {
        var (all, added) = (Counted(policies: 3), Counted(policies: 3))
        var sent: [UInt8] = []
        for seed: UInt64 in 0..<200 {
            let events = RandomLog(seed: seed).events
            var one = Counted(policies: 3)
            XCTAssertEqual(count(events, into: &one), 0)
            XCTAssertEqual(count(events, into: &all), 0)
            let counted = BoundEvents(events).counts(policies)
            XCTAssertEqual(one.words.dropFirst(8).map { $0 }, counted?.flatMap { $0 }, "seed \(seed)")
            one.sums.without_index = seed % 2
            all.sums.without_index += seed % 2
            for record in records(one) {
                XCTAssertEqual(add(record, &added), 0)
                sent += record
            }
        }
        XCTAssertEqual(added.words, all.words)
        XCTAssertEqual(added.sums.sessions, 200)
        var atOnce = Counted(policies: 3)
        XCTAssertEqual(add(sent, &atOnce), 0)
        XCTAssertEqual(atOnce.words, all.words)
    }

    func testMemoryAndEventsAreVerified() {
        let event = settle_log_event(SETTLE_GEOMETRY, 1, at: 1, 5, 5)
        var counted = Counted(policies: 3)
        XCTAssertEqual(count([event], into: &counted, names: 1, connections: 1), SETTLE_INVALID.rawValue)
        XCTAssertEqual(count([event], into: &counted, connections: 0), SETTLE_INVALID.rawValue)
        XCTAssertEqual(count([event], into: &counted, lacking: 1), SETTLE_INVALID.rawValue)
        XCTAssertEqual(settle_sums_size(1, 1, Int(SETTLE_SCENES_MAX) + 1), 0)
        var events = [event]
        for memory in [nil, UnsafeMutableRawPointer(bitPattern: 65)] {
            let result = settle_sums_count(
                &events, 1, 2, 1, policies, 3, memory, 1 << 30, &counted.sums, &counted.counts)
            XCTAssertEqual(result, SETTLE_INVALID.rawValue)
        }
        var wrong = policies
        wrong[2].live_share_percent = 101
        XCTAssertEqual(count([event], into: &counted, policies: wrong), SETTLE_INVALID.rawValue)
        // A pointer event's button is no name.
        let button = settle_log_event(SETTLE_POINTER, 9, at: 1, flags: 256)
        XCTAssertEqual(count([button], into: &counted), 0)
    }
}
