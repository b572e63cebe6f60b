import Foundation
import Settle
import SettleLog
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleSweep

final class LogSweepTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private static let policies: [Policy] = [
        .default, .uikit, .fixed(.milliseconds(30)), .fixed(.seconds(2)), Policy(pauseDelay: .milliseconds(80)),
        Policy(firstDelay: .milliseconds(50), jumpDelay: nil, maximumWait: .milliseconds(300)),
        Policy(interactionTimeout: .milliseconds(20)),
    ]

    private func recordings() throws -> [BoundLog] {
        try Recordings.names.map { try BoundLog(LogReader(path: Recordings.log($0))) }
    }

    private func replay(_ name: String, _ policy: Policy) throws -> ReplaySummary {
        let replay = try LogReplay(LogReader(path: Recordings.log(name)), policy: policy)
        while try replay.readNext() { replay.submit { _, _ in } }
        replay.finish { _, _ in }
        return replay.summary
    }

    func testCountsAreThoseOfAReplayForEachPolicy() throws {
        for name in Recordings.names {
            let log = try BoundLog(LogReader(path: Recordings.log(name)))
            let sweep = try Sweep(Self.policies)
            XCTAssert(try sweep.add([log], jobs: 1))
            for (index, policy) in Self.policies.enumerated() {
                let (counts, expected) = (sweep[index], try replay(name, policy))
                XCTAssertEqual(counts.rebuildsByReason, expected.rebuildsByReason, "\(name): \(policy)")
                XCTAssertEqual(counts.rebuilds, expected.rebuilds)
                XCTAssertEqual(counts.previews, expected.previews, "\(name): \(policy)")
                XCTAssertEqual(sweep.baselines.everyChange, expected.everyChange)
                XCTAssertEqual(sweep.baselines.fixedDebounce, expected.fixedDebounce)
                XCTAssertEqual(sweep.events, expected.events)
                XCTAssertLessThanOrEqual(counts.wasted, counts.rebuilds)
            }
        }
    }

    func testCountsAreTheSameForAnyNumberOfThreadsAndAnyOrder() throws {
        let logs = try recordings()
        // More than an item has, and no multiple of it.
        let policies = try PolicyGrid.policies(from: .default).prefix(150) + Self.policies
        func counts(_ parts: [[BoundLog]], jobs: Int) throws -> ([SweepCounts], Baselines, Int) {
            let sweep = try Sweep(Array(policies))
            for part in parts { XCTAssert(try sweep.add(part, jobs: jobs)) }
            XCTAssertEqual(sweep.logs, logs.count)
            return (policies.indices.map { sweep[$0] }, sweep.baselines, sweep.connections)
        }
        let expected = try counts([logs], jobs: 1)
        XCTAssertGreaterThan(Set(expected.0).count, 20, "policies differ")
        for jobs in [2, 3, 7, 1000] {
            let parts = jobs == 3 ? logs.reversed().map { [$0] } : [logs]
            let other = try counts(parts, jobs: jobs)
            XCTAssert(other == expected, "\(jobs) threads")
        }
        // The comparison finds a log less.
        XCTAssertNotEqual(
            try { () in
                let sweep = try Sweep(Array(policies))
                _ = try sweep.add(Array(logs.dropLast()), jobs: 2)
                return policies.indices.map { sweep[$0] }
            }(), expected.0)
    }

    /// Items that several threads add to the same counts.
    func testThreadsAddToTheSameCountsWithoutLoss() throws {
        var text = #"{"settle":"events","version":1}"# + "\n"
        for number in 1...20 {
            text += #"{"t_ns":\#(number)000000000,"scene":"a","width":\#(number),"height":9}"# + "\n"
        }
        try text.write(toFile: folder.file("log.jsonl"), atomically: true, encoding: .utf8)
        let log = try BoundLog(LogReader(path: folder.file("log.jsonl")))
        let policies = try (0..<SweepItem.policiesMax).map { number in try Policy.fixed(.milliseconds(1 + number)).raw }
        let counts = try CountTable(policies.count)
        let item = SweepItem(logs: 0..<1, policies: 0..<policies.count)
        let items = [SweepItem](repeating: item, count: 1_000)
        let work = SweepWork(logs: [log], policies: policies, items: items, counts: counts)
        XCTAssert(
            Workers.run(count: items.count, jobs: 4) {
                SweepScratch()
            } item: {
                work.run($1, $0)
            })
        XCTAssertFalse(work.hasFailed)
        for number in policies.indices {
            XCTAssertEqual(SweepCounts(counts.counts + number).rebuilds, 20 * items.count, "policy \(number)")
        }
    }

    /// What is counted after a stop are exactly the logs that it says, under every policy.
    func testASweepThatIsStoppedCountsTheLogsThatWereDecided() throws {
        let logs = try recordings()
        for jobs in [1, 2] {
            let sweep = try Sweep(Self.policies)
            sweep.stepWork = 1
            var parts: [Double] = []
            let isComplete = try sweep.add(logs, jobs: jobs) {
                parts.append($0)
                return sweep.logs < 5
            }
            XCTAssertFalse(isComplete)
            XCTAssertEqual(parts, parts.sorted())
            XCTAssertLessThanOrEqual(try XCTUnwrap(parts.last), 1)
            // The log whose only item had begun is counted.
            XCTAssertEqual(sweep.logs, 6, "of \(logs.count)")
            let alone = try Sweep(Self.policies)
            XCTAssert(try alone.add(Array(logs.prefix(sweep.logs)), jobs: 1))
            XCTAssertEqual(Self.policies.indices.map { sweep[$0] }, Self.policies.indices.map { alone[$0] })
            XCTAssertEqual(sweep.baselines, alone.baselines)
            XCTAssertEqual([sweep.events, sweep.connections], [alone.events, alone.connections])
        }
    }

    func testAStepThatIsStoppedCountsNothing() throws {
        let sweep = try Sweep(Self.policies)
        let logs = try recordings()
        XCTAssert(try sweep.add([logs[0]], jobs: 1))
        let before = sweep[0]
        XCTAssertFalse(try sweep.add(logs + logs + logs, jobs: 2) { _ in false })
        XCTAssertEqual(sweep[0], before)
        XCTAssertEqual(sweep.logs, 1)
        XCTAssert(try sweep.add([logs[0]], jobs: 2))
        XCTAssertEqual(sweep[0].rebuilds, 2 * before.rebuilds)
        XCTAssert(try sweep.add([], jobs: 2))
        XCTAssertEqual(sweep[0].rebuilds, 2 * before.rebuilds)
    }

    /// Before any log is counted, a stop leaves the policies that all logs were decided under.
    func testASweepThatIsStoppedAtItsFirstLogsHasThePoliciesThatWereTried() throws {
        let logs = try recordings()
        let policies = try PolicyGrid.policies(from: .default)
        for (jobs, cost) in [(1, nil), (2, BuildCost("8ms"))] {
            let sweep = try Sweep(policies, buildCost: cost)
            sweep.first = 1234
            XCTAssertFalse(try sweep.add(logs, jobs: jobs) { $0 < 0.3 })
            let partial = try XCTUnwrap(sweep.partial)
            XCTAssertEqual([sweep.logs, partial.logs], [0, logs.count])
            XCTAssert(partial.policies.contains(policies[1234]))
            XCTAssert((100..<3000).contains(partial.policies.count), "\(partial.policies.count)")
            let alone = try Sweep(partial.policies, buildCost: cost)
            XCTAssert(try alone.add(logs, jobs: 1))
            XCTAssertEqual(partial.policies.indices.map { partial[$0] }, partial.policies.indices.map { alone[$0] })
            XCTAssertEqual(Habit.allCases.map(partial.counts(of:)), Habit.allCases.map(alone.counts(of:)))
            XCTAssertEqual([partial.events, partial.connections], [alone.events, alone.connections])
        }
        let none = try Sweep(policies)
        XCTAssertFalse(try none.add(logs, jobs: 1) { _ in false })
        XCTAssertNil(none.partial, "today's policy was not tried on all logs")
    }

    func testItemsCoverEachLogAndPolicyOnce() {
        for counts in [[], [0], [1 << 24], [500, 500, 500], [0, 1 << 20, 3, 40_000, 0, 0]] as [[Int]] {
            for policies in [0, 1, 63, 64, 65, 3120] {
                var seen = [Int](repeating: 0, count: counts.count * policies)
                for item in SweepItem.all(eventCounts: counts, policies: policies) {
                    XCTAssertLessThanOrEqual(item.policies.count, SweepItem.policiesMax)
                    for log in item.logs { for policy in item.policies { seen[log * policies + policy] += 1 } }
                }
                XCTAssert(seen.allSatisfy { $0 == 1 }, "\(counts) × \(policies)")
            }
        }
        XCTAssertGreaterThan(SweepItem.all(eventCounts: [1 << 24], policies: 100).count, 99, "one large log is shared")
        let small = [Int](repeating: 500, count: 1000)
        XCTAssertGreaterThan(SweepItem.all(eventCounts: small, policies: 1).count, 7, "small logs are shared")
        XCTAssertLessThan(SweepItem.all(eventCounts: small, policies: 64).count, 100, "several at once")
    }

    func testWorkersDoEachItemOnceAndStopWhenAsked() {
        for jobs in [1, 2, 5, 300] {
            let done = LockedValueBox([Int](repeating: 0, count: 1000))
            let isComplete = Workers.run(count: 1000, jobs: jobs) {
            } item: { _, number in
                done.withLock { $0[number] += 1 }
            }
            XCTAssert(isComplete)
            XCTAssert(done.withLock { $0 }.allSatisfy { $0 == 1 }, "\(jobs) threads")
        }
        let count = LockedValueBox(0)
        let isComplete = Workers.run(count: 1000, jobs: 1) {
        } goesOn: {
            $0 < 10
        } item: { _, _ in
            count.withLock { $0 += 1 }
        }
        XCTAssertFalse(isComplete)
        XCTAssertEqual(count.withLock { $0 }, 10)
    }

    func testTheProgressOfWorkersIsThatOfAllOfThem() {
        let (begun, others) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (caller, done, progress) = (pthread_self(), LockedValueBox(0), LockedValueBox([Int]()))
        // The other thread waits until this one has an item, which takes until all others are done.
        _ = Workers.run(count: 50, jobs: 2) {
        } goesOn: { started in
            progress.withLock { $0.append(started) }
            return true
        } item: { _, _ in
            if pthread_equal(pthread_self(), caller) != 0 {
                begun.signal()
                others.wait()
                return
            }
            begun.wait()
            begun.signal()
            let isLast = done.withLock { done in
                done += 1
                return done == 49
            }
            if isLast { others.signal() }
        }
        XCTAssertEqual(progress.withLock { $0 }, [50])
    }

    func testPoliciesOutOfRangeAndTooManyAreRefused() throws {
        XCTAssertThrowsError(try Sweep([.default, Policy(lockDelay: .seconds(-1))])) {
            guard case .durationOutOfRange(let name, _, _) = $0 as? EngineError else { return XCTFail("\($0)") }
            XCTAssertEqual(name, "lockDelay")
        }
        XCTAssertThrowsError(try PolicyGrid.policies(from: Policy(lockDelay: .seconds(-1))))
        XCTAssertThrowsError(try Sweep([Policy](repeating: .default, count: Sweep.policiesMax + 1)))
    }
}
