import Foundation
import Settle
import TestSupport
import XCTest

@testable import SettleHandlers

/// The rebuild queue without tasks. `SETTLE_SEED=n` runs only that seed.
final class HandlersRebuildQueueTests: XCTestCase {
    private let sizes = (1...3).map { Size(width: 100 * Double($0), height: 100) }

    // MARK: By hand

    func testQueue_aNewerDecisionWaitsUntilTheCancelledBuildHasEnded() {
        var queue = RebuildQueue(concurrency: 2)
        let (a, b, c) = (sizes[0], sizes[1], sizes[2])
        XCTAssertEqual(queue.submit(.s, rebuild(a)), [.build(.s, rebuild(a), run: 1)])
        XCTAssertEqual(queue.submit(.s, rebuild(b, after: a)), [.cancel(.s, run: 1)])
        XCTAssertEqual(queue.submit(.s, rebuild(c, after: b)), [], "cancelled once, and b never runs")
        XCTAssertEqual(queue.ended(.s, .threw), [.build(.s, rebuild(c, after: b), run: 2)])
        XCTAssertEqual(queue.ended(.s, .returned, after: .seconds(2)), [])
        XCTAssertTrue(queue.isIdle)
        let counts = queue.statistics
        XCTAssertEqual([counts.decided, counts.started, counts.cancelled, counts.finished], [3, 2, 1, 1])
        XCTAssertEqual([counts.failed, counts.skipped, counts.superseded, counts.dropped], [0, 0, 1, 0])
        XCTAssertEqual(counts.timeSpent, .seconds(2))
    }

    func testQueue_nothingRunsWhenTheSizeCameBack() {
        var queue = RebuildQueue(concurrency: 1)
        let (a, b) = (sizes[0], sizes[1])
        _ = queue.submit(.s, rebuild(a))
        _ = queue.ended(.s, .returned)
        XCTAssertEqual(queue.submit(.s, rebuild(b, after: a)).count, 1)
        XCTAssertEqual(queue.submit(.s, rebuild(a, after: b)), [.cancel(.s, run: 2)])
        XCTAssertEqual(queue.ended(.s, .threw), [])
        XCTAssertTrue(queue.isIdle)
        XCTAssertEqual(queue.statistics.skipped, 1)
        XCTAssertEqual(queue.submit(.s, rebuild(a)), [], "a is built")
        XCTAssertEqual(queue.statistics.skipped, 2)
    }

    func testQueue_aStaleBuildThatFinishesCounts() {
        var queue = RebuildQueue(concurrency: 1)
        let (a, b) = (sizes[0], sizes[1])
        _ = queue.submit(.s, rebuild(a))
        _ = queue.submit(.s, rebuild(b, after: a))
        _ = queue.submit(.s, rebuild(a, after: b))
        XCTAssertEqual(queue.ended(.s, .returned), [], "a is built, although its build was cancelled")
        XCTAssertEqual([queue.statistics.finished, queue.statistics.skipped], [1, 1])
        _ = queue.submit(.s, rebuild(b, after: a))
        XCTAssertEqual(queue.ended(.s, .threw), [.report(.s, a)])
    }

    func testQueue_aDecisionForTheRunningSizeJoinsIt() {
        var queue = RebuildQueue(concurrency: 1)
        _ = queue.submit(.s, rebuild(sizes[0]))
        XCTAssertEqual(queue.submit(.s, rebuild(sizes[0])), [])
        XCTAssertEqual(queue.statistics.skipped, 1)
        XCTAssertEqual(queue.ended(.s, .returned), [])
        XCTAssertTrue(queue.isIdle)
    }

    func testQueue_onlyTheLastFailureReturnsTheDebt() {
        var queue = RebuildQueue(concurrency: 1)
        let (a, b) = (sizes[0], sizes[1])
        _ = queue.submit(.s, rebuild(a))
        _ = queue.submit(.s, rebuild(b, after: a))
        XCTAssertEqual(queue.ended(.s, .threw), [.build(.s, rebuild(b, after: a), run: 2)])
        XCTAssertEqual(queue.ended(.s, .threw), [.report(.s, nil)])
        XCTAssertFalse(queue.isIdle)
        XCTAssertEqual(queue.reported(.s), [])
        XCTAssertTrue(queue.isIdle)
        // The engine has applied the report: it states no size as built before.
        XCTAssertEqual(queue.submit(.s, rebuild(b, after: nil)).count, 1)
        XCTAssertEqual(queue.ended(.s, .returned), [])
    }

