import CSettle
import Settle
import SettleLog
import TestSupport
import XCTest

@testable import SettleSweep

/// What an app's events add up to. `Tests/Python/test_sums.py` has the format.
final class SessionSumsTests: XCTestCase {
    private static let policies: [Policy] = [.default, .uikit, .fixed(.milliseconds(30))]

    /// A recording's events as an app gives them to its engine: each connection has a handle of its own.
    private func events(_ name: String) throws -> [Event] {
        let reader = try LogReader(path: Recordings.log(name))
        let batch = EventBatch()
        var engine = try Engine()
        var (bindings, events) = (SceneBindings<SceneID>(), [Event]())
        while try reader.read(into: batch) {
            for index in 0..<batch.count {
                let event = batch[index]
                switch try bindings.bind(event, connect: { () throws(EngineError) in try engine.connect() }) {
                case .bound(let scene), .newlyBound(let scene):
                    events.append(event.event(for: scene))
                    engine.submit(events[events.count - 1]) { _ in }
                case .pointer: events.append(event.event(for: SceneID(rawValue: 0)))
                case .rejected: break
                }
            }
        }
        return events
    }

    func testRecordsOfAllRecordingsAddUpToTheirSweep() throws {
        let raw = Self.policies.map(settle_policy.init)
        var (sums, counts) = (settle_sums(), [settle_sweep_counts](repeating: settle_sweep_counts(), count: 3))
        let sweep = try Sweep(Self.policies)
        for name in Recordings.names {
            var session = try SessionSums(policies: Self.policies)
            for event in try events(name) { XCTAssert(session.add(event)) }
            session.add(.flush(SceneID(rawValue: 1), at: .zero))
            for record in session.records() {
                XCTAssertLessThanOrEqual(record.count, SessionSums.recordBytesMax)
                XCTAssertEqual(settle_sums_add(record, record.count, raw, 3, &sums, &counts), 0)
            }
            XCTAssert(try sweep.add([BoundLog(LogReader(path: Recordings.log(name)))], jobs: 1))
        }
        XCTAssertEqual(Int(sums.sessions), Recordings.names.count)
        XCTAssertEqual(Int(sums.events), sweep.events)
        XCTAssertEqual(Int(sums.baselines.every_change), sweep.baselines.everyChange)
        for index in 0..<3 {
            let words = withUnsafeBytes(of: &counts[index]) { Array($0.bindMemory(to: UInt64.self)) }
            XCTAssertEqual(words.prefix(8).reduce(0) { $0 + Int($1) }, sweep[index].rebuilds)
            XCTAssertEqual(Int(counts[index].wasted), sweep[index].wasted)
            XCTAssertEqual(words[11..<1164].reduce(0) { $0 + Int($1) }, sweep[index].rebuilds)
        }
    }

    func testEventsThatDecideNothingAreNotKept() throws {
        var session = try SessionSums(policies: [.default], eventsMax: 4)
        let scene = SceneID(rawValue: 5)
        for (event, count) in [
            (.geometry(scene, at: .zero, size: Size(width: 1, height: 1)), 1), (.flush(scene, at: .zero), 1),
            (.finished(scene, at: .zero, generation: 1, cost: .zero), 2),
            (.pointer(button: 1, at: .zero, isPressed: true), 3), (.disconnect(scene, at: .zero), 4),
            (.flush(scene, at: .zero), 4),
        ] as [(Event, Int)] {
            XCTAssert(session.add(event))
            XCTAssertEqual(session.count, count)
        }
        XCTAssertEqual(session.records().count, 1)
    }

    func testWhatCannotBeSummedUpHasNoRecords() throws {
        var session = try SessionSums(policies: [.default], eventsMax: 2)
        XCTAssertEqual(session.records().count, 1)
        let event = Event.geometry(SceneID(rawValue: 5), at: .zero, size: Size(width: 1, height: 1))
        XCTAssertEqual([1, 2, 3].map { _ in session.add(event) }, [true, true, false])
        XCTAssertEqual(session.records(), [])
        XCTAssertEqual(try SessionSums(policies: []).records(), [])
        XCTAssertEqual(try SessionSums(policies: Array(repeating: .default, count: 11)).records(), [])
        XCTAssertThrowsError(try SessionSums(policies: [Policy(lockDelay: .seconds(-1))]))
    }
}
