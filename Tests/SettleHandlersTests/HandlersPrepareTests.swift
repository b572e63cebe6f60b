import Settle
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleHandlers

/// Preparing with real tasks. Preparations end when the test says so; nothing sleeps.
final class HandlersPrepareTests: XCTestCase {
    private let workshop = Workshop()
    private let told = Told()
    private let shown = LockedValueBox<[String]>([])
    private let ends = LockedValueBox<[String]>([])
    private let failures = LockedValueBox<[String]>([])

    private func makeRebuilder(clock: ManualClock = ManualClock(), concurrency: Int = 2) -> AssetRebuilder {
        AssetRebuilder(
            .init(concurrency: concurrency), clock: clock, reallyBuilt: told.note,
            finished: { [ends] _, generation, cost in ends.withLock { $0.append("finished \(generation) \(cost)") } },
            previewed: { [ends] _, generation, cost, isKept in
                ends.withLock { $0.append("previewed \(generation) \(cost) \(isKept ? "kept" : "given up")") }
            },
            prepare: { [workshop] scene, size in
                try await workshop.build(scene, Rebuild(size: size, previousSize: nil, reason: .discrete))
                return "\(size)"
            },
            show: { [shown] _, rebuild, asset in shown.withLock { $0.append("\(asset) for \(rebuild.size)") } },
            onFailure: { [failures] _, rebuild, _ in failures.withLock { $0.append("\(rebuild.size)") } })
    }

    func testPrepare_thePictureIsThereAtTheRebuild() async {
        let clock = ManualClock()
        let rebuilder = makeRebuilder(clock: clock)
        var jobs = workshop.jobs.makeAsyncIterator()
        rebuilder.submit(.preview(.s, 100))
        let job = await jobs.next()!
        clock.advance(by: .milliseconds(7))
        job.succeed()
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(shown.withLock { $0 }, [], "nothing is shown before the rebuild")
        rebuilder.submit(.rebuild(.s, 100))
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(shown.withLock { $0 }, ["100×100 for 100×100"])
        XCTAssertEqual(
            ends.withLock { $0 },
            ["previewed 1 \(Duration.milliseconds(7)) kept", "finished 1 \(Duration.milliseconds(7))"])
        XCTAssertEqual(rebuilder.statistics.previews.used, 1)
    }

    func testPrepare_withoutAPreviewItBeginsAtTheRebuild() async {
        let rebuilder = makeRebuilder()
        var jobs = workshop.jobs.makeAsyncIterator()
        rebuilder.submit(.rebuild(.s, 100))
        await jobs.next()!.succeed()
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(shown.withLock { $0 }, ["100×100 for 100×100"])
    }

    func testPrepare_whatWasCancelledIsNotShownThoughItEnded() async {
        let rebuilder = makeRebuilder()
        var jobs = workshop.jobs.makeAsyncIterator()
        rebuilder.submit(.rebuild(.s, 100))
        let first = await jobs.next()!
        rebuilder.submit(.rebuild(.s, 200, after: 100, generation: 2))
        await first.cancelled()
        first.succeed()
        await jobs.next()!.succeed()
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(shown.withLock { $0 }, ["200×100 for 200×100"])
        XCTAssertEqual(rebuilder.statistics.cancelled, 1)
        XCTAssertEqual(failures.withLock { $0 }, [])
    }

    func testPrepare_aFailureIsReportedOnceWhereTheRebuildFailsToo() async {
        let rebuilder = makeRebuilder()
        var jobs = workshop.jobs.makeAsyncIterator()
        rebuilder.submit(.preview(.s, 100))
        await jobs.next()!.fail()
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(failures.withLock { $0 }, [])
        rebuilder.submit(.rebuild(.s, 100))
        await jobs.next()!.fail()
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(failures.withLock { $0 }, ["100×100"])
        XCTAssertEqual(told.calls, [Told.Call(scene: .s, size: nil)])
        XCTAssertEqual([rebuilder.statistics.failed, rebuilder.statistics.previews.failed], [1, 1])
    }

    func testPrepare_theScenesSizeIsFollowed() async throws {
        var engine = try Engine(.init(policy: .prepared, scenesMax: 1))
        let scene = try engine.connect()
        let rebuilder = makeRebuilder()
        var jobs = workshop.jobs.makeAsyncIterator()
        func submit(_ milliseconds: Int, _ width: Int, _ isResizing: Bool) {
            _ = engine.submit(
                .geometry(
                    scene, at: Timestamp(nanoseconds: UInt64(milliseconds) * 1_000_000), size: .wide(width),
                    isInteractivelyResizing: isResizing)
            ) { rebuilder.submit($0) }
            rebuilder.follow(engine)
        }
        submit(0, 100, false)
        engine.advance(to: Timestamp(nanoseconds: 1)) { rebuilder.submit($0) }
        await jobs.next()!.succeed()
        submit(10, 200, true)
        submit(100, 200, true)
        let held = await jobs.next()!
        XCTAssertEqual(held.rebuild.size, .wide(200))
        rebuilder.follow(engine)
        submit(110, 300, true)
        await held.cancelled()
        held.fail()
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(ends.withLock { $0.last }, "previewed 1 \(Duration.zero) given up")
    }

    func testPrepare_whatIsLetGoMayUseTheRebuilder() async {
        final class Asset: Sendable {
            let end: @Sendable () -> Void
            init(_ end: @escaping @Sendable () -> Void) { self.end = end }
            deinit { end() }
        }
        let (box, ended) = (LockedValueBox<AssetRebuilder?>(nil), LockedValueBox(0))
        let rebuilder = AssetRebuilder(
            reallyBuilt: told.note,
            prepare: { _, _ in
                Asset {
                    _ = box.withLock { $0 }?.statistics
                    ended.withLock { $0 += 1 }
                }
            }, show: { _, _, _ in })
        box.withLock { $0 = rebuilder }
        rebuilder.submit(.preview(.s, 100))
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(rebuilder.statistics.previews.held, 1)
        rebuilder.dropPrepared()
        // The task that made it may hold it for a moment longer.
        while ended.withLock({ $0 }) < 1 { await Task.yield() }
        rebuilder.submit(.rebuild(.s, 100))
        await rebuilder.waitUntilIdle()
        while ended.withLock({ $0 }) < 2 { await Task.yield() }
        XCTAssertEqual(rebuilder.statistics.previews.used, 0, "made anew, shown, and not kept")
        box.withLock { $0 = nil }
    }

    func testPrepare_anAssetMayBeNil() async {
        let made = LockedValueBox(0)
        let rebuilder = AssetRebuilder(
            reallyBuilt: told.note,
            prepare: { _, _ -> Int? in
                made.withLock { $0 += 1 }
                return nil
            }, show: { [shown] _, _, asset in shown.withLock { $0.append("\(asset == nil)") } })
        rebuilder.submit(.rebuild(.s, 100))
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(made.withLock { $0 }, 1, "nothing was prepared, so it is made")
        rebuilder.submit(.preview(.s, 200))
        await rebuilder.waitUntilIdle()
        rebuilder.submit(.rebuild(.s, 200, after: 100))
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(made.withLock { $0 }, 2, "made once")
        XCTAssertEqual(shown.withLock { $0 }, ["true", "true"])
    }
}
