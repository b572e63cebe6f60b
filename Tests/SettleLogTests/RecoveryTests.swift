import CSettle
import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// What recovery saves and what it says is lost, for every way to damage a small log.
final class RecoveryTests: XCTestCase {
    private typealias Entry = (event: LogEvent, scene: String)
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    /// A log of chunks of three events, and where they stand.
    private struct Sample {
        var bytes: [UInt8]
        var events: [Entry]
        var headerEnd: Int
        var chunks: [(range: Range<Int>, events: Range<Int>, times: ClosedRange<UInt64>)] = []
        var indexStart: Int
    }

    private func sample(names: [String] = ["a", "b"], count: Int = 9) throws -> Sample {
        let scenes = SceneNames()
        let numbers = names.map(scenes.number)
        let events: [LogEvent] = (0..<count).map { step in
            let at = Timestamp(nanoseconds: UInt64(1000 + step * 70_000))
            return .geometry(
                numbers[step % numbers.count], at: at, size: Size(width: Double(step), height: 300),
                isInteractivelyResizing: step % 4 != 3)
        }
        let bytes = try written(
            as: .settle, header: LogHeader(name: "sample"), eventsPerChunk: 3, scenes: scenes, events)
        let reader = try BinaryReader(ByteInput(bytes: bytes, name: "test"))
        let batch = EventBatch()
        while try reader.read(into: batch) { batch.removeAll() }
        let index = try XCTUnwrap(reader.index?.entries)
        var sample = Sample(
            bytes: bytes, events: events.map { ($0, scenes[$0.name]) }, headerEnd: Int(index[0].offset),
            indexStart: Int(try XCTUnwrap(index.last).end))
        for (number, entry) in index.enumerated() {
            let first = number * 3
            sample.chunks.append(
                (
                    Int(entry.offset)..<Int(entry.end), first..<first + Int(entry.events),
                    entry.first_ns...entry.last_ns
                ))
        }
        return sample
    }

    private struct Recovered {
        var events: [Entry] = []
        var losses: [LogLoss] = []
        var hadIndex = false
        var outcome = LogRecovery.Outcome.unknown
        var eventsLost: (atLeast: Int, isExact: Bool) = (0, false)
        var contradictions: [LogError] = []
        var header = LogHeader()
        /// Why nothing could be recovered.
        var refusal: LogError?
        var lostAnything: Bool { refusal != nil || losses.contains { $0.part != .index } }
    }

    /// Recovers bytes, reads the result back, and checks that it is a log without fault.
    private func recover(_ bytes: [UInt8], file: StaticString = #filePath, line: UInt = #line) throws -> Recovered {
        var result = Recovered()
        do throws(LogError) {
            let recovery = try LogRecovery(ByteInput(bytes: bytes, name: "test"))
            try recovery.run(to: ByteOutput(path: folder.file("out")))
            result.losses = recovery.losses
            result.hadIndex = recovery.hadIndex
            result.outcome = recovery.outcome
            result.eventsLost = recovery.eventsLost
            result.contradictions = recovery.contradictions
        } catch {
            result.refusal = error
            XCTAssertFalse(FileManager.default.fileExists(atPath: folder.file("out")), file: file, line: line)
            return result
        }
        let back = readLog(try SettleLogTests.bytes(ofFile: folder.file("out")), format: .settle)
        unlink(folder.file("out"))
        XCTAssertEqual(back.faults, [], file: file, line: line)
        XCTAssertEqual(back.notes, [], file: file, line: line)
        result.events = back.events
        result.header = back.header
        return result
    }

