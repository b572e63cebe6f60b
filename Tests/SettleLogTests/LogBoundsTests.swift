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
}
