import CSettle
import Settle
import TestSupport
import XCTest

/// Rule 17: previews of a size that is held within an interaction.
final class PreviewRulesTests: XCTestCase {
    private let pausing = Policy.drawn(pauseDelay: .milliseconds(30))

    func testRule17_aHeldSizeIsPreviewedAndNotBuilt() throws {
        try timeline(
            pausing,
            """
            size     a....bc......d.......
            flag     .....R...........r...
            drag     .....(...........)...
            rebuild  ....a..............d.
            preview  .........c......d....
            reason   ....1..............e.
            pending  ****.............**..
            """)
    }

    func testRule17_withoutPauseDelayNothingIsPreviewed() throws {
        try timeline(
            """
            size     a....b.........
            flag     .....R.........
            drag     .....(.........
            rebuild  ....a..........
            """)
    }

    func testRule17_outsideAnInteractionNothingIsPreviewed() throws {
        try timeline(
            pausing,
            """
            size     a......b........
            rebuild  ....a......b....
            """)
    }

    func testRule17_onlyAChangeArms() throws {
        try timeline(
            pausing,
            """
            size     a....a.........
            flag     .....R...R.....
            drag     .....(.........
            rebuild  ....a..........
            """)
    }

    func testRule17_eventsThatChangeNothingNeverPostpone() throws {
        try timeline(
            pausing,
            """
            size     a....bb0.........
            flag     .....RRR.........
            lock     ......L..........
            drag     .....(...........
            rebuild  ....a............
            preview  ........b........
            locked   .........L.......
            """)
    }

    func testRule17_theBuiltSizeDisarms() throws {
        try timeline(
            pausing,
            """
            size     a....b.a.........
            flag     .....R...........
            drag     .....(...........
            rebuild  ....a............
            """)
    }

    func testRule17_theSizePreviewedLastDisarms() throws {
        // b is shown when it comes back at step 10, and not when d was shown in between.
        try timeline(
            pausing,
            """
            size     a....b...cb......d....b.....
            flag     .....R......................
            drag     .....(......................
            rebuild  ....a.......................
            preview  ........b...........d....b..
            """)
    }

    func testRule17_theNextInteractionForgetsWhatWasPreviewed() throws {
        try timeline(
            pausing,
            """
            size     a....b..........cb.......
            flag     .....R...r.....R.........
            call     ..........c..............
            drag     .....(...).....(.........
            rebuild  ....a....................
            preview  ........b...........b....
            """)
    }

    func testRule17_theEndDisarms() throws {
        try timeline(
            pausing,
            """
            size     a....b.......
            flag     .....R.r.....
            drag     .....(.).....
            rebuild  ....a....b...
            """)
        try timeline(
            pausing,
            """
            button   .....v.^.....
            size     a....b.......
            drag     .....(.^.....
            rebuild  ....a....b...
            """)
    }

    func testRule17_aDisconnectDisarms() throws {
        try timeline(
            pausing,
            """
            size     a....b.......
            flag     .....R.......
            call     .......D.....
            drag     .....(.D.....
            rebuild  ....a........
            """)
    }

    func testRule17_whatThePointerBeganIsPreviewedToo() throws {
        try timeline(
            pausing,
            """
            button   ....v.....^.....
            size     a....b..........
            drag     .....(....^.....
            rebuild  ....a.......b...
            preview  ........b.......
            """)
    }

    func testRule17_theFlagThatTakesOverKeepsWhatIsArmed() throws {
        // And what was previewed: b, back at step 11, is not previewed again.
        try timeline(
            pausing,
            """
            button   ....v..............
            size     a....b....cb.......
            flag     .......R...........
            drag     .....(.............
            rebuild  ....a..............
            preview  ........b..........
            """)
    }

    func testRule17_cancelDisarmsUntilTheNextChange() throws {
        try timeline(
            pausing,
            """
            size     a....b...c.......
            flag     .....R...........
            call     .......c.........
            drag     .....(...........
            rebuild  ....a............
            preview  ............c....
            """)
    }

