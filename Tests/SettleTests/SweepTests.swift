import CSettle
import Settle
import TestSupport
import XCTest

/// The sweep of policies against an engine for each policy and naive counts: see `NaiveSweep`.
final class SweepTests: XCTestCase {
    private func wordsText(_ words: [UInt64]) -> String {
        let lags = words.dropFirst(BoundEvents.lagWord).enumerated().filter { $0.element > 0 }.map {
            "\($0.offset): \($0.element)"
        }
        return "\(words.prefix(BoundEvents.lagWord)), lags by bucket \(lags)"
    }

    func testRandomLogs_areCountedAsSeparateEnginesDecide() throws {
        var (rebuilds, previews, wasted, released, lagging) = (Set<Int>(), 0, 0, 0, 0)
        for seed: UInt64 in 0..<1_500 {
            let stream = RandomLog(seed: seed)
            let log = BoundEvents(stream.events)
            XCTAssertEqual(log.result, ok, "seed \(seed)")
            let counted = try XCTUnwrap(log.counts(stream.policies.map(settle_policy.init)))
            for (number, policy) in stream.policies.enumerated() {
                let expected = try NaiveSweep(stream.events.map(\.event), policy: policy).words
                guard counted[number] != expected else { continue }
                return XCTFail(
                    "seed \(seed), \(policy): \(wordsText(counted[number])), naively \(wordsText(expected))")
            }
            for words in counted {
                rebuilds.formUnion(words.prefix(8).indices.filter { words[$0] > 0 })
                previews += Int(words[8])
                wasted += Int(words[9])
                released += Int(words[10])
                lagging += words.dropFirst(BoundEvents.lagWord + 1).reduce(0) { $0 + Int($1) }
            }
        }
        // The logs are worth nothing if they do not reach each count. No log has a flush.
        XCTAssertEqual(rebuilds.sorted(), [0, 1, 2, 3, 4, 6])
        for count in [previews, wasted, released, lagging] { XCTAssertGreaterThan(count, 500) }
    }

    /// In any parts, with the same workspace for all logs.
    func testPoliciesAndLogsInSeveralCalls_addUpToTheSame() {
        let logs = (0..<20).map { BoundEvents(RandomLog(seed: 900 + UInt64($0)).events) }
        let policies = (0..<12).flatMap { RandomLog(seed: 950 + UInt64($0)).policies }.map(settle_policy.init)
        var whole = [UInt64](repeating: 0, count: policies.count * BoundEvents.countsWords)
        for log in logs { XCTAssertEqual(log.run(policies, &whole), ok) }
        var random = SplitMix64(seed: 1)
        for _ in 0..<5 {
            let size = logs.map(\.workspaceSize).max()!
            let workspace = GuardedMemory(byteCount: (size + 63) / 64 * 64)
            var parts = [UInt64](repeating: 0, count: whole.count)
            for log in logs.shuffled(using: &random) {
                var ranges: [Range<Int>] = []
                while ranges.last?.upperBound ?? 0 < policies.count {
                    let first = ranges.last?.upperBound ?? 0
                    ranges.append(first..<min(policies.count, first + random.below(7)))
                }
                for range in ranges.shuffled(using: &random) {
                    var part = [UInt64](repeating: 0, count: range.count * BoundEvents.countsWords)
                    XCTAssertEqual(log.run(Array(policies[range]), &part, workspace.start, workspace.byteCount), ok)
                    for (offset, count) in part.enumerated() {
                        parts[range.lowerBound * BoundEvents.countsWords + offset] += count
                    }
                }
            }
            XCTAssertTrue(parts == whole)
        }
        XCTAssertGreaterThan(whole.reduce(0, +), 1_000)
    }

    /// Every count goes on beyond 32 bits.
    func testCounts_areAddedToSumsOf64Bits() throws {
        let log = BoundEvents(RandomLog(seed: 900).events)
        let policies = RandomLog(seed: 900).policies.map(settle_policy.init)
        let once = try XCTUnwrap(log.counts(policies)).flatMap(\.self)
        let before = UInt64(UInt32.max)
        var sums = [UInt64](repeating: before, count: once.count)
        XCTAssertEqual(log.run(policies, &sums), ok)
        XCTAssertTrue(sums == once.map { before + $0 })
        XCTAssertGreaterThanOrEqual(once.count { $0 > 0 }, 10)
    }

    // MARK: One count at a time

    private let resizing = Int(SETTLE_RESIZING_KNOWN.rawValue | SETTLE_RESIZING.rawValue)
    private let still = Int(SETTLE_RESIZING_KNOWN.rawValue)

    private func counts(_ events: [settle_log_event], _ policy: settle_policy = settle_policy_uikit()) -> [UInt64] {
        BoundEvents(events).counts([policy])![0]
    }

    /// The lags of the rebuilds, each as the least of its bucket.
    private func lags(_ events: [settle_log_event], _ policy: settle_policy) -> [UInt64] {
        counts(events, policy).dropFirst(BoundEvents.lagWord).enumerated().flatMap {
            repeatElement(settle_lag_bucket_first_ns(UInt32($0.offset)), count: Int($0.element))
        }
    }

