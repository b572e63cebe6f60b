import Settle
import XCTest

@testable import SettleHandlers

/// When the rebuild queue retries a failed build, without tasks or time.
final class RebuildQueueRetryTests: XCTestCase {
    private let sizes = (1...3).map { Size(width: 100 * Double($0), height: 100) }

    private func makeRetrying(attempts: Int = 3) -> RebuildQueue {
        RebuildQueue(concurrency: 1, retry: .backoff(first: .seconds(1), limit: .seconds(3), attempts: attempts))
    }

    func testQueue_aFailureIsRetriedAfterItsReportAndLessOftenEachTime() {
        var queue = makeRetrying()
        let a = sizes[0]
        for (number, delay) in [(UInt64(1), 1), (2, 2), (3, 3)] {
            XCTAssertEqual(queue.submit(.s, rebuild(a)), [.build(.s, rebuild(a), run: number)])
            XCTAssertEqual(queue.ended(.s, .threw), [.report(.s, nil)])
            XCTAssertEqual(queue.reported(.s), [.retry(.s, after: .seconds(delay), number: number)])
            XCTAssertTrue(queue.isIdle, "an armed retry is nothing that runs")
            XCTAssertEqual(queue.retryDue(.s, number: number), [.flush(.s)])
            XCTAssertFalse(queue.isIdle)
            XCTAssertEqual(queue.flushed(), [])
            XCTAssertEqual(queue.retryDue(.s, number: number), [], "only once")
        }
        _ = queue.submit(.s, rebuild(a))
        _ = queue.ended(.s, .threw)
        XCTAssertEqual(queue.reported(.s), [], "three retries were allowed")
        _ = queue.submit(.s, rebuild(a))
        XCTAssertEqual(queue.ended(.s, .returned), [])
        _ = queue.submit(.s, rebuild(sizes[1], after: a))
        _ = queue.ended(.s, .threw)
        XCTAssertEqual(queue.reported(.s), [.retry(.s, after: .seconds(1), number: 4)], "a success begins anew")
        XCTAssertEqual([queue.statistics.retried, UInt64(queue.statistics.retrying)], [3, 1])
    }

    func testQueue_whateverIsNewerDropsARetry() {
        let (a, b) = (sizes[0], sizes[1])
        let drops: [(inout RebuildQueue) -> [RebuildQueue.Action]] = [
            { $0.submit(.s, self.rebuild(b)) }, { $0.remove(.s) }, { $0.stop() },
        ]
        for (number, drop) in drops.enumerated() {
            var queue = makeRetrying()
            _ = queue.submit(.s, rebuild(a))
            _ = queue.ended(.s, .threw)
            _ = queue.reported(.s)
            XCTAssertEqual(drop(&queue).first, .dropRetry(number: 1), "\(number)")
            XCTAssertEqual(queue.retryDue(.s, number: 1), [], "\(number): it has lost the race")
            XCTAssertEqual([UInt64(queue.statistics.retrying), queue.statistics.retried], [0, 0])
        }
    }

    func testQueue_aLiveDecisionThatWaitsIsTheRetryOfTheBuildThatFailsBeforeIt() {
        let (a, b) = (sizes[0], sizes[1])
        var queue = makeRetrying()
        _ = queue.submit(.s, rebuild(a))
        let live = Rebuild(size: b, previousSize: a, reason: .live)
        XCTAssertEqual(queue.submit(.s, live), [])
        XCTAssertEqual(queue.ended(.s, .threw), [.build(.s, live, run: 2)])
        XCTAssertEqual(queue.ended(.s, .returned), [], "nothing is left to retry")
    }

    func testQueue_aFailureOfASceneThatIsGoneIsNotRetried() {
        var queue = makeRetrying()
        _ = queue.submit(.s, rebuild(sizes[0]))
        XCTAssertTrue(queue.failed(.s, run: 1, "no disk"))
        XCTAssertEqual(queue.remove(.s), [.cancel(.s, run: 1)])
        XCTAssertEqual(queue.ended(.s, .threw), [])
        XCTAssertEqual([queue.statistics.failed, queue.statistics.cancelled], [1, 0])
    }

