import CSettle
import Settle
import TestSupport
import XCTest

/// Sums in place of logs. `Tests/Python/test_sums.py` compares them with sweeps of whole logs.
final class SumsTests: XCTestCase {
    private static let header = 14
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

    /// As many counts as there can be, in records that are as short as is promised.
    func testManyCountsHaveSeveralRecords() {
        var full = Counted(policies: 3)
        full.sums.sessions = 1
        full.sums.events = UInt64(UInt32.max)
        for index in 0..<3 {
            withUnsafeMutableBytes(of: &full.counts[index]) {
                let words = $0.bindMemory(to: UInt64.self)
                for cell in 0..<1164 { words[cell] = UInt64(UInt32.max) - UInt64(cell * index) }
            }
        }
        let records = records(full)
        XCTAssertGreaterThan(records.count, 15)
        XCTAssert(records.allSatisfy { $0.count <= Int(SETTLE_SUMS_BYTES_MAX) })
        var added = Counted(policies: 3)
        for record in records.reversed() { XCTAssertEqual(add(record, &added), 0) }
        XCTAssertEqual(added.words, full.words)
    }

    func testWhatNoRecordHoldsIsNotWritten() {
        func isWritten(_ change: (inout Counted) -> Void, policies count: Int = 3, from: UInt32 = 0) -> Bool {
            var (counted, next) = (Counted(policies: 11), from)
            counted.sums.sessions = 1
            change(&counted)
            var bytes = [UInt8](repeating: 0, count: Int(SETTLE_SUMS_BYTES_MAX))
            let many = Array(repeating: policies[0], count: 11)
            return settle_sums_write(&counted.sums, counted.counts, many, count, &next, &bytes) > 0
        }
        XCTAssert(isWritten { _ in })
        XCTAssert(isWritten({ _ in }, policies: 10))
        XCTAssert(isWritten({ $0.counts[2].builds = 1 << 40 }))
        for count in [0, 11] { XCTAssertFalse(isWritten({ _ in }, policies: count)) }
        XCTAssertFalse(isWritten { $0.sums.sessions = 2 })
        XCTAssertFalse(isWritten { $0.sums.baselines.debounce_wasted = 1 << 32 })
        XCTAssertFalse(isWritten { $0.counts[2].released = 1 << 32 })
        XCTAssertFalse(isWritten({ _ in }, from: 3 * 1164))
    }

    func testRecordsThatAreNoneAddNothing() {
        var (one, nothing) = (Counted(policies: 3), Counted(policies: 3))
        XCTAssertEqual(count(RandomLog(seed: 7).events, into: &one), 0)
        let record = records(one)[0]

        func signed(_ body: [UInt8]) -> [UInt8] {
            var body = body
            let length = body.count + 4
            (body[12], body[13]) = (UInt8(truncatingIfNeeded: length), UInt8(length >> 8))
            let crc = settle_crc32c(0, body, body.count)
            return body + (0..<4).map { UInt8(truncatingIfNeeded: crc >> (8 * $0)) }
        }
        func changed(_ at: Int, _ value: UInt8) -> [UInt8] {
            var body = Array(record.dropLast(4))
            body[at] = value
            return signed(body)
        }
        let (head, figures) = (Array(record.prefix(Self.header)), [UInt8](repeating: 1, count: 6))
        // As a varint, 3,492 cells are 0xa4 27.
        let damaged =
            (0..<record.count).map { Array(record.prefix($0)) }
            + [
                record + [83], record + record.dropLast(), changed(0, 0), changed(4, 0), changed(5, 4), changed(7, 1),
                signed(head), signed(head + figures.dropLast() + [0x80]), signed(head + figures + [5]),
                signed(head + figures + [5, 0]), signed(head + figures + [5, 1, 0, 1]),
                signed(head + figures + [0xff, 0xff, 0xff, 0xff, 0x1f, 1]),
                signed(head + figures + [0x80, 0x80, 0x80, 0x80, 0x80, 1]), signed(head + figures + [0x81, 0, 1]),
                signed(head + figures + [0xa4, 27, 1]),
                signed(head + [UInt8](repeating: 1, count: 1200)),
            ]
        for bytes in damaged { XCTAssertEqual(add(bytes, &nothing), SETTLE_SUMS_DAMAGED.rawValue, "\(bytes)") }
        var short = record
        short[12] = 3
        short[13] = 0
        XCTAssertEqual(add(short, &nothing), SETTLE_SUMS_DAMAGED.rawValue)
        XCTAssertEqual(add(changed(4, 2), &nothing), SETTLE_SUMS_NEWER.rawValue)
        XCTAssertEqual(add(record, &nothing, policies.reversed()), SETTLE_SUMS_OTHERS.rawValue)
        XCTAssertEqual(add(record, &nothing, [policies[0]]), SETTLE_SUMS_OTHERS.rawValue)
        XCTAssertEqual(nothing.words, Counted(policies: 3).words)
        XCTAssertEqual(add(signed(head + figures + [0, 1, 0xa3, 27, 2]), &nothing), 0)
        XCTAssertEqual(nothing.words.reduce(0, +), 1 + 6 + 3)
        XCTAssertEqual(nothing.counts[2].lag.1152, 2)
    }
}
