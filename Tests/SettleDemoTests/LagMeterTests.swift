import Settle
import XCTest

@testable import SettleDemo

final class LagMeterTests: XCTestCase {
    private let (small, large) = (PixelSize(width: 400, height: 300), PixelSize(width: 500, height: 300))
    private var meter = LagMeter()

    /// A picture of `shown` in a place of `place` at a time in milliseconds.
    private func update(_ place: PixelSize, shown: PixelSize?, isChanged: Bool = false, at milliseconds: UInt64) {
        meter.update(
            place: place, shown: shown, isChanged: isChanged, at: Timestamp(nanoseconds: milliseconds * 1_000_000))
    }

    private func stale(at milliseconds: UInt64) -> Duration {
        meter.stale(at: Timestamp(nanoseconds: milliseconds * 1_000_000))
    }

    func testNothingIsStaleBeforeTheFirstPicture() {
        update(small, shown: nil, isChanged: true, at: 0)
        XCTAssertEqual(stale(at: 500), .zero)
        update(small, shown: small, at: 600)
        XCTAssertEqual(stale(at: 900), .zero)
        XCTAssertNil(meter.caughtUpAfter)
    }

    func testItCountsFromTheFirstDifferenceAndCatchesUpAfterTheLastChange() {
        update(small, shown: small, at: 0)
        update(large, shown: small, isChanged: true, at: 100)
        update(PixelSize(width: 450, height: 300), shown: small, isChanged: true, at: 200)
        update(large, shown: small, isChanged: true, at: 300)
        XCTAssertEqual(stale(at: 350), .milliseconds(250))
        update(large, shown: large, at: 380)
        XCTAssertEqual(stale(at: 400), .zero)
        XCTAssertEqual(meter.caughtUpAfter, .milliseconds(80))
        XCTAssertEqual(meter.longest, .milliseconds(280))
    }

    func testASizeThatComesBackIsRightAtOnce() {
        update(small, shown: small, at: 0)
        update(large, shown: small, isChanged: true, at: 100)
        update(small, shown: small, isChanged: true, at: 250)
        XCTAssertEqual(stale(at: 300), .zero)
        XCTAssertEqual(meter.caughtUpAfter, .zero)
        XCTAssertEqual(meter.longest, .milliseconds(150))
    }
}
