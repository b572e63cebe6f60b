import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// A batch is decided in one pass: the same as event by event, wherever it is divided.
final class BatchReplayTests: XCTestCase {
    private struct Outcome: Equatable {
        var decisions: [String] = []
        var connected: [SceneNumber] = []
        var counts: [Int] = []
        var statistics: Engine.Statistics?
        var error: EngineError?
    }

    private func at(_ nanoseconds: UInt64) -> Timestamp { Timestamp(nanoseconds: nanoseconds) }

    /// Submits events in parts of these lengths.
    private func outcome(
        _ events: [LogEvent], policy: Policy, scenesMax: Int = 64, decisionsMax: Int = 64, part: () -> Int
    ) throws -> Outcome {
        var engine = try LogEngine(policy: policy, scenesMax: scenesMax, decisionsMax: decisionsMax)
        var outcome = Outcome()
        let add: (Decision, SceneNumber) -> Void = {
            outcome.decisions.append(DecisionWriter.line($0, scene: "\($1.rawValue)"))
        }
        let batch = EventBatch()
        var rest = events[...]
        do throws(EngineError) {
            while !rest.isEmpty {
                batch.removeAll()
                for event in rest.prefix(part()) { batch.append(event, at: .line(0)) }
                rest = rest.dropFirst(batch.count)
                try engine.submit(batch, deliver: add)
            }
        } catch {
            outcome.error = error
        }
        engine.finish(deliver: add)
        outcome.connected = engine.connected
        let counts = engine.counts
        outcome.counts = [counts.events, counts.pointerEvents, counts.scenes]
        outcome.counts += [counts.first, counts.last].map { $0.map { Int($0.nanoseconds) } ?? -1 }
        outcome.statistics = engine.statistics
        return outcome
    }

    /// Events of a random stream, whose scenes come back after a disconnect.
    private func events(_ seed: UInt64) -> (policy: Policy, events: [LogEvent]) {
        let stream = RandomStream(seed: seed)
        let events = stream.actions.compactMap { action -> LogEvent? in
            guard case .event(let event) = action, event.at <= .latest else { return nil }
            return LogEvent(event, name: SceneNumber(rawValue: event.scene.rawValue % 3))
        }
        return (stream.policy, events)
    }

    func testABatchDecidesAsItsEventsOneByOne() throws {
        var (decided, reconnected) = (0, 0)
        for seed: UInt64 in 0..<600 {
            let (policy, events) = events(seed)
            var random = SplitMix64(seed: seed)
            // A buffer for one decision fills within a batch; a few scenes exceed the capacity.
            let (scenesMax, decisionsMax) = (random.pick([1, 2, 64]), random.pick([1, 2, 64]))
            func outcome(_ part: () -> Int) throws -> Outcome {
                try self.outcome(events, policy: policy, scenesMax: scenesMax, decisionsMax: decisionsMax, part: part)
            }
            let expected = try outcome { 1 }
            for parts in [{ events.count }, { 1 + random.below(9) }] as [() -> Int] {
                XCTAssertEqual(try outcome(parts), expected, "seed \(seed)")
            }
            decided += expected.decisions.count
            reconnected += events.count { $0.kind == .disconnect }
        }
        XCTAssertGreaterThan(decided, 3000)
        XCTAssertGreaterThan(reconnected, 300)
    }

    func testADisconnectAndAReconnectInABatch() throws {
        let (a, b) = (SceneNumber(rawValue: 0), SceneNumber(rawValue: 1))
        func sized(_ name: SceneNumber, _ time: UInt64, _ width: Double) -> LogEvent {
            .geometry(name, at: at(time), size: Size(width: width, height: 1))
        }
        let events = [
            sized(a, 1, 10), sized(a, 2, 11), .disconnect(a, at: at(3)), .disconnect(a, at: at(4)), sized(b, 5, 20),
            sized(a, 6, 11), .connect(a, at: at(7)), .disconnect(b, at: at(8)), sized(b, 9, 20),
        ]
        // One scene at a time has space: each is connected only once the other's end was submitted.
        let outcome = try outcome(events, policy: .uikit, scenesMax: 2) { events.count }
        XCTAssertEqual(
            outcome.decisions.map { $0.contains("rebuild") ? String($0.dropFirst(8).prefix(13)) : $0 },
            [
                #"1,"scene":"0""#, #"2,"scene":"0""#, #"5,"scene":"1""#, #"6,"scene":"0""#, #"9,"scene":"1""#,
            ])
        XCTAssertEqual(outcome.connected, [a, b])
        XCTAssertEqual(outcome.counts, [9, 0, 2, 1, 9])
        XCTAssertEqual(outcome.statistics?.rejectedScenes, 1)
        let single = try self.outcome(Array(events.prefix(7)), policy: .uikit, scenesMax: 1) { events.count }
        XCTAssertEqual(single.error, .tooManyScenes(1))
        XCTAssertEqual(single.counts, [5, 0, 2, 1, 5], "what stands before it is submitted")
        XCTAssertEqual(single.decisions.count, 3)
    }

