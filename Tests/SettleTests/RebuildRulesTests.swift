import Settle
import TestSupport
import XCTest

/// Rules 6, 7, 13 and 15: pending rebuilds, and the rebuild decision.
final class RebuildRulesTests: XCTestCase {
    // MARK: Rule 6

    func testRule06_changesPostpone() throws {
        try timeline(
            """
            size     a.bc..d......
            rebuild  ..........d..
            reason   ..........1..
            pending  **********...
            """)
    }

    func testRule06_eventsThatChangeNothingNeverPostpone() throws {
        try timeline(
            """
            size     aaaaaa.
            lock     .L.l...
            rebuild  ....a..
            """)
        try timeline(
            """
            size     a0.....
            flag     rrrrr..
            rebuild  ....a..
            """)
    }

    func testRule06_aSizeThatComesBackDisarms() throws {
        try timeline(
            """
            size     a....b.a.......
            rebuild  ....a..........
            pending  ****.**........
            """)
    }

    func testRule06_aSizeThatComesBackDuringADragOwesNothing() throws {
        try timeline(
            """
            size     a...bca......
            flag     r...R..r.....
            drag     ....(..).....
            rebuild  ....a........
            """)
    }

    func testRule06_aSizeThatComesBackAfterADragClearsTheStem() throws {
        // The change at step 9 stems from no interaction any more.
        try timeline(
            """
            button   .....v.^.........
            size     a.....b.ab.......
            drag     ......(^.........
            rebuild  ....a........b...
            reason   ....1........q...
            """)
    }

    func testRule06_anEndWithNothingOwedLeavesNoStem() throws {
        try timeline(
            """
            button   .....v..^........
            size     a.....ba..b......
            drag     ......(.^........
            rebuild  ....a.........b..
            reason   ....1.........q..
            """)
    }

    func testRule06_lateSizesKeepTheReasonOfTheEnd() throws {
        try timeline(
            """
            size     a...b.......
            flag     r...R.r.....
            drag     ....(.).....
            rebuild  ....a...b...
            reason   ....1...e...
            """)
        try timeline(
            """
            size     a...b..cd....
            flag     r...R.r......
            drag     ....(.)......
            rebuild  ....a.....d..
            reason   ....1.....e..
            """)
    }

    func testRule06_afterTheAnswerTheStemIsGone() throws {
        try timeline(
            """
            size     a...b....c...
            flag     r...R.r......
            drag     ....(.)......
            rebuild  ....a...b..c.
            reason   ....1...e..d.
            """)
    }

    func testRule06_maximumWaitCapsTheDeadline() throws {
        try timeline(
            .drawn(maximumWait: .milliseconds(60)),
            """
            size     abcdefghijk......
            rebuild  ......f.....k....
            reason   ......m.....m....
            """)
    }

    func testRule06_maximumWaitIsNotTheReasonWhenItIsNotEarlier() throws {
        try timeline(
            .drawn(maximumWait: .milliseconds(40)),
            """
            size     a.....
            rebuild  ....a.
            reason   ....1.
            """)
        try timeline(
            .drawn(maximumWait: .milliseconds(50)),
            """
            size     ab....
            rebuild  .....b
            reason   .....1
            """)
    }

    func testRule06_maximumWaitCountsFromWhenTheDebtArose() throws {
        // What was owed at step 0 is forgotten when a comes back at step 9.
        try timeline(
            .drawn(maximumWait: .milliseconds(50)),
            """
            size     a.....bca.bcbcbcb
            rebuild  ....a..........b.
            reason   ....1..........m.
            """)
    }

    func testRule06_anInteractionRestartsMaximumWait() throws {
        // Counted from the end at step 8, not from the change at step 4.
        try timeline(
            .drawn(maximumWait: .milliseconds(30)),
            """
            size     a...b....cdef...
            flag     r....R..r.......
            drag     .....(..).......
            rebuild  ...a.......d..f.
            reason   ...m.......m..d.
            """)
    }

