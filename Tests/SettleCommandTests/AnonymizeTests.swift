import Foundation
import Settle
import SettleLog
import TestSupport
import XCTest

@testable import SettleCommand

/// `settle anonymize`, from the outside. `OutputTests` has the rule for its output.
final class AnonymizeTests: AnonymizeTestCase {
    private static let emptyHeader =
        #"{"settle":"events","version":1,"clock":"monotonic","unit":"px","source":"unknown","name":""}"# + "\n"

    // MARK: What is left, and what is not

    /// The names are the digests that Python's `hashlib` computes.
    private static let secretLogAnonymized = """
        {"settle":"events","version":1,"clock":"unknown","unit":"unknown","source":"unknown","name":""}
        {"t_ns":0,"scene":"c070689762bdc7158a5ed4c1f700554f","width":1024,"height":776}
        {"t_ns":0,"kind":"pointer","button":3,"pressed":true}
        {"t_ns":211,"scene":"4a9e900bd72e94d87289b595a49d0792","kind":"connect"}
        {"t_ns":212,"scene":"4a9e900bd72e94d87289b595a49d0792","resizing":false,"locked":true,"orientation":"portrait"}
        {"t_ns":1211,"scene":"c070689762bdc7158a5ed4c1f700554f","width":8,"height":0}
        {"t_ns":1211,"scene":"4a9e900bd72e94d87289b595a49d0792","kind":"disconnect"}

        """

    func testExactlyThisIsLeftOfALog() throws {
        XCTAssertEqual(try anonymized(secretLog()), Self.secretLogAnonymized)
        // Also of the binary encoding, and into it.
        let (binary, output) = (folder.file("in.settle"), folder.file("out.settle"))
        XCTAssertEqual(try settle(["convert", secretLog(), binary]).status, 0)
        XCTAssertEqual(try anonymized(binary), Self.secretLogAnonymized)
        XCTAssertEqual(try settle(["anonymize", "--key", keyFile(), binary, output]).status, 0)
        XCTAssertEqual(try settle(["cat", output]).output, Self.secretLogAnonymized)
    }

    func testNoSecretIsInTheBytesOfTheOutput() throws {
        let binary = folder.file("in.settle")
        XCTAssertEqual(try settle(["convert", secretLog(), binary]).status, 0)
        let text = try bytes(secretLog())
        XCTAssertEqual(Self.secrets.filter { text.contains(Data($0.utf8)) }, Self.secrets, "the search finds them")
        XCTAssert(try bytes(binary).contains(Data("alice".utf8)), "the search finds a name in a binary log")
        for input in [try secretLog(), binary] {
            for output in ["out.jsonl", "out.settle"] {
                // A random key could make a name with one of the numbers.
                let run = try settle(["anonymize", "--force", "--key", keyFile(), input, folder.file(output)])
                XCTAssertEqual(run.status, 0, run.errors)
                let left = try bytes(folder.file(output))
                for secret in Self.secrets { XCTAssertFalse(left.contains(Data(secret.utf8)), "\(output): \(secret)") }
            }
        }
    }

    func testRecordingsWithStepOneAreDecidedAsBefore() throws {
        for name in Recordings.names {
            let original = Recordings.log(name)
            let output = folder.file("\(name).settle")
            XCTAssertEqual(try settle(["anonymize", "--step", "1", original, output]).status, 0, name)
            let (before, after) = (try contents(original), try contents(output))
            XCTAssertEqual(before.names.count, after.names.count)
            XCTAssertEqual(Set(before.names).intersection(after.names), [], name)
            XCTAssertEqual(after.earliest, 0, name)
            let decisions = try settle(["replay", output, "--decisions", "-"]).output
            let expected = try String(contentsOfFile: Recordings.decisions(name), encoding: .utf8)
            XCTAssertEqual(
                try decided(decisions), try decided(expected, less: before.earliest, before.names, after.names))
        }
    }

