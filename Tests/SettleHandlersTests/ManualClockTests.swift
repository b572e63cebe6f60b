import Settle
import SettleHandlers
import SettlePlatform
import Testing

@Suite
struct ManualClockTests {
    @Test func anAdvanceWakesTheTasksWhoseDeadlinesItReaches() async {
        let clock = ManualClock(now: Timestamp(nanoseconds: 100))
        let woken = LockedValueBox<[Int]>([])
        let tasks = [30, 10, 20].map { wait in
            Task {
                try await clock.sleep(for: .nanoseconds(wait))
                woken.withLock { $0.append(wait) }
            }
        }
        await clock.waitForSleepers(3)
        #expect(clock.deadlines.map(\.nanoseconds) == [110, 120, 130])
        clock.advance(by: .nanoseconds(9))
        #expect(clock.deadlines.count == 3)
        clock.advance(by: .nanoseconds(1))
        _ = await tasks[1].result
        #expect(woken.withLock { $0 } == [10])
        clock.advance(to: Timestamp(nanoseconds: 5))
        #expect(clock.now.nanoseconds == 110, "it never goes back")
        clock.advance(to: Timestamp(nanoseconds: 1_000))
        for task in tasks { _ = await task.result }
        #expect(Set(woken.withLock { $0 }) == [10, 20, 30] && clock.deadlines.isEmpty)
    }

    @Test func aDeadlineThatHasPassedNeedsNoSleep() async throws {
        let clock = ManualClock(now: Timestamp(nanoseconds: 5))
        try await clock.sleep(until: Timestamp(nanoseconds: 5))
        #expect(clock.deadlines.isEmpty)
    }

    @Test func simultaneousAdvancesAddUp() async {
        let clock = ManualClock()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<20_000 { clock.advance(by: .nanoseconds(1)) } }
            }
        }
        #expect(clock.now.nanoseconds == 80_000)
    }

    @Test func anAdvanceSaturates() {
        let clock = ManualClock(now: Timestamp(nanoseconds: 5))
        clock.advance(by: .seconds(Int64.min) * 2)
        #expect(clock.now.nanoseconds == 5)
        clock.advance(by: .seconds(Int64.max) * 2)
        #expect(clock.now == .latest)
    }

    @Test func aTimeAfterTheLatestCountsAsTheLatest() async throws {
        #expect(ManualClock(now: Timestamp(nanoseconds: .max)).now == .latest)
        let clock = ManualClock()
        let task = Task { try await clock.sleep(until: Timestamp(nanoseconds: .max)) }
        await clock.waitForSleepers()
        #expect(clock.deadlines == [.latest])
        clock.advance(to: Timestamp(nanoseconds: .max))
        #expect(clock.now == .latest)
        try await task.value
    }

    @Test func cancellationEndsASleep() async {
        let clock = ManualClock()
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.deadlines.isEmpty)
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            try await clock.sleep(for: .seconds(1))
        }
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
    }
}

@Suite
struct MonotonicClockTests {
    @Test func itSleepsUntilItsDeadlineAndNotLess() async throws {
        let clock = MonotonicClock()
        let deadline = clock.now.advanced(by: .milliseconds(3))
        try await clock.sleep(until: deadline)
        #expect(clock.now >= deadline)
        // A deadline in the past.
        try await clock.sleep(until: .zero)
        let task = Task { try await clock.sleep(for: .seconds(60)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// Both system clocks advance as this one while the machine is awake.
    @Test func otherClocksInstantsAreConverted() {
        for offset in [Duration.seconds(-5), .zero, .milliseconds(7)] {
            let before = MonotonicClock.now
            let continuous = MonotonicClock.timestamp(of: ContinuousClock.now + offset)
            let suspending = MonotonicClock.timestamp(of: SuspendingClock.now + offset)
            let after = MonotonicClock.now
            for time in [continuous, suspending] {
                #expect(time >= before.advanced(by: offset - .milliseconds(1)))
                #expect(time <= after.advanced(by: offset + .milliseconds(1)))
            }
        }
    }

    @Test func anInstantBeforeTheClocksStartIsZero() {
        #expect(MonotonicClock.timestamp(of: ContinuousClock.now - .seconds(9_000_000_000)) == .zero)
        #expect(MonotonicClock.timestamp(of: ContinuousClock.now - .seconds(Int64.max) * 2) == .zero)
    }

    @Test func anInstantBeyondTheLatestTimeIsTheLatest() {
        #expect(MonotonicClock.timestamp(of: ContinuousClock.now + .seconds(Int64.max) * 2) == .latest)
    }

    @Test func theLongestSleepCanBeCancelled() async throws {
        let tasks = [
            Task { try await MonotonicClock().sleep(for: .seconds(Int64.max) * 2) },
            Task { try await MonotonicClock().sleep(until: Timestamp(nanoseconds: .max)) },
        ]
        try await Task.sleep(for: .milliseconds(5))
        for task in tasks {
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
