import Foundation
import TestSupport
import XCTest

/// `settle tune` with the cost of a build.
final class TuneBuildsTests: TuneTestCase {
    private struct Figures: Decodable {
        var name: String?
        var index: Int?
        var policy: [String: String?]?
        var rebuilds: Int?
        var builds: Int
        var work: Int
        var wrong: Int
        var busiest: Int

        private enum CodingKeys: String, CodingKey {
            case name, index, policy, rebuilds, builds, busiest
            case work = "work_ns"
            case wrong = "wrong_ns"
        }
    }

    private struct Near: Decodable {
        var busiest: Int
    }

    private struct Output: Decodable {
        var nearest: [Near]
        var today: Int
        var choice: Int?
        var advised: Int?
        var front: [Int]
        var bound: [String: Int?]
        var buildCost: String
        var habits: [Figures]
        var policies: [Figures]
    }

    private func livePolicies() throws -> String {
        var text = ""
        for end in ["0s", "100ms"] {
            text += #"{"reportedEndDelay":"\#(end)"}"# + "\n"
            for share in [10, 30, 100] {
                for limit in ["16ms", "none"] {
                    text += #"{"reportedEndDelay":"\#(end)","liveShare":"\#(share)%","liveLimit":"\#(limit)"}"# + "\n"
                }
            }
        }
        return try write(text, "live.jsonl")
    }

    private func output(_ arguments: String...) throws -> Output {
        let result = try run(arguments + ["--json"])
        XCTAssertEqual(result.status, 0, result.errors)
        return try JSONDecoder().decode(Output.self, from: Data(result.output.utf8))
    }

    func testTheChoiceIsTheShortestWrongTimeWithinTheBound() throws {
        let policies = try livePolicies()
        for (cost, busy) in [("8ms", 35), ("2ms+3ns/px", 35), ("40ms", 50), ("8ms", 100)] {
            let tuned = try output(w04, w08, "--policies", policies, "--build-cost", cost, "--busy", "\(busy)%")
            XCTAssertEqual(tuned.buildCost, cost)
            XCTAssertEqual(tuned.bound["busiest"], busy)
            let within = tuned.policies.filter { $0.busiest <= busy }
            let choice = tuned.policies[try XCTUnwrap(tuned.choice)]
            XCTAssertLessThanOrEqual(choice.busiest, busy)
            XCTAssertLessThanOrEqual(Double(choice.wrong), Double(within.map(\.wrong).min()!) * 1.032)
            XCTAssertLessThan(choice.wrong, tuned.policies[tuned.today].wrong / 2, "live builds are worth it")
            XCTAssertNotNil(choice.policy?["liveShare"] as? String)
            XCTAssertEqual(tuned.advised, tuned.choice)
        }
        let none = try run([w04, "--policies", policies, "--build-cost", "400ms", "--busy", "1%"])
        XCTAssert(none.output.contains("No policy has a half second with at most 1 % of builds"), none.output)
        let least = try output(w04, "--policies", policies, "--build-cost", "400ms", "--busy", "1%")
        XCTAssertEqual(least.nearest.map(\.busiest), [least.policies.map(\.busiest).min()])
        XCTAssert(none.output.contains("    nearest  --busy \(least.nearest[0].busiest)%, by "), none.output)
    }

    func testWithoutABoundItHasNeitherMoreWorkNorABusierHalfSecondThanToday() throws {
        let policies = try livePolicies()
        for options in [[], ["--live-share", "50%"], ["--reported-end-delay", "1s"]] {
            let result = try run([w04, w08, "--policies", policies, "--build-cost", "8ms", "--json"] + options)
            let tuned = try JSONDecoder().decode(Output.self, from: Data(result.output.utf8))
            let (today, advised) = (tuned.policies[tuned.today], tuned.policies[try XCTUnwrap(tuned.advised)])
            XCTAssertLessThanOrEqual(Double(advised.work), Double(today.work) * 1.032)
            XCTAssertLessThanOrEqual(advised.busiest, today.busiest)
            XCTAssertLessThanOrEqual(Double(advised.wrong), Double(today.wrong) * 1.032)
            XCTAssertNil(tuned.choice)
        }
        let text = try run([w04, w08, "--policies", policies, "--build-cost", "8ms"]).output
        XCTAssert(text.contains("\n    live     --busy 30% chooses"), text)
    }

    func testJSONCSVAndTableHaveTheHabits() throws {
        let arguments = [w04, "--policies", try livePolicies(), "--build-cost", "8ms"]
        let tuned = try output(w04, "--policies", try livePolicies(), "--build-cost", "8ms")
        XCTAssertEqual(tuned.habits.map(\.name), ["every size", "throttle", "debounce", "live debounce"])
        XCTAssertGreaterThan(tuned.habits[0].busiest, tuned.policies[tuned.today].busiest)
        XCTAssertEqual(tuned.habits[0].work, 8_000_000 * tuned.habits[0].builds)
        let lines = try run(arguments + ["--csv"]).output.split(separator: "\n")
        let cells = lines.map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        XCTAssertEqual(Set(cells.map(\.count)).count, 1)
        XCTAssertEqual(cells[0].suffix(5), ["marks", "builds", "work_ns", "wrong_ns", "busiest"])
        XCTAssertEqual(cells.count, 1 + tuned.policies.count + tuned.habits.count)
        for (line, figures) in zip(cells.dropFirst(), tuned.policies + tuned.habits) {
            XCTAssertEqual(
                line.suffix(4), ["\(figures.builds)", "\(figures.work)", "\(figures.wrong)", "\(figures.busiest)"])
            if let name = figures.name { XCTAssertEqual(line[line.count - 5], name) }
        }
        let table = try run(arguments).output.components(separatedBy: "\n\n")[2].split(separator: "\n")
        XCTAssertEqual(table[0].split(separator: " "), ["wrong", "p95", "live"])
        XCTAssertEqual(table[1].split(separator: " "), ["rebuilds", "work", "time", "busiest", "lag", "Share"])
        for (row, name) in zip(table.suffix(4), tuned.habits.map { $0.name! }) {
            XCTAssert(row.trimmingCharacters(in: .whitespaces).hasPrefix(name), String(row))
        }
        // Without a cost nothing of it is there.
        let plain = try run([w04, "--policies", try livePolicies(), "--json"]).output
        for key in ["builds", "work_ns", "wrong_ns", "busiest", "buildCost", "habits"] {
            XCTAssertFalse(plain.contains("\"\(key)\""), key)
        }
    }

