import Foundation
import Settle
import SettleLog
import TestSupport
import XCTest

@testable import SettleSweep

/// What a build costs, and how that is found out.
final class BuildCostTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    func testATextIsACostAndACostIsThatText() throws {
        let size = Size(width: 200, height: 100)
        for (text, fixed, perPixel, shown) in [
            ("8ms", 8_000_000, 0, "8ms"), ("3ns/px", 0, 3, "3ns/px"), ("2ms+3ns/px", 2_000_000, 3, "2ms+3ns/px"),
            ("3ns/px + 2ms", 2_000_000, 3, "2ms+3ns/px"), (" 1.5s ", 1_500_000_000, 0, "1.5s"),
            ("0.25us/px", 0, 250, "250ns/px"), (".5ns/px+1µs", 1_000, 0.5, "1us+0.5ns/px"),
            ("0s+0.000001ns/px", 0, 0.000_001, "0.000001ns/px"), ("3600s", 3_600_000_000_000, 0, "3600s"),
        ] as [(String, Int, Double, String)] {
            let cost = try XCTUnwrap(BuildCost(text), text)
            XCTAssertEqual(cost.fixed, .nanoseconds(fixed), text)
            XCTAssertEqual(cost.nanosecondsPerPixel, perPixel, text)
            XCTAssertEqual("\(cost)", shown)
            XCTAssertEqual(BuildCost("\(cost)"), cost)
            let expected = min(Double(fixed) + perPixel * 20_000, 3.6e12)
            XCTAssertEqual(cost.duration(of: size), .nanoseconds(Int(expected)), text)
            XCTAssertNil(cost.slowEvery)
            let slow = try XCTUnwrap(BuildCost("slow/20+" + text), text)
            XCTAssertEqual(
                slow, BuildCost(fixed: cost.fixed, nanosecondsPerPixel: cost.nanosecondsPerPixel, slowEvery: 20))
            XCTAssertEqual("\(slow)", shown + "+slow/20")
            XCTAssertEqual(BuildCost("\(slow)"), slow)
        }
    }

    func testWhatIsNoCostIsRefused() {
        for text in [
            "", " ", "+", "8", "ms", "8ms+", "+8ms", "8ms+8ms", "3ns/px+3ns/px", "-8ms", "8ms+-3ns/px", "nan", "inf ms",
            "1e3ms", "0", "0ms", "0ms+0ns/px", "3/px", "ns/px", "8.ms", "1.2.3ms", "3601s", "2h", "8 ms", "8ms/px/px",
            "slow/20", "8ms+slow/0", "8ms+slow/", "8ms+slow", "8ms+slow/1000001", "8ms+slow/2+slow/3", "8ms+slow/+5",
            "8ms+slow/5ms", "8ms+slow/٣", "0ms+slow/5", "0x8ms", "٣ms", "8ms 3ns/px", "0.0000001ns/px",
        ] {
            XCTAssertNil(BuildCost(text), "'\(text)'")
        }
        XCTAssertEqual(BuildCost(fixed: .seconds(-1), nanosecondsPerPixel: -.infinity), BuildCost(fixed: .zero))
        XCTAssertEqual(BuildCost(fixed: .seconds(4000)).fixed, BuildCost.longest)
        XCTAssertEqual(BuildCost(fixed: .zero, nanosecondsPerPixel: .nan).nanosecondsPerPixel, 0)
    }

    // MARK: The cost that fits reports

    /// A log of builds that begin when a scene has a size; some scenes change meanwhile.
    private func reports(_ builds: [(width: Int, cost: Int)], changesMeanwhile: Bool = false) throws -> BuildReports {
        var text = #"{"settle":"events","version":1}"# + "\n"
        var now = 0
        for (number, build) in builds.enumerated() {
            now += 1_000_000_000
            text += #"{"t_ns":\#(now),"scene":"a","width":\#(build.width),"height":100}"# + "\n"
            if changesMeanwhile {
                text += #"{"t_ns":\#(now + 1),"scene":"a","width":\#(build.width + 5000),"height":100}"# + "\n"
            }
            let at = now + build.cost
            text +=
                #"{"t_ns":\#(at),"scene":"a","kind":"finished","generation":\#(number + 1),"cost_ns":\#(build.cost)}"#
                + "\n"
        }
        let path = folder.file("reports.jsonl")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        var reports = BuildReports()
        reports.add(try LogReader(path: path))
        XCTAssertEqual(reports.count, builds.count)
        return reports
    }

    func testALineThroughTheReportsIsFound() throws {
        let widths = [100, 900, 400, 700, 200, 1_000, 350]
        let exact = widths.map { ($0, 2_000_000 + 3 * $0 * 100) }
        for changes in [false, true] {
            let fitted = try reports(exact, changesMeanwhile: changes)
            XCTAssertEqual(fitted.cost, BuildCost("2ms+3ns/px"), "the size is that of the build's begin")
        }
        // One build in four is much slower.
        let slow = (0..<40).map { number in
            let width = widths[number % 7]
            return (width, 2_000_000 + 3 * width * 100 + (number % 4 == 3 ? 400_000_000 : 0))
        }
        let fitted = try XCTUnwrap(try reports(slow).cost)
        XCTAssertEqual(fitted.nanosecondsPerPixel, 3, accuracy: 0.5)
        XCTAssertLessThan(fitted.fixed, .milliseconds(3))
    }

    func testWithoutDifferentSizesItIsTheMedian() throws {
        XCTAssertEqual(try reports([(300, 9_000_000), (300, 8_000_000), (300, 70_000_000)]).cost, BuildCost("9ms"))
        XCTAssertEqual(try reports([(300, 5_000)]).cost, BuildCost("5us"))
        // Larger ones are not cheaper, and nothing is cheaper than nothing.
        XCTAssertEqual(try reports([(100, 9_000_000), (900, 8_000_000)]).cost, BuildCost("8ms"))
        XCTAssertEqual(try reports([(100, 100_000), (200, 900_000)]).cost, BuildCost("10ns/px"))
        XCTAssertNil(try reports([]).cost)
        XCTAssertNil(try reports([(100, 0), (900, 0)]).cost)
    }

    // MARK: Sweeps

    private func logs() throws -> [BoundLog] {
        try Recordings.names.map { try BoundLog(LogReader(path: Recordings.log($0))) }
    }

    /// Of a hand that rests for 400 ms before every other end, for which a debounce has built.
    func testTheCrossingLiesBetweenThePlayedCosts() throws {
        var text = #"{"settle":"events","version":1}"# + "\n"
        text += #"{"t_ns":0,"scene":"a","width":400,"height":300}"# + "\n"
        for drag in 1...20 {
            let begin = drag * 4_000
            for (ms, more) in [
                (0, #","resizing":true"#), (50, ""), (drag % 2 == 0 ? 450 : 51, #","resizing":false"#),
            ] {
                let width = 400 + 10 * drag + min(ms, 50)
                text += #"{"t_ns":\#(begin + ms)000000,"scene":"a","width":\#(width),"height":300\#(more)}"# + "\n"
            }
        }
        let path = folder.file("hand.jsonl")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let logs = [try BoundLog(LogReader(path: path))]
        for slow in [nil, 2] as [Int?] {
            func isLater(_ cost: Int) throws -> Bool {
                let sweep = try Sweep([.default], buildCost: BuildCost(fixed: .milliseconds(cost), slowEvery: slow))
                XCTAssert(try sweep.add(logs, jobs: 2))
                return sweep[0].rightAfterMean > sweep.counts(of: .debounce).rightAfterMean
            }
            let crossing = try DebounceCrossing(.default, slowEvery: slow)
            XCTAssert(try crossing.add(logs, jobs: 2))
            guard case .from(let cost) = crossing.cost else { return XCTFail("\(crossing.cost)") }
            let played = DebounceCrossing.milliseconds
            let above = try XCTUnwrap(played.first { .milliseconds($0) >= cost })
            XCTAssertTrue(try isLater(above), "\(above) ms, slow \(slow ?? 0)")
            if let below = played.last(where: { .milliseconds($0) < cost }) {
                XCTAssertFalse(try isLater(below), "\(below) ms, slow \(slow ?? 0)")
            }
        }
    }

    private static let policies: [Policy] = [
        .default, .uikit, .live, Policy(liveSharePercent: 75, liveLimit: nil),
        Policy(liveSharePercent: 100, liveLimit: nil, liveInterval: .zero),
    ]

    func testBuildsAreTheSameForAnyNumberOfThreadsAndAnyOrder() throws {
        let logs = try logs()
        let policies = try PolicyGrid.livePolicies(from: .default).prefix(70) + Self.policies
        func counts(_ logs: [BoundLog], jobs: Int, step: Int = 1 << 27) throws -> [SweepCounts] {
            let sweep = try Sweep(Array(policies), buildCost: BuildCost("4ms+5ns/px"))
            sweep.stepWork = step
            XCTAssert(try sweep.add(logs, jobs: jobs))
            return policies.indices.map { sweep[$0] } + Habit.allCases.map(sweep.counts(of:))
        }
        let expected = try counts(logs, jobs: 1)
        XCTAssertEqual(try counts(logs.reversed(), jobs: 3), expected)
        XCTAssertEqual(try counts(logs, jobs: 2, step: 1), expected)
        XCTAssertGreaterThan(Set(expected.map(\.wrong)).count, 10, "policies differ")
        XCTAssertNotEqual(try counts(Array(logs.dropLast()), jobs: 2), expected)
    }

    func testTheAdviceIsTheShortestWrongTimeWithinTheBoundOrTheLeastWeight() throws {
        let sweep = try Sweep(PolicyGrid.livePolicies(from: .default), buildCost: BuildCost("8ms"))
        XCTAssert(try sweep.add([try BoundLog(LogReader(path: Recordings.log("w04_mutter")))], jobs: 2))
        let today = try XCTUnwrap(sweep.policies.firstIndex(of: .default))
        let points = try sweep.policies.indices.map { index in
            ParetoFront.Point(
                builds: sweep[index], changes: try PolicyChanges(sweep.policies[index], from: sweep.policies[today]))
        }
        for bound in [nil, 3, 10, 30, 100] {
            let advice = PolicyAdvice(sweep, points, today: today, busiestMost: bound)
            let may = points.indices.filter { points[$0].changes.isDisjoint(with: advice.unexercised) }
            if let bound {
                let within = may.map { points[$0] }.filter { $0.wasted <= bound }
                XCTAssertEqual(advice.index.map { points[$0].lag }, within.map(\.lag).min(), "\(bound)")
            } else {
                func weight(_ index: Int) -> Duration { sweep[index].wrong + sweep[index].work / 3 + waits(index) }
                func waits(_ index: Int) -> Duration { sweep[index].rightAfterMean * (2 * sweep[index].ends) }
                let least = may.map(weight).min()!
                XCTAssertLessThanOrEqual(weight(try XCTUnwrap(advice.index)), least * 1.033)
            }
            XCTAssertFalse(advice.unexercised.names.contains("liveShare"))
            if bound == 30 { XCTAssertNotNil(sweep.policies[try XCTUnwrap(advice.index)].liveSharePercent) }
        }
        // A scene with few sizes says nothing about live builds.
        let few = try Sweep([.default, .live], buildCost: BuildCost("8ms"))
        let advice = PolicyAdvice(few, [points[today], points[today]], today: 0, busiestMost: 100)
        XCTAssert(advice.unexercised.names.contains("liveShare"))
    }

    func testTheLiveGridHasItsBase() throws {
        for base in [
            .default, .prepared, .live, Policy(liveSharePercent: 33, liveLimit: .milliseconds(5)),
            Policy(liveLimit: nil), Policy(pauseDelay: .milliseconds(70)),
            Policy(pauseDelay: .milliseconds(70), liveSharePercent: 33, liveLimit: nil),
            Policy(pauseDelay: .milliseconds(70), pauseSharePercent: 40, liveSharePercent: 33, livePause: .zero),
        ] {
            let policies = try PolicyGrid.livePolicies(from: base)
            XCTAssertEqual(policies.count, PolicyGrid.liveCount)
            XCTAssertLessThan(policies.count, Sweep.policiesMax)
            XCTAssertEqual(Set(policies).count, policies.count)
            XCTAssert(policies.contains(base), "\(base)")
        }
        XCTAssertThrowsError(try PolicyGrid.livePolicies(from: Policy(liveSharePercent: 101)))
    }
}
