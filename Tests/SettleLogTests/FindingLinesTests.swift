import Foundation
import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// The lines of a log's faults, and what is said of those that have none.
final class FindingLinesTests: XCTestCase {
    private let log =
        jsonHeader
            + """
            {"t_ns":10,"scene":"a","width":-1,"height":1}
            {"t_ns":10,"scene":"a","width":1,"height":1}
            {"t_ns":7,"scene":"a","width":2,"height":1}
            {"t_ns":8,"scene":"a","width":3,"height":1}
            {"t_ns":20,"scene":"b\\n","kind":"disconnect"}
            {"t_ns":20,"scene":"b\\n","kind":"previewed","generation":1,"cost_ns":1}
            {"t_ns":20,"scene":"b\\n","kind":"finished","generation":1,"cost_ns":1}

            """

    private func lines(_ mostOfKind: Int?, advice: String = "") throws -> String {
        let folder = TemporaryFolder()
        try log.write(toFile: folder.file("log"), atomically: true, encoding: .utf8)
        var lines = mostOfKind.map { FindingLines(mostOfKind: $0) } ?? FindingLines()
        var text: [String] = []
        var validator = LogValidator(path: folder.file("log"))
        let result = try validator.run { fault, kind in
            if let line = lines.line(fault, kind) { text.append(line) }
        }
        text += lines.totals("log\n", result, advice: advice)
        return text.joined(separator: "\n").replacingOccurrences(of: folder.file("log"), with: "LOG")
    }

    func testEachEventIsVisitedAndALogThatCannotBeOpenedHasAFault() throws {
        var (visited, faults) = (0, 0)
        var validator = LogValidator(path: "unused")
        let result = try validator.run(
            LogReader(ByteInput(bytes: Array(log.utf8), name: "log")),
            visit: { batch throws(LogError) in visited += batch.count },
            report: { _, _ throws(LogError) in faults += 1 })
        XCTAssertEqual([visited, result.events, faults, result.faults], [7, 7, 6, 6])

        let folder = TemporaryFolder()
        try "{}".write(toFile: folder.file("log"), atomically: true, encoding: .utf8)
        var kinds: [LogValidator.FaultKind] = []
        validator = LogValidator(path: folder.file("log"), format: .jsonl)
        let unreadable = try validator.run { _, kind in kinds.append(kind) }
        XCTAssertEqual(kinds, [.unreadable])
        XCTAssertEqual(unreadable.faultsByKind, [.unreadable: 1])
    }

    func testFaultsWithoutALineAreCounted() throws {
        let size = "LOG: line 2: the size -1×1 is negative or not finite; the engine rejects the event (rule 2)"
        let back = [
            "LOG: line 4: the time goes back by 3 ns; the engine applies the event at 10",
            "LOG: line 5: the time goes back by 2 ns; the engine applies the event at 10",
        ]
        let disconnected = [
            #"LOG: line 6: scene "b\u000a" disconnects without being connected; the engine rejects the event (rule 10)"#,
            #"LOG: line 7: scene "b\u000a" has work for a preview without being connected; the engine rejects it (rule 17)"#,
            #"LOG: line 8: scene "b\u000a" has a build without being connected; the engine rejects it (rule 18)"#,
        ]
        let all = ([size] + back + disconnected).joined(separator: "\n")
        XCTAssertEqual(try lines(nil), all, "each has a line")
        XCTAssertEqual(try lines(3, advice: "; more"), all)
        XCTAssertEqual(
            try lines(2, advice: "; --all prints all"),
            ([size] + back + disconnected.prefix(2)).joined(separator: "\n") + "\n"
                + #"""
                log\u000a: 1 fault: a size that is rejected
                log\u000a: 3 faults: a disconnect without a connection, the first 2 above; --all prints all
                log\u000a: 2 faults: a time that goes back
                """#)
    }
}
