import Settle
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleHandlers

/// Retries and previews with an engine, real tasks and a clock that the test advances.
final class HandlersRetryTests: XCTestCase {
    /// An engine and its rebuilder. What the rebuilder sends to the engine is noted.
    private final class House: @unchecked Sendable {
        let workshop = Workshop()
        let clock = ManualClock()
        let sent = LockedValueBox<[String]>([])
        private(set) var rebuilder: AssetRebuilder!
        private(set) var scene = SceneID(rawValue: 0)
        private let mutex = PthreadMutex()
        private var engine: Engine
        private var time: UInt64 = 0

        init(
            _ retry: AssetRebuilder.Retry = .backoff(first: .seconds(1), limit: .seconds(3), attempts: 2),
            preview: AssetRebuilder.Preview? = nil
        ) throws {
            engine = try Engine(policy: .immediate())
            scene = try engine.connect()
            rebuilder = AssetRebuilder(
                .init(retry: retry), clock: clock,
                reallyBuilt: { [weak self, sent] scene, size in
                    sent.withLock { $0.append("built \(size.map { "\($0.width)" } ?? "nothing")") }
                    self?.submit { .reallyBuilt(scene, at: $0, size: size) }
                },
                flush: { [weak self, sent] scene in
                    sent.withLock { $0.append("flush") }
                    self?.submit { .flush(scene, at: $0) }
                }, build: workshop.build, preview: preview)
        }

        func submit(_ event: (Timestamp) -> Event) {
            mutex.lock()
            defer { mutex.unlock() }
            time += 1
            engine.submit(event(Timestamp(nanoseconds: time))) { rebuilder.submit($0) }
            engine.advance(to: engine.now) { rebuilder.submit($0) }
        }

        func resize(_ width: Int? = nil, resizing: Bool? = nil) {
            let scene = scene
            submit { .geometry(scene, at: $0, size: width.map(Size.wide), isInteractivelyResizing: resizing) }
        }

        func letGo() { rebuilder = nil }

        /// At most ten seconds. A task that sleeps before the rebuilder has stored it is cancelled a moment
        /// later than others, by the task of the failed build.
        func waitUntilNobodySleeps() async {
            let end = ContinuousClock.now + .seconds(10)
            while !clock.deadlines.isEmpty, ContinuousClock.now < end { await Task.yield() }
        }
    }

    func testRetry_flushesAfterEachFailureUntilOneBuildReturns() async throws {
        let house = try House()
        var jobs = house.workshop.jobs.makeAsyncIterator()
        house.resize(100)
        var reasons: [Rebuild.Reason] = []
        for delay in [1, 2] {
            let job = await jobs.next()!
            reasons.append(job.rebuild.reason)
            job.fail()
            await house.clock.waitForSleepers()
            XCTAssertEqual(house.clock.deadlines, [house.clock.now.advanced(by: .seconds(delay))])
            XCTAssertEqual(house.rebuilder.statistics.retrying, 1)
            house.clock.advance(by: .seconds(delay) - .nanoseconds(1))
            XCTAssertEqual(house.rebuilder.statistics.retrying, 1, "not before its time")
            house.clock.advance(by: .nanoseconds(1))
        }
        let last = await jobs.next()!
        reasons.append(last.rebuild.reason)
        XCTAssertEqual(last.rebuild.size, .wide(100))
        last.succeed()
        await house.rebuilder.waitUntilIdle()
        XCTAssertEqual(reasons, [.first, .flush, .flush])
        XCTAssertEqual(house.sent.withLock { $0 }, ["built nothing", "flush", "built nothing", "flush"])
        let counts = house.rebuilder.statistics
        XCTAssertEqual([counts.failed, counts.finished, counts.retried, UInt64(counts.retrying)], [2, 1, 2, 0])
        XCTAssertEqual(house.clock.deadlines, [])
    }

