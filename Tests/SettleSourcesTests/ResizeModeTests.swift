import TestSupport
import XCTest

@testable import SettleSources

final class ResizeModeTests: XCTestCase {
    private func mode(after output: String) -> Bool {
        var mode = ResizeMode()
        mode.read(output.utf8)
        return mode.isOn
    }

    func testTheModeIsSwitched() {
        XCTAssertTrue(mode(after: "text\u{1B}[?2048hmore"))
        XCTAssertFalse(mode(after: "\u{1B}[?2048h\u{1B}[?2048l"))
    }

    func testTheModeIsOneOfSeveralParameters() {
        XCTAssertTrue(mode(after: "\u{1B}[?1049;2048;25h"))
        XCTAssertTrue(mode(after: "\u{1B}[?2048;1h"))
        XCTAssertTrue(mode(after: "\u{1B}[?1;2048h"))
        XCTAssertFalse(mode(after: "\u{1B}[?2048h\u{1B}[?25;2048l"))
    }

    func testOtherSequencesAreNone() {
        for other in [
            "\u{1B}[2048h", "\u{1B}[?20480h", "\u{1B}[?204;8h", "\u{1B}[?2048$p", "\u{1B}[?2048$h", "[?2048h",
            "\u{1B}[>2048h", "\u{1B}]?2048h", "\u{1B}[?2048\u{18}h", "\u{1B}[?99999999999999999992048h",
        ] { XCTAssertFalse(mode(after: other), other.debugDescription) }
    }

    func testControlCharactersWithinASequenceDoNotEndIt() { XCTAssertTrue(mode(after: "\u{1B}[?20\r\n48h")) }

    func testASequenceWithinAStringCounts() { XCTAssertTrue(mode(after: "\u{1B}Ptmux;\u{1B}\u{1B}[?2048h\u{1B}\\")) }

    func testResetsSwitchItOff() {
        XCTAssertFalse(mode(after: "\u{1B}[?2048h\u{1B}c"))
        XCTAssertFalse(mode(after: "\u{1B}[?2048h\u{1B}[!p"))
        XCTAssertTrue(mode(after: "\u{1B}[?2048h\u{1B}[!q\u{1B}[p\u{1B}(c"))
    }

    func testEveryRequestIsCounted() {
        var mode = ResizeMode()
        mode.read("\u{1B}[?2048h\u{1B}[?2048h\u{1B}[?2048l\u{1B}[?2048h".utf8)
        XCTAssertEqual(mode.requests, 3)
    }

    func testTheSplitBetweenReadsMakesNoDifference() {
        let output = Array("a\u{1B}[?25l\u{1B}[?7;2048;1hb\u{1B}[!p\u{1B}[?2048hc".utf8)
        for first in 0...output.count {
            for second in first...output.count {
                var mode = ResizeMode()
                for part in [output[..<first], output[first..<second], output[second...]] { mode.read(part) }
                XCTAssertTrue(mode.isOn)
                XCTAssertEqual(mode.requests, 2)
            }
        }
    }
}
