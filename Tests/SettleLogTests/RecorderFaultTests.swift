import Foundation
import Settle
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleLog

/// What a recording that goes on with an older one says is safe, and what is lost, whatever ends it and wherever that is
/// noticed.
final class RecorderFaultTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private var path: String { folder.file("log") }
    private let header = LogHeader(source: "test")

    private func at(_ milliseconds: UInt64) -> Timestamp { Timestamp(nanoseconds: milliseconds * 1_000_000) }

    private func append(_ count: Int, to recorder: LogRecorder, from first: UInt64 = 1) throws {
        let scene = try recorder.scene(named: "a")
        let batch = EventBatch()
        for number in 0..<UInt64(count) { batch.append(.connect(scene, at: at(first + number))) }
        try recorder.append(batch)
    }

    /// A log of a chunk of two events, by an earlier recording.
    private func makeOlder() throws -> UInt64 {
        unlink(path)
        let older = try LogRecorder(path: path, header: header, flushInterval: .zero, sync: .never)
        try append(2, to: older)
        return older.safe.bytes
    }

    private func problem(_ body: () throws -> Void) -> String {
        do { try body() } catch { return (error as? LogError)?.problem ?? "\(error)" }
        return "none"
    }

    /// The older two events, three in a chunk, and one or a chunk's worth that waits.
    func testWhatAnotherProcessDoesToTheFileIsNoticedEverywhere() throws {
        typealias Notice = (name: String, flush: Duration, sync: LogRecorder.Sync, act: (LogRecorder) throws -> Void)
        let notices: [Notice] = [
            ("flush", .seconds(1000), .never, { try $0.flush() }),
            ("finish", .seconds(1000), .never, { try $0.finish() }),
            ("a tick that flushes", .milliseconds(100), .never, { _ = try $0.tick(at: self.at(1100)) }),
            (
                "a tick that syncs", .seconds(1000), .interval(.milliseconds(300)),
                { _ = try $0.tick(at: self.at(1300)) }
            ),
            ("a full chunk", .seconds(1000), .never, { try self.append(1023, to: $0) }),
        ]
        for notice in notices {
            let received = notice.name == "a full chunk" ? 1029 : 6
            for change in ["removed", "replaced", "moved", "longer", "cut", "empty"] {
                let olderEnd = try makeOlder()
                let recorder = try LogRecorder(
                    path: path, header: header, opening: .appending, flushInterval: notice.flush, sync: notice.sync)
                XCTAssertEqual(
                    try recorder.tick(at: at(1000)),
                    notice.name == "a tick that syncs" ? at(1300) : at(1000).after(notice.flush.wholeNanoseconds))
                try append(3, to: recorder, from: 11)
                try recorder.flush()
                let written = UInt64(try bytes(ofFile: path).count)
                try append(1, to: recorder, from: 21)
                var length = written
                switch change {
                case "removed": unlink(path)
                case "replaced":
                    try Data([1, 2]).write(to: URL(fileURLWithPath: folder.file("other")))
                    XCTAssertEqual(rename(folder.file("other"), path), 0)
                case "moved": XCTAssertEqual(rename(path, folder.file("moved")), 0)
                case "longer": length += 5
                case "cut": length -= 1
                default: length = 0
                }
                if length != written { XCTAssertEqual(truncate(path, off_t(length)), 0) }
                let (events, end): (Int, UInt64) =
                    change == "longer" ? (5, written) : change == "cut" ? (2, olderEnd) : (0, 0)
                let what =
                    switch change {
                    case "removed", "replaced": "removed the file"
                    case "moved": "moved or replaced the file"
                    default: "changed the file's length from \(written) to \(length) bytes"
                    }
                XCTAssertEqual(
                    problem { try notice.act(recorder) },
                    "another process \(what); \(events) events are safe in its first \(end) bytes, and"
                        + " \(received - events) received after them are lost", "\(change), noticed by \(notice.name)")
                XCTAssertEqual(recorder.safe, .init(events: UInt64(events), bytes: end), notice.name)
            }
        }
    }

    func testAFailedWriteLeavesTheWholeChunksBeforeIt() throws {
        for sync in [LogRecorder.Sync.never, .flush, .interval(.seconds(1))] {
            let olderEnd = try makeOlder()
            let isFull = Locked(false)
            var calls = FileCalls.system
            calls.write = { descriptor, bytes, count in
                if !isFull.value { return SettlePlatform.write(descriptor, bytes, count) }
                errno = ENOSPC
                return -1
            }
            let recorder = try LogRecorder(
                path: path, header: header, opening: .appending, flushInterval: .seconds(1000), sync: sync,
                calls: calls, wasMadeSafe: nil)
            try append(3, to: recorder, from: 11)
            try recorder.flush()
            let end = try bytes(ofFile: path).count
            XCTAssertGreaterThan(end, Int(olderEnd))
            try append(2, to: recorder, from: 21)
            isFull.change { $0 = true }
            let expected =
                "cannot write: No space left on device; 5 events are safe in its first \(end) bytes, and 2 received after"
                + " them are lost"
            XCTAssertEqual(problem { try recorder.flush() }, expected)
            XCTAssertEqual(problem { try append(1, to: recorder) }, expected, "it has ended")
            XCTAssertEqual(readLog(try bytes(ofFile: path), format: .settle).events.count, 5)
        }
    }

    /// Two chunks that are written at once, of which the system takes one and the beginning of the other.
    func testAWriteThatFailsWithinAChunkLeavesTheOneBeforeIt() throws {
        for sync in [LogRecorder.Sync.never, .flush, .interval(.seconds(1))] {
            _ = try makeOlder()
            let isFilling = Locked<Bool?>(nil)
            var calls = FileCalls.system
            calls.write = { descriptor, bytes, count in
                guard let fills = isFilling.value else { return SettlePlatform.write(descriptor, bytes, count) }
                isFilling.change { $0 = false }
                if fills { return SettlePlatform.write(descriptor, bytes, count - 1) }
                errno = ENOSPC
                return -1
            }
            let recorder = try LogRecorder(
                path: path, header: header, opening: .appending, flushInterval: .seconds(1000), sync: sync,
                calls: calls, wasMadeSafe: nil)
            isFilling.change { $0 = true }
            let said = problem { try append(2 * BinaryWriter.eventsPerChunk + 1, to: recorder, from: 11) }
            let end = try bytes(ofFile: path).count
            XCTAssertEqual(
                said,
                "cannot write: No space left on device; 1026 events are safe in its first \(end) bytes, and 1025 received"
                    + " after them are lost")
            XCTAssertEqual(recorder.safe, .init(events: 1026, bytes: UInt64(end)))
            XCTAssertEqual(readLog(try bytes(ofFile: path), format: .settle).events.count, 1026)
        }
    }

    func testAllIsSafeAtTheEnd() throws {
        for sync in [LogRecorder.Sync.never, .flush, .interval(.seconds(1))] {
            _ = try makeOlder()
            let said = Locked<[UInt64]>([])
            let recorder = try LogRecorder(
                path: path, header: header, opening: .appending, flushInterval: .seconds(1000), sync: sync
            ) { safe in said.change { $0.append(safe.events) } }
            try append(3, to: recorder, from: 11)
            try recorder.finish()
            XCTAssertEqual(said.value, [5], "\(sync)")
            XCTAssertEqual(recorder.safe, .init(events: 5, bytes: UInt64(try bytes(ofFile: path).count)))
        }
    }

    /// The latest of all events counts, and not that of the last chunk.
    func testNewEventsBeginAtTheLatestOldOneAtTheEarliest() throws {
        _ = try makeOlder()
        let recorder = try LogRecorder(path: path, header: header, opening: .appending, sync: .never)
        try append(1, to: recorder, from: 1)
        try recorder.finish()
        func refusal(_ first: Timestamp) -> String {
            problem { _ = try LogRecorder(path: path, header: header, opening: .appending, firstEvent: first) }
        }
        XCTAssert(refusal(Timestamp(nanoseconds: 1_999_999)).hasPrefix("its events end at 2000000 ns"))
        XCTAssertEqual(refusal(at(2)), "none")
    }
}
