import Foundation
import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// Appending cuts off a torn end and nothing else, and what is unknown of a log stays so.
final class AppendingTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private var path: String { folder.file("log") }

    /// A log of three chunks of three events.
    private struct Sample {
        var bytes: [UInt8]
        var headerEnd: Int
        var chunks: [Range<Int>]
        var indexStart: Int { chunks[2].upperBound }
        var withoutIndex: [UInt8] { Array(bytes[..<indexStart]) }
    }

    private func sample(names: [String] = ["a", "b"]) throws -> Sample {
        let scenes = SceneNames()
        let numbers = names.map(scenes.number)
        let events: [LogEvent] = (0..<9).map { step in
            .geometry(
                numbers[step % numbers.count], at: Timestamp(nanoseconds: UInt64(1000 + step * 70_000)),
                size: Size(width: Double(step), height: 300))
        }
        let bytes = try written(as: .settle, eventsPerChunk: 3, scenes: scenes, events)
        let reader = try BinaryReader(ByteInput(bytes: bytes, name: "test"))
        let batch = EventBatch()
        while try reader.read(into: batch) { batch.removeAll() }
        let chunks = try XCTUnwrap(reader.index?.entries).map { Int($0.offset)..<Int($0.end) }
        XCTAssertEqual(chunks.count, 3)
        return Sample(bytes: bytes, headerEnd: chunks[0].lowerBound, chunks: chunks)
    }

    private struct Appended {
        var refusal: LogError?
        var cutBytes: UInt64 = 0
        var lacksIndex = false
        /// What the file holds afterwards, with one event behind what was kept.
        var log = ReadLog()
        var kept: Int { log.events.count - 1 }
    }

    /// Appends an event to a file; a refusal must leave the file as it is.
    private func append(
        to bytes: [UInt8], _ what: String, file: StaticString = #filePath, line: UInt = #line
    ) throws -> Appended {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        var appended = Appended()
        do throws(LogError) {
            let recorder = try LogRecorder(path: path, header: LogHeader(), opening: .appending, sync: .never)
            appended.cutBytes = recorder.cutBytes
            appended.lacksIndex = recorder.lacksIndex
            let scene = try recorder.scene(named: "late")
            try recorder.append(.connect(scene, at: Timestamp(nanoseconds: 1 << 40)))
            try recorder.finish()
        } catch {
            appended.refusal = error
            XCTAssertEqual(
                try SettleLogTests.bytes(ofFile: path), bytes, "\(what): refused and changed", file: file, line: line)
            return appended
        }
        appended.log = readLog(try SettleLogTests.bytes(ofFile: path), format: .settle)
        XCTAssertEqual(appended.log.faults, [], what, file: file, line: line)
        XCTAssertEqual(appended.log.events.last?.scene, "late", what, file: file, line: line)
        return appended
    }

    private func assertRefused(
        _ bytes: [UInt8], _ what: String, file: StaticString = #filePath, line: UInt = #line
    ) throws {
        let refusal = try append(to: bytes, what, file: file, line: line).refusal
        XCTAssertEqual(
            refusal?.problem.contains("recover the log before appending to it"), true,
            "\(what): \(refusal?.description ?? "appended")", file: file, line: line)
    }

    func testAFlippedBitAnywhereInALogWithAnIndexIsRefused() throws {
        let sample = try sample()
        for position in sample.bytes.indices {
            for bit in 0..<8 {
                var damaged = sample.bytes
                damaged[position] ^= 1 << bit
                XCTAssertNotNil(try append(to: damaged, "byte \(position), bit \(bit)").refusal, "\(position), \(bit)")
            }
        }
    }

    func testADamagedHeaderLengthIsNoTornHeader() throws {
        let sample = try sample()
        var damaged = sample.bytes
        damaged[13] ^= 0x80
        try assertRefused(damaged, "a length beyond the file's end")
        try assertRefused(Array(damaged[..<sample.indexStart]), "… without an index")
        try assertRefused(Array(damaged[..<(sample.headerEnd + 60)]), "… and a torn chunk")
    }

    func testATornEndIsCutOffAndWhatIsUnknownStaysUnknown() throws {
        for names in [["a", "b"], ["CHNKINDX", "INDX"]] {
            let sample = try sample(names: names)
            for length in 1..<sample.bytes.count {
                let appended = try append(to: Array(sample.bytes[..<length]), "cut at \(length)")
                XCTAssertNil(appended.refusal, "cut at \(length)")
                let whole = sample.chunks.filter { $0.upperBound <= length }
                XCTAssertEqual(appended.kept, 3 * whole.count, "cut at \(length)")
                let end = length < sample.headerEnd ? 0 : whole.last?.upperBound ?? sample.headerEnd
                XCTAssertEqual(appended.cutBytes, UInt64(length - end), "cut at \(length)")
                XCTAssert(appended.lacksIndex, "cut at \(length)")
                XCTAssert(appended.log.lacksEnd, "cut at \(length)")
                XCTAssertEqual(appended.log.notes.map { $0.contains("is unknown") }, [true], "cut at \(length)")
            }
        }
        for bytes in [[], try sample().bytes] {
            let appended = try append(to: bytes, "complete")
            XCTAssertNil(appended.refusal)
            XCTAssertFalse(appended.lacksIndex)
            XCTAssertFalse(appended.log.lacksEnd)
            XCTAssertEqual(appended.kept, bytes.isEmpty ? 0 : 9)
        }
    }

    func testAMissingChunkThatNoIndexListsStaysUnknown() throws {
        let sample = try sample()
        var bytes = sample.withoutIndex
        bytes.removeSubrange(sample.chunks[1])
        let once = try append(to: bytes, "once")
        XCTAssertNil(once.refusal)
        XCTAssert(once.log.lacksEnd)
        let twice = try append(to: try SettleLogTests.bytes(ofFile: path), "twice")
        XCTAssertNil(twice.refusal)
        XCTAssert(twice.log.lacksEnd)
        XCTAssertEqual(twice.kept, 7)
        let recovery = try LogRecovery(path: path)
        try recovery.run(to: ByteOutput(path: folder.file("out")))
        XCTAssertEqual(recovery.outcome, .unknown)
    }

    func testWhatStandsBehindAnIndexIsRefused() throws {
        let sample = try sample()
        let header = Array(sample.bytes[..<sample.headerEnd])
        let index = Array(sample.bytes[sample.indexStart...])
        for junk in [
            [0], Array("CHN".utf8), Array("IND".utf8), LogMagic.chunk, Array(repeating: 0, count: 47),
            Array(repeating: 0, count: 5000), header, index, Array(index.prefix(20)),
            Array(sample.bytes[sample.chunks[0].prefix(70)]), Array(sample.bytes[sample.chunks[0]]), sample.bytes,
        ] {
            try assertRefused(sample.bytes + junk, "\(junk.prefix(8)) of \(junk.count) bytes")
            let fault = readLog(sample.bytes + junk, format: .settle).faults.first
            XCTAssert(
                fault?.problem.contains("follows the index") == true, "\(String(describing: fault))")
        }
    }

    func testDamageThatIsNoTornEndIsRefusedAlsoWithoutAnIndex() throws {
        let sample = try sample()
        var damaged = sample.withoutIndex
        damaged[sample.chunks[2].lowerBound + 50] ^= 1
        try assertRefused(damaged, "a damaged last chunk")
        try assertRefused(damaged + [0x43], "a damaged chunk before a torn one")
        for count in [1, 47, 4096] {
            try assertRefused(sample.withoutIndex + Array(repeating: 0, count: count), "\(count) zeros")
        }
        // A hole in a finished log moves its last bytes up.
        let (chunk, index) = (sample.chunks[2].lowerBound, sample.indexStart)
        for hole in [chunk + 10..<index + 20, index + 4..<index + 12] {
            var shorter = sample.bytes
            shorter.removeSubrange(hole)
            try assertRefused(shorter, "bytes \(hole) missing")
        }
        var torn = sample.withoutIndex
        torn[sample.chunks[0].lowerBound + 50] ^= 1
        try assertRefused(Array(torn.dropLast(5)), "a torn end behind damage")
    }
    /// What begins like a chunk that reaches beyond the file's end is no torn end if something intact stands in it.
    func testSomethingIntactWithinATornEndIsRefused() throws {
        let (sample, scenes) = (try sample(), SceneNames())
        let scene = scenes.number(of: "a")
        let long: [LogEvent] = (0..<2000).map { step in
            let at = Timestamp(nanoseconds: UInt64(1000 + step * step * 7))
            return .geometry(scene, at: at, size: Size(width: Double(step), height: 300))
        }
        let whole = try written(as: .settle, eventsPerChunk: 2000, scenes: scenes, long)
        let none = try written(as: .settle, scenes: SceneNames(), [])
        let torn = Array(whole[..<(whole.count - 3000)])
        let (chunk, index) = (Array(sample.bytes[sample.chunks[0]]), Array(none[(none.count - 32)...]))
        XCTAssertEqual(readLog(none, format: .settle).events.count, 0)
        XCTAssertNil(try append(to: torn, "a torn chunk").refusal)
        for (frame, what) in [(chunk, "a chunk"), (index, "an index of nothing"), (index + chunk, "both")] {
            try assertRefused(torn + frame, what)
        }
    }

    func testTheFirstNewEventIsNoEarlierThanTheLastOfAnyChunk() throws {
        let sample = try sample()
        for (time, isRefused) in [(1000 + 8 * 70_000 - 1, true), (1000 + 8 * 70_000, false)] {
            try Data(sample.bytes).write(to: URL(fileURLWithPath: path))
            do throws(LogError) {
                _ = try LogRecorder(
                    path: path, header: LogHeader(), opening: .appending,
                    firstEvent: Timestamp(nanoseconds: UInt64(time)), sync: .never)
                XCTAssertFalse(isRefused)
            } catch {
                XCTAssertEqual(error.kind, .outOfOrder)
                XCTAssert(isRefused)
                XCTAssertEqual(try SettleLogTests.bytes(ofFile: path), sample.bytes)
            }
        }
    }
}
