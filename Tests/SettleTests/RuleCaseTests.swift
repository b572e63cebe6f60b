import CCaseRunner
import CSettle
import TestSupport
import XCTest

@testable import Settle

/// The cases of Tests/Cases/rules, through the Swift engine with the oracle beside it.
final class RuleCaseTests: XCTestCase {
    func testEachCaseIsDecidedAsTheCoreDecidesIt() throws {
        try runs(of: "rules") { run, place in
            var (run, decided) = (run, case_decisions())
            XCTAssertTrue(case_check(&run, &decided), "\(place)\n\(String(cString: case_problem()))")
            XCTAssertEqual(
                try decisions(of: run),
                UnsafeBufferPointer(start: decided.decisions, count: decided.count).map { Decision($0) }, place)
        }
    }

    /// Those of counts, advice, sums and a window, as the program of scripts/checks/cases runs them: tests reach each line of C.
    func testWhatASweepCountsIsAsItsCasesSay() throws {
        var ways: UInt32 = 0
        try runs(of: "counts") { run, place in
            var run = run
            XCTAssertTrue(case_check_counts(&run, &ways), "\(place)\n\(String(cString: case_problem()))")
        }
        typealias Answer = @convention(c) (UnsafePointer<CChar>?, UnsafeMutablePointer<CChar>?, Int) -> Void
        let layers: [(String, Answer)] = [
            ("advice", case_advice_answer), ("sums", case_sums_answer), ("window", case_window_answer),
            ("core", case_call_answer), ("formats", case_format_answer),
        ]
        for (layer, answer) in layers {
            for file in try Recordings.cases(of: layer) {
                var (counts, text) = (case_counts(), try Array(String(contentsOf: file, encoding: .utf8).utf8CString))
                XCTAssertTrue(case_run_pairs(&text, file.path, "", answer, &counts), String(cString: case_problem()))
                XCTAssertEqual(counts.failed, 0, "see standard error")
                XCTAssertGreaterThan(counts.passed, 20)
            }
        }
    }

    private func runs(of layer: String, check: (case_run, String) throws -> Void) throws {
        let files = try Recordings.cases(of: layer)
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
