import Settle
import XCTest

final class NanosecondsTests: XCTestCase {
    func testADurationIsCountedInWholeNanosecondsWithinTheRangeOfTimes() {
        XCTAssertEqual(Duration.milliseconds(1_500).wholeNanoseconds, 1_500_000_000)
        XCTAssertEqual(Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999).wholeNanoseconds, 1)
        XCTAssertEqual(Duration.nanoseconds(-1).wholeNanoseconds, 0)
        XCTAssertEqual(Duration.seconds(Int64.max).wholeNanoseconds, Timestamp.latest.nanoseconds)
    }

    func testALengthBeyondWholeNumbersIsToldToo() {
        XCTAssertEqual(Size(width: 1e30, height: 500).description, "1e+30×500")
    }

    func testALaterTimeIsAtMostTheLatest() {
        XCTAssertEqual(Timestamp(nanoseconds: 5).after(7), Timestamp(nanoseconds: 12))
        XCTAssertEqual(Timestamp(nanoseconds: 5).after(Timestamp.latest.nanoseconds), .latest)
        XCTAssertEqual(Timestamp.latest.after(.max), .latest)
    }
}