    func testQueue_aReturnThatCrossedADecisionIsPutRight() {
        var queue = RebuildQueue(concurrency: 1)
        let (a, b) = (sizes[0], sizes[1])
        _ = queue.submit(.s, rebuild(a))
        XCTAssertEqual(queue.ended(.s, .threw), [.report(.s, nil)])
        XCTAssertEqual(queue.submit(.s, rebuild(b, after: a)), [], "no build starts during a report to the engine")
        XCTAssertEqual(queue.reported(.s), [.build(.s, rebuild(b, after: a), run: 2)])
        XCTAssertEqual(queue.ended(.s, .returned), [.report(.s, b)], "or the engine would believe in nothing")
    }

    func testQueue_scenesStartInTheOrderOfTheirOldestUnservedDecision() {
        var queue = RebuildQueue(concurrency: 1)
        let (a, b) = (sizes[0], sizes[1])
        _ = queue.submit(.s, rebuild(a))
        _ = queue.submit(.t, rebuild(a))
        _ = queue.submit(.u, rebuild(a))
        _ = queue.submit(.t, rebuild(b, after: a))
        XCTAssertEqual(queue.ended(.s, .returned), [.build(.t, rebuild(b, after: a), run: 2)])
        _ = queue.submit(.t, rebuild(a, after: b))
        XCTAssertEqual(queue.ended(.t, .threw), [.build(.u, rebuild(a), run: 3)], "u is older than t's newest")
    }

    func testQueue_aRemovedSceneIsForgotten() {
        var queue = RebuildQueue(concurrency: 1)
        _ = queue.submit(.s, rebuild(sizes[0]))
        _ = queue.submit(.t, rebuild(sizes[0]))
        XCTAssertEqual(queue.remove(.t), [], "it only waited")
        XCTAssertEqual(queue.remove(.s), [.cancel(.s, run: 1)])
        XCTAssertEqual(queue.remove(.s), [])
        XCTAssertEqual(queue.remove(.u), [])
        XCTAssertEqual(queue.submit(.s, rebuild(sizes[0])), [], "one build of a scene at a time still")
        XCTAssertEqual(queue.ended(.s, .returned), [.build(.s, rebuild(sizes[0]), run: 2)])
        XCTAssertEqual(queue.statistics.dropped, 1)
    }

    func testQueue_stopGivesUpEverythingAndReturnsTheDebts() {
        var queue = RebuildQueue(concurrency: 1)
        _ = queue.submit(.s, rebuild(sizes[0]))
        _ = queue.submit(.t, rebuild(sizes[0]))
        XCTAssertEqual(queue.stop(), [.cancel(.s, run: 1), .report(.t, nil)])
        XCTAssertEqual(queue.stop(), [])
        XCTAssertEqual(queue.submit(.u, rebuild(sizes[0])), [])
        XCTAssertEqual(queue.ended(.s, .threw), [.report(.s, nil)])
        XCTAssertEqual(queue.reported(.t) + queue.reported(.s), [])
        XCTAssertTrue(queue.isIdle)
        XCTAssertEqual(queue.statistics.dropped, 2)
    }

    // MARK: Previews

    func testQueue_aPreviewWaitsForTheRebuildOfItsSceneAndNoOther() {
        var queue = RebuildQueue(concurrency: 1)
        let (a, b, c) = (sizes[0], sizes[1], sizes[2])
        _ = queue.submit(.s, rebuild(a))
        XCTAssertEqual(queue.preview(.s, b), [], "a is being built")
        XCTAssertEqual(queue.preview(.s, c), [], "b is superseded")
        XCTAssertEqual(queue.preview(.t, b), [.preview(.t, b, run: 2)], "beyond the concurrency")
        XCTAssertEqual(queue.ended(.s, .returned), [.preview(.s, c, run: 3)])
        XCTAssertFalse(queue.isIdle)
        XCTAssertEqual(queue.previewEnded(.s) + queue.previewEnded(.t), [])
        XCTAssertTrue(queue.isIdle)
        let counts = queue.statistics.previews
        XCTAssertEqual([counts.decided, counts.started, counts.dropped], [3, 2, 1])
    }

