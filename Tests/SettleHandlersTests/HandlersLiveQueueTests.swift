import Settle
import TestSupport
import XCTest

@testable import SettleHandlers

/// Live rebuilds in the queue: what their builds report, and the budget that scenes share. Without tasks.
final class HandlersLiveQueueTests: XCTestCase {
    private let sizes = (1...4).map { Size(width: 100 * Double($0), height: 100) }

    private func live(_ size: Int, _ generation: UInt32, after previous: Int? = nil) -> Rebuild {
        rebuild(size, generation, .live, after: previous)
    }

    private func rebuild(
        _ size: Int, _ generation: UInt32, _ reason: Rebuild.Reason = .interactionEnded, after previous: Int? = nil
    ) -> Rebuild {
        Rebuild(
            size: sizes[size], previousSize: previous.map { sizes[$0] }, reason: reason, generation: generation)
    }

    // MARK: Ends

    func testEnds_aBuildReportsItsGenerationAndItsCost() {
        var queue = RebuildQueue(concurrency: 1, reportsEnds: true)
        _ = queue.submit(.s, rebuild(0, 1, .first))
        XCTAssertEqual(
            queue.ended(.s, .returned, after: .milliseconds(7)),
            [.reportEnd(.s, generation: 1, cost: .milliseconds(7))])
        XCTAssertFalse(queue.isIdle)
        XCTAssertEqual(queue.reported(.s), [])
        XCTAssertTrue(queue.isIdle)
    }

    func testEnds_theEndsRebuildCancelsALiveBuildAndAloneReports() {
        var queue = RebuildQueue(concurrency: 1, reportsEnds: true)
        build(0, 1, cost: 2, in: &queue)
        XCTAssertEqual(queue.submit(.s, live(1, 2, after: 0)), [.build(.s, live(1, 2, after: 0), run: 2)])
        let end = rebuild(2, 3, after: 1)
        XCTAssertEqual(queue.submit(.s, end), [.cancel(.s, run: 2)])
        XCTAssertEqual(queue.ended(.s, .threw, after: .milliseconds(5)), [.build(.s, end, run: 3)])
        XCTAssertEqual(
            queue.ended(.s, .returned, after: .milliseconds(9)),
            [.reportEnd(.s, generation: 3, cost: .milliseconds(9))])
    }

    func testEnds_aCancelledBuildThatReturnsReportsNothing() {
        var queue = RebuildQueue(concurrency: 1, reportsEnds: true)
        build(0, 1, cost: 2, in: &queue)
        _ = queue.submit(.s, live(1, 2, after: 0))
        let end = rebuild(2, 3, after: 1)
        _ = queue.submit(.s, end)
        XCTAssertEqual(queue.ended(.s, .returned, after: .milliseconds(5)), [.build(.s, end, run: 3)])
    }

    func testEnds_aLiveDecisionLetsTheRunningBuildEnd() {
        var queue = RebuildQueue(concurrency: 1, reportsEnds: true)
        build(0, 1, cost: 2, in: &queue)
        _ = queue.submit(.s, live(1, 2, after: 0))
        XCTAssertEqual(queue.submit(.s, live(2, 3, after: 1)), [], "as where a report crossed a decision")
        XCTAssertEqual(queue.submit(.s, live(3, 4, after: 2)), [])
        XCTAssertEqual(queue.statistics.superseded, 1)
        XCTAssertEqual(
            queue.ended(.s, .returned), [.build(.s, live(3, 4, after: 2), run: 3)], "an older end counts for nothing")
        XCTAssertEqual(queue.submit(.s, live(2, 5, after: 3)), [])
        XCTAssertEqual(queue.submit(.s, rebuild(3, 6, after: 2)), [], "what runs is of this very size")
        XCTAssertEqual([queue.statistics.superseded, queue.statistics.skipped], [2, 1])
        XCTAssertEqual(
            queue.ended(.s, .returned, after: .milliseconds(4)),
            [.reportEnd(.s, generation: 6, cost: .milliseconds(4))])
    }