    func testRetry_giveUpAfterTheAttemptsThenTheNextChangeDecides() async throws {
        let house = try House(.backoff(first: .seconds(1), limit: .seconds(1), attempts: 1))
        var jobs = house.workshop.jobs.makeAsyncIterator()
        house.resize(100)
        await jobs.next()!.fail()
        await house.clock.waitForSleepers()
        house.clock.advance(by: .seconds(1))
        await jobs.next()!.fail()
        await house.rebuilder.waitUntilIdle()
        XCTAssertEqual(house.clock.deadlines, [])
        XCTAssertEqual(house.rebuilder.statistics.retrying, 0)
        house.resize(200)
        let job = await jobs.next()!
        XCTAssertEqual(job.rebuild.size, .wide(200))
        job.succeed()
        await house.rebuilder.waitUntilIdle()
    }

    func testRetry_withinAnInteractionDoesNothingAndTheEndDecides() async throws {
        let house = try House()
        var jobs = house.workshop.jobs.makeAsyncIterator()
        house.resize(50)
        await jobs.next()!.succeed()
        await house.rebuilder.waitUntilIdle()
        house.resize(100)
        await jobs.next()!.fail()
        await house.clock.waitForSleepers()
        house.resize(150, resizing: true)
        house.clock.advance(by: .seconds(1))
        while house.rebuilder.statistics.retried == 0 { await Task.yield() }
        await house.rebuilder.waitUntilIdle()
        XCTAssertEqual(house.sent.withLock { $0 }, ["built 50.0", "flush"])
        XCTAssertEqual(house.rebuilder.statistics.decided, 2, "nothing is decided while the hand holds")
        house.resize(100, resizing: false)
        let job = await jobs.next()!
        XCTAssertEqual(job.rebuild.reason, .interactionEnded)
        XCTAssertEqual(job.rebuild.size, .wide(100), "the size that failed, although nothing changed")
        job.succeed()
        await house.rebuilder.waitUntilIdle()
        XCTAssertEqual(house.rebuilder.statistics.retrying, 0)
    }

    func testRetry_aNewerDecisionARemovalAndAStopEndTheWait() async throws {
        let ends: [(House) async -> Void] = [
            { $0.resize(200) }, { $0.rebuilder.remove($0.scene) }, { await $0.rebuilder.stop() },
        ]
        for (number, end) in ends.enumerated() {
            let house = try House()
            var jobs = house.workshop.jobs.makeAsyncIterator()
            house.resize(100)
            await jobs.next()!.fail()
            await house.clock.waitForSleepers()
            await end(house)
            await house.waitUntilNobodySleeps()
            XCTAssertEqual(house.clock.deadlines, [], "\(number): nobody sleeps any longer")
            if number == 0 { await jobs.next()!.succeed() }
            house.clock.advance(by: .seconds(10))
            await house.rebuilder.waitUntilIdle()
            XCTAssertEqual(house.sent.withLock { $0 }, ["built nothing"], "\(number)")
            XCTAssertEqual(house.rebuilder.statistics.retried, 0, "\(number)")
        }
    }

    func testRetry_doesNotKeepTheRebuilder() async throws {
        let house = try House()
        var jobs = house.workshop.jobs.makeAsyncIterator()
        house.resize(100)
        await jobs.next()!.fail()
        await house.clock.waitForSleepers()
        weak let rebuilder = house.rebuilder
        house.letGo()
        // The build's task may still be about to end.
        while rebuilder != nil { await Task.yield() }
        await house.waitUntilNobodySleeps()
        XCTAssertEqual(house.clock.deadlines, [])
    }

