import CSettle
import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// The sweep of policies over the recordings, against a replay for each policy. Lags and wasted
/// rebuilds are counted from the replay's decisions and the log's events alone.
final class SweepRecordingTests: XCTestCase {
    func testRecordings_areCountedAsReplaysDecide() throws {
        XCTAssertEqual(Recordings.names.count, 9)
        let grid = try (0..<settle_grid_count()).map(gridPolicy)
        for (number, name) in Recordings.names.enumerated() {
            let log = try readLog(bytes(ofFile: Recordings.log(name)))
            // All recordings together try each value of the grid.
            let sample = stride(from: number * 41, to: grid.count, by: log.events.count > 5_000 ? 1_009 : 211).map {
                grid[$0]
            }
            let policies = [.default, .uikit] + sample
            let bound = BoundEvents(log.events.map(\.event.raw))
            let counted = try XCTUnwrap(bound.counts(policies.map(settle_policy.init)))
            for (index, policy) in policies.enumerated() {
                let expected = try replayed(name, log, policy)
                XCTAssertTrue(counted[index] == expected, "\(name), \(policy)")
                XCTAssertGreaterThan(expected.prefix(7).reduce(0, +), 0)
            }
            try checkBaselines(name, log)
        }
    }

    private func gridPolicy(_ index: UInt32) throws -> Policy {
        var (base, policy) = (settle_policy_default(), settle_policy())
        XCTAssertTrue(settle_grid_policy(&base, index, &policy))
        return Policy(core: policy)
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
        var words = [UInt64](repeating: 0, count: BoundEvents.lagWord + NaiveLagBuckets.firsts.count)
        var ended: [String: (at: UInt64, isReleased: Bool)] = [:]
        var rebuilt: [String: (at: UInt64, scene: SceneID)] = [:]
        for (decision, scene) in decided {
            let at = decision.at.nanoseconds
            switch decision.kind {
            case .interactionEnded(let reason, _): ended[scene] = (at, reason == .released)
            case .preview: words[7] += 1
            case .rebuild(let rebuild):
                words[NaiveSweep.reasons.firstIndex(of: rebuild.reason)!] += 1
                // The change to the size that is built: the latest one that is not later.
                let change = try XCTUnwrap(changes[scene]?.last { $0.at <= at && $0.size == rebuild.size })
                words[BoundEvents.lagWord + NaiveLagBuckets.bucket(of: at - max(change.at, ended[scene]?.at ?? 0))] += 1
                if rebuild.reason == .interactionEnded, ended[scene]?.isReleased == true { words[9] += 1 }
                if let last = rebuilt[scene], last.scene == decision.scene, at - last.at <= 1_000_000_000 {
                    words[8] += 1
                }
                rebuilt[scene] = (at, decision.scene)
            default: break
            }
        }
        for (index, reason) in NaiveSweep.reasons.enumerated() {
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
        let naive = NaiveBaselines(events.map(\.event))
        XCTAssertEqual(Int(counts.every_change_wasted), naive.everyChangeWasted, name)
        XCTAssertEqual(Int(counts.debounce_wasted), naive.debounceWasted, name)
    }
}
