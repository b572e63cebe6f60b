import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// Seeded random streams written as logs, in either encoding, replayed, and judged by
/// the oracle.
final class OracleLogTests: XCTestCase {
    func testRandomLogsDecideAsTheOracle() throws {
        var decided = 0
        for seed: UInt64 in 0..<1500 {
            var random = SplitMix64(seed: seed &* 31)
            let scenes = SceneNames()
            let stream = RandomStream(seed: seed)
            let events = logEvents(stream, scenes)
            let expected = oracleLines(events, scenes, policy: stream.policy)
            for format in [LogFormat.jsonl, .settle] {
                let bytes = try written(as: format, eventsPerChunk: 1 + random.below(40), scenes: scenes, events)
                let lines = try replayedLines(bytes, policy: stream.policy)
                if lines != expected { return XCTFail("seed \(seed), \(format):\n\(lines)\nis not\n\(expected)") }
            }
            decided += expected.count
        }
        XCTAssertGreaterThan(decided, 10_000)
    }

    /// What of a stream can stand in a log.
    private func logEvents(_ stream: RandomStream, _ scenes: SceneNames) -> [Event] {
        stream.actions.compactMap { action in
            guard case .event(var event) = action, event.at <= .latest else { return nil }
            switch event.kind {
            case .pointer: return event
            case .geometry, .connect, .disconnect:
                event.scene = scenes.number(of: "scene \(event.scene.rawValue)")
                return event
            default: return nil
            }
        }
    }

    /// A log's rule beside the oracle's: an unknown or disconnected scene connects anew.
    private func oracleLines(_ events: [Event], _ scenes: SceneNames, policy: Policy) -> [String] {
        var oracle = Oracle()
        var lives: [SceneID: SceneID] = [:]
        var names: [SceneID: String] = [:]
        for var event in events {
            if event.kind != .pointer {
                let name = event.scene
                if lives[name] == nil, event.kind != .disconnect {
                    let life = SceneID(rawValue: UInt32(names.count))
                    oracle.connect(life, policy: policy)
                    lives[name] = life
                    names[life] = scenes[name]
                }
                event.scene = lives[name] ?? SceneID(rawValue: .max)
                if event.kind == .disconnect { lives[name] = nil }
            }
            oracle.submit(event)
        }
        oracle.finish()
        return oracle.decisions.map { DecisionWriter.line($0, scene: names[$0.scene] ?? "") }
    }

    private func replayedLines(_ bytes: [UInt8], policy: Policy) throws -> [String] {
        let replay = try LogReplay(LogReader(ByteInput(bytes: bytes, name: "test")), policy: policy)
        var lines: [String] = []
        while try replay.readNext() { replay.submit { lines.append(DecisionWriter.line($0, scene: $1)) } }
        replay.finish { lines.append(DecisionWriter.line($0, scene: $1)) }
        return lines
    }
}
