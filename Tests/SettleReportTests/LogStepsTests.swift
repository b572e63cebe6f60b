import CSettle
import SettleLog
import TestSupport
import XCTest

@testable import Settle
@testable import SettleReport

/// A log's events and decisions in order, with the lags of rebuilds.
final class LogStepsTests: XCTestCase {
    /// The steps of a log, checked: each decision is at its place.
    private func steps(_ events: [LogEvent], _ policy: Policy) throws -> [LogStep] {
        let steps = try LogSteps(policy: policy, log: "test")
        var all: [LogStep] = []
        for event in events { try steps.add(event) { all.append($0) } }
        steps.finish { all.append($0) }
        var now = Timestamp.zero
        for step in all {
            let at =
                switch step {
                case .event(_, let at, _): at
                case .decision(let decision, _, _): decision.at
                }
            if at < now { XCTFail("\(step) is before \(now)") }
            now = at
        }
        return all
    }

    /// The lags in the buckets of the sweep, of the steps.
    private func lags(_ steps: [LogStep]) -> [UInt64] {
        var lags = [UInt64](repeating: 0, count: Int(SETTLE_LAG_BUCKETS))
        for case .decision(_, _, let lag?) in steps { lags[Int(settle_lag_bucket(lag.wholeNanoseconds))] += 1 }
        return lags
    }

    /// The same, of the sweep itself.
    private func sweptLags(_ events: [LogEvent], names: Int, _ policy: Policy) throws -> [UInt64] {
        var raw = events.map(\.raw)
        var scratch = [Bool](repeating: false, count: names + 1)
        let connections = settle_sweep_connections(raw, raw.count, UInt32(names), &scratch)
        let size = settle_sweep_log_size(raw.count, UInt32(names), connections)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
        defer { memory.deallocate() }
        var log = settle_sweep_log()
        return try raw.withUnsafeMutableBufferPointer { events in
            let bound = settle_sweep_bind(
                events.baseAddress, events.count, UInt32(names), connections, memory, size, &log)
            XCTAssertEqual(bound, SETTLE_OK.rawValue)
            let room = settle_sweep_size(&log)
            let workspace = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 64)
            defer { workspace.deallocate() }
            var policy = try policy.raw
            var counts = settle_sweep_counts()
            XCTAssertEqual(settle_sweep_run(workspace, room, &log, &policy, 1, &counts), SETTLE_OK.rawValue)
            return withUnsafeBytes(of: counts.lag) { Array($0.bindMemory(to: UInt64.self)) }
        }
    }

    func testRandomLogsHaveTheDecisionsOfAReplayAndTheLagsOfTheSweep() throws {
        var rebuilds: UInt64 = 0
        for seed: UInt64 in 0..<1000 {
            let (events, scenes, policy) = randomLog(seed)
            if events.isEmpty { continue }
            let steps = try steps(events, policy)
            XCTAssertEqual(
                steps.compactMap { if case .event(let event, _, _) = $0 { event } else { nil } }, events)
            let bytes = try written { output in
                let writer = try BinaryWriter(output, header: LogHeader())
                let batch = EventBatch()
                for event in events { batch.append(event, at: .line(0)) }
                try writer.write(batch, scenes: scenes)
                try writer.flush()
            }
            let decisions = steps.compactMap { step in
                if case .decision(let decision, let scene, _) = step { Expected(decision, scenes[scene]) } else { nil }
            }
            let expected = try replayed(LogReader(ByteInput(bytes: bytes, name: "x")), policy: policy).decisions
            if decisions != expected { return XCTFail("seed \(seed):\n\(decisions)\nis not\n\(expected)") }
            let lags = lags(steps)
            let swept = try sweptLags(events, names: scenes.count, policy)
            if lags != swept { return XCTFail("seed \(seed): other lags than the sweep's") }
            rebuilds += swept.reduce(0, +)
        }
        XCTAssertGreaterThan(rebuilds, 3_000)
    }

    func testRecordingsHaveTheLagsOfTheSweep() throws {
        for name in Recordings.names {
            let log = try recording(name)
            for policy in [Policy.default, .uikit, .fixed(.milliseconds(100))] {
                let lags = lags(try steps(log.events, policy))
                XCTAssertEqual(lags, try sweptLags(log.events, names: log.scenes.count, policy), name)
                XCTAssertGreaterThan(lags.reduce(0, +), 0, name)
            }
        }
    }

    /// A lag counts from the later of the change and the end, and a decision stands where it is made.
    func testAnExampleByHand() throws {
        let log = try ReportLog(
            reader(
                log(
                    #"{"t_ns":0,"scene":"a","width":1,"height":1,"resizing":true}"#,
                    #"{"t_ns":5,"scene":"a","width":2,"height":1}"#, #"{"t_ns":9,"scene":"a","resizing":false}"#,
                    #"{"t_ns":100,"scene":"a","width":3,"height":1}"#,
                    #"{"t_ns":101,"scene":"a","width":4,"height":1}"#,
                    #"{"t_ns":200,"scene":"a","locked":false}"#)))
        let policy = Policy(firstDelay: .nanoseconds(3), discreteDelay: .nanoseconds(7))
        let texts = try steps(log.events, policy).map { step in
            switch step {
            case .event(let event, _, let change): "event \(event.at.nanoseconds) \(change.map { "\($0)" } ?? "")"
            case .decision(let decision, _, let lag):
                "\(DecisionFields(decision).kind) \(decision.at.nanoseconds) \(lag.map { "\($0.wholeNanoseconds)" } ?? "")"
            }
        }
        XCTAssertEqual(
            texts,
            [
                "event 0 1×1", "interactionBegan 0 ", "event 5 2×1", "event 9 ", "interactionEnded 9 ",
                "rebuild 12 3", "event 100 3×1", "event 101 4×1", "rebuild 108 7", "event 200 ",
            ])
    }

    /// What its time has brought stands before an event, and what the event itself brings stands behind it.
    func testADecisionStandsBehindTheEventThatMakesIt() throws {
        var (before, behind) = (0, 0)
        for seed: UInt64 in 0..<200 {
            let (events, _, policy) = randomLog(seed)
            let steps = try LogSteps(policy: policy, log: "test")
            let capacity = (scenes: Engine.scenesLimit, decisions: 64)
            var whole = try LogEngine(policy: policy, scenesMax: capacity.scenes, decisionsMax: capacity.decisions)
            var parted = try LogEngine(policy: policy, scenesMax: capacity.scenes, decisionsMax: capacity.decisions)
            for event in events {
                var (found, expected): ([String], [String]) = ([], [])
                try steps.add(event) { step in
                    switch step {
                    case .event: found.append("the event")
                    case .decision(let decision, let scene, _): found.append("\(scene) \(decision)")
                    }
                }
                // An event that is rejected moves no time.
                let rejected = Self.rejected(whole.statistics)
                try whole.submit(event) { _, _ in }
                if Self.rejected(whole.statistics) == rejected {
                    parted.advance(to: whole.now) { expected.append("\($1) \($0)") }
                }
                before += expected.count
                expected.append("the event")
                let own = expected.count
                try parted.submit(event) { expected.append("\($1) \($0)") }
                behind += expected.count - own
                if found != expected { return XCTFail("seed \(seed), \(event): \(found) is not \(expected)") }
            }
        }
        XCTAssertGreaterThan(before, 500)
        XCTAssertGreaterThan(behind, 500)
    }

    private static func rejected(_ statistics: Engine.Statistics) -> UInt64 {
        statistics.rejectedSizes + statistics.rejectedScenes + statistics.rejectedEvents
    }
}
