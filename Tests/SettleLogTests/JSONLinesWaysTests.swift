import Foundation
import Settle
import TestSupport
import XCTest

@_spi(Careful) @testable import SettleLog

/// The reader of JSON Lines gives the same with its fast way for plain lines and without it.
final class JSONLinesWaysTests: XCTestCase {
    /// Compares the two ways, and returns what was read.
    @discardableResult
    private func assertSame(
        _ bytes: [UInt8], _ message: String = "", file: StaticString = #filePath, line: UInt = #line
    ) -> ReadLog {
        let (fast, careful) = (readLog(bytes, format: .jsonl), readLog(bytes, format: .carefulJSONL))
        assertSame(fast, careful, message, file: file, line: line)
        return fast
    }

    private func assertSame(
        _ a: ReadLog, _ b: ReadLog, _ message: String, file: StaticString = #filePath, line: UInt = #line
    ) {
        assertSameEvents(a.events, b.events, message, file: file, line: line)
        XCTAssertEqual(a.events.map(\.event.name), b.events.map(\.event.name), message, file: file, line: line)
        XCTAssertEqual(a.positions, b.positions, message, file: file, line: line)
        XCTAssertEqual(a.faults, b.faults, message, file: file, line: line)
        XCTAssertEqual(a.header, b.header, message, file: file, line: line)
    }

    func testRecordings() throws {
        for name in Recordings.names {
            let log = try assertSame(bytes(ofFile: Recordings.log(name)), name)
            XCTAssertEqual(log.faults, [], name)
        }
    }