    func testQueue_aRebuildCancelsThePreviewAndFollowsIt() {
        var queue = RebuildQueue(concurrency: 1)
        let (a, b) = (sizes[0], sizes[1])
        XCTAssertEqual(queue.preview(.s, a), [.preview(.s, a, run: 1)])
        XCTAssertEqual(queue.preview(.s, b), [.cancel(.s, run: 1)], "b waits for a's end")
        XCTAssertEqual(queue.interactionEnded(.s), [], "cancelled once")
        XCTAssertEqual(queue.submit(.s, rebuild(b)), [])
        XCTAssertEqual(queue.submit(.t, rebuild(a)), [.build(.t, rebuild(a), run: 2)], "which waits for no preview")
        XCTAssertEqual(queue.ended(.t, .returned), [])
        XCTAssertEqual(queue.previewEnded(.s), [.build(.s, rebuild(b), run: 3)])
        XCTAssertEqual(queue.ended(.s, .threw), [.report(.s, nil)], "the preview of b is no build")
    }

    func testQueue_aPreviewsEndIsReportedByItsNumberUnlessItsSceneIsGone() {
        var queue = RebuildQueue(concurrency: 1, reportsPreviews: true)
        let (a, b, cost) = (sizes[0], sizes[1], Duration.milliseconds(3))
        XCTAssertEqual(queue.preview(.s, a, generation: 1), [.preview(.s, a, run: 1)])
        XCTAssertEqual(queue.preview(.s, a, generation: 2), [], "the work runs already")
        XCTAssertEqual(
            queue.previewEnded(.s, after: cost), [.reportPreview(.s, generation: 2, cost: cost, isKept: true)])
        XCTAssertEqual(queue.preview(.s, b, generation: 3), [], "waits for the report")
        XCTAssertEqual(queue.reported(.s), [.preview(.s, b, run: 2)])
        XCTAssertEqual(queue.preview(.s, a, generation: 4), [.cancel(.s, run: 2)])
        XCTAssertEqual(queue.interactionEnded(.s), [.reportGivenUp(.s, generation: 4)], "it never ran")
        XCTAssertEqual(
            queue.previewEnded(.s, after: cost), [.reportPreview(.s, generation: 3, cost: cost, isKept: false)])
        XCTAssertEqual(queue.reported(.s), [])
        XCTAssertEqual(queue.preview(.s, b, generation: 5), [.preview(.s, b, run: 3)])
        XCTAssertEqual(queue.remove(.s), [.cancel(.s, run: 3)])
        XCTAssertEqual(queue.previewEnded(.s), [], "the scene is gone")
    }

    func testQueue_aPreviewOfAnotherSizeThanTheScenesIsGivenUp() {
        var queue = RebuildQueue(concurrency: 1, reportsPreviews: true)
        let (a, b) = (sizes[0], sizes[1])
        XCTAssertEqual(queue.follow(.s, size: a, isOwed: true), [], "a scene without a preview")
        XCTAssertEqual(queue.preview(.s, a, generation: 1), [.preview(.s, a, run: 1)])
        XCTAssertEqual(queue.scenesToFollow(), [.s])
        XCTAssertEqual(queue.follow(.s, size: a, isOwed: true), [])
        XCTAssertEqual(queue.follow(.s, size: b, isOwed: true), [.cancel(.s, run: 1)])
        XCTAssertEqual(queue.follow(.s, size: b, isOwed: true), [], "cancelled once")
        XCTAssertEqual(queue.preview(.s, b, generation: 2), [])
        XCTAssertEqual(queue.follow(.s, size: a, isOwed: true), [.reportGivenUp(.s, generation: 2)], "it never ran")
        XCTAssertEqual(queue.previewEnded(.s), [.reportPreview(.s, generation: 1, cost: .zero, isKept: false)])
        XCTAssertEqual(queue.reported(.s), [])
        XCTAssertEqual(queue.scenesToFollow(), [])
        XCTAssertEqual(queue.preview(.s, b, generation: 3), [.preview(.s, b, run: 2)])
        XCTAssertEqual(queue.follow(.s, size: b, isOwed: false), [.cancel(.s, run: 2)], "nobody waits for it")
    }

