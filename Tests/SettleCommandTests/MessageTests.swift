import Foundation
import TestSupport
import XCTest

/// What the command prints for people: safe for a terminal, and true to the last digit.
final class MessageTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private func start(_ arguments: String..., input: Pipe? = nil) throws -> Running {
        try Running(arguments, folder, input: input)
    }

    func testNothingOfALogCommandsTheTerminal() throws {
        let path = folder.file("x.jsonl")
        let name = #"a\u001b[2J\u0007\u009b1m\r\nforged\u202e\u007f"#
        let log = """
            {"settle":"events","version":1,"clock":"\(name)","unit":"\(name)","source":"\(name)","name":"\(name)"}
            {"t_ns":1,"scene":"\(name)","kind":"disconnect"}
            {"t_ns":2,"scene":"\(name)","width":1,"height":1}

            """
        try log.write(toFile: path, atomically: true, encoding: .utf8)
        let runs = [
            ["info", path], ["validate", path], ["replay", path], ["replay", path, "--scene", "b"],
            ["replay", path, "--scene", "a\u{1B}[2J"], ["convert", path, "a\u{1B}[2J"],
        ]
        for words in runs {
            let process = try Running(words, folder)
            _ = process.status()
            let text = process.output + process.errors
            let raw = text.unicodeScalars.filter {
                $0.value != 10 && ($0.value < 0x20 || 0x7F..<0xA0 ~= $0.value || $0 == "\u{202E}")
            }
            XCTAssert(raw.isEmpty, "\(words): \(text.debugDescription)")
            XCTAssert(text.contains(#"a\u001b[2J"#), "\(words): \(text)")
            XCTAssertFalse(text.contains("\nforged"), "\(words): \(text)")
        }
        // Data for programs stays what the log says.
        let cat = try start("cat", path)
        XCTAssertEqual(cat.status(), 0, cat.errors)
        XCTAssert(cat.output.contains(#"\u001b[2J"#), cat.output)
    }

    func testZeroNeedsNoUnitHoweverItIsWritten() throws {
        let log = Recordings.log("w04_mutter")
        for zero in ["0", "0.0", "00", "0.0s"] {
            let record = try start("record", "--force", "--flush-interval", zero, log, folder.file("out"))
            XCTAssertEqual(record.status(), 0, "\(zero): \(record.errors)")
        }
        for other in ["", ".", "0x0", "1.0", "1e-999", "-0.5", "0..0", "infs", "1e3ms", ".s"] {
            let record = try start("record", "--force", "--flush-interval", other, log, folder.file("out"))
            XCTAssertEqual(record.status(), 2, other)
        }
    }

    func testATimeThatIsTooLongIsCalledThat() throws {
        let log = Recordings.log("w04_mutter")
        for long in ["9223372036854775807ns", "300001h", "99999999999999999999999h"] {
            let replay = try start("replay", "--start", long, log)
            XCTAssertEqual(replay.status(), 2)
            XCTAssert(replay.errors.contains("--start is '\(long)'; it is at most 300000h"), replay.errors)
        }
        let longest = try start("replay", "--start", "300000h", log)
        XCTAssertEqual(longest.status(), 2)
        XCTAssert(longest.errors.contains("--start is 300000 h 0 min, but the log ends"), longest.errors)
    }

    func testAStartBehindTheEndByLessThanIsShownIsSaidExactly() throws {
        let log = """
            {"settle":"events","version":1}
            {"t_ns":1,"scene":"a","width":1,"height":1}
            {"t_ns":18260000001,"scene":"a","width":2,"height":1}

            """
        try log.write(toFile: folder.file("x.jsonl"), atomically: true, encoding: .utf8)
        let late = try start("replay", "--start", "18260000001ns", folder.file("x.jsonl"))
        XCTAssertEqual(late.status(), 2)
        XCTAssert(
            late.errors.contains("--start is 18260000001 ns, but the log ends 18260000000 ns after"), late.errors)
        // At the end itself there is an event.
        let last = try start("replay", "--start", "18260000000ns", folder.file("x.jsonl"))
        XCTAssertEqual(last.status(), 0, last.errors)
        XCTAssert(last.output.contains("  1 event of 1 scene"), last.output)
    }

    func testInfoPrintsNoSizeThatIsRejected() throws {
        let log = folder.file("x.jsonl")
        let sizes = [("3", "4"), ("1e999", "4"), ("0", "4"), ("-1", "4")]
        let lines = sizes.enumerated().map { number, size in
            #"{"t_ns":\#(number),"scene":"a","width":\#(size.0),"height":\#(size.1)}"# + "\n"
        }
        let text = #"{"settle":"events","version":1}"# + "\n" + lines.joined()
        try text.write(toFile: log, atomically: true, encoding: .utf8)
        let info = try start("info", log)
        XCTAssertEqual(info.status(), 0, info.errors)
        XCTAssert(info.output.contains("a  4 events, last size 3×4\n"), info.output)
    }

    func testASceneIsNamedByItsBytes() throws {
        let log = folder.file("x.jsonl")
        let text = #"{"settle":"events","version":1}"# + "\n" + #"{"t_ns":1,"scene":"\u00e9","width":1,"height":1}"#
        try (text + "\n").write(toFile: log, atomically: true, encoding: .utf8)
        let composed = try start("replay", "--scene", "\u{E9}", log)
        XCTAssertEqual(composed.status(), 0, composed.errors)
        XCTAssert(composed.output.contains("  1 event of 1 scene"), composed.output)
        let decomposed = try start("replay", "--scene", "e\u{301}", log)
        XCTAssertEqual(decomposed.status(), 1, decomposed.output)
        XCTAssert(decomposed.errors.contains("there is no scene 'e\u{301}'"), decomposed.errors)
    }

    func testStandardStreamsAreCalledThatByEveryVerb() throws {
        let log = try Data(contentsOf: URL(fileURLWithPath: Recordings.log("w04_mutter")))
        let binary = folder.file("in.settle")
        XCTAssertEqual(try start("convert", Recordings.log("w04_mutter"), binary).status(), 0)
        let damaged = try Data(contentsOf: URL(fileURLWithPath: binary)).dropLast(400)
        let runs = [
            (["info", "-"], log), (["validate", "-"], log), (["validate", "-"], damaged), (["replay", "-"], log),
            (["recover", "-", "-"], damaged), (["recover", "--force", "-", folder.file("o")], damaged),
        ]
        for (words, bytes) in runs {
            let pipe = Pipe()
            let process = try Running(words, folder, input: pipe)
            pipe.fileHandleForWriting.write(bytes)
            try pipe.fileHandleForWriting.close()
            _ = process.status()
            let text = words == ["recover", "-", "-"] ? process.errors : process.output + process.errors
            XCTAssert(text.contains("standard input"), "\(words): \(text)")
            XCTAssertFalse(text.contains("-: "), "\(words): \(text)")
        }
    }

    func testALongOptionWithOneDashIsRecognised() throws {
        let cases = [
            (["record", "-x11", "o"], "there is no option '-x11'; did you mean '--x11'?"),
            (["record", "-force", "o"], "there is no option '-force'; did you mean '--force'?"),
            (["convert", "-to=csv", "a", "b"], "there is no option '-to=csv'; did you mean '--to'?"),
            (["watch", "-dispaly", ":0"], "there is no option '-dispaly'; did you mean '--display'?"),
            (["info", "-q", "a"], "there is no option '-q'\n"), (["record", "--x11=1", "o"], "--x11 takes no value"),
            (["record", "--f", "o"], "--f could be --flush-interval or --force or --format"),
        ]
        for (words, message) in cases {
            let run = try Running(words, folder)
            XCTAssertEqual(run.status(), 2, "\(words)")
            XCTAssert(run.errors.hasPrefix("settle: \(message)"), "\(words): \(run.errors)")
        }
    }
}
