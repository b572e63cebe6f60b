import Settle
import TestSupport
import XCTest

@testable import SettleHandlers

/// What is prepared, beside the cases of preparations: what ends it, places for builds, what is counted.
final class HandlersPrepareQueueTests: XCTestCase {
    private let (a, b) = (Size.wide(100), Size.wide(200))
    private let cost = Duration.milliseconds(5)

    private func queue(concurrency: Int = 1) -> RebuildQueue {
        RebuildQueue(concurrency: concurrency, reportsEnds: true, reportsPreviews: true, prepares: true)
    }

    /// Prepares a size, of which "a" is kept then.
    private func prepare(_ queue: inout RebuildQueue, _ scene: SceneID = .s, generation: UInt32 = 1) {
        _ = queue.preview(scene, a, generation: generation)
        _ = queue.previewEnded(scene, after: cost, asset: "a")
        XCTAssertEqual(queue.reported(scene), [])
        XCTAssertEqual(queue.statistics.previews.held, 1)
    }

    private func assertShows(
        _ asset: String?, _ queue: inout RebuildQueue, _ scene: SceneID = .s, run: UInt64, line: UInt = #line
    ) {
        XCTAssertEqual(queue.takePrepared(scene, run: run) as? String, asset, line: line)
        XCTAssertNil(queue.takePrepared(scene, run: run), "once", line: line)
    }

    func testPrepare_aRebuildOfAnotherSizeEndsIt() {
        var queue = queue()
        _ = queue.preview(.s, a, generation: 1)
        XCTAssertEqual(queue.submit(.s, rebuild(b)), [.cancel(.s, run: 1)])
        XCTAssertEqual(queue.previewEnded(.s, after: cost, asset: "a"), [.build(.s, rebuild(b), run: 2)])
        assertShows(nil, &queue, run: 2)
        XCTAssertEqual(queue.drainDiscarded() as? [String], ["a"])
        XCTAssertEqual(queue.statistics.previews.givenUp, 1)
    }

    func testPrepare_aRunThatHasEndedIsNotTheOneThatRuns() {
        var queue = queue()
        _ = queue.preview(.s, a, generation: 1)
        XCTAssertEqual(queue.isCancelled(.s, run: 1), false)
        _ = queue.submit(.s, rebuild(b))
        XCTAssertEqual(queue.isCancelled(.s, run: 1), true)
        _ = queue.previewEnded(.s, after: cost, asset: "a")
        XCTAssertEqual([queue.isCancelled(.s, run: 1), queue.isCancelled(.s, run: 2)], [nil, false])
    }

    func testPrepare_oneIsKept() {
        for drop in [
            { _ = $0.preview(.s, Size.wide(200), generation: 2) }, { _ = $0.follow(.s, size: nil, isOwed: false) },
            { _ = $0.dropPrepared() }, { _ = $0.remove(.s) }, { _ = $0.stop() }, { _ = $0.decisionsEnded() },
            { _ = $0.submit(.s, Rebuild(size: .wide(200), previousSize: nil, reason: .discrete)) },
        ] as [(inout RebuildQueue) -> Void] {
            var queue = queue()
            prepare(&queue)
            drop(&queue)
            XCTAssertEqual(queue.drainDiscarded() as? [String], ["a"])
            XCTAssertEqual(queue.statistics.previews.held, 0)
        }
    }

    /// A rebuild of its size that waits for a place takes what is kept, whatever becomes of the scene meanwhile.
    func testPrepare_whatARebuildWaitsForIsKept() {
        for change in [
            { _ = $0.follow(.s, size: nil, isOwed: false) }, { _ = $0.follow(.s, size: Size.wide(200), isOwed: true) },
            { _ = $0.dropPrepared() },
        ] as [(inout RebuildQueue) -> Void] {
            var queue = queue()
            prepare(&queue)
            XCTAssertEqual(queue.submit(.t, rebuild(b)), [.build(.t, rebuild(b), run: 2)])
            XCTAssertEqual(queue.submit(.s, rebuild(a)), [])
            change(&queue)
            XCTAssertEqual(queue.drainDiscarded().count, 0)
            XCTAssertEqual(queue.statistics.previews.held, 1)
        }
    }

    func testPrepare_whatIsKeptIsNotMadeAgain() {
        var queue = queue()
        prepare(&queue)
        XCTAssertEqual(
            queue.preview(.s, a, generation: 2), [.reportPreview(.s, generation: 2, cost: .zero, isKept: true)])
        XCTAssertEqual(queue.reported(.s), [])
        XCTAssertEqual(queue.statistics.previews.started, 1)
    }

