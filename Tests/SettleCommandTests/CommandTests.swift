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

    func testTheWorkOfTheDearestBuildsIsExact() throws {
        let json = try settle("replay", "--json", "--build-cost", "3600s", w04)
        XCTAssertEqual(json.status, 0, json.errors)
        XCTAssert(json.output.contains("\"savedOverEveryChange_ns\":\(3_600_000_000_000 * (152 - 7)),"), json.output)
    }

    func testReplaySummaryAndJSON() throws {
        let text = try settle("replay", w04, "--build-cost", "10ms")
        XCTAssertEqual(text.status, 0)
        XCTAssertEqual(text.errors, "", "a pipe sees no progress")
        for part in [
            "172 events of 1 scene", "7 rebuilds", "    this policy         7   70 ms       0 ",
            "    every size        152  1.52 s     145       0 s       0 s\n", "work: 10 ms for each rebuild",
        ] {
            XCTAssert(text.output.contains(part), "\(part) is not in\n\(text.output)")
        }
        let json = try settle("replay", "--json", w04)
        let object = try XCTUnwrap(JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        XCTAssertEqual(object["rebuilds"] as? Int, 7)
        XCTAssertEqual(object["everyChange"] as? Int, 152)
        XCTAssert(object["complete"] is NSNull, "a text log that was cut between two lines looks whole")

        let plain = try settle("replay", "--no-baselines", w04)
        XCTAssertEqual(plain.status, 0)
        XCTAssert(plain.output.contains("7 rebuilds"), plain.output)
        XCTAssertFalse(plain.output.contains("comparison"), plain.output)
        let without = try settle("replay", "--no-baselines", "--json", w04)
        let fields = try XCTUnwrap(JSONSerialization.jsonObject(with: Data(without.output.utf8)) as? [String: Any])
        XCTAssertEqual(fields["rebuilds"] as? Int, 7)
        for name in [
            "everyChange", "fixedDebounce100ms", "savedOverEveryChange_ns", "savedOverFixedDebounce_ns", "wasted",
            "p50Lag_ns", "p95Lag_ns",
        ] {
            XCTAssert(fields[name] is NSNull, name)
        }
        XCTAssertEqual(fields["baselines"] as? [String], [])
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

    func testPolicyOptions() throws {
        func rebuilds(_ arguments: String...) throws -> [String] {
            let result = try run(["replay", w04, "--decisions", "-"] + arguments)
            XCTAssertEqual(result.status, 0, result.errors)
            return result.output.split(separator: "\n").map(String.init)
        }
        let uikit = try rebuilds("--policy", "uikit")
        XCTAssert(
            uikit.contains(
                #"{"t_ns":1434841277607,"scene":"1:10","kind":"rebuild","width":400,"height":300,"reason":"first"}"#)
        )
        let slow = try rebuilds("--first-delay", "1s")
        XCTAssert(
            slow.contains(
                #"{"t_ns":1435841277607,"scene":"1:10","kind":"rebuild","width":400,"height":300,"reason":"first"}"#)
        )
        XCTAssert(try rebuilds("--interaction-timeout", "10ms").joined().contains("timeout"))
        XCTAssertEqual(try rebuilds("--maximum-wait=none"), try rebuilds())
    }

    func testUsageFaults() throws {
        let cases: [([String], String)] = [
            ([], "usage: settle VERB"),
            (["repaly"], "did you mean 'replay'?"),
            (["replay"], "which log?"),
            (["replay", "a", "b"], "one log at a time"),
            (["replay", "--polcy", "uikit", "x"], "did you mean '--policy'?"),
            (["replay", "--s", "1", "x"], "could be --scene or --start"),
            (["replay", "--pause", "1s", "x"], "could be --pause-delay or --pause-share"),
            (["replay", "-z", "x"], "there is no option '-z'"),
            (["replay", "--json=3", "x"], "--json takes no value"),
            (["replay", "x", "--scene"], "--scene needs a value"),
            (
                ["replay", "--policy", "uikt", "x"],
                "the names are default, prepared, live and uikit; did you mean 'uikit'?"
            ),
            (["replay", "--lock-delay", "5", "x"], "give a number and a unit"),
            (["replay", "--lock-delay", "-5ms", "x"], "give a number and a unit"),
            (["replay", "--lock-delay", "nanms", "x"], "--lock-delay is 'nanms'; give a number and a unit"),
            (["replay", "--lock-delay", "none", "x"], "--lock-delay cannot be none; give 0s"),
            (["replay", "--jump-delay", "never", "x"], "as 50ms or 1.5s, or none"),
            (["replay", "--jump-delay", "400000h", "x"], "--jump-delay is 1440000000s; it must be from 0s to"),
            (["replay", "--rate", "fast", "x"], "it is max or a number"),
            (["replay", "--decisions", "-", "--json", w04], "both want standard output"),
            (["replay", "--format", "xml", "x"], "known are jsonl, settle"),
            (["convert", w04], "IN and OUT"),
            (["convert", w04, "out.txt"], "has no extension of an encoding"),
            (["convert", w04, "out", "--to", "xev"], "written as jsonl, settle, trace or csv"),
        ]
        for (arguments, message) in cases {
            let result = try run(arguments)
            XCTAssertEqual(result.status, 2, "\(arguments)")
            XCTAssertEqual(result.output, "", "\(arguments)")
            XCTAssert(result.errors.contains(message), "\(arguments): \(result.errors)")
        }
    }

    func testFaultyLogsAreFindings() throws {
        let folder = TemporaryFolder()
        let text = try String(contentsOfFile: w04, encoding: .utf8)
        let lines = text.split(separator: "\n").map(String.init)
        let path = folder.file("bad.jsonl")
        let bad =
            (lines[..<50] + ["{broken", #"{"t_ns":1434725555618,"scene":"1:10","width":-4,"height":3}"#] + lines[50...])
            .joined(separator: "\n")
        try bad.write(toFile: path, atomically: true, encoding: .utf8)

        // Without a watchdog, which would end the interaction in which the fault stands.
        let replay = try settle("replay", path, "--decisions", "-", "--interaction-timeout", "none")
        XCTAssertEqual(replay.status, 1)
        XCTAssert(replay.errors.contains("bad.jsonl: line 51: "), replay.errors)
        XCTAssert(replay.errors.contains("everything before it was replayed"))
        let expected = try String(contentsOfFile: Recordings.decisions("w04_mutter"), encoding: .utf8)
        XCTAssert(expected.hasPrefix(replay.output) && !replay.output.isEmpty)

        let validate = try settle("validate", path)
        XCTAssertEqual(validate.status, 1)
        let findings = validate.output.split(separator: "\n")
        XCTAssertEqual(findings.count, 2, validate.output)
        XCTAssert(findings.first?.contains("line 51: ") == true)
        XCTAssert(findings.last?.contains("line 52: the size -4×3 is negative") == true)

        let convert = try settle("convert", path, folder.file("part.settle"), "--partial")
        XCTAssertEqual(convert.status, 1)
        XCTAssert(convert.errors.contains("49 events before it are written"), convert.errors)
        XCTAssertEqual(try settle("validate", folder.file("part.settle")).status, 0)
        XCTAssertEqual(try settle("validate", w04).status, 0)
        XCTAssertEqual(try settle("info", path).status, 1)
        XCTAssertEqual(try settle("replay", w04, "--scene", "nope").status, 1)
    }

    func testAStartBehindTheLogsEndIsSaid() throws {
        let late = try settle("replay", w04, "--start", "10h", "--json")
        XCTAssertEqual(late.status, 2)
        XCTAssert(late.errors.contains("--start is 10 h 0 min, but the log ends"), late.errors)
        XCTAssert(late.errors.contains(" after its first event"), late.errors)
        XCTAssertEqual(try settle("replay", w04, "--start", "1s").status, 0)
    }

    func testValidatePrintsTheFirstFaultsOfEachKindAndHowManyThereAre() throws {
        let folder = TemporaryFolder()
        var text = #"{"settle":"events","version":1}"# + "\n"
        for number in 0..<1000 { text += #"{"t_ns":\#(2000 - number),"scene":"a","width":1,"height":1}"# + "\n" }
        text += #"{"t_ns":3000,"scene":"a","width":-1,"height":1}"# + "\n{broken\n"
        try text.write(toFile: folder.file("x.jsonl"), atomically: true, encoding: .utf8)
        let short = try settle("validate", folder.file("x.jsonl"))
        XCTAssertEqual(short.status, 1)
        let lines = short.output.split(separator: "\n")
        XCTAssertEqual(lines.count, 20 + 1 + 1 + 3, short.output)
        XCTAssertEqual(lines.count { $0.contains("the time goes back by") }, 20)
        XCTAssert(lines.contains { $0.contains("line 1002: the size -1×1") }, short.output)
        XCTAssert(lines.contains { $0.contains("line 1003: ") }, short.output)
        XCTAssert(
            short.output.hasSuffix(
                """
                x.jsonl: 1 fault: cannot be read
                \(folder.file("x.jsonl")): 1 fault: a size that is rejected
                \(folder.file("x.jsonl")): 999 faults: a time that goes back, the first 20 above; --all prints the others

                """), short.output)
        XCTAssert(short.errors.contains("1,001 events, 1,001 faults"), short.errors)
        let all = try settle("validate", folder.file("x.jsonl"), "--all")
        XCTAssertEqual(all.output.split(separator: "\n").count, 1001)
        XCTAssertEqual(all.status, 1)
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

    func testSizesThatAClientChoseAreExplained() throws {
        let log = """
            [1.000]  -> xdg_surface@9.get_toplevel(new id xdg_toplevel@10)
            [2.000] xdg_toplevel@10.configure(0, 0, array[0])
            [3.000] xdg_toplevel@10.configure(0, 0, array[4])

            """
        for verb in ["replay", "info"] {
            let result = try settle(verb, "-", input: Data(log.utf8))
            XCTAssertEqual(result.status, 0, result.errors)
            XCTAssert(result.output.contains("Note: Windows whose client chose its own size (1)"), result.output)
            XCTAssert(result.output.contains("Let the client write the sizes that it draws"), result.output)
        }
    }

    func testValidateNamesTimesThatGoBackAndGoneScenes() throws {
        let folder = TemporaryFolder()
        let text =
            #"{"settle":"events","version":1}"# + "\n" + """
                {"t_ns":100,"scene":"a","width":1,"height":1}
                {"t_ns":90,"scene":"a","width":2,"height":1}
                {"t_ns":110,"scene":"b","kind":"disconnect"}
                """
        try text.write(toFile: folder.file("x.jsonl"), atomically: true, encoding: .utf8)
        let result = try settle("validate", folder.file("x.jsonl"))
        XCTAssertEqual(result.status, 1)
        XCTAssert(result.output.contains("line 3: the time goes back by 10 ns"), result.output)
        XCTAssert(result.output.contains("line 4: scene \"b\" disconnects without being connected"), result.output)
    }

    func testReadingAndWritingFailures() throws {
        let folder = TemporaryFolder()
        let missing = try settle("replay", folder.file("missing.jsonl"))
        XCTAssertEqual(missing.status, 3)
        XCTAssert(missing.errors.contains("cannot open: No such file or directory"))
        XCTAssertEqual(try settle("info", folder.path).status, 3)
        XCTAssertEqual(try settle("convert", w04, folder.file("no/such/folder.settle")).status, 3)

        // Every write to this device fails as on a full disk.
        let full = try settle("convert", w04, "/dev/full", "--to=settle")
        XCTAssertEqual(full.status, 3)
        XCTAssert(full.errors.contains("No space left on device"), full.errors)
        XCTAssertEqual(try settle("cat", w04, into: "/dev/full").status, 3)
        XCTAssertEqual(try settle("replay", w04, into: "/dev/full").status, 3)
        XCTAssertEqual(try settle("replay", w04, "--decisions", "/dev/full").status, 3)
    }

    func testAFailedConversionLeavesTheOlderFile() throws {
        let folder = TemporaryFolder()
        let out = folder.file("out.jsonl")
        try "older".write(toFile: out, atomically: true, encoding: .utf8)
        XCTAssertEqual(try settle("convert", "/dev/null", out, "--force").status, 1)
        XCTAssertEqual(try String(contentsOfFile: out, encoding: .utf8), "older")
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path), ["out.jsonl"])
    }

    func testForeignLogsAreRecognisedByContent() throws {
        let wayland = "[2029149.260] xdg_toplevel@10.configure(640, 480, array[4])\n"
        let result = try settle("info", "-", input: Data(wayland.utf8))
        XCTAssertEqual(result.status, 0, result.errors)
        XCTAssert(result.output.contains("wayland-debug"), result.output)
        XCTAssertEqual(try settle("info", "-", input: Data("hello".utf8)).status, 1)
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