    func testRetry_waitsOfZeroAndMovingClocksRaceNewerDecisions() async throws {
        for round in 0..<50 {
            let house = try House(.backoff(first: .zero, limit: .zero, attempts: 2))
            var jobs = house.workshop.jobs.makeAsyncIterator()
            house.resize(100)
            let job = await jobs.next()!
            let other = Task {
                for _ in 0..<round % 7 { await Task.yield() }
                house.resize(200)
            }
            job.fail()
            // A retry of 100 may come first; the last build is for 200 in any case.
            var last = await jobs.next()!
            while last.rebuild.size != .wide(200) {
                last.succeed()
                last = await jobs.next()!
            }
            last.succeed()
            await other.value
            await house.rebuilder.waitUntilIdle()
            let counts = house.rebuilder.statistics
            XCTAssertEqual(counts.retrying, 0)
            XCTAssertEqual(counts.started, counts.finished + counts.cancelled + counts.failed)
            XCTAssertEqual(house.clock.deadlines, [])
        }
    }

    // MARK: Previews

    func testPreview_runsTheLatestAndNeverDuringARebuild() async {
        let workshop = Workshop()
        let (shown, show) = AsyncStream<Int>.makeStream()
        let isOpen = LockedValueBox(false)
        let isCancelled = LockedValueBox<[Bool]>([])
        let rebuilder = AssetRebuilder(
            reallyBuilt: { _, _ in }, build: workshop.build,
            preview: { _, size in
                show.yield(Int(size.width))
                while !isOpen.withLock({ $0 }) { await Task.yield() }
                // Another thread, which has started this task, may only now cancel it.
                let limit = ContinuousClock.now + .seconds(60)
                while !Task.isCancelled, ContinuousClock.now < limit { await Task.yield() }
                isCancelled.withLock { $0.append(Task.isCancelled) }
            })
        var jobs = workshop.jobs.makeAsyncIterator()
        var previews = shown.makeAsyncIterator()
        rebuilder.submit(.rebuild(.s, 100))
        let first = await jobs.next()!
        for width in [150, 200, 300] { rebuilder.submit(.preview(.s, width)) }
        XCTAssertEqual(rebuilder.statistics.previews.waiting, 1)
        first.succeed()
        let size = await previews.next()
        XCTAssertEqual(size, 300)
        rebuilder.submit(.rebuild(.s, 300, after: 100))
        XCTAssertEqual(
            [rebuilder.statistics.running, rebuilder.statistics.waiting], [0, 1], "it waits for the preview")
        isOpen.withLock { $0 = true }
        let second = await jobs.next()!
        XCTAssertEqual(second.rebuild.size, .wide(300), "a preview is not built")
        second.succeed()
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(isCancelled.withLock { $0 }, [true])
        let counts = rebuilder.statistics.previews
        XCTAssertEqual([counts.decided, counts.started, counts.dropped], [3, 1, 2])
        XCTAssertEqual(rebuilder.statistics.finished, 2)
    }

    func testPreview_endsWithItsInteraction() async {
        let isOpen = LockedValueBox(false)
        let shown = LockedValueBox<[Size]>([])
        let rebuilder = AssetRebuilder(
            reallyBuilt: { _, _ in }, build: { _, _ in },
            preview: { _, size in
                shown.withLock { $0.append(size) }
                while !isOpen.withLock({ $0 }) { await Task.yield() }
            })
        rebuilder.submit(.preview(.s, 100))
        rebuilder.submit(.preview(.s, 200))
        rebuilder.submit(
            Decision(at: .zero, scene: .s, kind: .interactionEnded(.reported, duration: .zero)))
        isOpen.withLock { $0 = true }
        await rebuilder.waitUntilIdle()
        XCTAssertFalse(shown.withLock { $0 }.contains(.wide(200)))
        XCTAssertEqual(rebuilder.statistics.previews.dropped, 1)
    }

    func testPreview_withoutAClosureIsIgnored() {
        let rebuilder = AssetRebuilder(reallyBuilt: { _, _ in }, build: { _, _ in })
        rebuilder.submit(.preview(.s, 100))
        XCTAssertEqual(rebuilder.statistics, AssetRebuilder.Statistics())
    }
}
