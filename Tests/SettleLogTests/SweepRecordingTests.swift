import CSettle
import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// The sweep of policies over the recordings, against a replay for each policy. Lags and wasted
/// rebuilds are counted from the replay's decisions and the log's events alone.
final class SweepRecordingTests: XCTestCase {
    private let reasons: [Rebuild.Reason] = [
        .interactionEnded, .timeout, .discrete, .quiet, .maximumWait, .flush, .first,
    ]

    func testRecordings_areCountedAsReplaysDecide() throws {
        XCTAssertEqual(Recordings.names.count, 9)
        let grid = try (0..<settle_grid_count()).map(gridPolicy)
        for (number, name) in Recordings.names.enumerated() {
            let log = try readLog(bytes(ofFile: Recordings.log(name)))
            // All recordings together try each value of the grid.
            let sample = stride(from: number * 41, to: grid.count, by: log.events.count > 5_000 ? 1_009 : 211).map {
                grid[$0]
            }
            let policies = [(Policy.default, settle_policy_default()), (.uikit, settle_policy_uikit())] + sample
            let counted = counts(log, policies.map(\.1))
            for (index, (policy, _)) in policies.enumerated() {
                let expected = try replayed(name, log, policy)
                XCTAssertTrue(counted[index] == expected, "\(name), \(policy)")
                XCTAssertGreaterThan(expected.prefix(7).reduce(0, +), 0)
            }
            try checkBaselines(name, log)
        }
    }

    private func gridPolicy(_ index: UInt32) throws -> (Policy, settle_policy) {
        var (base, raw) = (settle_policy_default(), settle_policy())
        XCTAssertTrue(settle_grid_policy(&base, index, &raw))
        var policy = Policy.default
        policy.reportedEndDelay = .nanoseconds(Int64(raw.reported_end_delay_ns))
        policy.releasedEndDelay = .nanoseconds(Int64(raw.released_end_delay_ns))
        policy.discreteDelay = .nanoseconds(Int64(raw.discrete_delay_ns))
        policy.jumpDelay = raw.jump_delay_ns == .max ? nil : .nanoseconds(Int64(raw.jump_delay_ns))
        policy.quietDelay = .nanoseconds(Int64(raw.quiet_delay_ns))
        policy.quietMaximum = .nanoseconds(Int64(raw.quiet_maximum_ns))
        return (policy, raw)
    }

    // MARK: The sweep

    private func counts(_ log: ReadLog, _ policies: [settle_policy]) -> [[UInt64]] {
        var events = log.events.map(\.event.raw)
        let names = UInt32(Set(log.events.filter { $0.event.kind != .pointer }.map(\.event.name)).count)
        var scratch = [Bool](repeating: true, count: Int(names))
        let words = MemoryLayout<settle_sweep_counts>.size / 8
        var counts = [UInt64](repeating: 0, count: policies.count * words)
        events.withUnsafeMutableBufferPointer { events in
            let connections = settle_sweep_connections(events.baseAddress, events.count, names, &scratch)
            let size = settle_sweep_log_size(events.count, names, connections)
            let memory = GuardedMemory(byteCount: size)
            var bound = settle_sweep_log()
            let result = settle_sweep_bind(
                events.baseAddress, events.count, names, connections, memory.start, size, &bound)
            XCTAssertEqual(result, SETTLE_OK.rawValue)
            let workspace = GuardedMemory(byteCount: settle_sweep_size(&bound))
            counts.withUnsafeMutableBytes {
                let start = $0.assumingMemoryBound(to: settle_sweep_counts.self).baseAddress
                let result = settle_sweep_run(
                    workspace.start, workspace.byteCount, &bound, policies, policies.count, start)
                XCTAssertEqual(result, SETTLE_OK.rawValue)
            }
        }
        return policies.indices.map { Array(counts[$0 * words..<($0 + 1) * words]) }
    }

    // MARK: The replay

    private struct Change {
        let at: UInt64
        let size: Size
        /// Of its name, from 0.
        let connection: Int
    }

    /// The size changes of each name, at the time at which an engine applies them.
    private func changes(_ log: ReadLog) -> [String: [Change]] {
        var changes: [String: [Change]] = [:]
        var now: UInt64 = 0
        var connections: [String: Int] = [:]
        for (event, scene) in log.events {
            now = max(now, event.at.nanoseconds)
            if event.kind == .disconnect { connections[scene, default: 0] += 1 }
            guard event.kind == .geometry, let size = event.size, size.isStated else { continue }
            let connection = connections[scene] ?? 0
            let before = changes[scene]?.last
            if before?.size == size, before?.connection == connection { continue }
            changes[scene, default: []].append(Change(at: now, size: size, connection: connection))
        }
        return changes
    }

    private func replayed(_ name: String, _ log: ReadLog, _ policy: Policy) throws -> [UInt64] {
        let replay = try LogReplay(LogReader(ByteInput(path: Recordings.log(name))), policy: policy)
        var decided: [(decision: Decision, scene: String)] = []
        while try replay.readNext() { replay.submit { decided.append(($0, $1)) } }
        replay.finish { decided.append(($0, $1)) }

        let changes = changes(log)
        var words = [UInt64](repeating: 0, count: 9 + NaiveLagBuckets.firsts.count)
        var ended: [String: UInt64] = [:]
        var rebuilt: [String: (at: UInt64, scene: SceneID)] = [:]
        for (decision, scene) in decided {
            let at = decision.at.nanoseconds
            switch decision.kind {
            case .interactionEnded: ended[scene] = at
            case .preview: words[7] += 1
            case .rebuild(let rebuild):
                words[reasons.firstIndex(of: rebuild.reason)!] += 1
                // The change to the size that is built: the latest one that is not later.
                let change = try XCTUnwrap(changes[scene]?.last { $0.at <= at && $0.size == rebuild.size })
                words[9 + NaiveLagBuckets.bucket(of: at - max(change.at, ended[scene] ?? 0))] += 1
                if let last = rebuilt[scene], last.scene == decision.scene, at - last.at <= 1_000_000_000 {
                    words[8] += 1
                }
                rebuilt[scene] = (at, decision.scene)
            default: break
            }
        }
        for (index, reason) in reasons.enumerated() {
            XCTAssertEqual(words[index], UInt64(replay.summary.rebuildsByReason[reason] ?? 0))
        }
        return words
    }

    private func checkBaselines(_ name: String, _ log: ReadLog) throws {
        let replay = try LogReplay(LogReader(ByteInput(path: Recordings.log(name))), policy: .default)
        while try replay.readNext() { replay.submit { _, _ in } }
        replay.finish { _, _ in }
        let events = log.events.map(\.event.raw)
        var scenes = [settle_baseline_scene](repeating: settle_baseline_scene(), count: log.events.count)
        var counts = settle_baselines()
        settle_baselines_start(&scenes, scenes.count)
        settle_baselines_add(&scenes, events, events.count, &counts)
        settle_baselines_finish(scenes, scenes.count, &counts)
        XCTAssertEqual(Int(counts.every_change), replay.summary.everyChange, name)
        XCTAssertEqual(Int(counts.debounce), replay.summary.fixedDebounce, name)
        let naive = NaiveBaselines(events.map { unsafeBitCast($0, to: Event.self) })
        XCTAssertEqual(Int(counts.every_change_wasted), naive.everyChangeWasted, name)
        XCTAssertEqual(Int(counts.debounce_wasted), naive.debounceWasted, name)
    }
}
