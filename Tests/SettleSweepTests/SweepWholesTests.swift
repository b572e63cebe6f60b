import Foundation
import Settle
import SettleLog
import TestSupport
import XCTest

@testable import SettleSweep

/// What a sweep says of several logs, of a today that is not the first policy, and of reports of builds: each against what
/// it has to be by hand.
final class SweepWholesTests: XCTestCase {
    private func log(_ name: String, drops: LogSignals = []) throws -> BoundLog {
        let reader = try LogReader(path: Recordings.log(name))
        reader.dropped = drops
        return try BoundLog(reader)
    }

    private func reader(_ lines: [String]) throws -> LogReader {
        let text = ([#"{"settle":"events","version":1}"#] + lines).joined(separator: "\n") + "\n"
        return try LogReader(ByteInput(bytes: Array(text.utf8), name: "log"))
    }

    /// Where today's policy stands in the list changes nothing.
    func testTodaysPolicyMayStandAnywhere() throws {
        let grid = try PolicyGrid.policies(from: .default)
        let others =
            grid[300..<420] + [
                Policy(reportedEndDelay: .milliseconds(90), interactionTimeout: .milliseconds(90)),
                Policy(interactionTimeout: .milliseconds(90)), Policy(maximumWait: .seconds(1)),
                .fixed(.seconds(2)),
            ]
        for name in ["w04_mutter", "r01_openbox_xdotool_xterm"] {
            let logs = [try log(name), try log(name, drops: [.pointer, .flags])]
            func swept(_ policies: [Policy], first: Int) throws -> Sweep {
                let sweep = try Sweep(policies)
                sweep.first = first
                XCTAssert(try sweep.add(logs, jobs: 2))
                XCTAssertNil(sweep.partial)
                return sweep
            }
            let sweep = try swept([.default] + others, first: 0)
            let turned = try swept(others.reversed() + [.default], first: others.count)
            XCTAssertEqual(turned.skipped, sweep.skipped, name)
            XCTAssertGreaterThan(sweep.skipped, 2)
            let last = others.count
            XCTAssertEqual((0...last).map { turned[last - $0] }, (0...last).map { sweep[$0] }, name)
            for busiest in [nil, 10, 100] as [Int?] {
                func advised(_ sweep: Sweep, today: Int) throws -> (Policy?, PolicyChanges) {
                    let points = try sweep.policies.indices.map { index in
                        ParetoFront.Point(
                            builds: sweep[index], changes: try PolicyChanges(sweep.policies[index], from: .default))
                    }
                    let advice = PolicyAdvice(sweep, points, today: today, busiestMost: busiest)
                    return (advice.index.map { sweep.policies[$0] }, advice.unexercised)
                }
                let (one, other) = (try advised(sweep, today: 0), try advised(turned, today: last))
                XCTAssertEqual(other.1, one.1, name)
                if busiest == nil { XCTAssertNotNil(one.0) }
            }
        }
    }

    /// Of the policies that change only what is exercised, the one whose builds weigh least, to a few percent; of such, the
    /// one that changes least.
    func testTheLeastWeightIsFoundByHand() throws {
        for name in ["w04_mutter", "w06_weston_long", "r01_openbox_xdotool_xterm"] {
            let grid = try PolicyGrid.livePolicies(from: .default)
            let policies = [.default] + stride(from: 0, to: grid.count, by: 11).map { grid[$0] }
            let sweep = try Sweep(policies, buildCost: BuildCost("8ms"))
            XCTAssert(try sweep.add([log(name)], jobs: 2))
            let points = try policies.indices.map { index in
                ParetoFront.Point(builds: sweep[index], changes: try PolicyChanges(policies[index], from: .default))
            }
            for (index, point) in points.enumerated() {
                let (work, wrong) = (sweep[index].work, sweep[index].wrong)
                XCTAssertEqual(point.lag, LagBucket(.nanoseconds(Int64(wrong.wholeNanoseconds / 1000))))
                let bucket = LagBucket(.nanoseconds(Int64(work.wholeNanoseconds / 1000)))
                XCTAssertEqual(point.rebuilds, bucket.longest.map { Int($0.wholeNanoseconds) })
            }
            let advice = PolicyAdvice(sweep, points, today: 0)
            var best: (bucket: LagBucket, changes: Int, weight: Duration, index: Int)?
            for (index, point) in points.enumerated() where point.changes.isDisjoint(with: advice.unexercised) {
                let weight = sweep[index].weight
                let own = (
                    LagBucket(.nanoseconds(Int64(weight.wholeNanoseconds / 1000))), point.changes.count, weight, index
                )
                if best.map({ own < ($0.bucket, $0.changes, $0.weight, $0.index) }) ?? true { best = own }
            }
            XCTAssertEqual(advice.index, best?.index, name)
        }
    }

    /// What programs without an engine do is added up over all logs, however they come.
    func testHabitsAndFiguresOfSeveralLogsAreSums() throws {
        let names = ["w04_mutter", "r01_openbox_xdotool_xterm", "r02_openbox_1000hz"]
        let logs = try names.map { try log($0) }
        for cost in [nil, BuildCost("8ms")] {
            func figures(_ sweep: Sweep) -> [[Int]] {
                (Habit.allCases.map(sweep.counts(of:)) + [sweep[0]]).map { counts in
                    [counts.builds, counts.rebuilds, counts.wasted, Int(counts.work.wholeNanoseconds), counts.ends]
                } + [[sweep.events, sweep.connections, sweep.logs, sweep.baselines.fixedDebounceWasted]]
            }
            let sweep = try Sweep([.default], buildCost: cost)
            var sums: [[Int]]?
            for log in logs {
                XCTAssert(try sweep.add([log], jobs: 1))
                let alone = try Sweep([.default], buildCost: cost)
                XCTAssert(try alone.add([log], jobs: 1))
                let own = figures(alone)
                sums = sums.map { zip($0, own).map { zip($0, $1).map(+) } } ?? own
                XCTAssertEqual(figures(sweep), sums)
            }
            let atOnce = try Sweep([.default], buildCost: cost)
            XCTAssert(try atOnce.add(logs, jobs: 2))
            XCTAssertEqual(figures(atOnce), sums)
        }
    }

    /// What was tried until a stop is there only where no log was counted before; today's policy is among it.
    func testAStopLeavesWhatWasTriedAndNotBehindLogsThatWereCounted() throws {
        let logs = try ["w04_mutter", "r02_openbox_1000hz"].map { try log($0) }
        let policies = try PolicyGrid.policies(from: .default)
        let later = try Sweep(policies)
        XCTAssert(try later.add([logs[0]], jobs: 1))
        XCTAssertFalse(try later.add(logs, jobs: 1) { $0 < 0.5 })
        XCTAssertNil(later.partial)
        XCTAssertEqual(later.logs, 1)
        for first in [0, 700, policies.count - 1] {
            let sweep = try Sweep(policies)
            sweep.first = first
            XCTAssertFalse(try sweep.add([logs[1]], jobs: 1) { $0 < 0.4 })
            let partial = try XCTUnwrap(sweep.partial, "\(first)")
            XCTAssertLessThan(partial.policies.count, policies.count)
            XCTAssertEqual(partial.policies[partial.first], policies[first])
            XCTAssertEqual(partial.policies[0], policies[0])
            let alone = try Sweep([policies[first]])
            XCTAssert(try alone.add([logs[1]], jobs: 1))
            XCTAssertEqual(partial[partial.first], alone[0])
        }
    }

    func testTheProgressIsThatOfAllSteps() throws {
        let logs = try (0..<5).map { _ in try log("w04_mutter") }
        let sweep = try Sweep([.default, .uikit])
        sweep.stepWork = 1
        var parts: [Double] = []
        XCTAssert(
            try sweep.add(logs, jobs: 1) {
                parts.append($0)
                return true
            })
        XCTAssertEqual(Set(parts.map { Int(($0 * 5).rounded(.down)) }).sorted(), [0, 1, 2, 3, 4, 5])
    }

    private func report(_ scene: String, at nanoseconds: Int, cost: Int) -> String {
        #"{"t_ns":\#(nanoseconds),"scene":"\#(scene)","kind":"finished","generation":1,"cost_ns":\#(cost)}"#
    }

    private func size(_ scene: String, at nanoseconds: Int, _ side: Int) -> String {
        #"{"t_ns":\#(nanoseconds),"scene":"\#(scene)","width":\#(side),"height":\#(side)}"#
    }

    private func cost(_ lines: [String]) throws -> String? {
        var reports = BuildReports()
        reports.add(try reader(lines))
        return reports.cost.map { "\($0)" }
    }

    /// A build has the size that its scene had as it began: of several the latest one before, else the first.
    func testTheCostOfReportedBuilds() throws {
        // 1 ms and 10 ns for each pixel.
        let (small, large) = (1_100_000, 1_400_000)
        var lines: [String] = []
        for scene in ["a", "b", "c"] {
            lines += [
                size(scene, at: 3_000_000, 100), size(scene, at: 3_100_000, 200),
                // Began before there was a size, before the second one, and behind it.
                report(scene, at: 3_200_000, cost: small), report(scene, at: 4_150_000, cost: small),
                report(scene, at: 9_000_000, cost: large), report(scene, at: 9_000_000, cost: large),
                size(scene, at: 9_100_000, 300),
            ]
        }
        XCTAssertEqual(try cost(lines), "1ms+10ns/px")
        let early = ["a", "b"].flatMap { scene in
            [
                size(scene, at: 3_000_000, 100), size(scene, at: 3_100_000, 200),
                report(scene, at: 3_200_000, cost: small), report(scene, at: 9_000_000, cost: large),
            ]
        }
        XCTAssertEqual(try cost(early), "1ms+10ns/px")
        // Of many sizes the latest ones are known.
        let many = (0..<8191).map { size("m", at: 10_000_000 + $0, $0 == 8190 ? 200 : 100) }
        let behind = [size("m", at: 11_000_000, 200)] + (0..<3).map { _ in report("m", at: 14_000_000, cost: large) }
        XCTAssertEqual(
            try cost(
                many + behind + [size("n", at: 1, 100)] + (0..<3).map { _ in report("n", at: 20_000_000, cost: small) }),
            "1ms+10ns/px")
        // A few nanoseconds are known to the nanosecond, more to the microsecond.
        XCTAssertEqual(try cost([report("x", at: 90_000, cost: 12_345)]), "12.345us")
        XCTAssertEqual(try cost([report("x", at: 900_000, cost: 123_456)]), "123us")
        XCTAssertNil(try cost([size("x", at: 1, 100)]))
        // Where large builds cost more than in proportion there is no fixed part; a build of no size says nothing of pixels.
        let steep =
            [report("none", at: 1_000_000, cost: 1_000_000), size("s", at: 1, 100), size("l", at: 1, 200)]
            + [1_000_000, 1_100_000, 1_200_000, 1_300_000].map { report("s", at: 20_000_000, cost: $0) }
            + [10_000_000, 10_040_000].map { report("l", at: 20_000_000, cost: $0) }
        XCTAssertEqual(try cost(steep), "120ns/px")
    }

    /// Events behind the last that fits are known to be missing, whichever they are.
    func testASessionThatIsCutHasNoRecords() throws {
        let scene = SceneID(rawValue: 5)
        let cuts: [Event] = [
            .geometry(scene, at: .zero, size: Size(width: 2, height: 1)), .disconnect(scene, at: .zero),
            .pointer(button: 1, at: .zero, isPressed: true),
            .finished(scene, at: .zero, generation: 1, cost: .zero),
        ]
        for cut in cuts {
            var session = try SessionSums(policies: [.default], eventsMax: 1)
            XCTAssertTrue(session.add(.geometry(scene, at: .zero, size: Size(width: 1, height: 1))))
            XCTAssertTrue(session.add(.flush(scene, at: .zero)))
            XCTAssertEqual(session.records().count, 1)
            XCTAssertFalse(session.add(cut))
            XCTAssertEqual(session.records(), [], "\(cut)")
        }
    }

    /// A window's time is known, also of what precedes a fault.
    func testAWindowHasATimeUpToAFault() throws {
        let lines = [size("a", at: 1_000, 9), size("a", at: 5_000, 8), "{broken", size("a", at: 9_000, 7)]
        let log = try BoundLog(reader(lines), window: ReplayWindow(duration: .seconds(1)))
        XCTAssertNotNil(log.fault)
        XCTAssertEqual(log.events, 2)
        XCTAssertEqual(log.span, .nanoseconds(4_000))
    }

    func testABusyHalfSecondOfOneConnectionCounts() throws {
        let lines = (1...10).map { size("a", at: $0 * 20_000_000, 100 + $0) }
        let sweep = try Sweep([.default], buildCost: BuildCost("8ms"))
        XCTAssert(try sweep.add([BoundLog(reader(lines))], jobs: 1))
        XCTAssertEqual(sweep.counts(of: .everySize).busiest, 16)
    }
}
