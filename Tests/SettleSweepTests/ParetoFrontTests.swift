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

    /// The definition, in steps that grow with the square of the policies.
    private func naiveFront(_ points: [ParetoFront.Point]) -> [Int] {
        let kept = points.indices.filter { index in
            let own = points[index]
            return points.indices.allSatisfy { other in
                let theirs = points[other]
                let isBetter =
                    theirs.rebuilds <= own.rebuilds && theirs.lag <= own.lag
                    && (theirs.rebuilds < own.rebuilds || theirs.lag < own.lag)
                let isSame = theirs.rebuilds == own.rebuilds && theirs.lag == own.lag
                let isPreferred =
                    isSame
                    && [theirs.wasted, Int(theirs.medianLag.rawValue), theirs.changes.count, other]
                        .lexicographicallyPrecedes(
                            [own.wasted, Int(own.medianLag.rawValue), own.changes.count, index])
                return !isBetter && !isPreferred
            }
        }
        return kept.sorted { points[$0].rebuilds < points[$1].rebuilds }
    }

    func testRandomFrontsAreThoseOfTheDefinition() {
        var random = SplitMix64(seed: 7)
        var sizes: Set<Int> = []
        for round in 0..<400 {
            let (rebuilds, lags) = (Int.random(in: 1...60, using: &random), UInt32.random(in: 1...60, using: &random))
            let points = (0..<Int.random(in: 1...80, using: &random)).map { _ in
                point(
                    Int.random(in: 0..<rebuilds, using: &random), UInt32.random(in: 0..<lags, using: &random),
                    Int.random(in: 0...2, using: &random), wasted: Int.random(in: 0...2, using: &random),
                    median: UInt32.random(in: 0...2, using: &random))
            }
            let front = ParetoFront(points)
            XCTAssertEqual(front.indices, naiveFront(points), "round \(round)")
            sizes.insert(front.indices.count)
            // The comparison finds a policy too many and one too few.
            XCTAssertNotEqual(front.indices + [0], naiveFront(points))
            XCTAssertNotEqual(Array(front.indices.dropLast()), naiveFront(points))
        }
        XCTAssertGreaterThan(sizes.count, 5, "fronts of several sizes")
    }

    func testOfEqualFiguresTheFewestWastedThenTheShortestMedianAreKept() {
        XCTAssertEqual(ParetoFront([point(5, 9, wasted: 2), point(5, 9, 7, wasted: 1, median: 8)]).indices, [1])
        XCTAssertEqual(ParetoFront([point(5, 9, wasted: 1, median: 3), point(5, 9, 7, wasted: 1)]).indices, [1])
        XCTAssertEqual(ParetoFront([point(5, 9, 2, median: 3), point(5, 9, 1, median: 3)]).indices, [1])
        XCTAssertEqual(ParetoFront([point(5, 9, 1), point(5, 8, 3, wasted: 5, median: 7)]).indices, [1])
        let sorted = [
            point(4, 9, wasted: 9), point(5, 8, wasted: 8), point(5, 9, 7, wasted: 1, median: 8),
            point(5, 9, wasted: 2, median: 7), point(5, 9, 1, wasted: 2, median: 7),
        ]
        XCTAssertEqual(sorted.reversed().sorted(), sorted, "the order of a list of policies")
    }

    func testOfEqualFiguresTheFewestChangesAndThenTheFirstAreKept() {
        XCTAssertEqual(ParetoFront([point(5, 9, 2), point(5, 9, 1), point(5, 9, 1)]).indices, [1])
        XCTAssertEqual(ParetoFront([point(5, 9), point(5, 9)]).indices, [0])
        XCTAssertEqual(ParetoFront([point(5, 9), point(5, 8, 3)]).indices, [1], "less lag is worth every change")
        XCTAssertEqual(ParetoFront([]).indices, [])
    }

    /// Buckets of lags of so many milliseconds.
    private func front(_ figures: [(rebuilds: Int, milliseconds: Int)]) -> ParetoFront {
        ParetoFront(
            figures.map { .init(rebuilds: $0.rebuilds, lag: LagBucket(.milliseconds($0.milliseconds))) })
    }

    func testTheKneeIsFarthestBelowTheLineOfTheEnds() {
        let ends = [(rebuilds: 100, milliseconds: 1000), (rebuilds: 1000, milliseconds: 0)]
        XCTAssertEqual(front(ends + [(120, 5)]).knee, 2)
        XCTAssertEqual(front(ends + [(120, 5), (110, 300), (500, 2)]).knee, 2)
        XCTAssertEqual(front(ends + [(540, 500)]).knee, 2, "just below the line")
        XCTAssertNil(front(ends + [(700, 500)]).knee, "above the line")
        // Figures count as they are: most of the lag is gone at 42, whatever the ratios of the small lags.
        XCTAssertEqual(front([(34, 1000), (42, 50), (46, 16), (47, 8), (50, 0)]).knee, 1)
        XCTAssertNil(ParetoFront([point(0, 30), point(1, 20), point(2, 10), point(3, 0)]).knee, "on the line")
        XCTAssertEqual(ParetoFront([point(0, 30), point(1, 20), point(2, 9), point(3, 0)]).knee, 2)
        XCTAssertNil(front(ends).knee, "two ends are no bend")
        XCTAssertNil(front([ends[0]]).knee)
        XCTAssertNil(front([]).knee)
        // The end is on the front by its rebuilds, although its lag is almost that of the next.
        XCTAssertEqual(front([(100, 1000), (101, 100), (102, 10), (1000, 1)]).knee, 2)
    }

    /// The documented formula, in other words.
    func testKneesOfRandomFrontsAreThoseOfTheFormula() throws {
        var random = SplitMix64(seed: 11)
        var knees = 0
        for _ in 0..<300 {
            var (rebuilds, lag) = (random.below(50), UInt32(700 + random.below(300)))
            var points: [ParetoFront.Point] = []
            for _ in 0..<random.below(12) {
                points.append(point(rebuilds, lag))
                rebuilds += 1 + random.below(rebuilds + 3)
                lag -= 1 + UInt32(random.below(50))
            }
            let front = ParetoFront(points)
            XCTAssertEqual(front.indices, Array(points.indices))
            guard let first = points.first, let last = points.last, points.count > 2 else {
                XCTAssertNil(front.knee)
                continue
            }
            func x(_ point: ParetoFront.Point) -> Double { Double(point.rebuilds) / Double(last.rebuilds) }
            func y(_ point: ParetoFront.Point) -> Double {
                Double(nanoseconds(point.lag)) / Double(nanoseconds(first.lag))
            }
            // Twice the area of the triangle with the ends, positive below their line.
            func area(_ point: ParetoFront.Point) -> Double {
                (x(last) - x(first)) * (y(first) - y(point)) - (x(point) - x(first)) * (y(first) - y(last))
            }
            let farthest = points.indices.max { area(points[$0]) < area(points[$1]) }!
            XCTAssertEqual(front.knee, area(points[farthest]) > 1e-6 ? farthest : nil)
            knees += front.knee == nil ? 0 : 1
        }
        XCTAssertGreaterThan(knees, 100)
    }

    private func nanoseconds(_ lag: LagBucket) -> Int64 {
        lag.longest!.components.attoseconds / 1_000_000_000
            + lag.longest!.components.seconds * 1_000_000_000
    }

    func testOfTwoKneesTheOneWithFewerRebuildsIsTaken() {
        XCTAssertEqual(ParetoFront([point(0, 30), point(2, 5), point(1, 10), point(6, 0)]).knee, 2, "as far")
        XCTAssertEqual(ParetoFront([point(0, 30), point(2, 4), point(1, 10), point(6, 0)]).knee, 1, "farther")
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
