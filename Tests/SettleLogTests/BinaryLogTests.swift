import CSettle
import Settle
import TestSupport
import XCTest

@testable import SettleLog

final class BinaryLogTests: XCTestCase {
    /// A small log of three chunks with every kind of event.
    private func smallLog() throws -> (bytes: [UInt8], events: [(event: LogEvent, scene: String)]) {
        let scenes = SceneNames()
        let (a, b) = (scenes.number(of: "a"), scenes.number(of: "ünï"))
        func at(_ time: UInt64) -> Timestamp { Timestamp(nanoseconds: time) }
        let events: [LogEvent] = [
            .connect(a, at: at(5)),
            .geometry(a, at: at(10), size: Size(width: 400, height: 300), isInteractivelyResizing: true),
            .geometry(b, at: at(10), size: Size(width: 0.1, height: -7)),
            .geometry(a, at: at(9), size: Size(width: 401, height: 299)),
            .pointer(button: 272, at: at(70_000), isPressed: true),
            .geometry(b, at: at(20_000_000), isInterfaceOrientationLocked: true, orientation: .landscapeRight),
            .geometry(b, at: at(6_000_000_000), size: Size(width: .nan, height: .infinity)),
            .pointer(button: 272, at: at(6_000_000_001), isPressed: false),
            .geometry(b, at: at(UInt64(Int64.max)), size: Size(width: 5000, height: 5000)),
            .disconnect(a, at: at(6_000_000_002)),
        ]
        let bytes = try written(
            as: .settle, header: LogHeader(name: "small"), eventsPerChunk: 4, scenes: scenes, events)
        return (bytes, events.map { ($0, $0.kind == .pointer ? "" : scenes[$0.name]) })
    }

    func testEveryEventComesBackBitForBit() throws {
        let (bytes, events) = try smallLog()
        let log = readLog(bytes)
        XCTAssertEqual(log.faults, [])
        XCTAssertEqual(log.notes, [])
        XCTAssertEqual(log.header.name, "small")
        assertSameEvents(events, log.events)
    }

    /// Times go back within chunks and between them.
    func testEachChunkHasTheTimesOfItsOwnEvents() throws {
        let times: [UInt64] = [50, 90, 10, 30, 70, 20, 60, 60, 0]
        let events = times.map { LogEvent.pointer(button: 1, at: Timestamp(nanoseconds: $0), isPressed: true) }
        let bytes = try written(as: .settle, eventsPerChunk: 2, scenes: SceneNames(), events)
        let frames = BinaryFrames(ByteInput(bytes: bytes, name: "log"))
        _ = try frames.readHeader()
        var found: [String] = []
        while true {
            switch try frames.next() {
            case .chunk(let chunk, _, _): found.append("\(chunk.first_ns)…\(chunk.last_ns)")
            case .index(let index): found.append("index of \(index.entries.count)")
            case .end:
                XCTAssertEqual(found, ["50…90", "10…30", "20…70", "60…60", "0…0", "index of 5"])
                return
            default: return XCTFail("\(found)")
            }
        }
    }

    func testRecordingsComeBackAndW06TakesAtMostEightBytesAnEvent() throws {
        for name in Recordings.names {
            let original = readLog(try bytes(ofFile: Recordings.log(name)))
            let scenes = SceneNames()
            var events: [LogEvent] = []
            for (event, scene) in original.events {
                var event = event
                if event.kind != .pointer { event.name = scenes.number(of: scene) }
                events.append(event)
            }
            let binary = try written(as: .settle, header: original.header, scenes: scenes, events)
            let back = readLog(binary)
            XCTAssertEqual(back.faults, [], name)
            XCTAssertEqual(back.header, original.header)
            assertSameEvents(original.events, back.events, name)
            if name.hasPrefix("w06") { XCTAssertLessThanOrEqual(binary.count, 8 * events.count) }
        }
    }

    func testTruncationAtEveryByteLosesAtMostTheLastChunk() throws {
        let (bytes, events) = try smallLog()
        let index = try chunkOffsets(bytes)
        for length in 0..<bytes.count {
            let log = readLog(Array(bytes[..<length]), format: .settle)
            let whole = index.filter { $0.end <= length }.map(\.events).reduce(0, +)
            XCTAssertEqual(log.events.count, whole, "cut at \(length)")
            assertSameEvents(Array(events[..<log.events.count]), log.events, "cut at \(length)")
            let atChunkEnd = index.contains { $0.end == length } || index.first?.start == length
            XCTAssertEqual(log.faults.isEmpty, atChunkEnd, "cut at \(length): \(log.faults)")
            XCTAssert(log.faults.allSatisfy { $0.kind == .truncated }, "cut at \(length): \(log.faults)")
            if atChunkEnd { XCTAssertEqual(log.notes.count, 1, "a note on the missing index at \(length)") }
        }
    }

    func testAChangedByteIsFoundAndCostsAtMostItsChunk() throws {
        let (bytes, events) = try smallLog()
        let index = try chunkOffsets(bytes)
        for position in bytes.indices {
            for change: UInt8 in [0x01, 0x80, 0xFF] {
                var damaged = bytes
                damaged[position] ^= change
                let log = readLog(damaged, format: .settle)
                XCTAssertFalse(log.faults.isEmpty, "byte \(position) ^ \(change) went unnoticed")
                guard position >= index[0].start else { continue }
                let kept = events.count - (index.first { $0.start <= position && position < $0.end }?.events ?? 0)
                XCTAssertEqual(log.events.count, kept, "byte \(position) ^ \(change)")
            }
        }
    }