    func testRule06_maximumWaitAfterAnInteractionTellsItsDuration() throws {
        let engine = try CheckedEngine(.drawn(maximumWait: .milliseconds(10)))
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a, resizing: true), .at(50, scene, resizing: false))
        let rebuild = engine.finish().last!.rebuild!
        XCTAssertEqual(rebuild.reason, .maximumWait)
        XCTAssertEqual(rebuild.interactionDuration, .milliseconds(50))
    }

    func testRule06_maximumWaitOfZeroAnswersEveryChange() throws {
        try timeline(
            .drawn(maximumWait: .zero),
            """
            size     a.bb.c
            rebuild  a.b..c
            reason   m.m..m
            """)
    }

    func testRule06_noSizeIsKnown() throws {
        try timeline(
            """
            size     .0.....a....
            flag     R..r........
            drag     (..)........
            rebuild  ...........a
            reason   ...........1
            """)
    }

    // MARK: Rule 7

    func testRule07_itsTimeIsTheDeadlineHoweverLateTheWakeUp() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a))
        XCTAssertEqual(engine.submit(.at(9_000, scene, .b)).map(\.text), ["40 rebuild 100×100 first"])
    }

    func testRule07_aDeadlineOfABuiltSizeDecidesNothing() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a), .built(scene, size: .a, at: .ms(10)))
        XCTAssertTrue(engine.isPending(scene))
        XCTAssertEqual(engine.finish(), [])
        XCTAssertFalse(engine.isPending(scene))
        XCTAssertEqual(engine.now, .ms(40))
    }

    func testRule07_theReasonIsThatOfTheEventThatArmed() throws {
        let engine = try CheckedEngine()
        let (scene, other) = (try engine.connect(), try engine.connect())
        engine.submit(.at(0, scene, .a), .at(0, other, .a))
        // A build that is returned changes nothing of what is armed, the next change does.
        engine.submit(.built(scene, size: .b, at: .ms(10)), .built(other, size: .b, at: .ms(10)))
        engine.submit(.at(20, other, .c))
        XCTAssertEqual(engine.finish().map(\.text), ["40 rebuild 100×100 first", "60 rebuild 120×100 quiet"])
    }

    func testRule07_anInteractionThatTookNoTime() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a), .at(50, scene, .b, resizing: true), .at(50, scene, resizing: false))
        let rebuild = engine.finish().last!.rebuild!
        XCTAssertEqual(rebuild.reason, .interactionEnded)
        XCTAssertEqual(rebuild.interactionDuration, .zero)
    }

    // MARK: Rule 13

    func testRule13_whatFailedIsNotOwedByItself() throws {
        try timeline(
            """
            size     a..........
            call     ......x....
            rebuild  ....a......
            pending  ****.......
            """)
    }

    func testRule13_whatFailedIsOwedAtAFlush() throws {
        try timeline(
            """
            size     a.........
            call     ......x.f.
            rebuild  ....a...a.
            reason   ....1...f.
            """)
    }

    func testRule13_whatFailedIsOwedAtTheNextEnd() throws {
        try timeline(
            """
            size     a.............
            flag     .......R.r....
            call     ......x.......
            drag     .......(.)....
            rebuild  ....a........a
            reason   ....1........1
            """)
    }

    func testRule13_whatFailedIsOwedAtTheNextChange() throws {
        // From b, which failed, to a, which failed as well but must not count as built.
        try timeline(
            """
            size     a.....b......a.....
            call     ...........x.......
            rebuild  ....a.....b......a.
            """)
    }

    func testRule13_aRepeatOfWhatFailedIsNoChange() throws {
        try timeline(
            """
            size     a......a.......
            call     ......x........
            rebuild  ....a..........
            """)
    }

    func testRule13_theNextRebuildTellsWhatIsReallyBuilt() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a), .at(100, scene, .b))
        engine.submit(.built(scene, size: .a, at: .ms(150)), .flush(scene, at: .ms(160)))
        let rebuild = engine.decisions.last!.rebuild!
        XCTAssertEqual(rebuild.previousSize, .a)
        XCTAssertEqual(rebuild.generation, 3)
        XCTAssertEqual(rebuild.coalescedEvents, 0)
    }

    func testRule13_backToTheReallyBuiltSizeOwesNothing() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a), .at(100, scene, .b), .built(scene, size: .a, at: .ms(150)))
        engine.submit(.at(200, scene, .a))
        XCTAssertEqual(engine.finish(), [])
    }

    func testRule13_aBuiltEventCarriesItsSize() throws {
        let scene = SceneID(rawValue: 1)
        XCTAssertEqual(Event.built(scene, size: .a, at: .ms(1)).size, .a)
        XCTAssertNil(Event.built(scene, size: nil, at: .ms(1)).size)
    }

    // MARK: Rule 15

    func testRule15_orientationAloneNeverRebuilds() throws {
        let engine = try CheckedEngine(.uikit)
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a))
        engine.advance(to: .ms(0))
        for orientation in InterfaceOrientation.allCases {
            engine.submit(.geometry(scene, at: .ms(10), orientation: orientation))
            engine.submit(.geometry(scene, at: .ms(10), size: .a, orientation: orientation))
            XCTAssertFalse(engine.isPending(scene))
        }
        XCTAssertEqual(engine.finish(), [])
    }

    func testRule15_orientationIsCarriedThrough() {
        for orientation in InterfaceOrientation.allCases {
            let event = Event.geometry(
                SceneID(rawValue: 1), at: .ms(0), size: .a, isInteractivelyResizing: true,
                isInterfaceOrientationLocked: false, orientation: orientation)
            XCTAssertEqual(event.orientation, orientation)
            XCTAssertEqual(event.isInteractivelyResizing, true)
            XCTAssertEqual(event.isInterfaceOrientationLocked, false)
            XCTAssertEqual(event.size, .a)
        }
        XCTAssertNil(Event.geometry(SceneID(rawValue: 1), at: .ms(0)).orientation)
    }

    func testRule15_aTurnThatSwapsTheSidesRebuildsForTheSize() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        engine.submit(.at(0, scene, Size(width: 3, height: 4)))
        let turned = Size(width: 4, height: 3)
        engine.submit(.geometry(scene, at: .ms(100), size: turned, orientation: .landscapeLeft))
        XCTAssertEqual(engine.finish().last!.rebuild!.size, turned)
    }

    /// A batch may be taken as a run only as far as nothing armed within it fires.
    func testRule07_aShorterDelayArmedWithinABatchFiresWithinIt() throws {
        var engine = try Engine(policy: .drawn)
        let scene = try engine.connect()
        var decided: [String] = []
        let batch: [Event] = [
            .at(0, scene, .a), .at(50, scene, .b), .at(55, scene, .c), .at(56, scene, .c, resizing: true),
            .at(60, scene, .c, resizing: false), .at(100, scene, .a, resizing: false),
        ]
        engine.submit(batch.span) { decided.append($0.text) }
        let expected = [
            "40 rebuild 100×100 first", "56 began", "60 ended reported after 0.004 seconds",
            "80 rebuild 120×100 interactionEnded",
        ]
        XCTAssertEqual(decided, expected)
        engine.finish { decided.append($0.text) }
        XCTAssertEqual(decided, expected + ["120 rebuild 100×100 discrete"])
    }
}
