import Settle
import SettleClock
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleSources

final class HeldScreenTests: XCTestCase {
    private static let own = WindowSize(rows: 6, columns: 20)
    private static let small = WindowSize(rows: 3, columns: 8)
    private var output: [UInt8] = []
    private var screen = HeldScreen(own)

    override func setUpWithError() throws {
        output = []
        screen = HeldScreen(Self.own)
        try needLibvterm(screen)
        write("\u{1B}[?1049h\u{1B}[2J")
        screen.update(program: Self.own, window: Self.small, into: &output)
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

    func testWhatTheModelCannotFollowPassesAndIsSaidOnce() {
        for insertion in ["\u{1B}[4h", "\u{1B}[20;4h"] {
            write("\u{1B}[4l\u{1B}[?1049h")
            screen.update(program: Self.own, window: Self.own, into: &output)
            hold()
            _ = taken()
            write(insertion + "text")
            XCTAssertTrue(taken().hasSuffix("text"), insertion.debugDescription)
        }
        XCTAssertEqual(
            screen.notes.take(), ["a size that is held back is not hidden: the program inserts characters (mode 4)"])
        XCTAssertEqual(screen.notes.take(), [])
    }

    /// As Textual draws: without wrapping, with characters of one column and of two that are none of ASCII.
    func testTextWithoutWrappingIsModelled() {
        write("\u{1B}[?7l")
        hold()
        _ = taken()
        for (drawn, shown) in [
            ("┏━━┓ é", "┏━━┓ é"), ("中文😀x", "中文😀x"), ("─\u{1B}[5b╮", "──────╮"), ("ab\u{1B}[40bc", "abbbbbbb"),
            ("1234567890123456789中", "12345678"), ("\u{1B}[19G中y", ""), ("\u{1B}[19G中", ""), ("\u{1B}[9b", ""),
            ("\u{1B}[20G中\r文", "文"),
        ] {
            write("\u{1B}[1;1H\u{1B}[2Kkept\r\n\u{1B}[2K\u{1B}[1;1H\u{1B}[2K" + drawn)
            let rows = painted().components(separatedBy: "\u{1B}[2K").dropFirst().map { row in
                row.replacing(#/\u{1B}[\[(][0-9;?]*[a-zA-Z]/#, with: "")
            }
            XCTAssertEqual(rows.first?.trimmingCharacters(in: .whitespaces), shown, drawn.debugDescription)
            // Nothing has begun the next row.
            XCTAssertEqual(
                rows.dropFirst().first?.trimmingCharacters(in: .whitespaces) ?? "", "", drawn.debugDescription)
        }
        XCTAssertEqual(screen.notes.take(), [])
    }

    /// A character may be cut anywhere by reads.
    func testTheSplitBetweenReadsMakesNoDifference() {
        let text = Array("\u{1B}[?7l\u{1B}[1;1H┏中─\u{1B}[2b\u{1B}[?7h\u{1B}[2;1H😀é\u{1B}[2b".utf8)
        var pictures: Set<String> = []
        for end in 0...text.count {
            write("\u{1B}[2J")
            hold()
            for part in [text[..<end], text[end...]] { part.withUnsafeBytes { screen.read($0, into: &output) } }
            _ = taken()
            screen.repaint(into: &output)
            pictures.insert(taken())
            screen.update(program: Self.own, window: Self.own, into: &output)
        }
        XCTAssertEqual(pictures.count, 1, "\(pictures)")
        XCTAssertTrue(
            pictures.first?.contains("┏中───") == true && pictures.first?.contains("😀ééé") == true, "\(pictures)")
    }

    func testASizeThatIsNotModelledPassesAndIsSaid() {
        for size in [
            WindowSize(rows: 65535, columns: 65535), WindowSize(rows: 1, columns: 65535),
            WindowSize(rows: 16000, columns: 16000), WindowSize(rows: 2, columns: 3),
        ] {
            screen = HeldScreen(size, .fullScreen)
            write("\u{1B}[?1049h\u{1B}[2J┏text")
            XCTAssertEqual(screen.notes.take(), [])
            XCTAssertNil(screen.process)
            screen.update(program: size, window: Self.own, into: &output)
            XCTAssertEqual(taken(), "\u{1B}[?1049h\u{1B}[2J┏text")
            XCTAssertEqual(screen.notes.take().count, 1)
            // Once it has a size that can be modelled, it is.
            screen.update(program: Self.own, window: Self.own, into: &output)
            write("\u{1B}[2Jknown")
            hold()
            XCTAssertTrue(taken().contains("\u{1B}[?2026h"))
            screen.update(program: size, window: Self.small, into: &output)
            write("passes")
            XCTAssertTrue(taken().hasSuffix("passes"))
        }
        // Whoever asks for it learns at once.
        XCTAssertEqual(HeldScreen(WindowSize(rows: 16000, columns: 16000)).notes.take().count, 1)
        XCTAssertEqual(HeldScreen(WindowSize(rows: 16000, columns: 16000), .fullScreen).notes.take().count, 0)
    }

    func testOnlyFullScreenProgramsAreModelledWhereTheyAloneAreHeld() {
        screen = HeldScreen(Self.own, .fullScreen)
        hold()
        write("one\r\ntwo\u{1B}[1A\rONE\u{1B}[2Jthree")
        XCTAssertEqual(taken(), "one\r\ntwo\u{1B}[1A\rONE\u{1B}[2Jthree")
        XCTAssertNil(screen.process)
        for _ in 0..<2 {
            write("\u{1B}[?1049hfull")
            XCTAssertTrue(taken().hasPrefix("\u{1B}[?1049h"))
            write("\u{1B}[1;1Hscreen")
            XCTAssertTrue(painted().contains("screen"))
            write("\u{1B}[?1049lmain\u{1B}[1A")
            XCTAssertTrue(taken().hasSuffix("\u{1B}[?1049lmain\u{1B}[1A"))
        }
        screen = HeldScreen(Self.own, .nothing)
        hold()
        write("\u{1B}[?1049h\u{1B}[2Jpasses")
        XCTAssertEqual(taken(), "\u{1B}[?1049h\u{1B}[2Jpasses")
        XCTAssertEqual(screen.notes.take(), [])
    }

    /// What crashes libvterm costs the picture: the program's modes are set, and it draws anew.
    func testACrashOfTheModelCostsThePictureAlone() throws {
        hold()
        write("\u{1B}[?7l\u{1B}[?25lpicture")
        _ = painted()
        XCTAssertEqual(kill(try XCTUnwrap(screen.process), SIGSEGV), 0)
        write("\u{1B}[1;1Hlost")
        let restored = taken() + painted()
        XCTAssertTrue(restored.contains("\u{1B}[?7l") && restored.hasSuffix("\u{1B}[?25l"), restored.debugDescription)
        XCTAssertTrue(screen.takeNeedsRedraw())
        XCTAssertFalse(screen.takeNeedsRedraw())
        XCTAssertEqual(
            screen.notes.take(),
            ["a size that is held back is not hidden: libvterm, the model of the screen, has crashed"])
        write("\u{1B}[2Jpasses")
        XCTAssertEqual(taken(), "\u{1B}[2Jpasses")
        screen.update(program: Self.small, window: Self.own, into: &output)
        screen.finish(into: &output)
        XCTAssertEqual(taken() + painted(), "")
        XCTAssertNil(screen.process)
        XCTAssertNil(screen.nextWake)
    }

    /// Whatever a program writes, this process goes on, and the program's end gives the terminal its modes.
    func testRandomOutputEndsNothingButTheModel() {
        var dice = SplitMix64(seed: 37)
        let parts = [
            "\u{1B}[?1049h", "\u{1B}[?1049l", "\u{1B}[?7l", "\u{1B}[?7h", "\u{1B}[4h", "\u{1B}[4l", "\u{1B}[2J",
            "\u{1B}c", "中", "─",
            "e\u{301}", "\u{301}", "\u{85}", "\u{1B}[99999b", "\u{1B}[7@", "\u{1B}[3P", "\u{1B}[2L", "\u{1B}[9S",
            "\u{1B}[2;4r",
            "\u{1B}[99;99H", "\u{1B}#6", "\u{1B}#8", "\u{1B}[?69h\u{1B}[3;9s", "text", "\r\n", "\t", "\u{8}",
            "\u{1B}(0", "\u{E}",
            "\u{1B}[6n", "\u{1B}[", "\u{1B}]0;", "\u{1B}Pq#0~\u{1B}\\", "\u{18}", "\u{1B}[38;5;9m",
        ]
        for round in 0..<300 {
            let size = WindowSize(rows: UInt16(2 + dice.next() % 9), columns: UInt16(4 + dice.next() % 30))
            if round % 50 == 0 { screen = HeldScreen(size, round % 100 == 0 ? .everything : .fullScreen) }
            for _ in 0..<(dice.next() % 30) { write(parts[Int(dice.next() % UInt64(parts.count))]) }
            let window = WindowSize(rows: UInt16(1 + dice.next() % 9), columns: UInt16(1 + dice.next() % 30))
            screen.update(program: dice.next() % 3 == 0 ? window : size, window: window, into: &output)
            _ = painted()
        }
        screen.finish(into: &output)
    }

    func testACrashWhileNothingIsShownLosesNoLine() throws {
        write("\u{1B}[?1049l\u{1B}[H\u{1B}[2Jstays\r\none\r\ntwo\u{1B}[1A\r")
        hold()
        write("ONE\r\n")
        _ = taken()
        XCTAssertEqual(kill(try XCTUnwrap(screen.process), SIGKILL), 0)
        write("TWO\u{1B}[6n")
        XCTAssertEqual(taken(), "ONE\r\nTWO\u{1B}[6n")
        XCTAssertFalse(screen.takeNeedsRedraw())
    }

    /// Before a picture is painted, and while it is.
    func testACrashAtAnyTimeLosesNoOutputThatPasses() throws {
        write("\u{1B}[2Jpassed")
        XCTAssertEqual(kill(try XCTUnwrap(screen.process), SIGABRT), 0)
        hold()
        XCTAssertTrue(taken().hasPrefix("\u{1B}[2Jpassed"))
        write("more")
        XCTAssertEqual(taken(), "more")
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
        // Synchronized redraws that ended before say nothing of this one.
        var timer = RedrawTimer(of: 7, changes: true, redrawsEnded: 3)
        timer.noteOutput(redrawsEnded: 3)
        let last = timer.nextWake - .milliseconds(10)
        XCTAssertNil(timer.cost(at: last + .milliseconds(9)))
        let cost = try XCTUnwrap(timer.cost(at: last + .milliseconds(10)))
        XCTAssertLessThan(cost, .milliseconds(500))
        XCTAssertGreaterThan(cost, .zero)
        XCTAssertEqual(timer.cost(at: last + .milliseconds(30)), cost, "it ends with the output, and not with the rest")
    }

    func testASynchronizedRedrawEndsAtOnce() {
        var timer = RedrawTimer(of: 7, changes: true, redrawsEnded: 3)
        timer.noteOutput(redrawsEnded: 4)
        let cost = timer.cost(at: MonotonicClock.now)
        XCTAssertNotNil(cost)
        // What is drawn later belongs to something else.
        timer.noteOutput(redrawsEnded: 5)
        XCTAssertEqual(timer.cost(at: MonotonicClock.now), cost)
    }

    /// As with --no-hold-screen: the end of mode 2026 is seen while a redraw is timed, and bytes pass.
    func testSynchronizedRedrawsAreCountedWithoutAModel() {
        let screen = HeldScreen(WindowSize(rows: 6, columns: 20), .nothing)
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
