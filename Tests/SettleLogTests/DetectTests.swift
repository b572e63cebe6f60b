import Foundation
import Settle
import XCTest

@testable import SettleLog

/// Which format a log is taken for, by its content and by its name.
final class DetectTests: XCTestCase {
    private func format(_ text: String, name: String = "log") -> LogFormat? {
        (try? LogReader(ByteInput(bytes: Array(text.utf8), name: name)))?.format
    }

    /// Headers with every key that the specification of asciicast knows, in our own words.
    private static let version2 = #"""
        {"version": 2, "width": 120, "height": 40, "timestamp": 1700000001, "duration": 61.5, "idle_time_limit": 1.5, "command": "make", "title": "A \"type\" of \"events\"", "env": {"SHELL": "/bin/sh", "TERM": "vt220"}, "theme": {"fg": "#102030", "bg": "#000000", "palette": "#000000:#ff0000"}}
        [0.25, "o", "cc -c a.c\r\n"]
        [1.5, "r", "100x30"]
        [2.0, "m", "half"]

        """#
    private static let version3 = #"""
        {"version": 3, "term": {"cols": 120, "rows": 40, "type": "xterm-256color", "version": "someterm(1.2)", "theme": {"fg": "#102030", "bg": "#000000", "palette": "#000000:#ff0000"}}, "timestamp": 1700000001, "idle_time_limit": 1.5, "command": "make", "title": "build", "env": {"SHELL": "/bin/sh"}, "tags": ["a", "b"]}
        # the window is made smaller
        [0.25, "o", "cc -c a.c\r\n"]
        [1.25, "r", "100x30"]
        [0.5, "x", "0"]

        """#
    private static let version1 = #"""
        {
          "version": 1,
          "width": 120,
          "height": 40,
          "duration": 1.75,
          "command": "make",
          "title": null,
          "env": {"TERM": "vt220", "SHELL": "/bin/sh"},
          "stdout": [
            [0.25, "cc -c a.c\r\n"],
            [1.5, "done\r\n"]
          ]
        }

        """#
    private static let names = ["log", "log.cast", "log.json", "log.jsonl", "-"]

    func testRealHeadersOfAsciicastAreTakenForThat() {
        for text in [Self.version2, Self.version3] {
            for name in Self.names {
                let log = readLog(text, name: name)
                XCTAssertEqual(log.format, .asciicast, name)
                XCTAssertEqual(log.faults, [], name)
                XCTAssertEqual(log.events.map(\.event.size?.description), ["120×40", "100×30"])
                XCTAssertEqual(log.events.map(\.event.at.nanoseconds), [0, 1_500_000_000])
                XCTAssertEqual(readLog(ByteInput.pipe(text)).format, .asciicast)
            }
        }
        let keys = [
            #""version":3"#, #""timestamp":1700000001"#, #""term":{"type":"xterm","rows":40,"cols":120}"#,
            #""title":"settle""#,
        ]
        for order in [[0, 1, 2, 3], [1, 0, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [2, 3, 0, 1]] {
            let header = "{\(order.map { keys[$0] }.joined(separator: ","))}\n"
            XCTAssertEqual(format(header), .asciicast, header)
        }
    }

    func testAsciicastVersionsThatAreNotReadAreNamedWithThoseThatAre() {
        let one = String(Self.version1.filter { $0 != "\n" })
        let later = Self.version3.replacing(#""version": 3"#, with: #""version": 4"#)
        let cases = [
            (Self.version1, "version 1 has no resize events"), (one, "version 1 has no resize events"),
            (later, "version 4 is newer"),
            (later.replacing("4,", with: "0,", maxReplacements: 1), "version 0 is unknown"),
            (later.replacing("4,", with: "3.5,", maxReplacements: 1), "version 3.5 is newer"),
            (later.replacing("4,", with: "-1,", maxReplacements: 1), "version -1 is unknown"),
            (later.replacing("4,", with: "\"x\",", maxReplacements: 1), "version is \"x\", which is unknown"),
            (later.replacing("4,", with: "\"3\",", maxReplacements: 1), "version is \"3\", which is unknown"),
        ]
        for (text, words) in cases {
            for name in Self.names {
                let faults = readLog(text, name: name).faults
                XCTAssertEqual(faults.count, 1, "\(name): \(text)")
                let problem = faults.first?.problem ?? ""
                XCTAssert(problem.contains(words), "\(name): \(problem)")
                XCTAssert(problem.contains("2 and 3"), "\(name): \(problem)")
            }
        }
        for text in ["{\"version\": \"x\"}\n", "{\"title\": 1}\n", "{}\n"] {
            XCTAssert(
                readLog(text, name: "a.cast").faults.first?.problem.contains("2 and 3") == true,
                "\(readLog(text, name: "a.cast").faults)")
        }
    }

    func testRrwebIsTakenForThatOnlyWhenItIsIt() {
        let event = #"{"type":4,"data":{"href":"settle","width":1,"height":2},"timestamp":3}"#
        let long = #"{"type":2,"data":{"node":""# + String(repeating: "x", count: 100_000) + #""},"timestamp":1}"#
        let deep = #"{"timestamp":1,"type":2,"data":"# + String(repeating: "[", count: 200)
        for text in [
            event, "[\(event)]", " [ \n \(event),\(event) ]", #"{"version":"1","events":[\#(event)]}"#,
            "{\n\"events\" : [\n\(event)]}", "\(event)\n\(event)\n", long, "[\(long)]", deep,
            #"{"timestamp":3,"data":{},"type":4}"#,
            "[\n  {\n    \"type\": 4,\n    \"data\": {},\n    \"timestamp\": 3\n  }\n]",
        ] {
            XCTAssertEqual(format(text), .rrweb, String(text.prefix(100)))
        }
        for text in [
            "[]", "[1,2]", #"[{"name":"x"}]"#, #"{"type":"module","name":"x","version":"1.0.0"}"#,
            #"{"type":4,"timestamp":3}"#, #"{"events":"none"}"#, #"{"term":{"type":1}}"#, "{}", "{",
        ] {
            XCTAssertNil(format(text), text)
        }
    }

    func testJSONLinesIsTakenForThatWhateverTheOrderOfItsKeys() {
        for text in [
            #"{"version":1,"settle":"events"}"#, #"{"settle":"events","version":1,"title":"width"}"#,
            "# a comment\n\n" + #"{"name":"version","version":1,"clock":"monotonic","settle":"events"}"#,
        ] {
            XCTAssertEqual(format(text), .jsonl, text)
            XCTAssertEqual(format(text, name: "x.cast"), .jsonl, text)
        }
        XCTAssertEqual(readLog(#"{"t_ns":1,"scene":"a"}"#).faults.map { $0.problem.contains("no event log") }, [true])
    }

    /// The header alone shows the format: a recorder must not wait for later bytes.
    func testALiveStreamOfOurOwnIsKnownByItsFirstBytes() throws {
        let binary = try written(as: .settle, scenes: SceneNames(), [])
        for (bytes, expected) in [(Array(jsonHeader.utf8), LogFormat.jsonl), (binary, .settle)] {
            var ends: [Int32] = [-1, -1]
            XCTAssertEqual(pipe(&ends), 0)
            XCTAssertEqual(write(ends[1], bytes, bytes.count), bytes.count)
            let reader = try LogReader(ByteInput(descriptor: ends[0], name: "pipe", ownsDescriptor: true))
            XCTAssertEqual(reader.format, expected)
            close(ends[1])
        }
    }
}
