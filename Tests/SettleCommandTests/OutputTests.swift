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
        /// Whether it writes what is whole of a faulty log.
        var continues = false
    }

    private static let writers = [
        Writer(name: "convert", words: ["convert", "--to", "jsonl", "IN", "OUT"]),
        Writer(name: "export", words: ["convert", "--to", "trace", "IN", "OUT"]),
        Writer(
            // Any file of enough bytes is a key; with one, the same log becomes the same file.
            name: "anonymize",
            words: ["anonymize", "--to", "jsonl", "--key", Recordings.log("w04_mutter"), "IN", "OUT"]),
        Writer(name: "report", words: ["report", "--to", "html", "IN", "-o", "OUT"], continues: true),
        Writer(name: "picture", words: ["report", "--to", "svg", "IN", "--output=OUT"], continues: true),
        Writer(name: "recover", words: ["recover", "IN", "OUT"], continues: true),
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
            case "--output=OUT": "--output=" + (output ?? out)
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
            ["recover", "in.settle", "-"], ["cat", "-"], ["report", "in.settle", "-o", "-"],
            ["anonymize", "in.settle", "-", "--to", "settle"],
        ]
        for words in verbs {
            let process = try shell(#"exec "$0" "$@" <"$LOG" >>"$LOG""#, words)
            XCTAssertEqual(process.status(), 3, "\(words): \(process.errors)")
            XCTAssertEqual(try bytes(input), log, "\(words)")
        }
    }

    func testWhatIsPrintedGoesNeitherIntoTheInputNorIntoTheOutput() throws {
        let log = try makeInput()
        let acknowledging = ["record", "--acknowledge", "--force", "in.settle", "out"]
        let replaying = ["replay", "--rate", "1000000", "--force", "in.settle", "--decisions"]
        let cases: [(words: [String], line: String, problem: String)] = [
            (acknowledging, ">>in.settle", "standard output: is the input itself"),
            (acknowledging, "1<>in.settle", "standard output: is the input itself"),
            (["record", "--acknowledge", "-", "out"], "<in.settle >>in.settle", "is the input itself"),
            (acknowledging, ">>out", "out: is the file that standard output goes into"),
            (["record", "--acknowledge", "--append", "in.settle", "out"], ">>out", "standard output goes into"),
            (["record", "--acknowledge", "--force", "in.settle", "/dev/stdout"], ">>out", "standard output goes into"),
            (replaying + ["out"], ">>out", "out: is the file that standard output goes into"),
            (replaying + ["out"], "1<>out", "out: is the file that standard output goes into"),
            (["replay", "--force", "in.settle", "--decisions", "out"], ">>out", "standard output goes into"),
            (replaying + ["/dev/fd/3"], ">>out 3>>out", "/dev/fd/3: is the file that standard output goes into"),
            (["replay", "in.settle", "--app", "game"], ">>in.settle", "standard output: is the input itself"),
        ]
        for (words, line, problem) in cases {
            try Data("older".utf8).write(to: URL(fileURLWithPath: out))
            let process = try shell(#"exec "$0" "$@" "# + line, words)
            XCTAssertEqual(process.status(), 3, "\(words) \(line): \(process.errors)")
            XCTAssert(process.errors.contains(problem), "\(words) \(line): \(process.errors)")
            XCTAssertEqual(try bytes(input), log, "\(words) \(line)")
            XCTAssertEqual(try bytes(out), Data("older".utf8), "\(words) \(line)")
        }
        // A device keeps nothing, so it may be both.
        let both = try shell(#"exec "$0" "$@" >/dev/null"#, ["replay", "in.settle", "--decisions", "/dev/null"])
        XCTAssertEqual(both.status(), 0, both.errors)
    }

    func testDecisionsOnStandardOutputByAnyNameStandThereAlone() throws {
        _ = try makeInput()
        let expected = try String(contentsOfFile: Recordings.decisions("w04_mutter"), encoding: .utf8)
        for name in ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
            let process = try shell(#"exec "$0" "$@" | cat"#, ["replay", "in.settle", "--decisions", name])
            XCTAssertEqual(process.status(), 0, process.errors)
            XCTAssertEqual(process.output, expected, name)
        }
    }

    func testANameThatIsNotUTF8IsNeverAnotherFiles() throws {
        let log = try makeInput()
        // What a repaired name would be.
        let repaired = folder.file("caf\u{FFFD}.jsonl")
        try Data("older".utf8).write(to: URL(fileURLWithPath: repaired))
        try FileManager.default.createSymbolicLink(atPath: folder.file("plain"), withDestinationPath: "in.settle")
        let lines = [
            #""$0" convert --force in.settle "$(printf 'caf\351.jsonl')""#,
            #""$0" record --force in.settle "$(printf 'caf\351.jsonl')""#,
            #""$0" replay in.settle --force --decisions="$(printf 'caf\351.jsonl')""#,
            #""$0" info "$(printf 'caf\351.jsonl')""#,
            #""$0" "$(printf 'caf\351.jsonl')""#,
        ]
        for line in lines {
            let process = try shell(line, [])
            XCTAssertEqual(process.status(), 2, "\(line): \(process.errors)")
            XCTAssert(process.errors.contains("is not valid UTF-8"), "\(line): \(process.errors)")
            XCTAssertEqual(process.output, "", line)
        }
        for verb in [["convert", "--to", "jsonl"], ["record"]] {
            let process = try shell(
                #"ln -sfn "$(printf 'caf\351.jsonl')" link; "$0" "$@" --force in.settle link"#, verb)
            XCTAssertEqual(process.status(), 3, process.errors)
            XCTAssert(process.errors.contains("a link to a name that is not valid UTF-8"), process.errors)
        }
        XCTAssertEqual(try bytes(repaired), Data("older".utf8))
        XCTAssertEqual(try bytes(input), log)
        XCTAssertEqual(try names(), ["in.settle", "plain", "link", "caf\u{FFFD}.jsonl"])
    }

    func testAReadOnlyFileIsReplacedByNoVerb() throws {
        _ = try makeInput()
        try Data("older".utf8).write(to: URL(fileURLWithPath: out))
        chmod(out, 0o444)
        for writer in Self.writers {
            let refused = try run(writer, "--force")
            XCTAssertEqual(refused.status, 3, writer.name)
            XCTAssert(refused.errors.contains("out: is read-only; it is left alone"), refused.errors)
            XCTAssertEqual(try bytes(out), Data("older".utf8), writer.name)
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
        for writer in Self.readers where writer.isWhole && !writer.continues {
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
            for options in [[], ["--force"]] {
                let recording = try Running(["record"] + options + [input, output], folder)
                XCTAssertEqual(recording.status(), 3, recording.errors)
                XCTAssert(recording.errors.contains("\(output): is no regular file"), recording.errors)
            }
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

    /// Every signal whose default action ends a process and that the C library lets be
    /// caught, but for SIGXFSZ, which is ignored.
    private static let endingSignals: [Int32] = {
        let others = [SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGCHLD, SIGURG, SIGWINCH, SIGXFSZ]
        return (1...31).filter { !others.contains($0) } + (34...64)
    }()

    func testASignalLeavesTheOlderFileAndNoPartOfTheNewOne() throws {
        _ = try makeInput()
        try Data("older".utf8).write(to: URL(fileURLWithPath: out))
        // Children inherit it, and leave no core files.
        var cores = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &cores)
        cores.rlim_cur = 0
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &cores)
        for writer in Self.readers where writer.isWhole {
            for signal in writer.name == "convert" ? Self.endingSignals : [SIGINT, SIGQUIT, SIGUSR1] {
                // The log's end never comes.
                let pipe = Pipe()
                let words = writer.words.map { $0 == "IN" ? "-" : $0.replacing("OUT", with: out) }
                let process = try Running(words + ["--force"], folder, input: pipe)
                pipe.fileHandleForWriting.write(try bytes(input))
                process.wait("the partial file of \(writer.name)") {
                    (try? names().contains { $0.hasSuffix(".partial") }) == true
                }
                XCTAssertEqual(process.stop(signal), signal, "\(writer.name): \(process.errors)")
                XCTAssertEqual(process.process.terminationReason, .uncaughtSignal, "\(writer.name) \(signal)")
                XCTAssertFalse(process.errors.contains("crashed"), "\(writer.name) \(signal): \(process.errors)")
                XCTAssertEqual(try names(), ["in.settle", "out"], writer.name)
                XCTAssertEqual(try bytes(out), Data("older".utf8), writer.name)
            }
        }
    }

    func testASignalEndsTheOpeningOfAPipeWithoutAReader() throws {
        _ = try makeInput()
        mkfifo(folder.file("pipe"), 0o600)
        for writer in Self.readers where !writer.isRecording {
            for signal in [SIGINT, SIGTERM] {
                let words = writer.words.map { $0 == "IN" ? input : $0.replacing("OUT", with: folder.file("pipe")) }
                let process = try Running(words, folder)
                // It blocks soon after; wherever it is, a signal ends it.
                usleep(100_000)
                kill(process.process.processIdentifier, signal)
                XCTAssertEqual(process.statusSoon(), signal, "\(writer.name): \(process.errors)")
                XCTAssertEqual(process.process.terminationReason, .uncaughtSignal, writer.name)
                XCTAssertEqual(try names(), ["in.settle", "pipe"], writer.name)
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