    func testDamagedRecordings() throws {
        var random = SplitMix64(seed: 3)
        for name in Recordings.names {
            let original = try bytes(ofFile: Recordings.log(name)).prefix(20_000)
            for round in 0..<20 {
                var damaged = Array(original)
                for _ in 0..<Int.random(in: 1...60, using: &random) {
                    let at = Int.random(in: 0..<damaged.count, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: damaged[at] = UInt8.random(in: 0...255, using: &random)
                    case 1: damaged[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                    case 2: damaged.remove(at: at)
                    default: damaged.insert(damaged.randomElement(using: &random) ?? 0, at: at)
                    }
                }
                assertSame(damaged, "\(name), round \(round)")
            }
        }
    }

    /// Lines of the pieces of valid ones, mostly valid.
    private struct Lines {
        var random: SplitMix64

        mutating func pick(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
        mutating func isOne(in count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

        mutating func digits(_ most: Int) -> String {
            String(
                (0..<Int.random(in: 1...most, using: &random)).map { _ in Character(pick("0123456789".map(String.init)))
                })
        }

        mutating func number(_ most: Int) -> String {
            if isOne(in: 40) {
                return pick(["-1", "-0", "1e3", "0", "00", "1.", "null", "\"1\"", "9007199254740993", "1e999"])
            }
            let text = digits(most)
            return isOne(in: 4) ? "\(text).\(digits(9))" : text
        }

        mutating func value(of key: String) -> String {
            switch key {
            case "t_ns":
                isOne(in: 50)
                    ? number(20)
                    : String(
                        UInt64.random(in: 0...UInt64(Int64.max), using: &random)
                            >> Int.random(in: 0..<62, using: &random))
            case "scene":
                pick([
                    "\"a\"", "\"1:10\"", "\"0x800001\"", "\"a long name of a window\"", "\"é\"", "\"\\n\"",
                    "\"\(digits(2))\"", "a",
                ])
            case "width", "height": number(17)
            case "kind": pick(["\"geometry\"", "\"connect\"", "\"disconnect\"", "\"pointer\"", "\"Pointer\""])
            case "orientation":
                pick(["\"portrait\"", "\"portraitUpsideDown\"", "\"landscapeLeft\"", "\"landscapeRight\"", "\"none\""])
            case "button": number(11)
            case "resizing", "locked", "pressed": pick(["true", "false", "true", "false", "True"])
            default:
                pick([
                    "1", "1.5", "\"text\"", "\"tëxt\"", "\"\\t\"", "null", "true", "[1,2]", "{\"t_ns\":1}", "-1e5",
                    "\u{1}",
                ])
            }
        }

        mutating func line() -> String {
            if isOne(in: 30) { return pick(["", "# comment", "  ", "{}", "{", "text", "\u{FEFF}"]) }
            var keys = ["t_ns"]
            if isOne(in: 6) {
                keys += ["kind", "button", "pressed"]
            } else {
                keys += ["scene"]
                if isOne(in: 8) { keys += ["kind"] }
                if !isOne(in: 4) { keys += ["width", "height"] }
                for key in ["resizing", "locked", "orientation"] where isOne(in: 3) { keys.append(key) }
            }
            if isOne(in: 6) { keys.append(pick(["x", "serial", "", "é", "t_n", "scenes", "t\\u005fns"])) }
            if isOne(in: 20) { keys.append(pick(keys)) }
            if isOne(in: 20) { keys.removeLast() }
            if isOne(in: 4) { keys.shuffle(using: &random) }
            let (space, tail) = (
                isOne(in: 4) ? pick([" ", "\t", "\r", "  "]) : "", isOne(in: 10) ? pick([" ", "\r", "x", "}"]) : ""
            )
            let members = keys.map { "\"\($0)\":\(space)\(value(of: $0))" }
            return "{\(space)" + members.joined(separator: ",\(space)") + "\(space)}\(tail)"
        }
    }

    func testRandomLines() {
        var lines = Lines(random: SplitMix64(seed: 5))
        var (events, faults) = (0, 0)
        for round in 0..<40 {
            var text = jsonHeader
            for _ in 0..<200 { text += lines.line() + (lines.isOne(in: 20) ? "\r\n" : "\n") }
            let log = assertSame(Array(text.utf8), "round \(round)")
            events += log.events.count
            faults += log.faults.count
        }
        XCTAssertGreaterThan(events, 3_000)
        XCTAssertGreaterThan(faults, 1_000)
    }

    func testNamesAreNumberedInOrderOfAppearance() {
        let text =
            jsonHeader + (0..<500).map { #"{"t_ns":\#($0),"scene":"\#($0 * $0 % 37)"}"# }.joined(separator: "\n") + "\n"
        let log = assertSame(Array(text.utf8))
        XCTAssertEqual(log.events.map(\.scene), (0..<500).map { "\($0 * $0 % 37)" })
    }

    /// Reads a stream, or a file, that arrives in pieces.
    private func readPieces(_ bytes: [UInt8], isStream: Bool, isFast: Bool, seed: UInt64) throws -> ReadLog {
        let pipe = Pipe()
        let (reading, writing) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
        let input = ByteInput(client: reading.fileDescriptor, name: "test")
        var random = SplitMix64(seed: seed)
        var rest = bytes[...]
        input.willRead = { _ in
            let piece = rest.prefix(Int.random(in: 1...200, using: &random))
            rest = rest.dropFirst(piece.count)
            if piece.isEmpty { try? writing.close() } else { writing.write(Data(piece)) }
        }
        var log = ReadLog()
        do throws(LogError) {
            let reader = try JSONLinesReader(input, isStream: isStream, isFast: isFast)
            log.header = reader.header
            let batch = EventBatch(recordsPositions: true)
            var isMore = true
            while isMore {
                batch.removeAll()
                do throws(LogError) {
                    isMore = try reader.read(into: batch)
                } catch {
                    log.faults.append(error)
                    if isStream { isMore = false }
                }
                // What has arrived is returned before more is awaited.
                for index in 0..<batch.count {
                    let event = batch[index]
                    log.events.append((event, event.kind == .pointer ? "" : reader.scenes[event.name]))
                }
                log.positions += batch.positions
            }
        } catch {
            log.faults.append(error)
        }
        return log
    }

    func testPieces() throws {
        var lines = Lines(random: SplitMix64(seed: 8))
        let recording = try bytes(ofFile: Recordings.log("w04_mutter"))
        var isUnused = true
        for round in 0..<40 {
            var text = jsonHeader
            for _ in 0..<60 { text += lines.line() + "\n" }
            for isStream in [false, true] {
                for bytes in [Array(text.utf8), recording] {
                    let seed = UInt64(round)
                    let fast = try readPieces(bytes, isStream: isStream, isFast: true, seed: seed)
                    let careful = try readPieces(bytes, isStream: isStream, isFast: false, seed: seed)
                    assertSame(fast, careful, "round \(round)")
                    if !isStream { isUnused = false }
                }
            }
        }
        XCTAssertFalse(isUnused)
    }

    /// The number of events.
    private func readAll(_ reader: JSONLinesReader) throws -> Int {
        let batch = EventBatch()
        var count = 0
        while true {
            batch.removeAll()
            let isMore = try reader.read(into: batch)
            count += batch.count
            if !isMore { return count }
        }
    }

    func testLongLinesAreRefusedEitherWay() {
        for (isStream, most) in [(false, LineInput.lengthMax), (true, StreamLimits.lineBytes)] {
            for extra in [-1, 0, 1] {
                let start = #"{"t_ns":1,"scene":"a","x":""#
                let line = start + String(repeating: "y", count: most + extra - start.utf8.count - 2) + "\"}\n"
                let text =
                    jsonHeader + "{\"t_ns\":0,\"scene\":\"a\"}\n" + line + line + "{\"t_ns\":2,\"scene\":\"a\"}\n"
                let logs = [true, false].map { isFast in
                    Result {
                        let reader = try JSONLinesReader(
                            ByteInput(bytes: Array(text.utf8), name: "test"), isStream: isStream, isFast: isFast)
                        return try self.readAll(reader)
                    }
                }
                XCTAssertEqual("\(logs[0])", "\(logs[1])")
                XCTAssertEqual("\(logs[0])".hasPrefix("success"), extra <= 0, "\(logs[0])")
            }
        }
    }

    /// Otherwise the other way would read them, only slower.
    func testRecordingsArePlain() throws {
        for name in Recordings.names {
            let input = try ByteInput(path: Recordings.log(name))
            let reader = try JSONLinesReader(input)
            let count = try readAll(reader)
            // The first line of each scene, and the last ones of a block of the file.
            XCTAssertLessThan(reader.otherLines, reader.scenes.count + 4 + count / 500, name)
        }
    }
}
