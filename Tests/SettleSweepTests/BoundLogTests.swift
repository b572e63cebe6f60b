import Foundation
import Settle
import SettleLog
import TestSupport
import XCTest

@testable import SettleSweep

final class BoundLogTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private func log(_ lines: String, connectionsMax: Int = 100) throws -> BoundLog {
        let path = folder.file("x.jsonl")
        try (#"{"settle":"events","version":1}"# + "\n" + lines).write(toFile: path, atomically: true, encoding: .utf8)
        return try BoundLog(LogReader(path: path), connectionsMax: connectionsMax)
    }

    func testAnEmptyLogHasNothing() throws {
        let log = try log("")
        XCTAssertEqual([log.events, log.connections], [0, 0])
        XCTAssertNil(log.fault)
        let sweep = try Sweep([.default])
        XCTAssert(try sweep.add([log, log], jobs: 2))
        XCTAssertEqual(sweep[0].rebuilds, 0)
        XCTAssertEqual(sweep[0].lag(permille: 950), LagBucket(.zero))
        XCTAssertEqual(sweep[0].lag(permille: -5), sweep[0].lag(permille: 5000))
    }

    func testALogThatWasNotReadToItsEndIsNotCalledComplete() throws {
        let folder = TemporaryFolder()
        let path = folder.file("log.settle")
        let scenes = SceneNames()
        let batch = EventBatch()
        for step in 0..<(3 * BinaryWriter.eventsPerChunk) {
            batch.append(
                .geometry(
                    scenes.number(of: "a"), at: Timestamp(nanoseconds: UInt64(step)),
                    size: Size(width: Double(step + 1), height: 1)), at: .line(0))
        }
        let writer = try BinaryWriter(ByteOutput(path: path), header: LogHeader())
        try writer.write(batch, scenes: scenes)
        try writer.finish()
        for (duration, isComplete) in [(nil, true), (Duration.nanoseconds(5), nil)] as [(Duration?, Bool?)] {
            var progress: [Int] = []
            let window = ReplayWindow(duration: duration)
            let log = try BoundLog(LogReader(path: path), window: window) { progress.append($0) }
            XCTAssertEqual(log.isComplete, isComplete)
            XCTAssertEqual(log.events, duration == nil ? batch.count : 6)
            XCTAssertEqual(log.span, duration == nil ? nil : .nanoseconds(2 * BinaryWriter.eventsPerChunk - 1))
            XCTAssertEqual(progress, duration == nil ? [1024, 2048, 3072] : [6, 6])
        }
    }

    /// Its chunks are read one after the other: the last ones have only the latest time that a window has, and a scene
    /// that comes late counts as one that was there.
    func testAWindowsLatestTimeMayBeThatOfSeveralChunks() throws {
        let path = folder.file("log.settle")
        let scenes = SceneNames()
        let writer = try BinaryWriter(ByteOutput(path: path), header: LogHeader())
        for (name, time) in [("a", 0), ("b", 1000), ("c", 1000), ("d", 1001)] as [(String, UInt64)] {
            let batch = EventBatch()
            for _ in 0..<BinaryWriter.eventsPerChunk {
                let at = Timestamp(nanoseconds: time * 1_000_000)
                batch.append(.geometry(scenes.number(of: name), at: at, size: Size(width: 3, height: 1)), at: .line(0))
            }
            try writer.write(batch, scenes: scenes)
        }
        try writer.finish()
        let log = try BoundLog(LogReader(path: path), window: ReplayWindow(duration: .seconds(1)))
        XCTAssertEqual(log.events, 3 * BinaryWriter.eventsPerChunk)
        XCTAssertEqual([log.baselines.everyChange, log.baselines.fixedDebounce], [3, 3])
    }

    func testWhatPrecedesAFaultIsKept() throws {
        let log = try log(
            #"{"t_ns":0,"scene":"a","width":1,"height":1}"# + "\n{broken\n"
                + #"{"t_ns":9,"scene":"b","width":1,"height":1}"# + "\n")
        XCTAssertEqual(log.fault?.position, .line(3))
        XCTAssertEqual([log.events, log.connections], [1, 1])
        XCTAssertEqual(log.baselines.everyChange, 1)
        XCTAssertEqual(log.isComplete, false)
    }

    /// A scene that comes back is another connection, and one that the engine rejects is none.
    func testConnectionsAreBounded() throws {
        let lines = """
            {"t_ns":0,"scene":"a","width":1,"height":1}
            {"t_ns":1,"scene":"a","kind":"disconnect"}
            {"t_ns":2,"scene":"a","kind":"connect"}
            {"t_ns":3,"scene":"b","width":-1,"height":1}
            {"t_ns":4,"scene":"c","kind":"disconnect"}
            {"t_ns":5,"button":1,"pressed":true,"kind":"pointer"}

            """
        let bound = try log(lines, connectionsMax: 2)
        XCTAssertEqual(bound.connections, 2)
        let sweep = try Sweep([.default])
        XCTAssert(try sweep.add([bound, bound], jobs: 1))
        XCTAssertEqual([sweep.logs, sweep.events, sweep.connections], [2, 12, 4])
        XCTAssertThrowsError(try log(lines, connectionsMax: 1)) {
            XCTAssert("\($0)".contains("x.jsonl: its scenes connect 2 times, and at most 1"), "\($0)")
        }
    }
}
