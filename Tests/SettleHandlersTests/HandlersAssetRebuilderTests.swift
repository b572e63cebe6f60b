import Settle
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleHandlers

/// The rebuilder with real tasks. Builds end when the test says so; nothing sleeps.
final class HandlersAssetRebuilderTests: XCTestCase {
    private let workshop = Workshop()
    private let told = Told()

    private func makeRebuilder(concurrency: Int = 2) -> AssetRebuilder {
        AssetRebuilder(.init(concurrency: concurrency), reallyBuilt: told.note, build: workshop.build)
    }

    func testRebuilder_buildsWhatWasDecidedAndIgnoresTheRest() async {
        let rebuilder = makeRebuilder()
        var jobs = workshop.jobs.makeAsyncIterator()
        rebuilder.submit(Decision(at: Timestamp(nanoseconds: 0), scene: .s, kind: .interactionBegan))
        XCTAssertEqual(rebuilder.statistics, AssetRebuilder.Statistics())
        rebuilder.submit(.rebuild(.s, 300, generation: 7))
        let job = await jobs.next()!
        XCTAssertEqual([job.scene], [.s])
        XCTAssertEqual(
            Decision(at: Timestamp(nanoseconds: 0), scene: .s, kind: .rebuild(job.rebuild)),
            .rebuild(.s, 300, generation: 7))
        XCTAssertEqual(rebuilder.statistics.running, 1)
        job.succeed()
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(rebuilder.statistics.finished, 1)
        XCTAssertGreaterThan(rebuilder.statistics.timeSpent, .zero)
        XCTAssertEqual(told.calls, [])
    }

    func testRebuilder_aNewerDecisionCancelsAndRunsAfterwards() async {
        let rebuilder = makeRebuilder()
        var jobs = workshop.jobs.makeAsyncIterator()
        rebuilder.submit(.rebuild(.s, 100))
        let first = await jobs.next()!
        rebuilder.submit(.rebuild(.s, 200, after: 100))
        rebuilder.submit(.rebuild(.s, 300, after: 200))
        await first.cancelled()
        XCTAssertEqual([rebuilder.statistics.running, rebuilder.statistics.waiting], [1, 1])
        first.fail()
        let second = await jobs.next()!
        XCTAssertEqual(second.rebuild.size, .wide(300))
        second.succeed()
        await rebuilder.waitUntilIdle()
        let counts = rebuilder.statistics
        XCTAssertEqual([counts.decided, counts.started, counts.cancelled, counts.superseded], [3, 2, 1, 1])
        XCTAssertEqual(told.calls, [])
    }

    func testRebuilder_reportsEachBuildsEndWithItsCostOnItsClock() async {
        struct End: Equatable {
            var generation: UInt32
            var cost: Duration
            var calls: Int
        }
        let (clock, ends) = (ManualClock(), LockedValueBox<[End]>([]))
        let rebuilder = AssetRebuilder(
            clock: clock, reallyBuilt: told.note,
            finished: { [told] _, generation, cost in
                ends.withLock { $0.append(End(generation: generation, cost: cost, calls: told.calls.count)) }
            }, build: workshop.build,
            // What a program does about a failure is not what the build took.
            onFailure: { _, _, _ in clock.advance(by: .milliseconds(50)) })
        var jobs = workshop.jobs.makeAsyncIterator()
        rebuilder.submit(.rebuild(.s, 100, generation: 1))
        let first = await jobs.next()!
        clock.advance(by: .milliseconds(7))
        first.succeed()
        await rebuilder.waitUntilIdle()
        // Cancelled, then superseded by one that fails, whose end is known before its size is returned.
        rebuilder.submit(.rebuild(.s, 200, after: 100, generation: 2))
        let second = await jobs.next()!
        rebuilder.submit(.rebuild(.s, 300, after: 200, generation: 3))
        await second.cancelled()
        clock.advance(by: .milliseconds(1))
        second.fail()
        let third = await jobs.next()!
        clock.advance(by: .milliseconds(9))
        third.fail()
        await rebuilder.waitUntilIdle()
        let expected = [
            End(generation: 1, cost: .milliseconds(7), calls: 0), End(generation: 3, cost: .milliseconds(9), calls: 0),
        ]
        XCTAssertEqual(ends.withLock { $0 }, expected)
        XCTAssertEqual(told.calls, [Told.Call(scene: .s, size: .wide(100))])
        XCTAssertEqual(rebuilder.statistics.timeSpent, .milliseconds(17))
    }

