import Foundation
import Settle
import SettleLog
import SettleSweep
import TestSupport
import XCTest

@testable import SettleCommand

/// How the text of `settle tune` fits a terminal, and what is left of it after Ctrl-C.
final class TuneTerminalTests: TuneTestCase {
    func testNoLineIsLongerThanThePipesEightyColumns() throws {
        for name in Recordings.names {
            for options in [[], ["--p95-lag", "1ns", "--wasted", "0"]] {
                let result = try run([Recordings.log(name)] + options)
                XCTAssertEqual(result.status, 0, result.errors)
                XCTAssertGreaterThan(result.output.split(separator: "\n").count, 10)
                for line in result.output.split(separator: "\n") where line.count > 80 {
                    XCTFail("\(name) \(options): \(line)")
                }
            }
        }
    }

    private func result(_ names: [String], _ policies: [Policy], cost: String? = nil) throws -> TuneResult {
        let sweep = try Sweep(policies, buildCost: cost.flatMap { BuildCost($0) })
        XCTAssert(try sweep.add(names.map { try BoundLog(LogReader(path: Recordings.log($0))) }, jobs: 2))
        return try TuneResult(sweep, today: 0, bound: TuneResult.Bound())
    }

    private func lines(_ result: TuneResult, _ width: Int, isWhole: Bool = true) -> [Substring] {
        TuneReport(result: result, isWhole: isWhole, columns: width).text.split(
            separator: "\n", omittingEmptySubsequences: false)
    }

    /// The lines of the table, its titles first.
    private func table(_ result: TuneResult, _ width: Int) -> [Substring] {
        Array(lines(result, width).split(separator: "")[2])
    }

    func testNoLineIsLongerThanAnyTerminalFromFortyColumnsOn() throws {
        // Policies that differ in every field, and few.
        let delays: [Duration] = [.zero, .milliseconds(16), .milliseconds(50)]
        let many = [Policy.default, .uikit, .live] + delays.map { Policy.fixed($0) }
        for cost in [nil, "2ms+3ns/px"] {
            let result = try result(["r06_metacity_suite", "w04_mutter"], many, cost: cost)
            for width in 40...200 {
                for line in lines(result, width) where line.count > width { XCTFail("\(width): \(line)") }
            }
            XCTAssertEqual(lines(result, 10), lines(result, 40))
        }
    }

    func testOnlyColumnsThatDifferAreShown() throws {
        let policies = [Policy(), Policy(quietDelay: .milliseconds(100)), Policy(quietDelay: .milliseconds(300))]
        let quiet = try result(["r10_xephyr_rotate"], policies)
        XCTAssertEqual(
            table(quiet, 80)[0...1].map { $0.split(separator: " ") },
            [["p50", "p95", "max", "quiet"], ["rebuilds", "wasted", "lag", "lag", "lag", "Delay"]])
        for (row, delay) in zip(table(quiet, 80).dropFirst(2), quiet.sorted(0..<3).map(\.policy.quietDelay)) {
            XCTAssert(
                row.hasSuffix(
                    " \(delay == .milliseconds(200) ? "200ms" : delay == .milliseconds(100) ? "100ms" : "300ms")"),
                "\(row)")
        }
        // With no room for the field it stands below its row; the lags that matter least are left out.
        let narrow = table(quiet, 40)
        XCTAssertEqual(narrow[1].split(separator: " "), ["rebuilds", "lag"])
        XCTAssert(narrow.contains("      quietDelay 100ms"), "\(narrow)")
        // What programs without an engine have none of.
        let pauses = [
            Policy(pauseDelay: .milliseconds(80)), Policy(reportedEndDelay: .zero, pauseDelay: .milliseconds(80)),
        ]
        let same = try result(["w08_mutter_real"], pauses)
        XCTAssertFalse(table(same, 80).contains { $0.contains("previews") })
        XCTAssert(lines(same, 80).contains("  The same for all policies: previews \(same.rows[0].previews)."))
        XCTAssertGreaterThan(same.rows[0].previews, 0)
    }

