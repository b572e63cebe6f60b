import Foundation
import TestSupport
import XCTest

/// What `settle tune` prints.
final class TuneVerbTests: TuneTestCase {
    func testTheBytesAreTheSameForAnyNumberOfThreads() throws {
        let policies = try somePolicies()
        for format in [["--all"], ["--json"], ["--csv"]] {
            let arguments = short + ["--policies", policies] + format
            let expected = try run(arguments + ["--jobs", "1"])
            XCTAssertEqual(expected.status, 0)
            for jobs in ["2", "3", "7", "256"] {
                let other = try run(arguments + ["--jobs=\(jobs)"])
                XCTAssertEqual(other.output, expected.output, jobs)
                XCTAssertEqual(other.errors, expected.errors, jobs)
            }
        }
        // The whole grid, whose items have several sizes.
        let grid = try ["1", "3"].map { try run([w04, w08, "--csv", "--jobs", $0]).output }
        XCTAssertEqual(grid[0], grid[1])
        XCTAssertGreaterThan(grid[0].split(separator: "\n").count, 1000)
    }

    // MARK: Bounds

    func testANearestBoundIsTheLeastWithAChoice() throws {
        let policies = try somePolicies(["10ms", "50ms", "100ms", "500ms"])
        for bounds in [
            ["--p95-lag", "1ms"], ["--wasted", "0"], ["--p95-lag", "60ms", "--wasted", "3"],
            ["--p95-lag", "1ms", "--wasted", "0"],
        ] {
            let arguments = [Recordings.folder.path, "--policies", policies, "--json"]
            let tuned = try TuneJSON(run(arguments + bounds).output)
            XCTAssertNil(tuned.choice)
            XCTAssertFalse(tuned.nearest.isEmpty, "\(bounds)")
            for near in tuned.nearest {
                let again = try TuneJSON(run(arguments + near.options).output)
                XCTAssertEqual(again.choice, near.policy, "\(bounds): \(near)")
                XCTAssertEqual(again.nearest, [])
                var less = near
                if near.p95Lag != Int(bounds[1].dropLast(2)).map({ $0 * 1_000_000 }) || near.wasted == nil {
                    less.p95Lag = near.p95Lag.map { $0 * 96 / 100 }
                }
                if near.wasted.map(String.init) != bounds.last { less.wasted = near.wasted.map { $0 - 1 } }
                XCTAssertNotEqual(less, near)
                XCTAssertNil(try TuneJSON(run(arguments + less.options).output).choice, "\(bounds): \(less)")
            }
        }
    }

    // MARK: What to copy

    func testWhatIsCopiedIsThePolicy() throws {
        let tuned = try json(w04, "--policies", somePolicies(), "--pause-delay", "1.5s", "--wasted", "1000")
        let advised = tuned.policies[try XCTUnwrap(tuned.advised)]
        let copy = try XCTUnwrap(tuned.copy)
        let file = folder.file("copy.json")
        XCTAssertEqual(try run(copy.options.split(separator: " ").map(String.init) + [file], verb: "policy").status, 0)
        let policy = try JSONDecoder().decode(
            [String: String?].self, from: Data(contentsOf: URL(fileURLWithPath: file)))
        XCTAssertEqual(policy, advised.policy)
    }

    func testWriteFollowsTheRuleOfOutputs() throws {
        let (policies, out) = (try somePolicies(), folder.file("out.json"))
        let arguments = [w04, "--policies", policies, "--p95-lag", "320ms"]
        XCTAssertEqual(try run(arguments + ["--write", out]).status, 0)
        let written = try String(contentsOfFile: out, encoding: .utf8)
        let tuned = try TuneJSON(run(arguments + ["--json"]).output)
        let policy = try JSONDecoder().decode([String: String?].self, from: Data(written.utf8))
        XCTAssertEqual(policy, tuned.policies[try XCTUnwrap(tuned.advised)].policy)
        XCTAssertEqual(try run(["--policy", out], verb: "policy").output, written)

        let again = try run(arguments + ["--write", out])
        XCTAssertEqual(again.status, 3)
        XCTAssert(again.errors.contains("there is such a file already; it is left alone; --force replaces it"))
        XCTAssertEqual(again.output, "", "refused before the work")
        XCTAssertEqual(try run(arguments + ["--write", out, "--force"]).status, 0)

        let log = try write(try String(contentsOfFile: w04, encoding: .utf8), "logs/a.jsonl")
        for (input, target) in [(log, log), (folder.file("logs"), log), (w04, policies)] {
            let before = try Data(contentsOf: URL(fileURLWithPath: target))
            let refused = try run([input, "--policies", policies, "--write", target, "--force"])
            XCTAssertEqual(refused.status, 3, refused.errors)
            XCTAssert(refused.errors.contains("is the input itself"), refused.errors)
            XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: target)), before)
        }
        let none = try run([
            w04, "--p95-lag", "0s", "--wasted", "0", "--first-delay", "1s", "--policies",
            write(#"{"firstDelay":"2s"}"#, "slow.json"), "--write", folder.file("none.json"),
        ])
        XCTAssert(none.errors.contains("none.json is not written: no policy is within the bound"), none.errors)
        XCTAssertEqual(none.status, 1)
        XCTAssertFalse(FileManager.default.fileExists(atPath: folder.file("none.json")))
        XCTAssertEqual(try run(arguments + ["--write", "-"]).status, 2)
    }

    func testWriteIsRefusedBeforeTheWork() throws {
        let arguments = [w04, "--policies", try somePolicies(), "--json"]
        try write("", "file")
        let cases = [
            ("", 2, "--write is ''; name a file"), (folder.file("nodir/x"), 3, "nodir/x: cannot write: No such file"),
            (folder.file("file/x"), 3, "file/x: cannot write: Not a directory"),
            (folder.file("new/"), 3, "cannot write"),
        ]
        for (path, status, message) in cases {
            let result = try run(arguments + ["--write", path])
            XCTAssertEqual(result.status, Int32(status), path)
            XCTAssert(result.errors.contains(message), result.errors)
            XCTAssertEqual(result.output, "", "refused before the work")
        }
    }

    func testOfSeveralOutputsTheLastIsWritten() throws {
        let (one, other) = (folder.file("one.json"), folder.file("other.json"))
        let result = try run([w04, "--policies", somePolicies(), "--write", one, "--write", other])
        XCTAssertEqual(result.status, 0, result.errors)
        XCTAssertFalse(FileManager.default.fileExists(atPath: one))
        XCTAssert(FileManager.default.fileExists(atPath: other))
    }

    /// As in a replay.
    func testCompleteIsKnownOnlyOfLogsWithAnIndex() throws {
        let policies = try somePolicies()
        let (whole, cut) = (folder.file("whole.settle"), folder.file("cut.settle"))
        XCTAssertEqual(try run([w04, whole], verb: "convert").status, 0)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: whole))
        try bytes.dropLast(10).write(to: URL(fileURLWithPath: cut))
        for log in [whole, w04, cut] {
            let replay = try run([log, "--json"], verb: "replay").output
            let expected = try XCTUnwrap(JSONSerialization.jsonObject(with: Data(replay.utf8)) as? [String: Any])
            XCTAssertEqual(
                try TuneJSON(run([log, "--json", "--policies", policies]).output).complete,
                expected["complete"] as? Bool, log)
        }
        XCTAssertEqual(try json(whole, "--policies", policies).complete, true)
        XCTAssertNil(try json(whole, w04, "--policies", policies).complete)
        let missing = try run([whole, folder.file("missing"), "--json", "--policies", policies])
        XCTAssertEqual(try TuneJSON(missing.output).complete, false)
    }
}
