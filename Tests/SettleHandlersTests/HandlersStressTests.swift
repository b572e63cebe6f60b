import Settle
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleHandlers

/// Many tasks at once, for the thread sanitizer and for what only real races show.
final class HandlersStressTests: XCTestCase {
    /// A scene's engine in brief: what it takes for built, and what is really built.
    private final class Scene: Sendable {
        struct State: Sendable {
            var believed: Size?
            var really: Size?
            var isBuilding = false
            var generation: UInt32 = 0
            /// The rebuild whose end is not known.
            var flight: UInt32?
        }

        let id: SceneID
        let state = LockedValueBox(State())

        init(_ number: Int) { id = SceneID(rawValue: UInt32(number)) }

        /// Between the decision and its return, `told` may come in from another thread.
        func decide(_ width: Int, _ reason: Rebuild.Reason) -> Decision? {
            let rebuild = state.withLock { state -> Rebuild? in
                guard state.believed != .wide(width) else { return nil }
                state.generation += 1
                state.flight = state.generation
                defer { state.believed = .wide(width) }
                return Rebuild(
                    size: .wide(width), previousSize: state.believed, reason: reason, generation: state.generation)
            }
            return rebuild.map { Decision(at: .zero, scene: id, kind: .rebuild($0)) }
        }
    }

    private final class Site: Sendable {
        let scenes: [Scene]
        let concurrency: Int
        private let running = LockedValueBox((now: 0, most: 0))

        init(scenes: Int, concurrency: Int) {
            self.scenes = (0..<scenes).map(Scene.init)
            self.concurrency = concurrency
        }

        var most: Int { running.withLock { $0.most } }

        func told(_ id: SceneID, _ size: Size?) {
            scenes[Int(id.rawValue)].state.withLock { ($0.believed, $0.flight) = (size, nil) }
        }

        func ended(_ id: SceneID, _ generation: UInt32, _ cost: Duration) {
            scenes[Int(id.rawValue)].state.withLock { if $0.flight == generation { $0.flight = nil } }
        }

        func build(_ id: SceneID, _ rebuild: Rebuild) async throws {
            let scene = scenes[Int(id.rawValue)]
            enter(scene)
            defer { leave(scene) }
            for _ in 0..<Int(rebuild.size.width) % 4 {
                await Task.yield()
                try Task.checkCancellation()
            }
            if Int(rebuild.size.width) % 5 == 0 { throw CancellationError() }
            scene.state.withLock { $0.really = rebuild.size }
        }

        func prepare(_ id: SceneID, _ size: Size) async throws -> Size {
            let scene = scenes[Int(id.rawValue)]
            enter(scene)
            defer { leave(scene) }
            for _ in 0..<Int(size.width) % 4 {
                await Task.yield()
                try Task.checkCancellation()
            }
            if Int(size.width) % 7 == 0 { throw CancellationError() }
            return size
        }

        func show(_ id: SceneID, _ rebuild: Rebuild, _ prepared: Size) async throws {
            precondition(prepared == rebuild.size, "shows what was prepared for another size")
            try await build(id, rebuild)
        }

        /// Nothing of its scene is built meanwhile.
        func preview(_ id: SceneID, _ size: Size) async {
            let scene = scenes[Int(id.rawValue)]
            let isBuilding = scene.state.withLock { state in
                defer { state.isBuilding = true }
                return state.isBuilding
            }
            precondition(!isBuilding, "a preview during a build")
            await Task.yield()
            scene.state.withLock { $0.isBuilding = false }
        }

        func drive(_ rebuilder: AssetRebuilder) async {
            await withTaskGroup(of: Void.self) { group in
                for scene in scenes {
                    group.addTask {
                        var random = SplitMix64(seed: UInt64(scene.id.rawValue))
                        for _ in 0..<40 {
                            let reason = random.pick([Rebuild.Reason.live, .discrete])
                            if let decision = scene.decide(1 + random.below(12), reason) { rebuilder.submit(decision) }
                            if random.chance(50) { await Task.yield() }
                            if random.chance(30) { rebuilder.submit(.preview(scene.id, 1 + random.below(12))) }
                        }
                    }
                }
            }
        }

        private func enter(_ scene: Scene) {
            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            let wasBuilding = scene.state.withLock { state in
                defer { state.isBuilding = true }
                return state.isBuilding
            }
            precondition(!wasBuilding, "two builds of one scene")
        }

        private func leave(_ scene: Scene) {
            scene.state.withLock { $0.isBuilding = false }
            running.withLock { $0.now -= 1 }
        }
    }

    private func assertAddsUp(_ counts: AssetRebuilder.Statistics, line: UInt = #line) {
        XCTAssertEqual([counts.running, counts.waiting], [0, 0], line: line)
        XCTAssertEqual(
            counts.decided, counts.started + counts.superseded + counts.skipped + counts.dropped, line: line)
        XCTAssertEqual(counts.started, counts.finished + counts.cancelled + counts.failed, line: line)
        let previews = counts.previews
        XCTAssertEqual([previews.running, previews.waiting], [0, 0], line: line)
        XCTAssertEqual(previews.decided, previews.started + previews.dropped, line: line)
    }

