import Settle
import XCTest

@testable import SettleCommand

final class LiveEndingTests: XCTestCase {
    private func at(_ milliseconds: UInt64) -> Timestamp { Timestamp(nanoseconds: milliseconds * 1_000_000) }

    func testADesktopHasASecondFromTheFirstSignalOn() {
        var ending = LiveEnding(runsApp: false)
        XCTAssertFalse(ending.goesOn)
        XCTAssertEqual(ending.limit, .latest)
        XCTAssertTrue(ending.ask(at: at(5000)))
        XCTAssertEqual(ending.limit, at(6000))
        XCTAssertFalse(ending.ask(at: at(5500)), "it is stopped once")
        XCTAssertEqual(ending.limit, at(6000))
    }

    func testAnAppIsAskedThenKilledThenLeft() {
        var ending = LiveEnding(runsApp: true)
        XCTAssertTrue(ending.goesOn)
        XCTAssertTrue(ending.ask(at: at(5000)))
        XCTAssertFalse(ending.goesOn)
        XCTAssertEqual(ending.limit, .latest, "it may take its time")
        XCTAssertFalse(ending.ask(at: at(5050)), "a terminal that closes sends two signals")
        XCTAssertTrue(ending.ask(at: at(5100)))
        XCTAssertEqual(ending.limit, at(6100))
        XCTAssertFalse(ending.ask(at: at(5150)))
        XCTAssertEqual(ending.limit, at(6100))
        XCTAssertFalse(ending.ask(at: at(5300)))
        XCTAssertEqual(ending.limit, at(5300))
    }

    func testWhatASourceThatIsGivenUpHasSaidHasASecond() {
        var ending = LiveEnding(runsApp: true)
        for signal: UInt64 in [1000, 2000, 3000] { _ = ending.ask(at: at(signal)) }
        XCTAssertEqual(ending.limit, at(3000))
        ending.giveUp(at: at(3000))
        XCTAssertEqual(ending.limit, at(4000))
        _ = ending.ask(at: at(3500))
        XCTAssertEqual(ending.limit, at(3500), "one more signal")
    }

    func testAFailureEndsADesktopAndNeverAnApp() {
        var desktop = LiveEnding(runsApp: false)
        XCTAssertTrue(desktop.partHasFailed(at: at(1000)))
        XCTAssertFalse(desktop.partHasFailed(at: at(1500)))
        XCTAssertEqual(desktop.limit, at(2000))
        var app = LiveEnding(runsApp: true)
        XCTAssertFalse(app.partHasFailed(at: at(1000)))
        XCTAssertTrue(app.goesOn)
        XCTAssertTrue(app.ask(at: at(2000)))
        // It asks whether to save, for example. This is no second signal, which would kill it.
        XCTAssertFalse(app.partHasFailed(at: at(3000)))
        XCTAssertEqual(app.limit, .latest)
        XCTAssertTrue(app.ask(at: at(4000)), "a second signal still kills it")
    }

    func testWhatIsLeftToWriteHasASecondOnceTheAppHasEnded() {
        var asked = LiveEnding(runsApp: true)
        XCTAssertTrue(asked.ask(at: at(5000)))
        asked.sourceHasEnded(at: at(9000))
        XCTAssertEqual(asked.limit, at(10_000))
        // A killed app's second has begun before.
        var killed = LiveEnding(runsApp: true)
        for signal: UInt64 in [5000, 5100] { XCTAssertTrue(killed.ask(at: at(signal))) }
        killed.sourceHasEnded(at: at(5500))
        XCTAssertEqual(killed.limit, at(6100))
        var unasked = LiveEnding(runsApp: true)
        unasked.sourceHasEnded(at: at(9000))
        XCTAssertEqual(unasked.limit, .latest, "a slow reader is waited for until somebody asks")
        XCTAssertTrue(unasked.ask(at: at(20_000)))
        XCTAssertEqual(unasked.limit, at(21_000))
    }
}