    func testWasted_isARebuildThatAnotherFollowsWithinASecond() {
        for (gap, expected) in [(1, 1), (999_999_999, 1), (1_000_000_000, 1), (1_000_000_001, 0)] as [(UInt64, UInt64)]
        {
            let events = [
                settle_log_event(SETTLE_GEOMETRY, 0, at: 5, 10, 10),
                settle_log_event(SETTLE_GEOMETRY, 0, at: 5 + gap, 20, 20),
            ]
            XCTAssertEqual(counts(events)[9], expected, "after \(gap) ns")
            // Another scene's rebuild wastes none, nor does that of the next connection.
            var other = events
            other[1].name = 1
            XCTAssertEqual(counts(other)[9], 0)
            let gone = settle_log_event(SETTLE_DISCONNECT, 0, at: 5)
            XCTAssertEqual(counts([events[0], gone, events[1]])[9], 0)
        }
    }

    func testLag_countsFromTheLaterOfTheLastChangeAndTheInteractionsEnd() {
        var policy = settle_policy_uikit()
        policy.reported_end_delay_ns = 20
        let drag = [
            settle_log_event(SETTLE_GEOMETRY, 0, at: 0, 10, 10, flags: resizing),
            settle_log_event(SETTLE_GEOMETRY, 0, at: 100, 20, 20, flags: resizing),
        ]
        // The first rebuild waits for the end: firstDelay is 0.
        XCTAssertEqual(lags(drag + [settle_log_event(SETTLE_GEOMETRY, 0, at: 500, flags: still)], policy), [0])
        let again = [
            settle_log_event(SETTLE_GEOMETRY, 0, at: 0, 5, 5),
            settle_log_event(SETTLE_GEOMETRY, 0, at: 50, 10, 10, flags: resizing),
            settle_log_event(SETTLE_GEOMETRY, 0, at: 500, flags: still),
        ]
        XCTAssertEqual(lags(again, policy), [0, 20])
        // A change after the end, and an event that repeats it.
        let later =
            again + [
                settle_log_event(SETTLE_GEOMETRY, 0, at: 510, 30, 30, flags: still),
                settle_log_event(SETTLE_GEOMETRY, 0, at: 515, 30, 30, flags: still),
            ]
        XCTAssertEqual(lags(later, policy), [0, 20])
        // An earlier time is applied at the core's: the change is at 500.
        XCTAssertEqual(
            lags(again + [settle_log_event(SETTLE_GEOMETRY, 0, at: 3, 30, 30, flags: still)], policy), [0, 20])
    }

    func testLag_ofTheSecondRebuildCountsFromItsOwnChange() {
        var policy = settle_policy_uikit()
        policy.quiet_delay_ns = 10
        let events = [0, 5, 100, 104, 200, 209].enumerated().map { number, at in
            settle_log_event(SETTLE_GEOMETRY, 0, at: at, Double(number + 1), 10)
        }
        // The first size is built at once, the second alone, the others in pairs.
        XCTAssertEqual(lags(events, policy), [0, 10, 10, 10])
    }

    /// As rule 1 says, at most: the deadline is clamped.
    func testTimes_upToTheLastOnesAreTaken() throws {
        var policy = settle_policy_default()
        policy.first_delay_ns = UInt64(SETTLE_DELAY_MAX)
        let last = UInt64(Int64.max)
        let events = [
            settle_log_event(SETTLE_GEOMETRY, 0, at: 0, 1, 1), settle_log_event(SETTLE_GEOMETRY, 1, at: last - 4, 1, 1),
            settle_log_event(SETTLE_GEOMETRY, 1, at: last + 1, 2, 2),
            settle_log_event(SETTLE_GEOMETRY, 1, at: last, 3, 3),
            settle_log_event(SETTLE_GEOMETRY, 2, at: last, 3, 3),
        ]
        let counted = counts(events, policy)
        XCTAssertEqual(counted[6], 3)
        // 2^60 ns; twice nothing is left of the delay.
        XCTAssertEqual(
            [counted[BoundEvents.lagWord], counted[BoundEvents.lagWord + Int(SETTLE_LAG_BUCKETS) - 1]], [2, 1])
        XCTAssertEqual(counted, try NaiveSweep(events.map(\.event), policy: Policy(core: policy)).words)
    }

    /// More than may be held, and held to the end of the log: the next policy begins without.
    func testButtons_oneTooManyMovesNoTime() throws {
        var events = [settle_log_event(SETTLE_GEOMETRY, 0, at: 0, 10, 10)]
        for button in 1...16 as ClosedRange<UInt32> {
            events.append(settle_log_event(SETTLE_POINTER, button, at: 10, flags: Int(SETTLE_PRESSED.rawValue)))
        }
        events.append(settle_log_event(SETTLE_POINTER, 17, at: 1_000, flags: Int(SETTLE_PRESSED.rawValue)))
        events.append(settle_log_event(SETTLE_POINTER, 5, at: 20, flags: Int(SETTLE_PRESSED.rawValue)))
        events.append(settle_log_event(SETTLE_GEOMETRY, 0, at: 30, 20, 20))
        for button in 1...17 as ClosedRange<UInt32> { events.append(settle_log_event(SETTLE_POINTER, button, at: 40)) }
        var policy = settle_policy_uikit()
        policy.released_end_delay_ns = 7
        policy.quiet_delay_ns = 9
        XCTAssertEqual(lags(events, policy), [0, 7])
        let held = Array(events.dropLast(17))
        var timed = policy
        timed.interaction_timeout_ns = 4
        let counted = try XCTUnwrap(BoundEvents(held).counts([timed, policy, timed]))
        XCTAssertEqual(counted[0], counted[2])
        XCTAssertEqual(counted[1][6], 1)
        XCTAssertEqual(counted[1].prefix(8).reduce(0, +), 1)
        for (number, policy) in [timed, policy].enumerated() {
            XCTAssertEqual(counted[number], try NaiveSweep(held.map(\.event), policy: Policy(core: policy)).words)
        }
    }
}
