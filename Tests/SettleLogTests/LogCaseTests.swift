import Foundation
import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// The cases of Tests/Cases/logs: logs as other programs write them, and what is read of them or why it is refused.
final class LogCaseTests: XCTestCase {
    /// The bytes that a pipe surely holds.
    private static let pipeMost = 1 << 15

    func testEachLogIsReadOrRefusedAsItsCaseSays() throws {
        let cases = try LogCase.all()
        XCTAssertGreaterThan(cases.count, 20)
        for one in cases {
            for log in one.logs {
                var inputs = [ByteInput(bytes: log, name: one.name)]
                if log.count < Self.pipeMost { inputs.append(ByteInput.pipe(log, name: one.name)) }
                for input in inputs { check(input, one) }
            }
        }
    }

    private func check(_ input: ByteInput, _ one: LogCase) {
        var (events, faults, notes): ([String], [String], [String]) = ([], [], [])
        do throws(LogError) {
            let reader = try LogReader(input)
            if let format = one.format { XCTAssertEqual(reader.format.name, format, one.place) }
            (events, faults) = reader.drain()
            notes = reader.notes
        } catch {
            faults.append("! " + error.said)
        }
        XCTAssertEqual(events, one.events, one.place)
        let isSaid = faults.count == one.faults.count && zip(faults, one.faults).allSatisfy(Self.isSaid)
        if !isSaid { XCTFail("\(one.place): \(faults.joined(separator: "\n"))") }
        for note in one.notes { XCTAssert(notes.contains { $0.contains(note) }, "\(one.place): \(notes)") }
    }

    /// What follows an ellipsis is not compared.
    private static func isSaid(_ fault: String, _ stated: String) -> Bool {
        stated.last == "…" ? fault.hasPrefix(stated.dropLast()) : fault == stated
    }

    func testWhatUnpacksToTooMuchIsAFaultAndWhatIsBeforeIsRead() throws {
        let lines = (0..<200_000).map { "[\($0).0,\"o\",\"x\"]\n" }.joined()
        let text = "{\"version\":2,\"width\":80,\"height\":24}\n[0.5,\"r\",\"90x24\"]\n" + lines
        let packed = try Self.gzip(Array(text.utf8))
        let faults = ["- it unpacks to more than 1 MiB; unpack it first", "! line 56708: not [time, code, data]"]
        for (most, faults) in [(8 << 20, []), (1 << 20, faults)] {
            let input = ByteInput(bytes: packed, name: "log")
            input.unpackedBytesMax = UInt64(most)
            let found = try LogReader(input).drain()
            XCTAssertEqual(found.events.count, 2)
            XCTAssertEqual(found.faults, faults)
        }
    }

    /// By the program, as a bomb would be made.
    private static func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appending(path: "settle-\(UUID()).log")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/bin/gzip")
        process.arguments = ["-c", file.path]
        process.standardOutput = pipe
        try process.run()
        let packed = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return [UInt8](packed)
    }

    /// Cut anywhere, what is read is the beginning of what the whole log has, never another size. Of Wayland's messages
    /// a later one may change the time of a size that was chosen.
    func testEachLogThatIsCutBeginsAsTheWholeOne() throws {
        for one in try LogCase.all() where one.faults.isEmpty && one.logs[0].count < 1 << 11 {
            for count in one.logs[0].indices {
                let input = ByteInput(bytes: Array(one.logs[0][..<count]), name: one.name)
                guard let reader = try? LogReader(input), reader.format != .waylandDebug else { continue }
                let events = reader.drain().events
                XCTAssertEqual(events, Array(one.events.prefix(events.count)), "\(one.place): \(count) bytes")
            }
        }
    }

    func testDamagedCopiesOfEachLogEnd() throws {
        for (seed, one) in try LogCase.all().enumerated() where one.logs[0].count < Self.pipeMost && !one.events.isEmpty
        {
            let format = try LogReader(ByteInput(bytes: one.logs[0], name: one.name)).format
            survive(one.logs[0], seed: UInt64(seed), rounds: 60) { try format.makeReader($0, false) }
        }
    }

    func testDamagedTimesOfATypescriptEnd() {
        let header = "Script started on 2024-01-01 [COLUMNS=\"80\" LINES=\"24\"]\n"
        let output = Array((header + "abc\u{1B}[8;30;100tdef").utf8)
        survive(Array("0.5 4\n1.25 10\n0.000001 3\n".utf8), seed: 1, rounds: 200) {
            ScriptOutput($0, output: ByteInput(bytes: output, name: "typescript"))
        }
    }

    /// What reads a log to decide it skips what a list of faults has, and says so.
    func testABadLineCostsOnlyItself() throws {
        let text = """
            [1.000] xdg_toplevel@7.configure(1, 1, array[0])
            [2.000] xdg_toplevel@7.configure(oops, 1, array[0])
            [3.000] xdg_toplevel@7.configure(3, 3, array[0])

            """
        let reader = try LogReader(ByteInput(text))
        let batch = EventBatch()
        var count = 0
        while try reader.read(into: batch) { count += batch.count }
        XCTAssertEqual(count, 2)
        XCTAssert(
            reader.notes.contains {
                $0.hasPrefix(
                    "What cannot be read was skipped (1), the first: line 2: the arguments of xdg_toplevel.conf")
            }, "\(reader.notes)")
    }
}
