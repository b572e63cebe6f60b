import Settle
import TestSupport
import XCTest

@testable import SettleLoop

/// Streams, the rebuilder and the executor of a live engine.
final class HandlerHookTests: XCTestCase {
    private let quick = Policy.fixed(.milliseconds(5))

    private struct Broken: Error {}

    private func event(_ scene: SceneID, _ width: Double, resizing: Bool? = nil) -> Event {
        .geometry(
            scene, at: MonotonicClock.now, size: Size(width: width, height: 1), isInteractivelyResizing: resizing)
    }

    func testADecisionStreamGetsEveryDecisionAndEndsWithTheEngine() async throws {
        let engine = try LiveEngine(policy: quick)
        let stream = engine.makeDecisionStream()
        try engine.start()
        var source = try engine.makeSource()
        let scene = try engine.connect()
        for width in 1...100 { source.send(event(scene, Double(width), resizing: true)) }
        source.send(event(scene, 100, resizing: false))
        engine.stop()
        var kinds: [String] = []
        for await decision in stream {
            switch decision.kind {
            case .interactionBegan: kinds.append("began")
            case .interactionEnded: kinds.append("ended")
            case .rebuild(let rebuild): kinds.append("rebuild \(Int(rebuild.size.width))")
            default: kinds.append("other")
            }
        }
        XCTAssertEqual(kinds, ["began", "ended", "rebuild 100"])
    }

    func testAStreamMadeAfterTheEndIsEmptyAndAFinishedOneIsForgotten() async throws {
        let engine = try LiveEngine(policy: quick)
        let early = engine.makeDecisionStream()
        early.finish()
        let next = engine.makeDecisionStream()
        engine.stop()
        let late = engine.makeDecisionStream()
        let geometries = engine.makeGeometryStream()
        var count = 0
        for await _ in early { count += 1 }
        for await _ in next { count += 1 }
        for await _ in late { count += 1 }
        for await _ in geometries { count += 1 }
        XCTAssertEqual(count, 0)
    }

    func testTheLiveLaneShowsGeometryDuringAnInteraction() async throws {
        let engine = try LiveEngine(policy: quick)
        let geometries = engine.makeGeometryStream(frameInterval: .milliseconds(1))
        try engine.start()
        var source = try engine.makeSource()
        let scene = try engine.connect()
        source.send(event(scene, 7, resizing: true))
        var iterator = geometries.makeAsyncIterator()
        let first = await iterator.next()
        XCTAssertEqual(first?.size, Size(width: 7, height: 1))
        XCTAssertEqual(first?.isInteractivelyResizing, true)
        for width in 8...200 { source.send(event(scene, Double(width), resizing: true)) }
        source.send(event(scene, 200, resizing: false))
        engine.stop()
        var rest: [LatestGeometry] = []
        while let geometry = await iterator.next() { rest.append(geometry) }
        XCTAssertEqual(rest.last?.size, Size(width: 200, height: 1))
        XCTAssertEqual(rest.last?.isInteractivelyResizing, false)
        XCTAssertLessThan(rest.count, 193)
    }

    func testTheLiveLaneShowsWhatIsStatedBeforeTheFirstSize() async throws {
        let engine = try LiveEngine(policy: quick)
        let geometries = engine.makeGeometryStream(frameInterval: .zero)
        let scene = try engine.connect()
        engine.post(
            .geometry(
                scene, at: MonotonicClock.now, isInteractivelyResizing: true, isInterfaceOrientationLocked: true,
                orientation: .landscapeLeft))
        engine.runOnce()
        engine.post(event(scene, 9))
        engine.runOnce()
        engine.stop()
        var latest: [LatestGeometry] = []
        for await geometry in geometries { latest.append(geometry) }
        XCTAssertEqual(latest.map(\.size), [Size(width: 9, height: 1)])
        XCTAssertEqual(latest.map(\.isInteractivelyResizing), [true])
        XCTAssertEqual(latest.map(\.isInterfaceOrientationLocked), [true])
        XCTAssertEqual(latest.map(\.orientation), [.landscapeLeft])
    }

    /// A producer that has not heard of a window's end yet goes on about it.
    func testLateEventsOfGoneScenesTakeNoPlaceInTheLiveLane() async throws {
        let engine = try LiveEngine(.init(policy: quick, scenesMax: 4))
        let geometries = engine.makeGeometryStream(frameInterval: .zero)
        for width in 1...100 {
            let scene = try engine.connect()
            engine.post(event(scene, Double(width)))
            engine.post(.disconnect(scene, at: MonotonicClock.now))
            engine.post(event(scene, 0.5))
            engine.runOnce()
        }
        engine.post(event(SceneID(rawValue: 12345), 0.5))
        let scene = try engine.connect()
        engine.post(event(scene, 7))
        engine.runOnce()
        engine.stop()
        var widths: [Double?] = []
        for await geometry in geometries { widths.append(geometry.size?.width) }
        XCTAssertEqual(widths, [7])
        XCTAssertEqual(engine.statistics.engine.rejectedScenes, 101)
    }