    /// What is wrong with a recovery of which the chunks in `untouched` must be left.
    private func complaints(_ recovered: Recovered, _ sample: Sample, untouched: [Int], isLossless: Bool) -> [String] {
        var complaints: [String] = []
        // Only an index that was whole can say that nothing is lost.
        let outcome: LogRecovery.Outcome = !isLossless ? .lossy : recovered.hadIndex ? .complete : .unknown
        if recovered.outcome != outcome { complaints.append("the outcome is \(recovered.outcome)") }
        let expected = untouched.flatMap { sample.events[sample.chunks[$0].events] }
        if !isSame(expected, recovered.events) {
            complaints.append("\(recovered.events.count) events rather than \(expected.count)")
        }
        if recovered.lostAnything == isLossless { complaints.append("loss is \(recovered.lostAnything)") }
        for loss in recovered.losses where loss.part == .chunks {
            let touched = sample.chunks.filter {
                $0.range.overlaps(Int(loss.bytes.lowerBound)..<Int(loss.bytes.upperBound))
            }
            if let events = loss.events, events != touched.map(\.events.count).reduce(0, +) {
                complaints.append("\(events) events said to be lost")
            }
        }
        return complaints
    }

    private func isSame(_ a: [Entry], _ b: [Entry]) -> Bool {
        a.count == b.count
            && zip(a, b).allSatisfy { one, other in
                var event = other.event
                event.name = one.event.name
                return event == one.event && one.scene == other.scene
            }
    }

    func testAWholeLogLosesNothing() throws {
        let sample = try sample()
        let recovered = try recover(sample.bytes)
        XCTAssertEqual(complaints(recovered, sample, untouched: [0, 1, 2], isLossless: true), [])
        XCTAssertEqual(recovered.header, LogHeader(name: "sample"))
        XCTAssert(recovered.hadIndex)
        XCTAssertEqual(recovered.losses, [])
    }

    func testTheCheckFindsPlantedFaults() throws {
        let sample = try sample()
        var fewer = try recover(sample.bytes)
        fewer.events.removeLast()
        XCTAssertEqual(complaints(fewer, sample, untouched: [0, 1, 2], isLossless: true).count, 1)
        var changed = try recover(sample.bytes)
        changed.events[4].event.at.nanoseconds += 1
        XCTAssertEqual(complaints(changed, sample, untouched: [0, 1, 2], isLossless: true).count, 1)
        XCTAssertEqual(complaints(try recover(sample.bytes), sample, untouched: [0, 1, 2], isLossless: false).count, 2)
        var damaged = sample.bytes
        damaged[sample.chunks[1].range.lowerBound + 50] ^= 1
        var silent = try recover(damaged)
        XCTAssertEqual(complaints(silent, sample, untouched: [0, 2], isLossless: false), [])
        silent.losses[0].events = 2
        XCTAssertEqual(complaints(silent, sample, untouched: [0, 2], isLossless: false).count, 1)
        silent.losses = []
        XCTAssertEqual(complaints(silent, sample, untouched: [0, 2], isLossless: false).count, 1)
    }

    func testCutAtEveryByte() throws {
        let sample = try sample()
        for length in 0..<sample.bytes.count {
            let recovered = try recover(Array(sample.bytes[..<length]))
            if length < sample.headerEnd {
                XCTAssertEqual(recovered.refusal?.kind, .malformed, "cut at \(length)")
                continue
            }
            let whole = sample.chunks.indices.filter { sample.chunks[$0].range.upperBound <= length }
            // What the file says is all there, up to a chunk's end or within the index.
            let isLossless =
                length >= sample.indexStart || length == sample.headerEnd
                || sample.chunks.contains { $0.range.upperBound == length }
            XCTAssertEqual(
                complaints(recovered, sample, untouched: whole, isLossless: isLossless), [], "cut at \(length)")
            XCTAssertFalse(recovered.hadIndex)
            XCTAssertFalse(recovered.eventsLost.isExact, "cut at \(length): what was cut off is unknown")
            XCTAssertLessThanOrEqual(recovered.eventsLost.atLeast, 9 - 3 * whole.count, "cut at \(length)")
        }
    }