    func testRebuilder_aLiveBuildWaitsForTheBudgetAndAStopEndsTheWait() async {
        let clock = ManualClock()
        let rebuilder = AssetRebuilder(
            .init(liveBudgetPercent: 10), clock: clock, reallyBuilt: told.note, build: workshop.build)
        var jobs = workshop.jobs.makeAsyncIterator()
        func live(_ scene: SceneID, _ width: Int, _ generation: UInt32) -> Decision {
            let rebuild = Rebuild(size: .wide(width), reason: .live, generation: generation)
            return Decision(at: .zero, scene: scene, kind: .rebuild(rebuild))
        }
        rebuilder.submit(live(.s, 100, 2))
        let first = await jobs.next()!
        rebuilder.submit(live(.t, 100, 2))
        clock.advance(by: .milliseconds(10))
        first.succeed()
        await clock.waitForSleepers()
        XCTAssertEqual(clock.deadlines, [Timestamp(nanoseconds: 100_000_000)])
        clock.advance(by: .milliseconds(90))
        let second = await jobs.next()!
        XCTAssertEqual(second.scene, .t)
        clock.advance(by: .milliseconds(10))
        second.succeed()
        rebuilder.submit(live(.s, 200, 3))
        await clock.waitForSleepers()
        await rebuilder.stop()
        XCTAssertEqual(rebuilder.statistics.dropped, 1)
        // Nobody waits any longer.
        while !clock.deadlines.isEmpty { await Task.yield() }
        XCTAssertEqual(told.calls, [Told.Call(scene: .s, size: .wide(100))])
    }

    func testRebuilder_failuresReturnWhatIsReallyBuilt() async {
        let rebuilder = makeRebuilder()
        var jobs = workshop.jobs.makeAsyncIterator()
        let steps: [(width: Int, previous: Int?, succeeds: Bool)] = [
            (100, nil, false), (100, nil, true), (200, 100, false), (300, 100, false),
        ]
        for step in steps {
            rebuilder.submit(.rebuild(.s, step.width, after: step.previous))
            let job = await jobs.next()!
            if step.succeeds { job.succeed() } else { job.fail() }
            await rebuilder.waitUntilIdle()
        }
        XCTAssertEqual(told.calls.map(\.size), [nil, .wide(100), .wide(100)])
        XCTAssertEqual(rebuilder.statistics.failed, 3)
    }

    // MARK: Failures

    /// What a rebuilder called, in order.
    private func makeTalker(_ said: LockedValueBox<[String]>) -> AssetRebuilder {
        AssetRebuilder(.init(concurrency: 2)) { scene, size in
            said.withLock { $0.append("flush \(scene.rawValue)") }
        } build: { [workshop] scene, rebuild in
            try await workshop.build(scene, rebuild)
        } onFailure: { scene, rebuild, error in
            said.withLock { $0.append("failed \(scene.rawValue) at \(rebuild.size): \(error)") }
        }
    }

    func testRebuilder_everyFailureIsReportedBeforeItsSizeIsReturned() async {
        let said = LockedValueBox<[String]>([])
        let rebuilder = makeTalker(said)
        var jobs = workshop.jobs.makeAsyncIterator()
        XCTAssertNil(rebuilder.statistics.lastFailure)
        for width in [100, 200] {
            rebuilder.submit(.rebuild(.s, width))
            await jobs.next()!.fail(DiskFull(sector: width))
            await rebuilder.waitUntilIdle()
        }
        let failures = [100, 200].map { "1 at \(Size.wide($0)): DiskFull(sector: \($0))" }
        XCTAssertEqual(said.withLock { $0 }, failures.flatMap { ["failed \($0)", "flush 1"] })
        XCTAssertEqual(rebuilder.statistics.failed, 2)
        XCTAssertEqual(rebuilder.statistics.lastFailure, "scene \(failures[1])")
    }

    private struct DiskFull: Error { var sector: Int }

    func testRebuilder_whatABuildThrowsAfterItWasAskedToGiveUpIsNoFailure() async {
        let said = LockedValueBox<[String]>([])
        let rebuilder = makeTalker(said)
        var jobs = workshop.jobs.makeAsyncIterator()
        let errors: [any Error] = [CancellationError(), DiskFull(sector: 1)]
        for (number, error) in errors.enumerated() {
            rebuilder.submit(.rebuild(.s, 100 + number))
            let job = await jobs.next()!
            rebuilder.submit(.rebuild(.s, 200 + number))
            await job.cancelled()
            job.fail(error)
            await jobs.next()!.succeed()
            await rebuilder.waitUntilIdle()
        }
        XCTAssertEqual(said.withLock { $0 }, [])
        XCTAssertEqual([rebuilder.statistics.cancelled, rebuilder.statistics.failed], [2, 0])
        XCTAssertNil(rebuilder.statistics.lastFailure)
    }

