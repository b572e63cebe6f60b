import CCaseRunner
import CSettle
import TestSupport
import XCTest

@testable import Settle

/// The cases of Tests/Cases/rules, through the Swift engine with the oracle beside it.
final class RuleCaseTests: XCTestCase {
    func testEachCaseIsDecidedAsTheCoreDecidesIt() throws {
        try forEachRun { run, place in
            var (run, decided) = (run, case_decisions())
            XCTAssertTrue(case_check(&run, &decided), "\(place)\n\(String(cString: case_problem()))")
            XCTAssertEqual(
                try decisions(of: run),
                UnsafeBufferPointer(start: decided.decisions, count: decided.count).map { Decision($0) }, place)
        }
    }

    private func forEachRun(_ check: (case_run, String) throws -> Void) throws {
        let files = try Recordings.cases(of: "rules")
        XCTAssertFalse(files.isEmpty)
        for file in files {
            var text = try Data(contentsOf: file) + [0]
            try text.withUnsafeMutableBytes { bytes in
                var (reader, run) = (case_reader(), case_run())
                case_start(&reader, bytes.baseAddress!.assumingMemoryBound(to: CChar.self))
                while case_next(&reader, &run) > 0 {
                    try check(run, "\(file.lastPathComponent):\(run.line): \(String(cString: run.name))")
                }
                XCTAssertEqual(case_next(&reader, &run), 0, String(cString: case_problem()))
            }
        }
    }

    /// What an engine decides of a run's steps; its scenes have the case's numbers.
    private func decisions(of run: case_run) throws -> [Decision] {
        let engine = try CheckedEngine(Policy(run.policy), decisionsMax: 256)
        var scenes: [SceneID: UInt32] = [:]
        var handles = try [SceneID(rawValue: 0)] + (0..<run.scenes).map { _ in try engine.connect() }
        for (index, handle) in handles.enumerated() { scenes[handle] = UInt32(index) }
        for step in UnsafeBufferPointer(start: run.steps, count: run.count) {
            var event = Event(step.event)
            let isOfScene = event.kind != .pointer
            if isOfScene { event.scene = handles[Int(step.event.scene)] }
            switch case_step_kind(UInt32(step.kind)) {
            case CASE_EVENT: engine.submit(event)
            case CASE_ADVANCE: engine.advance(to: event.at)
            case CASE_FINISH: engine.finish()
            case CASE_CONNECT:
                handles[Int(step.event.scene)] = try engine.connect()
                scenes[handles[Int(step.event.scene)]] = step.event.scene
            case CASE_POLICY: try engine.setPolicy(Policy(step.policy), of: event.scene)
            default: break
            }
        }
        return engine.decisions.map {
            var decision = $0
            decision.scene = SceneID(rawValue: scenes[decision.scene]!)
            return decision
        }
    }
}