    func testAFlippedBitAtEveryByte() throws {
        let sample = try sample()
        for position in sample.bytes.indices {
            for bit in 0..<8 {
                var damaged = sample.bytes
                damaged[position] ^= 1 << bit
                let recovered = try recover(damaged)
                let untouched = sample.chunks.indices.filter { !sample.chunks[$0].range.contains(position) }
                let message = "byte \(position), bit \(bit): \(recovered.losses)"
                XCTAssertEqual(
                    complaints(
                        recovered, sample, untouched: untouched, isLossless: position >= sample.indexStart),
                    [], message)
                XCTAssertEqual(recovered.hadIndex, position < sample.indexStart, message)
                XCTAssertEqual(recovered.eventsLost.isExact, recovered.hadIndex, message)
                XCTAssertEqual(recovered.eventsLost.atLeast, 3 * (sample.chunks.count - untouched.count), message)
                guard untouched.count < sample.chunks.count else { continue }
                // The index has the number and the times of a damaged chunk's events.
                XCTAssertEqual(recovered.losses.map(\.events), [3], message)
                let lost = try XCTUnwrap(sample.chunks.first { $0.range.contains(position) })
                XCTAssertEqual(
                    recovered.losses.first?.times.map { $0.lowerBound.nanoseconds...$0.upperBound.nanoseconds },
                    lost.times, message)
            }
        }
    }

    func testNamesThatLookLikeFramesMisleadNobody() throws {
        let sample = try sample(names: ["CHNKINDX", "INDX", "CHNK\u{0}\u{0}\u{0}\u{0}"], count: 15)
        for position in sample.headerEnd..<sample.bytes.count {
            var damaged = sample.bytes
            damaged[position] ^= 0x40
            let recovered = try recover(damaged)
            let untouched = sample.chunks.indices.filter { !sample.chunks[$0].range.contains(position) }
            XCTAssertEqual(
                complaints(recovered, sample, untouched: untouched, isLossless: position >= sample.indexStart), [],
                "byte \(position): \(recovered.losses)")
            XCTAssertLessThanOrEqual(recovered.losses.count, 1)
        }
    }

    func testMissingAndInsertedBytesCostOnlyTheirChunk() throws {
        let sample = try sample()
        let inside = sample.chunks[1].range.lowerBound + 51
        var shorter = sample.bytes
        shorter.removeSubrange(inside..<inside + 5)
        var longer = sample.bytes
        longer.insert(contentsOf: [1, 2, 3], at: inside)
        let whole = sample.events[..<3] + sample.events[6...]
        for bytes in [shorter, longer] {
            let recovered = try recover(bytes)
            assertSameEvents(Array(whole), recovered.events)
            XCTAssertEqual(recovered.losses.map(\.events), [3])
        }
        // Zeros, as a file system may leave after a power failure.
        let zeros = Array(sample.bytes[..<sample.chunks[2].range.lowerBound]) + Array(repeating: 0, count: 4096)
        XCTAssertEqual(try recover(zeros).events.count, 6)
        XCTAssert(try recover(zeros).lostAnything)
    }

    func testALogThatBeginsAtAnyByteOfItsHeaderKeepsEveryChunk() throws {
        let sample = try sample()
        for start in 1...sample.headerEnd {
            let bytes = Array(sample.bytes[start...])
            let recovered = try recover(bytes)
            XCTAssertEqual(
                complaints(recovered, sample, untouched: [0, 1, 2], isLossless: false), [], "from byte \(start)")
            XCTAssertEqual(recovered.losses.map(\.part), [.header], "from byte \(start)")
            XCTAssertEqual(recovered.losses.first?.bytes, 0..<UInt64(sample.headerEnd - start))
            XCTAssertEqual(WholeLog(bytes, salvages: true).events.count, 9, "from byte \(start)")
            assertReadAlike(bytes, "from byte \(start)")
        }
        // Without its header, its index and its first chunk's first byte.
        let rest = Array(sample.bytes[(sample.headerEnd + 1)..<sample.indexStart])
        XCTAssertEqual(try recover(rest).events.count, 6)
        XCTAssertEqual(WholeLog(rest, salvages: true).events.count, 6)
    }

    func testLogsBehindOneAnotherAreAllRead() throws {
        let sample = try sample()
        let recovered = try recover(sample.bytes + sample.bytes)
        XCTAssertEqual(recovered.events.count, 18)
        XCTAssertEqual(recovered.losses.map(\.problem), ["something follows the index"])
    }