    func testRebuilder_aCancellationErrorThatNobodyAskedForIsAFailure() async {
        let said = LockedValueBox<[String]>([])
        let rebuilder = makeTalker(said)
        var jobs = workshop.jobs.makeAsyncIterator()
        rebuilder.submit(.rebuild(.s, 100))
        await jobs.next()!.fail(CancellationError())
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(said.withLock { $0 }, ["failed 1 at \(Size.wide(100)): CancellationError()", "flush 1"])
        XCTAssertEqual([rebuilder.statistics.cancelled, rebuilder.statistics.failed], [0, 1])
    }

    func testRebuilder_aDecisionThatComesWhileAFailureIsReportedWaitsAndChangesNothing() async {
        let box = LockedValueBox<AssetRebuilder?>(nil)
        let running = LockedValueBox<[Int]>([])
        let rebuilder = AssetRebuilder(.init(concurrency: 2), reallyBuilt: told.note, build: workshop.build) {
            _, rebuild, _ in
            box.withLock { $0 }?.submit(.rebuild(.s, 200, after: 100))
            box.withLock { $0 }.map { rebuilder in running.withLock { $0.append(rebuilder.statistics.running) } }
        }
        box.withLock { $0 = rebuilder }
        var jobs = workshop.jobs.makeAsyncIterator()
        rebuilder.submit(.rebuild(.s, 100))
        await jobs.next()!.fail()
        let next = await jobs.next()!
        XCTAssertEqual(next.rebuild.size, .wide(200))
        next.succeed()
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(running.withLock { $0 }, [1])
        let counts = rebuilder.statistics
        XCTAssertEqual([counts.started, counts.finished, counts.failed, counts.cancelled], [2, 1, 1, 0])
        box.withLock { $0 = nil }
    }

    func testRebuilder_aFailedSizeIsDecidedAgainByTheEngine() async throws {
        var engine = try Engine(policy: .uikit)
        let scene = try engine.connect()
        let rebuilder = makeRebuilder()
        var jobs = workshop.jobs.makeAsyncIterator()
        let start = Timestamp(nanoseconds: 0)
        engine.submit(.geometry(scene, at: start, size: .wide(100))) { rebuilder.submit($0) }
        engine.advance(to: start) { rebuilder.submit($0) }
        await jobs.next()!.fail()
        await rebuilder.waitUntilIdle()
        for call in told.calls {
            engine.submit(.reallyBuilt(call.scene, at: start, size: call.size)) { rebuilder.submit($0) }
        }
        engine.submit(.flush(scene, at: start)) { rebuilder.submit($0) }
        let again = await jobs.next()!
        XCTAssertEqual(again.rebuild.size, .wide(100))
        XCTAssertEqual(again.rebuild.reason, .flush)
        again.succeed()
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(told.calls, [Told.Call(scene: scene, size: nil)])
    }

    func testRebuilder_runsNoMoreThanItsConcurrencyInOrder() async {
        let rebuilder = makeRebuilder(concurrency: 2)
        var jobs = workshop.jobs.makeAsyncIterator()
        let scenes = (1...6).map { SceneID(rawValue: $0) }
        for scene in scenes { rebuilder.submit(.rebuild(scene, 100)) }
        var running = [await jobs.next()!, await jobs.next()!]
        XCTAssertEqual(Set(running.map(\.scene)), Set(scenes[0...1]))
        for scene in scenes[2...] {
            XCTAssertEqual(rebuilder.statistics.running, 2)
            running.removeFirst().succeed()
            running.append(await jobs.next()!)
            XCTAssertEqual(running.last?.scene, scene)
        }
        for job in running { job.succeed() }
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(rebuilder.statistics.finished, 6)
    }

    func testRebuilder_aRemovedSceneIsCancelledWithoutAWord() async {
        let rebuilder = makeRebuilder()
        var jobs = workshop.jobs.makeAsyncIterator()
        rebuilder.submit(.rebuild(.s, 100))
        let job = await jobs.next()!
        rebuilder.remove(.s)
        await job.cancelled()
        job.fail()
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(rebuilder.statistics.cancelled, 1)
        XCTAssertEqual(told.calls, [])
    }

