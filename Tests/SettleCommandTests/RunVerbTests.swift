import Foundation
import SettleLog
import TestSupport
import XCTest

@testable import SettleCommand

/// `settle run`: where its options end.
final class RunVerbTests: XCTestCase {
    private func command(_ words: String...) throws -> [String]? { try RunVerb.verb.options(words).command }

    func testOptionsEndAtTheFirstWordThatIsNone() throws {
        XCTAssertEqual(try command("htop", "-d", "5"), ["htop", "-d", "5"])
        XCTAssertEqual(try command("--report", "vim", "--help", "--", "-x"), ["vim", "--help", "--", "-x"])
        XCTAssertEqual(try command("--record", "a.settle", "--live=30%", "vim", "--report"), ["vim", "--report"])
        XCTAssertEqual(try command("--report", "--", "--odd", "-d"), ["--odd", "-d"])
        XCTAssertEqual(try command("--report", "--", "vim", "--", "a"), ["vim", "--", "a"])
        XCTAssertEqual(try command("-", "a"), ["-", "a"])
        for none in [[], ["--"], ["--report"]] { XCTAssertNil(try RunVerb.verb.options(none).command) }
        let options = try RunVerb.verb.options(["--record", "a.settle", "vim", "--report"])
        XCTAssertEqual(options.value("record"), "a.settle")
        XCTAssertFalse(options.has("report"))
    }
}
