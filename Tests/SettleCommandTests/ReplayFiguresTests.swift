import Foundation
import SettleLog
import TestSupport
import XCTest

@testable import SettleCommand

/// The lags and wasted rebuilds of `settle replay`, and what it leaves out of a log.
final class ReplayFiguresTests: TuneTestCase {
    private struct Replayed: Decodable, Equatable {
        struct Baseline: Decodable, Equatable {
            var name: String
            var rebuilds: Int
            var wasted: Int
            var p50Lag: Int?
            var p95Lag: Int?
        }

        var events: Int
        var pointerEvents: Int
        var interactions: Int
        var span: Int
        var rebuilds: Int
        var rebuildsByReason: [String: Int]
        var wasted: Int?
        var p50Lag: Int?
        var p95Lag: Int?
        var baselines: [Baseline]

        init(_ json: String) throws {
            self = try JSONDecoder().decode(Self.self, from: Data(json.replacing("_ns\":", with: "\":").utf8))
        }
    }

    private func replay(_ arguments: String...) throws -> Replayed {
        let result = try run(arguments + ["--json"], verb: "replay")
        XCTAssertEqual(result.status, 0, result.errors)
        return try Replayed(result.output)
    }

    /// Rows and their legend: above the most events neither speaks of a throttle.
    func testALogOfTooManyEventsHasNeitherTheThrottlesRowNorItsLegend() throws {
        for (most, hasThrottle) in [(172, true), (171, false)] {
            let replay = try LogReplay(LogReader(path: w04), policy: .default)
            let figures = ReplayFigures(eventsMost: most)
            replay.observe = { figures.add($0, names: $1) }
            while try replay.readNext() { replay.submit { _, _ in } }
            replay.finish { _, _ in }
            try figures.finish(replay, policy: .default, fault: nil)
            let text = ReplayReport(
                replay: replay, cost: ReplayVerb.buildCostStandard, took: .seconds(1), isComplete: nil,
                figures: figures,
                isLive: false
            ).text
            XCTAssertEqual(text.contains("throttle"), hasThrottle, text)
            XCTAssertEqual(text.contains("more than 171 events"), !hasThrottle, text)
            for name in ["every size", "debounce"] {
                XCTAssertEqual(text.components(separatedBy: name).count, 3, "\(name): a row and a meaning in \(text)")
            }
        }
    }

    func testWhatIsLeftOutIsAsIfTheLogDidNotHaveIt() throws {
        for name in Recordings.names {
            let text = try String(contentsOfFile: Recordings.log(name), encoding: .utf8)
            let sizes = text.split(separator: "\n").filter { !$0.contains(#""kind":"pointer""#) }
            func bare(_ lines: [Substring], _ file: String) throws -> String {
                try write(
                    lines.map {
                        $0.replacingOccurrences(
                            of: #", ?"resizing": ?(true|false)"#, with: "", options: .regularExpression)
                    }.joined(separator: "\n") + "\n", file)
            }
            let noPointer = try write(sizes.joined(separator: "\n") + "\n", "sizes.jsonl")
            let noFlags = try bare(text.split(separator: "\n"), "flags.jsonl")
            let neither = try bare(sizes, "neither.jsonl")
            let log = Recordings.log(name)
            for (options, stripped) in [
                (["--no-pointer"], noPointer), (["--no-flags"], noFlags), (["--no-pointer", "--no-flags"], neither),
            ] {
                for more in [[], ["--policy", "uikit", "--start", "3s"]] {
                    let arguments = options + more
                    let decided = try run([log, "--decisions", "-"] + arguments, verb: "replay")
                    XCTAssertEqual(
                        decided.output, try run([stripped, "--decisions", "-"] + more, verb: "replay").output)
                    func figures(_ arguments: [String]) throws -> Replayed {
                        try Replayed(run(arguments + ["--json"], verb: "replay").output)
                    }
                    XCTAssertEqual(
                        try figures([log] + arguments), try figures([stripped] + more), "\(name) \(arguments)")
                }
            }
            let both = try replay(log, "--no-pointer", "--no-flags")
            XCTAssertEqual([both.interactions, both.pointerEvents], [0, 0])
            XCTAssertEqual(
                both.rebuilds, ["first", "quiet"].reduce(0) { $0 + both.rebuildsByReason[$1]! }, "\(both)")
        }
        let text = try run([w04, "--no-pointer", "--no-flags"], verb: "replay").output
        XCTAssert(text.hasPrefix("\(w04) (jsonl, wayland), without pointer and flags\n"), text)
    }

    /// What precedes a fault is counted, and what a signal cut off is not.
    func testAFaultLeavesTheFiguresOfWhatPrecedesIt() throws {
        let whole = try String(contentsOfFile: w04, encoding: .utf8).split(separator: "\n").prefix(60)
        let text = whole.joined(separator: "\n") + "\n"
        let (cut, clean) = (try write(text + "{broken", "cut.jsonl"), try write(text, "clean.jsonl"))
        let result = try run([cut, "--json"], verb: "replay")
        XCTAssertEqual(result.status, 1)
        let own = try Replayed(result.output)
        XCTAssertEqual(own, try replay(clean))
        XCTAssertNotNil(own.wasted)
    }
}