    func testQueue_aNewerDecisionBeforeTheReportIsTheRetry() {
        let (a, b) = (sizes[0], sizes[1])
        var queue = makeRetrying()
        _ = queue.submit(.s, rebuild(a))
        XCTAssertEqual(queue.ended(.s, .threw), [.report(.s, nil)])
        XCTAssertEqual(queue.submit(.s, rebuild(b, after: a)), [])
        XCTAssertEqual(queue.reported(.s), [.build(.s, rebuild(b, after: a), run: 2)])
        // This one is cancelled after it failed, and before it has ended.
        XCTAssertTrue(queue.failed(.s, run: 2, "full"))
        XCTAssertEqual(queue.submit(.s, rebuild(a, after: b)), [.cancel(.s, run: 2)])
        XCTAssertEqual(queue.ended(.s, .threw), [.build(.s, rebuild(a, after: b), run: 3)])
        XCTAssertEqual(queue.ended(.s, .threw), [.report(.s, nil)])
        XCTAssertEqual(queue.reported(.s), [.retry(.s, after: .seconds(3), number: 1)], "the third failure in a row")
    }

    func testQueue_aStoppedOneRetriesNothing() {
        var queue = makeRetrying()
        _ = queue.submit(.s, rebuild(sizes[0]))
        XCTAssertTrue(queue.failed(.s, run: 1, "full"))
        XCTAssertEqual(queue.stop(), [.cancel(.s, run: 1)])
        XCTAssertEqual(queue.ended(.s, .threw), [.report(.s, nil)])
        XCTAssertEqual(queue.reported(.s), [])
        XCTAssertEqual(queue.statistics.failed, 1)
    }

    /// Without further decisions nobody would end a preview, or needs a retry; builds go on.
    func testQueue_theEndOfDecisionsEndsPreviewsAndRetries() {
        var queue = makeRetrying()
        XCTAssertEqual(queue.preview(.s, sizes[0]), [.preview(.s, sizes[0], run: 1)])
        XCTAssertEqual(queue.submit(.t, rebuild(sizes[1])), [.build(.t, rebuild(sizes[1]), run: 2)])
        XCTAssertEqual(queue.decisionsEnded(), [.cancel(.s, run: 1)])
        XCTAssertEqual(queue.previewEnded(.s), [])
        XCTAssertTrue(queue.failed(.t, run: 2, "full"))
        XCTAssertEqual(queue.ended(.t, .threw), [.report(.t, nil)])
        XCTAssertEqual(queue.reported(.t), [], "no retry")
        XCTAssertTrue(queue.isIdle)
    }

    func testRetry_isNeverLongerThanTheLongestDelay() {
        for first in [Duration.seconds(Int64.max), .seconds(Int64.max / 2 + 5), .seconds(1 << 40)] {
            let retry = AssetRebuilder.Retry.backoff(first: first, limit: .seconds(Int64.max), attempts: 5)
            XCTAssertEqual(
                [1, 2, 5].map { retry.delay(afterFailures: $0) }, Array(repeating: Policy.longestDelay, count: 3))
        }
    }

    func testRetry_doublesUpToTheLimit() {
        let retry = AssetRebuilder.Retry.backoff(first: .milliseconds(3), limit: .milliseconds(20), attempts: 1_000)
        XCTAssertEqual(
            [1, 2, 3, 4, 5, 1_000].map { retry.delay(afterFailures: $0) },
            [3, 6, 12, 20, 20, 20].map { .milliseconds($0) })
        XCTAssertNil(retry.delay(afterFailures: 1_001))
        XCTAssertNil(AssetRebuilder.Retry.never.delay(afterFailures: 1))
        let atOnce = AssetRebuilder.Retry.backoff(first: .zero, limit: .seconds(1), attempts: .max)
        XCTAssertEqual(atOnce.delay(afterFailures: .max), .zero)
        XCTAssertNil(AssetRebuilder.Retry.backoff(first: .zero, limit: .zero, attempts: 0).delay(afterFailures: 1))
        XCTAssertEqual(
            [(-1, 1, 1), (2, 1, 1), (1, 1, -1), (0, 0, 0)].map { first, limit, attempts in
                AssetRebuilder.Retry.backoff(first: .seconds(first), limit: .seconds(limit), attempts: attempts).problem
                    == nil
            }, [false, false, false, true])
    }
}
