import CSettle
import Foundation
import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// The C functions that read a log that is in memory as a whole, against the reader and its recovery:
/// the same events, and damage where that has a fault.
final class WholeLogTests: XCTestCase {
    private func smallLog(_ step: Int = 3) throws -> LogParts {
        let scenes = SceneNames()
        let numbers = ["a", "é, a longer name", ""].map(scenes.number)
        let events: [LogEvent] = (0..<4 * step).map { number in
            let at = Timestamp(nanoseconds: UInt64(1000 + number * 70_000))
            if number % 5 == 4 { return .pointer(button: 1, at: at, isPressed: number % 2 == 0) }
            return .geometry(
                numbers[number % 3], at: at, size: Size(width: Double(number * step), height: 300),
                isInteractivelyResizing: number % 4 != 3)
        }
        return try LogParts(
            try written(
                as: .settle, header: LogHeader(name: "CHNK"), eventsPerChunk: step, scenes: scenes, events))
    }

    /// The first events of each recording, or all of them.
    private func recordings(events: Int, perChunk: Int) throws -> [(name: String, log: LogParts)] {
        try Recordings.names.map { name in
            let reader = try LogReader(ByteInput(path: Recordings.log(name)))
            let batch = EventBatch()
            var all: [LogEvent] = []
            while all.count < events, try reader.read(into: batch) {
                all += (0..<batch.count).map { batch[$0] }
                batch.removeAll()
            }
            let bytes = try written(
                as: .settle, header: reader.header, eventsPerChunk: perChunk, scenes: reader.scenes,
                Array(all.prefix(events)))
            return (name, try LogParts(bytes))
        }
    }

    func testRecordingsAreReadAlike() throws {
        for perChunk in [1, 50, 1024] {
            for (name, log) in try recordings(events: perChunk == 1 ? 100 : 3000, perChunk: perChunk) {
                let whole = WholeLog(log.bytes, salvages: false)
                XCTAssertEqual(whole.damage, 0, name)
                XCTAssertNil(whole.damagedAt, name)
                XCTAssertGreaterThanOrEqual(whole.events.count, 50, name)
                XCTAssertEqual(whole.metadata, Array(log.header[16..<log.header.count - 4]), name)
                XCTAssertEqual(WholeLog(log.withoutIndex, salvages: false).damage, noIndex, name)
                for bytes in [log.bytes, log.withoutIndex] { assertReadAlike(bytes, "\(name) by \(perChunk)") }
            }
        }
    }

    func testTheComparisonFindsEveryDifference() throws {
        let log = try smallLog().bytes
        let swift = SwiftLog(log, salvages: true)
        let whole = WholeLog(log, salvages: true)
        XCTAssertEqual(contradictions(swift, whole, salvages: true), [])
        func assertFound(_ change: (inout WholeLog) -> Void, line: UInt = #line) {
            var changed = whole
            change(&changed)
            XCTAssertEqual(contradictions(swift, changed, salvages: true).count, 1, line: line)
            XCTAssertEqual(
                contradictions(SwiftLog(log, salvages: false), changed, salvages: false).count, 1, line: line)
        }
        assertFound { $0.events.removeLast() }
        assertFound { $0.events[3].at_ns += 1 }
        assertFound { $0.events[3].width.negate() }
        assertFound { $0.names[1][0] ^= 1 }
        assertFound { $0.damage = SETTLE_LOG_CHUNK_DAMAGED.rawValue }
        assertFound { $0.damage = noIndex }
        assertFound { $0.result = SETTLE_LOG_MALFORMED.rawValue }
        var torn = SwiftLog(Array(log.dropLast()), salvages: false)
        XCTAssertEqual(contradictions(torn, whole, salvages: false).count, 2, "damage and its offset")
        torn = SwiftLog(Array(log.prefix(12)), salvages: false)
        XCTAssertEqual(contradictions(torn, whole, salvages: false).count, 1)
    }

    func testCutsAtEveryByte() throws {
        let log = try smallLog()
        for bytes in [log.bytes, log.bytes + log.bytes] {
            for length in 0..<bytes.count { assertReadAlike(Array(bytes[..<length]), "cut at \(length)") }
        }
    }

    func testEveryFlippedBit() throws {
        let log = try smallLog(2)
        for (bytes, bits) in [(log.bytes, 0..<8), (log.withoutIndex, 6..<7)] {
            for position in bytes.indices {
                for bit in bits {
                    var flipped = bytes
                    flipped[position] ^= 1 << bit
                    assertReadAlike(flipped, "bit \(bit) of byte \(position)")
                    XCTAssert(WholeLog(flipped, salvages: false).isDamaged || position < log.header.count)
                }
            }
        }
    }

