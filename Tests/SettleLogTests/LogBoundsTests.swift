import Foundation
import Settle
import XCTest

@testable import SettleLog

/// The bounds of text logs are the same however a log arrives, and what they let in can
/// be written in either encoding.
final class LogBoundsTests: XCTestCase {
    /// A comment of so many bytes.
    private func comment(_ length: Int) -> String { "#" + String(repeating: "x", count: length - 1) }

    private func streamed(_ bytes: [UInt8]) -> [LogError] {
        do throws(LogError) {
            let reader = try LogReader(stream: ByteInput(bytes: bytes, name: "stream"))
            let batch = EventBatch()
            while try reader.read(into: batch) {}
            return []
        } catch {
            return [error]
        }
    }

    func testALinesLengthIsBoundedTheSameHoweverItArrives() throws {
        let event = #"{"t_ns":1,"scene":"a"}"# + "\n"
        let longest = LineInput.lengthMax
        for (length, isFault) in [(longest, false), (longest + 1, true), (longest + 65_536, true)] {
            for end in ["\n" + event, ""] {
                let bytes = Array((jsonHeader + event + comment(length) + end).utf8)
                let whole = readLog(bytes, format: .jsonl)
                XCTAssertEqual(whole.faults.map(\.position), isFault ? [.line(3)] : [], "\(length)")
                XCTAssertEqual(whole.events.count, end.isEmpty ? 1 : 2)
                let file = FileManager.default.temporaryDirectory.appending(path: "settle-line-\(UUID()).jsonl")
                try Data(bytes).write(to: file)
                defer { try? FileManager.default.removeItem(at: file) }
                let read = readLog(try ByteInput(path: file.path), format: .jsonl)
                XCTAssertEqual(read.faults.map(\.problem), whole.faults.map(\.problem), "\(length)")
                XCTAssertEqual(read.events.count, whole.events.count)
            }
        }
    }

    func testALiveStreamsLineIsBoundedAlsoWhenAllOfItIsThere() {
        for (length, isFault) in [(StreamLimits.lineBytes, false), (StreamLimits.lineBytes + 1, true)] {
            let faults = streamed(Array((jsonHeader + comment(length) + "\n").utf8))
            XCTAssertEqual(faults.map(\.position), isFault ? [.line(2)] : [], "\(length)")
        }
    }

