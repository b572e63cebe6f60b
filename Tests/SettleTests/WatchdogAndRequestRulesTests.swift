import Settle
import TestSupport
import XCTest

/// Rules 11, 12 and 14: the watchdog, what a handler can ask for, and the end of a log.
final class WatchdogAndRequestRulesTests: XCTestCase {
    // MARK: Rule 11

    private let watched = Policy.drawn(interactionTimeout: .milliseconds(50))

    func testRule11_aSilentInteractionIsOver() throws {
        try timeline(
            watched,
            """
            size     a...bc........
            flag     r...R.........
            drag     ....(.....!...
            rebuild  ....a.......c.
            reason   ....1.......t.
            """)
    }

    func testRule11_anyEventOfTheSceneIsASignOfLife() throws {
        try timeline(
            watched,
            """
            size     a...b...b.........
            flag     r...R......R......
            lock     .............l....
            drag     ....(.............
            rebuild  ....a.............
            """)
    }

    func testRule11_otherEventsAreNone() throws {
        let engine = try CheckedEngine(watched)
        let (scene, other) = (try engine.connect(), try engine.connect())
        engine.submit(.at(0, scene, .a, resizing: true))
        engine.submit(
            .at(10, other, .a), .press(20), .connect(scene, at: .ms(30)), .flush(scene, at: .ms(30)),
            .cancel(scene, at: .ms(40)), .built(scene, size: nil, at: .ms(40)))
        XCTAssertEqual(engine.nextDeadline, .ms(50))
        XCTAssertEqual(
            engine.advance(to: .ms(50)).map(\.text),
            ["50 ended timeout after 0.05 seconds", "50 rebuild 100×100 first"])
    }

    func testRule11_theNextFlaggedEventBeginsAnew() throws {
        try timeline(
            watched,
            """
            size     a....b...........c....
            flag     .....R......R.R...r...
            drag     .....(....!.(.....)...
            rebuild  ....a.......b.......c.
            reason   ....1.......t.......e.
            """)
    }

    func testRule11_afterATimeoutTheClearingEventEndsNothing() throws {
        try timeline(
            watched,
            """
            size     a....b............
            flag     .....R........r...
            drag     .....(....!.......
            rebuild  ....a.......b.....
            reason   ....1.......t.....
            """)
    }

    func testRule11_lateSizesKeepTheReason() throws {
        try timeline(
            watched,
            """
            size     a....b.....c....
            flag     .....R..........
            drag     .....(....!.....
            rebuild  ....a........c..
            reason   ....1........t..
            """)
    }

    func testRule11_anInteractionOfThePointerIsWatchedToo() throws {
        try timeline(
            watched,
            """
            button   .....v........^..
            size     a......b.........
            drag     .......(....!....
            rebuild  ....a.........b..
            """)
    }

    func testRule11_theFlagThatTakesOverIsWatched() throws {
        try timeline(
            watched,
            """
            button   .....v...........
            size     a.....b..........
            flag     ........R........
            drag     ......(......!...
            rebuild  ....a..........b.
            reason   ....1..........t.
            """)
    }

    func testRule11_aTimeoutOfZeroEndsBeforeTheNextEvent() throws {
        let engine = try CheckedEngine(.drawn(interactionTimeout: .zero))
        let scene = try engine.connect()
        engine.submit(.at(5, scene, .a, resizing: true))
        XCTAssertEqual(
            engine.submit(.at(5, scene, resizing: true)).map(\.text), ["5 ended timeout after 0.0 seconds", "5 began"])
    }

    // MARK: Rule 12

    func testRule12_flushDecidesNow() throws {
        try timeline(
            """
            size     a.........
            call     .f.f......
            rebuild  .a........
            reason   .f........
            pending  *.........
            """)
    }

    func testRule12_flushDoesNothingInAnInteraction() throws {
        try timeline(
            """
            size     a...b.....
            flag     r...R.r...
            call     .....f....
            drag     ....(.)...
            rebuild  ....a...b.
            reason   ....1...e.
            """)
    }

    func testRule12_flushDoesNothingWithNothingOwed() throws {
        try timeline(
            """
            size     .....a......
            call     ..f.......f.
            rebuild  .........a..
            """)
    }