    func testEachIndexIsComparedWithWhatStandsBeforeIt() throws {
        let sample = try sample()
        var incomplete = sample.bytes
        incomplete.removeSubrange(sample.chunks[1].range)
        for (bytes, events, contradictions) in [
            (sample.bytes + incomplete, 15, 1), (incomplete + sample.bytes, 15, 1), (incomplete + incomplete, 12, 2),
            (sample.bytes + sample.bytes[sample.indexStart...], 9, 0),
        ] {
            let recovered = try recover(bytes)
            XCTAssertEqual(recovered.events.count, events)
            XCTAssertEqual(recovered.contradictions.count, contradictions)
        }
    }

    func testAnIndexThatMiscountsItsEventsIsSaidToDoOnlyThat() throws {
        let sample = try sample()
        let reader = try BinaryReader(ByteInput(bytes: sample.bytes, name: "test"))
        let batch = EventBatch()
        while try reader.read(into: batch) { batch.removeAll() }
        let entries = try XCTUnwrap(reader.index?.entries)
        let recovered = try recover(
            Array(sample.bytes[..<sample.indexStart]) + LogParts.index(of: entries, events: 10))
        XCTAssertEqual(
            recovered.contradictions.map(\.problem),
            ["the index contradicts what stands before it: 10 events in all, and 9 in its list"])
        XCTAssertEqual(recovered.losses, [])
        XCTAssertEqual(recovered.outcome, .unknown)
    }

    func testAdjacentLossesAreOneWithTheirEventsAndTimes() {
        typealias Times = ClosedRange<UInt64>
        func loss(
            _ part: LogLoss.Part, _ bytes: Range<UInt64>, _ events: Int? = nil, _ times: Times? = nil
        ) -> LogLoss {
            let times = times.map { Timestamp(nanoseconds: $0.lowerBound)...Timestamp(nanoseconds: $0.upperBound) }
            return LogLoss(part: part, bytes: bytes, problem: "p", isTorn: false, events: events, times: times)
        }
        let cases: [([(LogLoss, claimed: UInt64?)], [LogLoss])] = [
            (
                [(loss(.chunks, 0..<5, 3, 1...4), nil), (loss(.chunks, 5..<9, 2, 0...2), nil)],
                [loss(.chunks, 0..<9, 5, 0...4)]
            ),
            (
                [(loss(.chunks, 0..<5, 3), nil), (loss(.chunks, 5..<9, 2, 6...7), nil)],
                [loss(.chunks, 0..<9, 5, 6...7)]
            ),
            (
                [(loss(.chunks, 0..<5, 3, 6...7), nil), (loss(.chunks, 5..<9, nil), nil)],
                [loss(.chunks, 0..<9, nil, 6...7)]
            ),
            (
                [(loss(.chunks, 0..<5, 3), nil), (loss(.chunks, 6..<9, 2), nil)],
                [loss(.chunks, 0..<5, 3), loss(.chunks, 6..<9, 2)]
            ),
            // What an index loses is no event, and a header is no neighbour.
            ([(loss(.index, 0..<5), nil), (loss(.chunks, 5..<9, 2, 6...7), nil)], [loss(.chunks, 0..<9, 2, 6...7)]),
            ([(loss(.chunks, 0..<5, 2), nil), (loss(.index, 5..<9), nil)], [loss(.chunks, 0..<9, 2)]),
            (
                [(loss(.header, 0..<5), nil), (loss(.chunks, 5..<9, 2), nil)],
                [loss(.header, 0..<5), loss(.chunks, 5..<9, 2)]
            ),
            // Up to the end that its own header claims, damage is a chunk's own.
            (
                [(loss(.chunks, 0..<5, 3), 9), (loss(.chunks, 5..<9, 2), nil), (loss(.chunks, 9..<10, 4), nil)],
                [loss(.chunks, 0..<10, 7)]
            ),
        ]
        for (added, expected) in cases {
            var losses = LogLosses()
            for (loss, claimed) in added { losses.add(loss, claimedEnd: claimed) }
            XCTAssertEqual(losses.all, expected)
        }
    }

