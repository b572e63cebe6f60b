import Foundation
import TestSupport
import XCTest

/// What `settle tune` reads, and what it says about what it cannot read.
final class TuneInputsTests: TuneTestCase {
    private let event = #"{"t_ns":0,"scene":"a","width":1,"height":1}"# + "\n"

    /// Tunes with few policies.
    private func tuned(_ arguments: String...) throws -> (
        status: Int32, output: String, errors: String, json: TuneJSON?
    ) {
        let result = try run(arguments + ["--json", "--policies", somePolicies()])
        return (result.status, result.output, result.errors, result.output.isEmpty ? nil : try TuneJSON(result.output))
    }

    func testUsageFaults() throws {
        let cases: [([String], String)] = [
            ([], "which logs? Name files or folders"),
            (["--plicies", "x", w04], "did you mean '--policies'?"),
            (["--polic", "x", w04], "could be --policy or --policies"),
            (["--jobs", "0", w04], "--jobs is '0'; it is a whole number from 1 to 256"),
            (["--jobs", "99999999999999999999", w04], "from 1 to 256"),
            (["--jobs", "nan", w04], "from 1 to 256"),
            (["--p95-lag", "nan", w04], "--p95-lag is 'nan'; give a number and a unit"),
            (["--p95-lag", "100", w04], "--p95-lag is '100'; give a number and a unit"),
            (["--p95-lag", "-1ms", w04], "give a number and a unit"),
            (["--wasted", "-1", w04], "--wasted is '-1'; it is a whole number"),
            (["--wasted", "1.5", w04], "it is a whole number"),
            (["--json", "--csv", w04], "--json and --csv both want standard output"),
            (["-", "--policies", "-"], "standard input is either a log or policies"),
            (["-", "-"], "standard input is either a log or policies"),
            (["--policy", "-", "--policies", "-", w04], "standard input is either a log or policies"),
            (["--policies", folder.file("missing"), w04], "No such file"),
            (["--write", "-", w04], "standard output has the result; name a file"),
            (["--format", "xml", w04], "known are jsonl, settle"),
            (["--lock-delay", "none", w04], "--lock-delay cannot be none"),
        ]
        for (arguments, message) in cases {
            let result = try run(arguments)
            XCTAssertEqual(result.status, arguments.contains(folder.file("missing")) ? 3 : 2, "\(arguments)")
            XCTAssertEqual(result.output, "", "\(arguments)")
            XCTAssert(result.errors.contains(message), "\(arguments): \(result.errors)")
        }
    }

