import Foundation
import TestSupport
import XCTest

/// `settle tune` with the cost of a build.
final class TuneBuildsTests: TuneTestCase {
    private struct Figures: Decodable {
        var policy: [String: String?]?
        var ends: Int
        var atOnce: Int
        var rightAfter: Int?
        var p90RightAfter: Int?

        private enum CodingKeys: String, CodingKey {
            case policy, ends, atOnce
            case rightAfter = "rightAfter_ns"
            case p90RightAfter = "p90RightAfter_ns"
        }
    }

    private struct Output: Decodable {
        var advised: Int?
        var habits: [Figures]
        var policies: [Figures]
        var presets: [String: Int]
        var atEndsLaterFrom: Int?

        private enum CodingKeys: String, CodingKey {
            case advised, habits, policies, presets
            case atEndsLaterFrom = "atEndsLaterFrom_ns"
        }
    }

    private func livePolicies() throws -> String {
        var text = ""
        for share in [10, 30, 100] { text += #"{"liveShare":"\#(share)%","liveLimit":"none"}"# + "\n" }
        return try write(text, "live.jsonl")
    }

    private func output(_ arguments: String...) throws -> Output {
        let result = try run(arguments + ["--json"])
        XCTAssertEqual(result.status, 0, result.errors)
        return try JSONDecoder().decode(Output.self, from: Data(result.output.utf8))
    }

    func testWhatIsCopiedOfPreviewsIsASwiftAndACPolicy() throws {
        for (policy, options, swift, c) in [
            (
                #"{"pauseDelay":"70ms","pauseShare":"40%"}"#, "--pause-delay 70ms --pause-share 40%",
                "Policy(pauseDelay: .milliseconds(70), pauseSharePercent: 40)",
                "policy.pause_delay_ns = 70000000;\npolicy.pause_share_percent = 40;"
            ),
            (
                #"{"pauseDelay":"50ms","pauseShare":"50%"}"#, "--policy prepared", "Policy.prepared",
                "settle_policy policy = settle_policy_prepared();"
            ),
        ] {
            let (list, log) = (try write(policy, "one.json"), try drags(resting: [250], "resting.jsonl"))
            let copy = try XCTUnwrap(
                TuneJSON(run([log, "--policies", list, "--build-cost", "100ms", "--json"]).output).copy)
            XCTAssertEqual([copy.options, copy.swift], [options, swift])
            XCTAssert(copy.c.hasSuffix(c), copy.c)
        }
    }

    // MARK: After ends

    /// Drags of 320 ms and 500 px whose hand rests before it lets go, by turns so long, every 3 s.
    private func drags(resting rests: [Int], _ name: String) throws -> String {
        var text = header + #"{"t_ns":0,"scene":"a","width":1000,"height":900}"# + "\n"
        for number in 0..<40 {
            let (start, rest) = (1000 + 3000 * number, rests[number % rests.count])
            for step in 0...20 {
                let width = 1000 + (number % 2 == 0 ? 25 * step : 500 - 25 * step)
                text +=
                    #"{"t_ns":\#(start + 16 * step)000000,"scene":"a","width":\#(width),"height":900"#
                    + #","resizing":true}"# + "\n"
            }
            text += #"{"t_ns":\#(start + 320 + rest)000000,"scene":"a","resizing":false}"# + "\n"
        }
        return try write(text, name)
    }

    /// A hand that rests for 250 ms sees what was begun 50 ms after it stood still, and a debounce's build, done.
    func testWhatIsCountedAfterEndsIsWhatTheHandSees() throws {
        let log = try drags(resting: [250], "resting.jsonl")
        let tuned = try output(log, "--build-cost", "100ms")
        let (ends, prepared) = (tuned.policies[tuned.presets["at ends"]!], tuned.policies[tuned.presets["prepared"]!])
        XCTAssertEqual([ends.ends, ends.atOnce, ends.rightAfter], [40, 0, 100_000_000])
        XCTAssertEqual([prepared.ends, prepared.atOnce, prepared.rightAfter, prepared.p90RightAfter], [40, 40, 0, 0])
        XCTAssertEqual([tuned.habits[2].ends, tuned.habits[2].atOnce], [40, 40])
        XCTAssertEqual(tuned.atEndsLaterFrom, 0, "the debounce's is there, whatever builds cost up to 150 ms")
        // At 180 ms what is prepared is there in time, and a debounce's 30 ms after the end.
        let longer = try output(log, "--build-cost", "180ms")
        XCTAssertEqual(longer.policies[longer.presets["prepared"]!].rightAfter, 0)
        XCTAssertEqual(longer.habits[2].rightAfter, 30_000_000)
        let advised = longer.policies[try XCTUnwrap(longer.advised)]
        XCTAssertEqual(advised.rightAfter, 0)
        XCTAssertTrue(["pauseShare", "liveShare"].contains { advised.policy?[$0] as? String != nil }, "\(advised)")
        let text = try run([log, "--build-cost", "180ms"]).output
        for line in [
            "    at ends  right after 180 ms (p90 ", "    prepared right after 0 s (p90 0 s), at once 100 %, work 7.",
            "    debounce right after 30 ms (p90 ", "180 ms sooner, 0.0 builds less", "whatever builds cost",
        ] {
            XCTAssert(text.contains(line), "\(line) is not in\n\(text)")
        }
    }

    /// Hands that rest for 0 and 400 ms: a debounce is 100 ms and a build late in one half, so it is later up to 100 ms.
    func testTheCostFromWhichEndsAreLaterThanADebounceIsFound() throws {
        let log = try drags(resting: [0, 400], "mixed.jsonl")
        let tuned = try output(log, "--build-cost", "20ms")
        XCTAssertEqual(Double(try XCTUnwrap(tuned.atEndsLaterFrom)), 100e6, accuracy: 1e6)
        XCTAssertEqual(tuned.habits[2].rightAfter, 60_000_000)
        XCTAssert(
            try run([log, "--build-cost", "20ms"]).output.contains("    ends     from builds of about 100 ms on"))
        // A hand that never rests is served by its end.
        let swift = try drags(resting: [0], "swift.jsonl")
        XCTAssertNil(try output(swift, "--build-cost", "20ms").atEndsLaterFrom)
        XCTAssert(try run([swift, "--build-cost", "20ms"]).output.contains("with builds of up to 640 ms"))
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
}
