import Settle
import SettleClock
import SettlePlatform
import XCTest

@testable import SettleDemo

/// The parts of the demo that are no Settle: their threads end with the process.
final class OtherPartsTests: XCTestCase {
    private let (small, large) = (PixelSize(width: 40, height: 30), PixelSize(width: 60, height: 30))

    private func makePart() throws -> (part: Part, shown: EventDescriptor) {
        let shown = try EventDescriptor()
        return (Part(JuliaPicture(cost: .microseconds(1), oneSample: .microseconds(1)), changed: shown), shown)
    }

    private func wait(for shown: EventDescriptor) {
        XCTAssertTrue(waitUntilReadable(shown.number, nanoseconds: 10_000_000_000), "no picture in ten seconds")
        _ = shown.drain()
    }

    func testADebounceWaitsFromTheLastChange() throws {
        let (part, shown) = try makePart()
        let debounce = try DebouncePart(part)
        let now = MonotonicClock.now
        debounce.sizeChanged(to: small, at: now.after(3_600_000_000_000))
        XCTAssertTrue(part.state.isWaiting)
        debounce.sizeChanged(to: large, at: now)
        wait(for: shown)
        XCTAssertGreaterThanOrEqual(now.duration(to: MonotonicClock.now), DebouncePart.delay)
        XCTAssertEqual(part.state.shown?.size, large)
        XCTAssertEqual(part.state.builds, 1)
        XCTAssertFalse(part.state.isWaiting)
    }

    func testEverySizeIsBuiltOnceAFrame() throws {
        let (part, shown) = try makePart()
        let everySize = try EverySizePart(part)
        for (builds, size) in [small, large, small].enumerated() {
            let before = MonotonicClock.now
            everySize.sizeChanged(to: size)
            wait(for: shown)
            XCTAssertEqual(part.state.shown?.size, size)
            XCTAssertEqual(part.state.builds, builds + 1)
            XCTAssertFalse(part.state.isWaiting)
            // The build before began after its own size, a frame ago at least.
            if builds > 0 { XCTAssertGreaterThanOrEqual(last.duration(to: MonotonicClock.now), EverySizePart.frame) }
            last = before
        }
    }

    private var last = Timestamp.zero
}
