import CCaseRunner
import CSettle
import TestSupport
import XCTest

@testable import SettleLog

/// Cases of logs in memory that are made by hand.
final class WholeLogCasesTests: XCTestCase {
    /// An event of three bytes: of the first scene, two nanoseconds later.
    private let event: [UInt8] = [0x00, 2, 0]
    private let malformed = SETTLE_LOG_EVENTS_MALFORMED.rawValue

    private func names(_ names: [UInt8]...) -> [UInt8] {
        LogParts.chunk(names: names, events: (0..<3).flatMap { _ in event }, count: 3)
    }

    private func read(_ bytes: [UInt8], salvages: Bool = false, line: UInt = #line) -> WholeLog {
        assertReadAlike(bytes, "by hand", line: line)
        return WholeLog(bytes, salvages: salvages, line: line)
    }

    func testEachLogOfTheCasesIsReadAlike() throws {
        var logs = 0
        for pair in try CasePair.all(of: "binary") {
            var count = 0
            guard let bytes = case_binary_log(pair.input, String(jsonHeader.dropLast()), &count) else { continue }
            assertReadAlike(Array(UnsafeBufferPointer(start: bytes, count: count)), pair.place)
            logs += 1
        }
        XCTAssertGreaterThan(logs, 100)
    }

    func testNamesOfEveryLength() {
        for count in [0, 1, 7, 8, 9, 16, 17, 1023, 1024, 1025, 65535] {
            let name = (0..<count).map { UInt8(97 + $0 % 26) }
            let isFine = count <= 1024
            let whole = read(LogParts(chunks: [names(name), names(name, Array("b".utf8))]).bytes)
            XCTAssertEqual(whole.names, isFine ? [name, Array("b".utf8)] : [], "\(count) bytes")
            XCTAssertEqual(whole.events.map(\.name), isFine ? [0, 0, 0, 0, 0, 0] : [], "\(count) bytes")
            XCTAssertEqual(whole.damage, isFine ? 0 : malformed, "\(count) bytes")
        }
    }

    func testNamesMustBeUTF8() {
        let sound: [[UInt8]] = [
            [0], [0x7F], [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xEC, 0x80, 0x80], [0xED, 0x9F, 0xBF],
            [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBF], [0xF0, 0x90, 0x80, 0x80], [0xF1, 0x80, 0x80, 0xBF],
            [0xF4, 0x8F, 0xBF, 0xBF],
        ]
        let wrong: [[UInt8]] = [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x7F], [0xC2, 0xC0], [0xE0, 0x9F, 0xBF],
            [0xE1, 0x80], [0xE1, 0x80, 0x7F], [0xE1, 0x80, 0xC0], [0xE1, 0x7F, 0x80], [0xED, 0xA0, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF1, 0x80, 0x80], [0xF1, 0x80, 0x80, 0x7F], [0xF1, 0x80, 0x7F, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ]
        for (names, isFine) in [(sound, true), (wrong, false)] {
            for bytes in names {
                for name in [bytes, [0x61] + bytes + [0x62], bytes + bytes + Array("and more".utf8)] {
                    let log = LogParts(chunks: [self.names(Array("a".utf8)), self.names(name), self.names([0x63])])
                    let whole = read(log.bytes)
                    XCTAssertEqual(whole.damage, isFine ? 0 : malformed, "\(name)")
                    XCTAssertEqual(whole.damagedAt, isFine ? nil : log.header.count + log.chunks[0].count, "\(name)")
                    XCTAssertEqual(whole.events.count, isFine ? 9 : 3, "\(name)")
                    XCTAssertEqual(read(log.bytes, salvages: true).events.count, isFine ? 9 : 6, "\(name)")
                }
            }
        }
    }

    func testANameEndsBeforeTheNextOnesLength() {
        // The next name's length begins with a byte that could continue a character.
        let next = [UInt8](repeating: 0x61, count: 0x80)
        for name: [UInt8] in [[0xC2], [0xE1, 0x80], [0xF1, 0x80, 0x80]] {
            XCTAssertEqual(read(LogParts(chunks: [names(name, next)]).bytes).damage, malformed, "\(name)")
        }
    }

    func testManyNamesKeepTheirNumbers() {
        var chunks: [[UInt8]] = []
        for first in 0..<100 {
            // Each chunk repeats half of the names before, and a table of them fills to its half.
            let names = (0..<41).map { Array("scene \(first * 20 + $0)".utf8) }
            let events: [UInt8] = names.indices.flatMap { [0x20, 1, 0, UInt8($0)] }
            chunks.append(LogParts.chunk(names: names, events: events, count: 41))
        }
        let whole = read(LogParts(chunks: chunks).bytes)
        XCTAssertEqual(whole.damage, 0)
        XCTAssertEqual(whole.names, (0..<2021).map { Array("scene \($0)".utf8) })
        let expected = (0..<100).flatMap { chunk in (0..<41).map { UInt32(chunk * 20 + $0) } }
        XCTAssertEqual(whole.events.map(\.name), expected)
    }