    func testARebuilderBuildsWhatIsDecidedAndAFailureIsDecidedAgain() async throws {
        let builds = Locked<[Double]>([])
        let failures = Locked<[String]>([])
        let engine = try LiveEngine(policy: quick)
        let rebuilder = try engine.makeRebuilder { _, rebuild in
            builds.change { $0.append(rebuild.size.width) }
            if builds.value.count == 1 { throw Broken() }
        } onFailure: { scene, rebuild, error in
            failures.change { $0.append("\(scene.rawValue) \(rebuild.size) \(error)") }
        }
        try engine.start()
        var source = try engine.makeSource()
        let scene = try engine.connect()
        for width in 1...50 { source.send(event(scene, Double(width), resizing: true)) }
        source.send(event(scene, 50, resizing: false))
        builds.wait { $0.count == 1 }
        await rebuilder.waitUntilIdle()
        // What failed is decided again: a flush has something to do.
        engine.post(.flush(scene, at: MonotonicClock.now))
        builds.wait { $0.count == 2 }
        await rebuilder.waitUntilIdle()
        engine.stop()
        await rebuilder.stop()
        XCTAssertEqual(builds.value, [50, 50])
        XCTAssertEqual(rebuilder.statistics.failed, 1)
        XCTAssertEqual(rebuilder.statistics.finished, 1)
        XCTAssertEqual(failures.value, ["\(scene.rawValue) \(Size(width: 50, height: 1)) Broken()"])
    }

    func testABuildsEndIsReportedAndPaysForLiveRebuilds() async throws {
        let builds = Locked<[Rebuild]>([])
        let engine = try LiveEngine(policy: .live)
        let rebuilder = try engine.makeRebuilder(.init(liveBudgetPercent: 60)) { _, rebuild in
            builds.change { $0.append(rebuild) }
        }
        try engine.start()
        var source = try engine.makeSource()
        let scene = try engine.connect()
        source.send(event(scene, 1, resizing: true))
        source.send(event(scene, 1, resizing: false))
        builds.wait { $0.count == 1 }
        var width = 1.0
        while builds.value.count(where: { $0.reason == .live }) < 2 {
            width += 1
            source.send(event(scene, width, resizing: true))
            try await Task.sleep(for: .milliseconds(1))
        }
        source.send(event(scene, 1, resizing: false))
        builds.wait { $0.last?.size.width == 1 }
        engine.stop()
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(builds.value.last?.reason, .interactionEnded)
    }

    func testWhoBuildsElsewhereReportsItsBuilds() async throws {
        let engine = try LiveEngine(
            policy: Policy(liveSharePercent: 100, liveLimit: .milliseconds(50), liveInterval: .zero))
        let decisions = engine.makeDecisionStream()
        try engine.start()
        var source = try engine.makeSource()
        let scene = try engine.connect()
        source.send(event(scene, 1, resizing: true))
        source.send(event(scene, 1, resizing: false))
        source.send(event(scene, 2, resizing: true))
        source.send(event(scene, 3, resizing: true))
        var built: [String] = []
        for await decision in decisions {
            guard case .rebuild(let rebuild) = decision.kind else { continue }
            built.append("\(Int(rebuild.size.width)) \(rebuild.reason)")
            // The second one counts twenty times, which takes longer than the watchdog.
            let cost = Duration.milliseconds(rebuild.generation == 2 ? 1000 : 50)
            engine.finished(scene, generation: rebuild.generation, cost: cost)
            if rebuild.generation == 2 {
                source.send(event(scene, 4, resizing: true))
                engine.stop()
            }
        }
        XCTAssertEqual(built, ["1 first", "3 live", "4 timeout"])
    }

