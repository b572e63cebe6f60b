import Foundation
import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// Strings of JSON, compared with what Foundation reads: our scanner accepts exactly the
/// strings of RFC 8259, wherever in a line they stand.
final class JSONStringTests: XCTestCase {
    /// A line with a string in it, and where in the log it goes.
    private struct Place: Sendable {
        var name: String
        var line: @Sendable ([UInt8]) -> [UInt8]
        var isHeader = false
    }

    private static func line(_ before: String, _ after: String) -> @Sendable ([UInt8]) -> [UInt8] {
        { Array(before.utf8) + $0 + Array(after.utf8) }
    }

    private static let places = [
        Place(name: "scene", line: line(#"{"t_ns":1,"scene":""#, #""}"#)),
        Place(name: "last value", line: line(#"{"t_ns":1,"scene":"a","x":""#, #""}"#)),
        Place(name: "value", line: line(#"{"x":""#, #"","t_ns":1,"scene":"a"}"#)),
        Place(name: "nested", line: line(#"{"t_ns":1,"x":[{"k":[1,""#, #""]}],"scene":"a"}"#)),
        Place(name: "key", line: line(#"{"t_ns":1,"scene":"a","x"#, #"":null}"#)),
        Place(name: "nested key", line: line(#"{"t_ns":1,"scene":"a","x":{""#, #"":1}}"#)),
        Place(name: "header", line: line(#"{"settle":"events","version":1,"name":""#, #""}"#), isHeader: true),
        Place(name: "header value", line: line(#"{"settle":"events","version":1,"x":""#, #""}"#), isHeader: true),
        Place(name: "header key", line: line(#"{"settle":"events","x"#, #"":1,"version":1}"#), isHeader: true),
    ]

    private static let escapes = [
        #"\""#, #"\\"#, #"\/"#, #"\b"#, #"\f"#, #"\n"#, #"\r"#, #"\t"#, #"\u0041"#, #"\u00e9"#, #"\uFFFF"#, #"\u0000"#,
        #"\ud83d\ude00"#, #"\uD83D\uDE00"#, #"\ud800"#, #"\udc00"#, #"\ud800\ud800"#, #"\ud83d\u0041"#, #"\ud83d\n"#,
        #"\ude00\ud83d"#, #"\q"#, #"\u"#, #"\u12"#, #"\u12g4"#, #"\x41"#, #"\0"#, #"\U0041"#, #"\'"#, #"\ "#, #"\é"#,
        "\\\u{1}", "\\\u{7F}", "\u{7F}", "\u{1F}", "é", "e\u{301}", "😀",
    ]

    private func foundation(_ line: [UInt8]) -> [String: Any]? {
        (try? JSONSerialization.jsonObject(with: Data(line))) as? [String: Any]
    }

    private func compare(_ string: [UInt8], in place: Place, _ names: inout [[UInt8]: String]) {
        let line = place.line(string)
        let expected = foundation(line)
        let log = readLog(
            (place.isHeader ? [] : Array(jsonHeader.utf8)) + line, format: .jsonl)
        let text = String(decoding: line, as: UTF8.self)
        XCTAssertEqual(log.faults.isEmpty, expected != nil, "\(place.name): \(text): \(log.faults)")
        guard log.faults.isEmpty, let expected else { return }
        if place.isHeader {
            if let name = expected["name"] as? String { XCTAssert(isSame(log.header.name, name), text) }
        } else if let name = expected["scene"] as? String {
            XCTAssertEqual(log.events.count, 1, text)
            XCTAssert(isSame(log.events[0].scene, name), text)
            if place.name == "scene" { names[Array(name.utf8)] = text }
        }
    }

    /// By bytes: to Swift's `==`, an é of one scalar is one of two.
    private func isSame(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }

    func testExactlyTheStringsThatRFC8259AllowsAreAccepted() {
        var names: [[UInt8]: String] = [:]
        for escape in Self.escapes {
            let bytes = Array(escape.utf8)
            for length in 0...bytes.count {
                let cut = Array(bytes[..<length])
                let (before, after) = (Array("ab".utf8), Array("cd".utf8))
                for string in [cut, before + cut, cut + after, before + cut + after, cut + cut, cut + bytes] {
                    for place in Self.places { compare(string, in: place, &names) }
                }
            }
        }
        XCTAssertGreaterThan(names.count, 50)
        assertNeverMerged(names)
    }

    func testRandomStringsAreReadAsFoundationReadsThem() {
        let alphabet = Array(#"\\\\uuudD8c0e9qn/"ab{}[],:"#.utf8) + [0x80, 0xC3, 0xA9, 0xED, 0xA0, 0xF0, 0x1F, 0x00]
        var names: [[UInt8]: String] = [:]
        var random = SplitMix64(seed: 9)
        for _ in 0..<10_000 {
            let string = (0..<Int.random(in: 0...14, using: &random)).map { _ in
                alphabet.randomElement(using: &random)!
            }
            compare(string, in: Self.places.randomElement(using: &random)!, &names)
        }
        assertNeverMerged(names)
    }

    /// One log with all the names has as many scenes.
    private func assertNeverMerged(_ names: [[UInt8]: String], line: UInt = #line) {
        let log = readLog(jsonHeader + names.values.joined(separator: "\n"))
        XCTAssertEqual(log.faults, [], line: line)
        XCTAssertEqual(Set(log.events.map { Array($0.scene.utf8) }).count, names.count, line: line)
        XCTAssertEqual(Set(log.events.map(\.event.name)).count, names.count, line: line)
    }

    func testTextIsQuotedEscapedAndShortened() {
        for (text, expected) in [
            ("a b", #""a b""#), (#"a "b" \"#, #""a \"b\" \\""#),
            ("\n\t\r \u{1F}\u{7F}", "\"\\n\\t\\u000d \\u001f\u{7F}\""),
        ] {
            XCTAssertEqual(JSONText.quoted(text), expected)
        }
        for (text, expected) in [
            ("é b\n", #"é b\u000a"#), ("\u{0}\u{1F} \u{7E}\u{7F}\u{9F}\u{A0}", "\\u0000\\u001f ~\\u007f\\u009f\u{A0}"),
            ("\u{2027}\u{2028}\u{202E}\u{202F}", "\u{2027}\\u2028\\u202e\u{202F}"),
            ("\u{2065}\u{2066}\u{2069}\u{206A}", "\u{2065}\\u2066\\u2069\u{206A}"),
        ] {
            XCTAssertEqual(text.escaped, expected)
        }
        for (bytes, expected) in [(9, "aéüb€"), (8, "aéü…"), (7, "aé…"), (6, "aé…"), (5, "a…"), (4, "a…"), (3, "…")] {
            XCTAssertEqual("aéüb€".shortened(toBytes: bytes), expected)
        }
    }

    func testNamesThatOnlyLookAlikeAreSeparateScenesAlsoWhenChosen() throws {
        let names = ["\u{E9}", "e\u{301}"]
        let lines = names.map { #"{"t_ns":1,"scene":"\#($0)","width":1,"height":1}"# + "\n" }.joined()
        for name in names {
            let reader = try LogReader(ByteInput(jsonHeader + lines))
            let replay = try LogReplay(reader, policy: .default, window: ReplayWindow(scenes: [name]))
            while try replay.readNext() { replay.submit { _, _ in } }
            replay.finish { _, _ in }
            XCTAssertEqual(replay.summary.events, 1)
        }
    }
}