    /// The figures of docs/reference/log-format.md.
    func testRoundingChangesFewRebuildsOfTheRecordings() throws {
        for (step, expected) in [(8, 242), (32, 239)] {
            let output = folder.file("out.settle")
            let rebuilds = try Recordings.names.reduce(0) { sum, name in
                let options = ["--force", "--step", "\(step)"]
                XCTAssertEqual(try settle(["anonymize", Recordings.log(name), output] + options).status, 0, name)
                let decisions = try settle(["replay", output, "--decisions", "-"]).output
                return sum + decisions.matches(of: #/"kind":"rebuild"/#).count
            }
            XCTAssertEqual(rebuilds, expected, "step \(step)")
        }
    }

    /// A log's scene names in order, and its smallest time.
    private func contents(_ path: String) throws -> (names: [String], earliest: UInt64) {
        let reader = try LogReader(path: path)
        let batch = EventBatch()
        var earliest = UInt64.max
        while try reader.read(into: batch) {
            for index in 0..<batch.count { earliest = min(earliest, batch[index].at.nanoseconds) }
        }
        return ((0..<reader.scenes.count).map { reader.scenes[SceneNumber(rawValue: UInt32($0))] }, earliest)
    }

    /// Decisions, at earlier times and under other names.
    private func decided(
        _ lines: String, less shift: UInt64 = 0, _ names: [String] = [], _ others: [String] = []
    ) throws -> [String] {
        let renamed = Dictionary(uniqueKeysWithValues: zip(names, others))
        return try lines.split(separator: "\n").map { line in
            let match = try XCTUnwrap(line.wholeMatch(of: #/\{"t_ns":(\d+),"scene":"([^"]*)",(.*)\}/#), String(line))
            let (time, name) = (try XCTUnwrap(UInt64(match.1)), String(match.2))
            return "\(time - shift) \(renamed[name] ?? name) \(match.3)"
        }
    }

    // MARK: Names

    func testOnlyTheSameKeyGivesTheSameNames() throws {
        let path = try log(
            ["a", "b", "a"].enumerated().map { #"{"t_ns":\#($0.offset),"scene":"\#($0.element)","kind":"connect"}"# })
        let other = try write(
            Array(
                (#"{"settle":"events","version":1}"# + "\n" + #"{"t_ns":5,"scene":"b","kind":"connect"}"# + "\n").utf8),
            "other.jsonl")
        let first = names(try anonymized(path))
        XCTAssertEqual(first, names(try anonymized(path)))
        XCTAssertEqual(first[0], first[2])
        XCTAssertEqual(Set(first).count, 2)
        XCTAssertEqual(names(try anonymized(other)), [first[1]])
        for name in first { XCTAssertNotNil(name.wholeMatch(of: #/[0-9a-f]{32}/#), name) }
        // A key that begins alike is another one.
        var others = [first]
        for (number, bytes) in [Array(UInt8(1)...39), Array(1...41), Array(2...41)].enumerated() {
            let key = try keyFile(bytes, "key\(number)")
            others.append(names(try settle(["anonymize", path, "-", "--to", "jsonl", "--key", key]).output))
        }
        others.append(names(try anonymized(path, usesKey: false)))
        others.append(names(try anonymized(path, usesKey: false)))
        XCTAssertEqual(Set(others.flatMap { $0 }).count, 2 * others.count)
    }

    func testTwoScenesNeverBecomeOne() throws {
        let scenes = SceneNames()
        for name in ["a", "b", "c"] { _ = scenes.number(of: name) }
        try NameReplacements { $0 + "!" }.extend(from: scenes)
        XCTAssertThrowsError(try NameReplacements { $0 == "c" ? "A" : $0.uppercased() }.extend(from: scenes)) {
            XCTAssertEqual(($0 as? Failure)?.code, .io)
        }
    }

    func testAKeyThatIsNoneIsRefused() throws {
        let path = try log([])
        let cases: [(bytes: [UInt8], problem: String)] = [
            ([], "key has 0 bytes, fewer than 32; make a key by: head -c 32 /dev/urandom >KEY"),
            (Array(1...31), "key has 31 bytes, fewer than 32"),
            (Array(repeating: 0, count: 32), "key are not random"),
            (Array("aaaaaaaabbbbbbbbccccccccddddddddeeeeeeee".utf8), "key are not random"),
            (Array(repeating: 0, count: 65537), "key has more than 65536 bytes"),
        ]
        for (bytes, problem) in cases {
            let run = try settle(["anonymize", "--key", keyFile(bytes), path, folder.file("out.jsonl")])
            XCTAssertEqual(run.status, 2, run.errors)
            XCTAssert(run.errors.contains(problem), run.errors)
        }
        for (key, status) in [("/dev/zero", Int32(2)), (folder.file("missing"), 3), (folder.path, 3)] {
            let run = try settle(["anonymize", "--key", key, path, folder.file("out.jsonl")])
            XCTAssertEqual(run.status, status, run.errors)
        }
        XCTAssertFalse(FileManager.default.fileExists(atPath: folder.file("out.jsonl")))
    }

    func testTheKeyIsNeverWrittenOver() throws {
        let (path, key) = (try log([]), try keyFile())
        try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: "key")
        for output in [key, folder.file("link")] {
            let run = try settle(["anonymize", "--force", "--to", "jsonl", "--key", key, path, output])
            XCTAssertEqual(run.status, 3, run.errors)
            XCTAssert(run.errors.contains("is the input itself"), run.errors)
        }
        let printing = try Running(
            ["-c", #"exec "$0" anonymize --to jsonl --key "$1" "$2" - >>"$1""#, Running.command, key, path], folder,
            program: "/bin/sh")
        XCTAssertEqual(printing.status(), 3, printing.errors)
        XCTAssertEqual(try bytes(key), Data(1...40))
    }

    // MARK: Sizes

    func testSizesAreRoundedToTheNearestMultiple() throws {
        let sides: [(before: String, step8: String, step1: String)] = [
            ("0", "0", "0"), ("-0.0", "0", "0"), ("0.001", "8", "1"), ("1e-320", "8", "1"), ("11", "8", "11"),
            ("11.999", "8", "12"), ("12", "16", "12"), ("12.5", "16", "13"), ("400", "400", "400"),
            ("1366.2", "1368", "1366"), ("1e300", "1e+300", "1e+300"),
        ]
        let path = try log(
            sides.enumerated().map { #"{"t_ns":\#($0.offset),"scene":"a","width":\#($0.element.before),"height":5}"# })
        for (options, expected) in [([], sides.map(\.step8)), (["--step", "1"], sides.map(\.step1))] {
            let run = try settle(["anonymize", path, "-", "--to", "jsonl"] + options)
            XCTAssertEqual(run.output.matches(of: #/"width":([^,]*),/#).map { String($0.1) }, expected, run.errors)
        }
    }

    func testASizeThatIsRejectedStaysRejectedAndSaysNothing() throws {
        let path = try log(
            ["-3", "1e999", "-1e999", "-0.1", "7"].map {
                #"{"t_ns":1,"scene":"a","width":\#($0),"height":12,"resizing":true}"#
            })
        let text = try anonymized(path)
        XCTAssertEqual(text.matches(of: #/"width":-1,"height":-1,"resizing":true/#).count, 4, text)
        XCTAssertEqual(text.matches(of: #/"width":8,"height":16/#).count, 1, text)
        let before = try settle(["validate", path])
        let after = try settle(["validate", write(Array(text.utf8), "after.jsonl")])
        XCTAssert(before.errors.contains("5 events, 4 faults"), before.errors)
        XCTAssert(after.errors.contains("5 events, 4 faults"), after.errors)
    }

    func testEveryRoundedSizeIsWhatTheEngineTakesItFor() {
        let sides = [0, 1e-320, 1, 3.5, 1e15, 1e16, 0x1.fffffffffffffp1023, .infinity, -.infinity, .nan, -2, -0.0]
        for step in [1, 2, 3, 7, 8, 1000, 999_999, 1_000_000] as [Double] {
            for width in sides {
                for height in sides {
                    let size = Size(width: width, height: height)
                    let rounded = SizeStep(length: step).rounded(size)
                    XCTAssertEqual(rounded.isValid, size.isValid, "\(size) \(step)")
                    XCTAssertEqual(rounded.isStated, size.isStated, "\(size) \(step)")
                    if !size.isValid { XCTAssertEqual(rounded, SizeStep.rejected) }
                }
            }
        }
    }

    // MARK: Times

    func testTheSmallestTimeBecomesZeroAndDifferencesStay() throws {
        let (latest, minute) = (Int64.max, Int64(60_000_000_000))
        let cases: [([Int64], [Int64])] = [
            ([5000, 4000, 4999, 6000], [1000, 0, 999, 2000]), ([0, 1], [0, 1]), ([latest], [0]),
            ([latest, 1, latest - 1], [latest - 1, 0, latest - 2]), ([0, 0], [0, 0]),
            // Times since the machine's start, after windows that were there before.
            ([0, latest, 0, latest - 7], [0, minute + 7, 0, minute]), ([minute, 0], [minute, 0]),
            ([minute + 1, minute + 9, 0], [minute, minute + 8, 0]),
        ]
        for (times, expected) in cases {
            let path = try log(times.map { #"{"t_ns":\#($0),"scene":"a","kind":"connect"}"# })
            for encoding in ["jsonl", "settle"] {
                let output = folder.file("out.\(encoding)")
                XCTAssertEqual(try settle(["anonymize", "--force", path, output]).status, 0)
                let text = try settle(["cat", output]).output
                XCTAssertEqual(text.matches(of: #/"t_ns":(\d+)/#).map { Int64($0.1) }, expected, "\(times)")
            }
        }
    }

    func testALogWithoutEventsIsOneAfterwards() throws {
        let path = try log([])
        XCTAssertEqual(try anonymized(path), Self.emptyHeader)
        let run = try settle(["anonymize", path, folder.file("out.settle")])
        XCTAssertEqual(run.status, 0, run.errors)
        XCTAssert(run.errors.contains("out.settle: 0 events, anonymized"), run.errors)
        XCTAssertEqual(try settle(["cat", folder.file("out.settle")]).output, Self.emptyHeader)
    }

    // MARK: Inputs, faults and messages

    func testOtherFormatsAndStandardInput() throws {
        let xev = """
            ConfigureNotify event, serial 18, synthetic NO, window 0x1c00001,
                event 0x1c00001, window 0x1c00001, (0,0), width 178, height 178,
                border_width 2, above 0x0, override NO


            """
        let path = try write(Array(xev.utf8), "xev.txt")
        let text = try anonymized(path)
        XCTAssert(text.contains(#""clock":"synthetic","unit":"px","source":"unknown""#), text)
        XCTAssert(text.contains(#""width":176,"height":176"#), text)
        XCTAssertFalse(text.contains("1c00001"), text)
        let input = Pipe()
        let piped = try Running(["anonymize", "-", "-", "--to=jsonl", "--key", keyFile()], folder, input: input)
        input.fileHandleForWriting.write(Data(xev.utf8))
        try input.fileHandleForWriting.close()
        XCTAssertEqual(piped.status(), 0, piped.errors)
        XCTAssertEqual(piped.output, text)
    }

    func testOfAFaultyLogNothingIsWrittenAnywhere() throws {
        let path = try log([#"{"t_ns":7,"scene":"a","kind":"connect"}"#, "{broken", #"{"t_ns":3,"scene":"b"}"#])
        let refused = try settle(["anonymize", path, "-", "--to", "jsonl"])
        XCTAssertEqual(refused.status, 1)
        XCTAssertEqual(refused.output, "")
        XCTAssert(refused.errors.contains("in.jsonl: line 3: "), refused.errors)
        XCTAssert(refused.errors.contains("nothing is written; --partial writes the 1 event before it"), refused.errors)
        XCTAssertFalse(refused.errors.contains("anonymized"), refused.errors)
        let partial = try settle(["anonymize", path, "-", "--to", "jsonl", "--partial"])
        XCTAssertEqual(partial.status, 1)
        XCTAssertEqual(partial.output.split(separator: "\n").count, 2, partial.output)
        XCTAssert(partial.errors.contains("1 event before it is written"), partial.errors)
        XCTAssert(partial.errors.contains("standard output: 1 event, anonymized"), partial.errors)
    }

    func testWhatWasChangedIsPrinted() throws {
        let kept = try settle(["anonymize", secretLog(), folder.file("a.jsonl"), "--key", keyFile()])
        for line in [
            "a.jsonl: 6 events, anonymized\n", "  names    2 scenes renamed; the same key gives the same names\n",
            "  sizes    2 of 2 rounded to a multiple of 8\n", "  header   clock, unit, source, name, policy dropped\n",
            "  - the rhythm of the events", "  - the same scene in every log that is anonymized with this key\n",
        ] { XCTAssert(kept.errors.contains(line), "\(line) is not in \(kept.errors)") }
        XCTAssertFalse(kept.errors.contains("alice"), kept.errors)
        let plain = try log([#"{"t_ns":2000000000,"scene":"a","width":-1,"height":8}"#])
        let forgotten = try settle(["anonymize", plain, folder.file("b.jsonl"), "--step", "2"])
        for line in [
            "  names    1 scene renamed; the key is forgotten\n", "  times    2 s earlier\n",
            "  sizes    0 of 1 rounded to a multiple of 2, 1 that engines reject replaced by −1×−1\n",
            "  header   nothing dropped\n",
        ] { XCTAssert(forgotten.errors.contains(line), "\(line) is not in \(forgotten.errors)") }
        XCTAssertFalse(forgotten.errors.contains("this key"), forgotten.errors)
        let zero = try log([0, 0, 62_000_000_000].map { #"{"t_ns":\#($0),"scene":"a","kind":"connect"}"# })
        let shifted = try settle(["anonymize", zero, folder.file("c.jsonl")])
        XCTAssert(shifted.errors.contains("  times    2 s earlier, but for those of 0\n"), shifted.errors)
    }

    func testUsageFaults() throws {
        let path = try log([])
        let cases: [([String], String)] = [
            ([path], "anonymize takes two logs, IN and OUT"),
            ([path, "out.csv"], "has no extension of an encoding; use .jsonl or .settle, or --to"),
            ([path, "out", "--to", "trace"], "logs can be written as jsonl or settle"),
            ([path, "-"], "'-' has no extension of an encoding"),
            ([path, "out.jsonl", "--step", "0"], "--step is '0'; it is a whole number from 1 to 1000000"),
            ([path, "out.jsonl", "--step", "2.5"], "--step is '2.5'"),
            ([path, "out.jsonl", "--step", "1000001"], "--step is '1000001'"),
            ([path, "out.jsonl", "--coarse", "--step", "8"], "--coarse makes sizes anew, and --step rounds them"),
            ([path, "out.jsonl", "--cohort", "a"], "--cohort is for a folder or Parquet"),
            (["--framed", path], "--framed reads standard input"),
            (["-", "out.jsonl", "--key", "-"], "standard input is either the log or the key"),
        ]
        for (arguments, problem) in cases {
            let run = try settle(["anonymize"] + arguments)
            XCTAssertEqual(run.status, 2, "\(arguments)")
            XCTAssert(run.errors.contains(problem), "\(arguments): \(run.errors)")
        }
    }
}
