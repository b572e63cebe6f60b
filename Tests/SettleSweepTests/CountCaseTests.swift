import CCaseRunner
import CSettle
import Foundation
import Settle
import SettleLog
import TestSupport
import XCTest

@testable import SettleSweep

/// The cases of Tests/Cases/counts, through logs that are read and the sweep of Swift.
final class CountCaseTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    func testEachCaseIsCountedAsTheCoreCountsIt() throws {
        var asked = 0
        for file in try Recordings.cases(of: "counts") {
            var text = try Data(contentsOf: file) + [0]
            try text.withUnsafeMutableBytes { bytes in
                var (reader, run) = (case_reader(), case_run())
                case_start(&reader, bytes.baseAddress!.assumingMemoryBound(to: CChar.self))
                while case_next(&reader, &run) > 0 {
                    guard let log = try log(of: &run) else { continue }
                    let place = "\(file.lastPathComponent):\(run.line): \(String(cString: run.name))"
                    for step in UnsafeBufferPointer(start: run.steps, count: run.count) where step.text != nil {
                        let question = try XCTUnwrap(case_read_asked(&run, step.text), place).pointee
                        try check(log, question, "\(place): \(String(cString: step.text))")
                        asked += 1
                    }
                }
                XCTAssertEqual(case_next(&reader, &run), 0, String(cString: case_problem()))
            }
        }
        XCTAssertGreaterThan(asked, 80)
    }

    /// The run's log; `nil` where it has events that no log has.
    private func log(of run: inout case_run) throws -> BoundLog? {
        let file = try XCTUnwrap(fopen(folder.file("log.jsonl"), "w"))
        let isWritten = case_write_events(&run, false, file)
        fclose(file)
        return isWritten ? try BoundLog(LogReader(path: folder.file("log.jsonl"))) : nil
    }

    private func check(_ log: BoundLog, _ asked: case_asked, _ place: String) throws {
        let cost = try asked.cost.map { try XCTUnwrap(BuildCost(String(cString: $0))) }
        let sweep = try Sweep([Policy(asked.policy)], buildCost: cost)
        XCTAssert(try sweep.add([log], jobs: 1))
        let expected = withUnsafePointer(to: asked.counts) { SweepCounts($0) }
        switch case_asked_kind(UInt32(asked.kind)) {
        case CASE_ASKED_POLICY: XCTAssertEqual(sweep[0], expected, place)
        case CASE_ASKED_HABIT:
            let habit = try XCTUnwrap(Habit.allCases.first { "\($0)" == String(cString: asked.habit) })
            XCTAssertEqual(sweep.counts(of: habit), expected, place)
        case CASE_ASKED_LOG:
            let found = sweep.baselines
            let figures = [found.everyChange, found.everyChangeWasted, found.fixedDebounce, found.fixedDebounceWasted]
            let stated = withUnsafeBytes(of: asked.log) { Array($0.bindMemory(to: UInt64.self)).map { Int($0) } }
            XCTAssertEqual([sweep.events, sweep.connections], Array(stated[..<2]), place)
            XCTAssertEqual(figures, Array(stated[3...]), place)
        default: break
        }
    }
}
