import CSettle
import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// A binary log edited in whole frames: every checksum holds, and only the index, or its
/// absence, can show that chunks are missing, doubled, foreign or in another order.
final class ChunkEditTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private static let chunksCount = 5

    /// A log's frames, and the times of each chunk's events.
    private struct Frames {
        var header: [UInt8]
        var chunks: [[UInt8]]
        var index: [UInt8]
        var times: [[UInt64]]

        func log(_ order: some Sequence<Int>) -> [UInt8] { header + order.flatMap { chunks[$0] } + index }
    }

    /// - Parameter grows: Chunks differ in length; otherwise only their times differ.
    private func frames(grows: Bool = false, from start: UInt64 = 1000) throws -> Frames {
        let scenes = SceneNames()
        let (a, b) = (scenes.number(of: "a"), scenes.number(of: "b"))
        let events: [LogEvent] = (0..<3 * Self.chunksCount).map { step in
            let size = Size(width: Double(step * (grows ? 90 : 1)), height: 300)
            let isSecond = step % 2 == 0 && (!grows || step > 6)
            return .geometry(isSecond ? b : a, at: Timestamp(nanoseconds: start + UInt64(step * 70_000)), size: size)
        }
        let bytes = try written(as: .settle, eventsPerChunk: 3, scenes: scenes, events)
        let reader = try BinaryReader(ByteInput(bytes: bytes, name: "test"))
        let batch = EventBatch()
        while try reader.read(into: batch) { batch.removeAll() }
        let entries = try XCTUnwrap(reader.index?.entries)
        XCTAssertEqual(entries.count, Self.chunksCount)
        XCTAssertEqual(Set(entries.map(\.bytes)).count > 1, grows)
        return Frames(
            header: Array(bytes[..<Int(entries[0].offset)]),
            chunks: entries.map { Array(bytes[Int($0.offset)..<Int($0.end)]) },
            index: Array(bytes[Int(entries[Self.chunksCount - 1].end)...]),
            times: (0..<Self.chunksCount).map { chunk in
                events[3 * chunk..<3 * chunk + 3].map(\.at.nanoseconds)
            })
    }

    private struct Seen {
        var log: ReadLog
        var recovery: LogRecovery
        /// A fault, or the word that nobody knows whether something is missing.
        var isNoticed: Bool { !log.faults.isEmpty || log.lacksEnd }
    }

    /// Reads, validates and recovers a log, from memory and from a pipe alike.
    private func see(_ bytes: [UInt8], _ what: String, line: UInt = #line) throws -> Seen {
        let log = readLog(bytes)
        let piped = readLog(ByteInput.pipe(bytes))
        XCTAssertEqual(log.faults.map(\.position), piped.faults.map(\.position), what, line: line)
        XCTAssertEqual(log.faults.map(\.problem), piped.faults.map(\.problem), what, line: line)
        XCTAssertEqual(log.lacksEnd, piped.lacksEnd, what, line: line)
        if log.lacksEnd, log.faults.isEmpty {
            XCTAssert(log.notes.contains { $0.contains("is unknown") }, "\(what): \(log.notes)", line: line)
        }

        try Data(bytes).write(to: URL(fileURLWithPath: folder.file("in")))
        var validator = LogValidator(path: folder.file("in"))
        var reported: [LogError] = []
        let result = try validator.run { error, _ in reported.append(error) }
        XCTAssertEqual(result.events, log.events.count, what, line: line)
        for fault in log.faults {
            XCTAssert(reported.contains { $0.problem == fault.problem }, "\(what): \(fault)", line: line)
        }

        let recovery = try LogRecovery(ByteInput.pipe(bytes))
        try recovery.run(to: ByteOutput(OutputFile(folder.file("out"), replaces: true)))
        let back = readLog(try SettleLogTests.bytes(ofFile: folder.file("out")))
        XCTAssertEqual(back.faults, [], what, line: line)
        XCTAssertFalse(back.lacksEnd, what, line: line)
        assertSameEvents(log.events, back.events, what, line: line)
        return Seen(log: log, recovery: recovery)
    }

    private func assertNoticed(_ seen: Seen, _ what: String, line: UInt = #line) {
        XCTAssert(seen.isNoticed, "\(what) goes unnoticed", line: line)
        XCTAssertNotEqual(seen.recovery.outcome, .complete, what, line: line)
    }

    private func times(_ seen: Seen) -> [UInt64] { seen.log.events.map(\.event.at.nanoseconds) }

    func testALogThatNobodyEditedHasNoFault() throws {
        for grows in [false, true] {
            let frames = try frames(grows: grows)
            let seen = try see(frames.log(0..<Self.chunksCount), "unedited")
            XCTAssertFalse(seen.isNoticed, "\(seen.log.faults)")
            XCTAssertEqual(seen.recovery.outcome, .complete)
            XCTAssertEqual(seen.recovery.losses, [])
        }
    }

    func testMissingChunksAreAFaultAndToldByNumberAndTimes() throws {
        for grows in [false, true] {
            let frames = try frames(grows: grows)
            for kept in 0..<(1 << Self.chunksCount) - 1 {
                let (left, gone) = (0..<Self.chunksCount).reduce(into: ([Int](), [Int]())) { parts, chunk in
                    if kept >> chunk & 1 == 1 { parts.0.append(chunk) } else { parts.1.append(chunk) }
                }
                let seen = try see(frames.log(left), "without \(gone)")
                assertNoticed(seen, "without \(gone)")
                XCTAssertEqual(seen.log.faults.count, 1, "\(seen.log.faults)")
                XCTAssertEqual(times(seen), left.flatMap { frames.times[$0] })
                XCTAssertEqual(seen.recovery.outcome, .lossy)
                XCTAssertEqual(seen.recovery.losses.map(\.events), gone.map { _ in 3 })
                XCTAssertEqual(
                    seen.recovery.losses.map { $0.times?.lowerBound.nanoseconds }, gone.map { frames.times[$0].first })
                let problem = try XCTUnwrap(seen.log.faults.first?.problem)
                let count = "\(gone.count) chunk\(gone.count == 1 ? "" : "s") with \(3 * gone.count) events missing"
                XCTAssert(problem.contains(count), problem)
                XCTAssertFalse(problem.contains("does not list"), problem)
            }
        }
    }

    func testDoubledChunksAreAFault() throws {
        for grows in [false, true] {
            let frames = try frames(grows: grows)
            for doubled in 0..<Self.chunksCount {
                for place in 0...Self.chunksCount {
                    var order = Array(0..<Self.chunksCount)
                    order.insert(doubled, at: place)
                    let seen = try see(frames.log(order), "\(order)")
                    assertNoticed(seen, "\(order)")
                    XCTAssertEqual(times(seen), order.flatMap { frames.times[$0] })
                    XCTAssertEqual(seen.recovery.outcome, .unknown)
                    let problem = try XCTUnwrap(seen.log.faults.first?.problem)
                    XCTAssert(problem.contains("1 chunk with 3 events that it does not list"), problem)
                    XCTAssertFalse(problem.contains("missing"), problem)
                }
            }
        }
    }

    func testChunksInAnotherOrderAreAFault() throws {
        for grows in [false, true] {
            let frames = try frames(grows: grows)
            for order in Self.permutations(Array(0..<Self.chunksCount)) where order != order.sorted() {
                let seen = try see(frames.log(order), "\(order)")
                assertNoticed(seen, "\(order)")
                XCTAssertEqual(seen.log.faults.map { $0.problem.contains("chunks in another order") }, [true])
                XCTAssertEqual(seen.recovery.losses, [])
            }
        }
    }

    private static func permutations(_ list: [Int]) -> [[Int]] {
        guard let last = list.last else { return [[]] }
        return permutations(list.dropLast()).flatMap { rest in
            (0...rest.count).map { Array(rest[..<$0]) + [last] + Array(rest[$0...]) }
        }
    }

    func testAChunkOfAnotherLogIsAFault() throws {
        let frames = try frames()
        let other = try self.frames(from: 5000)
        for place in 0..<Self.chunksCount {
            var replaced = frames
            replaced.chunks[place] = other.chunks[place]
            let seen = try see(replaced.log(0..<Self.chunksCount), "foreign at \(place)")
            assertNoticed(seen, "foreign at \(place)")
            XCTAssertEqual(seen.recovery.losses.map(\.events), [3])
            let problem = try XCTUnwrap(seen.log.faults.first?.problem)
            XCTAssert(problem.contains("missing") && problem.contains("does not list"), problem)
        }
    }

    func testALogCutBetweenChunksIsUnknownRatherThanWhole() throws {
        let frames = try frames()
        for count in 0...Self.chunksCount {
            let seen = try see(frames.header + frames.chunks[..<count].joined(), "cut after \(count)")
            assertNoticed(seen, "cut after \(count)")
            XCTAssertEqual(seen.log.faults, [])
            XCTAssertEqual(seen.log.events.count, 3 * count)
            XCTAssertEqual(seen.recovery.outcome, .unknown)
            XCTAssertEqual(seen.recovery.losses, [])
        }
        // So is one without an index whose chunks were edited: nothing can show it.
        for order in [[0, 2, 3, 4], [0, 1, 1, 2], [1, 0]] {
            assertNoticed(try see(frames.header + order.flatMap { frames.chunks[$0] }, "\(order)"), "\(order)")
        }
    }

    func testWhatFollowsTheIndexIsAFault() throws {
        let frames = try frames()
        let whole = frames.log(0..<Self.chunksCount)
        let other = try self.frames(from: 5000)
        let tails: [(String, [UInt8])] = [
            ("the log again", whole), ("another log", other.log(0..<Self.chunksCount)),
            ("another log, torn", Array(other.log(0..<Self.chunksCount).dropLast(60))),
            ("another log without a chunk", other.log([0, 1, 3, 4])),
            ("a chunk", frames.chunks[4]), ("another log's chunk", other.chunks[0]),
            ("all its chunks", Array(frames.chunks.joined())), ("the index again", frames.index),
            ("chunks and the index", Array(frames.chunks.joined()) + frames.index), ("a header", frames.header),
            ("a byte", [0]),
        ]
        for (what, tail) in tails {
            let seen = try see(whole + tail, what)
            assertNoticed(seen, what)
            XCTAssertFalse(seen.log.faults.isEmpty, what)
            XCTAssertEqual(seen.log.faults.first?.position, .byte(UInt64(whole.count)), what)
            XCTAssertEqual(Array(times(seen).prefix(15)), frames.times.flatMap { $0 }, what)
        }
        for place in 0..<Self.chunksCount {
            let early =
                frames.header + frames.chunks[..<place].joined() + frames.index + frames.chunks[place...].joined()
            assertNoticed(try see(early, "the index at \(place)"), "the index at \(place)")
        }
    }

    func testWhateverTheIndexStatesWronglyIsAFault() throws {
        let frames = try frames()
        // The total, then each number of each entry.
        let entries = (0..<Self.chunksCount).map {
            SETTLE_LOG_FOOTER_HEADER_BYTES + $0 * SETTLE_LOG_FOOTER_ENTRY_BYTES
        }
        for field in [8] + entries.flatMap({ entry in [0, 8, 16, 24, 28].map { entry + $0 } }) {
            var edited = frames
            edited.index[field] ^= 1
            Self.seal(&edited.index)
            let seen = try see(edited.log(0..<Self.chunksCount), "the index's byte \(field)")
            assertNoticed(seen, "the index's byte \(field)")
            XCTAssertEqual(seen.log.events.count, 15)
        }
        // A header that is longer moves all chunks.
        var moved = frames
        moved.header = try written(as: .settle, header: LogHeader(name: "longer"), scenes: SceneNames(), [])
        moved.header.removeLast(SETTLE_LOG_FOOTER_HEADER_BYTES + SETTLE_LOG_FOOTER_TAIL_BYTES)
        let seen = try see(moved.log(0..<Self.chunksCount), "moved")
        assertNoticed(seen, "moved")
        XCTAssertEqual(seen.log.faults.map { $0.problem.contains("chunks at other offsets") }, [true])
    }

    private static func seal(_ index: inout [UInt8]) {
        let tail = index.count - SETTLE_LOG_FOOTER_TAIL_BYTES
        let crc = settle_crc32c(0, index, tail)
        for place in 0..<4 { index[tail + place] = UInt8(truncatingIfNeeded: crc >> (8 * place)) }
    }

    func testAMissingChunkBesideADamagedOneIsToldApart() throws {
        let frames = try frames()
        // In the chunk's header, so that only the index knows of its events, and behind it.
        for byte in [8, 60] {
            for (damaged, gone) in [(0, 1), (1, 0), (1, 2), (3, 1), (1, 4), (4, 0)] {
                var edited = frames
                edited.chunks[damaged][byte] ^= 1
                let left = (0..<Self.chunksCount).filter { $0 != gone }
                let seen = try see(edited.log(left), "\(damaged) damaged, \(gone) missing")
                XCTAssertEqual(seen.log.events.count, 9)
                XCTAssertEqual(seen.recovery.outcome, .lossy)
                XCTAssertEqual(
                    seen.recovery.losses.compactMap(\.events).reduce(0, +), 6, "\(seen.recovery.losses)")
            }
        }
    }

    func testAppendingRefusesALogThatItsIndexContradicts() throws {
        let frames = try frames()
        for bytes in [frames.log([0, 1, 3, 4]), frames.log([0, 1, 1, 2, 3, 4]), frames.log(0..<5) + frames.chunks[0]] {
            let path = folder.file("log")
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            XCTAssertThrowsError(try LogRecorder(path: path, header: LogHeader(), opening: .appending)) { error in
                XCTAssert("\(error)".contains("recover the log before appending"), "\(error)")
            }
            XCTAssertEqual(try SettleLogTests.bytes(ofFile: path), bytes)
        }
    }

    func testAStreamsIndexIsComparedInBoundedMemory() throws {
        func faults(_ bytes: [UInt8]) -> [LogError] {
            do throws(LogError) {
                let reader = try LogReader(stream: ByteInput.pipe(bytes))
                let batch = EventBatch()
                while try reader.read(into: batch) {}
                return []
            } catch {
                return [error]
            }
        }
        let frames = try frames()
        XCTAssertEqual(faults(frames.log(0..<Self.chunksCount)), [])
        for order in [[0, 1, 3, 4], [0, 1, 1, 2, 3, 4], [1, 0, 2, 3, 4]] {
            XCTAssertEqual(faults(frames.log(order)).count, 1, "\(order)")
        }
    }
}
