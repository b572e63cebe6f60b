import CTerminal
import Settle
import SettleClock
import XCTest

@testable import SettleSources

/// What a held screen keeps from one change to the next: over resizes, losses of the model, and what was given up.
final class HeldScreenStateTests: XCTestCase {
    private static let own = WindowSize(rows: 6, columns: 20)
    private static let small = WindowSize(rows: 3, columns: 8)
    private var output: [UInt8] = []
    private var screen = HeldScreen(own, wraps: true)

    override func setUpWithError() throws {
        output = []
        screen = HeldScreen(Self.own, wraps: true)
        try needLibvterm(screen)
    }

    private func write(_ text: String) { Array(text.utf8).withUnsafeBytes { screen.read($0, into: &output) } }

    private func size(_ program: WindowSize, _ window: WindowSize) {
        screen.update(program: program, window: window, into: &output)
    }

    private func taken() -> String {
        defer { output = [] }
        return String(decoding: output, as: UTF8.self)
    }

    /// In a terminal that wraps, a row that fills two of its own is two high, and not three.
    func testTheRowsThatAreReplacedAreCountedAsTheTerminalWrapsThem() {
        for (row, up) in [
            ("1234567", 1), ("12345678", 1), ("123456789", 2), ("1234567890123456", 2), ("12345678901234567", 3),
        ] {
            for wraps in [true, false] {
                screen = HeldScreen(Self.own, wraps: wraps)
                write("\u{1B}[H\u{1B}[2J\(row)\r\nx\u{1B}[A\r\(row)\r\n")
                size(Self.own, Self.small)
                _ = taken()
                size(Self.small, Self.small)
                let thawed = "\u{1B}[?2026h\r\u{1B}[\(wraps ? up : 1)A\u{1B}[0m\u{1B}[J"
                let shown = taken()
                XCTAssertTrue(shown.hasPrefix(thawed), "\(row) \(wraps) \(shown.debugDescription)")
            }
        }
    }

    /// Rows that are drawn again and again stay these where the screen becomes lower, and rows above scroll away.
    func testLiveRowsAreTheSameInAScreenThatBecameLower() {
        let low = WindowSize(rows: 3, columns: 20)
        write("\u{1B}[H\u{1B}[2Ja\r\nb\r\nc\r\nd\r\none\r\ntwo\u{1B}[A\rONE\r\n")
        size(low, low)
        _ = taken()
        size(low, Self.small)
        write("\u{1B}[A\rdone\r\nTWO")
        XCTAssertEqual(taken(), "")
        size(Self.small, Self.small)
        let shown = taken()
        XCTAssertTrue(shown.hasPrefix("\u{1B}[?2026h\r\u{1B}[1A\u{1B}[0m\u{1B}[J"), shown.debugDescription)
        for row in ["done", "TWO"] { XCTAssertTrue(shown.contains(row), shown.debugDescription) }
        XCTAssertFalse(shown.contains("d\u{1B}[0m\r\n\u{1B}[0mdone"), shown.debugDescription)
    }

    func testASequenceThatIsUnderWayGoesOnAfterAResize() {
        write("\u{1B}[?1049h\u{1B}[2J\u{1B}[3")
        size(Self.small, Self.small)
        write("1mred")
        _ = taken()
        size(Self.small, WindowSize(rows: 2, columns: 8))
        let shown = taken()
        XCTAssertTrue(shown.contains("\u{1B}[0;31mred"), shown.debugDescription)
    }

    /// `CSI b` repeats nothing of what was there before the screen was known again.
    func testWhatWasDrawnBeforeAScreenIsKnownAgainIsNotRepeated() {
        write("\u{1B}[?1049h\u{1B}[2Jx")
        size(Self.own, Self.small)
        size(Self.own, Self.own)
        write("\u{1B}[4hy\u{1B}[4l\u{1B}[?1049h\u{1B}[1;1H\u{1B}[3b!")
        _ = taken()
        size(Self.own, Self.small)
        let shown = taken()
        XCTAssertTrue(shown.contains("!"), shown.debugDescription)
        XCTAssertFalse(shown.contains("x"), shown.debugDescription)
    }

    /// More than is kept is shown as it comes, until the sizes agree; then rows are held again.
    func testWhatWasGivenUpIsHeldAgainOnceTheSizesAgree() {
        let live = "\u{1B}[H\u{1B}[2Jone\r\ntwo\u{1B}[A\r"
        write(live)
        size(Self.own, Self.small)
        _ = taken()
        write("ONE\r\n")
        XCTAssertEqual(taken(), "")
        write(String(repeating: String(repeating: "\u{1B}[m", count: 1000), count: 400))
        XCTAssertNotEqual(taken(), "")
        write("shown")
        XCTAssertEqual(taken(), "shown")
        size(Self.own, Self.own)
        write(live)
        size(Self.own, Self.small)
        _ = taken()
        write("ONE\r\n")
        XCTAssertEqual(taken(), "")
    }

    /// Of several sizes that cannot be modelled the first is said.
    func testOneSizeThatIsNotModelledIsSaid() {
        screen = HeldScreen(Self.own, .fullScreen)
        write("\u{1B}[?1049h")
        size(WindowSize(rows: 1, columns: 80), Self.own)
        XCTAssertEqual(
            screen.notes.take().map { $0.prefix(75) },
            ["a size that is held back is not hidden: a screen of 80 columns and 1 rows i"])
        size(WindowSize(rows: 2, columns: 3), Self.own)
        XCTAssertEqual(screen.notes.take(), [])
    }
}