    func testAFailedBuildIsRetriedThroughAFlush() async throws {
        let builds = Locked<[Rebuild.Reason]>([])
        let previews = Locked<[Double]>([])
        var policy = quick
        policy.pauseDelay = .milliseconds(1)
        let engine = try LiveEngine(policy: policy)
        let rebuilder = try engine.makeRebuilder(
            .init(retry: .backoff(first: .milliseconds(1), limit: .milliseconds(4), attempts: 5)),
            build: { _, rebuild in
                builds.change { $0.append(rebuild.reason) }
                if builds.value.count < 4 { throw Broken() }
            }, preview: { _, size in previews.change { $0.append(size.width) } })
        try engine.start()
        var source = try engine.makeSource()
        let scene = try engine.connect()
        source.send(event(scene, 5))
        builds.wait { $0.count == 4 }
        source.send(event(scene, 6, resizing: true))
        previews.wait { $0 == [6] }
        engine.stop()
        await rebuilder.stop()
        XCTAssertEqual(builds.value, [.first, .flush, .flush, .flush])
        let counts = rebuilder.statistics
        XCTAssertEqual([counts.failed, counts.retried, counts.finished, counts.previews.started], [3, 3, 1, 1])
        XCTAssertEqual(engine.statistics.engine.rejected, 0)
    }

    /// The scene's interaction stays open, so only the engine's end ends the preview.
    func testTheEnginesEndCancelsAPreviewAndDropsARetry() async throws {
        let previews = Locked<[String]>([])
        var policy = quick
        // Longer than the quiet time.
        policy.pauseDelay = .milliseconds(10)
        let engine = try LiveEngine(policy: policy)
        let rebuilder = try engine.makeRebuilder(
            .init(retry: .backoff(first: .seconds(3600), limit: .seconds(3600), attempts: 5)),
            build: { _, rebuild in if rebuild.generation > 1 { throw Broken() } },
            preview: { _, _ in
                previews.change { $0.append("began") }
                try? await Task.sleep(for: .seconds(60))
                previews.change { $0.append(Task.isCancelled ? "cancelled" : "ended") }
            })
        try engine.start()
        var source = try engine.makeSource()
        let scene = try engine.connect()
        source.send(event(scene, 4))
        while rebuilder.statistics.finished == 0 { await Task.yield() }
        source.send(event(scene, 5))
        while rebuilder.statistics.retrying == 0 { await Task.yield() }
        source.send(event(scene, 6, resizing: true))
        previews.wait { $0 == ["began"] }
        XCTAssertEqual(rebuilder.statistics.retrying, 1, "a preview is no answer to a failure")
        engine.stop()
        previews.wait { $0 == ["began", "cancelled"] }
        let counts = rebuilder.statistics
        XCTAssertEqual([UInt64(counts.retrying), counts.retried, counts.failed], [0, 0, 1])
        await rebuilder.stop()
    }

    func testABuildGoesOnAfterTheEnginesEndAndItsFailureIsNotRetried() async throws {
        let started = Locked(0)
        let cancelled = Locked<[Bool]>([])
        let gate = AsyncStream<Void>.makeStream()
        let engine = try LiveEngine(policy: quick)
        let rebuilder = try engine.makeRebuilder(
            .init(retry: .backoff(first: .seconds(3600), limit: .seconds(3600), attempts: 5)),
            build: { _, _ in
                started.change { $0 += 1 }
                // A cancellation ends the stream as well.
                for await _ in gate.stream {}
                cancelled.change { $0.append(Task.isCancelled) }
                throw Broken()
            })
        try engine.start()
        var source = try engine.makeSource()
        let scene = try engine.connect()
        source.send(event(scene, 5))
        started.wait { $0 == 1 }
        engine.stop()
        gate.continuation.finish()
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(cancelled.value, [false])
        let counts = rebuilder.statistics
        XCTAssertEqual([UInt64(counts.retrying), counts.retried, counts.cancelled, counts.failed], [0, 0, 0, 1])
        await rebuilder.stop()
    }

    func testADisconnectedScenesBuildIsCancelledAndForgotten() async throws {
        let started = Locked(0)
        let engine = try LiveEngine(policy: quick)
        let rebuilder = try engine.makeRebuilder { _, _ in
            started.change { $0 += 1 }
            try await Task.sleep(for: .seconds(60))
        }
        try engine.start()
        var source = try engine.makeSource()
        let scene = try engine.connect()
        source.send(event(scene, 5))
        started.wait { $0 == 1 }
        engine.disconnect(scene)
        await rebuilder.waitUntilIdle()
        engine.stop()
        XCTAssertEqual(rebuilder.statistics.cancelled, 1)
        XCTAssertEqual(engine.statistics.engine.rejected, 0, "no size is returned for a scene that is gone")
    }

    func testASceneThatDisconnectsInThePassOfItsRebuildIsForgotten() async throws {
        let gate = AsyncStream<Void>.makeStream()
        let engine = try LiveEngine(policy: .uikit)
        let rebuilder = try engine.makeRebuilder { _, _ in
            for await _ in gate.stream {}
            try Task.checkCancellation()
        }
        let scene = try engine.connect()
        engine.post(event(scene, 5))
        engine.post(.disconnect(scene, at: MonotonicClock.now))
        engine.runOnce()
        XCTAssertEqual(engine.statistics.engine.scenes, 0)
        gate.continuation.finish()
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(rebuilder.statistics.started, rebuilder.statistics.cancelled)
        XCTAssertEqual(rebuilder.statistics.finished, 0)
        engine.stop()
    }