    func testQueue_anOutdatedPreviewNeverRuns() {
        var queue = RebuildQueue(concurrency: 2)
        let (a, b) = (sizes[0], sizes[1])
        _ = queue.submit(.s, rebuild(a))
        _ = queue.preview(.s, b)
        XCTAssertEqual(queue.interactionEnded(.s), [])
        XCTAssertEqual(queue.ended(.s, .returned), [], "the interaction is over")
        _ = queue.submit(.s, rebuild(b, after: a))
        _ = queue.preview(.s, a)
        XCTAssertEqual(queue.submit(.s, rebuild(sizes[2], after: b)), [.cancel(.s, run: 2)])
        XCTAssertEqual(
            queue.ended(.s, .threw), [.build(.s, rebuild(sizes[2], after: b), run: 3)], "a rebuild is newer")
        _ = queue.preview(.s, a)
        XCTAssertEqual(queue.remove(.s), [.cancel(.s, run: 3)])
        XCTAssertEqual(queue.ended(.s, .threw), [])
        XCTAssertEqual(queue.statistics.previews.started, 0)
        XCTAssertEqual(queue.interactionEnded(.s), [], "of a scene that is gone")
    }

    func testQueue_aPreviewThatRunsAlreadyIsNotRunAgain() {
        var queue = RebuildQueue(concurrency: 1)
        let (a, b) = (sizes[0], sizes[1])
        XCTAssertEqual(queue.preview(.s, a), [.preview(.s, a, run: 1)])
        XCTAssertEqual(queue.preview(.s, a), [])
        XCTAssertEqual(queue.preview(.s, b), [.cancel(.s, run: 1)])
        XCTAssertEqual(queue.preview(.s, a), [], "the running one was cancelled")
        XCTAssertEqual(queue.previewEnded(.s), [.preview(.s, a, run: 2)])
        XCTAssertEqual(queue.stop(), [.cancel(.s, run: 2)])
        XCTAssertEqual(queue.preview(.s, b), [])
        XCTAssertEqual(queue.previewEnded(.s), [])
        XCTAssertTrue(queue.isIdle)
    }

    // MARK: Every order

    /// Every sequence of moves up to a length, then everything brought to its end
    /// with all builds returning, and again with all failing.
    private func walk(
        _ world: RebuildWorld, _ scenes: [SceneID], sizes: Int, depth: Int, path: [RebuildWorld.Move] = []
    )
        -> Int
    {
        for outcome in RebuildQueue.Outcome.allCases {
            var copy = world
            copy.finish { moves in
                moves.first { if case .end(_, outcome) = $0 { true } else { false } } ?? moves[0]
            }
            if let breach = copy.breach {
                XCTFail("\(breach) after \(path), then all \(outcome)")
                return 1
            }
        }
        // One move fewer than in a night.
        guard depth > (isLong ? 0 : 1) else { return 1 }
        var count = 0
        for move in world.moves(scenes: scenes, sizes: Array(self.sizes.prefix(sizes)), allowing: depth < 3) {
            var next = world
            next.make(move)
            count += walk(next, scenes, sizes: sizes, depth: depth - 1, path: path + [move])
            if testRun!.failureCount > 0 { return count }
        }
        return count
    }

    private let fewest = isLong ? 1_000 : 400

    func testEveryOrder_oneScene() {
        XCTAssertGreaterThan(walk(RebuildWorld(concurrency: 1), [.s], sizes: 2, depth: 8), fewest)
    }

    func testEveryOrder_twoScenesAndOneAtATime() {
        XCTAssertGreaterThan(walk(RebuildWorld(concurrency: 1), [.s, .t], sizes: 2, depth: 5), fewest)
    }

    func testEveryOrder_twoScenesAtOnce() {
        XCTAssertGreaterThan(walk(RebuildWorld(concurrency: 2), [.s, .t], sizes: 2, depth: 5), fewest)
    }

