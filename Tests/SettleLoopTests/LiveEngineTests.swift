import Foundation
import Settle
import TestSupport
import XCTest

@testable import SettleLoop

/// A geometry event of now.
private func geometry(_ scene: SceneID, _ width: Double, resizing: Bool? = nil, after: UInt64 = 0) -> Event {
    .geometry(
        scene, at: Timestamp(nanoseconds: MonotonicClock.now.nanoseconds + after),
        size: Size(width: width, height: 1),
        isInteractivelyResizing: resizing)
}

final class LiveEngineTests: XCTestCase {
    private let quick = Policy.fixed(.milliseconds(5))

    func testADragComesToOneRebuildWhenItEnds() throws {
        let decisions = Collected()
        let engine = try LiveEngine(policy: quick) { decisions.add($0) }
        try engine.start()
        var source = try engine.makeSource()
        let scene = try engine.connect()
        for width in 1...1000 { source.send(geometry(scene, Double(width), resizing: true)) }
        source.send(geometry(scene, 1000, resizing: false))
        decisions.wait { $0.contains { $0.isRebuild } }
        engine.stop()
        XCTAssertEqual(decisions.rebuildWidths, [1000])
        XCTAssertEqual(decisions.all.count, 3)
    }

    func testNoDecisionIsEarlyAndItsTimeIsTheDeadline() throws {
        let lateness = Locked<[Int64]>([])
        let engine = try LiveEngine(policy: quick) { decision in
            let now = MonotonicClock.now
            lateness.change { $0.append(Int64(now.nanoseconds) - Int64(decision.at.nanoseconds)) }
        }
        try engine.start()
        var source = try engine.makeSource()
        let scene = try engine.connect()
        for width in 1...20 {
            source.send(geometry(scene, Double(width)))
            usleep(7000 + UInt32(width) * 137)
        }
        engine.stop()
        XCTAssertGreaterThan(lateness.value.count, 10)
        XCTAssertGreaterThanOrEqual(lateness.value.min() ?? -1, 0)
    }

    func testIdleMeansAsleep() throws {
        let engine = try LiveEngine { _ in }
        try engine.start()
        let source = try engine.makeSource()
        // On a busy machine the loop may be about to go to sleep for a while.
        var (before, after) = (engine.statistics, engine.statistics)
        for _ in 0..<10 {
            before = engine.statistics
            usleep(300_000)
            after = engine.statistics
            if before.passes == after.passes { break }
        }
        XCTAssertEqual(before.passes, after.passes)
        XCTAssertEqual(before.wakeUps, after.wakeUps)
        engine.stop()
        _ = consume source
    }

    func testABlockingSourceLosesNothingAndAFullRingHoldsItUp() throws {
        let engine = try LiveEngine(policy: .uikit) { _ in }
        var source = try engine.makeSource(capacity: 16, overload: .block)
        let scene = try engine.connect()
        try engine.start()
        for index in 0..<50_000 { source.send(geometry(scene, Double(1 + index % 7))) }
        engine.stop()
        XCTAssertEqual(engine.statistics.engine.events, 50_000)
        XCTAssertEqual(engine.statistics.coalesced, 0)
    }

    func testCoalescingKeepsTheLastStateAndTheEnd() throws {
        // Not started: the ring fills up, and nothing blocks.
        let decisions = Collected()
        let engine = try LiveEngine(.init(policy: .default, scenesMax: 64)) { decisions.add($0) }
        var source = try engine.makeSource(capacity: 8)
        let scenes = try (0..<40).map { _ in try engine.connect() }
        let start = MonotonicClock.now.nanoseconds
        func send(_ scene: SceneID, _ width: Double, _ resizing: Bool, _ step: UInt64) {
            source.send(
                .geometry(
                    scene, at: Timestamp(nanoseconds: start + step), size: Size(width: width, height: 1),
                    isInteractivelyResizing: resizing))
        }
        var step: UInt64 = 0
        for round in 0..<50 {
            for scene in scenes {
                step += 1
                send(scene, Double(round + 1), round < 49, step)
            }
        }
        XCTAssertGreaterThan(source.coalesced, 1500)
        engine.stop(draining: true)
        XCTAssertEqual(decisions.rebuildWidths, Array(repeating: 50, count: 40))
        for scene in scenes { XCTAssertFalse(engine.isInteracting(scene)) }
    }

    func testSeveralProducersAreMergedByTime() throws {
        let decisions = Collected()
        let engine = try LiveEngine(policy: .uikit) { decisions.add($0) }
        var one = try engine.makeSource()
        var two = try engine.makeSource()
        let scene = try engine.connect()
        let start = MonotonicClock.now.nanoseconds - 1_000_000
        for step in 0..<100 {
            let event = Event.geometry(
                scene, at: Timestamp(nanoseconds: start + UInt64(step)), size: Size(width: Double(step + 1), height: 1))
            if step % 2 == 0 { one.send(event) } else { two.send(event) }
        }
        engine.stop()
        XCTAssertEqual(decisions.rebuildWidths, (1...100).map(Double.init))
        XCTAssertEqual(engine.statistics.engine.regressions, 0)
    }

    func testAnEventBehindTheEndOfARingStandsInItsPlaceAmongOthers() throws {
        let engine = try LiveEngine(policy: .uikit)
        var one = try engine.makeSource(capacity: 4)
        var two = try engine.makeSource(capacity: 4)
        let scene = try engine.connect()
        for width in 1...3 { one.send(geometry(scene, Double(width))) }
        engine.runOnce()
        let start = MonotonicClock.now.nanoseconds
        func event(_ step: UInt64) -> Event {
            .geometry(scene, at: Timestamp(nanoseconds: start + step), size: Size(width: Double(step), height: 1))
        }
        // The first of these is the last in the ring's memory; then it begins anew, and
        // what has no room is held back.
        for step: UInt64 in [10, 20, 30, 40, 50] { one.send(event(step)) }
        for step: UInt64 in [5, 15, 25, 45, 55, 56] { two.send(event(step)) }
        engine.runOnce()
        XCTAssertEqual(engine.statistics.engine.regressions, 0)
        engine.stop()
    }

