import Settle
import TestSupport
import XCTest

/// Rules 3, 4, 5 and 8: scene state, and interactions by the flag and by the pointer.
final class InteractionRulesTests: XCTestCase {
    // MARK: Rule 3

    func testRule03_nothingIsKnownOfANewScene() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        XCTAssertFalse(engine.isPending(scene))
        XCTAssertFalse(engine.isInteracting(scene))
        engine.submit(.at(0, scene), .connect(scene, at: .ms(0)), .flush(scene, at: .ms(0)))
        XCTAssertEqual(engine.finish(), [])
    }

    func testRule03_aSceneThatOnceReportedReportsForGood() throws {
        // Two steps of discreteDelay rather than four of quiet, long after the flag.
        try timeline(
            """
            size     a.........b...
            flag     Rr............
            drag     ()............
            rebuild  .....a......b.
            reason   .....1......d.
            """)
    }

    func testRule03_aFlagThatWasNeverOnIsNoEvidence() throws {
        try timeline(
            """
            size     a......b.....
            flag     rr.....rr....
            rebuild  ....a......b.
            reason   ....1......q.
            """)
    }

    func testRule03_anEventWithTheFlagOnMakesTheSceneReport() throws {
        for value in [true, false] {
            var engine = try Engine()
            let (scene, other) = (try engine.connect(), try engine.connect())
            engine.submit(.at(0, scene, Size(width: 5, height: 5))) { _ in }
            engine.submit(.pointer(button: 1, isPressed: true, at: .ms(1))) { _ in }
            engine.submit(.at(2, scene, Size(width: .nan, height: 5), resizing: value)) { _ in }
            XCTAssertFalse(engine.reportsResizing(scene))
            engine.submit(.at(3, scene, resizing: value)) { _ in }
            engine.submit(.at(4, scene, Size(width: 6, height: 5))) { _ in }
            XCTAssertEqual(engine.reportsResizing(scene), value)
            XCTAssertFalse(engine.reportsResizing(other))
            engine.disconnect(scene, at: .ms(5)) { _ in }
            XCTAssertFalse(engine.reportsResizing(scene))
        }
    }

    func testRule03_aFlagThatWasNeverOnDoesNotTouchWhatIsArmed() throws {
        try timeline(
            """
            size     a.....
            flag     .r....
            rebuild  ....a.
            reason   ....1.
            """)
    }

    func testRule03_aRebuildTellsWhatWasBuiltAndWhatItAnswers() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a), .at(10, scene, .b), .at(10, scene, .b))
        let first = engine.advance(to: .ms(90))[0].rebuild!
        XCTAssertEqual(first.size, .b)
        XCTAssertNil(first.previousSize)
        XCTAssertEqual(first.generation, 1)
        XCTAssertEqual(first.coalescedEvents, 3)
        XCTAssertNil(first.interactionDuration)
        engine.submit(.at(100, scene, .c, resizing: true), .at(170, scene, resizing: false))
        let second = engine.finish().last!.rebuild!
        XCTAssertEqual(second.previousSize, .b)
        XCTAssertEqual(second.generation, 2)
        XCTAssertEqual(second.coalescedEvents, 2)
        XCTAssertEqual(second.interactionDuration, .milliseconds(70))
    }

    // MARK: Rule 4

    func testRule04_aDragIsAnsweredOnceAfterItsEnd() throws {
        try timeline(
            """
            size     a...bcdefg......
            flag     r...RRRRR.r.....
            drag     ....(.....).....
            rebuild  ....a.......g...
            reason   ....1.......e...
            pending  ****......**....
            """)
    }

    func testRule04_aFlagWithoutANewSizeBeginsAndEnds() throws {
        try timeline(
            """
            size     a........
            flag     r...R.r..
            drag     ....(.)..
            rebuild  ....a....
            """)
    }

    func testRule04_theFlagInAnEventOfTheSameSizeBegins() throws {
        try timeline(
            """
            size     a...a.b.b....
            flag     r...R...r....
            drag     ....(...)....
            rebuild  ....a.....b..
            """)
    }

    func testRule04_theFinalSizeMayComeOnlyWithTheClearingEvent() throws {
        try timeline(
            """
            size     a......b....
            flag     r...R..r....
            drag     ....(..)....
            rebuild  ....a....b..
            reason   ....1....e..
            """)
    }

    func testRule04_theBeginDisarmsWhatIsPending() throws {
        try timeline(
            """
            size     a...b........
            flag     r....R....r..
            drag     .....(....)..
            rebuild  ....a.......b
            reason   ....1.......e
            pending  *****.....**.
            """)
    }

    func testRule04_repeatedFlagsDecideNothing() throws {
        try timeline(
            """
            size     a..........
            flag     rrr.RRR.rr.
            drag     ....(...)..
            rebuild  ....a......
            """)
    }

    func testRule04_theSizeOfTheBeginningEventIsPartOfTheDrag() throws {
        try timeline(
            .uikit,
            """
            size     ab.....
            flag     rR...r.
            drag     .(...).
            rebuild  a....b.
            """)
    }

    // MARK: Rule 5

    func testRule05_aSizeChangeUnderAHeldButtonBegins() throws {
        try timeline(
            """
            button   .....v.....^...
            size     a.......bcd....
            drag     ........(..^...
            rebuild  ....a........d.
            reason   ....1........e.
            """)
    }

    func testRule05_aClickBeginsNothing() throws {
        try timeline(
            """
            button   ......v.^......
            size     a......a.......
            rebuild  ....a..........
            """)
    }

    func testRule05_aWindowThatAppearsUnderAHeldButtonIsNotDragged() throws {
        // Nothing is built until step 5, so the change at step 1 is none of a hand's.
        try timeline(
            """
            button   v.........^...
            size     ab.....c......
            drag     .......(..^...
            rebuild  .....b......c.
            reason   .....1......e.
            """)
    }

    func testRule05_afterAFailedFirstBuildNothingIsBuiltEither() throws {
        try timeline(
            """
            button   .....v......
            size     a......b....
            call     ......x.....
            rebuild  ....a......b
            reason   ....1......1
            """)
    }

    func testRule05_aSceneThatReportsIgnoresThePointer() throws {
        try timeline(
            """
            button   ...v........^...
            size     a......b........
            flag     Rr..............
            drag     ()..............
            rebuild  .....a...b......
            reason   .....1...d......
            """)
    }

    func testRule05_aFlagThatWasNeverOnSaysNothingOfTheHand() throws {
        try timeline(
            """
            button   .v........^...
            size     a....b........
            flag     r....r........
            drag     .....(....^...
            rebuild  ....a.......b.
            reason   ....1.......e.
            """)
    }

    func testRule05_theChangeDisarmsWhatIsPending() throws {
        try timeline(
            """
            button   ......v......^..
            size     a....b.c........
            drag     .......(.....^..
            rebuild  ....a..........c
            """)
    }

    func testRule05_onlyTheLastButtonEnds() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a))
        engine.submit(.press(50, 1), .press(60, 3), .at(70, scene, .b))
        XCTAssertEqual(engine.submit(.release(80, 1)), [])
        XCTAssertTrue(engine.isInteracting(scene))
        XCTAssertEqual(engine.submit(.release(90, 3)).map(\.text), ["90 ended released after 0.02 seconds"])
        XCTAssertEqual(engine.finish().map(\.text), ["110 rebuild 110×100 interactionEnded"])
    }

    func testRule05_aReleaseOfAButtonThatIsNotHeldDoesNothing() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        engine.submit(.release(0, 1), .at(0, scene, .a), .press(50, 1), .press(50, 1), .at(60, scene, .b))
        XCTAssertEqual(engine.submit(.release(70, 2)), [])
        XCTAssertTrue(engine.isInteracting(scene))
        // Held buttons are a set: pressed twice, one release is enough.
        XCTAssertEqual(engine.submit(.release(80, 1)).count, 1)
    }

    func testRule05_theReleaseEndsSeveralScenesInTheOrderOfTheirBegin() throws {
        let engine = try CheckedEngine()
        let scenes = [try engine.connect(), try engine.connect(), try engine.connect()]
        for scene in scenes { engine.submit(.at(0, scene, .a)) }
        engine.submit(.press(50))
        let begins = [2, 0, 1].map { scenes[$0] }
        for scene in begins { engine.submit(.at(60, scene, .b)) }
        let ends = engine.submit(.release(70))
        XCTAssertEqual(ends.map(\.scene), begins)
        XCTAssertEqual(Set(ends.map(\.text)), ["70 ended released after 0.01 seconds"])
        XCTAssertEqual(engine.finish().map(\.scene), begins)
    }

    func testRule05_aSceneThatWasNotDraggedIsNotEnded() throws {
        let engine = try CheckedEngine()
        let (dragged, other) = (try engine.connect(), try engine.connect())
        engine.submit(.at(0, dragged, .a), .at(0, other, .a), .press(50), .at(60, dragged, .b))
        XCTAssertEqual(engine.submit(.release(70)).map(\.scene), [dragged])
    }

    func testRule05_sizesAfterTheReleaseUseReleasedEndDelay() throws {
        try timeline(
            """
            button   .....v...^......
            size     a......b..c.....
            drag     .......(.^......
            rebuild  ....a.......c...
            reason   ....1.......e...
            """)
    }

    func testRule05_theFlagTakesOverWhatThePointerBegan() throws {
        // No new begin at step 8, and the release at step 9 does not end it. A flag that was never on
        // takes nothing over.
        try timeline(
            """
            button   .....v...^.......
            size     a......b.........
            flag     ........R....r...
            drag     .......(.....)...
            rebuild  ....a..........b.
            """)
        try timeline(
            """
            button   .....v...^.......
            size     a......b.........
            flag     ........r........
            drag     .......(.^.......
            rebuild  ....a......b.....
            reason   ....1......e.....
            """)
    }

    // MARK: Rule 8

    func testRule08_noRebuildHoweverLongTheHandHoldsStill() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a))
        engine.submit(.at(50, scene, .b, resizing: true))
        XCTAssertEqual(engine.advance(to: .ms(1_000_000_000)), [])
        XCTAssertNil(engine.nextDeadline)
        XCTAssertEqual(engine.finish(), [])
    }

    func testRule08_maximumWaitDoesNotBreakIn() throws {
        try timeline(
            .drawn(maximumWait: .milliseconds(30)),
            """
            size     a...bcbcbcbcbc....
            flag     r...R.........r...
            drag     ....(.........)...
            rebuild  ...a............c.
            """)
    }

    func testRule08_holdsBetweenEveryBeginAndEnd() throws {
        for seed: UInt64 in 0..<300 {
            var interacting: Set<SceneID> = []
            for decision in try decisions(of: RandomStream(seed: seed)) {
                switch decision.kind {
                case .interactionBegan: XCTAssertTrue(interacting.insert(decision.scene).inserted, "seed \(seed)")
                case .interactionEnded: XCTAssertNotNil(interacting.remove(decision.scene), "seed \(seed)")
                case .rebuild(let rebuild) where rebuild.reason != .live:
                    XCTAssertFalse(interacting.contains(decision.scene), "seed \(seed)")
                default: break
                }
            }
        }
    }

    private func decisions(of stream: RandomStream) throws -> [Decision] {
        let engine = try CheckedEngine(stream.policy, scenesMax: stream.scenesMax, policiesMax: 128)
        var scenes: [SceneID] = []
        for action in stream.actions {
            switch action {
            case .connect(let policy): scenes.append(try engine.connect(policy: policy))
            case .setPolicy(let policy, let scene): try engine.setPolicy(policy, of: scenes[Int(scene)])
            case .event(var event):
                if event.kind != .pointer { event.scene = scenes[Int(event.scene.rawValue)] }
                engine.submit(event)
            }
        }
        engine.finish()
        return engine.decisions
    }
}
