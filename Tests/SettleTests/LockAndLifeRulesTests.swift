import Settle
import TestSupport
import XCTest

/// Rules 9 and 10: the lock, and the life of a scene's identity.
final class LockAndLifeRulesTests: XCTestCase {
    // MARK: Rule 9

    func testRule09_aNewValueIsDeliveredWhenItHeld() throws {
        try timeline(
            """
            lock     L......l....
            locked   ...L......l.
            """)
    }

    func testRule09_aBounceIsNotDelivered() throws {
        try timeline(
            """
            lock     L.lL.l......
            locked   ............
            """)
        // The value counts from its last change.
        try timeline(
            """
            lock     L.lL.......
            locked   ......L....
            """)
    }

    func testRule09_repeatsDoNotPostpone() throws {
        try timeline(
            """
            lock     LLLL..
            locked   ...L..
            """)
    }

    func testRule09_anUnlockedSceneIsNoNews() throws {
        try timeline(
            """
            lock     l...l..
            locked   .......
            """)
    }

    func testRule09_theLockIsIndependentOfTheInteraction() throws {
        try timeline(
            """
            size     a...bc........
            flag     r...R......r..
            lock     .....L........
            drag     ....(......)..
            rebuild  ....a........c
            locked   ........L.....
            """)
    }

    func testRule09_flushAndCancelDoNotTouchTheLock() throws {
        try timeline(
            """
            size     a......
            lock     L......
            call     .fc....
            rebuild  .a.....
            locked   ...L...
            """)
    }

    // MARK: Rule 10

    func testRule10_disconnectingInADragEndsIt() throws {
        try timeline(
            """
            size     a...b........
            flag     r...R........
            lock     .....L.......
            call     ......D......
            drag     ....(.D......
            rebuild  ....a........
            """)
    }

    func testRule10_nothingIsDecidedAfterwards() throws {
        try timeline(
            """
            size     a.........
            lock     L.........
            call     ..D.......
            pending  **........
            """)
    }

    func testRule10_whatIsDueAtThatTimeComesFirst() throws {
        try timeline(
            """
            size     a.........
            call     ....D.....
            rebuild  ....a.....
            """)
    }

    func testRule10_aStaleSceneIsRejectedAndCounted() throws {
        let engine = try CheckedEngine()
        let scene = try engine.connect()
        engine.submit(.at(0, scene, .a), .disconnect(scene, at: .ms(10)))
        engine.submit(
            .at(50, scene, .b), .disconnect(scene, at: .ms(50)), .flush(scene, at: .ms(50)),
            .cancel(scene, at: .ms(50)), .built(scene, size: .a, at: .ms(50)), .connect(scene, at: .ms(50)))
        XCTAssertEqual(engine.statistics.rejectedScenes, 6)
        XCTAssertEqual(engine.statistics.scenes, 0)
        XCTAssertEqual(engine.now, .ms(10))
        XCTAssertEqual(engine.finish(), [])
    }

    func testRule10_theReleaseOfAButtonFindsNoDisconnectedScene() throws {
        let engine = try CheckedEngine()
        let (first, second) = (try engine.connect(), try engine.connect())
        engine.submit(.at(0, first, .a), .at(0, second, .a), .press(50), .at(60, first, .b), .at(60, second, .b))
        engine.submit(.disconnect(first, at: .ms(70)))
        XCTAssertEqual(engine.submit(.release(80)).map(\.scene), [second])
    }

    func testRule10_aSceneThatReusesASlotStartsFromNothing() throws {
        let engine = try CheckedEngine(scenesMax: 1)
        let old = try engine.connect()
        engine.submit(.at(0, old, .a, resizing: true, locked: true), .disconnect(old, at: .ms(10)))
        let new = try engine.connect()
        XCTAssertNotEqual(old, new)
        engine.submit(.at(20, new, .a))
        XCTAssertFalse(engine.isPending(old))
        XCTAssertEqual(engine.finish().map(\.text), ["60 rebuild 100×100 first"])
        XCTAssertEqual(engine.decisions.last!.rebuild!.generation, 1)
    }

    func testRule10_noHandleOfTenThousandLivesIsTakenForAnother() throws {
        var engine = try Engine(.init(scenesMax: 1))
        var seen: Set<SceneID> = []
        var last = try engine.connect()
        for life in 0..<10_000 {
            XCTAssertTrue(seen.insert(last).inserted, "life \(life) has the handle of an earlier one")
            engine.submit(.disconnect(last, at: .ms(life))) { _ in }
            let next = try engine.connect()
            engine.submit(.at(life, last, .a)) { _ in }
            XCTAssertFalse(engine.isPending(last))
            last = next
        }
        XCTAssertEqual(engine.statistics.rejectedScenes, 10_000)
    }

    func testRule10_handlesStayApartInALargeEngine() throws {
        var engine = try Engine(.init(scenesMax: Engine.scenesLimit))
        let first = try engine.connect()
        engine.submit(.disconnect(first, at: .ms(0))) { _ in }
        for life in 0..<10_000 {
            let scene = try engine.connect()
            XCTAssertNotEqual(scene, first, "life \(life)")
            engine.submit(.disconnect(scene, at: .ms(0))) { _ in }
        }
    }
}
