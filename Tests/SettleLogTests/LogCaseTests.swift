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
            let reader = try LogReader(input)
            XCTAssertNil(reader.progress.of, "nobody knows how much there will be")
            let found = reader.drain()
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

    /// A pipe may be live: what has arrived is handed out before more is waited for.
    func testNoReaderWaitsForMoreWhileItHasEvents() throws {
        var reads = 0
        for one in try LogCase.all() {
            for log in one.logs where log.count < 1 << 10 {
                let input = ByteInput.pieces(log, of: 7, name: one.name)
                guard let reader = try? LogReader(input) else { continue }
                let batch = EventBatch()
                input.willRead = { _ in
                    reads += 1
                    if batch.count > 0 { XCTFail("\(one.place): waits with \(batch.count) events") }
                }
                for _ in 0..<1000 {
                    if let isMore = try? reader.read(into: batch), !isMore { break }
                }
            }
        }
        XCTAssertGreaterThan(reads, 1000)
    }

    /// Where its text has what an event is made of.
    func testAnEventStandsWhereItsLogHasIt() throws {
        let rrweb = [
            #"{"type":4,"data":{"width":1,"height":2},"timestamp":1}"#,
            #"{"data":{"source":4,"width":3,"height":4},"timestamp":2,"type":3}"#,
        ]
        let packed = JSONText.quoted(rrweb[0])
        let frame = "AAAABB\0\0\u{9}\0\0\0"
        let xev =
            "ConfigureNotify event, serial 18, synthetic NO, window 0x1,\n    event 0x1, window 0x2, (1,2), width "
        let logs: [(LogFormat, String, [LogPosition])] = [
            (
                .asciicast,
                "\n\n{\"version\":2,\"width\":8,\"height\":4}\n[1,\"r\",\"9x4\"]\n[2,\"o\",\"\"]\n[3,\"r\",\"9x5\"]\n",
                [.line(3), .line(4), .line(6)]
            ),
            (.rrweb, "[\(rrweb[0]),\n \(rrweb[1])]", [.byte(1), .byte(UInt64(rrweb[0].utf8.count + 4))]),
            (
                .rrweb, "[\(packed), \(JSONText.quoted("[\(rrweb[1])]"))]",
                [.byte(1), .byte(UInt64(packed.utf8.count + 3))]
            ),
            (
                .script, "H 0.0 COLUMNS 80\nH 0.0 LINES 24\nO 1.0 5\nS 1.0 SIGWINCH ROWS=3 COLS=4\n",
                [.line(2), .line(4)]
            ),
            (.ttyrec, frame + "\u{1B}[8;3;4t." + frame + "\u{1B}[8;4;5t.", [.byte(0), .byte(21)]),
            (
                .waylandDebug,
                "\n[1.0] xdg_toplevel@7.configure(1, 1, array[0])\n\n[2.0] xdg_toplevel@7.configure(2, 1, array[0])\n",
                [.line(2), .line(4)]
            ),
            (
                .xev,
                "\n" + xev + "3, height 4,\n    override NO\n\n" + xev + "5, height 6,\n    override NO\n\nmore\n",
                [.line(2), .line(6)]
            ),
        ]
        for (format, log, positions) in logs {
            for count in [1, 5, 1000] {
                let reader = try format.makeReader(.pieces(Array(log.utf8), of: count, name: "log"), false)
                XCTAssertEqual(drain(reader).positions, positions, "\(format) in pieces of \(count)")
            }
        }
        let typescript = "Script started on Mon [TERM=\"x\" COLUMNS=\"80\" LINES=\"24\"]\n\u{1B}[8;3;4t"
        let times = ScriptOutput(ByteInput("0.5 2\n0.5 6\n"), output: ByteInput(typescript))
        XCTAssertEqual(drain(times).positions, [.line(1), .line(2)])
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

    /// What reads a log to decide it skips what a list of faults has, and says how much, and what is the first.
    func testWhatIsSkippedIsSaidOfEachLog() throws {
        var most = 0
        for one in try LogCase.all() {
            for log in one.logs {
                func reader() -> LogReader? { try? LogReader(ByteInput(bytes: log, name: one.name)) }
                guard let list = reader(), let reader = reader() else { continue }
                let skipped = list.drain().faults.filter { $0.hasPrefix("- ") }
                XCTAssertFalse(list.notes.contains { $0.hasPrefix("What cannot be read") }, one.place)
                let batch = EventBatch()
                while (try? reader.read(into: batch)) ?? true {}
                let expected = skipped.prefix(1).map {
                    "What cannot be read was skipped (\(skipped.count)), the first: \($0.dropFirst(2))."
                }
                XCTAssertEqual(reader.notes.filter { $0.hasPrefix("What cannot be read") }, expected, one.place)
                most = max(most, skipped.count)
            }
        }
        XCTAssertGreaterThan(most, 1)
    }

    /// Its only event is left out, and there was one nevertheless.
    func testALogOfWhichAllIsLeftOutIsALog() throws {
        let text = """
            ButtonPress event, serial 34, synthetic NO, window 0x1,
                root 0x2, subw 0x0, time 100, (1,1), root:(1,1),
                state 0x0, button 1, same_screen YES

            FocusOut event, serial 35, synthetic NO, window 0x1,
                mode NotifyGrab, detail NotifyAncestor

            """
        for dropped: LogSignals in [[], .pointer] {
            let (reader, batch) = (try LogReader(ByteInput(text), format: .xev), EventBatch())
            reader.dropped = dropped
            if dropped.isEmpty { XCTAssertTrue(try reader.read(into: batch)) }
            XCTAssertFalse(try reader.read(into: batch))
            XCTAssertEqual(reader.notes.count { $0.hasPrefix("What cannot be read") }, 0)
        }
    }

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
