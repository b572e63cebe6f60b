import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// Seeded random streams written as logs, in either encoding, replayed, and judged by
/// the oracle.
final class OracleLogTests: XCTestCase {
    func testRandomLogsDecideAsTheOracle() throws {
        var decided = 0
        for seed: UInt64 in 0..<tried(1_500) {
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
        XCTAssertGreaterThan(decided, tried(10_000))
    }

    /// What of a stream can stand in a log.
    private func logEvents(_ stream: RandomStream, _ scenes: SceneNames) -> [LogEvent] {
        let none = SceneNumber(rawValue: 0)
        return stream.actions.compactMap { action in
            guard case .event(let event) = action, event.at <= .latest, let known = LogEvent(event, name: none) else {
                return nil
            }
            if known.kind == .pointer { return known }
            return LogEvent(event, name: scenes.number(of: "scene \(event.scene.rawValue)"))
        }
    }

    /// A log's rule beside the oracle's: an unknown or disconnected scene connects anew.
    private func oracleLines(_ events: [LogEvent], _ scenes: SceneNames, policy: Policy) -> [String] {
        var oracle = Oracle()
        var lives: [SceneNumber: SceneID] = [:]
        var names: [SceneID: String] = [:]
        for event in events {
            var life = SceneID(rawValue: .max)
            if event.kind != .pointer {
                let name = event.name
                if lives[name] == nil, event.isValid, event.kind != .disconnect, event.kind != .finished,
                    event.kind != .previewed
                {
                    life = SceneID(rawValue: UInt32(names.count))
                    oracle.connect(life, policy: policy)
                    lives[name] = life
                    names[life] = scenes[name]
                }
                life = lives[name] ?? life
                if event.kind == .disconnect { lives[name] = nil }
            }
            oracle.submit(event.event(for: life))
        }
        oracle.finish()
        return oracle.decisions.map { DecisionWriter.line($0, scene: names[$0.scene] ?? "", takesReports: true) }
    }

    private func replayedLines(_ bytes: [UInt8], policy: Policy) throws -> [String] {
        let replay = try LogReplay(LogReader(ByteInput(bytes: bytes, name: "test")), policy: policy)
        var lines: [String] = []
        while try replay.readNext() {
            replay.submit { lines.append(DecisionWriter.line($0, scene: $1, takesReports: true)) }
        }
        replay.finish { lines.append(DecisionWriter.line($0, scene: $1, takesReports: true)) }
        return lines
    }
}