    func testAnIndexCompletesEachLossByTheChunksThatStoodThere() {
        func entry(_ offset: UInt64, _ events: UInt32) -> settle_log_index_entry {
            settle_log_index_entry(offset: offset, first_ns: offset, last_ns: offset + 5, events: events, bytes: 10)
        }
        func loss(_ bytes: Range<UInt64>) -> LogLoss {
            LogLoss(part: .chunks, bytes: bytes, problem: "p", isTorn: false)
        }
        var losses = LogLosses()
        for bytes: Range<UInt64> in [0..<5, 20..<31, 50..<60, 90..<99] { losses.add(loss(bytes)) }
        let found = losses.complete(
            by: [(9, entry(70, 64)), (2, entry(20, 2)), (3, entry(30, 4)), (4, entry(40, 8)), (5, entry(50, 16))],
            from: 10)
        XCTAssertEqual(found, [2, 3, 5])
        XCTAssertEqual(losses.all.map(\.events), [nil, 6, 16, nil])
        XCTAssertEqual(
            losses.all.map { $0.times.map { $0.lowerBound.nanoseconds...$0.upperBound.nanoseconds } },
            [nil, 20...35, 50...55, nil])
        losses.insert([loss(40..<40), loss(15..<15)], from: 10)
        XCTAssertEqual(losses.all.map(\.bytes.lowerBound), [0, 15, 20, 40, 50, 90])
        XCTAssertEqual([90, 91].map { losses.contains(from: $0) }, [true, false])
    }

    func testWithoutAnIndexAnUnreadableChunkHeaderLeavesTheNumberUnknown() throws {
        let sample = try sample()
        var bytes = Array(sample.bytes[..<sample.indexStart])
        bytes[sample.chunks[1].range.lowerBound + 8] ^= 1
        let recovered = try recover(bytes)
        XCTAssertEqual(recovered.events.count, 6)
        XCTAssertEqual(recovered.losses.map(\.events), [nil])
        XCTAssertEqual(recovered.losses.map(\.times), [nil])
    }

    func testTheEventsBeforeTheFaultOfAMalformedChunkAreWritten() throws {
        let sample = try sample()
        var bytes = sample.bytes
        let chunk = sample.chunks[1].range
        bytes[chunk.lowerBound + 8] += 1  // announces one event more than there are
        bytes.replaceSubrange(chunk, with: LogParts.sealed(Array(bytes[chunk])))
        let recovered = try recover(bytes)
        XCTAssertEqual(recovered.events.map(\.scene), sample.events.map(\.scene))
        XCTAssertEqual(Set(recovered.losses.map(\.part)), [.chunks])
    }

    func testWhatIsNoLogAndWhatIsNewerIsRefused() throws {
        for bytes in [[], Array("hello".utf8), Array(jsonHeader.utf8), Array(repeating: 0x43, count: 100_000)] {
            XCTAssertEqual(try recover(bytes).refusal?.kind, .malformed)
        }
        // One of no event is a log by its index.
        let empty = try recover(Array(try written(as: .settle, scenes: SceneNames(), [])[1...]))
        XCTAssertNil(empty.refusal)
        XCTAssertEqual(empty.losses.map(\.part), [.header])
        var newer = try sample().bytes
        newer[8] = 4
        let end = Int(newer[12]) | Int(newer[13]) << 8
        let crc = settle_crc32c(0, newer, 16 + end)
        for place in 0..<4 { newer[16 + end + place] = UInt8(truncatingIfNeeded: crc >> (8 * place)) }
        XCTAssertEqual(try recover(newer).refusal?.kind, .newerVersion)
    }

    func testGarbageNeverCrashes() throws {
        let sample = try sample()
        for seed: UInt64 in 0..<500 {
            var random = SplitMix64(seed: seed)
            var damaged = sample.bytes
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try recover(damaged)
        }
    }
}
