import Foundation
import Settle
import Synchronization
import TestSupport
import XCTest

@testable import SettleLoop

/// The live engine's hooks, its policies and what it refuses.
final class HooksTests: XCTestCase {
    private func size(_ scene: SceneID, _ width: Double) -> Event {
        .geometry(scene, at: MonotonicClock.now, size: Size(width: width, height: 1))
    }

    func testHooksReportPassesRejectionsAndCoalescedEvents() throws {
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
        engine.post(size(stranger, 2))
        engine.stop()
        XCTAssertEqual(rejections.value.map(\.1), [.scene, .size, .scene])
        XCTAssertEqual(passes.value.reduce(0) { $0 + $1.decisions }, decisions.all.count)
        let events = engine.statistics.engine.events + engine.statistics.engine.rejected
        XCTAssertEqual(passes.value.reduce(0) { $0 + $1.events }, events)
    }

    func testEachHookIsCalledWithoutTheOthers() throws {
        for name in ["onPass", "onRejection", "onCoalesced"] {
            let calls = Locked(0)
            var hooks = LiveEngine.Hooks()
            switch name {
            case "onPass": hooks.onPass = { _ in calls.change { $0 += 1 } }
            case "onRejection": hooks.onRejection = { _, _ in calls.change { $0 += 1 } }
            default: hooks.onCoalesced = { _ in calls.change { $0 += 1 } }
            }
            let engine = try LiveEngine(.init(policy: .uikit), hooks: hooks) { _ in }
            let scene = try engine.connect()
            var source = try engine.makeSource(capacity: 2)
            for width in 1...9 { source.send(size(scene, Double(width))) }
            engine.post(size(scene, -1))
            engine.runOnce()
            engine.stop()
            XCTAssertGreaterThan(calls.value, 0, name)
        }
    }

    /// Each event makes one decision here. At the limit of scenes `connect` applies events as
    /// well, at any moment of a pass: these and their decisions belong to one report.
    func testAPassReportsEventsWithTheirDecisions() throws {
        let mismatches = Locked<[LiveEngine.Pass]>([])
        let total = Locked<UInt64>(0)
        let hooks = LiveEngine.Hooks(onPass: { pass in
            if pass.events != UInt64(pass.decisions) { mismatches.change { $0.append(pass) } }
            total.change { $0 += pass.events }
        })
        let engine = try LiveEngine(.init(policy: .uikit, scenesMax: 1), hooks: hooks)
        let scene = try engine.connect()
        let running = Atomic(3)
        // One states the flag, all connect: so the loop rarely locks its mutex undisturbed.
        for number in 0..<3 {
            let sender = Thread {
                for step in 0..<30_000 {
                    if number == 0 {
                        engine.post(.geometry(scene, at: MonotonicClock.now, isInteractivelyResizing: step % 2 == 0))
                    }
                    _ = try? engine.connect()
                }
                running.subtract(1, ordering: .releasing)
            }
            sender.start()
        }
        while running.load(ordering: .acquiring) > 0 { engine.runOnce() }
        engine.stop()
        XCTAssertEqual(mismatches.value, [])
        XCTAssertEqual(total.value, 30_000)
    }

    func testHooksRunOnTheLoopBeforeTheDecisionsOfThePass() throws {
        let calls = Locked<[String]>([])
        let box = Locked<LiveEngine?>(nil)
        @Sendable func note(_ name: String) {
            XCTAssertEqual(box.value?.executor.isCurrent, true, name)
            calls.change { if $0.last != name { $0.append(name) } }
        }
        let hooks = LiveEngine.Hooks(
            onPass: { _ in note("pass") }, onWakeUp: { _ in note("wake-up") },
            onRejection: { _, _ in note("rejection") }, onCoalesced: { _ in note("coalesced") })
        let engine = try LiveEngine(.init(policy: .uikit), hooks: hooks) { _ in note("decision") }
        box.change { $0 = engine }
        let scene = try engine.connect()
        var source = try engine.makeSource(capacity: 2)
        for width in 1...9 { source.send(size(scene, Double(width))) }
        engine.post(size(scene, -1))
        engine.runOnce()
        XCTAssertEqual(calls.value, ["coalesced", "rejection", "pass", "decision"])
        engine.stop()

        calls.change { $0 = [] }
        let started = try LiveEngine(.init(policy: .uikit), hooks: hooks) { _ in note("decision") }
        box.change { $0 = started }
        try started.start()
        while started.statistics.sleeps == 0 { usleep(100) }
        started.post(size(try started.connect(), 5))
        calls.wait { $0.last == "decision" }
        started.stop()
        XCTAssertEqual(calls.value.filter { $0 != "wake-up" }, ["pass", "decision"])
        XCTAssertEqual(calls.value.first, "wake-up")
        box.change { $0 = nil }
    }