    func testRule17_cancelDisarmsAPreviewOfAReturnedSizeAsWell() throws {
        for (isCancelled, previews) in [(false, [Size(width: 500, height: 300)]), (true, [])] {
            var engine = try Engine(policy: pausing)
            let scene = try engine.connect()
            var previewed: [Size] = []
            func event(_ ms: UInt64, _ width: Double, resizing: Bool) -> Event {
                .geometry(
                    scene, at: Timestamp(nanoseconds: ms * 1_000_000), size: Size(width: width, height: 300),
                    isInteractivelyResizing: resizing)
            }
            let now = Timestamp(nanoseconds: 110_000_000)
            var events = [event(0, 400, resizing: false), event(100, 500, resizing: true)]
            events.append(.built(scene, size: Size(width: 500, height: 300), at: now))
            if isCancelled { events.append(.cancel(scene, at: now)) }
            let deliver = { (decision: Decision) in
                if case .preview(let size) = decision.kind { previewed.append(size) }
            }
            for event in events { engine.submit(event, deliver: deliver) }
            engine.advance(to: Timestamp(nanoseconds: 1_000_000_000), deliver: deliver)
            XCTAssertEqual(previewed, previews)
        }
    }

    func testRule17_flushDecidesNothing() throws {
        try timeline(
            pausing,
            """
            size     a....b.......
            flag     .....R.......
            call     ......f...f..
            drag     .....(.......
            rebuild  ....a........
            preview  ........b....
            """)
    }

    func testRule17_nothingBuiltIsNoReasonAgainstAPreview() throws {
        try timeline(
            pausing,
            """
            size     a...........
            flag     R...r.......
            drag     (...).......
            rebuild  ........a...
            preview  ...a........
            reason   ........1...
            """)
    }

