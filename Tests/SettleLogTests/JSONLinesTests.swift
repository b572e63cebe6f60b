import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// What a log of lines is, beyond the lines of Tests/Cases/lines.
final class JSONLinesTests: XCTestCase {
    private func events(_ lines: String) -> ReadLog { readLog(jsonHeader + lines) }

    func testCommentsBlankLinesCRLFAndUnknownKeysAreIgnored() {
        let log = readLog(
            "# made by hand\n\n" + jsonHeader
                + "# a comment\r\n  \r\n{\"t_ns\" : 7 , \"scene\":\"a\",\"extra\":{\"deep\":[1,-2.5e3,\"]}\",null,true,{}]}, \"width\":1,\"height\":2}\r\n"
        )
        XCTAssertEqual(log.faults, [])
        XCTAssertEqual(log.events.count, 1)
        XCTAssertEqual(log.events.first?.event.size, Size(width: 1, height: 2))
        XCTAssertEqual(log.positions, [.line(6)])
    }

    func testShortKeysOfASizeAreNotedOnce() {
        let log = events(#"{"t_ns":1,"scene":"a","w":7,"h":9}"# + "\n" + #"{"t_ns":2,"scene":"a","h":9}"# + "\n")
        XCTAssertEqual(log.faults, [])
        XCTAssertEqual(
            log.notes, [#"Line 2 has the key "w" or "h", which is ignored: a size is "width" and "height"."#])
        XCTAssertEqual(events(#"{"t_ns":1,"scene":"a","wide":7,"width":1,"height":9}"#).notes, [])
    }

    func testALineThatWasCutIsCalledTruncated() {
        let log = events(#"{"t_ns":5,"scene":"a"}"# + "\n" + #"{"t_ns":6,"sce"#)
        XCTAssertEqual(log.events.count, 1)
        XCTAssertEqual(log.faults.first?.kind, .truncated)
        XCTAssertEqual(log.faults.first?.position, .line(3))
        XCTAssertEqual(events("{").faults.map(\.kind), [.truncated])
        XCTAssertEqual(events("{\n").faults.map(\.kind), [.malformed])
        XCTAssertEqual(events(#"{"t_ns":5,"scene":"a"}"#).faults, [], "a last line needs no line end")
    }

    func testNamesAreEscapedAndBounded() throws {
        let again = try written(
            as: .jsonl, scenes: names(["a\"\\é😀\n\u{1}"]),
            [.connect(SceneNumber(rawValue: 0), at: Timestamp(nanoseconds: 1))])
        XCTAssertEqual(readLog(again).events.first?.scene, "a\"\\é😀\n\u{1}")

        let longest = String(repeating: "x", count: SceneNames.nameLengthMax)
        XCTAssertEqual(events(#"{"t_ns":1,"scene":"\#(longest)"}"#).faults, [])
        XCTAssertEqual(events(#"{"t_ns":1,"scene":"\#(longest)x"}"#).faults.count, 1)
        XCTAssertEqual(
            readLog(Array((jsonHeader + #"{"t_ns":1,"scene":""#).utf8) + [0xFF, 0x22, 0x7D]).faults.count, 1)
    }

    private func names(_ list: [String]) -> SceneNames {
        let names = SceneNames()
        for name in list { _ = names.number(of: name) }
        return names
    }

    func testALineTooLongIsPassedOver() {
        let long = #"{"t_ns":1,"x":""# + String(repeating: "y", count: LineInput.lengthMax) + #""}"#
        let log = events(long + "\n" + #"{"t_ns":5,"scene":"a"}"# + "\n")
        XCTAssertEqual(log.faults.map(\.position), [.line(2)])
        XCTAssertEqual(log.positions, [.line(3)])
    }

    func testRecordingsAreWrittenBackByteForByte() throws {
        XCTAssertGreaterThan(Recordings.names.count, 8)
        for name in Recordings.names {
            let original = try bytes(ofFile: Recordings.log(name))
            let reader = try LogReader(ByteInput(bytes: original, name: name))
            let folder = TemporaryFolder()
            let output = try ByteOutput(path: folder.file("copy.jsonl"))
            let writer = try JSONLinesWriter(output, header: reader.header)
            let batch = EventBatch()
            while try reader.read(into: batch) { try writer.write(batch, scenes: reader.scenes) }
            try writer.finish()
            XCTAssertEqual(try bytes(ofFile: folder.file("copy.jsonl")), original, name)
        }
    }

    func testNumbersThatAreNotFiniteStayRejectable() throws {
        let scenes = names(["a"])
        let scene = SceneNumber(rawValue: 0)
        for width in [Double.nan, .infinity, -.infinity, -5] {
            let bytes = try written(
                as: .jsonl, scenes: scenes,
                [.geometry(scene, at: Timestamp(nanoseconds: 1), size: Size(width: width, height: 2))])
            let back = readLog(bytes).events.first?.event.size?.width
            XCTAssert(
                back.map { !($0 >= 0 && $0.isFinite) } == true, "\(width) came back as \(String(describing: back))")
        }
    }

    /// A server's clients have policies of their own.
    func testADecisionHasItsGenerationWhereItsPolicyTakesReports() throws {
        var engine = try LogEngine(policy: .live, scenesMax: 1, decisionsMax: 64)
        var decisions: [Decision] = []
        let scene = SceneNumber(rawValue: 0)
        try engine.submit(.geometry(scene, at: .zero, size: Size(width: 1, height: 2))) { decision, _ in
            decisions.append(decision)
        }
        engine.finish { decision, _ in decisions.append(decision) }
        let decision = try XCTUnwrap(decisions.first)
        for (policy, asked, isWritten) in [
            (.live, nil, true), (.default, nil, false), (.default, true, true), (.live, false, false),
        ] as [(Policy, Bool?, Bool)] {
            let text = Locked("")
            let writer = DecisionWriter(
                ByteOutput(name: "test") { bytes in text.change { $0 += String(decoding: bytes, as: UTF8.self) } },
                policy: policy)
            try writer.write(decision, scene: "a", takesReports: asked)
            try writer.finish()
            XCTAssertEqual(text.value.contains(#""generation":1"#), isWritten)
        }
    }
}
