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
        for seed: UInt64 in 0..<tried(1_500) {
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
        for count in [previews, wasted, released, lagging] { XCTAssertGreaterThan(count, tried(500)) }
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
}
