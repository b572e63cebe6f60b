import Foundation
import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// The cases of Tests/Cases/logs: logs as other programs write them, and what is read of them or why it is refused.
final class LogCaseTests: XCTestCase {
    private struct Case {
        var place: String
        var log: [UInt8] = []
        var format: String?
        var events: [String] = []
        var faults: [String] = []
        var notes: [String] = []
    }

    private static let folder = Recordings.folder.deletingLastPathComponent().appending(path: "Cases/logs")

    /// The bytes that a pipe surely holds.
    private static let pipeMost = 1 << 15

    private func cases() throws -> [Case] {
        let files = try FileManager.default.contentsOfDirectory(at: Self.folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "cases" }.sorted { $0.path < $1.path }.flatMap { file -> [Case] in
            let text = try String(contentsOf: file, encoding: .utf8)
            return try text.components(separatedBy: "\n\n").compactMap { block -> Case? in
                let lines = block.split(separator: "\n").filter { $0.first != "#" }
                guard let name = lines.first, lines.count > 1 else { return nil }
                return try parsed(lines.dropFirst(), place: "\(file.lastPathComponent): \(name)")
            }
        }
    }

    private func parsed(_ lines: ArraySlice<Substring>, place: String) throws -> Case {
        var one = Case(place: place)
        for line in lines {
            let sign = line.first!
            let rest = String(line.dropFirst(2))
            switch sign {
            case "|": one.log += CasePair.controlCharacters(in: rest).utf8 + [0x0A]
            case "\\": one.log += CasePair.controlCharacters(in: rest).utf8
            case "+": one.log += [UInt8](repeating: UInt8(ascii: "x"), count: try XCTUnwrap(Int(rest)))
            case "<": one.log += try Data(contentsOf: Self.folder.appending(path: rest))
            case "~": one.format = rest
            case "=": one.events += rest.components(separatedBy: "; ")
            case "!": one.faults.append(rest)
            case "*": one.notes.append(rest)
            default: XCTFail("\(place): \(line)")
            }
        }
        return one
    }

    func testEachLogIsReadOrRefusedAsItsCaseSays() throws {
        let cases = try cases()
        XCTAssertGreaterThan(cases.count, 20)
        for one in cases {
            var inputs = [ByteInput(bytes: one.log, name: "log")]
            if one.log.count < Self.pipeMost { inputs.append(ByteInput.pipe(one.log)) }
            for input in inputs {
                var (events, faults, notes): ([String], [String], [String]) = ([], [], [])
                do throws(LogError) {
                    let reader = try LogReader(input)
                    if let format = one.format { XCTAssertEqual(reader.format.name, format, one.place) }
                    (events, faults) = read(reader)
                    notes = reader.notes
                } catch {
                    faults.append(
                        [error.position?.description, error.problem].compactMap(\.self).joined(separator: ": "))
                }
                XCTAssertEqual(events, one.events, one.place)
                XCTAssertEqual(faults, one.faults, one.place)
                for note in one.notes { XCTAssert(notes.contains { $0.contains(note) }, "\(one.place): \(notes)") }
            }
        }
    }

    func testWhatUnpacksToTooMuchIsAFaultAndWhatIsBeforeIsRead() throws {
        let lines = (0..<200_000).map { "[\($0).0,\"o\",\"x\"]\n" }.joined()
        let text = "{\"version\":2,\"width\":80,\"height\":24}\n[0.5,\"r\",\"90x24\"]\n" + lines
        let packed = try Self.gzip(Array(text.utf8))
        let faults = ["it unpacks to more than 1 MiB; unpack it first", "line 56708: not [time, code, data]"]
        for (most, faults) in [(8 << 20, []), (1 << 20, faults)] {
            let input = ByteInput(bytes: packed, name: "log")
            input.unpackedBytesMax = UInt64(most)
            let found = read(try LogReader(input))
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

    private func read(_ reader: LogReader) -> (events: [String], faults: [String]) {
        var (events, faults): ([String], [String]) = ([], [])
        let batch = EventBatch()
        reader.reportsSkipped = true
        while true {
            do throws(LogError) {
                guard try reader.read(into: batch) else { return (events, faults) }
            } catch {
                faults.append([error.position?.description, error.problem].compactMap(\.self).joined(separator: ": "))
                if faults.count > 100 { return (events, faults) }
                continue
            }
            for index in 0..<batch.count {
                let event = batch[index]
                events.append(drawn(event, scene: event.kind == .pointer ? "" : reader.scenes[event.name]))
            }
        }
    }

    func testALastLineThatIsCutIsCalledTruncated() throws {
        for one in try cases() where !one.log.isEmpty && one.log.last != 0x0A && one.place.contains("wrong") {
            let format = try LogReader(ByteInput(bytes: one.log, name: "log")).format
            let faults = drain(try format.makeReader(ByteInput(bytes: one.log, name: "log"), false)).faults
            XCTAssertEqual(faults.map(\.kind).reversed().prefix(2), [.truncated, .malformed], one.place)
        }
    }

    func testDamagedCopiesOfEachLogEnd() throws {
        for (seed, one) in try cases().enumerated() where one.log.count < Self.pipeMost && !one.events.isEmpty {
            let format = try LogReader(ByteInput(bytes: one.log, name: "log")).format
            survive(one.log, seed: UInt64(seed), rounds: 60) { try format.makeReader($0, false) }
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
