import Settle
import SettlePlatform
import XCTest

@testable import SettleSources

final class HeldScreenTests: XCTestCase {
    private static let own = WindowSize(rows: 6, columns: 20)
    private static let small = WindowSize(rows: 3, columns: 8)
    private var output: [UInt8] = []
    private var screen = HeldScreen(own)

    /// Skips the test where there is no libvterm: then everything passes.
    override func setUpWithError() throws {
        output = []
        screen = HeldScreen(Self.own)
        write("\u{1B}[?1049h\u{1B}[2J")
        screen.update(program: Self.own, window: Self.small, into: &output)
        try XCTSkipIf(taken() == "\u{1B}[?1049h\u{1B}[2J", "libvterm is not installed")
        screen.update(program: Self.own, window: Self.own, into: &output)
        _ = taken()
    }

    private func write(_ text: String) {
        Array(text.utf8).withUnsafeBytes { screen.read($0, into: &output) }
    }

    /// What has gone to the terminal since.
    private func taken() -> String {
        defer { output = [] }
        return String(decoding: output, as: UTF8.self)
    }

    private func hold() {
        screen.update(program: Self.own, window: Self.small, into: &output)
    }

    /// What is painted when time has passed.
    private func painted() -> String {
        screen.passTime(at: MonotonicClock.now + .seconds(1), isSilent: true, into: &output)
        return taken()
    }

    func testBytesPassUnchangedWhileTheSizesAgree() {
        let text = "\u{1B}[?2048h\u{1B}]0;title\u{7}a\u{1B}[31mé\u{1B}[K\u{1B}Pq#0\u{1B}\\\u{18}"
        for end in 0...text.utf8.count {
            let bytes = Array(text.utf8)
            for part in [bytes[..<end], bytes[end...]] { part.withUnsafeBytes { screen.read($0, into: &output) } }
            XCTAssertEqual(taken(), text)
        }
    }

    func testAScreenOfAnotherSizeIsCut() {
        write("\u{1B}[1;1Hfirst row is long\u{1B}[3;1Hthird\u{1B}[6;1Hlast row\u{1B}[1;1H")
        _ = taken()
        hold()
        let cut = taken()
        XCTAssertTrue(cut.contains("first ro"), cut)
        XCTAssertTrue(cut.contains("third"), cut)
        for hidden in ["first row", "last"] { XCTAssertFalse(cut.contains(hidden), cut) }
        // The cursor's row is shown.
        write("\u{1B}[6;2H")
        XCTAssertTrue(painted().contains("last row"))
    }

    func testWhatDrawsIsPaintedAndTheRestPasses() {
        hold()
        _ = taken()
        for passing in [
            "\u{7}", "\u{1B}]0;title\u{7}", "\u{1B}]52;c;YQ==\u{1B}\\", "\u{1B}[?1002h", "\u{1B}[>1u", "\u{1B}[c",
            "\u{1B}=",
            "\u{1B}P+q544e\u{1B}\\", "\u{1B}[2 q", "\u{1B}[?2004;1h", "\u{1B}[?2026$p", "\u{1B}[18t",
        ] {
            write(passing)
            XCTAssertEqual(taken(), passing)
        }
        for drawing in [
            "text\r\n", "\u{1B}[2K", "\u{1B}[5;5H", "\u{1B}[?25l", "\u{1B}(0", "\u{1B}[?2026h", "\u{1B}Pq#0~\u{1B}\\",
        ] {
            write(drawing)
            XCTAssertEqual(taken(), "")
        }
        write("\u{1B}[?25;1000;7h")
        XCTAssertEqual(taken(), "\u{1B}[?1000h")
    }

    func testTheModelAnswersWhereTheCursorIs() {
        write("\u{1B}[5;17H")
        hold()
        _ = taken()
        write("\u{1B}[6n")
        XCTAssertEqual(String(decoding: screen.answers, as: UTF8.self), "\u{1B}[5;17R")
        XCTAssertEqual(taken(), "")
    }

    func testTheProgramsStateIsSetInTheEnd() {
        hold()
        write("\u{1B}[?7l\u{1B}[2;4r\u{1B}(0\u{1B}[1;31m\u{1B}[?25l\u{1B}[4;9H")
        _ = painted()
        screen.update(program: Self.own, window: Self.own, into: &output)
        let end = taken()
        for state in ["\u{1B}[?7l", "\u{1B}[2;4r", "\u{1B}(0", "\u{1B}[0;1;31m", "\u{1B}[4;9H"] {
            XCTAssertTrue(end.contains(state), "\(state.debugDescription) in \(end.debugDescription)")
        }
        XCTAssertTrue(end.hasSuffix("\u{1B}[?25l"))
        write("bytes")
        XCTAssertEqual(taken(), "bytes")
    }

