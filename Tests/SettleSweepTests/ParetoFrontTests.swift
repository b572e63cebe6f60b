import Foundation
import TestSupport
import XCTest

@testable import SettleSweep

final class ParetoFrontTests: XCTestCase {
    private func point(
        _ rebuilds: Int, _ lag: UInt32, _ changes: Int = 0, wasted: Int = 0, median: UInt32 = 0
    ) -> ParetoFront.Point {
        ParetoFront.Point(
            rebuilds: rebuilds, lag: LagBucket(rawValue: lag), wasted: wasted, medianLag: LagBucket(rawValue: median),
            changes: PolicyChanges(rawValue: (1 << UInt32(changes)) - 1))
    }

    /// The cases of Tests/Cases/advice that are fronts; a point's changes are bits there.
    func testEachFrontIsThatOfItsCase() throws {
        var count = 0
        for pair in try CasePair.all(of: "advice") where pair.input.hasPrefix("front") {
            let points = pair.input.split(separator: " ").dropFirst().map { $0.split(separator: "/").map { Int($0) } }
            // Counts that are no Int of Swift, and bits that no policy has, are the core's alone.
            guard points.allSatisfy({ $0.allSatisfy { $0 != nil } && ($0.count < 5 || $0[4]! < 1 << 32) }) else {
                continue
            }
            let front = ParetoFront(
                points.map { figures in
                    func figure(_ index: Int) -> Int { index < figures.count ? figures[index]! : 0 }
                    return ParetoFront.Point(
                        rebuilds: figure(0), lag: LagBucket(rawValue: UInt32(figure(1))), wasted: figure(2),
                        medianLag: LagBucket(rawValue: UInt32(figure(3))),
                        changes: PolicyChanges(rawValue: UInt32(figure(4))))
                })
            let knee = front.knee.map { ["knee", "\($0)"] } ?? []
            XCTAssertEqual((front.indices.map(String.init) + knee).joined(separator: " "), pair.answer, pair.place)
            count += 1
        }
        XCTAssertGreaterThan(count, 20)
    }

    func testPointsSortAsAListOfPolicies() {
        let sorted = [
            point(4, 9, wasted: 9), point(5, 8, wasted: 8), point(5, 9, 7, wasted: 1, median: 8),
            point(5, 9, wasted: 2, median: 7), point(5, 9, 1, wasted: 2, median: 7),
        ]
        XCTAssertEqual(sorted.reversed().sorted(), sorted)
    }

    func testFiguresBeyondAllBoundsHaveAFront() {
        let points = [
            point(-1, 3), point(Int.min, 9), point(Int.max - 1, 2), point(Int.max, 1), point(Int.max, .max),
        ]
        let front = ParetoFront(points)
        XCTAssertEqual(front.indices, [0, 2, 3], "negative counts are zero")
        XCTAssertNil(ParetoFront([point(0, 9), point(Int.max - 1, 2), point(Int.max, 1)]).knee, "of no precision")
    }

    func testBucketsCompareAsLagsDoWithinTheirWidth() {
        let bucket = LagBucket(.milliseconds(100))
        XCTAssertLessThanOrEqual(bucket.shortest, .milliseconds(100))
        XCTAssertGreaterThanOrEqual(bucket.longest!, .milliseconds(100))
        XCTAssertLessThan(bucket.longest!, .milliseconds(104))
        XCTAssertEqual(LagBucket(bucket.longest!), bucket)
        XCTAssertLessThan(LagBucket(.milliseconds(95)), bucket)
        XCTAssertEqual(LagBucket(.seconds(-1)), LagBucket(.zero))
        XCTAssertNil(LagBucket(.seconds(100_000)).longest)
        XCTAssertEqual(LagBucket(.seconds(100_000)).rawValue, 1152)
    }
}