    func testStress_theEngineAndTheBuildsAgreeInTheEnd() async {
        let site = Site(scenes: 200, concurrency: 4)
        let flushes = LockedValueBox<UInt64>(0)
        let rebuilder = AssetRebuilder(
            .init(concurrency: 4, liveBudgetPercent: 90, retry: .backoff(first: .zero, limit: .zero, attempts: 1)),
            reallyBuilt: site.told, finished: site.ended, flush: { _ in flushes.withLock { $0 += 1 } },
            build: site.build,
            preview: site.preview)
        await site.drive(rebuilder)
        while rebuilder.statistics.retrying > 0 { await Task.yield() }
        await rebuilder.waitUntilIdle()
        for scene in site.scenes {
            let state = scene.state.withLock { $0 }
            XCTAssertEqual(state.believed, state.really, "scene \(scene.id.rawValue)")
            XCTAssertNil(state.flight, "scene \(scene.id.rawValue)")
        }
        XCTAssertLessThanOrEqual(site.most, 4)
        let counts = rebuilder.statistics
        assertAddsUp(counts)
        XCTAssertGreaterThan(counts.failed, 0)
        XCTAssertGreaterThan(counts.previews.started, 0)
        XCTAssertEqual(counts.retried, flushes.withLock { $0 })
    }

    func testStress_whatIsPreparedIsShownForItsSizeAlone() async {
        let site = Site(scenes: 200, concurrency: 4)
        let rebuilder = AssetRebuilder(
            .init(concurrency: 4), reallyBuilt: site.told, finished: site.ended, previewed: { _, _, _, _ in },
            prepare: site.prepare, show: site.show)
        async let drops: Void = {
            for _ in 0..<20 {
                await Task.yield()
                rebuilder.dropPrepared()
            }
        }()
        await site.drive(rebuilder)
        await drops
        await rebuilder.waitUntilIdle()
        // Then all hands rest at a size of their own, and let go.
        for scene in site.scenes { rebuilder.submit(.preview(scene.id, 13)) }
        await rebuilder.waitUntilIdle()
        for scene in site.scenes { scene.decide(13, .discrete).map(rebuilder.submit) }
        await rebuilder.waitUntilIdle()
        for scene in site.scenes {
            let state = scene.state.withLock { $0 }
            XCTAssertEqual(state.believed, .wide(13), "scene \(scene.id.rawValue)")
            XCTAssertEqual(state.believed, state.really, "scene \(scene.id.rawValue)")
        }
        XCTAssertLessThanOrEqual(site.most, 4)
        let counts = rebuilder.statistics
        assertAddsUp(counts)
        XCTAssertGreaterThanOrEqual(counts.previews.used, 200)
        XCTAssertEqual(counts.previews.started, counts.previews.kept + counts.previews.givenUp + counts.previews.failed)
    }

    func testStress_stopRacesDecisionsAndRemovals() async {
        for round in 0..<20 {
            let site = Site(scenes: 16, concurrency: 2)
            let rebuilder = AssetRebuilder(
                .init(
                    concurrency: 2, liveBudgetPercent: 1 + round,
                    retry: .backoff(first: .microseconds(10), limit: .seconds(60), attempts: 9)),
                reallyBuilt: site.told, finished: site.ended, flush: { _ in }, build: site.build, preview: site.preview)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await site.drive(rebuilder) }
                group.addTask {
                    for scene in site.scenes.prefix(round % 5) { rebuilder.remove(scene.id) }
                }
                for _ in 0..<3 {
                    group.addTask {
                        for _ in 0..<round { await Task.yield() }
                        await rebuilder.stop()
                    }
                }
            }
            assertAddsUp(rebuilder.statistics)
            XCTAssertEqual(rebuilder.statistics.retrying, 0)
        }
    }

    func testStress_streamsDeliverEverythingOnce() async {
        let decisions = DecisionStream(capacity: .max)
        async let consumed: [UInt32] = {
            var generations: [UInt32] = []
            for await decision in decisions {
                if case .rebuild(let rebuild) = decision.kind { generations.append(rebuild.generation) }
            }
            return generations
        }()
        for number in 1...20_000 { decisions.yield(.rebuild(.s, 1, generation: number)) }
        decisions.finish()
        let generations = await consumed
        XCTAssertEqual(generations, Array(1...20_000))
    }

    func testStress_theLastGeometryArrives() async {
        let geometries = GeometryStream(frameInterval: .zero)
        async let last: LatestGeometry? = {
            var last: LatestGeometry?
            for await geometry in geometries { last = geometry }
            return last
        }()
        for number in 1...20_000 {
            geometries.update(
                .geometry(
                    .s, at: Timestamp(nanoseconds: UInt64(number)), size: .wide(number),
                    isInteractivelyResizing: number < 20_000))
        }
        geometries.finish()
        let geometry = await last
        XCTAssertEqual(geometry?.size, .wide(20_000))
        XCTAssertEqual(geometry?.isInteractivelyResizing, false)
    }

    func testStress_cancellationRacesDelivery() async {
        let decisions = DecisionStream()
        for round in 0..<300 {
            let consumer = Task {
                var count = 0
                for await _ in decisions { count += 1 }
                return count
            }
            if round % 3 == 0 { await Task.yield() }
            decisions.yield(.rebuild(.s, 1))
            consumer.cancel()
            _ = await consumer.value
        }
        decisions.finish()
        for await _ in decisions {}
        let counts = decisions.statistics
        XCTAssertEqual([counts.delivered, counts.superseded, counts.dropped], [300, 0, 0])
    }
}