    func testClaimsAreBoundedByTheLength() {
        let name = [[UInt8]("a".utf8)]
        for count: UInt32 in [0, 1, 2, 3, 4, 5, 100, 65_536] {
            let chunk = LogParts.chunk(names: name, events: event + event + event, count: count)
            let whole = read(LogParts(chunks: [chunk]).bytes)
            // A dictionary has no more names than the chunk has events.
            let damage = count == 0 ? SETTLE_LOG_CHUNK_DAMAGED.rawValue : count == 3 ? 0 : malformed
            XCTAssertEqual(whole.damage, damage, "\(count) events")
            XCTAssertEqual(whole.events.count, min(Int(count), 3), "\(count) events")
        }
        for scenes: UInt32 in [0, 1, 2, 65_536] {
            let chunk = LogParts.chunk(names: [], events: [], count: 65_536, scenes: scenes)
            let whole = read(LogParts(chunks: [chunk, chunk, names([0x61])]).bytes, salvages: true)
            XCTAssertEqual(whole.damage, malformed, "\(scenes) scenes")
            XCTAssertEqual(whole.events.count, 3, "\(scenes) scenes")
        }
        XCTAssertEqual(read(LogParts(chunks: [LogParts.chunk(names: [], events: [], count: 0)]).bytes).damage, 0)
    }

    func testDictionariesFillTheirLength() {
        for (bytes, isFine) in [(0, false), (2, false), (3, true), (4, false), (8, false), (13, false)] {
            let chunk = LogParts.chunk(
                names: [Array("a".utf8)], events: event + event + event, count: 3, dictionaryBytes: bytes)
            XCTAssertEqual(read(LogParts(chunks: [chunk]).bytes).damage == 0, isFine, "\(bytes) bytes")
        }
    }

    func testAChunkWithinAnIndexIsHiddenWhileTheIndexIsIntact() {
        let chunk = names([0x61])
        var hidden = chunk + [UInt8](repeating: 0, count: (32 - chunk.count % 32) % 32)
        var entries: [settle_log_index_entry] = []
        while !hidden.isEmpty {
            var entry = settle_log_index_entry()
            settle_log_read_footer_entry(Array(hidden.prefix(32)), &entry)
            entries.append(entry)
            hidden.removeFirst(32)
        }
        let log = LogParts(chunks: [chunk])
        var index = LogParts.index(of: entries)
        let intact = read(log.withoutIndex + index, salvages: true)
        XCTAssertEqual(intact.damage, SETTLE_LOG_INDEX_DIFFERS.rawValue)
        XCTAssertEqual(intact.events.count, 3)
        index[index.count - 16] ^= 1
        let damaged = read(log.withoutIndex + index, salvages: true)
        XCTAssertEqual(damaged.events.count, 6)
        XCTAssertNotEqual(damaged.damage & SETTLE_LOG_INDEX_DAMAGED.rawValue, 0)
    }

    func testMemoryThatDoesNotFitIsRefused() {
        let bytes = LogParts(chunks: [names([0x61])]).bytes
        var whole = settle_log_whole()
        XCTAssertEqual(settle_log_measure(bytes, bytes.count, false, &whole), 0)
        XCTAssertEqual(settle_log_measure(nil, 0, true, nil), SETTLE_LOG_MALFORMED.rawValue)
        bytes.withUnsafeBufferPointer { start in
            whole.bytes = start.baseAddress
            let size = settle_log_whole_size(&whole)
            let memory = GuardedMemory(byteCount: size + 8)
            var contents = settle_log_contents()
            contents.names_count = 77
            XCTAssertEqual(settle_log_read_whole(&whole, [3, 5], nil, size, &contents), SETTLE_INVALID.rawValue)
            XCTAssertEqual(
                settle_log_read_whole(&whole, [3, 5], memory.start, size - 1, &contents), SETTLE_INVALID.rawValue)
            for offset in 1..<8 {
                let result = settle_log_read_whole(&whole, [3, 5], memory.start + offset, size, &contents)
                XCTAssertEqual(result, SETTLE_INVALID.rawValue)
            }
            XCTAssertEqual(contents.names_count, 77)
            XCTAssertEqual(
                settle_log_read_whole(&whole, [3, 5], memory.start + 8, size, &contents), SETTLE_OK.rawValue)
            XCTAssertEqual(contents.names_count, 1)

            var large = whole
            large.names = 1 << 28
            XCTAssertGreaterThan(settle_log_whole_size(&large), 24 << 28)
            large.names += 1
            XCTAssertEqual(settle_log_whole_size(&large), 0)
            XCTAssertEqual(
                settle_log_read_whole(&large, [3, 5], memory.start, .max, &contents), SETTLE_INVALID.rawValue)
            large = whole
            large.events = 1 << 58
            XCTAssertEqual(settle_log_whole_size(&large), 0)
        }
    }
}
