import Foundation
import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// The classic format of `script`, which is two files: the cases of logs have one.
final class ScriptOutputTests: XCTestCase {
    private static let header =
        #"Script started on 2024-01-01 10:00:00+00:00 [TERM="xterm" COLUMNS="80" LINES="24"]"# + "\n"

    private func withFolder(_ files: [String: String], _ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "settle-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        try body(folder.path + "/")
    }

    private func read(_ path: String) throws -> Imported {
        let input = try ByteInput(path: path)
        let format = try LogFormat.detect(input)
        XCTAssertEqual(format, .script)
        return drain(try format.makeReader(input, false))
    }

    func testSizesAreThoseOfTheFirstLineAndOfTheOutput() throws {
        let output = Self.header + "abc\u{1B}[8;30;100tdef\u{1B}[8;31;101t"
        for (times, typescript) in [
            ("timing", "typescript"), ("run.timing", "run"), ("run.tm", "run.typescript"), ("run.tm", "typescript"),
        ] {
            try withFolder([times: "0.5 4\n1.25 10\n0.000001 14\n", typescript: output]) { folder in
                let imported = try read(folder + times)
                XCTAssertEqual(imported.faults, [])
                XCTAssertEqual(imported.times, [0, 1_750_000_000, 1_750_001_000])
                XCTAssertEqual(
                    imported.events,
                    ["geometry terminal 80×24", "geometry terminal 100×30", "geometry terminal 101×31"])
            }
        }
    }

    func testAnOutputThatEndsTooEarlyIsAFault() throws {
        try withFolder(["timing": "0.5 4\n1.25 10\n0.5 1\n", "typescript": Self.header + "abc"]) { folder in
            let imported = try read(folder + "timing")
            XCTAssertEqual(imported.events.count, 1)
            XCTAssertEqual(imported.faults.map(\.kind), [.truncated])
            XCTAssert(imported.faults[0].problem.hasSuffix("typescript ends before these times do"))
        }
    }

    func testAFileOfAnotherKindIsNoOutput() throws {
        try withFolder(["timing": "0.5 4\n1.25 10\n", "typescript": "hello\n"]) { folder in
            XCTAssertThrowsError(try read(folder + "timing")) {
                XCTAssert("\($0)".contains("no typescript beside it (\(folder)typescript)"), "\($0)")
            }
        }
    }

    func testOtherLinesAreCountedAndSizesOfOldVersionsAreMissing() throws {
        try withFolder(["timing": "0.5 4\n0.5 1\nhello\n1 x\n", "typescript": "Script started on Mon\nabcdef"]) {
            folder in
            let imported = try read(folder + "timing")
            XCTAssertEqual(imported.events.count, 0)
            XCTAssert(imported.notes.contains { $0.contains("(2, the first is line 3)") }, "\(imported.notes)")
        }
    }

    func testDamagedTimesEnd() {
        let output = Array((Self.header + "abc\u{1B}[8;30;100tdef").utf8)
        survive(Array("0.5 4\n1.25 10\n0.000001 3\n".utf8), seed: 1, rounds: 200) {
            ScriptOutput($0, output: ByteInput(bytes: output, name: "typescript"))
        }
    }
}
