import Foundation
import TestSupport
import XCTest

/// Each verb with each option alone and with each other option, on a log that has everything: a number of all that is
/// printed and written then is kept for each option in Tests/Cases/command/aftermath.
final class CommandAftermathTests: XCTestCase {
    private static let cases = Recordings.folder.deletingLastPathComponent().appending(path: "Cases/command/aftermath")

    private var folder = TemporaryFolder()
    /// The files that there are before a command, with what they have.
    private var given: [String: Data] = [:]

    private static let policies = [
        "--policy live", "--policy uikit", "--policy prepared", "--policy policy.json", "--policy policies.json",
        "--first-delay 30ms", "--reported-end-delay 1ms", "--released-end-delay 2ms", "--discrete-delay 3us",
        "--quiet-delay 1min", "--jump-delay none", "--calm-delay 1h", "--lock-delay 0s",
        "--pause-delay 60ms --pause-share 30%", "--maximum-wait 300ms", "--interaction-timeout none",
        "--live-share 1000%", "--live-limit none", "--live-interval 5ms", "--live-pause 400ms", "--quiet-delay 5",
        "--live-share 0%",
    ]

    /// The log in both encodings, with a fault in each, empty, and as other programs write it.
    override func setUpWithError() throws {
        folder = TemporaryFolder()
        let log = try String(contentsOf: Self.cases.appending(path: "rich.jsonl"), encoding: .utf8)
        let lines = log.components(separatedBy: "\n")
        func write(_ name: String, _ text: String) throws {
            try text.write(toFile: folder.file(name), atomically: false, encoding: .utf8)
        }
        try write("rich.jsonl", log)
        try write("bad.jsonl", (lines[..<60] + ["{\"t_ns\":1,\"scene\":"] + lines[60...]).joined(separator: "\n"))
        try write("empty.jsonl", lines[0] + "\n")
        try write("none.txt", "no log\n")
        try write("policy.json", #"{"quietDelay": "90ms", "maximumWait": "1s"}"#)
        try write("policies.json", #"{"quietDelay": "90ms"} {"liveShare": "20%", "discreteDelay": "0s"} {"#)
        try write("few.json", #"{"quietDelay": "90ms"} {"liveShare": "20%", "discreteDelay": "0s"} {}"#)
        try write("times", "0.5 4\n1.25 9\n0.25 12\n")
        try write(
            "typescript", "Script started on Mon [COLUMNS=\"80\" LINES=\"24\"]\nabcd\u{1B}[8;9;9tde\u{1B}[8;30;100tf")
        try write("key", String(repeating: "key ", count: 10))
        try write(
            "way.log",
            "[1.000] xdg_toplevel@7.configure(1, 1, array[4])\n[2.000] xdg_toplevel@7.configure(oops, 1, array[0])\n"
                + "[900.000] xdg_toplevel@7.configure(30, 40, array[0])\n")
        XCTAssertEqual(try run("convert rich.jsonl rich.settle").status, 0)
        let binary = try Data(contentsOf: url("rich.settle"))
        try binary[..<(binary.count / 2)].write(to: url("cut.settle"))
        try FileManager.default.createDirectory(atPath: folder.file("logs"), withIntermediateDirectories: false)
        for name in ["rich.jsonl", "bad.jsonl", "none.txt", "cut.settle"] {
            try FileManager.default.copyItem(atPath: folder.file(name), toPath: folder.file("logs/\(name)"))
        }
        given = try files()
    }

    func testReplay() throws {
        try check(
            "replay",
            [
                "", "--policy live", "--scene editor", "--scene 'a b' --scene phone", "--start 900ms", "--duration 3s",
                "--rate max", "--decisions -", "--decisions out.jsonl", "--force", "--partial", "--no-pointer",
                "--no-flags", "--build-cost 8ms", "--build-cost 3ns/px", "--build-cost 2ms+slow/2", "--no-baselines",
                "--json", "--format jsonl",
            ],
            behind: ["rich.jsonl"],
            alone: ["rich.settle", "bad.jsonl", "cut.settle", "empty.jsonl", "way.log", "none.txt"])
    }

    func testReplayUnderPolicies() throws {
        try check(
            "replay", [""] + Self.policies,
            behind: ["rich.jsonl", "--build-cost 8ms rich.jsonl", "--decisions - rich.jsonl"], alone: ["way.log"],
            part: "-policies", inPairs: false)
    }

    func testTune() throws {
        try check(
            "tune --policies few.json",
            [
                "", "--policy live", "--discrete-delay 20ms", "--live-share 40%", "--scene editor", "--start 900ms",
                "--duration 3s", "--build-cost 8ms", "--build-cost log", "--build-cost 3ns/px", "--busy 20%",
                "--p95-lag 40ms", "--p95-lag 1us", "--wasted 3", "--json", "--format jsonl", "--write out.json",
                "--force", "--policies policies.json", "--csv",
            ],
            behind: ["rich.jsonl"], alone: ["logs", "bad.jsonl rich.settle", "empty.jsonl", "none.txt", "way.log"])
    }

    func testTuneOfAGrid() throws {
        try check(
            "tune", ["", "--build-cost log", "--p95-lag 60ms --wasted 3", "--build-cost 8ms --busy 20%"],
            behind: ["rich.jsonl"], alone: ["logs"], part: "-grid")
    }

    func testLogs() throws {
        let logs = [
            "rich.settle", "bad.jsonl", "cut.settle", "empty.jsonl", "way.log", "none.txt", "times", "logs", "gone",
        ]
        try check("info", ["", "--json", "--format jsonl", "--format settle"], behind: ["rich.jsonl"], alone: logs)
        try check("cat", ["", "--format jsonl", "--format xev"], behind: ["rich.jsonl"], alone: logs)
        try check("validate", ["", "--json", "--format jsonl"], behind: ["rich.jsonl"], alone: logs)
        try check(
            "recover", ["", "--force"], behind: ["cut.settle out.settle", "cut.settle rich.settle"],
            alone: logs.map { $0 + " out.settle" })
    }

    func testConvert() throws {
        try check(
            "convert",
            [
                "", "--to jsonl", "--to settle", "--to trace", "--to csv", "--format jsonl", "--force", "--partial",
                "--policy uikit", "--quiet-delay 90ms", "--live-share 40%", "--pause-delay 60ms --pause-share 30%",
            ],
            behind: ["rich.jsonl out.csv", "rich.jsonl out.trace.json", "rich.jsonl -", "rich.jsonl out.txt"],
            alone: [
                "rich.settle out.jsonl", "bad.jsonl out.csv", "cut.settle -", "way.log out.csv", "empty.jsonl out.csv",
            ])
    }

    func testAnonymize() throws {
        try check(
            "anonymize --key key",
            [
                "", "--to jsonl", "--to settle", "--step 1", "--step 100", "--coarse", "--partial", "--force",
                "--format jsonl",
            ],
            behind: ["rich.jsonl out.jsonl", "rich.jsonl -"],
            alone: [
                "rich.settle out.jsonl", "bad.jsonl out.jsonl", "cut.settle out.jsonl", "empty.jsonl -", "way.log -",
            ])
    }

    func testPolicy() throws {
        try check(
            "policy", [""] + Self.policies + ["--force"], behind: ["", "--policy prepared --calm-delay 2s"],
            alone: ["out.json", "policy.json"], inPairs: false)
    }

    func testReport() throws {
        try check(
            "report",
            [
                "", "--policy live", "--quiet-delay 90ms", "--live-share 40%", "--scene editor", "--start 900ms",
                "--duration 3s", "--format jsonl", "--to svg", "--to html", "--force",
                "--pause-delay 60ms --pause-share 30%",
            ],
            behind: ["rich.jsonl -o out.svg", "rich.jsonl -o out.html", "rich.jsonl -o -"],
            alone: [
                "logs -o out.svg", "bad.jsonl -o out.svg", "cut.settle -o out.html", "empty.jsonl -o out.svg",
                "way.log -o out.svg",
            ])
    }

    func testRecord() throws {
        try check(
            "record",
            [
                "", "--flush-interval 0s", "--sync never", "--sync flush", "--append", "--force", "--acknowledge",
                "--format jsonl", "--clients 3",
            ],
            behind: ["rich.jsonl out.settle", "rich.jsonl rich.settle"],
            alone: ["bad.jsonl out.settle", "empty.jsonl out.settle", "way.log out.settle", "none.txt out.settle"])
    }

    func testHelp() throws {
        let verbs = try run("--help").text.matches(of: #/\n  ([a-z]+)  /#).map { String($0.1) }
        XCTAssertGreaterThan(verbs.count, 17)
        try check(
            "", ["--help", "--version", "", "nothing"] + verbs.map { "\($0) --help" }, behind: [""], alone: [],
            part: "help", inPairs: false)
    }

    func testSeveralLogs() throws {
        let logs = "rich.jsonl way.log rich.settle empty.jsonl times bad.jsonl"
        try check(
            "report", ["", "--scene editor", "--duration 2s", "--live-share 30%"],
            behind: ["\(logs) -o out.svg", "\(logs) logs -o out.html"], alone: [], part: "-several")
        try check(
            "tune --policies few.json", ["", "--build-cost 4ms", "--p95-lag 20ms", "--wasted 0", "--json"],
            behind: [logs, "logs \(logs)"], alone: [], part: "-several")
    }

    func testWhatIsPrintedIsInTheNumber() throws {
        let (one, other) = (try run("info rich.jsonl"), try run("info rich.settle"))
        XCTAssert(one.text.contains("format   jsonl"))
        XCTAssertNotEqual(one.text, other.text)
        XCTAssert(try run("convert rich.jsonl out.csv").text.contains("out.csv: "))
        XCTAssertEqual(try run("info rich.jsonl").text, one.text)
    }

    // MARK: Commands

    /// Runs the verb with each option and each further one before each log, and with each option before the others.
    private func check(
        _ verb: String, _ options: [String], behind logs: [String], alone others: [String], part: String = "",
        inPairs: Bool = true
    ) throws {
        var numbers: [(number: String, title: String)] = []
        for (place, option) in options.enumerated() {
            var aftermath = Aftermath()
            for log in logs { aftermath.note(try run("\(verb) \(option) \(log)").text) }
            for other in place == 0 || !inPairs ? [] : options[(place + 1)...] {
                aftermath.note(try run("\(verb) \(option) \(other) \(logs[0])").text)
            }
            for log in others { aftermath.note(try run("\(verb) \(option) \(log)").text) }
            numbers.append((aftermath.number, "\(verb) \(option)"))
        }
        let file = Self.cases.appending(path: "\(verb.prefix { $0 != " " })\(part).txt")
        for fault in try Aftermath.faults(numbers, file: file) { XCTFail("settle \(fault)") }
    }

    private func files() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != "logs" }
        return try Dictionary(uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: url($0))) })
    }

    private func url(_ name: String) -> URL { URL(fileURLWithPath: folder.file(name)) }

    /// What a command prints and writes. Files that it makes are gone then, and those given as they were.
    private func run(_ command: String) throws -> (text: String, status: Int32) {
        let streams = TemporaryFolder()
        let enter = #"cd "$1" && exec "$2" $3"#
        let words = command.contains("'") ? #"cd "$1" && eval "exec \"$2\" $3""# : enter
        let shell = try Running(
            ["-c", words, "sh", folder.path, Running.command, command], streams, program: "/bin/sh")
        let status = shell.status()
        var text = "$ settle \(command)\n\(timeless(shell.output))\(timeless(shell.errors))? \(status)\n"
        for (name, bytes) in try files().sorted(by: { $0.key < $1.key }) where !given.isEmpty && given[name] != bytes {
            text += "\(name): \(String(data: bytes, encoding: .utf8).map(data) ?? bytes.base64EncodedString())\n"
            if let before = given[name] {
                try before.write(to: url(name))
            } else {
                try FileManager.default.removeItem(at: url(name))
            }
        }
        return (text, status)
    }

    /// Without how long it took.
    private func timeless(_ text: String) -> String {
        text.components(separatedBy: "\n").filter { !$0.contains("events per second") }.map(data).joined(
            separator: "\n"
        )
        .replacing(#/"elapsed_ns":\d+/#, with: "")
    }

    /// Of a page its data alone.
    private func data(_ text: String) -> String {
        text.hasPrefix("<!")
            ? text.components(separatedBy: "\n").filter { $0.hasPrefix("<script type") }.joined() : text
    }
}