    func testRule12_aFlushAfterAnEndTellsTheInteractionsDuration() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a, resizing: true), .at(30, scene, resizing: false))
        let rebuild = engine.submit(.flush(scene, at: .ms(40)))[0].rebuild!
        XCTAssertEqual(rebuild.reason, .flush)
        XCTAssertEqual(rebuild.interactionDuration, .milliseconds(30))
        engine.submit(.at(50, scene, .b))
        XCTAssertNil(engine.submit(.flush(scene, at: .ms(60)))[0].rebuild!.interactionDuration)
    }

    func testRule12_cancelForgetsUntilTheNextChange() throws {
        try timeline(
            """
            size     a..a...b.....
            call     .c..f........
            rebuild  ...........b.
            reason   ...........1.
            pending  *......****..
            """)
    }

    func testRule12_cancelAfterAnEndForgetsTheStem() throws {
        try timeline(
            """
            button   .....v.^...........
            size     a.....b...c........
            call     ........c..........
            drag     ......(^...........
            rebuild  ....a.........c....
            reason   ....1.........q....
            """)
    }

    func testRule12_cancelInAnInteractionForgetsTheEnd() throws {
        try timeline(
            """
            size     a...b.......
            flag     r...R..r....
            call     .....c...f..
            drag     ....(..)....
            rebuild  ....a.......
            """)
        // Until the size changes, in the interaction as well.
        try timeline(
            """
            size     a...b.c......
            flag     r...R..r.....
            call     .....c.......
            drag     ....(..).....
            rebuild  ....a....c...
            """)
    }

    func testRule12_cancelWithNothingUnbuiltDoesNothing() throws {
        try timeline(
            """
            size     a..........
            flag     ........R.r
            call     .....cx....
            drag     ........(.)
            rebuild  ....a......
            pending  ****......*
            """)
    }

    /// A pending rebuild whose size was returned as built meanwhile is forgotten as well: no
    /// later return makes its deadline decide.
    func testRule12_cancelDisarmsAPendingRebuildOfTheBuiltSize() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a))
        engine.submit(.built(scene, size: .a, at: .ms(10)))
        XCTAssertTrue(engine.isPending(scene))
        engine.submit(.cancel(scene, at: .ms(20)))
        XCTAssertFalse(engine.isPending(scene))
        XCTAssertNil(engine.nextDeadline)
        engine.submit(.built(scene, size: nil, at: .ms(30)))
        XCTAssertEqual(engine.finish(), [])
    }

    func testRule12_pendingIsTrueExactlyWhileADeadlineIsArmed() throws {
        try timeline(
            """
            size     .a..........b...
            flag     .....R....r.....
            drag     .....(....).....
            rebuild  .....a........b.
            pending  .****.......**..
            """)
    }

    func testRule12_aStaleSceneIsNeitherPendingNorInteracting() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a))
        XCTAssertTrue(engine.isPending(scene))
        engine.submit(.disconnect(scene, at: .ms(1)))
        XCTAssertFalse(engine.isPending(scene))
        XCTAssertFalse(engine.isPending(SceneID(rawValue: .max)))
        XCTAssertFalse(engine.isInteracting(SceneID(rawValue: 0)))
    }

    // MARK: Rule 14

    func testRule14_allArmedDeadlinesFireAtTheirOwnTimes() throws {
        let engine = try CheckedEngine()
        let (first, second) = (try engine.connect(), try engine.connect())
        engine.submit(.at(0, first, .a, locked: true), .at(7, second, .a, resizing: false))
        XCTAssertEqual(
            engine.finish().map(\.text), ["30 locked", "40 rebuild 100×100 first", "47 rebuild 100×100 first"])
        XCTAssertEqual(engine.now, .ms(47))
    }

    func testRule14_anOpenInteractionStaysOpen() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a, resizing: true))
        XCTAssertEqual(engine.finish(), [])
        XCTAssertTrue(engine.isInteracting(scene))
        XCTAssertEqual(engine.finish(), [])
    }

    func testRule14_theWatchdogEndsIt() throws {
        let engine = try CheckedEngine(watched)
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a, resizing: true))
        XCTAssertEqual(
            engine.finish().map(\.text), ["50 ended timeout after 0.05 seconds", "90 rebuild 100×100 first"])
    }
}
