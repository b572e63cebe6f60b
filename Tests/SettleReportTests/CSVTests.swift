import Foundation
import Settle
import SettleLog
import TestSupport
import XCTest

@testable import SettleReport

/// Tables of events and decisions.
final class CSVTests: XCTestCase {
    /// The fields of RFC 4180's text; `nil` for text that is not.
    private func rows(_ bytes: [UInt8]) -> [[String]]? {
        var (rows, row, field): ([[String]], [String], [UInt8]) = ([], [], [])
        var (isQuoted, position) = (false, 0)
        func end() {
            row.append(String(decoding: field, as: UTF8.self))
            field = []
        }
        while position < bytes.count {
            let byte = bytes[position]
            let next = position + 1 < bytes.count ? bytes[position + 1] : 0
            position += 1
            if isQuoted {
                if byte != 0x22 {
                    field.append(byte)
                } else if next == 0x22 {
                    (field, position) = (field + [0x22], position + 1)
                } else {
                    isQuoted = false
                }
            } else if byte == 0x22 {
                if !field.isEmpty { return nil }
                isQuoted = true
            } else if byte == 0x2C {
                end()
            } else if byte == 0x0D {
                if next != 0x0A { return nil }
                end()
                rows.append(row)
                (row, position) = ([], position + 1)
            } else if byte == 0x0A {
                return nil
            } else {
                field.append(byte)
            }
        }
        return isQuoted || !row.isEmpty || !field.isEmpty ? nil : rows
    }

    private func table(_ bytes: [UInt8]) throws -> [[String: String]] {
        let rows = try XCTUnwrap(rows(bytes))
        XCTAssertEqual(rows.first, CSVWriter.columns)
        return rows.dropFirst().map { row in
            XCTAssertEqual(row.count, CSVWriter.columns.count)
            return Dictionary(uniqueKeysWithValues: zip(CSVWriter.columns, row))
        }
    }

    private static let eventKinds = Set(LogEvent.Kind.allCases.map { "\($0)" })

    private func event(_ row: [String: String], _ scenes: SceneNames) throws -> LogEvent {
        let at = Timestamp(nanoseconds: try XCTUnwrap(UInt64(row["t_ns"] ?? "")))
        let name = scenes.number(of: row["scene"] ?? "")
        switch row["kind"] {
        case "connect": return .connect(name, at: at)
        case "disconnect": return .disconnect(name, at: at)
        case "pointer":
            return .pointer(
                button: try XCTUnwrap(UInt32(row["button"] ?? "")), at: at, isPressed: row["pressed"] == "true")
        case "finished":
            return .finished(
                name, at: at, generation: try XCTUnwrap(UInt32(row["generation"] ?? "")),
                cost: .nanoseconds(try XCTUnwrap(Int64(row["cost_ns"] ?? ""))))
        case "previewed":
            return .previewed(
                name, at: at, generation: try XCTUnwrap(UInt32(row["generation"] ?? "")),
                cost: .nanoseconds(try XCTUnwrap(Int64(row["cost_ns"] ?? ""))), isKept: row["kept"] == "true")
        default:
            let size =
                try row["width"] == ""
                ? nil
                : Size(
                    width: XCTUnwrap(Double(row["width"] ?? "")), height: XCTUnwrap(Double(row["height"] ?? "")))
            return .geometry(
                name, at: at, size: size, isInteractivelyResizing: Bool(row["resizing"] ?? ""),
                isInterfaceOrientationLocked: Bool(row["locked"] ?? ""),
                orientation: InterfaceOrientation.allCases.first { $0.logName == row["orientation"] })
        }
    }

    private func check(_ events: [LogEvent], _ scenes: SceneNames, _ policy: Policy, _ name: String) throws
        -> [Expected]
    {
        let table = try table(exported("csv", events, scenes, policy: policy))
        let isEvent = { (row: [String: String]) in Self.eventKinds.contains(row["kind"] ?? "") }
        let copies = try table.filter(isEvent).map { try event($0, scenes) }
        XCTAssertEqual(copies.count, events.count, name)
        for (copy, event) in zip(copies, events) {
            // Text does not keep the bits of what is no number.
            if event.size?.width.isNaN == true || event.size?.height.isNaN == true { continue }
            if copy != event { XCTFail("\(name): \(copy) is not \(event)") }
        }
        return table.filter { !isEvent($0) }.map { row in
            let size =
                row["width"] == "" ? "" : "\(Size(width: Double(row["width"]!)!, height: Double(row["height"]!)!))"
            return Expected(
                at: UInt64(row["t_ns"]!)!, scene: row["scene"]!, kind: row["kind"]!, size: size, reason: row["reason"]!)
        }
    }

    func testTheRowsAreTheLogsEventsAndTheReplaysDecisions() throws {
        for name in Recordings.names where name != "w06_weston_long" {
            let log = try recording(name)
            let decisions = try check(log.events, log.scenes, .default, name)
            XCTAssertEqual(decisions, try replayed(LogReader(path: Recordings.log(name))).decisions, name)
        }
    }

    func testRandomLogsReadBack() throws {
        var decisions = 0
        for seed: UInt64 in 0..<300 {
            let (events, scenes, policy) = randomLog(seed)
            decisions += try check(events, scenes, policy, "seed \(seed)").count
        }
        XCTAssertGreaterThan(decisions, 2_000)
    }

    func testHostileNamesReadBack() throws {
        let (events, scenes) = hostileLog()
        let table = try table(exported("csv", events, scenes))
        let names = table.filter { $0["kind"] == "geometry" }.map { Array($0["scene"]!.utf8) }
        XCTAssertEqual(names, hostileNames.map { Array($0.utf8) })
    }

    func testTheCheckFindsWhatIsNoTable() {
        XCTAssertNil(rows(Array("a,b\n".utf8)))
        XCTAssertNil(rows(Array("a,b".utf8)))
        XCTAssertNil(rows(Array("a\"b\",c\r\n".utf8)))
        XCTAssertEqual(rows(Array("\"a\"\"\r\n\",b\r\n".utf8)), [["a\"\r\n", "b"]])
    }

    func testAFieldIsQuotedForEachOfItsReasons() {
        for (field, quoted) in [
            ("a\rb", "\"a\rb\""), ("a\nb", "\"a\nb\""), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""),
            ("a;b 'c'", "a;b 'c'"),
        ] { XCTAssertEqual(CSVWriter.quoted(field), quoted) }
    }

    /// Whole numbers have a short way of their own up to where JSON's exponent begins.
    func testEachLengthIsThatOfJSON() {
        for length in [0, 0.5, 1, 1.5, 99_999, 1e14, 1e15 - 1, 1e15, 1e16, 12345e15, 1e18, 1e19, 1e300] {
            var text = ExportText()
            text.add(length: length)
            XCTAssertEqual(String(decoding: text.bytes, as: UTF8.self), JSONText.length(length))
        }
    }
}