    func testRule17_itIsForTheSizeAtItsDeadlineWhateverWasReturned() throws {
        let engine = try CheckedEngine(pausing)
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a), .at(50, scene, .b, resizing: true), .built(scene, size: .b, at: .ms(60)))
        XCTAssertEqual(engine.advance(to: .ms(80)).map(\.kind), [.preview(.b)])
        // A change to the returned size disarms, one to another arms.
        engine.submit(.at(90, scene, .a), .at(100, scene, .b))
        XCTAssertEqual(engine.advance(to: .ms(200)), [])
        engine.submit(.at(210, scene, .a))
        XCTAssertEqual(engine.finish().map(\.kind), [.preview(.a)])
    }

    func testRule17_aPreviewChangesNothingOfTheRebuild() throws {
        for pauseDelay in [Duration.milliseconds(30), nil] {
            let engine = try CheckedEngine(.drawn(pauseDelay: pauseDelay))
            let scene = try engine.connect()
            engine.submit(.at(0, scene, .a), .at(50, scene, .b, resizing: true))
            engine.advance(to: .ms(100))
            XCTAssertFalse(engine.isPending(scene))
            engine.submit(.at(110, scene, .b, resizing: false))
            XCTAssertEqual(
                engine.finish().last?.kind,
                .rebuild(
                    Rebuild(
                        size: .b, previousSize: .a, reason: .interactionEnded, generation: 2, coalescedEvents: 2,
                        interactionDuration: .milliseconds(60))))
        }
    }

    func testRule17_aZeroDelayPreviewsBeforeTheNextEventOfTheSameTime() throws {
        let engine = try CheckedEngine(.drawn(pauseDelay: .zero))
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a, resizing: true))
        XCTAssertEqual(engine.submit(.at(0, scene, .b)).map(\.kind), [.preview(.a)])
        XCTAssertEqual(engine.submit(.at(0, scene, resizing: false)).map(\.kind).first, .preview(.b))
    }

    func testRule17_anEndOfALogPreviewsAndBuildsNothing() throws {
        let engine = try CheckedEngine(pausing)
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a, resizing: true))
        XCTAssertEqual(engine.finish().map(\.kind), [.preview(.a)])
        XCTAssertEqual(engine.now, .ms(30))
        XCTAssertTrue(engine.isInteracting(scene))
    }

    // MARK: Ties (rule 1)

    func testRule01_inOneEventTheWatchdogComesBeforeThePreviewAndTheLockLast() throws {
        let same = Duration.milliseconds(30)
        // The end disarms the preview of the same time.
        let engine = try CheckedEngine(.drawn(pauseDelay: same, interactionTimeout: same))
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a, resizing: true, locked: true))
        XCTAssertEqual(
            engine.finish().map(\.text),
            ["30 ended timeout after 0.03 seconds", "30 locked", "70 rebuild 100×100 first"])
        let patient = try CheckedEngine(pausing)
        let other = try patient.connect()
        patient.submit(.at(0, other, .a, resizing: true, locked: true))
        XCTAssertEqual(patient.finish().map(\.kind), [.preview(.a), .lockChanged(isLocked: true)])
    }

    func testRule01_overTwoEventsTheEarlierArmedComesFirst() throws {
        let engine = try CheckedEngine(.drawn(lockDelay: .milliseconds(40), pauseDelay: .milliseconds(30)))
        let (first, second) = (try engine.connect(), try engine.connect())
        engine.submit(.at(0, first, resizing: true, locked: true), .at(10, second, .a, resizing: true))
        engine.submit(.at(10, first, .a))
        let decided = engine.finish()
        XCTAssertEqual(decided.map(\.at), [.ms(40), .ms(40), .ms(40)])
        XCTAssertEqual(decided.map(\.scene), [first, second, first])
        XCTAssertEqual(decided.map(\.kind), [.lockChanged(isLocked: true), .preview(.a), .preview(.a)])
    }

    /// A watchdog that was armed anew comes after a preview that was not.
    func testRule01_aPreviewComesBeforeAWatchdogThatWasArmedLater() throws {
        let engine = try CheckedEngine(
            .drawn(pauseDelay: .milliseconds(30), interactionTimeout: .milliseconds(20)))
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a, resizing: true), .at(10, scene, resizing: true))
        XCTAssertEqual(
            engine.advance(to: .ms(30)).map(\.kind),
            [.preview(.a), .interactionEnded(.timeout, duration: .milliseconds(30))])
    }

    // MARK: Policies

    func testRule17_aPolicyWithoutPauseDelayDisarms() throws {
        let engine = try CheckedEngine(pausing)
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a, resizing: true))
        try engine.setPolicy(.drawn(pauseDelay: .milliseconds(90)), of: scene)
        XCTAssertEqual(engine.nextDeadline, .ms(30), "what is armed stays")
        try engine.setPolicy(.drawn, of: scene)
        XCTAssertNil(engine.nextDeadline)
        try engine.setPolicy(pausing, of: scene)
        XCTAssertNil(engine.nextDeadline, "only a change arms")
        engine.submit(.at(100, scene, .b))
        XCTAssertEqual(engine.finish().map(\.kind), [.preview(.b)])
    }

    /// The deadline of the scene counts, not that of another one.
    func testRule17_aShorterPauseDelayCountsFromTheNextChangeOfThatScene() throws {
        let engine = try CheckedEngine(.drawn(pauseDelay: .milliseconds(20)))
        let (first, second) = (try engine.connect(), try engine.connect())
        try engine.setPolicy(.drawn(pauseDelay: .milliseconds(90)), of: second)
        engine.submit(.at(0, first, .a, resizing: true), .at(0, second, .a, resizing: true))
        XCTAssertEqual(engine.advance(to: .ms(20)).map(\.scene), [first])
        try engine.setPolicy(.drawn(pauseDelay: .milliseconds(20)), of: second)
        engine.submit(.at(30, second, .b), .at(35, first, .b))
        XCTAssertEqual(engine.nextDeadline, .ms(50))
        XCTAssertEqual(engine.advance(to: .ms(60)).map(\.scene), [second, first])
    }

    // MARK: The C core

    private func pausingPolicy() -> settle_policy {
        var policy = plainPolicy
        policy.pause_delay_ns = 30
        return policy
    }

    func testPreviews_areRefusedWhereThereIsNoRoomForThem() throws {
        var (policy, number) = (pausingPolicy(), UInt32(0))
        XCTAssertEqual(settle_core_add_policy(try makeCore(), &policy, &number), invalid)
        XCTAssertEqual(
            settle_core_add_policy(try makeCore { $0.features = SETTLE_PREVIEWS.rawValue }, &policy, &number), ok)
        // The default policy makes room as well.
        let core = try makeCore { $0.policy.pause_delay_ns = 5 }
        XCTAssertEqual(settle_core_add_policy(core, &policy, &number), ok)
    }

    func testPreviews_carryTheSizeAndWhatIsBuilt() throws {
        let core = try makeCore { $0.policy.pause_delay_ns = 30 }
        let scene = connect(core)
        let resizing = SETTLE_RESIZING_KNOWN.rawValue | SETTLE_RESIZING.rawValue
        submit(core, settle_event_geometry(scene, 0, 400, 300, 0), event(SETTLE_FLUSH, scene))
        submit(core, settle_event_geometry(scene, 10, 500, 200, resizing))
        XCTAssertEqual(settle_core_next_deadline_ns(core), 40)
        XCTAssertEqual(settle_core_finish(core), ok)
        let preview = try XCTUnwrap(popAll(core).last)
        XCTAssertEqual([preview.kind, preview.reason], [UInt8(SETTLE_PREVIEW.rawValue), 0])
        XCTAssertEqual([preview.width, preview.height], [500, 200])
        XCTAssertEqual([preview.previous_width, preview.previous_height], [400, 300])
        XCTAssertEqual([preview.at_ns, preview.interaction_ns], [40, 0])
        XCTAssertEqual([preview.generation, preview.coalesced], [0, 0])
    }
}
