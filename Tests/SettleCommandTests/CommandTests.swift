import Foundation
import TestSupport
import XCTest

/// Signals and times, which no transcript has.
final class CommandTests: XCTestCase {
    func testASignalEndsAReplayWithTheSummarySoFar() throws {
        let folder = TemporaryFolder()
        let text =
            #"{"settle":"events","version":1}"# + "\n" + """
                {"t_ns":0,"scene":"a","width":1,"height":1,"resizing":false}
                {"t_ns":1000000,"scene":"a","width":2,"height":1,"resizing":false}
                {"t_ns":3600000000000,"scene":"b","width":3,"height":1,"resizing":true}
                """
        try text.write(toFile: folder.file("x.jsonl"), atomically: true, encoding: .utf8)
        for signal in [SIGINT, SIGTERM] {
            let replay = try Running(
                [
                    "replay", folder.file("x.jsonl"), "--rate", "1", "--first-delay", "50ms", "--decisions",
                    folder.file("d.jsonl"),
                ], folder)
            replay.wait("the first rebuild") {
                (try? String(contentsOfFile: folder.file("d.jsonl"), encoding: .utf8))?.contains("rebuild") == true
            }
            XCTAssertEqual(replay.stop(signal), signal)
            XCTAssertEqual(replay.process.terminationReason, .uncaughtSignal)
            XCTAssert(replay.output.contains("2 events of 1 scene in 1 ms"), replay.output)
            XCTAssert(replay.output.contains("1 rebuild\n"), replay.output)
            XCTAssert(replay.errors.contains("interrupted; everything up to 1 ms was replayed"), replay.errors)
            let decisions = try String(contentsOfFile: folder.file("d.jsonl"), encoding: .utf8)
            XCTAssertEqual(decisions.split(separator: "\n").count, 1, decisions)
            try FileManager.default.removeItem(atPath: folder.file("d.jsonl"))
        }
    }

    /// A paced replay waits for the deadlines after the last event, and for none after a fault.
    func testAPacedReplayEndsWithItsLastDeadlineOrAtAFault() throws {
        let folder = TemporaryFolder()
        let text =
            #"{"settle":"events","version":1}"# + "\n" + #"{"t_ns":0,"scene":"a","width":1,"height":1}"# + "\n"
        for (end, delay) in [("", "400ms"), ("{broken\n", "1h")] {
            try (text + end).write(toFile: folder.file("x.jsonl"), atomically: true, encoding: .utf8)
            let begun = ContinuousClock.now
            let replay = try Running(
                ["replay", folder.file("x.jsonl"), "--rate", "2", "--first-delay", delay, "--decisions", "-"], folder)
            XCTAssertEqual(replay.status(), end.isEmpty ? 0 : 1, replay.errors)
            XCTAssertEqual(replay.output.contains("rebuild"), true, replay.output)
            if end.isEmpty {
                XCTAssertGreaterThanOrEqual(ContinuousClock.now - begun, .milliseconds(200))
            } else {
                XCTAssertTrue(replay.errors.contains("line 3"), replay.errors)
            }
        }
    }
}
