import Foundation
import TestSupport
import XCTest

/// What `settle tune` reads and finds; what it prints: Tests/Cases/command/tune.cases.
final class TuneInputsTests: TuneTestCase {
    private let event = #"{"t_ns":0,"scene":"a","width":1,"height":1}"# + "\n"

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