    func testFaultsOfPoliciesNameTheLineAndTheKey() throws {
        let cases = [
            (
                #"{"lockDelay":"1s"}"# + "\n" + #"{"lockDelai":"1s"}"#,
                "line 2: lockDelai is no duration of a policy; did"
            ),
            ("\n\n" + #"{"lockDelay":5}"#, "line 3: lockDelay must be a string with a unit"),
            (#"{"lockDelay":"1s","lockDelay":"1s"}"#, "line 1: lockDelay is given twice"),
            (#"{"jumpDelay":"nan"}"#, "line 1: jumpDelay is 'nan'; give a number"),
            (#"{"lockDelay":"400000h"}"# + "\n{}", "line 1: lockDelay is 1440000000s; it must be from 0s"),
            ("[]", "line 1: a policy is an object"), ("{} x", "line 1: a policy is an object"),
            (#"{"lockDelay""#, "line 1: the line ends early"), ("", "there is no policy"),
            (" \n", "there is no policy"),
            (String(repeating: "{}\n", count: 16_384), "line 16384: there are more than 16383 policies"),
        ]
        for (text, message) in cases {
            let path = try write(text, "bad.json")
            let result = try run([w04, "--policies", path])
            XCTAssertEqual(result.status, 2, message)
            XCTAssert(result.errors.contains("bad.json: \(message)"), "\(message): \(result.errors)")
            XCTAssertEqual(result.output, "")
        }
    }

    /// `settle policy` writes an object on several lines.
    func testPoliciesMayStandOnSeveralLines() throws {
        var text = ""
        for delay in ["1ms", "2ms"] { text += try run(["--discrete-delay", delay], verb: "policy").output }
        let own = try json(w04, "--policies", write(text + "{}{}", "p.json"))
        XCTAssertEqual(own.policies.map { $0.policy["discreteDelay"] }, ["1ms", "2ms", "50ms", "50ms"])
        XCTAssertEqual(own.today, 2, "today's policy is in the list")
    }

    func testFoldersAreSearchedAndWhatIsSkippedIsSaid() throws {
        let text = try String(contentsOfFile: w04, encoding: .utf8)
        try write(text, "logs/b/c/deep.jsonl")
        try write(text, "logs/noextension")
        try write(text, "logs/.hidden.jsonl")
        try write("hello", "logs/notes.txt")
        try write(#"{"t_ns":0,"scene":"a","kind":"rebuild","width":1,"height":1}"# + "\n", "logs/d.jsonl")
        try write("", "logs/empty.settle")
        let files = FileManager.default
        try files.createSymbolicLink(atPath: folder.file("logs/loop"), withDestinationPath: folder.file("logs"))
        try files.createSymbolicLink(atPath: folder.file("logs/gone"), withDestinationPath: "nowhere")
        try files.createSymbolicLink(atPath: folder.file("logs/same.jsonl"), withDestinationPath: "noextension")
        XCTAssertEqual(mkfifo(folder.file("logs/pipe"), 0o600), 0)

        let own = try tuned(folder.file("logs"), folder.file("logs/b/c/deep.jsonl"))
        XCTAssertEqual(own.status, 0, own.errors)
        XCTAssertEqual(own.json?.logs, 2)
        XCTAssertEqual(own.json?.skippedFiles, 9)
        for line in [
            "logs/.hidden.jsonl: skipped: its name begins with a dot",
            "logs/d.jsonl: skipped: the header cannot be read: this is no event log's header",
            "logs/empty.settle: skipped: it is empty", "logs/gone: skipped: a link that leads nowhere",
            "logs/loop: skipped: a link to a folder", "logs/pipe: skipped: it is no regular file",
            "logs/notes.txt: skipped: neither the content nor the file name shows the format",
            "2 files skipped, the first \(folder.file("logs/same.jsonl")): named twice, and counted once",
        ] {
            XCTAssert(own.errors.contains(line), "\(line): \(own.errors)")
        }
    }

    func testAParquetFileIsForTheFleet() throws {
        try write("PAR1\u{15}\u{4}", "parts/part-0.parquet")
        let words = "part-0.parquet: this is a Parquet file, whose logs settle-fleet decides"
        let named = try tuned(folder.file("parts/part-0.parquet"))
        XCTAssertEqual(named.status, 1)
        XCTAssert(named.errors.contains(words), named.errors)
        let found = try tuned(folder.file("parts"), w04)
        XCTAssertEqual(found.status, 0)
        XCTAssert(found.errors.contains(words.replacing(": this", with: ": skipped: this")), found.errors)
    }

    func testFoldersWithoutLogs() throws {
        try write("hello", "none/a.txt")
        for path in ["none", "void"] {
            try FileManager.default.createDirectory(
                atPath: folder.file(path), withIntermediateDirectories: true)
            let own = try tuned(folder.file(path))
            XCTAssertEqual(own.status, 2, own.errors)
            XCTAssert(own.errors.contains("there is no log in what was named"), own.errors)
            XCTAssertEqual(own.output, "")
        }
    }

    func testAFolderWithoutPermissionIsSaidAndOthersAreRead() throws {
        var prefix: [String] = []
        if getuid() == 0 { prefix = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] }
        func unprivileged(_ arguments: [String]) throws -> Running {
            try Running(prefix + [Running.command] + arguments, folder, program: "/usr/bin/env")
        }
        try XCTSkipIf(try unprivileged(["--version"]).status() != 0, "another user cannot run the command here")
        try write(header + event, "logs/locked/a.jsonl")
        try write(header + event, "logs/open.jsonl")
        let locked = folder.file("logs/locked")
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: locked)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: locked) }
        let run = try unprivileged(["tune", folder.file("logs"), "--json", "--policies", somePolicies()])
        XCTAssertEqual(run.status(), 3)
        XCTAssert(run.errors.contains("\(locked): cannot open the folder: Permission denied"), run.errors)
        XCTAssertEqual(try TuneJSON(run.output).logs, 1)
        XCTAssertEqual(try TuneJSON(run.output).complete, false)
    }

    func testWhatPrecedesAFaultCountsAndOtherLogsGoOn() throws {
        let bad = try write(header + event + "{broken\n" + event, "bad.jsonl")
        let own = try tuned(bad, w04)
        XCTAssertEqual(own.status, 1)
        XCTAssert(own.errors.contains("bad.jsonl: line 3: "), own.errors)
        XCTAssert(own.errors.contains("; everything before it is counted"), own.errors)
        XCTAssertEqual(own.json?.logs, 2)
        XCTAssertEqual(own.json?.complete, false)
        XCTAssertEqual(own.json?.events, try (tuned(w04).json?.events ?? 0) + 1)

        let missing = try tuned(w04, folder.file("missing.jsonl"), bad)
        XCTAssertEqual(missing.status, 3)
        XCTAssert(missing.errors.contains("missing.jsonl: cannot open: No such file"), missing.errors)
        XCTAssertEqual(missing.json?.logs, 2)

        // What is named is a log; what is found in a folder may be something else.
        let text = try tuned(w04, try write("hello", "text/a.txt"))
        XCTAssertEqual(text.status, 1)
        XCTAssert(text.errors.contains("a.txt: neither the content"), text.errors)
        XCTAssertEqual(try tuned(w04, folder.file("text")).status, 0)
        XCTAssertEqual(try tuned(folder.file("text/a.txt")).output, "", "nothing was counted")
    }

    /// By the rule of outputs, a fault of a log leaves a file unwritten.
    func testAFaultWritesNoPolicyUnlessAllowed() throws {
        let (bad, out) = (try write(header + event + "{broken\n", "bad.jsonl"), folder.file("out.json"))
        let refused = try tuned(w04, bad, "--write", out)
        XCTAssertEqual(refused.status, 1)
        XCTAssert(refused.errors.contains("out.json is not written; --partial writes it all the same"), refused.errors)
        XCTAssertFalse(FileManager.default.fileExists(atPath: out))
        XCTAssertEqual(try tuned(w04, bad, "--write", out, "--partial").status, 1)
        XCTAssertEqual(try run(["--policy", out], verb: "policy").status, 0)

        let none = folder.file("none.json")
        let missing = try tuned(folder.file("missing"), "--write", none, "--partial")
        XCTAssertEqual(missing.status, 3)
        XCTAssert(missing.errors.contains("none.json is not written: no log was read"), missing.errors)
        XCTAssertFalse(FileManager.default.fileExists(atPath: none))
    }

    func testAWindowIsThatOfAReplay() throws {
        let two = try write(
            header
                + (0..<40).map { number in
                    let (time, scene) = (number * 100_000_000, number % 3 == 0 ? "a" : "b")
                    return #"{"t_ns":\#(time),"scene":"\#(scene)","width":\#(1 + number),"height":1}"# + "\n"
                }.joined(), "two.jsonl")
        for (log, window) in [
            (two, ["--scene", "b"]), (two, ["--scene", "a", "--scene", "b", "--start", "1s"]),
            (two, ["--start", "350ms", "--duration", "1.2s"]), (w04, ["--duration", "900ms"]),
            (two, ["--duration", "0s"]),
        ] {
            let replay = try run([log, "--json"] + window, verb: "replay").output
            let expected = try XCTUnwrap(JSONSerialization.jsonObject(with: Data(replay.utf8)) as? [String: Any])
            let own = try TuneJSON(run([log, "--json", "--policies", somePolicies()] + window).output)
            XCTAssertEqual(own.policies[own.today].rebuilds, expected["rebuilds"] as? Int, "\(window)")
            XCTAssertEqual(own.events, expected["events"] as? Int, "\(window)")
            XCTAssertEqual(own.everyChange.rebuilds, expected["everyChange"] as? Int, "\(window)")
            XCTAssertEqual(own.fixedDebounce100ms.rebuilds, expected["fixedDebounce100ms"] as? Int, "\(window)")
            XCTAssertLessThan(own.events, try tuned(log).json?.events ?? 0)
        }
        // One of the logs has the scene, or is long enough.
        XCTAssertEqual(try tuned(two, w04, "--scene", "b").status, 0)
        XCTAssertEqual(try tuned(two, w04, "--start", "3s").status, 0)
        let scene = try tuned(two, "--scene", "c")
        XCTAssertEqual(scene.status, 1)
        XCTAssert(scene.errors.contains("there is no scene 'c'; the log has a, b"), scene.errors)
        let start = try tuned(two, "--start", "1h")
        XCTAssertEqual(start.status, 2)
        XCTAssert(start.errors.contains("--start is 1 h 0 min, but the log ends 3.9 s after"), start.errors)
        XCTAssertEqual(start.output + scene.output, "")
    }

    func testManyFaultsAreCounted() throws {
        for number in 0..<30 { try write(header + "{broken\n", "many/\(number).jsonl") }
        let own = try tuned(folder.file("many"))
        XCTAssertEqual(own.status, 1)
        XCTAssertEqual(own.errors.components(separatedBy: "is counted").count - 1, 20, own.errors)
        XCTAssert(own.errors.contains("10 faults more"), own.errors)
    }

    func testALogWithoutEventsGivesNoAdvice() throws {
        let empty = try write(header, "empty.jsonl")
        let own = try run([empty, "--jobs", "3", "--policies", somePolicies()])
        XCTAssertEqual(own.status, 1, own.errors)
        XCTAssert(own.output.contains("1 log, 0 events of 0 connected scenes."), own.output)
        XCTAssert(own.output.contains("No advice: the logs have no events."), own.output)
        let values = try TuneJSON(run([empty, "--policies", somePolicies(), "--json"]).output)
        XCTAssertNil(values.advised)
        XCTAssertEqual(values.front, [values.today])
        XCTAssertEqual(values.policies[0].p95Lag, 0)
    }

    func testStandardInputIsALog() throws {
        let input = Pipe()
        let run = try Running(["tune", "-", w08, "--json", "--policies", somePolicies()], folder, input: input)
        try input.fileHandleForWriting.write(contentsOf: Data(contentsOf: URL(fileURLWithPath: w04)))
        try input.fileHandleForWriting.close()
        XCTAssertEqual(run.status(), 0, run.errors)
        XCTAssertEqual(try TuneJSON(run.output).events, try tuned(w04, w08).json?.events)
    }

    func testTheInputIsNeverStandardOutput() throws {
        let text = try String(contentsOfFile: w04, encoding: .utf8)
        let named = try Running(["tune", try write(text, "a.jsonl")], folder, output: folder.file("a.jsonl"))
        XCTAssertEqual(named.status(), 3)
        XCTAssert(named.errors.contains("is the input itself"), named.errors)
        try write(text, "logs/a.jsonl")
        try write(text, "logs/out.csv")
        let found = try Running(
            ["tune", folder.file("logs"), "--csv", "--policies", somePolicies()], folder,
            output: folder.file("logs/out.csv"))
        XCTAssertEqual(found.status(), 0)
        XCTAssert(found.errors.contains("out.csv: skipped: standard output goes into it"), found.errors)
    }

    /// A signal while a pipe is read: the logs before it are counted.
    func testASignalEndsItWithTheLogsSoFar() throws {
        for (logs, counted) in [([w08, "-"], 1), (["-", w08], 0)] {
            let input = Pipe()
            let run = try Running(
                ["tune", "--json", "--policies", somePolicies(), "--write", folder.file("p.json")] + logs, folder,
                input: input)
            // More than a pipe holds: what was written was read, so signals are deferred by now.
            try input.fileHandleForWriting.write(
                contentsOf: Data((header + String(repeating: event, count: 20_000)).utf8))
            XCTAssertEqual(run.stop(SIGINT), SIGINT)
            XCTAssertEqual(run.process.terminationReason, .uncaughtSignal)
            XCTAssert(
                run.errors.contains("interrupted after \(counted) of 2 logs; \(folder.file("p.json")) is not written"),
                run.errors)
            XCTAssertEqual(try TuneJSON(run.output).logs, counted)
            XCTAssertEqual(try TuneJSON(run.output).complete, false)
            XCTAssertFalse(FileManager.default.fileExists(atPath: folder.file("p.json")))
        }
    }

    /// So many logs that nobody has decided yet are in memory at most, however small they are.
    func testMemoryDoesNotGrowWithTheNumberOfSmallLogs() throws {
        let policies = try somePolicies()
        let small = Data((header + event).utf8)
        func most(_ logs: Int) throws -> Int {
            let place = folder.file("\(logs)")
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            for number in 0..<logs { try small.write(to: URL(fileURLWithPath: "\(place)/\(number).jsonl")) }
            let input = Pipe()
            let run = try Running(["tune", "--json", "--policies", policies, place, "-"], folder, input: input)
            // More than a pipe holds: when it is read, the logs before it are decided.
            try input.fileHandleForWriting.write(
                contentsOf: Data((header + String(repeating: event, count: 20_000)).utf8))
            let status = try String(contentsOfFile: "/proc/\(run.process.processIdentifier)/status", encoding: .utf8)
            let line = try XCTUnwrap(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            let kilobytes = try XCTUnwrap(line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) })
            try input.fileHandleForWriting.close()
            XCTAssertEqual(run.status(), 0, run.errors)
            XCTAssertEqual(try TuneJSON(run.output).logs, logs + 1)
            return kilobytes
        }
        let (few, many) = (try most(600), try most(3_000))
        XCTAssertLessThan(many - few, 40_000, "kB more for 2,400 logs more; all at once would be 115,000")
    }

    /// After a signal, what was decided before is printed as it is at the end.
    func testASignalPrintsTheTableOfTheLogsSoFar() throws {
        for number in 0..<600 {
            try write(header + event, "many/\(number).jsonl")
        }
        let input = Pipe()
        let run = try Running(["tune", "--policies", somePolicies(), folder.file("many"), "-"], folder, input: input)
        try input.fileHandleForWriting.write(contentsOf: Data((header + String(repeating: event, count: 20_000)).utf8))
        XCTAssertEqual(run.stop(SIGINT), SIGINT)
        XCTAssert(
            run.output.hasPrefix(
                "600 logs, 600 events of 600 connected scenes. Interrupted: the logs that follow\n"), run.output)
        XCTAssert(run.output.contains("\n  Best so far. Keep today's policy: "), run.output)
        XCTAssert(run.output.contains("\n  today, advised "), run.output)
        XCTAssert(run.errors.hasSuffix("settle: interrupted after 600 of 601 logs\n"), run.errors)
    }
}
