import Foundation
import TestSupport
import XCTest

/// What `settle tune` advises.
final class TuneAdviceTests: TuneTestCase {
    /// The recordings without flags and buttons: what a terminal or a browser would have seen.
    private func stripped() throws -> String {
        for name in Recordings.names {
            let text = try String(contentsOfFile: Recordings.log(name), encoding: .utf8)
            let lines = text.split(separator: "\n").filter { !$0.contains(#""kind":"pointer""#) }.map {
                $0.replacingOccurrences(of: #", ?"resizing": ?(true|false)"#, with: "", options: .regularExpression)
            }
            XCTAssertFalse(lines.contains { $0.contains(#""resizing":"#) || $0.contains(#""pressed":"#) })
            try write(lines.joined(separator: "\n") + "\n", "stripped/\(name).jsonl")
        }
        return folder.file("stripped")
    }

    /// The short log of an afternoon: 31 drags with the flag, and three changes on a scene that sends none.
    private func afternoon(quiet: Int = 3) throws -> String {
        var text = header
        for number in 1...31 {
            let at = number * 5_000
            for (ms, size, flag) in [
                (0, 100 + number, "true"), (40, 200 + number, "true"), (80, 200 + number, "false"),
            ] {
                text +=
                    #"{"t_ns":\#(at + ms)000000,"scene":"a","width":\#(size),"height":9,"resizing":\#(flag)}"# + "\n"
            }
        }
        for number in 0..<quiet + 1 {
            text +=
                #"{"t_ns":\#(200_000 + 3_000 * number)000000,"scene":"b","width":\#(9 + 99 * number),"height":9}"#
                + "\n"
        }
        return try write(text, "afternoon.jsonl")
    }

    func testWithoutABoundItHasNeitherMoreRebuildsNorMoreWastedOnesThanToday() throws {
        let logs = try stripped()
        for options in [
            [], ["--quiet-delay", "120ms", "--calm-delay", "1s"], ["--policy", "uikit"],
            ["--jump-delay", "none", "--quiet-delay", "300ms"],
        ] {
            let tuned = try TuneJSON(run([logs, "--json"] + options).output)
            let (today, advised) = (tuned.policies[tuned.today], tuned.policies[try XCTUnwrap(tuned.advised)])
            XCTAssertLessThanOrEqual(advised.rebuilds, today.rebuilds, "\(options)")
            XCTAssertLessThanOrEqual(advised.wasted, today.wasted, "\(options)")
            XCTAssertNil(tuned.choice)
            if !options.isEmpty { continue }
            XCTAssertEqual([today.rebuilds, today.wasted], [263, 34])
            XCTAssertNotEqual(tuned.advised, tuned.knee, "the front's knee has twice the rebuilds")
            XCTAssertNotEqual(tuned.advised, tuned.today)
        }
    }

    func testADelayThatFewRebuildsExerciseStaysAsItIsAndThatIsSaid() throws {
        let log = try afternoon()
        for options in [[], ["--p95-lag", "10s"], ["--wasted", "99"], ["--quiet-delay", "210ms"]] {
            let result = try run([log, "--json"] + options)
            let tuned = try TuneJSON(result.output)
            let (today, advised) = (tuned.policies[tuned.today], tuned.policies[try XCTUnwrap(tuned.advised)])
            XCTAssertEqual(today.rebuilds, 35, "two first ones, thirty after an end, three quiet ones")
            for name in ["firstDelay", "releasedEndDelay", "discreteDelay", "quietDelay", "jumpDelay", "calmDelay"] {
                XCTAssertEqual(advised.policy[name], today.policy[name], "\(options) \(name)")
            }
            XCTAssertEqual(
                tuned.kept,
                [
                    "firstDelay", "releasedEndDelay", "discreteDelay", "quietDelay", "jumpDelay", "calmDelay",
                    "lockDelay", "pauseDelay", "pauseShare", "maximumWait", "interactionTimeout", "liveShare",
                    "liveLimit", "liveInterval", "livePause",
                ])
            let text = try run([log] + options).output
            XCTAssert(
                text.contains(
                    """
                        kept     releasedEndDelay, discreteDelay, quietDelay, jumpDelay, calmDelay:
                                 fewer than 30 rebuilds waited for each

                    """), text)
        }
        // Where all that was tried is kept, that is the reason.
        let (options, quiet) = (["--quiet-delay", "210ms"], try write(#"{"quietDelay":"0s"}"#, "quiet.jsonl"))
        let few = try run([log, "--policies", quiet] + options).output
        XCTAssert(
            few.contains(
                "\n  Keep today's policy: too few rebuilds waited for what the policies change.\n    today    35 rebuilds, "
            ),
            few)
        let worse = try run([log, "--policies", write(#"{"reportedEndDelay":"10s"}"#, "late.jsonl")]).output
        XCTAssert(worse.contains("\n  Keep today's policy: no other one has a better balance"), worse)
        // Nothing within a bound keeps them.
        let none = try run([
            log, "--p95-lag", "0s", "--reported-end-delay", "1s", "--policies",
            write(#"{"quietDelay":"0s","reportedEndDelay":"0s"}"#, "p.json"),
        ])
        XCTAssert(
            none.output.contains(
                """
                  No policy has a p95 lag of at most 0 s and keeps what is named below.
                    nearest  --p95-lag 1s, by --reported-end-delay 1s: 35 rebuilds,
                """), none.output)
        XCTAssert(
            none.output.contains("\n    kept     quietDelay: fewer than 30 rebuilds waited for it\n"), none.output)
        // With thirty of them they are advised about.
        let many = try json(afternoon(quiet: 30))
        XCTAssertFalse(try XCTUnwrap(many.kept).contains("quietDelay"))
    }

    func testThePriceStandsBesideTodays() throws {
        let logs = try stripped()
        let tuned = try json(logs)
        let (today, advised) = (tuned.policies[tuned.today], tuned.policies[try XCTUnwrap(tuned.advised)])
        let text = try run([logs]).output
        for (name, from, to) in [
            ("rebuilds", today.rebuilds, advised.rebuilds), ("wasted", today.wasted, advised.wasted),
        ] {
            let percent = 100 * (Double(to) / Double(from) - 1)
            let words = "\(to) \(name) instead of \(from) (-"
            let line = try XCTUnwrap(text.split(separator: "\n").first { $0.contains(words) }, text)
            let shown = try XCTUnwrap(
                line.split(separator: "(").last?.split(separator: " ").first.flatMap { Double($0) })
            XCTAssertEqual(shown, percent, accuracy: 0.5)
        }
        for lag in ["p50 lag ", "p95 lag ", "max lag "] {
            XCTAssertEqual(text.components(separatedBy: lag).count, 2, lag)
        }
        XCTAssert(text.contains("\n  Take this policy: neither more rebuilds nor more wasted ones.\n"), text)
        XCTAssert(text.contains("\n  advised  "), text)
        XCTAssert(text.contains("\n    options  --"), text)
        // The options are all that differs from the default policy, not from today's.
        let list = try write(#"{"quietDelay":"100ms"}"#, "list.jsonl")
        let other = try run([logs, "--quiet-delay", "300ms", "--wasted", "99999", "--policies", list]).output
        XCTAssert(other.contains("\n  Take this policy in place of today's: "), other)
        XCTAssert(other.contains("\n    options  --quiet-delay 100ms\n"), other)
    }
}