    /// The window against a log that has only its events, in chunks of every size, at once and
    /// at a pace.
    func testWindowsAreLogsOfTheirOwn() throws {
        var inside = 0
        for seed: UInt64 in 0..<150 {
            let (policy, unordered) = events(seed)
            guard let first = unordered.first?.at else { continue }
            // A log's rest is not read once a chunk is behind the window.
            var latest = first
            let events = unordered.map { event in
                var event = event
                latest = max(latest, event.at)
                event.at = latest
                return event
            }
            var random = SplitMix64(seed: seed)
            let span = latest.nanoseconds - first.nanoseconds
            let start = UInt64(random.below(4)) * (span / 4)
            let window = ReplayWindow(
                scenes: random.pick([[], ["s0"], ["s2", "s1"]]), start: .nanoseconds(Int64(start)),
                duration: random.pick([nil, .nanoseconds(Int64(span / 2))]))
            let scenes = SceneNames()
            for number in 0..<3 { _ = scenes.number(of: "s\(number)") }
            let from = first.nanoseconds + start
            let part = events.filter { event in
                let isNamed =
                    event.kind == .pointer || window.scenes.isEmpty || window.scenes.contains(scenes[event.name])
                let end = window.duration == nil ? UInt64.max : from + span / 2
                return isNamed && (from...max(end, from)).contains(event.at.nanoseconds)
            }
            let expected = try replayed(part, scenes, policy, ReplayWindow(), chunk: 64, isPaced: false)
            for isPaced in [false, true] {
                let chunk = 1 + random.below(20)
                let result = try replayed(events, scenes, policy, window, chunk: chunk, isPaced: isPaced)
                XCTAssertEqual(result, expected, "seed \(seed), \(isPaced ? "paced" : "at once"), chunks of \(chunk)")
            }
            inside += part.count
        }
        XCTAssertGreaterThan(inside, 1000)
    }

    private func replayed(
        _ events: [LogEvent], _ scenes: SceneNames, _ policy: Policy, _ window: ReplayWindow, chunk: Int, isPaced: Bool
    ) throws -> [String] {
        let bytes = try written(as: .settle, eventsPerChunk: chunk, scenes: scenes, events)
        let replay = try LogReplay(LogReader(ByteInput(bytes: bytes, name: "t")), policy: policy, window: window)
        var lines: [String] = []
        let add: (Decision, String) -> Void = { lines.append(DecisionWriter.line($0, scene: $1)) }
        while try replay.readNext() {
            while isPaced, let event = replay.nextEvent {
                if let deadline = replay.nextDeadline, deadline < event {
                    replay.advance(to: deadline, deliver: add)
                } else {
                    replay.submit(upTo: event, deliver: add)
                }
            }
            replay.submit(deliver: add)
            XCTAssertNil(replay.nextEvent)
        }
        replay.finish(deliver: add)
        let summary = replay.summary
        lines.append("\(summary.events) \(summary.pointerEvents) \(summary.scenes) \(summary.span)")
        lines.append("\(summary.everyChange ?? -1) \(summary.fixedDebounce ?? -1) \(summary.rejectedSizes)")
        return lines
    }

    func testBaselinesAreCountedOnlyWhenAskedFor() throws {
        let log = try bytes(ofFile: Recordings.log("w12_mutter_nasty"))
        func summary(_ countsBaselines: Bool) throws -> ReplaySummary {
            let replay = try LogReplay(
                LogReader(ByteInput(bytes: log, name: "t")), policy: .default, countsBaselines: countsBaselines)
            while try replay.readNext() { replay.submit { _, _ in } }
            replay.finish { _, _ in }
            return replay.summary
        }
        XCTAssertEqual(try summary(true).everyChange, 163)
        XCTAssertEqual(try summary(true).fixedDebounce, 8)
        let none = try summary(false)
        XCTAssertNil(none.everyChange)
        XCTAssertNil(none.fixedDebounce)
        XCTAssertEqual(none.rebuilds, 4)
    }
}
