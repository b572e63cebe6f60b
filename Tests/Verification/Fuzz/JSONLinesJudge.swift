import Foundation
import Settle
@_spi(Careful) import SettleLog

/// A JSON Lines log, whatever its bytes: beside what every reader promises, a line that
/// is accepted is JSON to Foundation as well, and says the same.
enum JSONLinesJudge {
    static func run(_ bytes: [UInt8]) {
        ReaderJudge(.jsonl).run(bytes)
        let log = Reading(bytes, .jsonl)
        let careful = Reading(bytes, .carefulJSONL)
        demand(log.events == careful.events, "plain lines are read as all others are")
        demand(all(log.names) == all(careful.names), "names are numbered the same either way")
        demand(log.faults == careful.faults, "the faults are the same either way")
        // Without a header, or of another encoding, no line was read.
        if log.faults.contains(where: { $0.position == nil }) { return }
        var faulty: Set<Int> = []
        for case .line(let number)? in log.faults.map(\.position) { faulty.insert(number) }

        var events = log.events[...]
        var isHeader = true
        for (number, line) in lines(bytes) {
            if faulty.contains(number) {
                if isHeader { return }
                continue
            }
            guard let object = JSONObject(line) else {
                return demand(
                    false, "a line that is accepted is JSON: \(number) \(String(decoding: line, as: UTF8.self))")
            }
            defer { isHeader = false }
            if isHeader {
                demand(object.says("name", log.header.name, orNothing: true), "the header's name is the line's")
                continue
            }
            guard let event = events.popFirst() else { return demand(false, "a line is an event: \(number)") }
            demand(object.says(event, log.names), "an event is what its line says: \(number) \(event)")
        }
        demand(events.isEmpty, "an event has a line: \(events)")
    }

    private static func all(_ names: SceneNames) -> [[UInt8]] {
        (0..<names.count).map { Array(names[SceneNumber(rawValue: UInt32($0))].utf8) }
    }

    /// The lines that are neither blank nor comments, counted from 1.
    private static func lines(_ bytes: [UInt8]) -> [(Int, ArraySlice<UInt8>)] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        return text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
            .map { ($0 + 1, $1) }
            .filter { _, line in
                line.first != UInt8(ascii: "#") && !line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            }
    }
}

/// A line as Foundation reads it.
private struct JSONObject {
    private let values: [String: Any]
    /// Numbers were made smaller: Foundation refuses those that no Double can hold.
    private let hasOtherNumbers: Bool

    init?(_ line: ArraySlice<UInt8>) {
        if let values = Self.parsed(line) {
            (self.values, hasOtherNumbers) = (values, false)
        } else if let values = Self.parsed(Self.withSmallNumbers(line)[...]) {
            (self.values, hasOtherNumbers) = (values, true)
        } else {
            return nil
        }
    }

    private static func parsed(_ line: ArraySlice<UInt8>) -> [String: Any]? {
        (try? JSONSerialization.jsonObject(with: Data(line))) as? [String: Any]
    }

    /// The same line with exponents of zeros and with at most 15 digits in a row.
    private static func withSmallNumbers(_ line: ArraySlice<UInt8>) -> [UInt8] {
        var out: [UInt8] = []
        var isInString = false
        var isEscaped = false
        var isExponent = false
        var digits = 0
        for byte in line {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == 0x5C {
                    isEscaped = true
                } else if byte == 0x22 {
                    isInString = false
                }
                out.append(byte)
                continue
            }
            isInString = byte == 0x22
            let isDigit = (0x30...0x39).contains(byte)
            if !isDigit { isExponent = byte | 0x20 == 0x65 || isExponent && (byte == 0x2B || byte == 0x2D) }
            digits = isDigit ? digits + 1 : 0
            if digits <= 15 { out.append(isDigit && isExponent ? 0x30 : byte) }
        }
        return out
    }

    /// By bytes: to Swift's `==`, an é of one scalar is one of two.
    func says(_ key: String, _ text: String, orNothing: Bool = false) -> Bool {
        guard let value = values[key] as? String else { return orNothing }
        return value.utf8.elementsEqual(text.utf8)
    }

    private func says(_ key: String, _ number: Double?) -> Bool {
        guard let number, !hasOtherNumbers else { return true }
        guard let value = values[key] as? NSNumber else { return false }
        // Foundation reads many digits as a decimal number, whose double is not the nearest.
        if value is NSDecimalNumber { return abs(value.doubleValue - number) <= abs(number) * 1e-14 }
        return value.doubleValue == number
    }

    func says(_ event: LogEvent, _ names: SceneNames) -> Bool {
        guard says("t_ns", Double(event.at.nanoseconds)) else { return false }
        if event.kind == .pointer { return says("button", Double(event.button)) }
        guard says("scene", names[event.name]) else { return false }
        if let (generation, cost) = event.build {
            let nanoseconds = Double(cost.wholeNanoseconds)
            return says("generation", Double(generation))
                && (nanoseconds == 0x1p53 || says("cost_ns", nanoseconds))
        }
        return says("width", event.size?.width) && says("height", event.size?.height)
    }
}