    func testPrepare_aFailedOneIsMadeAnewAtTheRebuild() {
        var queue = queue()
        _ = queue.preview(.s, a, generation: 1)
        XCTAssertEqual(
            queue.previewEnded(.s, .threw, after: cost, problem: "no disk"),
            [.reportPreview(.s, generation: 1, cost: cost, isKept: true)], "no other preview of its size follows")
        _ = queue.reported(.s)
        XCTAssertEqual(queue.submit(.s, rebuild(a)), [.build(.s, rebuild(a), run: 2)])
        assertShows(nil, &queue, run: 2)
        XCTAssertEqual(queue.statistics.previews.failed, 1)
        XCTAssertEqual(queue.statistics.failed, 0)
        XCTAssertEqual(queue.statistics.lastFailure, "scene 1 at 100×100, prepared: no disk")
    }

    func testPrepare_itTakesAPlaceAndGivesWayToARebuild() {
        var queue = queue()
        XCTAssertEqual(queue.submit(.t, rebuild(a)), [.build(.t, rebuild(a), run: 1)])
        XCTAssertEqual(queue.preview(.s, a, generation: 1), [], "no place")
        _ = queue.ended(.t, .returned)
        XCTAssertEqual(queue.reported(.t), [.preview(.s, a, run: 2)])
        XCTAssertEqual(queue.submit(.t, rebuild(b, after: a)), [.cancel(.s, run: 2)])
        XCTAssertEqual(queue.submit(.u, rebuild(b)), [], "nothing more can end")
        XCTAssertEqual(
            queue.previewEnded(.s, .threw), [.reportPreview(.s, generation: 1, cost: .zero, isKept: false)])
        XCTAssertEqual(queue.reported(.s), [.build(.t, rebuild(b, after: a), run: 3)])
    }

    func testPrepare_aRebuildThatWaitsForItsOwnWorkDoesNotGiveWay() {
        var queue = queue()
        _ = queue.preview(.s, a, generation: 1)
        _ = queue.submit(.s, rebuild(a))
        XCTAssertEqual(queue.submit(.t, rebuild(b)), [], "the older rebuild is under way")
        XCTAssertEqual(queue.previewEnded(.s, asset: "a"), [.build(.s, rebuild(a), run: 2)])
    }

    /// Each rebuild without a place ends one preparation, once.
    func testPrepare_oneThatIsEndingGivesWayAlready() {
        var queue = queue(concurrency: 2)
        _ = queue.preview(.s, a, generation: 1)
        _ = queue.preview(.t, a, generation: 1)
        XCTAssertEqual(queue.submit(.u, rebuild(b)), [.cancel(.s, run: 1)])
        XCTAssertEqual(queue.submit(.u, rebuild(a)), [])
    }

    /// A report that has not arrived has a place, which is free soon.
    func testPrepare_aReportGivesWayAlready() {
        var queue = queue(concurrency: 2)
        XCTAssertEqual(queue.submit(.t, rebuild(a)), [.build(.t, rebuild(a), run: 1)])
        XCTAssertEqual(queue.preview(.s, a, generation: 1), [.preview(.s, a, run: 2)])
        XCTAssertEqual(queue.ended(.t, .returned), [.reportEnd(.t, generation: 1, cost: .zero)])
        XCTAssertEqual(queue.submit(.u, rebuild(b)), [], "nothing is cancelled for it")
        XCTAssertEqual(queue.reported(.t), [.build(.u, rebuild(b), run: 3)])
    }

    func testPrepare_itDoesNotGiveWayToWhatTheBudgetHoldsBack() {
        var queue = RebuildQueue(concurrency: 1, prepares: true, liveBudget: 50)
        _ = queue.preview(.s, a)
        XCTAssertEqual(queue.submit(.t, Rebuild(size: b, previousSize: a, reason: .live)), [])
        XCTAssertEqual(queue.interactionEnded(.t), [.cancel(.s, run: 1)], "the last size waits for no budget")
    }

    func testPrepare_aBuildCancelledBeforeItBeganShowsNothing() {
        var queue = queue()
        prepare(&queue)
        _ = queue.submit(.s, rebuild(a))
        XCTAssertEqual(queue.submit(.s, rebuild(b, after: a)), [.cancel(.s, run: 2)])
        XCTAssertEqual(queue.ended(.s, .threw), [.build(.s, rebuild(b, after: a), run: 3)])
        XCTAssertEqual(queue.drainDiscarded() as? [String], ["a"])
        assertShows(nil, &queue, run: 3)
    }

    func testPrepare_theLiveBudgetPaysForIt() {
        var queue = RebuildQueue(concurrency: 1, prepares: true, liveBudget: 50)
        _ = queue.preview(.s, a)
        queue.advance(to: .milliseconds(10))
        _ = queue.previewEnded(.s, after: .milliseconds(10), asset: "a")
        let live = Rebuild(size: b, previousSize: a, reason: .live)
        XCTAssertEqual(queue.submit(.s, live), [.waitForBudget(.milliseconds(10), number: 1)])
    }
}
