import Settle
import TestSupport
import XCTest

@testable import SettleLog

final class JSONLinesTests: XCTestCase {
    private func events(_ lines: String) -> ReadLog { readLog(jsonHeader + lines) }

    func testReadsEveryKindAndKey() {
        let log = events(
            """
            {"t_ns":1,"scene":"a","kind":"connect"}
            {"t_ns":2,"scene":"a","width":400,"height":300.5,"resizing":true,"locked":false,"orientation":"landscapeLeft"}
            {"t_ns":3,"scene":"a","kind":"geometry","locked":true}
            {"t_ns":4,"kind":"pointer","button":272,"pressed":true}
            {"t_ns":5,"scene":"a","kind":"disconnect"}
            """)
        XCTAssertEqual(log.faults, [])
        let scene = SceneNumber(rawValue: 0)
        let expected: [LogEvent] = [
            .connect(scene, at: Timestamp(nanoseconds: 1)),
            .geometry(
                scene, at: Timestamp(nanoseconds: 2), size: Size(width: 400, height: 300.5),
                isInteractivelyResizing: true, isInterfaceOrientationLocked: false, orientation: .landscapeLeft),
            .geometry(scene, at: Timestamp(nanoseconds: 3), isInterfaceOrientationLocked: true),
            .pointer(button: 272, at: Timestamp(nanoseconds: 4), isPressed: true),
            .disconnect(scene, at: Timestamp(nanoseconds: 5)),
        ]
        XCTAssertEqual(log.events.map(\.event), expected)
        XCTAssertEqual(log.header, LogHeader(source: "test", name: "t"))
    }

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

    func testAFaultNamesItsLineAndCostsNothingElse() {
        let cases: [(String, String)] = [
            (#"{"t_ns":1,"scene":"a","kind":"explode"}"#, "unknown kind \"explode\""),
            (#"{"scene":"a","width":1,"height":1}"#, "\"t_ns\" is missing"),
            (#"{"t_ns":1,"width":1,"height":1}"#, "\"scene\" is missing"),
            (#"{"t_ns":1,"scene":"a","width":1}"#, "\"width\" without \"height\""),
            (#"{"t_ns":1,"scene":"a","height":1}"#, "\"height\" without \"width\""),
            (#"{"t_ns":-1,"scene":"a"}"#, "-1 is not a whole number"),
            (#"{"t_ns":1.5,"scene":"a"}"#, "1.5 is not a whole number"),
            (#"{"t_ns":9223372036854775808,"scene":"a"}"#, "is not a whole number from 0 to 9223372036854775807"),
            (#"{"t_ns":1,"scene":"a","width":NaN,"height":1}"#, "expected a number"),
            (#"{"t_ns":1,"scene":"a","resizing":1}"#, "expected true or false"),
            (#"{"t_ns":1,"scene":"a","orientation":"sideways"}"#, "unknown orientation \"sideways\""),
            (#"{"t_ns":1,"kind":"pointer","pressed":true}"#, "\"button\" is missing"),
            (#"{"t_ns":1,"kind":"pointer","button":1}"#, "\"pressed\" is missing"),
            (#"{"t_ns":1,"scene":"a","kind":"finished","cost_ns":1}"#, "\"generation\" is missing"),
            (#"{"t_ns":1,"scene":"a","kind":"finished","generation":1}"#, "\"cost_ns\" is missing"),
            (#"{"t_ns":1,"kind":"finished","generation":1,"cost_ns":1}"#, "\"scene\" is missing"),
            (#"{"t_ns":1,"kind":"pointer","button":4294967296,"pressed":true}"#, "is not a whole number"),
            (#"{"t_ns":1,"scene":"a"} x"#, "something follows"),
            (#"{"t_ns":01,"scene":"a"}"#, "expected a number"),
            (#"{"t_ns":1,"scene":"\ud800"}"#, "bad escape"),
            (#"not json"#, "expected '{'"),
            (#"{"t_ns":1,"x":"# + String(repeating: "[", count: 100), "nested"),
        ]
        for (line, problem) in cases {
            let good = #"{"t_ns":5,"scene":"a","width":1,"height":1}"#
            let log = events("\(good)\n\(line)\n\(good)\n")
            XCTAssertEqual(log.events.count, 2, line)
            XCTAssertEqual(log.faults.map(\.position), [.line(3)], line)
            XCTAssert(log.faults.first?.problem.contains(problem) == true, "\(line): \(log.faults)")
        }
    }

    func testALineThatWasCutIsCalledTruncated() {
        let log = events(#"{"t_ns":5,"scene":"a"}"# + "\n" + #"{"t_ns":6,"sce"#)
        XCTAssertEqual(log.events.count, 1)
        XCTAssertEqual(log.faults.first?.kind, .truncated)
        XCTAssertEqual(log.faults.first?.position, .line(3))
        XCTAssertEqual(events(#"{"t_ns":5,"scene":"a"}"#).faults, [], "a last line needs no line end")
    }

    func testHeaderFaults() {
        let cases: [(String, String)] = [
            ("", "the log is empty"),
            ("# only a comment\n", "the log is empty"),
            (#"{"t_ns":1,"scene":"a"}"# + "\n", "no event log's header"),
            (#"{"settle":"decisions","version":1}"#, "no event log's header"),
            (#"{"settle":"events"}"#, "no event log's header"),
            (#"{"settle":"events","version":2}"#, "version 2 is not known"),
            ("{", "the line ends early"),
        ]
        for (text, problem) in cases {
            let log = readLog(text, format: .jsonl)
            XCTAssert(log.faults.first?.problem.contains(problem) == true, "\(text): \(log.faults)")
            XCTAssertEqual(log.faults.count, 1)
        }
    }

    func testNumbersAreReadExactly() {
        for text in [
            "412.33333333333331", "0.1", "1e3", "1E-2", "123456789012345678", "5e-324", "1.7976931348623157e308", "0",
            "-0", "-12", String(repeating: "6", count: 84) + "300",
        ] {
            let log = events(#"{"t_ns":1,"scene":"a","width":\#(text),"height":1}"#)
            XCTAssertEqual(log.events.first?.event.size?.width.bitPattern, Double(text)?.bitPattern, text)
        }
        XCTAssertEqual(
            events(#"{"t_ns":1,"scene":"a","width":1e999,"height":1}"#).events.first?.event.size?.width, .infinity)
    }

    func testNamesAreEscapedAndBounded() throws {
        let log = events(#"{"t_ns":1,"scene":"a\"\\\u00e9\ud83d\ude00\n"}"# + "\n")
        XCTAssertEqual(log.events.first?.scene, "a\"\\é😀\n")
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

    func testDamagedRecordingsNeverCrashAndAlwaysEnd() throws {
        let original = try bytes(ofFile: Recordings.log("w12_mutter_nasty"))
        var random = SplitMix64(seed: 7)
        for _ in 0..<300 {
            var damaged = original
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let log = readLog(damaged, format: .jsonl)
            XCTAssertLessThanOrEqual(log.events.count, 200)
        }
    }
}