    /// The engine rejects a disconnect whose time is out of range, so the scene lives on.
    func testARejectedDisconnectKeepsTheScenesBuildAndGeometry() async throws {
        let started = Locked(0)
        let gate = AsyncStream<Void>.makeStream()
        let engine = try LiveEngine(policy: .uikit)
        let geometries = engine.makeGeometryStream(frameInterval: .zero)
        let rebuilder = try engine.makeRebuilder { _, _ in
            started.change { $0 += 1 }
            for await _ in gate.stream {}
            try Task.checkCancellation()
        }
        let scene = try engine.connect()
        engine.post(event(scene, 5))
        engine.runOnce()
        started.wait { $0 == 1 }
        engine.post(.disconnect(scene, at: Timestamp(nanoseconds: .max)))
        engine.runOnce()
        XCTAssertEqual(engine.statistics.engine.rejectedEvents, 1)
        XCTAssertEqual(engine.statistics.engine.scenes, 1)
        gate.continuation.finish()
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(rebuilder.statistics.cancelled, 0)
        XCTAssertEqual(rebuilder.statistics.finished, 1)
        engine.stop()
        var sizes: [Size?] = []
        for await geometry in geometries { sizes.append(geometry.size) }
        XCTAssertEqual(sizes, [Size(width: 5, height: 1)])
    }

    // MARK: The executor

    actor Layout {
        private let executor: LoopExecutor
        private(set) var sizes: [Double] = []
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init(_ executor: LoopExecutor) { self.executor = executor }

        func add(_ width: Double) {
            preconditionIsolated()
            sizes.append(width)
        }
    }

    func testAnActorLivesOnTheLoopAndAHandlerReachesItWithoutAHop() async throws {
        let layout = Locked<Layout?>(nil)
        let engine = try LiveEngine(policy: quick) { decision in
            guard case .rebuild(let rebuild) = decision.kind else { return }
            layout.value?.assumeIsolated { $0.add(rebuild.size.width) }
        }
        let actor = Layout(engine.executor)
        layout.change { $0 = actor }
        try engine.start()
        var source = try engine.makeSource()
        let scene = try engine.connect()
        await actor.add(1)
        source.send(event(scene, 2))
        // From here the pool waits for the loop.
        while await actor.sizes.count < 2 { await Task.yield() }
        engine.stop()
        // The engine is gone, the actor is not.
        await actor.add(3)
        let sizes = await actor.sizes
        XCTAssertEqual(sizes, [1, 2, 3])
    }

    func testTasksPreferTheLoopAndManyJobsAllRun() async throws {
        let engine = try LiveEngine(policy: quick)
        let actor = Layout(engine.executor)
        try engine.start()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<1000 {
                group.addTask(executorPreference: engine.executor) { await actor.add(Double(index)) }
            }
        }
        let sizes = await actor.sizes
        XCTAssertEqual(sizes.sorted(), (0..<1000).map(Double.init))
        XCTAssertFalse(engine.executor.isIsolatingCurrentContext() ?? true)
        engine.stop()
    }

    func testJobsAndTheEndRace() async throws {
        for _ in 0..<50 {
            let engine = try LiveEngine(policy: quick)
            let actor = Layout(engine.executor)
            try engine.start()
            async let jobs: Void = withTaskGroup(of: Void.self) { group in
                for index in 0..<50 { group.addTask { await actor.add(Double(index)) } }
            }
            await Task.yield()
            engine.stop()
            await jobs
            let count = await actor.sizes.count
            XCTAssertEqual(count, 50)
        }
    }

    func testAHostsHandlerMayStopTheEngine() throws {
        let stopped = Locked<LiveEngine?>(nil)
        let count = Locked(0)
        let engine = try LiveEngine(policy: quick) { _ in
            count.change { $0 += 1 }
            stopped.value?.stop()
        }
        stopped.change { $0 = engine }
        let scenes = [try engine.connect(), try engine.connect()]
        for scene in scenes {
            engine.post(event(scene, 5, resizing: true))
            engine.post(event(scene, 6, resizing: false))
        }
        engine.runOnce()
        engine.runOnce()
        engine.stop()
        // Two begins, two ends, two rebuilds, each once.
        XCTAssertEqual(count.value, 6)
        stopped.change { $0 = nil }
    }
}
