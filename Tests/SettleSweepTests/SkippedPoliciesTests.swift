import CSettle
import Settle
import SettleLog
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleSweep

/// Policies that cannot differ on a sweep's logs are not decided: their counts, the front and the advice are those of a
/// sweep that decides each.
final class SkippedPoliciesTests: XCTestCase {
    /// A part of the grid, and today's policy.
    private func policies(_ base: Policy, live: Bool) throws -> [Policy] {
        let all = live ? try PolicyGrid.livePolicies(from: base) : try PolicyGrid.policies(from: base)
        var some = [base] + stride(from: 5, to: all.count, by: live ? 97 : 41).map { all[$0] }
        // Beside the grid: others decide when an interaction ends.
        some += [
            Policy(firstDelay: .seconds(1)), Policy(interactionTimeout: .milliseconds(90)),
            Policy(interactionTimeout: nil),
        ]
        some += [Policy(reportedEndDelay: .milliseconds(16), interactionTimeout: .milliseconds(90))]
        return some
    }

    /// What each policy decides, by itself.
    private func counts(_ log: BoundLog, _ policies: [Policy], _ cost: BuildCost?) throws -> [SweepCounts] {
        try policies.map { policy in
            let alone = try Sweep([policy], buildCost: cost)
            XCTAssert(try alone.add([log], jobs: 1))
            return alone[0]
        }
    }

    /// A recording, or what is left of it without flags and buttons.
    private func log(_ name: String, isStripped: Bool) throws -> BoundLog {
        let reader = try LogReader(path: Recordings.log(name))
        if isStripped { reader.dropped = [.pointer, .flags] }
        return try BoundLog(reader)
    }

    func testCountsFrontAndAdviceAreThoseWithoutTheSkip() throws {
        var skipped: Set<Int> = []
        for name in Recordings.names where name != "w06_weston_long" && name != "r02_openbox_1000hz" {
            for isStripped in [false, true] {
                for cost in [nil, BuildCost("8ms")] {
                    let (log, policies) = (
                        try log(name, isStripped: isStripped), try policies(.default, live: cost != nil)
                    )
                    let sweep = try Sweep(policies, buildCost: cost)
                    XCTAssert(try sweep.add([log], jobs: 2))
                    let expected = try counts(log, policies, cost)
                    let found = policies.indices.map { sweep[$0] }
                    XCTAssertEqual(found, expected, "\(name), stripped: \(isStripped)")
                    func points(_ counts: [SweepCounts]) throws -> [ParetoFront.Point] {
                        try zip(policies, counts).map { policy, counts in
                            ParetoFront.Point(
                                rebuilds: counts.rebuilds, lag: counts.lag(permille: 950), wasted: counts.wasted,
                                medianLag: counts.lag(permille: 500), changes: try PolicyChanges(policy, from: .default)
                            )
                        }
                    }
                    XCTAssertEqual(ParetoFront(try points(found)), ParetoFront(try points(expected)))
                    XCTAssertEqual(
                        PolicyAdvice(try points(found), today: 0, counts: found[0]),
                        PolicyAdvice(try points(expected), today: 0, counts: expected[0]))
                    skipped.insert(sweep.skipped)
                    if isStripped, cost == nil { XCTAssertGreaterThan(sweep.skipped, 10, name) }
                }
            }
        }
        XCTAssertGreaterThan(skipped.count, 3, "several kinds of logs")
    }

    /// What is skipped on each log by itself need not be on both together.
    func testSkippedAreThoseThatNoLogTellsApart() throws {
        let policies = try PolicyGrid.policies(from: .default)
        let (quiet, flagged) = (try log("w04_mutter", isStripped: true), try log("w04_mutter", isStripped: false))
        let sweep = try Sweep(policies)
        XCTAssertEqual(sweep.skipped, 0, "no log yet")
        XCTAssert(try sweep.add([quiet], jobs: 1))
        XCTAssertEqual(sweep.skipped, policies.count - 8 * 4, "quiet times, and jumps with their calm, are left")
        let alone = try Sweep(policies)
        XCTAssert(try alone.add([flagged], jobs: 1))
        XCTAssert(try sweep.add([flagged], jobs: 1))
        XCTAssertLessThan(sweep.skipped, alone.skipped)
        for index in stride(from: 0, to: policies.count, by: 501) {
            let expected =
                try counts(quiet, [policies[index]], nil)[0].rebuilds
                + counts(flagged, [policies[index]], nil)[0].rebuilds
            XCTAssertEqual(sweep[index].rebuilds, expected)
        }
    }
}