    func testWhatIsCopiedHasTheShareAndTheLimit() throws {
        let list = try write(#"{"liveShare":"30%","liveLimit":"none"}"#, "one.json")
        let tuned = try TuneJSON(
            run([w04, "--policies", list, "--build-cost", "20ms", "--busy", "100%", "--json"]).output)
        let copy = try XCTUnwrap(tuned.copy)
        XCTAssertEqual(copy.options, "--live-share 30% --live-limit none")
        XCTAssertEqual(copy.swift, "Policy(liveSharePercent: 30, liveLimit: nil)")
        XCTAssertEqual(
            copy.c.split(separator: "\n").dropFirst(),
            ["policy.live_share_percent = 30;", "policy.live_limit_ns = SETTLE_NEVER;"])
    }

    // MARK: A cost from reports

    /// Drags whose rebuilds are reported, of 2 ms and 3 ns for each pixel.
    private func reported(_ drags: Int = 32) throws -> String {
        var text = header
        for number in 1...drags {
            let (start, width) = (number * 1_000_000_000, 100 + 20 * (number % 16))
            for (at, flag, more) in [(0, "true", 1), (10, "true", 0), (20, "false", 0)] {
                text +=
                    #"{"t_ns":\#(start + at * 1_000_000),"scene":"a","width":\#(width + more),"height":100"#
                    + #","resizing":\#(flag)}"# + "\n"
            }
            let cost = 2_000_000 + 300 * width
            text +=
                #"{"t_ns":\#(start + 20_000_000 + cost),"scene":"a","kind":"finished","generation":\#(number)"#
                + #","cost_ns":\#(cost)}"# + "\n"
        }
        return try write(text, "reported.jsonl")
    }

    func testALogsOwnReportsAreACost() throws {
        let (log, policies) = (try reported(), try livePolicies())
        let result = try run([log, "--policies", policies, "--build-cost", "log", "--json"])
        XCTAssertEqual(result.status, 0, result.errors)
        XCTAssertEqual(result.errors, "settle: a build costs 2ms+3ns/px, by 32 reports\n")
        let given = try run([log, "--policies", policies, "--build-cost", "2ms+3ns/px", "--json"])
        XCTAssertEqual(result.output, given.output)
        let binary = folder.file("reported.settle")
        XCTAssertEqual(try run([log, binary], verb: "convert").status, 0)
        XCTAssertEqual(
            try run([binary, "--policies", policies, "--build-cost", "log"]).errors,
            "settle: a build costs 2ms+3ns/px, by 32 reports\n")
    }

    // MARK: Usage

    func testUsageFaults() throws {
        let cases: [([String], String)] = [
            (["--build-cost", "8", w04], "--build-cost is '8'; give a time above 0s and up to 1h as 8ms"),
            (["--build-cost", "", w04], "--build-cost is ''; give a time"),
            (["--build-cost", "-8ms", w04], "--build-cost is '-8ms'; give"),
            (["--build-cost", "0ms", w04], "--build-cost is '0ms'; give"),
            (["--build-cost", "2h", w04], "--build-cost is '2h'; give"),
            (["--build-cost", "nan", w04], "--build-cost is 'nan'; give"),
            (["--build-cost", "logs", w04], "or log"),
            (["--build-cost", "log", w04], "the logs have no reports of builds (finished); give a cost, as"),
            (["--build-cost", "log", "-"], "--build-cost log reads the logs twice, and - can be read once"),
            (["--buildcost", "8ms", w04], "did you mean '--build-cost'?"),
            (["--busy", "30%", w04], "--busy bounds builds, which take no time here; give --build-cost too"),
            (["--busy", "30", "--build-cost", "8ms", w04], "--busy is '30'; it is a whole percentage"),
            (["--busy", "0%", "--build-cost", "8ms", w04], "--busy is '0%'; it is a whole percentage from 1% to 100%"),
            (["--busy", "101%", "--build-cost", "8ms", w04], "--busy is '101%'"),
            (["--busy", "+5%", "--build-cost", "8ms", w04], "--busy is '+5%'"),
            (["--busy", "2.5%", "--build-cost", "8ms", w04], "--busy is '2.5%'"),
            (["--p95-lag", "1s", "--build-cost", "8ms", w04], "--p95-lag is no bound with --build-cost"),
            (["--wasted", "1", "--build-cost", "8ms", "--busy", "3%", w04], "--wasted is no bound with --build-cost"),
        ]
        for (arguments, message) in cases {
            let result = try run(arguments)
            XCTAssertEqual(result.status, 2, "\(arguments)")
            XCTAssertEqual(result.output, "", "\(arguments)")
            XCTAssert(result.errors.contains(message), "\(arguments): \(result.errors)")
        }
        let missing = try run([folder.file("missing"), "--build-cost", "log"])
        XCTAssertEqual(missing.status, 3)
        XCTAssert(missing.errors.contains("missing: cannot open"), missing.errors)
    }
}
