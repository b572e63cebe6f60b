import Foundation
import TestSupport
import XCTest

/// The command as its users meet it: arguments, streams and exit status.
final class CommandTests: XCTestCase {
    private struct Result {
        var status: Int32
        var output: String
        var errors: String
    }

    private func settle(_ arguments: String..., input: Data? = nil, into path: String? = nil) throws -> Result {
        try run(arguments, input: input, into: path)
    }

    private func run(_ arguments: [String], input: Data? = nil, into path: String? = nil) throws -> Result {
        let process = Process()
        process.executableURL = Bundle.main.bundleURL.appendingPathComponent("settle")
        process.arguments = arguments
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = try path.map { try FileHandle(forWritingTo: URL(fileURLWithPath: $0)) } ?? output
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        let folder = TemporaryFolder()
        if let input {
            try input.write(to: URL(fileURLWithPath: folder.file("input")))
            process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: folder.file("input")))
        }
        try process.run()
        try output.fileHandleForWriting.close()
        try errors.fileHandleForWriting.close()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        let complained = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus, output: String(decoding: said, as: UTF8.self),
            errors: String(decoding: complained, as: UTF8.self))
    }

    private let w04 = Recordings.log("w04_mutter")

    func testDecisionsOnStandardOutputAreTheContractsLinesAndNothingElse() throws {
        for name in Recordings.names {
            let result = try settle("replay", Recordings.log(name), "--decisions", "-")
            XCTAssertEqual(result.output, try String(contentsOfFile: Recordings.decisions(name), encoding: .utf8), name)
            XCTAssertEqual(result.errors, "")
            XCTAssertEqual(result.status, 0)
        }
    }

    func testStandardInputAndEveryConversionDecideTheSame() throws {
        let folder = TemporaryFolder()
        let expected = try String(contentsOfFile: Recordings.decisions("w04_mutter"), encoding: .utf8)
        XCTAssertEqual(try settle("convert", w04, folder.file("a.settle")).status, 0)
        XCTAssertEqual(try settle("convert", folder.file("a.settle"), folder.file("b.jsonl")).status, 0)
        XCTAssert(FileManager.default.contentsEqual(atPath: w04, andPath: folder.file("b.jsonl")))
        XCTAssertEqual(try settle("replay", folder.file("a.settle"), "--decisions=-").output, expected)
        let binary = try Data(contentsOf: URL(fileURLWithPath: folder.file("a.settle")))
        XCTAssertEqual(try settle("replay", "-", "--decisions", "-", input: binary).output, expected)
        XCTAssertEqual(
            try settle("cat", folder.file("a.settle")).output, try String(contentsOfFile: w04, encoding: .utf8))
        XCTAssertEqual(try settle("replay", "--rate", "1000", w04, "--decisions", folder.file("d.jsonl")).status, 0)
        XCTAssertEqual(try String(contentsOfFile: folder.file("d.jsonl"), encoding: .utf8), expected)
    }

    func testASignalEndsAReplayWithTheSummarySoFar() throws {
        let folder = TemporaryFolder()
        let text =
            #"{"settle":"events","version":1}"# + "\n" + """
                {"t_ns":0,"scene":"a","width":1,"height":1,"resizing":false}
                {"t_ns":1000000,"scene":"a","width":2,"height":1,"resizing":false}
                {"t_ns":3600000000000,"scene":"b","width":3,"height":1,"resizing":true}
                """
        try text.write(toFile: folder.file("x.jsonl"), atomically: true, encoding: .utf8)
        for signal in [SIGINT, SIGTERM] {
            let replay = try Running(
                [
                    "replay", folder.file("x.jsonl"), "--rate", "1", "--first-delay", "50ms", "--decisions",
                    folder.file("d.jsonl"),
                ], folder)
            replay.wait("the first rebuild") {
                (try? String(contentsOfFile: folder.file("d.jsonl"), encoding: .utf8))?.contains("rebuild") == true
            }
            XCTAssertEqual(replay.stop(signal), signal)
            XCTAssertEqual(replay.process.terminationReason, .uncaughtSignal)
            XCTAssert(replay.output.contains("2 events of 1 scene in 1 ms"), replay.output)
            XCTAssert(replay.output.contains("1 rebuild\n"), replay.output)
            XCTAssert(replay.errors.contains("interrupted; everything up to 1 ms was replayed"), replay.errors)
            let decisions = try String(contentsOfFile: folder.file("d.jsonl"), encoding: .utf8)
            XCTAssertEqual(decisions.split(separator: "\n").count, 1, decisions)
            try FileManager.default.removeItem(atPath: folder.file("d.jsonl"))
        }
    }

    /// The verbs that read a log, with the arguments behind it.
    private func readers(_ folder: TemporaryFolder) -> [[String]] {
        [
            ["replay"], ["info"], ["cat"], ["validate"], ["convert", folder.file("out.jsonl")],
            ["recover", folder.file("out.settle")],
        ]
    }

    /// A log of 19 chunks without one of them, and cut between two of them.
    func testAMissingChunkIsAFaultOfEveryVerbAndACutLogIsUnknown() throws {
        let folder = TemporaryFolder()
        XCTAssertEqual(try settle("convert", Recordings.log("w06_weston_long"), folder.file("whole.settle")).status, 0)
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.file("whole.settle")))
        let chunks = try chunks(whole)
        XCTAssertEqual(chunks.count, 19)
        var missing = whole
        missing.removeSubrange(chunks[2])
        let cut = whole[..<chunks[10].lowerBound]
        try missing.write(to: URL(fileURLWithPath: folder.file("missing.settle")))
        try cut.write(to: URL(fileURLWithPath: folder.file("cut.settle")))

        for verb in readers(folder) {
            for isPiped in [false, true] {
                let paths = isPiped ? ["-", "-"] : [folder.file("missing.settle"), folder.file("cut.settle")]
                let arguments = paths.map { [verb[0], $0] + verb.dropFirst() }
                let one = try run(arguments[0], input: isPiped ? missing : nil)
                XCTAssertEqual(one.status, 1, "\(arguments[0]): \(one.errors)")
                let said = one.errors + one.output
                XCTAssert(said.contains("1 chunk with 1024 events missing"), "\(arguments[0]): \(said)")
                try? FileManager.default.removeItem(atPath: verb.last ?? "")

                let other = try run(arguments[1], input: isPiped ? Data(cut) : nil)
                XCTAssertEqual(other.status, verb[0] == "recover" ? 1 : 0, "\(arguments[1]): \(other.errors)")
                XCTAssert((other.errors + other.output).contains("is unknown"), "\(arguments[1]): \(other.errors)")
                XCTAssertFalse((other.errors + other.output).contains("nothing lost"), other.errors)
                try? FileManager.default.removeItem(atPath: verb.last ?? "")
            }
        }
        for (name, complete) in [("missing", "false"), ("cut", "null"), ("whole", "true")] {
            let json = try settle("replay", "--json", folder.file("\(name).settle")).output
            XCTAssert(json.contains("\"complete\":\(complete),"), "\(name): \(json)")
        }
    }

    /// Where a binary log's chunks stand.
    private func chunks(_ log: Data) throws -> [Range<Int>] {
        func number(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(log[offset + $1]) << (8 * $1) } }
        var offset = 16 + number(12) + 4
        var chunks: [Range<Int>] = []
        while log[offset..<offset + 4].elementsEqual(LogMagic.chunk) {
            chunks.append(offset..<offset + 48 + number(offset + 4))
            offset = chunks[chunks.count - 1].upperBound
        }
        return chunks
    }

    func testWhatIsNoLogAsItStandsIsNamedByEveryVerb() throws {
        let folder = TemporaryFolder()
        let text = try Data(contentsOf: URL(fileURLWithPath: w04))
        let cases: [(String, Data, String)] = [
            ("empty", Data(), "is empty"), ("gzip", Data([0x1F, 0x8B, 8, 0, 0, 0]), "compressed"),
            ("utf16", String(decoding: text, as: UTF8.self).data(using: .utf16LittleEndian)!, "UTF-16"),
        ]
        for (name, bytes, word) in cases {
            let file = folder.file("\(name).jsonl")
            try bytes.write(to: URL(fileURLWithPath: file))
            for verb in readers(folder) + [["record", folder.file("out.settle")]] {
                for path in [file, "-"] {
                    let result = try run([verb[0], path] + verb.dropFirst(), input: path == "-" ? bytes : nil)
                    let said = verb[0] == "validate" ? result.output : result.errors
                    XCTAssertEqual(result.status, 1, "\(verb) \(path) \(name): \(said)")
                    XCTAssert(said.contains(word), "\(verb) \(path) \(name): \(said)")
                    XCTAssertFalse(said.contains("line 0"), said)
                    XCTAssertEqual(said.split(separator: "\n").count, 1, said)
                }
            }
        }
    }
}
