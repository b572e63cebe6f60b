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

    /// tmux passes on a size only every 250 ms, so rests are longer there by default.
    func testTmuxHasDefaultsOfItsOwn() throws {
        func delays(_ words: String..., inTmux: Bool = true) throws -> [Duration?] {
            let policy = try RunVerb.policy(of: RunVerb.verb.options(words + ["vim"]), inTmux: inTmux)
            return [policy.quietDelay, policy.jumpDelay]
        }
        let (own, tmux) = (try delays(inTmux: false), Duration.milliseconds(350))
        XCTAssertEqual(try delays(), [tmux, tmux])
        XCTAssertFalse(own.contains(tmux))
        XCTAssertEqual(try delays("--jump-delay", "100ms"), [tmux, .milliseconds(100)])
        XCTAssertEqual(try delays("--quiet-delay", "90ms"), [.milliseconds(90), own[1]])
        XCTAssertEqual(try delays("--policy", "default"), try delays("--policy", "default", inTmux: false))
        let live = try RunVerb.policy(of: RunVerb.verb.options(["--live", "40%", "vim"]), inTmux: true)
        XCTAssertEqual([live.quietDelay, live.jumpDelay], [tmux, tmux])
        XCTAssertEqual(live.liveSharePercent, 40)
        XCTAssertNil(try RunVerb.policy(of: RunVerb.verb.options(["vim"]), inTmux: true).liveSharePercent)
    }
}
