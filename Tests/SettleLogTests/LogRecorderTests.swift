import Foundation
import Settle
import TestSupport
import XCTest

@testable import SettleLog

final class LogRecorderTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private var path: String { folder.file("log") }
    private let header = LogHeader(source: "test")

    /// What one thread acknowledges to itself.
    private final class Said: @unchecked Sendable { var events: [UInt64] = [] }

    private func at(_ milliseconds: UInt64) -> Timestamp { Timestamp(nanoseconds: milliseconds * 1_000_000) }

    private func event(_ recorder: LogRecorder, _ number: Int) throws -> LogEvent {
        .geometry(
            try recorder.scene(named: "a"), at: at(UInt64(number)), size: Size(width: Double(number), height: 1))
    }

    private func widths(_ path: String) throws -> [Double] {
        readLog(try bytes(ofFile: path), format: .settle).events.compactMap { $0.event.size?.width }
    }

    private func fault(_ body: () throws -> Void) -> LogError? {
        do {
            try body()
            return nil
        } catch { return error as? LogError }
    }

    func testATickAfterTheIntervalHandsOnWhatIsThere() throws {
        let recorder = try LogRecorder(path: path, header: header, flushInterval: .milliseconds(100), sync: .never)
        XCTAssertEqual(try recorder.tick(at: at(1000)), at(1100))
        try recorder.append(event(recorder, 1))
        XCTAssertEqual(try recorder.tick(at: at(1099)), at(1100))
        XCTAssertEqual(try widths(path), [])
        XCTAssertEqual(recorder.safe.events, 0)
        XCTAssertEqual(try recorder.tick(at: at(1100)), at(1200))
        XCTAssertEqual(try widths(path), [1])
        XCTAssertEqual(recorder.safe, .init(events: 1, bytes: UInt64(try bytes(ofFile: path).count)))
        // Without new events nothing is written.
        let size = try bytes(ofFile: path).count
        XCTAssertEqual(try recorder.tick(at: at(5000)), at(5100))
        XCTAssertEqual(try bytes(ofFile: path).count, size)
        try recorder.finish()
        XCTAssertEqual(readLog(try bytes(ofFile: path)).notes, [], "it has an index")
    }

    func testAFullChunkIsHandedOnAtOnce() throws {
        let recorder = try LogRecorder(path: path, header: header, flushInterval: .seconds(1000), sync: .never)
        for number in 0..<BinaryWriter.eventsPerChunk + 10 { try recorder.append(event(recorder, number)) }
        XCTAssertEqual(recorder.safe.events, UInt64(BinaryWriter.eventsPerChunk))
        XCTAssertEqual(try widths(path).count, BinaryWriter.eventsPerChunk)
        try recorder.flush()
        XCTAssertEqual(try widths(path).count, BinaryWriter.eventsPerChunk + 10)
    }

    func testAnIntervalOfZeroHandsOnEachAppend() throws {
        let said = Said()
        let recorder = try LogRecorder(path: path, header: header, flushInterval: .zero, sync: .flush) { safe in
            said.events.append(safe.events)
        }
        for number in 1...3 {
            try recorder.append(event(recorder, number))
            XCTAssertEqual(try widths(path).count, number)
        }
        XCTAssertEqual(said.events, [1, 2, 3])
        XCTAssertEqual(try recorder.tick(at: at(1)), .latest, "nothing is ever due")
    }

    func testWithASyncIntervalOnlyTheDiskCounts() throws {
        let recorder = try LogRecorder(
            path: path, header: header, flushInterval: .milliseconds(100), sync: .interval(.milliseconds(300)))
        XCTAssertEqual(try recorder.tick(at: at(0)), at(100))
        try recorder.append(event(recorder, 1))
        XCTAssertEqual(try recorder.tick(at: at(100)), at(200))
        XCTAssertEqual(try widths(path), [1], "the system has it")
        XCTAssertEqual(recorder.safe.events, 0, "the disk may not")
        XCTAssertEqual(try recorder.tick(at: at(250)), at(300))
        XCTAssertEqual(try recorder.tick(at: at(300)), at(350))
        XCTAssertEqual(recorder.safe.events, 1)
    }

    /// A name that is forgotten leaves its number to another one, also within a chunk that has both.
    func testAForgottenNamesNumberIsAnothersAtOnce() throws {
        let recorder = try LogRecorder(path: path, header: header, flushInterval: .seconds(1000), sync: .never)
        var names: [String] = []
        for (gone, new) in [([], ["a", "b"]), (["b"], ["c"]), (["a", "c"], ["d", "b", "a"])] as [([String], [String])] {
            recorder.forget(try gone.map { try recorder.scene(named: $0) })
            for name in new {
                try recorder.append(.connect(recorder.scene(named: name), at: at(UInt64(names.count))))
                names.append(name)
            }
        }
        XCTAssertEqual(recorder.scenesKnown, 3)
        try recorder.finish()
        XCTAssertEqual(readLog(try bytes(ofFile: path)).events.map(\.scene), names)
    }

    func testALateTickCountsItsIntervalsAnew() throws {
        let recorder = try LogRecorder(
            path: path, header: header, flushInterval: .seconds(1000), sync: .interval(.milliseconds(300)))
        XCTAssertEqual(try recorder.tick(at: at(0)), at(300))
        XCTAssertEqual(try recorder.tick(at: at(5000)), at(5300))
        XCTAssertEqual(try recorder.tick(at: at(5299)), at(5300))
    }

    func testANameIsBoundedInBytesOfUTF8() throws {
        let recorder = try LogRecorder(path: path, header: LogHeader(), sync: .never)
        XCTAssertNoThrow(try recorder.scene(named: String(repeating: "é", count: 512)))
        XCTAssertThrowsError(try recorder.scene(named: String(repeating: "é", count: 512) + "x")) {
            XCTAssertEqual(($0 as? LogError)?.problem, "a scene's name is longer than 1024 bytes")
        }
        XCTAssertEqual(recorder.scenesKnown, 1)
        XCTAssertNil(recorder.failure)
    }

    func testAnAbandonedRecordingIsReadableAndCanBeContinued() throws {
        do {
            let recorder = try LogRecorder(path: path, header: header, flushInterval: .zero, sync: .never)
            for number in 1...5 { try recorder.append(event(recorder, number)) }
        }
        // As a crash in the middle of a write leaves it.
        let torn = try bytes(ofFile: path)
        let whole = try widths(path)
        XCTAssertEqual(whole, [1, 2, 3, 4, 5])
        for (length, kept) in [(torn.count, 5), (torn.count - 1, 4), (torn.count - 50, 4)] {
            try Data(torn[..<length]).write(to: URL(fileURLWithPath: path))
            let recorder = try LogRecorder(path: path, header: header, opening: .appending, sync: .never)
            XCTAssertEqual(recorder.cutBytes > 0, kept < 5)
            XCTAssertEqual(recorder.safe.events, UInt64(kept))
            try recorder.append(event(recorder, 77))
            try recorder.finish()
            let log = readLog(try bytes(ofFile: path))
            XCTAssertEqual(log.faults, [])
            XCTAssert(log.lacksEnd, "nobody knows whether chunks were missing")
            XCTAssertEqual(try widths(path), Array(whole.prefix(kept)) + [77])
        }
        // A complete log, and one whose header was never whole.
        let again = try LogRecorder(path: path, header: header, opening: .appending, sync: .never)
        XCTAssertEqual(again.cutBytes, 0)
        try again.append(event(again, 78))
        try again.finish()
        XCTAssertEqual(try widths(path).suffix(2), [77, 78])
        for length in [0, 1, 7, 8, 9, 40] {
            try Data(torn[..<length]).write(to: URL(fileURLWithPath: path))
            let recorder = try LogRecorder(path: path, header: header, opening: .appending, sync: .never)
            XCTAssertEqual(recorder.cutBytes, UInt64(length))
            try recorder.append(event(recorder, 79))
            try recorder.finish()
            XCTAssertEqual(readLog(try bytes(ofFile: path), format: .settle).faults, [])
            XCTAssertEqual(try widths(path), [79])
        }
    }

    func testWhatCannotBeContinuedIsLeftAlone() throws {
        func refusal(_ content: [UInt8], header: LogHeader) throws -> LogError? {
            try Data(content).write(to: URL(fileURLWithPath: path))
            let fault = fault { _ = try LogRecorder(path: path, header: header, opening: .appending) }
            XCTAssertEqual(try bytes(ofFile: path), content)
            return fault
        }
        let recorder = try LogRecorder(path: path, header: header, flushInterval: .zero, sync: .never)
        let start = try bytes(ofFile: path).count
        for number in 1...3 { try recorder.append(event(recorder, number)) }
        try recorder.finish()
        let whole = try bytes(ofFile: path)
        var damaged = whole
        damaged[start + 50] ^= 1
        let damage = try refusal(damaged, header: header)
        XCTAssertEqual(damage?.position, .byte(UInt64(start)))
        XCTAssert(damage?.problem.hasSuffix("recover the log before appending to it") == true)
        let other = try refusal(whole, header: LogHeader(clock: "realtime"))
        XCTAssert(other?.problem.contains("clock monotonic") == true, "\(String(describing: other))")
        let ofPoints = try refusal(whole, header: LogHeader(unit: "pt"))
        XCTAssert(ofPoints?.problem.contains("sizes in px") == true, "\(String(describing: ofPoints))")
        XCTAssertEqual(try refusal(Array("hello, world, it is me".utf8), header: header)?.kind, .malformed)
        XCTAssertEqual(try refusal(Array("\u{89}ST".utf8), header: header)?.kind, .truncated)
    }

    func testAFileIsNeverReplacedUnasked() throws {
        try "older".write(toFile: path, atomically: true, encoding: .utf8)
        XCTAssertEqual(fault { _ = try LogRecorder(path: path, header: header) }?.kind, .io(code: EEXIST))
        XCTAssertEqual(try bytes(ofFile: path), Array("older".utf8))
        let recorder = try LogRecorder(path: path, header: header, opening: .replacing)
        for opening: LogRecorder.Opening in [.replacing, .appending] {
            let fault = fault { _ = try LogRecorder(path: path, header: header, opening: opening) }
            XCTAssertEqual(fault?.problem, "another process is recording into it")
        }
        try recorder.finish()
        XCTAssertEqual(readLog(try bytes(ofFile: path), format: .settle).faults, [])
        XCTAssertEqual(
            fault { _ = try LogRecorder(path: folder.file("no/x"), header: header) }?.kind, .io(code: ENOENT))
        let device = fault { _ = try LogRecorder(path: "/dev/null", header: header, opening: .replacing) }
        XCTAssertEqual(device?.problem, "is no regular file, which a recording needs")
    }

    func testWhatCannotStandInALogIsRefusedAndCostsNothing() throws {
        let recorder = try LogRecorder(path: path, header: header, sync: .never)
        let scene = try recorder.scene(named: "a")
        XCTAssertNotNil(fault { _ = try recorder.scene(named: String(repeating: "x", count: 1025)) })
        XCTAssertNotNil(fault { try recorder.append(.connect(scene, at: Timestamp(nanoseconds: 1 << 63))) })
        XCTAssertNil(recorder.failure)
        try recorder.append(event(recorder, 3))
        try recorder.finish()
        XCTAssertEqual(try widths(path), [3])
        XCTAssertEqual(readLog(try bytes(ofFile: path)).faults, [])
    }

    /// Of a batch with a time that no log can hold, the events before it are recorded.
    func testWhatIsRefusedIsNoLostEvent() throws {
        let recorder = try LogRecorder(path: path, header: header, flushInterval: .seconds(1000), sync: .never)
        let batch = EventBatch()
        batch.append(try event(recorder, 1))
        batch.append(.connect(try recorder.scene(named: "a"), at: Timestamp(nanoseconds: 1 << 63)))
        batch.append(try event(recorder, 2))
        XCTAssertEqual(fault { try recorder.append(batch) }?.kind, .malformed)
        XCTAssertNotNil(fault { try recorder.append(batch[1]) })
        try recorder.append(event(recorder, 3))
        unlink(path)
        XCTAssertEqual(
            fault { try recorder.flush() }?.problem,
            "another process removed the file; 0 events are safe in its first 0 bytes, and 2 received after them are"
                + " lost")
    }

    func testThreadsShareARecorder() throws {
        let recorder = try LogRecorder(path: path, header: header, flushInterval: .milliseconds(1), sync: .never)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            do {
                let scene = try recorder.scene(named: "scene \(thread)")
                for number in 0..<2000 {
                    let size = Size(width: Double(number), height: 1)
                    let time = Timestamp(nanoseconds: UInt64(number) * 1_000_000)
                    try recorder.append(.geometry(scene, at: time, size: size))
                    if number % 100 == 0 { _ = try recorder.tick(at: time) }
                }
            } catch { XCTFail("\(error)") }
        }
        try recorder.finish()
        let log = readLog(try bytes(ofFile: path))
        XCTAssertEqual(log.faults, [])
        for thread in 0..<4 {
            let widths = log.events.filter { $0.scene == "scene \(thread)" }.compactMap { $0.event.size?.width }
            XCTAssertEqual(widths, (0..<2000).map(Double.init))
        }
    }
}