    func testRebuilder_stopWaitsForEveryBuild() async {
        let rebuilder = makeRebuilder(concurrency: 1)
        var jobs = workshop.jobs.makeAsyncIterator()
        rebuilder.submit(.rebuild(.s, 100))
        rebuilder.submit(.rebuild(.t, 100))
        let job = await jobs.next()!
        async let first: Void = rebuilder.stop()
        async let second: Void = rebuilder.stop()
        await job.cancelled()
        rebuilder.submit(.rebuild(.u, 100))
        XCTAssertEqual(rebuilder.statistics.running, 1)
        job.fail()
        _ = await (first, second)
        await rebuilder.stop()
        let counts = rebuilder.statistics
        XCTAssertEqual([counts.cancelled, counts.dropped, counts.started], [1, 2, 1])
        XCTAssertEqual([counts.running, counts.waiting], [0, 0])
        XCTAssertEqual(Set(told.calls.map(\.scene)), [.s, .t])
    }

    func testRebuilder_anIdleOneStopsAndWaitsAtOnce() async {
        let rebuilder = makeRebuilder()
        await rebuilder.waitUntilIdle()
        await rebuilder.stop()
        await rebuilder.waitUntilIdle()
    }

    func testRebuilder_inheritsNothingFromTheCaller() async {
        let seen = LockedValueBox<[(Int, Bool)]>([])
        let rebuilder = AssetRebuilder(
            reallyBuilt: told.note, build: { _, _ in seen.withLock { $0.append((Mark.value, Task.isCancelled)) } })
        let caller = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            Mark.$value.withValue(1) { rebuilder.submit(.rebuild(.s, 100)) }
        }
        await caller.value
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(seen.withLock { $0.map(\.0) }, [0])
        XCTAssertEqual(seen.withLock { $0.map(\.1) }, [false])
    }

    func testRebuilder_runsOnTheGivenExecutorWithTheGivenPriority() async {
        let executor = CountingExecutor()
        let priorities = LockedValueBox<[TaskPriority]>([])
        let rebuilder = AssetRebuilder(
            .init(priority: .low, executor: executor), reallyBuilt: told.note,
            build: { _, _ in priorities.withLock { $0.append(Task.basePriority ?? .high) } })
        rebuilder.submit(.rebuild(.s, 100))
        await rebuilder.waitUntilIdle()
        XCTAssertGreaterThan(executor.jobs, 0)
        XCTAssertEqual(priorities.withLock { $0 }, [.low])
    }

    func testRebuilder_aBuildOvertakenBeforeItBeginsIsNotBegun() async {
        let executor = HeldExecutor()
        let sizes = LockedValueBox<[Size]>([])
        let rebuilder = AssetRebuilder(.init(executor: executor), reallyBuilt: told.note) { _, rebuild in
            sizes.withLock { $0.append(rebuild.size) }
        }
        // The newer decision comes while the rebuilder makes the older one's task.
        executor.onNextEnqueue { rebuilder.submit(.rebuild(.s, 200, after: 100)) }
        rebuilder.submit(.rebuild(.s, 100))
        executor.runAll()
        await rebuilder.waitUntilIdle()
        XCTAssertEqual(sizes.withLock { $0 }, [.wide(200)])
        XCTAssertEqual([rebuilder.statistics.cancelled, rebuilder.statistics.finished], [1, 1])
        XCTAssertEqual(told.calls, [])
    }
}

private enum Mark {
    @TaskLocal static var value = 0
}

/// Runs each job where it is enqueued.
private final class CountingExecutor: TaskExecutor {
    private let count = LockedValueBox(0)

    var jobs: Int { count.withLock { $0 } }

    func enqueue(_ job: consuming ExecutorJob) {
        count.withLock { $0 += 1 }
        let job = UnownedJob(job)
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}

/// Keeps jobs until a test runs them.
private final class HeldExecutor: TaskExecutor {
    private struct State: Sendable {
        var jobs: [UnownedJob] = []
        var onEnqueue: (@Sendable () -> Void)?
    }

    private let state = LockedValueBox(State())

    func onNextEnqueue(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onEnqueue = body } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let body = state.withLock { state in
            state.jobs.append(job)
            return state.onEnqueue.take()
        }
        body?()
    }

    func runAll() {
        while let job = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