    func testSeveralProducersLoseNothingWhileTheLoopTakes() throws {
        let engine = try LiveEngine(policy: .uikit) { _ in }
        try engine.start()
        let scene = try engine.connect()
        DispatchQueue.concurrentPerform(iterations: 3) { _ in
            guard var source = try? engine.makeSource(capacity: 64, overload: .block) else { return }
            for index in 0..<50_000 { source.send(geometry(scene, Double(1 + index % 7))) }
        }
        engine.stop()
        XCTAssertEqual(engine.statistics.engine.events, 150_000)
    }

    func testAHandlerMayUseTheEngine() throws {
        let decisions = Collected()
        let box = Locked<LiveEngine?>(nil)
        let engine = try LiveEngine(policy: quick) { decision in
            decisions.add(decision)
            guard case .rebuild(let rebuild) = decision.kind, let engine = box.value else { return }
            // A failed build returns its size, and a flush has it decided again, once.
            guard rebuild.generation == 1 else { return }
            engine.post(.reallyBuilt(decision.scene, at: MonotonicClock.now, size: nil))
            engine.post(.flush(decision.scene, at: MonotonicClock.now))
            XCTAssertFalse(engine.isPending(decision.scene))
        }
        box.change { $0 = engine }
        try engine.start()
        var source = try engine.makeSource()
        source.send(geometry(try engine.connect(), 3))
        decisions.wait { $0.count == 2 }
        engine.stop()
        box.change { $0 = nil }
        XCTAssertEqual(decisions.rebuildWidths, [3, 3])
    }

    func testStopIsIdempotentAndMayComeFromAHandlerOrBeforeStart() throws {
        let never = try LiveEngine { _ in }
        never.stop()
        never.stop()

        let box = Locked<LiveEngine?>(nil)
        let seen = Collected()
        let engine = try LiveEngine(policy: .uikit) { decision in
            box.value?.stop()
            seen.add(decision)
        }
        box.change { $0 = engine }
        try engine.start()
        var source = try engine.makeSource()
        source.send(geometry(try engine.connect(), 3))
        seen.wait { !$0.isEmpty }
        DispatchQueue.concurrentPerform(iterations: 4) { _ in engine.stop() }
        source.send(geometry(SceneID(rawValue: 1), 4))
        box.change { $0 = nil }
        XCTAssertThrowsError(try engine.start())
    }

    func testWhatIsPostedAfterTheEndIsDropped() throws {
        for isDraining in [false, true] {
            let engine = try LiveEngine(policy: .uikit) { _ in }
            let scene = try engine.connect()
            engine.stop(draining: isDraining)
            for width in 1...100 { engine.post(geometry(scene, Double(width))) }
            XCTAssertTrue(engine.loop.withInput { $0.posted.isEmpty })
            XCTAssertEqual(engine.statistics.engine.events, 0)
        }
    }

    func testStopWithoutDrainingDropsWhatIsPending() throws {
        let decisions = Collected()
        let engine = try LiveEngine(policy: .fixed(.seconds(10))) { decisions.add($0) }
        try engine.start()
        var source = try engine.makeSource()
        source.send(geometry(try engine.connect(), 3))
        usleep(10_000)
        engine.stop(draining: false)
        XCTAssertEqual(decisions.all.count, 0)
    }

    func testStartAndStopRaceWithProducers() throws {
        for round in 0..<40 {
            let engine = try LiveEngine(policy: .uikit) { _ in }
            try engine.start()
            DispatchQueue.concurrentPerform(iterations: 4) { worker in
                if worker == 3 {
                    usleep(UInt32(round * 20))
                    engine.stop(draining: round % 2 == 0)
                    return
                }
                guard var source = try? engine.makeSource(capacity: 8, overload: worker == 0 ? .block : .coalesce),
                    let scene = try? engine.connect()
                else { return }
                for width in 1...200 { source.send(geometry(scene, Double(width))) }
            }
            engine.stop()
        }
    }

    func testAHostRunsTheLoopItself() throws {
        let decisions = Collected()
        let engine = try LiveEngine(policy: quick) { decisions.add($0) }
        var source = try engine.makeSource()
        source.send(geometry(try engine.connect(), 5))
        let end = MonotonicClock.now.nanoseconds + 2_000_000_000
        while decisions.all.isEmpty, MonotonicClock.now.nanoseconds < end {
            var waiting = pollfd(fd: engine.backendDescriptor, events: Int16(POLLIN), revents: 0)
            poll(&waiting, 1, 500)
            engine.runOnce()
        }
        XCTAssertEqual(decisions.rebuildWidths, [5])
        engine.stop()
    }
}

/// Decisions that a handler got.
final class Collected: Sendable {
    private let decisions = Locked<[Decision]>([])

    func add(_ decision: Decision) { decisions.change { $0.append(decision) } }
    var all: [Decision] { decisions.value }
    func wait(_ isEnough: ([Decision]) -> Bool) { decisions.wait(isEnough) }

    var rebuildWidths: [Double] {
        all.compactMap { if case .rebuild(let rebuild) = $0.kind { rebuild.size.width } else { nil } }
    }
}

extension Decision {
    var isRebuild: Bool { if case .rebuild = kind { true } else { false } }
}