    func testChunksInEveryOrderMissingDoubledAndForeign() throws {
        let (log, other) = (try smallLog(), try smallLog(2))
        let choices = log.chunks + [other.chunks[0], other.chunks[3], log.index]
        var orders: [[Int]] = [[]]
        for _ in 0..<4 {
            orders += orders.filter { $0.count == orders.last!.count }
                .flatMap { order in choices.indices.map { order + [$0] } }
        }
        var whole = 0
        for order in orders where Set(order).isSuperset(of: order.count < 3 ? [] : [0]) {
            let chunks = order.flatMap { choices[$0] }
            for index in [log.index, other.index, []] {
                assertReadAlike(log.header + chunks + index, "\(order), index of \(index.count) bytes")
            }
            whole += WholeLog(log.header + chunks + log.index, salvages: false).damage == 0 ? 1 : 0
        }
        XCTAssertEqual(whole, 1, "only one order is the index's")
    }

    func testSeededEditsOfRecordings() throws {
        var random = SplitMix64(seed: 14)
        var tally: [UInt32: Int] = [:]
        for perChunk in [7, 64] {
            let logs = try recordings(events: 200, perChunk: perChunk)
            for seed in 0..<800 {
                let (name, log) = random.pick(logs)
                let other = random.pick(logs).log
                var bytes = random.chance(70) ? log.bytes : log.withoutIndex
                for _ in 0..<1 + random.below(3) { Self.edit(&bytes, log, other, &random) }
                assertReadAlike(bytes, "\(name) by \(perChunk), seed \(seed)")
                let damage = WholeLog(bytes, salvages: true).damage
                for bit in 0..<8 where damage >> bit & 1 == 1 { tally[1 << bit, default: 0] += 1 }
            }
        }
        for bit in 0..<8 where bit != 3 { XCTAssertGreaterThan(tally[1 << bit] ?? 0, 20, "damage of bit \(bit)") }
    }

    private static func edit(_ bytes: inout [UInt8], _ log: LogParts, _ other: LogParts, _ random: inout SplitMix64) {
        let from = random.below(bytes.count + 1)
        let to = min(bytes.count, from + random.below(random.chance(50) ? 8 : 400))
        switch random.below(9) {
        case 0: bytes.removeLast(bytes.count - from)
        case 1: for place in from..<to { bytes[place] = UInt8(truncatingIfNeeded: random.next()) }
        case 2: if from < bytes.count { bytes[from] ^= 1 << UInt8(random.below(8)) }
        case 3: bytes.removeSubrange(from..<to)
        case 4: bytes.insert(contentsOf: bytes[from..<to], at: random.below(bytes.count + 1))
        case 5: bytes.insert(contentsOf: random.pick(log.chunks + other.chunks + [other.index]), at: from)
        case 6: bytes += random.pick([log.bytes, other.bytes, other.index, log.chunks[0], Array("IND".utf8)])
        case 7: for place in from..<to { bytes[place] = 0 }
        default: bytes.insert(contentsOf: random.pick([Array("CHNK".utf8), Array("INDX".utf8), [0x43]]), at: from)
        }
    }

    /// Nobody guesses a checksum, and behind it are the mistakes that matter.
    func testSeededEditsWithRightChecksums() throws {
        var random = SplitMix64(seed: 15)
        var malformed = 0
        let logs = try recordings(events: 60, perChunk: 9).map(\.log) + [smallLog()]
        for seed in 0..<2000 {
            var log = random.pick(logs)
            for _ in 0..<1 + random.below(2) {
                let chunk = random.below(log.chunks.count)
                let fields = random.chance(30) ? 4..<40 : 48..<log.chunks[chunk].count
                let place = fields.lowerBound + random.below(fields.count)
                if fields.lowerBound == 48, random.chance(20) {
                    log.chunks[chunk].remove(at: place)
                    let length = LogParts.littleEndian(UInt32(log.chunks[chunk].count - 48))
                    log.chunks[chunk].replaceSubrange(4..<8, with: length)
                } else {
                    log.chunks[chunk][place] = random.chance(50) ? UInt8(random.below(4)) : UInt8(random.below(256))
                }
                log.chunks[chunk] = LogParts.sealed(log.chunks[chunk])
            }
            if random.chance(50) { log = LogParts(header: log.header, chunks: log.chunks) }
            assertReadAlike(log.bytes, "seed \(seed)")
            let isMalformed = WholeLog(log.bytes, salvages: true).damage & SETTLE_LOG_EVENTS_MALFORMED.rawValue != 0
            malformed += isMalformed ? 1 : 0
        }
        XCTAssertGreaterThan(malformed, 300)
    }
}
