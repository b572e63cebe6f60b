import Settle
import TestSupport
import XCTest

@testable import SettleLoop

/// The live engine's hooks, its policies and what it refuses.
final class HooksTests: XCTestCase {
    private func size(_ scene: SceneID, _ width: Double) -> Event {
        .geometry(scene, at: MonotonicClock.now, size: Size(width: width, height: 1))
    }

    func testHooksTellOfPassesRejectionsAndCoalescedEvents() throws {
        let passes = Locked<[LiveEngine.Pass]>([])
        let rejections = Locked<[(SceneID, Rejection)]>([])
        let coalesced = Locked<UInt64>(0)
        let decisions = Collected()
        let hooks = LiveEngine.Hooks(
            onPass: { pass in passes.change { $0.append(pass) } },
            onRejection: { event, reason in rejections.change { $0.append((event.scene, reason)) } },
            onCoalesced: { count in coalesced.change { $0 += count } })
        let engine = try LiveEngine(.init(policy: .uikit), hooks: hooks) { decisions.add($0) }
        let scene = try engine.connect()
        let stranger = SceneID(rawValue: 77)
        var source = try engine.makeSource(capacity: 2)
        source.send(size(scene, 1))
        source.send(size(stranger, 1))
        engine.runOnce()
        XCTAssertEqual(passes.value.map(\.events), [2])
        XCTAssertEqual(passes.value.map(\.decisions), [1])
        XCTAssertEqual(rejections.value.map(\.0), [stranger])
        XCTAssertEqual(rejections.value.map(\.1), [.scene])
        XCTAssertEqual(coalesced.value, 0)
        // Nothing to report.
        engine.runOnce()
        XCTAssertEqual(passes.value.count, 1)
        for width in 2...9 { source.send(size(scene, Double(width))) }
        engine.runOnce()
        XCTAssertGreaterThan(coalesced.value, 0)
        XCTAssertEqual(coalesced.value, engine.statistics.coalesced)
        engine.post(size(scene, -1))
        engine.stop()
        XCTAssertEqual(rejections.value.map(\.1), [.scene, .size])
        XCTAssertEqual(passes.value.reduce(0) { $0 + $1.decisions }, decisions.all.count)
        let events = engine.statistics.engine.events + engine.statistics.engine.rejected
        XCTAssertEqual(passes.value.reduce(0) { $0 + $1.events }, events)
    }

    func testHooksTellOfWakeUpsAndFailedBuilds() async throws {
        struct Broken: Error {}
        let wakeUps = Locked(0)
        let failures = Locked<[String]>([])
        let hooks = LiveEngine.Hooks(
            onWakeUp: { _ in wakeUps.change { $0 += 1 } },
            onBuildFailure: { _, rebuild, error in failures.change { $0.append("hook \(rebuild.size) \(error)") } })
        let engine = try LiveEngine(.init(policy: .uikit), hooks: hooks)
        let rebuilder = try engine.makeRebuilder { _, _ in
            throw Broken()
        } onFailure: { _, _, _ in
            failures.change { $0.append("own") }
        }
        try engine.start()
        while engine.statistics.sleeps == 0 { try await Task.sleep(for: .milliseconds(1)) }
        engine.post(size(try engine.connect(), 5))
        wakeUps.wait { $0 > 0 }
        failures.wait { $0.count == 2 }
        await rebuilder.waitUntilIdle()
        engine.stop()
        XCTAssertEqual(failures.value, ["hook 5×1 Broken()", "own"])
    }

    func testAPolicyChangesWhileTheSceneLives() throws {
        let decisions = Collected()
        let engine = try LiveEngine { decisions.add($0) }
        let scene = try engine.connect()
        try engine.setPolicy(.uikit, of: scene)
        engine.post(size(scene, 3))
        engine.runOnce()
        XCTAssertEqual(decisions.rebuildWidths, [3], "without the default policy's quiet time")
        XCTAssertThrowsError(try engine.setPolicy(.uikit, of: SceneID(rawValue: 77))) {
            XCTAssertEqual($0 as? EngineError, .unknownScene(SceneID(rawValue: 77)))
        }
        engine.stop()
    }

    func testFlushAndCancelArePosted() throws {
        let decisions = Collected()
        let engine = try LiveEngine { decisions.add($0) }
        let scene = try engine.connect()
        engine.post(size(scene, 3))
        engine.flush(scene)
        engine.runOnce()
        XCTAssertEqual(decisions.rebuildWidths, [3])
        engine.post(size(scene, 4))
        engine.cancel(scene)
        engine.runOnce()
        XCTAssertFalse(engine.isPending(scene))
        engine.stop()
        XCTAssertEqual(decisions.rebuildWidths, [3])
    }

    func testWhatAnEngineRefusesIsThrown() throws {
        let engine = try LiveEngine()
        _ = try engine.makeRebuilder { _, _ in }
        XCTAssertThrowsError(try engine.makeRebuilder { _, _ in }) {
            XCTAssertEqual($0 as? LoopError, .secondRebuilder)
        }
        for capacity in [0, 3, -4, 1 << 25] {
            do {
                _ = try engine.makeSource(capacity: capacity)
                XCTFail("a capacity of \(capacity)")
            } catch {
                XCTAssertEqual(error, .capacityOutOfRange(capacity, largest: 1 << 24))
            }
        }
        let scene = try engine.connect()
        engine.stop()
        XCTAssertThrowsError(try engine.connect()) { XCTAssertEqual($0 as? EngineError, .stopped) }
        XCTAssertThrowsError(try engine.setPolicy(.uikit, of: scene)) {
            XCTAssertEqual($0 as? EngineError, .stopped)
        }
        XCTAssertThrowsError(try engine.makeRebuilder { _, _ in }) { XCTAssertEqual($0 as? LoopError, .stopped) }
        XCTAssertThrowsError(try engine.start()) { XCTAssertEqual($0 as? LoopError, .alreadyStarted) }
    }
}
