import CSettle
import TestSupport
import XCTest

/// The core reads exactly the events of a batch, nothing behind them, and each of its code
/// paths for batches has the same result.
final class CoreBatchTests: XCTestCase {
    private let sized = Int(SETTLE_SIZE_KNOWN.rawValue)
    private let pressed = Int(SETTLE_PRESSED.rawValue)

    private func geometry(_ scene: settle_scene, at: UInt64, _ width: Double, _ height: Double = 1, flags: Int = 0)
        -> settle_event
    { event(SETTLE_GEOMETRY, scene, at: at, width, height, flags: sized | flags) }

    /// Submits events that end where the memory ends.
    @discardableResult
    private func submitGuarded(_ core: OpaquePointer, _ events: [settle_event], count: Int? = nil) -> (Int32, Int) {
        let bytes = events.count * MemoryLayout<settle_event>.stride
        let memory = GuardedMemory(byteCount: bytes)
        events.withUnsafeBytes { memory.start.copyMemory(from: $0.baseAddress!, byteCount: bytes) }
        var accepted = -1
        let result = settle_core_submit(
            core, memory.start.assumingMemoryBound(to: settle_event.self), count ?? events.count, &accepted)
        return (result, accepted)
    }

    func testBatch_takesNoEventBeyondItsCount() throws {
        for count in 0...5 {
            let core = try makeCore()
            let scene = connect(core)
            // A scene without a build has no runs.
            submit(core, event(SETTLE_REALLY_BUILT, scene, 5, 5), geometry(scene, at: 0, 1))
            let events = (1...6).map { geometry(scene, at: UInt64($0), Double($0 + 10)) }
            let (result, accepted) = submitGuarded(core, events, count: count)
            XCTAssertEqual(result, ok)
            XCTAssertEqual(accepted, count)
            XCTAssertEqual(settle_core_stats(core).events, UInt64(2 + count))
            XCTAssertEqual(settle_core_now_ns(core), UInt64(count))
            XCTAssertEqual(settle_core_finish(core), ok)
            XCTAssertEqual(popAll(core).map(\.width), [count == 0 ? 1 : Double(count + 10)])
        }
    }

    /// For one scene and for several, up to more events than are asked for ahead, in a small
    /// core and in one that asks for its scenes' memory ahead. 128 events fill a page.
    func testBatch_readsNoByteOutsideOfIt() throws {
        for scenesMax: UInt32 in [2, 20_000] {
            let core = try makeCore { $0.scenes_max = scenesMax }
            let scenes = (0..<Int(scenesMax)).map { _ in connect(core) }
            var now: UInt64 = 0
            for scene in scenes[0...1] { submit(core, event(SETTLE_REALLY_BUILT, scene, 5, 5)) }
            for count in [1, 2, 3, 24, 25, 26, 49, 128] {
                for sceneCount in 1...2 {
                    let events = (0..<count).map { index in
                        now += 1
                        return geometry(scenes[index % sceneCount], at: now, Double(now))
                    }
                    let (result, accepted) = submitGuarded(core, events)
                    XCTAssertEqual(result, ok)
                    XCTAssertEqual(accepted, count)
                }
            }
            XCTAssertEqual(settle_core_now_ns(core), now)
            XCTAssertEqual(settle_core_stats(core).events, now + 2)
            XCTAssertEqual(settle_core_finish(core), ok)
            XCTAssertEqual(popAll(core).map(\.width), [Double(now - 1), Double(now)])
        }
    }