    func testEnds_theSizeThatCameBackIsReportedWithTheCostOfItsBuild() {
        var queue = RebuildQueue(concurrency: 1, reportsEnds: true)
        build(0, 1, cost: 8, in: &queue)
        _ = queue.submit(.s, live(1, 2, after: 0))
        XCTAssertEqual(queue.submit(.s, rebuild(0, 3, after: 1)), [.cancel(.s, run: 2)])
        XCTAssertEqual(
            queue.ended(.s, .threw, after: .milliseconds(3)),
            [.reportEnd(.s, generation: 3, cost: .milliseconds(8))], "or the flight would stay open")
        XCTAssertEqual(queue.reported(.s), [])
        XCTAssertEqual(
            queue.submit(.s, rebuild(0, 4, after: 1)), [.reportEnd(.s, generation: 4, cost: .milliseconds(8))])
    }

    func testEnds_aFailedBuildTookItsTimeBeforeItsSizeIsReturned() {
        var queue = RebuildQueue(
            concurrency: 1, retry: .backoff(first: .seconds(1), limit: .seconds(1), attempts: 1), reportsEnds: true)
        build(0, 1, cost: 2, in: &queue)
        _ = queue.submit(.s, live(1, 2, after: 0))
        XCTAssertEqual(
            queue.ended(.s, .threw, after: .milliseconds(6)),
            [.reportEnd(.s, generation: 2, cost: .milliseconds(6))])
        XCTAssertEqual(queue.reported(.s), [.report(.s, sizes[0])])
        XCTAssertEqual(queue.reported(.s), [.retry(.s, after: .seconds(1), number: 1)])
    }

    func testEnds_nobodyIsToldOfASceneThatIsGone() {
        var queue = RebuildQueue(concurrency: 1, reportsEnds: true)
        _ = queue.submit(.s, rebuild(0, 1, .first))
        _ = queue.remove(.s)
        XCTAssertEqual(queue.ended(.s, .returned), [])
    }

    private func build(_ size: Int, _ generation: UInt32, cost: Int, in queue: inout RebuildQueue) {
        _ = queue.submit(.s, rebuild(size, generation, .first))
        _ = queue.ended(.s, .returned, after: .milliseconds(cost))
        _ = queue.reported(.s)
    }

    // MARK: The budget

    func testBudget_aLiveBuildWaitsUntilThoseOfAllScenesArePaidFor() {
        var queue = RebuildQueue(concurrency: 2, liveBudget: 25)
        queue.advance(to: .seconds(100))
        _ = queue.submit(.s, live(0, 2))
        XCTAssertEqual(queue.submit(.t, live(0, 2)), [], "another runs")
        queue.advance(to: .milliseconds(100_010))
        XCTAssertEqual(
            queue.ended(.s, .returned, after: .milliseconds(10)), [.waitForBudget(.milliseconds(30), number: 1)])
        queue.advance(to: .milliseconds(100_020))
        XCTAssertEqual(queue.submit(.t, live(1, 3)), [], "a newer one takes its place")
        queue.advance(to: .milliseconds(100_040))
        XCTAssertEqual(queue.budgetDue(), [.build(.t, live(1, 3), run: 2)])
        XCTAssertEqual(queue.statistics.superseded, 1)
    }

    func testBudget_otherRebuildsNeverWait() {
        var queue = RebuildQueue(concurrency: 2, liveBudget: 10)
        _ = queue.submit(.s, live(0, 2))
        XCTAssertEqual(queue.submit(.t, rebuild(0, 1, .first)), [.build(.t, rebuild(0, 1, .first), run: 2)])
        queue.advance(to: .milliseconds(10))
        XCTAssertEqual(queue.ended(.t, .returned, after: .milliseconds(10)), [])
        XCTAssertEqual(queue.submit(.t, live(1, 2)), [], "s runs")
        XCTAssertEqual(
            queue.submit(.t, rebuild(2, 3)), [.build(.t, rebuild(2, 3), run: 3)], "the end's rebuild is due")
        queue.advance(to: .milliseconds(20))
        XCTAssertEqual(queue.ended(.t, .returned, after: .milliseconds(10)), [])
        XCTAssertEqual(queue.submit(.t, live(3, 4)), [])
        XCTAssertEqual(
            queue.ended(.s, .returned, after: .milliseconds(20)), [.waitForBudget(.milliseconds(380), number: 1)],
            "at a tenth, 40 ms are paid for after 400")
    }