    func testAHeaderThatCannotBeWrittenIsAFaultWhenItIsRead() throws {
        func log(_ name: String) -> String {
            #"{"settle":"events","version":1,"clock":"monotonic","unit":"px","source":"test","name":""# + name + #""}"#
        }
        let room = 65_536 - LogHeader(source: "test").line.utf8.count
        let whole = readLog(log(String(repeating: "x", count: room)), format: .jsonl)
        XCTAssertEqual(whole.faults, [])
        let binary = try written(as: .settle, header: whole.header, scenes: SceneNames(), [])
        XCTAssertEqual(readLog(binary).header, whole.header)
        // An escape is counted as it is written.
        for name in [String(repeating: "x", count: room + 1), String(repeating: #"\u0001"#, count: 11_000)] {
            let faults = readLog(log(name), format: .jsonl).faults
            XCTAssertEqual(faults.map(\.position), [.line(1)])
            XCTAssert(faults.first?.problem.contains("at most 65536") == true, "\(faults)")
        }
    }

    func testALongTitleOfATerminalRecordingCostsNothing() throws {
        let title = String(repeating: "t", count: 70_000)
        let log = readLog(#"{"version": 2, "width": 80, "height": 24, "title": ""# + title + "\"}\n")
        XCTAssertEqual(log.faults, [])
        XCTAssertEqual(log.events.count, 1)
        XCTAssertEqual(log.header.name, String(title.prefix(1024)))
    }

    func testOnlyAnIndexSaysThatALogIsComplete() throws {
        for text in [jsonHeader, jsonHeader + #"{"t_ns":1,"scene":"a"}"# + "\n"] {
            let log = readLog(text)
            XCTAssertEqual(log.faults, [])
            XCTAssert(log.lacksEnd)
        }
        XCTAssertFalse(readLog(try written(as: .settle, scenes: SceneNames(), [])).lacksEnd)
    }

    func testAFrameOfATerminalIsBounded() {
        func frame(_ microseconds: UInt32, _ length: UInt32, _ output: String) -> [UInt8] {
            [7, microseconds, length].flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            }
                + Array(output.utf8)
        }
        let size = frame(0, 9, "\u{1B}[8;3;4t.")
        for (bytes, times, problem) in [
            (frame(999_999, 1 << 24, "."), [7_000_000_000], "the last frame is cut off"),
            (frame(999_999, 8, "\u{1B}[8;5;6t"), [7_000_000_000, 7_999_999_000], nil),
            (frame(1_000_000, 1, "."), [7_000_000_000], "no frame of ttyrec; nothing behind it can be found"),
            (frame(0, 1 << 24 + 1, "."), [7_000_000_000], "no frame of ttyrec; nothing behind it can be found"),
        ] as [([UInt8], [UInt64], String?)] {
            let imported = drain(TtyrecReader(ByteInput(bytes: size + bytes, name: "log")))
            XCTAssertEqual(imported.times, times)
            XCTAssertEqual(imported.faults.map(\.problem), [problem].compactMap(\.self))
        }
    }

    func testASizeInATerminalsOutputIsBounded() {
        for (text, size) in [
            ("999999;1", Size(width: 1, height: 999_999)), ("1;999999", Size(width: 999_999, height: 1)),
            ("1000000;1", nil), ("1;1000000", nil), ("0;1", nil), ("1;0", nil), ("1;2;3", nil), ("1", nil),
        ] as [(String, Size?)] {
            var scan = TerminalSizeReport()
            let bytes = Array("\u{1B}[8;\(text)t".utf8)
            XCTAssertEqual(bytes.withUnsafeBytes { scan.take($0).size }, size, text)
        }
    }

    func testTheTimesOfATypescriptAreBounded() {
        for (last, faults) in [
            ("1", []), ("1.000000001", ["the times add up to more than 4000000000 seconds"]),
        ] as [(String, [String])] {
            let times = "3999999998 1\n1 1\n\(last) 1\n"
            let imported = drain(ScriptOutput(ByteInput(times), output: ByteInput("no header\nabc")))
            XCTAssertEqual(imported.faults.map(\.problem), faults, last)
        }
    }

    func testTimesThatMayBeOfAnotherUnit() {
        func isNoted(_ events: Int, _ scenes: Int, _ nanoseconds: Int, _ format: LogFormat = .jsonl) -> Bool {
            TimeUnitHint.note(format, events: events, scenes: scenes, span: .nanoseconds(nanoseconds)) != nil
        }
        XCTAssert(isNoted(10, 1, 199_999) && isNoted(29, 2, 279_999) && isNoted(10, 1, 0, .settle))
        for (events, scenes, nanoseconds) in [(10, 1, 200_000), (9, 1, 0), (19, 2, 0), (29, 2, 280_000), (9, 0, 0)] {
            XCTAssertFalse(isNoted(events, scenes, nanoseconds), "\(events) \(scenes) \(nanoseconds)")
        }
        XCTAssertFalse(isNoted(10, 1, 0, .rrweb))
    }

    func testTextsOfPoliciesAreBounded() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "settle-policy-\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        func problem(_ text: String, most: Int? = nil) throws -> String? {
            try text.write(to: file, atomically: false, encoding: .utf8)
            do throws(LogError) {
                if let most {
                    _ = try Policy.readList(path: file.path, most: most)
                } else {
                    _ = try Policy.read(path: file.path)
                }
                return nil
            } catch {
                return error.problem
            }
        }
        let spaces = String(repeating: " ", count: Policy.textBytesMax - 2)
        XCTAssertNil(try problem("{}" + spaces))
        XCTAssertEqual(try problem("{} " + spaces), "is no policy: it is longer than 65536 bytes")
        XCTAssertEqual(try problem("{} {}"), "something follows the policy's object")
        XCTAssertNil(try problem("{} {}", most: 2))
        XCTAssertEqual(try problem("{} {} {}", most: 2), "there are more than 2 policies")
    }
}