    func testASequenceThatIsUnderWayPassesWhole() {
        write("\u{1B}]0;ti")
        hold()
        XCTAssertEqual(taken(), "\u{1B}]0;ti")
        write("tle\u{7}text")
        let next = taken()
        XCTAssertTrue(next.hasPrefix("tle\u{7}\u{1B}["), next)
        XCTAssertTrue(painted().contains("text"))
    }

    func testAProgramThatLeavesTheAlternateScreenPasses() {
        hold()
        _ = taken()
        write("\u{1B}[?1049lshell")
        XCTAssertTrue(taken().hasSuffix("\u{1B}[?1049lshell"))
    }

    func testWhatTheModelCannotFollowSafelyPasses() {
        for unsafe in ["\u{1B}[4h", "\u{1B}[20;4h", "\u{1B}[?7l😀", "😀\u{1B}[9b"] {
            write("\u{1B}[4l\u{1B}[?7h\u{1B}[?1049h")
            screen.update(program: Self.own, window: Self.own, into: &output)
            hold()
            _ = taken()
            write(unsafe + "text")
            XCTAssertTrue(taken().hasSuffix("text"), unsafe.debugDescription)
        }
    }

    func testAFloodPassesUntilTheScreenIsCleared() {
        write(String(repeating: "flood\r\n", count: 50_000))
        _ = taken()
        hold()
        write("more")
        XCTAssertEqual(taken(), "more")
        write("\u{1B}[2Jknown")
        let known = taken() + painted()
        XCTAssertTrue(known.contains("known") && known.contains("\u{1B}[?2026l"), known)
    }

    func testLiveRowsAreReplacedOnTheMainScreen() {
        write("\u{1B}[?1049l\u{1B}[H\u{1B}[2Jstays\r\none one one one 1\r\ntwo two two two 2\u{1B}[1A\r")
        _ = taken()
        hold()
        write("ONE ONE ONE ONE 1\r\n")
        XCTAssertEqual(taken(), "")
        screen.update(program: Self.small, window: Self.small, into: &output)
        let end = taken()
        // The cursor was in the first of two rows; both are cut, and the row above stays.
        XCTAssertTrue(end.hasPrefix("\u{1B}[?2026h\r\u{1B}[0m\u{1B}[J"), end.debugDescription)
        for row in ["ONE ONE ", "two two "] { XCTAssertTrue(end.contains(row), end.debugDescription) }
        for hidden in ["stays", "ONE ONE O", "two two t"] { XCTAssertFalse(end.contains(hidden), end.debugDescription) }
    }
}

final class RedrawTimerTests: XCTestCase {
    func testARedrawLastsUntilTheOutputRests() throws {
        var timer = RedrawTimer(of: 7, changes: true, redrawsEnded: 0)
        timer.noteOutput(redrawsEnded: 0)
        let last = timer.nextWake - .milliseconds(10)
        XCTAssertNil(timer.cost(at: last + .milliseconds(9)))
        let cost = try XCTUnwrap(timer.cost(at: last + .milliseconds(10)))
        XCTAssertLessThan(cost, .milliseconds(500))
        XCTAssertGreaterThan(cost, .zero)
    }

    func testASynchronizedRedrawEndsAtOnce() {
        var timer = RedrawTimer(of: 7, changes: true, redrawsEnded: 3)
        timer.noteOutput(redrawsEnded: 4)
        XCTAssertNotNil(timer.cost(at: MonotonicClock.now))
    }

    /// As without --hold-screen: the end of mode 2026 is seen while a redraw is timed, and bytes pass.
    func testSynchronizedRedrawsAreCountedWithoutAModel() {
        let screen = HeldScreen(WindowSize(rows: 6, columns: 20), isModeled: false)
        let parts = ["a\u{1B}[?2026h", "b\u{1B}[?20", "26l", "c"].map { Array($0.utf8) }
        for isTimed in [false, true] {
            var output: [UInt8] = []
            for part in parts { part.withUnsafeBytes { screen.read($0, isTimed: isTimed, into: &output) } }
            XCTAssertEqual(output, parts.flatMap { $0 })
            XCTAssertEqual(screen.redrawsEnded, isTimed ? 1 : 0)
        }
    }

    func testAProgramThatDrawsNothingCountsAsSlowAndTheSameSizeAsNoRedraw() throws {
        let timer = RedrawTimer(of: 7, changes: true, redrawsEnded: 0)
        XCTAssertNil(timer.cost(at: timer.nextWake - .milliseconds(1)))
        XCTAssertGreaterThanOrEqual(try XCTUnwrap(timer.cost(at: timer.nextWake)), .milliseconds(500))
        XCTAssertEqual(RedrawTimer(of: 7, changes: false, redrawsEnded: 0).cost(at: MonotonicClock.now), .zero)
    }
}