    func testEveryOrder_oneSceneWithPreviews() {
        XCTAssertGreaterThan(
            walk(RebuildWorld(concurrency: 1, hasPreviews: true), [.s], sizes: 2, depth: 5), fewest)
    }

    func testEveryOrder_oneSceneThatPrepares() {
        XCTAssertGreaterThan(walk(RebuildWorld(concurrency: 1, prepares: true), [.s], sizes: 2, depth: 5), fewest)
    }

    func testEveryOrder_twoScenesThatPrepare() {
        XCTAssertGreaterThan(walk(RebuildWorld(concurrency: 1, prepares: true), [.s, .t], sizes: 1, depth: 5), fewest)
    }

    func testEveryOrder_oneSceneWithRetries() {
        let retry = AssetRebuilder.Retry.backoff(first: .seconds(1), limit: .seconds(3), attempts: 2)
        XCTAssertGreaterThan(walk(RebuildWorld(concurrency: 1, retry: retry), [.s], sizes: 2, depth: 8), fewest)
    }

    func testEveryOrder_oneSceneWhoseEndsAreReported() {
        XCTAssertGreaterThan(
            walk(RebuildWorld(concurrency: 1, reportsEnds: true), [.s], sizes: 2, depth: 8), fewest)
    }

    func testEveryOrder_twoScenesWhoseEndsAreReported() {
        let world = RebuildWorld(
            concurrency: 1, retry: .backoff(first: .zero, limit: .zero, attempts: 1), reportsEnds: true)
        XCTAssertGreaterThan(walk(world, [.s, .t], sizes: 2, depth: 5), fewest)
    }

    func testEveryOrder_twoScenesWithPreviewsAndRetries() {
        let world = RebuildWorld(
            concurrency: 1, retry: .backoff(first: .zero, limit: .zero, attempts: 1), hasPreviews: true)
        XCTAssertGreaterThan(walk(world, [.s, .t], sizes: 1, depth: 4), fewest)
    }

    // MARK: Random orders

    func testRandomOrders() {
        var seeds: Range<UInt64> = 0..<1_000
        if let only = ProcessInfo.processInfo.environment["SETTLE_SEED"].flatMap(UInt64.init) {
            seeds = only..<only + 1
        }
        var total = AssetRebuilder.Statistics()
        for seed in seeds {
            var random = SplitMix64(seed: seed)
            var world = RebuildWorld(
                concurrency: 1 + random.below(3),
                retry: random.pick([.never, .backoff(first: .seconds(1), limit: .seconds(5), attempts: 3)]),
                hasPreviews: random.chance(50), reportsEnds: random.chance(50), prepares: random.chance(60))
            let scenes = (1...1 + UInt32(random.below(5))).map { SceneID(rawValue: $0) }
            for _ in 0..<60 where world.breach == nil {
                world.make(
                    random.pick(world.moves(scenes: scenes, sizes: sizes, allowing: random.chance(2)) + [.nothing]))
            }
            world.finish { random.pick($0) }
            if let breach = world.breach { return XCTFail("SETTLE_SEED=\(seed): \(breach)") }
            total.add(world.queue.statistics)
        }
        // The orders are worth nothing if they do not reach every outcome.
        guard seeds.count > 1 else { return }
        for count in [
            total.finished, total.cancelled, total.failed, total.skipped, total.superseded, total.dropped,
            total.retried,
            total.previews.started, total.previews.dropped, total.previews.kept, total.previews.givenUp,
            total.previews.failed, total.previews.used,
        ] {
            XCTAssertGreaterThan(count, 500, "\(total)")
        }
    }
}

extension RebuildWorld.Move {
    /// Forgets a scene that there never was.
    fileprivate static let nothing = RebuildWorld.Move.remove(SceneID(rawValue: .max))
}

extension AssetRebuilder.Statistics {
    fileprivate mutating func add(_ other: Self) {
        finished += other.finished
        cancelled += other.cancelled
        failed += other.failed
        skipped += other.skipped
        superseded += other.superseded
        dropped += other.dropped
        retried += other.retried
        previews.started += other.previews.started
        previews.dropped += other.previews.dropped
        previews.kept += other.previews.kept
        previews.givenUp += other.previews.givenUp
        previews.failed += other.previews.failed
        previews.used += other.previews.used
    }
}