    /// What the memory held before may look like a scene with a pending rebuild, or that reports.
    func testHandles_ofSlotsNeverUsedAreRejectedWhateverTheMemoryHeld() throws {
        for (filler, flags) in [(UInt8(0xA5), 0), (0xA5, Int(SETTLE_RESIZING_KNOWN.rawValue)), (0x34, 0)] {
            let leftOver = settle_scene(filler) * 0x0101_0101
            let slot = Int(leftOver & 0x3FFF)
            for used in [1, slot, slot + 1] {
                let core = try makeCore(filler: filler) { $0.scenes_max = 0x4000 }
                let scenes = (0..<used).map { _ in connect(core) }
                let last = scenes[used - 1]
                // Later than what such a slot takes for its deadline.
                let start: UInt64 = 4_000_000_000_000_000_000
                func known(_ at: UInt64, _ width: Double) -> settle_event { geometry(last, at: start + at, width) }
                func left(_ at: UInt64, _ width: Double) -> settle_event {
                    geometry(leftOver, at: start + at, width, flags: flags)
                }
                submit(core, known(0, 1), left(1, 2))
                submit(core, left(2, 3))
                submit(core, known(3, 4), left(4, 5), known(5, 6))
                submit(
                    core, event(SETTLE_FLUSH, leftOver, at: start + 6),
                    event(SETTLE_DISCONNECT, leftOver, at: start + 6))
                XCTAssertEqual(settle_core_stats(core).rejected_scene, 5, "\(used) scenes")
                XCTAssertEqual(settle_core_stats(core).events, 3)
                XCTAssertEqual(settle_core_stats(core).scenes, UInt32(used))
                XCTAssertFalse(settle_core_pending(core, leftOver))
                XCTAssertFalse(settle_core_interacting(core, leftOver))
                var (width, height) = (0.0, 0.0)
                XCTAssertFalse(settle_core_known_size(core, leftOver, &width, &height))
                XCTAssertEqual(settle_core_finish(core), ok)
                XCTAssertEqual(popAll(core).map(\.width), [6])
            }
        }
    }

    /// A loop that wakes for the bound must not be woken for it again, whether it asks for the
    /// exact deadline as well or not.
    func testWake_isLaterThanTheTimeThatWasAdvancedTo() throws {
        for (asksExactly, start) in [(false, 0), (true, 0), (true, 1 << 60)] as [(Bool, UInt64)] {
            let core = try makeCore()
            let scenes = [connect(core), connect(core), connect(core)]
            var now = start
            for step in 0..<200 {
                for (index, scene) in scenes.enumerated() where step % (3 + 4 * index) == 0 {
                    submit(core, geometry(scene, at: now, Double(step + 1)))
                }
                XCTAssertEqual(settle_core_advance(core, now), ok)
                let wake = settle_core_next_wake_ns(core)
                XCTAssertGreaterThan(wake, now, "step \(step)")
                if asksExactly {
                    // Later than the bound or as late, and the bound from now on.
                    let deadline = settle_core_next_deadline_ns(core)
                    XCTAssertLessThanOrEqual(wake, deadline)
                    XCTAssertEqual(settle_core_next_wake_ns(core), deadline)
                }
                _ = popAll(core)
                now = step % 5 == 0 && wake != UInt64.max ? wake : now + 17_000_000
            }
            XCTAssertEqual(settle_core_finish(core), ok)
            XCTAssertEqual(settle_core_next_wake_ns(core), UInt64.max)
            XCTAssertEqual(settle_core_next_deadline_ns(core), UInt64.max)
            // The only deadline goes away with its scene.
            submit(core, geometry(scenes[0], at: settle_core_now_ns(core), 1_000))
            submit(core, event(SETTLE_DISCONNECT, scenes[0], at: settle_core_now_ns(core)))
            XCTAssertEqual(settle_core_next_deadline_ns(core), UInt64.max)
            XCTAssertEqual(settle_core_next_wake_ns(core), UInt64.max)
        }
    }

    func testAdvance_saysFullUntilWhatIsDueHasRoom() throws {
        let core = try makeCore { $0.decisions_max = 1 }
        let scenes = [connect(core), connect(core)]
        for scene in scenes { submit(core, geometry(scene, at: 0, 5)) }
        XCTAssertEqual(settle_core_advance(core, 1_000_000_000), full)
        XCTAssertEqual(settle_core_now_ns(core), 150_000_000)
        XCTAssertEqual(settle_core_next_wake_ns(core), 150_000_000)
        XCTAssertEqual(submit(core, geometry(scenes[0], at: 2_000_000_000, 6)), full)
        XCTAssertEqual(settle_core_finish(core), full)
        XCTAssertEqual(popAll(core).map(\.scene), [scenes[0]])
        XCTAssertEqual(settle_core_advance(core, 1_000_000_000), ok)
        XCTAssertEqual(settle_core_now_ns(core), 1_000_000_000)
        XCTAssertEqual(popAll(core).map(\.scene), [scenes[1]])
    }

