import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// Each case of Tests/Cases/logs with its log changed a little, one way after the other: a number of all that is read
/// then is kept in Tests/Cases/logs/aftermath.txt.
final class LogAftermathTests: XCTestCase {
    /// Logs up to this length are changed.
    private static let lengthMax = 1 << 12
    /// Lines are removed, doubled and swapped at up to so many places.
    private static let placesMax = 64
    /// So many numbers are changed, each in some ways, and so many bytes.
    private static let copiesMax = 64
    /// A socket surely holds so many.
    private static let piecesMax = 200

    func testEachChangedLogIsReadAsBefore() throws {
        let cases = try LogCase.all()
        var numbers = zip(cases, cases.dropFirst() + cases.prefix(1)).map { one, next in
            (aftermath(of: one, before: next.logs[0]).number, one.place)
        }
        numbers.append((aftermathOfATypescript().number, "a typescript and its times"))
        let file = Recordings.folder.deletingLastPathComponent().appending(path: "Cases/logs/aftermath.txt")
        for fault in try Aftermath.faults(numbers, file: file) { XCTFail(fault) }
    }

    /// The times of `script` and what was printed then, each changed.
    private func aftermathOfATypescript() -> Aftermath {
        let header = "Script started on 2024-01-01 10:00:00+00:00 [TERM=\"x\" COLUMNS=\"80\" LINES=\"24\"]\n"
        let output = Array(
            (header + "abcdef\u{1B}[8;30;100tghi\u{1B}[8;9;9t\u{1B}[8;40;120tlast words\nScript done\n").utf8)
        let times = Array("0.5 4\n\n1.25 9\n0.000001 3\n0.999999999 12\n3600.5 1\nno times\n1.5 40\n".utf8)
        var aftermath = Aftermath()
        func note(_ times: ByteInput, _ output: ByteInput) {
            let imported = drain(ScriptOutput(times, output: output))
            let events = zip(imported.times, imported.events).map { "\($0) \($1)" }
            aftermath.note((events + imported.faults.map(\.said) + imported.notes).joined(separator: "\n"))
        }
        for times in [times] + Self.changed(times) {
            note(ByteInput(bytes: times, name: "times"), ByteInput(bytes: output, name: "typescript"))
        }
        for output in [output] + Self.changed(output) {
            note(ByteInput(bytes: times, name: "times"), ByteInput.pieces(output, of: 7, name: "typescript"))
        }
        return aftermath
    }

    func testAnAftermathHasWhatTheCaseDoesNotSay() {
        let log = "[1.000] xdg_toplevel@7.configure(1, 1, array[0])\n[2.000] xdg_toplevel@7.configure(2, 2, array[0])\n"
        let (one, other) = (Array(log.utf8), Array((log + "\n").utf8))
        XCTAssertEqual(Self.read(ByteInput(bytes: one, name: "log")), Self.read(ByteInput(bytes: other, name: "log")))
        XCTAssertNotEqual(
            aftermath(of: LogCase(place: "", logs: [one])).number,
            aftermath(of: LogCase(place: "", logs: [other])).number)
    }

    func testAnotherNumberAndOneWithoutATitleAreFound() {
        let lines = ["1 a", "2 b"]
        XCTAssertEqual(Aftermath.differences(lines, "1 a\n2 b\n", isWhole: true), [])
        XCTAssertEqual(Aftermath.differences(["2 b"], "1 a\n2 b\n", isWhole: false), [])
        for text in ["1 a\n3 b\n", "1 a\n2 bb\n", "2 b\n1 c\n", "1 a\n2 b\n3 c\n", "1 a\n"] {
            XCTAssertNotEqual(Aftermath.differences(lines, text, isWhole: true), [], text)
        }
    }

    /// The log's alone, in pieces and changed; and with another one behind it, and between its lines.
    private func aftermath(of one: LogCase, before next: [UInt8] = []) -> Aftermath {
        var aftermath = Aftermath()
        for log in one.logs {
            aftermath.note(Self.read(ByteInput(bytes: log, name: one.name)))
            guard log.count <= Self.lengthMax else { continue }
            for count in [1, 7, 33] where log.count / count < Self.piecesMax {
                aftermath.note(Self.read(ByteInput.pieces(log, of: count, name: one.name)))
            }
            for copy in Self.changed(log) + [log + next, Self.mixed(log, next)] {
                aftermath.note(Self.read(ByteInput(bytes: copy, name: one.name)))
            }
        }
        return aftermath
    }

    private static func read(_ input: ByteInput) -> String {
        do throws(LogError) {
            let reader = try LogReader(input)
            let (events, faults) = reader.drain()
            return ([reader.format.name] + events + faults + reader.notes).joined(separator: "\n")
        } catch {
            return "! " + error.said
        }
    }

    private static func changed(_ log: [UInt8]) -> [[UInt8]] {
        let lines = log.split(separator: 0x0A, omittingEmptySubsequences: false)
        func joined(_ change: (inout [ArraySlice<UInt8>]) -> Void) -> [UInt8] {
            var lines = lines
            change(&lines)
            return Array(lines.joined(separator: [0x0A]))
        }
        var copies: [[UInt8]] = []
        for place in stride(from: 0, to: lines.count, by: max(1, lines.count / placesMax)) {
            copies.append(joined { $0.remove(at: place) })
            copies.append(joined { $0.insert($0[place], at: place) })
            if place + 1 < lines.count { copies.append(joined { $0.swapAt(place, place + 1) }) }
        }
        let numbers = log.indices.filter { isDigit(log[$0]) && ($0 == 0 || !isDigit(log[$0 - 1])) }
        for (count, start) in each(copiesMax, of: numbers).enumerated() {
            let end = log[start...].firstIndex { !isDigit($0) } ?? log.count
            let digits = log[start..<end]
            let texts = ["0", "1", "-1", "4294967296", "99999999999999999999", "1e3", "\(end - start)5"]
            for text in [texts[count % 7], texts[(count + 3) % 7]] {
                copies.append(Array(log[..<start] + Array(text.utf8) + log[end...]))
            }
            // The next number of as many digits, and the one before.
            for change in [1, -1] where (0x31...0x38).contains(digits.last!) {
                var copy = log
                copy[end - 1] = UInt8(Int(copy[end - 1]) + change)
                copies.append(copy)
            }
        }
        for (count, place) in each(copiesMax, of: Array(log.indices)).enumerated() {
            var copy = log
            switch count % 4 {
            case 0: copy[place] ^= 1
            case 1: copy.remove(at: place)
            case 2: copy.insert(copy[place], at: place)
            default: copy = Array(copy[..<place])
            }
            copies.append(copy)
        }
        return copies
    }

    private static func mixed(_ log: [UInt8], _ other: [UInt8]) -> [UInt8] {
        let (lines, others) = (log.split(separator: 0x0A), other.split(separator: 0x0A))
        return (0..<max(lines.count, others.count)).flatMap {
            lines.dropFirst($0).prefix(1) + others.dropFirst($0).prefix(1)
        }
        .flatMap { $0 + [0x0A] }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// So many of them, far apart.
    private static func each(_ most: Int, of all: [Int]) -> [Int] {
        stride(from: 0, to: all.count, by: max(1, all.count / most)).map { all[$0] }
    }
}