    /// Their number is a sum over all sources.
    func testCoalescedEventsAreCountedForTheirHookOnly() throws {
        let engine = try Engine()
        let statistics = engine.statistics
        var reads = 0
        func coalesced() -> UInt64 {
            reads += 1
            return 7
        }
        func note(_ instrumentation: Instrumentation) {
            instrumentation.note(statistics, at: .zero, decisions: 0, rejections: [], coalesced: coalesced())
            instrumentation.report()
        }
        note(Instrumentation(LiveEngine.Hooks(onPass: { _ in }, onRejection: { _, _ in })))
        XCTAssertEqual(reads, 0)
        let reported = Locked<[UInt64]>([])
        let counting = Instrumentation(LiveEngine.Hooks(onCoalesced: { count in reported.change { $0.append(count) } }))
        for _ in 0..<2 { note(counting) }
        XCTAssertEqual(reads, 2)
        XCTAssertEqual(reported.value, [7])
    }

    private struct Broken: Error {}

    func testHooksReportWakeUpsAndFailedBuilds() async throws {
        try await assertFailuresAreReported { engine, own in
            try engine.makeRebuilder(build: { _, _ in throw Broken() }, onFailure: own)
        }
        try await assertFailuresAreReported { engine, own in
            try engine.makeRebuilder(
                prepare: { _, _ in 0 }, show: { _, _, _ in throw Broken() }, onFailure: own)
        }
        // The hook needs no closure of the rebuilder.
        try await assertFailuresAreReported(["hook 5×1 Broken()"]) { engine, _ in
            try engine.makeRebuilder(build: { _, _ in throw Broken() })
        }
    }

    private func assertFailuresAreReported(
        _ expected: [String] = ["hook 5×1 Broken()", "own"],
        _ rebuilderOf: (LiveEngine, @escaping AssetRebuilder.Failure) throws -> AssetRebuilder
    ) async throws {
        let wakeUps = Locked(0)
        let failures = Locked<[String]>([])
        let hooks = LiveEngine.Hooks(
            onWakeUp: { _ in wakeUps.change { $0 += 1 } },
            onBuildFailure: { _, rebuild, error in failures.change { $0.append("hook \(rebuild.size) \(error)") } })
        let engine = try LiveEngine(.init(policy: .uikit), hooks: hooks)
        let rebuilder = try rebuilderOf(engine) { _, _, _ in failures.change { $0.append("own") } }
        try engine.start()
        while engine.statistics.sleeps == 0 { try await Task.sleep(for: .milliseconds(1)) }
        engine.post(size(try engine.connect(), 5))
        wakeUps.wait { $0 > 0 }
        failures.wait { $0.count == expected.count }
        await rebuilder.waitUntilIdle()
        engine.stop()
        XCTAssertEqual(failures.value, expected)
    }

    /// Where a job enqueues the next one the loop goes on: that is no sleep, and no wake-up.
    func testASleepIsOnlyWhereNothingWaits() async throws {
        let woken = Locked<UInt64>(0)
        let engine = try LiveEngine(.init(policy: .uikit), hooks: .init(onWakeUp: { _ in woken.change { $0 += 1 } }))
        try engine.start()
        await Task(executorPreference: engine.executor) { for _ in 0..<1000 { await Task.yield() } }.value
        engine.stop()
        let statistics = engine.statistics
        XCTAssertGreaterThanOrEqual(statistics.passes, 1000)
        // Each sleep ends by a ring, since nothing is due.
        XCTAssertLessThanOrEqual(statistics.sleeps, statistics.wakeUps + 1)
        XCTAssertLessThanOrEqual(woken.value, statistics.sleeps)
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
        XCTAssertThrowsError(try engine.start()) { XCTAssertEqual($0 as? LoopError, .stopped) }
    }

    func testAnEngineIsStartedOnce() throws {
        func assertRefused(_ engine: LiveEngine, _ expected: LoopError, line: UInt = #line) {
            XCTAssertThrowsError(try engine.start(), line: line) {
                XCTAssertEqual($0 as? LoopError, expected, line: line)
            }
        }
        let started = try LiveEngine()
        try started.start()
        assertRefused(started, .alreadyStarted)
        started.stop()
        assertRefused(started, .stopped)
        let hosted = try LiveEngine()
        hosted.runOnce()
        assertRefused(hosted, .alreadyStarted)
        hosted.stop()
        assertRefused(hosted, .stopped)
    }
}
