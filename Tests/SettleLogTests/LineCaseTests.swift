import Foundation
import Settle
import TestSupport
import XCTest

@_spi(Careful) @testable import SettleLog

/// The cases of Tests/Cases/lines, through the reader of JSON Lines with and without its fast way.
final class LineCaseTests: XCTestCase {
    /// Those that the cases are read with.
    private static let names = [
        "a", "é", "12345678", "123456789", "123456788", "a name of more than sixteen bytes", "",
        "a name of more than sixteen bytes, too",
    ]

    func testEachLineIsReadAsTheCoreReadsIt() throws {
        let pairs = try CasePair.all(of: "lines").filter {
            !$0.input.hasPrefix("header ") && !$0.input.allSatisfy(\.isWhitespace)
        }
        XCTAssertGreaterThan(pairs.count, 150)
        let named = Self.names.map { #"{"t_ns":0,"scene":"\#($0)"}"# }
        let text = jsonHeader + (named + pairs.map(\.input)).joined(separator: "\n") + "\n"
        for format in [LogFormat.jsonl, .carefulJSONL] {
            let log = readLog(text, format: format)
            var said: [LogPosition: String] = [:]
            for (position, event) in zip(log.positions, log.events) {
                said[position] = drawn(event.event, scene: event.scene)
            }
            for fault in log.faults { said[fault.position!] = fault.problem }
            XCTAssertEqual(said.count, named.count + pairs.count)
            for (number, pair) in pairs.enumerated() {
                let expected = pair.answer.split(separator: "; w or h").first.map(String.init)
                XCTAssertEqual(said[.line(2 + named.count + number)], expected, pair.place)
            }
        }
    }

    func testEachHeaderIsReadAsTheCoreReadsIt() throws {
        for pair in try CasePair.all(of: "lines") where pair.input.hasPrefix("header ") {
            let log = readLog(String(pair.input.dropFirst("header ".count)), format: .jsonl)
            XCTAssertEqual(
                log.faults.map(\.problem), pair.sign == "!" ? ["the header cannot be read: \(pair.answer)"] : [],
                pair.place)
            let texts = [
                ("clock", log.header.clock), ("unit", log.header.unit), ("source", log.header.source),
                ("name", log.header.name),
            ]
            for (key, text) in texts where pair.answer.contains("\(key) \"") && pair.sign == "=" {
                let escaped = text.replacing("\\", with: "\\\\").replacing("\n", with: "\\x0a")
                XCTAssert(pair.answer.contains("\(key) \"\(escaped)\""), pair.place)
            }
            XCTAssertEqual(log.header.policy != nil, pair.sign == "=" && pair.answer.hasSuffix("policy"), pair.place)
        }
    }
}
