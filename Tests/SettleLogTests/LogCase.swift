import Foundation
import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// A log in one shape or several, and what is read of each: a case of Tests/Cases/logs.
struct LogCase {
    var place: String
    var name = "log"
    var logs: [[UInt8]] = [[]]
    var format: String?
    var events: [String] = []
    var faults: [String] = []
    var notes: [String] = []

    private static let folder = Recordings.folder.deletingLastPathComponent().appending(path: "Cases/logs")

    static func all() throws -> [LogCase] {
        try Recordings.cases(of: "logs").flatMap { file -> [LogCase] in
            let text = try String(contentsOf: file, encoding: .utf8)
            return try text.components(separatedBy: "\n\n").flatMap { block -> [LogCase] in
                let lines = block.split(separator: "\n").filter { $0.first != "#" }
                guard let name = lines.first, lines.count > 1 else { return [] }
                return try parsed(lines.dropFirst(), place: "\(file.lastPathComponent): \(name)")
            }
        }
    }

    private static func parsed(_ lines: ArraySlice<Substring>, place: String) throws -> [LogCase] {
        var (cases, one, isAnswered): ([LogCase], LogCase, Bool) = ([], LogCase(place: place), false)
        for line in lines {
            let rest = String(line.dropFirst(2))
            let isAnswer = "=!-*".contains(line.first!)
            if isAnswered, !isAnswer {
                cases.append(one)
                one = LogCase(place: "\(place): \(rest)")
            }
            isAnswered = isAnswer
            let log = one.logs.count - 1
            switch line.first! {
            case "|": one.logs[log] += CasePair.controlCharacters(in: rest).utf8 + [0x0A]
            case "\\": one.logs[log] += CasePair.controlCharacters(in: rest).utf8
            case "+": one.logs[log] += [UInt8](repeating: UInt8(ascii: "x"), count: try XCTUnwrap(Int(rest)))
            case "<": one.logs[log] += try Data(contentsOf: folder.appending(path: rest))
            case "&": one.logs.append([])
            case "@": one.name = rest
            case "~": one.format = rest
            case "=" where line.count > 1: one.events += rest.components(separatedBy: "; ")
            case "=": break
            case "!", "-": one.faults.append(String(line))
            case "*": one.notes.append(rest)
            default: XCTFail("\(place): \(line)")
            }
        }
        return cases + [one]
    }
}

extension LogError {
    var said: String { [position?.description, problem].compactMap(\.self).joined(separator: ": ") }
}

extension LogReader {
    /// All that is read, and each fault: `- ` what was skipped, `! ` what ends the log.
    func drain() -> (events: [String], faults: [String]) {
        var (events, faults): ([String], [String]) = ([], [])
        let batch = EventBatch()
        reportsSkipped = true
        while true {
            do throws(LogError) {
                guard try read(into: batch) else { return (events, faults) }
            } catch {
                faults.append((hasSkippedLast ? "- " : "! ") + error.said)
                if faults.count > 100 { return (events, faults) }
                continue
            }
            for index in 0..<batch.count {
                let event = batch[index]
                events.append(drawn(event, scene: event.kind == .pointer ? "" : scenes[event.name]))
            }
        }
    }
}
