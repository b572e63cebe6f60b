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
