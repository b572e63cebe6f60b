import Settle
import TestSupport
import XCTest

/// Rules 1 and 2: time, order and input hygiene.
final class TimeRulesTests: XCTestCase {
    // MARK: Rule 1

    func testRule01_aDeadlineFiresAtItsOwnTimeNotAtTheWakeUps() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a))
        XCTAssertEqual(engine.nextDeadline, .ms(40))
        XCTAssertEqual(engine.advance(to: .ms(39)), [])
        XCTAssertEqual(engine.advance(to: .ms(1_000)).map(\.text), ["40 rebuild 100×100 first"])
        XCTAssertEqual(engine.now, .ms(1_000))
        XCTAssertNil(engine.nextDeadline)
    }

    func testRule01_aDeadlineFiresBeforeTheEventOfTheSameTime() throws {
        // Were the event at 40 ms applied first, it would postpone a or replace it.
        try timeline(
            """
            size     a...b......
            rebuild  ....a...b..
            reason   ....1...q..
            """)
    }

    func testRule01_aZeroDelayDecidesBeforeTheNextEventOfTheSameTime() throws {
        let engine = try CheckedEngine(.uikit)
        let scene = try engine.connect()
        XCTAssertEqual(engine.submit(.at(5, scene, .a, resizing: false)), [])
        XCTAssertEqual(
            engine.submit(.at(5, scene, .b, resizing: true)).map(\.text), ["5 rebuild 100×100 first", "5 began"])
        XCTAssertEqual(
            engine.submit(.at(5, scene, resizing: false)).map(\.text), ["5 ended reported after 0.0 seconds"])
        XCTAssertEqual(engine.submit(.at(5, scene, .a)).map(\.text), ["5 rebuild 110×100 interactionEnded"])
        XCTAssertEqual(engine.advance(to: .ms(5)).map(\.text), ["5 rebuild 100×100 discrete"])
    }

    func testRule01_anEarlierEventIsAppliedAtTheEnginesTimeAndCounted() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        engine.submit(.at(100, scene, .a), .at(70, scene, .b))
        XCTAssertEqual(engine.statistics.regressions, 1)
        XCTAssertEqual(engine.now, .ms(100))
        XCTAssertEqual(engine.nextDeadline, .ms(140))
        XCTAssertEqual(engine.finish().map(\.text), ["140 rebuild 110×100 first"])
    }

    func testRule01_aZeroDelayDecidesBeforeAnEarlierEventToo() throws {
        let engine = try CheckedEngine(.uikit)
        let scene = try engine.connect()
        engine.submit(.at(100, scene, .a))
        XCTAssertEqual(engine.submit(.at(1, scene, .b)).map(\.text), ["100 rebuild 100×100 first"])
        XCTAssertEqual(engine.finish().map(\.text), ["100 rebuild 110×100 quiet"])
    }

    func testRule01_anEventOfTheEnginesTimeIsNoRegression() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        engine.submit(.at(10, scene, .a), .at(10, scene, .b))
        engine.advance(to: .ms(20))
        engine.submit(.at(20, scene, .a))
        XCTAssertEqual(engine.statistics.regressions, 0)
    }

    func testRule01_advanceNeverGoesBack() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        engine.submit(.at(100, scene, .a))
        engine.advance(to: .ms(20))
        XCTAssertEqual(engine.now, .ms(100))
        XCTAssertEqual(engine.statistics.regressions, 0)
    }

    /// Waking up too early is no wake-up, even for what is due at the engine's own time.
    func testRule01_anEarlierAdvanceFiresNothing() throws {
        let engine = try CheckedEngine(.uikit)
        let scene = try engine.connect()
        engine.submit(.at(20, scene, .a, locked: true))
        XCTAssertEqual(engine.advance(to: .ms(11)), [])
        XCTAssertEqual(engine.nextDeadline, .ms(20))
        XCTAssertEqual(engine.advance(to: .ms(20)).map(\.text), ["20 rebuild 100×100 first", "20 locked"])
    }

    func testRule01_equalDeadlinesFireInTheOrderOfArming() throws {
        let engine = try CheckedEngine()
        let (first, second) = (try engine.connect(), try engine.connect())
        engine.submit(.at(0, second, .a), .at(0, first, .a))
        XCTAssertEqual(engine.advance(to: .ms(40)).map(\.scene), [second, first])
        // What is armed anew at the same time takes the last place.
        engine.submit(.at(50, second, .b), .at(50, first, .b), .at(50, second, .c))
        XCTAssertEqual(engine.finish().map(\.scene), [first, second])
    }

    func testRule01_anewAtTheSameCappedDeadlineTakesTheLastPlace() throws {
        let engine = try CheckedEngine(.drawn(maximumWait: .milliseconds(30)))
        let (first, second) = (try engine.connect(), try engine.connect())
        engine.submit(.at(0, first, .a), .at(0, second, .a), .at(10, first, .b))
        XCTAssertEqual(engine.finish().map(\.scene), [second, first])
    }

    func testRule01_inOneEventTheRebuildComesBeforeTheLock() throws {
        let policy = Policy.fixed(.milliseconds(30))
        let engine = try CheckedEngine(policy)
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a, locked: true))
        XCTAssertEqual(engine.finish().map(\.text), ["30 rebuild 100×100 first", "30 locked"])
    }

    func testRule01_overTwoEventsTheEarlierArmedComesFirst() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        engine.submit(.built(scene, size: .b, at: .ms(0)), .at(0, scene, resizing: true))
        engine.submit(.at(0, scene, resizing: false, locked: true), .at(10, scene, .a))
        XCTAssertEqual(engine.finish().map(\.text), ["30 locked", "30 rebuild 100×100 discrete"])
    }

    // MARK: Rule 2

    func testRule02_anImpossibleSizeRejectsTheWholeEvent() throws {
        let bad = [-1, Double.nan, Double.infinity, -Double.infinity, -Double.leastNonzeroMagnitude]
        let sizes = bad.flatMap {
            [Size(width: $0, height: 100), Size(width: 100, height: $0), Size(width: 0, height: $0)]
        }
        for size in sizes {
            let engine = try CheckedEngine()
            let scene = try engine.connect()
            engine.submit(.at(0, scene, .a))
            XCTAssertEqual(engine.submit(.at(500, scene, size, resizing: true, locked: true)), [], "\(size)")
            XCTAssertFalse(engine.isInteracting(scene))
            XCTAssertEqual(engine.statistics.rejectedSizes, 1)
            XCTAssertEqual(engine.statistics.events, 1)
            // Not even time moved: what is due at 40 ms is still to come.
            XCTAssertEqual(engine.now, .ms(0))
            XCTAssertEqual(engine.finish().map(\.text), ["40 rebuild 100×100 first"])
        }
    }

    func testRule02_anImpossibleBuiltSizeIsRejected() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a))
        engine.submit(.built(scene, size: Size(width: -1, height: 1), at: .ms(100)))
        XCTAssertEqual(engine.statistics.rejectedSizes, 1)
        XCTAssertEqual(engine.now, .ms(0))
    }

    func testRule02_zeroKeepsTheSizeAndItsFlagsStillApply() throws {
        try timeline(
            """
            size     a......0b..0...
            flag     r......R...r...
            lock     .......L.......
            drag     .......(...)...
            rebuild  ....a........b.
            locked   ..........L....
            """)
    }

    func testRule02_oneZeroSideKeepsBoth() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        engine.submit(.at(0, scene, Size(width: 0, height: 7)), .at(0, scene, Size(width: 7, height: -0.0)))
        XCTAssertEqual(engine.statistics.events, 2)
        XCTAssertFalse(engine.isPending(scene))
        XCTAssertEqual(engine.finish(), [])
    }

    func testRule02_aTimeBeyondTheLatestIsRejected() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        let beyond = Timestamp(nanoseconds: Timestamp.latest.nanoseconds + 1)
        engine.submit(.geometry(scene, at: beyond, size: .a), .pointer(button: 1, isPressed: true, at: beyond))
        XCTAssertEqual(engine.statistics.rejectedEvents, 2)
        XCTAssertEqual(engine.now, .ms(0))
        engine.submit(.geometry(scene, at: .latest, size: .a))
        XCTAssertEqual(engine.statistics.events, 1)
        XCTAssertEqual(engine.finish().count, 1)
    }

    func testRule06_atTheLatestTimeTheReasonIsTheDelaysUnlessMaximumWaitIsEarlier() throws {
        let wait: UInt64 = 10_000_000_000
        for (before, at, reason) in [
            (wait + 1, Timestamp.latest.nanoseconds - 1, Rebuild.Reason.maximumWait),
            // The cap is the latest time itself, or beyond it as the delay's deadline is.
            (wait, Timestamp.latest.nanoseconds, .discrete), (wait - 1, Timestamp.latest.nanoseconds, .discrete),
        ] {
            let engine = try CheckedEngine(
                Policy(reportedEndDelay: .zero, discreteDelay: .seconds(60), maximumWait: .nanoseconds(Int64(wait))))
            let scene = try engine.connect()
            engine.submit(.at(0, scene, .a, resizing: true), .at(1, scene, .a, resizing: false))
            let change = Timestamp(nanoseconds: Timestamp.latest.nanoseconds - before)
            engine.submit(.geometry(scene, at: change, size: .b, isInteractivelyResizing: false))
            let decisions = engine.advance(to: .latest)
            XCTAssertEqual(decisions.last?.at.nanoseconds, at)
            XCTAssertEqual(decisions.last?.rebuild?.reason, reason)
            XCTAssertEqual(engine.finish(), [])
        }
    }

    func testRule02_theLongestInteractionThereCanBe() throws {
        // Deadlines that would lie beyond the latest time fire at it.
        let engine = try CheckedEngine(
            Policy(firstDelay: Policy.longestDelay, interactionTimeout: Policy.longestDelay))
        let scene = try engine.connect()
        for step: UInt64 in 0...8 {
            let at = Timestamp(nanoseconds: min(step << 60, Timestamp.latest.nanoseconds) - min(step, 7))
            engine.submit(.geometry(scene, at: at, size: .a, isInteractivelyResizing: true))
        }
        let decisions = engine.advance(to: .latest)
        XCTAssertEqual(decisions.map(\.at), [.latest, .latest])
        XCTAssertEqual(engine.finish(), [])
        XCTAssertEqual(engine.now, .latest)
    }
}