    private func chunkOffsets(_ bytes: [UInt8]) throws -> [(start: Int, end: Int, events: Int)] {
        let reader = try BinaryReader(ByteInput(bytes: bytes, name: "test"))
        let batch = EventBatch()
        while try reader.read(into: batch) { batch.removeAll() }
        let entries = try XCTUnwrap(reader.index?.entries)
        return entries.map { (Int($0.offset), Int($0.offset) + Int($0.bytes), Int($0.events)) }
    }

    func testANewerMajorVersionIsRefusedClearly() throws {
        var (bytes, _) = try smallLog()
        bytes[8] = 4
        let log = readLog(bytes)
        XCTAssertEqual(log.faults.map(\.kind), [.newerVersion])
        XCTAssert(log.faults[0].problem.contains("version 4 is newer than the 3"), log.faults[0].problem)
        XCTAssertEqual(log.events.count, 0)
    }

    func testContentWinsOverAWrongName() throws {
        XCTAssertEqual(readLog(try smallLog().bytes, name: "wrong.jsonl").events.count, 10)
        XCTAssertEqual(readLog(jsonHeader, name: "wrong.settle").faults, [])
        XCTAssertEqual(readLog("garbage", name: "x.settle").faults.count, 1)
    }

    func testAnEmptyLogIsALog() throws {
        let log = readLog(try written(as: .settle, scenes: SceneNames(), []))
        XCTAssertEqual(log.faults, [])
        XCTAssertEqual(log.notes, [])
    }

    func testManyScenesInOneChunk() throws {
        let scenes = SceneNames()
        var events: [LogEvent] = []
        for round in 0..<2 {
            for number in 0..<70_000 {
                let scene = scenes.number(of: "scene \(number)")
                let size = Size(width: Double(number), height: Double(round))
                events.append(.geometry(scene, at: Timestamp(nanoseconds: UInt64(round * 70_000 + number)), size: size))
            }
        }
        let log = readLog(try written(as: .settle, scenes: scenes, events))
        XCTAssertEqual(log.faults, [])
        assertSameEvents(events.map { ($0, scenes[$0.name]) }, log.events)
    }

    func testRandomEventsComeBack() throws {
        for seed: UInt64 in 0..<50 {
            var random = SplitMix64(seed: seed)
            let scenes = SceneNames()
            var time: UInt64 = 0
            let events: [LogEvent] = (0..<400).map { _ in
                time =
                    UInt64.random(in: 0..<4, using: &random) == 0
                    ? UInt64.random(in: 0...UInt64(Int64.max), using: &random)
                    : min(time + UInt64.random(in: 0..<100_000_000, using: &random), UInt64(Int64.max))
                let scene = scenes.number(of: "s\(Int.random(in: 0..<300, using: &random))")
                let size =
                    Bool.random(using: &random)
                    ? Size(
                        width: Double(Int.random(in: -40_000...40_000, using: &random)),
                        height: Double(Int.random(in: 0...300, using: &random)))
                    : Size(width: Double(bitPattern: random.next()), height: Double(bitPattern: random.next()))
                return .geometry(
                    scene, at: Timestamp(nanoseconds: time), size: Bool.random(using: &random) ? size : nil,
                    isInteractivelyResizing: [nil, true, false].randomElement(using: &random)!)
            }
            let log = readLog(try written(as: .settle, eventsPerChunk: 37, scenes: scenes, events))
            XCTAssertEqual(log.faults, [], "seed \(seed)")
            assertSameEvents(events.map { ($0, scenes[$0.name]) }, log.events, "seed \(seed)")
        }
    }

    func testGarbageNeverCrashes() throws {
        let (bytes, _) = try smallLog()
        for seed: UInt64 in 0..<2000 {
            var random = SplitMix64(seed: seed)
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                damaged[Int.random(in: 8..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = readLog(damaged, format: .settle)
        }
    }

    /// RFC 3720, appendix B.4, and the check value of the CRC catalogue.
    func testCRC32CKnownValues() {
        let vectors: [([UInt8], UInt32)] = [
            (Array("123456789".utf8), 0xE306_9283),
            (Array(repeating: 0, count: 32), 0x8A91_36AA),
            (Array(repeating: 0xFF, count: 32), 0x62A8_AB43),
            (Array(0..<32), 0x46DD_794E),
            ([], 0),
        ]
        for (bytes, expected) in vectors {
            XCTAssertEqual(settle_crc32c(0, bytes, bytes.count), expected)
            XCTAssertEqual(settle_crc32c_portable(0, bytes, bytes.count), expected)
            let half = bytes.count / 2
            let first = settle_crc32c(0, bytes, half)
            XCTAssertEqual(settle_crc32c(first, Array(bytes[half...]), bytes.count - half), expected)
        }
    }

    /// Each way of computing it, for every length around the words and the blocks that it takes at once.
    func testChecksum_bothWaysAgreeForEveryLengthAndReadNoByteMore() {
        for count in [Array(0...64), Array(760...780), Array(1530...1545), [6144]].joined() {
            let bytes = GuardedMemory(byteCount: count)
            for index in 0..<count {
                bytes.start.storeBytes(of: UInt8(index * (37 + index / 256) & 255), toByteOffset: index, as: UInt8.self)
            }
            XCTAssertEqual(
                settle_crc32c(0x1234_5678, bytes.start, count), settle_crc32c_portable(0x1234_5678, bytes.start, count),
                "\(count) bytes")
        }
    }
}