    // MARK: Buttons

    /// Only a button that is pressed counts: an event of another kind may carry the flag.
    func testButtons_asManyAsThereMayBeRefuseOneMoreAndNothingElse() throws {
        let core = try makeCore()
        let scene = connect(core)
        let most = UInt32(SETTLE_BUTTONS_MAX)
        for button in 1...most { XCTAssertEqual(submit(core, event(SETTLE_POINTER, button, flags: pressed)), ok) }
        submit(core, event(SETTLE_POINTER, most + 1, flags: pressed))
        XCTAssertEqual(settle_core_stats(core).rejected_event, 1)
        // One that is held already, one that is not, and kinds that are no buttons.
        submit(core, event(SETTLE_POINTER, most, flags: pressed), event(SETTLE_POINTER, most + 1))
        submit(
            core, geometry(scene, at: 1, 5, flags: pressed),
            event(SETTLE_REALLY_BUILT, scene, at: 1, 5, 1, flags: pressed))
        XCTAssertEqual(settle_core_stats(core).rejected_event, 1)
        XCTAssertEqual(settle_core_stats(core).events, UInt64(most) + 4)
        submit(core, geometry(scene, at: 2, 6))
        XCTAssertTrue(settle_core_interacting(core, scene))
        for button in (1...most).reversed() {
            XCTAssertEqual(settle_core_buttons_held(core), button)
            XCTAssertTrue(settle_core_interacting(core, scene))
            submit(core, event(SETTLE_POINTER, button, at: 3))
        }
        XCTAssertEqual(settle_core_buttons_held(core), 0)
        XCTAssertFalse(settle_core_interacting(core, scene))
    }

    /// One of two that goes up ends nothing, so there is nothing to wake for.
    func testButtons_oneThatGoesUpBesideAnotherWakesNobody() throws {
        let core = try makeCore()
        let scene = connect(core)
        submit(core, geometry(scene, at: 5, 1), event(SETTLE_POINTER, 1, at: 5, flags: pressed))
        submit(core, event(SETTLE_POINTER, 2, at: 5, flags: pressed), event(SETTLE_POINTER, 1, at: 6))
        XCTAssertEqual(settle_core_next_wake_ns(core), settle_core_next_deadline_ns(core))
        submit(core, event(SETTLE_POINTER, 7, at: 6), event(SETTLE_POINTER, 1, at: 6))
        XCTAssertGreaterThan(settle_core_next_wake_ns(core), 6)
    }

    /// Rule 5, at the beginning of time: no event overtakes a release that waits for room.
    func testRelease_comesBeforeTheNextEventAlsoAtTimeZero() throws {
        let core = try makeCore { $0.decisions_max = 1 }
        let (a, b) = (connect(core), connect(core))
        submit(core, event(SETTLE_REALLY_BUILT, a, 50, 50), event(SETTLE_REALLY_BUILT, b, 50, 50))
        submit(core, event(SETTLE_POINTER, 1, flags: pressed))
        for scene in [a, b] {
            submit(core, geometry(scene, at: 0, 100))
            XCTAssertEqual(popAll(core).map(\.kind), [UInt8(SETTLE_INTERACTION_BEGAN.rawValue)])
        }
        XCTAssertEqual(submit(core, event(SETTLE_POINTER, 1)), full)
        // That of a scene which is not dragged would be decided by nothing else.
        let other = connect(core)
        XCTAssertEqual(submit(core, geometry(other, at: 0, 120)), full)
        XCTAssertEqual(settle_core_stats(core).events, 6)
        XCTAssertEqual(popAll(core).map(\.scene), [a])
        XCTAssertEqual(submit(core, geometry(other, at: 0, 120)), full)
        XCTAssertEqual(settle_core_stats(core).events, 6)
        XCTAssertEqual(popAll(core).map(\.scene), [b])
    }
}