    func testBudget_theLastSizeOfAnInteractionWaitsNoLonger() {
        var queue = RebuildQueue(concurrency: 1, liveBudget: 10)
        _ = queue.submit(.s, live(0, 2))
        queue.advance(to: .milliseconds(10))
        _ = queue.ended(.s, .returned, after: .milliseconds(10))
        XCTAssertEqual(queue.submit(.s, live(1, 3)), [.waitForBudget(.milliseconds(90), number: 1)])
        XCTAssertEqual(queue.interactionEnded(.t), [])
        XCTAssertEqual(queue.interactionEnded(.s), [.build(.s, live(1, 3), run: 2)], "no other rebuild follows")
        queue.advance(to: .milliseconds(20))
        XCTAssertEqual(queue.ended(.s, .returned, after: .milliseconds(10)), [])
        XCTAssertEqual(queue.submit(.s, live(2, 4)), [], "it waits already")
        XCTAssertEqual(
            queue.budgetDue(), [.waitForBudget(.milliseconds(100), number: 2)], "100 of 200 ms, and not yet paid for")
        XCTAssertEqual(queue.decisionsEnded(), [.build(.s, live(2, 4), run: 3)], "nor after the engine's end")
    }

    func testBudget_aLiveDecisionAfterOneThatIsDueWaitsForAPlaceAlone() {
        var queue = RebuildQueue(concurrency: 1, liveBudget: 10)
        _ = queue.submit(.t, rebuild(0, 1, .first))
        XCTAssertEqual(queue.submit(.s, rebuild(1, 2)), [])
        XCTAssertEqual(queue.submit(.s, live(2, 3)), [], "another interaction has begun")
        queue.advance(to: .milliseconds(10))
        XCTAssertEqual(queue.ended(.t, .returned, after: .milliseconds(10)), [.build(.s, live(2, 3), run: 2)])
    }

    func testBudget_oneThatWaitsIsDroppedWithItsScene() {
        var queue = RebuildQueue(concurrency: 1, liveBudget: 10)
        _ = queue.submit(.s, live(0, 2))
        queue.advance(to: .milliseconds(10))
        _ = queue.ended(.s, .returned, after: .milliseconds(10))
        _ = queue.submit(.t, live(1, 3))
        XCTAssertFalse(queue.isIdle)
        XCTAssertEqual(queue.remove(.t), [])
        XCTAssertEqual(queue.submit(.t, live(1, 3)), [])
        XCTAssertTrue(queue.isWaitingForBudget(number: 1))
        XCTAssertEqual(queue.stop(), [.report(.t, nil)])
        XCTAssertFalse(queue.isWaitingForBudget(number: 1), "a wait that is about to begin is of no use")
        XCTAssertEqual(queue.budgetDue() + queue.reported(.t), [])
        XCTAssertTrue(queue.isIdle)
    }

    func testBudget_withoutOneNothingWaits() {
        var queue = RebuildQueue(concurrency: 1)
        _ = queue.submit(.s, live(0, 2))
        _ = queue.ended(.s, .returned, after: .seconds(10))
        XCTAssertEqual(queue.submit(.s, live(1, 3)), [.build(.s, live(1, 3), run: 2)])
    }

    // MARK: Undelivered decisions

    /// A stream that supersedes decisions still delivers each scene's last one: its report ends the flight.
    func testBuffer_theLastRebuildIsDeliveredAlsoIfTheSizeCameBack() {
        var buffer = DecisionBuffer(capacity: 0)
        for (index, rebuild) in [rebuild(0, 1, .first), live(1, 2, after: 0), rebuild(0, 3, after: 1)].enumerated() {
            let at = Timestamp(nanoseconds: UInt64(index))
            buffer.append(Decision(at: at, scene: .s, kind: .rebuild(rebuild)))
        }
        var delivered: [UInt32] = []
        while case .element(let decision) = buffer.dequeue(at: .zero) {
            if case .rebuild(let rebuild) = decision.kind { delivered.append(rebuild.generation) }
        }
        XCTAssertEqual(delivered, [3])
    }
}
