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
}