    /// A scene that is never built.
    func testWithoutAnyRebuildNoTableIsShown() throws {
        let log = try write(header + #"{"t_ns":5,"scene":"a","kind":"connect"}"# + "\n", "none.jsonl")
        let tuned = try run([log, "--policies", somePolicies()])
        XCTAssert(
            tuned.output.hasSuffix("\n\n  Nothing differs between the policies, nor from programs without an engine.\n")
        )
        XCTAssertFalse(try run([log], verb: "replay").output.contains("comparison"))
    }

    func testTheRestIsSaidOnceItIsKnown() {
        XCTAssertEqual(Meter.text(0.001, after: .seconds(1)), "tuning: 0 %")
        XCTAssertEqual(Meter.text(0.25, after: .seconds(10)), "tuning: 25 %, 30 s left")
        XCTAssertEqual(Meter.text(0.1, after: .seconds(60)), "tuning: 10 %, 9 min left")
    }

    /// Ctrl-C while one log is decided.
    func testCtrlCPrintsWhatWasTriedSoFar() throws {
        var text = header
        // Something waits for each delay, so that no policy is skipped: an end by a flag and a change behind it, an end
        // by a button.
        for line in [
            #"{"t_ns":0,"scene":"b","width":1,"height":9}"#,
            #"{"t_ns":1,"scene":"b","width":2,"height":9,"resizing":true}"#,
            #"{"t_ns":2,"scene":"b","resizing":false}"#, #"{"t_ns":3,"scene":"b","width":3,"height":9}"#,
            #"{"t_ns":4,"scene":"c","width":1,"height":9}"#, #"{"t_ns":5,"kind":"pointer","button":1,"pressed":true}"#,
            #"{"t_ns":6,"scene":"c","width":2,"height":9}"#, #"{"t_ns":7,"kind":"pointer","button":1,"pressed":false}"#,
        ] { text += line + "\n" }
        for number in 8..<100_000 {
            text +=
                #"{"t_ns":\#(number * 1_000_000 + number / 1000 * 1_000_000_000),"scene":"a","width":\#(100 + number % 999),"height":9}"#
                + "\n"
        }
        let run = try Running(["tune", "--jobs", "1", write(text, "long.jsonl")], folder)
        // More than reading takes, and less than trying all policies.
        let stat = "/proc/\(run.process.processIdentifier)/stat"
        run.wait("two seconds of work") {
            let fields = (try? String(contentsOfFile: stat, encoding: .utf8))?.split(separator: " ") ?? []
            return fields.count > 13 && Int(fields[13]).map { $0 > 200 } == true
        }
        XCTAssertEqual(run.stop(SIGINT), SIGINT)
        XCTAssertEqual(run.process.terminationReason, .uncaughtSignal, "a shell reports 130")
        let pattern =
            #/1 log, 100,000 events of 3 connected scenes. Interrupted: ([0-9,]+) of 3,840\spolicies\stried.\n\n  (Best so far. Take this|No advice: none of the [0-9,]+ )/#
        let match = try XCTUnwrap(run.output.prefixMatch(of: pattern), run.output + run.errors)
        let tried = try XCTUnwrap(Int(match.1.replacing(",", with: "")))
        XCTAssert((2..<3840).contains(tried), "\(tried)")
        XCTAssert(run.output.contains("\n  today"), run.output)
    }

    /// Of few policies that were tried none may be advised, however many rebuilds there are.
    func testWhatWasTriedBeforeASignalIsNoReasonAboutRebuilds() throws {
        // No recording has a rebuild that waited for discreteDelay thirty times.
        let kept = Policy(discreteDelay: .milliseconds(16))
        let some = try result(Recordings.names, [.default, kept])
        XCTAssertGreaterThan(some.rows[0].rebuilds, 200)
        func text(_ result: TuneResult, of all: Int?) -> String {
            TuneReport(result: result, isWhole: false, columns: 200, interrupted: all).text
        }
        XCTAssert(
            text(some, of: 3840).contains(
                "\n  No advice: none of the 2 policies that were tried, of 3,840, is better than today's.\n"),
            text(some, of: 3840))
        XCTAssertFalse(text(some, of: 3840).contains("too few rebuilds"), text(some, of: 3840))
        XCTAssert(text(some, of: 2).contains("\n  Best so far. Keep today's policy: too few rebuilds waited"))
        XCTAssert(
            text(some, of: nil).contains(
                "\n  Keep today's policy: too few rebuilds waited for what the policies change.\n"))
        let better = try result(Recordings.names, [Policy(reportedEndDelay: .milliseconds(20)), .default])
        XCTAssert(
            text(better, of: 3840).contains(
                " Interrupted: 2 of 3,840 policies tried.\n\n  Best so far. Take this policy"))
        XCTAssertFalse(text(better, of: nil).contains("Best so far"))
        let sweep = try Sweep([.default, kept])
        XCTAssert(try sweep.add(Recordings.names.map { try BoundLog(LogReader(path: Recordings.log($0))) }, jobs: 2))
        let bounded = try TuneResult(sweep, today: 0, bound: TuneResult.Bound(p95Lag: .zero))
        XCTAssert(
            text(bounded, of: 3840).contains(
                "\n  None of the 2 policies that were tried, of 3,840, has a p95 lag of at most 0 s"),
            text(bounded, of: 3840))
    }

    /// What nothing in the logs waits for is not tried, which is said.
    func testPoliciesThatCannotDifferAreSkippedAndCounted() throws {
        let log = try write(
            header
                + (0..<40).map {
                    #"{"t_ns":\#($0 * 900_000_000),"scene":"a","width":\#(100 + $0 % 7),"height":9}"# + "\n"
                }
                .joined(), "quiet.jsonl")
        let tuned = try run([log])
        XCTAssert(
            tuned.output.hasPrefix(
                """
                1 log, 40 events of 1 connected scene. 3,840 policies: 32 tried, 3,808 skipped,
                which differ from one of these in nothing that the logs wait for.

                """), tuned.output)
        let values = try run([log, "--json"]).output
        XCTAssert(values.contains(#""skippedPolicies":3808,"#))
        XCTAssertEqual(values.components(separatedBy: #"{"index":"#).count, 3841)
    }
}
