import Foundation
import TestSupport
import XCTest

/// `settle report` and the exports of `settle convert`, as their users run them.
final class ReportVerbTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private let w04 = Recordings.log("w04_mutter")
    private let w08 = Recordings.log("w08_mutter_real")

    private func run(_ words: [String], input: Data? = nil) throws -> Running {
        let pipe = input.map { _ in Pipe() }
        let process = try Running(words, folder, input: pipe)
        if let input, let pipe {
            pipe.fileHandleForWriting.write(input)
            try pipe.fileHandleForWriting.close()
        }
        _ = process.status()
        return process
    }

    private func run(_ words: String...) throws -> Running { try run(words) }

    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { !$0.hasSuffix(".out") && !$0.hasSuffix(".err") }.sorted()
    }

    /// The data in a page.
    private func data(_ page: String) throws -> [String: Any] {
        let start = try XCTUnwrap(page.range(of: "<script type=\"application/json\" id=\"settle-data\">"))
        let end = try XCTUnwrap(page.range(of: "</script>", range: start.upperBound..<page.endIndex))
        let json = try JSONSerialization.jsonObject(with: Data(page[start.upperBound..<end.lowerBound].utf8))
        return try XCTUnwrap(json as? [String: Any])
    }

    private func logs(_ page: String) throws -> [[String: Any]] {
        try XCTUnwrap(data(page)["logs"] as? [[String: Any]])
    }

    /// Writes a log whose beginning is whole, with a damaged chunk or line behind it.
    private func tornLog() throws -> String {
        XCTAssertEqual(try run("convert", Recordings.log("w06_weston_long"), folder.file("whole.settle")).status(), 0)
        let whole = try bytes(folder.file("whole.settle"))
        try whole[..<(whole.count / 2)].write(to: URL(fileURLWithPath: folder.file("torn.settle")))
        try FileManager.default.removeItem(atPath: folder.file("whole.settle"))
        return folder.file("torn.settle")
    }

    func testAPageHasTheLogsAndThePolicyOfTheOptions() throws {
        let page = folder.file("page.html")
        let result = try run("report", w04, Recordings.log("r06_metacity_suite"), "-o", page, "--quiet-delay", "300ms")
        XCTAssertEqual(result.status(), 0, result.errors)
        XCTAssertEqual(result.output, "")
        let text = try String(contentsOfFile: page, encoding: .utf8)
        XCTAssertEqual(try logs(text).map { $0["name"] as? String }, [w04, Recordings.log("r06_metacity_suite")])
        XCTAssertEqual((try data(text)["policy"] as? [String: Any])?["quietDelay"] as? String, "300ms")
        // The log in it is the log, by replaying it.
        let log = try XCTUnwrap(Data(base64Encoded: try XCTUnwrap(logs(text)[0]["log"] as? String)))
        try log.write(to: URL(fileURLWithPath: folder.file("copy.settle")))
        let replay = try run("replay", folder.file("copy.settle"), "--decisions", "-")
        XCTAssertEqual(replay.output, try String(contentsOfFile: Recordings.decisions("w04_mutter"), encoding: .utf8))
        // The other ways to name the output, and standard input.
        for words in [["-o", "-"], ["-o-"], ["--output=-", "--to", "html"], ["--out", "/dev/stdout", "--to=html"]] {
            let printed = try run(["report", "-"] + words, input: bytes(w04))
            XCTAssertEqual(printed.status(), 0, "\(words): \(printed.errors)")
            XCTAssertEqual(try logs(printed.output).map { $0["name"] as? String }, ["standard input"], "\(words)")
        }
    }

    func testEqualRunsWriteEqualBytes() throws {
        for form in ["html", "svg"] {
            let (one, other) = (folder.file("one.\(form)"), folder.file("other.\(form)"))
            for out in [one, other] { XCTAssertEqual(try run("report", w04, "-o", out).status(), 0) }
            XCTAssertEqual(try bytes(one), try bytes(other), form)
            XCTAssertEqual(try run("report", w04, "-o", other, "--force", "--reported-end-delay", "1s").status(), 0)
            XCTAssertNotEqual(try bytes(one), try bytes(other), "the comparison finds a change of \(form)")
        }
    }

    /// Each log is open only while it is read.
    func testMoreLogsThanDescriptors() throws {
        let paths = (0..<40).map { folder.file("\($0).jsonl") }
        for path in paths { try FileManager.default.copyItem(atPath: w04, toPath: path) }
        let page = folder.file("page.html")
        let process = try Running(
            ["-c", "ulimit -n 24; exec \"$0\" \"$@\"", Running.command, "report"] + paths + ["-o", page], folder,
            program: "/bin/sh")
        XCTAssertEqual(process.status(), 0, process.errors)
        XCTAssertEqual(try logs(String(contentsOfFile: page, encoding: .utf8)).map { $0["name"] as? String }, paths)
        // The last one is an input as well.
        let refused = try run(["report", "--force"] + paths + ["-o", paths[39], "--to", "html"])
        XCTAssertEqual(refused.status(), 3, refused.errors)
        XCTAssertEqual(try bytes(paths[39]), try bytes(w04))
    }

    func testThePictureOfTheDocumentsIsWhatTheCommandDraws() throws {
        let drawn = try run("report", Recordings.log("w06_weston_long"), "--to", "svg", "-o", "-")
        XCTAssertEqual(drawn.status(), 0, drawn.errors)
        let document = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("docs/guide/report.svg")
        XCTAssertEqual(
            drawn.output, try String(contentsOf: document, encoding: .utf8),
            "draw it anew: settle report Tests/Recordings/w06_weston_long.jsonl -o docs/guide/report.svg --force")
    }

    func testUsageErrors() throws {
        let out = folder.file("out.html")
        let cases: [([String], String)] = [
            (["report"], "which logs?"),
            (["report", w04], "where to? Give -o FILE"),
            (["report", w04, "-o"], "-o needs a value"),
            (["report", w04, "-x", out], "there is no option '-x'"),
            (["report", w04, "--outptu", out], "did you mean '--output'?"),
            (
                ["report", w04, "-o", folder.file("out.pdf")],
                "has no extension of a report; use .html or .svg, or --to"
            ),
            (["report", w04, "-o", out, "--to", "htlm"], "a report is written as html or svg; did you mean 'html'?"),
            (["report", w04, "-o", out, "--quiet-delay", "5"], "give a number and a unit"),
            (["report", w04, "-o", out, "--start", "1h"], "--start is 1 h 0 min, but the log ends"),
            (["report", w04, w08, "-o", out, "--start", "1h"], "but the longest log ends"),
            (["report", w04, "-o", out, "--format", "xml"], "known are jsonl, settle"),
            (["report", "-", "-", "-o", out], "- is given twice"),
            (["report", w04, "-", "-o", out, "--policy", "-"], "standard input is either the log or the policy"),
            (["convert", w04, folder.file("a.trace.json"), "--to", "tarce"], "did you mean 'trace'?"),
            (["convert", w04, folder.file("a.json")], "use .jsonl, .settle, .trace.json or .csv, or --to"),
            (["convert", w04, folder.file("a.settle"), "--quiet-delay", "1s"], "--quiet-delay is for trace and csv"),
            (
                ["convert", "-", folder.file("a.csv"), "--policy", "-"],
                "standard input is either the log or the policy"
            ),
        ]
        for (words, message) in cases {
            let result = try run(words)
            XCTAssertEqual(result.status(), 2, "\(words): \(result.errors)")
            XCTAssert(result.errors.contains(message), "\(words): \(result.errors)")
            XCTAssertEqual(result.output, "", "\(words)")
        }
        let unknown = try run("report", w04, w08, "-o", out, "--scene", "nope")
        XCTAssertEqual(unknown.status(), 1)
        XCTAssert(unknown.errors.contains("the logs: there is no scene 'nope'; they have 1:10"), unknown.errors)
        XCTAssertEqual(try names(), [])
    }

    func testThePolicysFileIsNoOutput() throws {
        let policy = folder.file("policy.html")
        XCTAssertEqual(try run("policy", policy).status(), 0)
        let before = try bytes(policy)
        for words in [["report", w04, "-o", policy], ["convert", w04, policy, "--to", "csv"]] {
            let result = try run(words + ["--policy", policy, "--force"])
            XCTAssertEqual(result.status(), 3, result.errors)
            XCTAssert(result.errors.contains("is the input itself"), result.errors)
        }
        XCTAssertEqual(try bytes(policy), before)
        // Nor is any of several logs.
        try bytes(w04).write(to: URL(fileURLWithPath: folder.file("log")))
        let second = try run("report", w04, folder.file("log"), "-o", folder.file("log"), "--to", "svg", "--force")
        XCTAssertEqual(second.status(), 3, second.errors)
        XCTAssertEqual(try bytes(folder.file("log")), try bytes(w04))
    }

    func testATornLogGivesAReportOfWhatIsWhole() throws {
        let torn = try tornLog()
        let page = folder.file("page.html")
        let result = try run("report", torn, "-o", page)
        XCTAssertEqual(result.status(), 1, result.errors)
        let validate = try run("validate", torn)
        XCTAssertEqual(validate.status(), 1)
        let finding = String(validate.output.split(separator: "\n")[0])
        let log = try logs(String(contentsOfFile: page, encoding: .utf8))[0]
        XCTAssertEqual(log["fault"] as? String, finding)
        XCTAssertEqual(log["findings"] as? [String], validate.output.split(separator: "\n").map(String.init))
        let events = try XCTUnwrap(log["events"] as? Int)
        XCTAssertGreaterThan(events, 5_000)
        XCTAssertEqual(result.errors.contains("settle: \(finding); the report has the "), true, result.errors)
        XCTAssertEqual(try run("report", torn, "-o", folder.file("a.svg")).status(), 1)
        XCTAssert(try String(contentsOfFile: folder.file("a.svg"), encoding: .utf8).contains("Read up to a fault: "))
    }

    func testFaultsAreThoseOfValidate() throws {
        let lines = (0..<40).map { #"{"t_ns":\#(1000 - $0),"scene":"a<\#($0 % 3)>\u001b","kind":"disconnect"}"# }
        let text = "{\"settle\":\"events\",\"version\":1}\n" + lines.joined(separator: "\n") + "\nnonsense\n"
        try text.write(toFile: folder.file("x.jsonl"), atomically: true, encoding: .utf8)
        let validate = try run("validate", folder.file("x.jsonl"))
        let expected = validate.output.replacing("; --all prints the others", with: "").split(separator: "\n")
        XCTAssertEqual(expected.count, 23, validate.output)
        let page = try run("report", folder.file("x.jsonl"), "-o", "-")
        XCTAssertEqual(page.status(), 1)
        let log = try logs(page.output)[0]
        XCTAssertEqual(log["findings"] as? [String], expected.map(String.init))
        XCTAssertEqual(log["findingsCount"] as? Int, 41)
    }

    func testALogThatCannotBeReadAtAllIsAFaultBesideOthersAndAnErrorAlone() throws {
        let empty = folder.file("empty.jsonl")
        try Data().write(to: URL(fileURLWithPath: empty))
        let alone = try run("report", empty, "-o", folder.file("a.html"))
        XCTAssertEqual(alone.status(), 1)
        XCTAssertEqual(try names(), ["empty.jsonl"])
        let page = try run("report", empty, w04, "-o", "-")
        XCTAssertEqual(page.status(), 1, page.errors)
        let logs = try logs(page.output)
        XCTAssert(logs[0]["format"] is NSNull)
        XCTAssertEqual(logs.map { $0["events"] as? Int }, [0, 172])
        XCTAssert(alone.errors.contains(try XCTUnwrap(logs[0]["fault"] as? String)), alone.errors)
        XCTAssertEqual(try run("report", w04, folder.file("missing"), "-o", folder.file("a.html")).status(), 3)
        XCTAssertEqual(try names(), ["empty.jsonl"])
    }

    /// One event more than a report has.
    func testOfMoreThanAMillionEventsAReportHasASampleAndSaysSo() throws {
        let line = "{\"t_ns\":1,\"scene\":\"a\"}\n"
        let text = "{\"settle\":\"events\",\"version\":1}\n" + String(repeating: line, count: 999_829)
        try text.write(toFile: folder.file("long.jsonl"), atomically: true, encoding: .utf8)
        let result = try run("report", folder.file("long.jsonl"), w04, "-o", folder.file("a.html"))
        XCTAssertEqual(result.status(), 0, result.errors)
        let note = "this is a sample, its first 0 s: 999,828 of 999,829 events, as a report has at most 1,000,000"
        XCTAssert(result.errors.contains("settle: note: \(note)"), result.errors)
        let page = try String(contentsOfFile: folder.file("a.html"), encoding: .utf8)
        XCTAssertEqual(try data(page)["samples"] as? Int, 1)
        let logs = try logs(page)
        XCTAssertEqual(logs.map { $0["events"] as? Int }, [999_828, 172])
        XCTAssertEqual(logs.map { ($0["notes"] as? [String])?.contains { $0.hasPrefix(note) } }, [true, false])
    }

    func testAFoldersLogsAreFoundAndWhatIsSkippedIsSaid() throws {
        let files = FileManager.default
        try files.createDirectory(atPath: folder.file("logs/deep"), withIntermediateDirectories: true)
        try bytes(w04).write(to: URL(fileURLWithPath: folder.file("logs/deep/b.jsonl")))
        try bytes(w08).write(to: URL(fileURLWithPath: folder.file("logs/a.jsonl")))
        try Data("hello".utf8).write(to: URL(fileURLWithPath: folder.file("logs/notes.txt")))
        // A report of before, and the one that is written, are no logs.
        let page = folder.file("logs/page.html")
        for _ in 0..<2 {
            let result = try run("report", folder.file("logs"), folder.file("logs/a.jsonl"), "-o", page, "--force")
            XCTAssertEqual(result.status(), 0, result.errors)
            XCTAssert(result.errors.contains("notes.txt: skipped: it is no log"), result.errors)
            XCTAssert(result.errors.contains("a.jsonl: skipped: named twice, and counted once"), result.errors)
            let logs = try logs(String(contentsOfFile: page, encoding: .utf8))
            XCTAssertEqual(logs.map { $0["name"] as? String }, ["logs/a.jsonl", "logs/deep/b.jsonl"].map(folder.file))
            XCTAssertNil(try data(String(contentsOfFile: page, encoding: .utf8))["samples"])
        }
        try files.createDirectory(atPath: folder.file("none"), withIntermediateDirectories: true)
        let none = try run("report", folder.file("none"), "-o", folder.file("a.html"))
        XCTAssertEqual(none.status(), 2)
        XCTAssert(none.errors.contains("there is no log in what was named"), none.errors)
        XCTAssertFalse(files.fileExists(atPath: folder.file("a.html")))
    }

    /// What a verb writes and no verb reads.
    func testAReportAsALogIsNamed() throws {
        for form in ["html", "svg"] {
            let report = folder.file("report." + form)
            XCTAssertEqual(try run("report", w04, "-o", report).status(), 0)
            for words in [["info", report], ["report", report, "-o", "-"], ["replay", report]] {
                let result = try run(words)
                XCTAssertEqual(result.status(), 1, result.errors)
                XCTAssert(
                    result.errors.contains(
                        form == "svg" ? "this is a picture; give the log" : "this is a web page; give the log"),
                    result.errors)
            }
        }
    }

    /// A duration has one text in the command, in its picture and, by the same rule, in the page.
    func testAReplayAndAPictureStateTheSameTime() throws {
        for (time, text) in [
            ("999999000000", "16 min 39 s"), ("16250000", "16.3 ms"), ("3599999999999", "59 min 59 s"),
        ] {
            let log =
                "{\"settle\":\"events\",\"version\":1}\n{\"t_ns\":0,\"scene\":\"a\"}\n{\"t_ns\":\(time),\"scene\":\"a\"}\n"
            let replay = try run(["replay", "-"], input: Data(log.utf8))
            XCTAssert(replay.output.contains("of 1 scene in \(text)\n"), replay.output)
            let picture = try run(["report", "-", "-o", "-", "--to", "svg"], input: Data(log.utf8))
            XCTAssert(picture.output.contains("0 interactions in \(text)<"), picture.output)
        }
    }

    func testAFullDiskLeavesNothing() throws {
        // A limit on the size of files, in blocks of 512 bytes, stands for a full disk.
        let words = [["report", w04, "-o", "x.html"], ["convert", w04, "x.csv"], ["convert", w04, "x.trace.json"]]
        for words in words {
            let process = try Running(
                ["-c", "cd '\(folder.path)'; ulimit -f 4; exec \"$0\" \"$@\"", Running.command] + words, folder,
                program: "/bin/sh")
            XCTAssertEqual(process.status(), 3, process.errors)
            XCTAssert(process.errors.contains("cannot write: File too large"), process.errors)
            XCTAssertEqual(try names(), [])
        }
        XCTAssertEqual(try run("report", w04, "-o", "/dev/full", "--to", "html").status(), 3)
        XCTAssertEqual(try run("report", w04, "-o", "/dev/full", "--to", "svg").status(), 3)
    }

    func testExportsHaveTheDecisionsOfTheOptionsPolicy() throws {
        let trace = folder.file("a.trace.json")
        XCTAssertEqual(try run("convert", w04, trace, "--policy", "uikit").status(), 0)
        let json = try JSONSerialization.jsonObject(with: bytes(trace)) as? [String: Any]
        let entries = try XCTUnwrap(json?["traceEvents"] as? [[String: Any]])
        let replay = try run("replay", w04, "--policy", "uikit", "--decisions", "-")
        let decisions = replay.output.split(separator: "\n").count
        XCTAssertGreaterThan(decisions, 10)
        XCTAssertEqual(entries.count { $0["cat"] as? String == "decision" }, decisions)
        let table = try run("convert", w04, "-", "--to", "csv", "--policy", "uikit")
        XCTAssertEqual(table.output.split(separator: "\r\n").count, 1 + 172 + decisions)

        // Of a faulty log, as for an encoding.
        let torn = try tornLog()
        let refused = try run("convert", torn, folder.file("torn.csv"))
        XCTAssertEqual(refused.status(), 1)
        XCTAssert(refused.errors.contains("nothing is written; --partial writes"), refused.errors)
        XCTAssertEqual(try run("convert", torn, folder.file("torn.csv"), "--partial").status(), 1)
        XCTAssertEqual(try names(), ["a.trace.json", "torn.csv", "torn.settle"])
    }
}
