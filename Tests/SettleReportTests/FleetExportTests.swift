import Foundation
import Settle
import SettleLog
import TestSupport
import XCTest

@testable import SettleReport

/// A fleet's export: what is read is what a page has, and whatever is wrong is one line with its key.
final class FleetExportTests: XCTestCase {
    /// An export that `Tests/Verification/Report/fleet_sample.py` makes of the recordings.
    private let sample: [UInt8] = {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Verification/Report/fleet.json")
        return Array((try? Data(contentsOf: path)) ?? Data())
    }()

    private func object(_ bytes: [UInt8]) throws -> [String: Any] {
        try XCTUnwrap(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    private func export(_ bytes: [UInt8]) throws -> FleetExport {
        try FleetExport(ByteInput(bytes: bytes, name: "fleet.json"))
    }

    /// The sample with a change, as bytes.
    private func changed(_ change: (inout [String: Any]) throws -> Void) throws -> [UInt8] {
        var json = try object(sample)
        try change(&json)
        return Array(try JSONSerialization.data(withJSONObject: json))
    }

    /// The sample with a change of its second cohort.
    private func changedCohort(_ key: String, _ value: Any?) throws -> [UInt8] {
        try changed { json in
            var cohorts = try XCTUnwrap(json["cohorts"] as? [[String: Any]])
            cohorts[1][key] = value
            json["cohorts"] = cohorts
        }
    }

    /// The fault of an export, in words; empty if it has none.
    private func fault(_ bytes: [UInt8]) -> String {
        do {
            _ = try export(bytes)
            return ""
        } catch { return "\(error)" }
    }

    func testAPageHasTheWholeExport() throws {
        let text = try written { try FleetPage(export(sample)).writeData(to: $0) }
        let data = try object(text)
        XCTAssertEqual(Set(data.keys), ["settle", "version", "generator", "name", "policy", "logs", "fleet"])
        XCTAssertEqual(data["settle"] as? String, "report")
        XCTAssertEqual(data["name"] as? String, "fleet.json")
        XCTAssertEqual((data["logs"] as? [Any])?.count, 0)
        let (fleet, expected) = (try XCTUnwrap(data["fleet"] as? NSDictionary), try object(sample) as NSDictionary)
        XCTAssertGreaterThan((expected["cohorts"] as? [Any])?.count ?? 0, 4)
        XCTAssertEqual(fleet, expected)
        XCTAssertEqual(data["policy"] as? NSDictionary, (expected["policies"] as? [NSDictionary])?[0])
        // The comparison finds one number that differs.
        XCTAssertNotEqual(fleet, try object(changedCohort("events", 1)) as NSDictionary)
    }

    /// What is alike in the sample has its own place too.
    func testAPageHasEachNumberInItsPlace() throws {
        let bytes = try changed { json in
            json["today"] = 1
            (json["sessions"], json["damaged"]) = (1001, 1002)
            var cohorts = try XCTUnwrap(json["cohorts"] as? [[String: Any]])
            for index in cohorts.indices {
                for (number, key) in ["sessions", "events", "damaged"].enumerated() {
                    cohorts[index][key] = 10 * index + number
                }
                cohorts[index]["everyChange"] = ["rebuilds": 100 + index, "wasted": 200 + index]
                cohorts[index]["debounce"] = ["rebuilds": 300 + index, "wasted": 400 + index]
            }
            json["cohorts"] = cohorts
        }
        let data = try object(written { try FleetPage(export(bytes)).writeData(to: $0) })
        let expected = try object(bytes)
        XCTAssertEqual(data["fleet"] as? NSDictionary, expected as NSDictionary)
        XCTAssertEqual(data["policy"] as? NSDictionary, (expected["policies"] as? [NSDictionary])?[1])
        XCTAssertNotEqual(data["policy"] as? NSDictionary, (expected["policies"] as? [NSDictionary])?[0])
    }

    /// From a pipe it may come byte by byte, also within a word, and behind a mark.
    func testAnExportIsKnownFromWhateverHasArrived() throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let beginnings: [(text: String, isExport: Bool)] = [
            (#"{"settle":"fleet","version":1}"#, true),
            (#"{"version":1,"none":null,"no":false,"more":[true,{"settle":"events"}],"settle":"fleet"}"#, true),
            (#"{ "settle" : "fleet", "x": 1}"#, true), (#"{"settle":"events","version":1}"#, false),
            (#"{"t_ns":1,"scene":"a"}"#, false), (#"["settle","fleet"]"#, false), ("no log", false),
        ]
        for (text, isExport) in beginnings {
            for bytes in [Array(text.utf8), mark + text.utf8] {
                for count in [1, 2, 3, 7, bytes.count] {
                    let input = try piped(bytes, by: count)
                    let content = try FleetContent(input)
                    XCTAssertEqual(content == .export, isExport, "\(text) by \(count)")
                    XCTAssertEqual(Array(try input.peek(bytes.count)), bytes, "\(text) by \(count)")
                }
            }
        }
    }

    /// An input that has so many bytes more each time it is read.
    private func piped(_ bytes: [UInt8], by count: Int) throws -> ByteInput {
        var ends: [Int32] = [-1, -1]
        XCTAssertEqual(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends), 0)
        for start in stride(from: 0, to: bytes.count, by: count) {
            let piece = bytes[start...].prefix(count)
            XCTAssertEqual(piece.withUnsafeBytes { write(ends[0], $0.baseAddress, $0.count) }, piece.count)
        }
        close(ends[0])
        return ByteInput(descriptor: ends[1], name: "pipe", ownsDescriptor: true)
    }

    func testUnknownKeysAreIgnoredAndOneCohortNeedsNoTotal() throws {
        let bytes = try changed { json in
            json["more"] = ["deep": [1, "x"]]
            json["cohorts"] = [try XCTUnwrap(json["cohorts"] as? [Any])[0]]
            json["total"] = nil
        }
        let read = try export(bytes)
        XCTAssertEqual(read.cohorts.count, 1)
        XCTAssertNil(read.total)
        let empty = try export(changed { $0["cohorts"] = [Any]() })
        XCTAssertEqual(empty.cohorts.count, 0)
        let data = try object(written { try FleetPage(empty).writeData(to: $0) })
        XCTAssertEqual(((data["fleet"] as? [String: Any])?["cohorts"] as? [Any])?.count, 0)
    }

    /// Exports that were written before have none.
    func testWhatIsKeptMayBeMissing() throws {
        XCTAssertEqual(try export(sample).cohorts[1].unexercised.first, "firstDelay")
        XCTAssertEqual(try export(changedCohort("unexercised", nil)).cohorts[1].unexercised, [])
    }

    func testAnOpenLagIsTheLongest() throws {
        let front = try export(sample).cohorts[1].front
        XCTAssertGreaterThan(front.count, 1)
        var lags = try export(sample).cohorts[1].figures[4]
        lags[front[0]] = -1
        XCTAssertEqual(try export(changedCohort("p95_ns", lags)).cohorts[1].front, front)
    }

    func testAFaultNamesTheKey() throws {
        let number = try export(sample).policies.count
        let cases: [([UInt8], String)] = [
            (try changed { $0["generator"] = nil }, "generator is missing"),
            (try changed { $0["settle"] = "events" }, "settle is 'events'"),
            (try changed { $0["today"] = number }, "today is \(number); there are \(number) policies"),
            (try changed { $0["today"] = -1 }, "today is -1; it must be a whole number"),
            (try changed { $0["sessions"] = 0.5 }, "sessions is 0.5; it must be a whole number"),
            (try changed { $0["sessions"] = "9" }, "sessions: expected a number"),
            (try changed { $0["damaged"] = 1e17 }, "damaged is 100000000000000000; it must be a whole number"),
            (try changed { $0["policies"] = [Any]() }, "policies has no policy"),
            (try changed { $0["policies"] = [["quietDelay": "fast"]] }, "policies[0]: quietDelay is 'fast'"),
            (try changed { $0["policies"] = [["quiet": "1s"]] }, "policies[0]: quiet is no duration of a policy"),
            (try changed { $0["policies"] = 5 }, "policies must be a list"),
            (try changed { $0["columns"] = [1] }, "columns[0] must be a string"),
            (try changed { $0["columns"] = ["platform"] }, "cohorts[0].cohort has 2 values; columns has 1"),
            (try changed { $0["cohorts"] = [5] }, "cohorts[0] must be an object"),
            (try changed { $0["total"] = nil }, "total is missing"),
            (try changed { $0["total"] = 5 }, "total must be an object"),
            (
                try changed { json in
                    var total = try XCTUnwrap(json["total"] as? [String: Any])
                    total["knee"] = 3
                    json["total"] = total
                }, "total.knee is 3, which is not in its front"
            ),
            (try changedCohort("knee", 3), "cohorts[1].knee is 3, which is not in its front"),
            (
                try changedCohort("unexercised", ["quiet"]),
                "cohorts[1].unexercised[0] is 'quiet', which is no duration of a policy"
            ),
            (try changedCohort("unexercised", 5), "cohorts[1].unexercised must be a list"),
            (try changedCohort("front", [Any]()), "cohorts[1].front has no policy"),
            (try changedCohort("front", [number]), "cohorts[1].front[0] is \(number); there are \(number) policies"),
            (try changedCohort("front", [0, 20]), "cohorts[1].front[1] is no better than the one before it"),
            (try changedCohort("wasted", [1, 2]), "cohorts[1].wasted has 2 numbers; there are \(number) policies"),
            (try changedCohort("p95_ns", nil), "cohorts[1].p95_ns is missing"),
            (try changedCohort("p95_ns", [-2]), "cohorts[1].p95_ns[0] is -2; it must be a whole number from -1"),
            (try changedCohort("rebuilds", [-1]), "cohorts[1].rebuilds[0] is -1; it must be a whole number from 0"),
            (try changedCohort("cohort", [1, 2]), "cohorts[1].cohort[0] must be a string"),
            (try changedCohort("debounce", ["rebuilds": 1]), "cohorts[1].debounce.wasted is missing"),
            (sample + Array("{}".utf8), "something follows the fleet's object"),
            (Array(#"{"settle":"fleet","settle":"fleet"}"#.utf8), "settle is given twice"),
            (Array("[]".utf8), "the export must be an object"), ([], "the export must be an object"),
        ]
        for (bytes, problem) in cases {
            let found = fault(bytes)
            XCTAssert(found.hasPrefix("fleet.json: \(problem)"), "\(found) is not \(problem)")
            XCTAssertFalse(found.contains("\n"))
        }
        XCTAssertEqual(fault(sample), "")
    }

    func testANewerExportIsNamedSo() throws {
        // What else is newer is not looked at.
        let newer = Array(#"{"settle":"fleet","version":2,"policies":"elsewhere"}"#.utf8)
        XCTAssertThrowsError(try export(newer)) { error in
            XCTAssertEqual((error as? LogError)?.kind, .newerVersion)
            XCTAssertEqual(
                "\(error)",
                "fleet.json: the fleet's export has version 2; this program reads version 1, so use a newer one")
        }
        XCTAssertThrowsError(try export(try changed { $0["version"] = 0 })) { error in
            XCTAssertEqual((error as? LogError)?.kind, .malformed)
        }
    }

    func testNoCutOrChangedByteIsMoreThanAFault() throws {
        for end in stride(from: 0, to: sample.count - 1, by: 401) {
            XCTAssertNotEqual(fault(Array(sample[..<end])), "", "cut at \(end)")
        }
        var random = SplitMix64(seed: 1)
        var faults = 0
        for _ in 0..<100 {
            var bytes = sample
            bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            if fault(bytes) != "" { faults += 1 }
        }
        XCTAssertGreaterThan(faults, 30)
    }

    func testAFleetIsRecognizedByItsContent() throws {
        func content(_ bytes: [UInt8]) throws -> FleetContent? {
            try FleetContent(ByteInput(bytes: bytes, name: "any"))
        }
        let pretty = try JSONSerialization.data(withJSONObject: object(sample), options: .prettyPrinted)
        for bytes in [sample, [0xEF, 0xBB, 0xBF] + sample, Array(" \n\t".utf8) + sample, Array(sample.prefix(40))] {
            XCTAssertEqual(try content(bytes), .export)
        }
        XCTAssertEqual(fault([0xEF, 0xBB, 0xBF] + sample), "")
        XCTAssertEqual(fault(Array(pretty)), "")
        XCTAssertEqual(try content(Array("PAR1\u{15}".utf8)), .parquet)
        let others = [
            [], Array("PAR".utf8), Array("{}".utf8), Array(#"{"settle":5}"#.utf8), Array(#"["settle","fleet"]"#.utf8),
            Array(#"{"settle":"events","x":{"settle":"fleet"}}"#.utf8), Array("settle fleet".utf8),
        ]
        for bytes in others { XCTAssertNil(try content(bytes), String(decoding: bytes, as: UTF8.self)) }
        for name in Recordings.names {
            XCTAssertNil(try FleetContent(ByteInput(path: Recordings.log(name))), name)
        }
        // From a pipe it takes no more bytes than show it.
        for (start, expected) in [
            ("{\"settle\":\"fleet\"", FleetContent.export), ("PAR1", .parquet), ("{\"settle\":\"events\"", nil),
            ("xe", nil), (" [", nil), ("{\"version\": 2}", nil), ("{\"settle\" nonsense", nil),
        ] {
            let pipe = Pipe()
            let input = ByteInput(
                descriptor: pipe.fileHandleForReading.fileDescriptor, name: start, ownsDescriptor: false)
            var left = Array(start.utf8)[...]
            var waits = false
            input.willRead = { _ in
                guard let byte = left.popFirst() else {
                    waits = true
                    return pipe.fileHandleForWriting.closeFile()
                }
                pipe.fileHandleForWriting.write(Data([byte]))
            }
            XCTAssertEqual(try FleetContent(input), expected, start)
            XCTAssertFalse(waits, start)
        }
        // A log is read from its beginning afterwards.
        let input = try ByteInput(path: Recordings.log("w04_mutter"))
        XCTAssertNil(try FleetContent(input))
        XCTAssertEqual(try ReportLog(LogReader(input)).events.count, try recording("w04_mutter").events.count)
    }

    func testNoValueLeavesTheScript() throws {
        let bytes = try changed { json in
            var cohorts = try XCTUnwrap(json["cohorts"] as? [[String: Any]])
            for (number, name) in hostileNames.enumerated() where number + 1 < hostileNames.count {
                cohorts[number % cohorts.count]["cohort"] = [name, hostileNames[number + 1]]
            }
            json["cohorts"] = cohorts
            json["columns"] = [hostileNames[0], hostileNames[1]]
            json["generator"] = "<&>"
        }
        let hostile = try FleetExport(ByteInput(bytes: bytes, name: "</script>.json"))
        let text = String(decoding: try written { try FleetPage(hostile).writeData(to: $0) }, as: UTF8.self)
        for forbidden in ["<", ">", "&", "\u{2028}", "\u{2029}"] {
            XCTAssertFalse(text.unicodeScalars.contains(forbidden.unicodeScalars.first!), forbidden.debugDescription)
        }
        let fleet = try object(Array(text.utf8))["fleet"] as? NSDictionary
        XCTAssertEqual(fleet, try object(bytes) as NSDictionary)
    }

    func testAFrontsLagsFallAndAnExportMayBeginWithMuchElse() throws {
        let cohort = try export(sample).cohorts[1]
        var lags = cohort.figures[4]
        lags[cohort.front[1]] = lags[cohort.front[0]]
        XCTAssert(
            fault(try changedCohort("p95_ns", lags)).contains("cohorts[1].front[1] is no better than the one before it")
        )
        let much = String(repeating: "x", count: 5000)
        let late = Array("{\"generator\":\"\(much)\",\"settle\":\"fleet\"}".utf8)
        XCTAssertEqual(try FleetContent(ByteInput(bytes: late, name: "any")), .export)
    }
}
