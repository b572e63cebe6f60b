import Settle
import XCTest

final class NanosecondsTests: XCTestCase {
    func testADurationIsCountedInWholeNanosecondsWithinTheRangeOfTimes() {
        XCTAssertEqual(Duration.milliseconds(1_500).wholeNanoseconds, 1_500_000_000)
        XCTAssertEqual(Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999).wholeNanoseconds, 1)
        XCTAssertEqual(Duration.nanoseconds(-1).wholeNanoseconds, 0)
        XCTAssertEqual(Duration.seconds(Int64.max).wholeNanoseconds, Timestamp.latest.nanoseconds)
    }

    /// `Duration.components` stops the program for these.
    func testTheLongestDurationsSaturate() throws {
        let longest = Duration(_high: .max, low: .max)
        let shortest = Duration(_high: .min, low: 0)
        XCTAssertEqual(longest.wholeNanoseconds, Timestamp.latest.nanoseconds)
        XCTAssertEqual(shortest.wholeNanoseconds, 0)
        let time = Timestamp(nanoseconds: 7)
        XCTAssertEqual(time + longest, .latest)
        XCTAssertEqual(time + shortest, .zero)
        XCTAssertEqual(time - longest, .zero)
        XCTAssertEqual(time - shortest, .latest)
        XCTAssertEqual(
            Policy.fixed(shortest).description.prefix(56),
            "firstDelay -9223372036.854775807 s, reportedEndDelay -92")
        XCTAssertTrue(Policy(maximumWait: longest).description.contains(", maximumWait 9223372036.854775807 s, "))
    }

    func testNanosecondsAreExactUpToTheLatestTime() {
        let most = Timestamp.latest.nanoseconds
        XCTAssertEqual(Duration.nanoseconds(Int64.max).wholeNanoseconds, most)
        XCTAssertEqual(Duration.nanoseconds(Int64.max - 1).wholeNanoseconds, most - 1)
        XCTAssertEqual(Timestamp.latest - .nanoseconds(Int64.max - 1), Timestamp(nanoseconds: 1))
        XCTAssertEqual(Timestamp.latest + .nanoseconds(-Int64.max + 1), Timestamp(nanoseconds: 1))
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
