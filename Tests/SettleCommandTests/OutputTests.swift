import Foundation
import TestSupport
import XCTest

/// One rule for the outputs of all verbs: never the input, an existing file only when
/// asked, whole or not at all.
final class OutputTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    /// A verb that writes a file.
    private struct Writer {
        var name: String
        /// Its words, with IN and OUT for the files; `nil` for one without an input.
        var words: [String]
        var readsFile = true
        /// Whether OUT gets its name only when it is whole.
        var isWhole = true
        var isRecording = false
    }

    private static let writers = [
        Writer(name: "convert", words: ["convert", "--to", "jsonl", "IN", "OUT"]),
        Writer(name: "recover", words: ["recover", "IN", "OUT"]),
        Writer(name: "replay", words: ["replay", "IN", "--decisions", "OUT"]),
        Writer(
            name: "paced replay", words: ["replay", "IN", "--rate", "1000000", "--decisions", "OUT"], isWhole: false),
        Writer(name: "record", words: ["record", "IN", "OUT"], isWhole: false, isRecording: true),
        Writer(
            name: "serve", words: ["serve", "SOCKET", "--for", "1ms", "--decisions", "OUT"], readsFile: false,
            isWhole: false),
    ]
    private static var readers: [Writer] { writers.filter(\.readsFile) }

    private var input: String { folder.file("in.settle") }
    private var out: String { folder.file("out") }

    private func run(
        _ writer: Writer, _ options: String..., from input: String? = nil, to output: String? = nil,
        file: StaticString = #filePath, line: UInt = #line
    ) throws -> (status: Int32, errors: String) {
        let words = writer.words.map { word in
            switch word {
            case "IN": input ?? self.input
            case "OUT": output ?? out
            case "SOCKET": folder.file("s")
            default: word
            }
        }
        // Standard input is the log, so that it can be named by its descriptor.
        let process = try shell(#"exec "$0" "$@" <"$LOG""#, words + options)
        return (process.status(), process.errors)
    }

    /// Runs a line of the shell, where `$0` is the command and `$LOG` the log.
    private func shell(_ line: String, _ words: [String]) throws -> Running {
        let settle = Bundle.main.bundleURL.appendingPathComponent("settle").path
        return try Running(
            ["-c", "LOG='\(input)'; cd '\(folder.path)'; \(line)", settle] + words, folder, program: "/bin/sh")
    }

    private func makeInput() throws -> Data {
        XCTAssertEqual(try Running(["convert", Recordings.log("w04_mutter"), input], folder).status(), 0)
        return try bytes(input)
    }

    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    /// The names in the folder but for what the tests' own processes print.
    private func names() throws -> Set<String> {
        Set(
            try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .filter { !$0.hasSuffix(".out") && !$0.hasSuffix(".err") })
    }

    func testNoVerbWritesOverItsInputByAnyName() throws {
        let log = try makeInput()
        try FileManager.default.createSymbolicLink(atPath: folder.file("symbolic"), withDestinationPath: "in.settle")
        try FileManager.default.linkItem(atPath: input, toPath: folder.file("hard"))
        let before = try names()
        let outputs = [
            input, folder.file("symbolic"), folder.file("hard"), "in.settle", "./symbolic", "/dev/stdin", "/dev/fd/0",
            "/proc/self/fd/0",
        ]
        for writer in Self.readers {
            for output in outputs {
                for source in [input, folder.file("hard"), "-", "/dev/stdin"] {
                    let result = try run(writer, "--force", from: source, to: output)
                    XCTAssertEqual(result.status, 3, "\(writer.name) \(source) \(output): \(result.errors)")
                    XCTAssert(result.errors.contains("is the input itself"), "\(writer.name): \(result.errors)")
                }
            }
            XCTAssertEqual(try bytes(input), log, writer.name)
            XCTAssertEqual(try names(), before, writer.name)
        }
    }

    func testNoVerbPrintsIntoTheLogItReads() throws {
        let log = try makeInput()
        let verbs = [
            ["replay", "in.settle"], ["replay", "in.settle", "--decisions", "-"], ["info", "in.settle"],
            ["cat", "in.settle"], ["validate", "in.settle"], ["convert", "in.settle", "-", "--to", "settle"],
            ["recover", "in.settle", "-"], ["cat", "-"],
        ]
        for words in verbs {
            let process = try shell(#"exec "$0" "$@" <"$LOG" >>"$LOG""#, words)
            XCTAssertEqual(process.status(), 3, "\(words): \(process.errors)")
            XCTAssertEqual(try bytes(input), log, "\(words)")
        }
    }

    func testAnExistingFileIsReplacedOnlyWithForceAndKeepsItsModeAndLink() throws {
        _ = try makeInput()
        for writer in Self.writers {
            try Data("older".utf8).write(to: URL(fileURLWithPath: folder.file("older")))
            chmod(folder.file("older"), 0o640)
            try? FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: "older")
            let before = try names()
            for path in [folder.file("older"), folder.file("link")] {
                let refused = try run(writer, to: path)
                XCTAssertEqual(refused.status, 3, "\(writer.name): \(refused.errors)")
                XCTAssert(refused.errors.contains("there is such a file already"), "\(writer.name): \(refused.errors)")
                XCTAssert(refused.errors.contains("--force replaces it"), "\(writer.name): \(refused.errors)")
                XCTAssertEqual(try bytes(folder.file("older")), Data("older".utf8), writer.name)
            }
            XCTAssertEqual(try names(), before, writer.name)

            let replaced = try run(writer, "--force", to: folder.file("link"))
            XCTAssertEqual(replaced.status, 0, "\(writer.name): \(replaced.errors)")
            XCTAssertEqual(
                try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("link")), "older", writer.name)
            var status = stat()
            stat(folder.file("older"), &status)
            XCTAssertEqual(status.st_mode & 0o777, 0o640, writer.name)
            let content = try bytes(folder.file("older"))
            XCTAssertNotEqual(content, Data("older".utf8), writer.name)
            XCTAssertEqual(content.isEmpty, !writer.readsFile, writer.name)
            XCTAssertEqual(try names(), before, writer.name)
            // The same as under a new name, also one that a link names first.
            try FileManager.default.removeItem(atPath: folder.file("older"))
            XCTAssertEqual(try run(writer, to: folder.file("link")).status, 0, writer.name)
            XCTAssertEqual(try bytes(folder.file("older")), content, writer.name)
        }
    }

    func testOfAFaultyLogNothingIsWrittenUnlessPartialIsAsked() throws {
        let log = try makeInput()
        try Data(log[..<(log.count - 500)]).write(to: URL(fileURLWithPath: input))
        for writer in Self.readers where writer.isWhole && writer.name != "recover" {
            try Data("older".utf8).write(to: URL(fileURLWithPath: out))
            let before = try names()
            let refused = try run(writer, "--force")
            XCTAssertEqual(refused.status, 1, writer.name)
            XCTAssert(refused.errors.contains("--partial writes"), "\(writer.name): \(refused.errors)")
            XCTAssertEqual(try bytes(out), Data("older".utf8), writer.name)
            XCTAssertEqual(try names(), before, writer.name)
            XCTAssertEqual(try run(writer, "--force", "--partial").status, 1, writer.name)
            XCTAssertNotEqual(try bytes(out), Data("older".utf8), writer.name)
            XCTAssertEqual(try names(), before, writer.name)
        }
    }

    func testPipesAndDevicesAreWrittenInPlace() throws {
        _ = try makeInput()
        mkfifo(folder.file("pipe"), 0o600)
        for writer in Self.writers where !writer.isRecording {
            XCTAssertEqual(try run(writer, to: "/dev/null").status, 0, writer.name)
            if writer.readsFile { XCTAssertEqual(try run(writer, to: "/dev/full").status, 3, writer.name) }
            let reader = try shell("exec wc -c <pipe", [])
            XCTAssertEqual(try run(writer, to: folder.file("pipe")).status, 0, writer.name)
            XCTAssertEqual(reader.status(), 0)
            XCTAssertEqual(reader.output == "0\n", !writer.readsFile, writer.name)
            XCTAssertEqual(try names(), ["in.settle", "pipe"], writer.name)
        }
        for output in ["/dev/null", folder.file("pipe"), "/dev/full"] {
            let recording = try run(Self.writers[4], "--force", to: output)
            XCTAssertEqual(recording.status, 3, recording.errors)
        }
    }

    func testStandardOutputByNameIsWrittenBehindWhatIsThere() throws {
        _ = try makeInput()
        let line = #"echo first >out; "$0" "$@" >>out"#
        let convert = try shell(line, ["convert", "in.settle", "/dev/stdout", "--to", "jsonl"])
        XCTAssertEqual(convert.status(), 0, convert.errors)
        let text = try String(contentsOfFile: Recordings.log("w04_mutter"), encoding: .utf8)
        XCTAssertEqual(try String(contentsOfFile: out, encoding: .utf8), "first\n" + text)
    }

    func testASignalLeavesTheOlderFileAndNoPartOfTheNewOne() throws {
        _ = try makeInput()
        try Data("older".utf8).write(to: URL(fileURLWithPath: out))
        for writer in Self.readers where writer.isWhole {
            for signal in [SIGINT, SIGTERM, SIGHUP] {
                // The log's end never comes.
                let pipe = Pipe()
                let words = writer.words.map { $0 == "IN" ? "-" : $0 == "OUT" ? out : $0 }
                let process = try Running(words + ["--force"], folder, input: pipe)
                pipe.fileHandleForWriting.write(try bytes(input))
                process.wait("the partial file of \(writer.name)") {
                    (try? names().contains { $0.hasSuffix(".partial") }) == true
                }
                XCTAssertEqual(process.stop(signal), signal, "\(writer.name): \(process.errors)")
                XCTAssertEqual(try names(), ["in.settle", "out"], writer.name)
                XCTAssertEqual(try bytes(out), Data("older".utf8), writer.name)
            }
        }
    }

    func testAFailureLeavesNoPartBehind() throws {
        _ = try makeInput()
        for writer in Self.writers {
            XCTAssertEqual(try run(writer, to: folder.file("no/out")).status, 3, writer.name)
            XCTAssertEqual(try run(writer, "--force", to: folder.path).status, 3, writer.name)
            // What cannot start writes nothing.
            try Data("x".utf8).write(to: URL(fileURLWithPath: folder.file("s")))
            if !writer.readsFile {
                XCTAssertEqual(try run(writer).status, 3, writer.name)
            } else {
                XCTAssertEqual(try run(writer, from: folder.file("missing")).status, 3, writer.name)
            }
            XCTAssertEqual(try names(), ["in.settle", "s"], writer.name)
            try FileManager.default.removeItem(atPath: folder.file("s"))
        }
    }

    func testAClosedStandardStreamIsNoFileOfOurs() throws {
        let log = try makeInput()
        let reading = try shell(#"exec "$0" "$@" <&-"#, ["record", "-", "out"])
        XCTAssertEqual(reading.status(), 3, reading.errors)
        XCTAssert(reading.errors.contains("standard input: is not open for reading"), reading.errors)
        XCTAssertEqual(try names(), ["in.settle"])
        // Acknowledgements for which there is no standard output do not go into the log.
        let printing = try shell(#"exec "$0" "$@" >&-"#, ["record", "--acknowledge", "in.settle", "out"])
        XCTAssertEqual(printing.status(), 3)
        XCTAssertEqual(try Running(["validate", out], folder).status(), 0)
        let silent = try shell(#"exec "$0" "$@" 2>&-"#, ["convert", "in.settle", "copy.settle"])
        XCTAssertEqual(silent.status(), 0)
        XCTAssertEqual(try bytes(folder.file("copy.settle")).count, log.count)
    }
}
