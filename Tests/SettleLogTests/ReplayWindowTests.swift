import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// A window of a log decides as the log that has no other events.
final class ReplayWindowTests: XCTestCase {
    private struct Outcome: Equatable {
        var decisions: [String] = []
        var events = 0
        var scenes = 0
        var span = Duration.zero
        var everyChange: Int?
        var logSpan: Duration?
    }

    private func outcome(
        _ events: [LogEvent], _ scenes: SceneNames, _ window: ReplayWindow = ReplayWindow()
    ) throws -> Outcome {
        let bytes = try written(as: .settle, eventsPerChunk: 5, scenes: scenes, events)
        let replay = try LogReplay(
            LogReader(ByteInput(bytes: bytes, name: "test")), policy: .default, window: window)
        var outcome = Outcome()
        let add = { (decision: Decision, scene: String) in
            outcome.decisions.append(DecisionWriter.line(decision, scene: scene))
        }
        while try replay.readNext() { replay.submit(deliver: add) }
        replay.finish(deliver: add)
        let summary = replay.summary
        (outcome.events, outcome.scenes, outcome.span) = (summary.events, summary.scenes, summary.span)
        (outcome.everyChange, outcome.logSpan) = (summary.everyChange, replay.logSpan)
        return outcome
    }

    /// Times go back now and then, but never by so much that a chunk behind the window is one within it.
    private func events(_ scenes: SceneNames, _ random: inout SplitMix64) -> [LogEvent] {
        var now: UInt64 = 5_000_000_000
        return (0..<40).map { _ in
            now += UInt64.random(in: 0...(random.chance(50) ? 2_000_000 : 400_000_000), using: &random)
            let at = Timestamp(nanoseconds: now - (random.chance(10) ? 3_000_000 : 0))
            if random.chance(15) { return .pointer(button: 1, at: at, isPressed: random.chance(50)) }
            let scene = SceneNumber(rawValue: UInt32.random(in: 0..<3, using: &random))
            if random.chance(10) { return .disconnect(scene, at: at) }
            return .geometry(scene, at: at, size: Size(width: Double.random(in: 1...9, using: &random), height: 1))
        }
    }

    func testAWindowDecidesAsTheLogOfItsEventsAlone() throws {
        var decided = 0
        for seed: UInt64 in 0..<150 {
            var random = SplitMix64(seed: seed)
            let names = SceneNames()
            for name in ["a", "b", "c"] { _ = names.number(of: name) }
            var log = events(names, &random)
            // The last event is not the latest.
            log.append(.pointer(button: 2, at: Timestamp(nanoseconds: log[39].at.nanoseconds - 1), isPressed: false))
            let first = log[0].at
            var window = ReplayWindow()
            if random.chance(60) { window.scenes = random.chance(50) ? ["b"] : ["c", "a", "no such scene"] }
            if random.chance(60) { window.start = .milliseconds(Int.random(in: 0...6000, using: &random)) }
            if random.chance(60) { window.duration = .milliseconds(Int.random(in: 0...4000, using: &random)) }
            if window == ReplayWindow() { continue }
            let start = first.after(window.start.wholeNanoseconds)
            let end = window.duration.map { start.after($0.wholeNanoseconds) } ?? .latest
            let kept = log.filter { event in
                let isNamed =
                    event.kind == .pointer || window.scenes.isEmpty || window.scenes.contains(names[event.name])
                return isNamed && event.at >= start && event.at <= end
            }
            var (found, expected) = (try outcome(log, names, window), try outcome(kept, names))
            // A log is not read beyond its window.
            let span = log.map(\.at).max()! - first
            XCTAssertLessThanOrEqual(try XCTUnwrap(found.logSpan), span, "seed \(seed)")
            if end == .latest { XCTAssertEqual(found.logSpan, span, "seed \(seed)") }
            (found.logSpan, expected.logSpan) = (nil, nil)
            XCTAssertEqual(found, expected, "seed \(seed), \(window)")
            decided += found.decisions.count
        }
        XCTAssertGreaterThan(decided, 500)
    }
}
