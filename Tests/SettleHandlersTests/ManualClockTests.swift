import Settle
import SettleClock
import SettleHandlers
import SettlePlatform
import XCTest

final class ManualClockTests: XCTestCase {
    func testAnAdvanceWakesTheTasksWhoseDeadlinesItReaches() async {
        let clock = ManualClock(now: Timestamp(nanoseconds: 100))
        let woken = LockedValueBox<[Int]>([])
        let tasks = [30, 10, 20].map { wait in
            Task {
                try await clock.sleep(for: .nanoseconds(wait))
                woken.withLock { $0.append(wait) }
            }
        }
        await clock.waitForSleepers(3)
        XCTAssertEqual(clock.deadlines.map(\.nanoseconds), [110, 120, 130])
        clock.advance(by: .nanoseconds(9))
        XCTAssertEqual(clock.deadlines.count, 3)
        clock.advance(by: .nanoseconds(1))
        _ = await tasks[1].result
        XCTAssertEqual(woken.withLock { $0 }, [10])
        clock.advance(to: Timestamp(nanoseconds: 5))
        XCTAssertEqual(clock.now.nanoseconds, 110, "it never goes back")
        clock.advance(to: Timestamp(nanoseconds: 1_000))
        for task in tasks { _ = await task.result }
        XCTAssert(Set(woken.withLock { $0 }) == [10, 20, 30] && clock.deadlines.isEmpty)
    }

    func testADeadlineThatHasPassedNeedsNoSleep() async throws {
        let clock = ManualClock(now: Timestamp(nanoseconds: 5))
        try await clock.sleep(until: Timestamp(nanoseconds: 5))
        XCTAssert(clock.deadlines.isEmpty)
    }

    func testSimultaneousAdvancesAddUp() async {
        let clock = ManualClock()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<20_000 { clock.advance(by: .nanoseconds(1)) } }
            }
        }
        XCTAssertEqual(clock.now.nanoseconds, 80_000)
    }

    func testAnAdvanceSaturates() {
        let clock = ManualClock(now: Timestamp(nanoseconds: 5))
        clock.advance(by: .seconds(Int64.min) * 2)
        XCTAssertEqual(clock.now.nanoseconds, 5)
        clock.advance(by: .seconds(Int64.max) * 2)
        XCTAssertEqual(clock.now, .latest)
    }

    func testATimeAfterTheLatestCountsAsTheLatest() async throws {
        XCTAssertEqual(ManualClock(now: Timestamp(nanoseconds: .max)).now, .latest)
        let clock = ManualClock()
        let task = Task { try await clock.sleep(until: Timestamp(nanoseconds: .max)) }
        await clock.waitForSleepers()
        XCTAssertEqual(clock.deadlines, [.latest])
        clock.advance(to: Timestamp(nanoseconds: .max))
        XCTAssertEqual(clock.now, .latest)
        try await task.value
    }

    func testCancellationEndsASleep() async {
        let clock = ManualClock()
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleepers()
        task.cancel()
        do {
            try await task.value
            XCTFail("no error")
        } catch { XCTAssert(error is CancellationError) }
        XCTAssert(clock.deadlines.isEmpty)
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            try await clock.sleep(for: .seconds(1))
        }
        late.cancel()
        do {
            try await late.value
            XCTFail("no error")
        } catch { XCTAssert(error is CancellationError) }
    }
}

final class MonotonicClockTests: XCTestCase {
    func testItSleepsUntilItsDeadlineAndNotLess() async throws {
        let clock = MonotonicClock()
        let deadline = clock.now.advanced(by: .milliseconds(3))
        try await clock.sleep(until: deadline)
        XCTAssert(clock.now >= deadline)
        // A deadline in the past.
        try await clock.sleep(until: .zero)
        let task = Task { try await clock.sleep(for: .seconds(60)) }
        task.cancel()
        do {
            try await task.value
            XCTFail("no error")
        } catch { XCTAssert(error is CancellationError) }
    }

    /// Both system clocks advance as this one while the machine is awake.
    func testOtherClocksInstantsAreConverted() {
        for offset in [Duration.seconds(-5), .zero, .milliseconds(7)] {
            let before = MonotonicClock.now
            let continuous = MonotonicClock.timestamp(of: ContinuousClock.now + offset)
            let suspending = MonotonicClock.timestamp(of: SuspendingClock.now + offset)
            let after = MonotonicClock.now
            for time in [continuous, suspending] {
                XCTAssert(time >= before.advanced(by: offset - .milliseconds(1)))
                XCTAssert(time <= after.advanced(by: offset + .milliseconds(1)))
            }
        }
    }

    func testAnInstantBeforeTheClocksStartIsZero() {
        XCTAssertEqual(MonotonicClock.timestamp(of: ContinuousClock.now - .seconds(9_000_000_000)), .zero)
        XCTAssertEqual(MonotonicClock.timestamp(of: ContinuousClock.now - .seconds(Int64.max) * 2), .zero)
    }

    func testAnInstantBeyondTheLatestTimeIsTheLatest() {
        XCTAssertEqual(MonotonicClock.timestamp(of: ContinuousClock.now + .seconds(Int64.max) * 2), .latest)
    }

    func testTheLongestSleepCanBeCancelled() async throws {
        let tasks = [
            Task { try await MonotonicClock().sleep(for: .seconds(Int64.max) * 2) },
            Task { try await MonotonicClock().sleep(until: Timestamp(nanoseconds: .max)) },
        ]
        try await Task.sleep(for: .milliseconds(5))
        for task in tasks {
            task.cancel()
            do {
                try await task.value
                XCTFail("no error")
            } catch { XCTAssert(error is CancellationError) }
        }
    }
}
