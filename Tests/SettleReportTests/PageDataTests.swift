import Foundation
import Settle
import SettleLog
import TestSupport
import XCTest

@testable import SettleReport

/// The data of a page: JSON text that no name can leave, with the log itself.
final class PageDataTests: XCTestCase {
    private func data(_ logs: [ReportLog], policy: Policy = .default) throws -> (text: String, json: [String: Any]) {
        let bytes = try written { try PageData(Report(logs, policy: policy)).writeData(to: $0) }
        let json = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        return (String(decoding: bytes, as: UTF8.self), try XCTUnwrap(json))
    }

    private func logs(_ json: [String: Any]) throws -> [[String: Any]] {
        try XCTUnwrap(json["logs"] as? [[String: Any]])
    }

    /// The log in the data of a page.
    private func embedded(_ log: [String: Any]) throws -> ReportLog {
        let bytes = try XCTUnwrap(Data(base64Encoded: try XCTUnwrap(log["log"] as? String)))
        return try ReportLog(LogReader(ByteInput(bytes: Array(bytes), name: "embedded")))
    }

    func testTheDataHasTheLogsEventsAndTheDocumentedKeys() throws {
        let names = ["w04_mutter", "r01_openbox_xdotool_xterm", "w12_mutter_nasty"]
        let expected = try names.map(recording)
        let (_, json) = try data(expected, policy: Policy(quietDelay: .milliseconds(123), jumpDelay: nil))
        XCTAssertEqual(Set(json.keys), ["settle", "version", "generator", "policy", "logs"])
        XCTAssertEqual(json["settle"] as? String, "report")
        XCTAssertEqual(json["version"] as? Int, 1)
        XCTAssertEqual(json["generator"] as? String, "settle \(Engine.version)")
        let policy = try XCTUnwrap(json["policy"] as? [String: Any])
        XCTAssertEqual(policy["quietDelay"] as? String, "123ms")
        XCTAssert(policy["jumpDelay"] is NSNull)
        XCTAssertEqual(policy.count, Policy.names.count)
        let logs = try logs(json)
        XCTAssertEqual(logs.count, names.count)
        for (log, expected) in zip(logs, expected) {
            XCTAssertEqual(
                Set(log.keys),
                ["name", "format", "header", "events", "findings", "findingsCount", "fault", "notes", "log"])
            XCTAssertEqual(log["name"] as? String, expected.name)
            XCTAssertEqual(log["format"] as? String, "jsonl")
            XCTAssertEqual(log["events"] as? Int, expected.events.count)
            XCTAssertEqual(log["findings"] as? [String], expected.findings)
            XCTAssert(log["fault"] is NSNull)
            let copy = try embedded(log)
            XCTAssertEqual(copy.header, expected.header)
            XCTAssertEqual(copy.findingsCount, expected.findingsCount)
            XCTAssertGreaterThan(copy.events.count, 100)
            XCTAssertEqual(copy.events.count, expected.events.count)
            for (event, original) in zip(copy.events, expected.events) {
                var original = original
                if original.kind != .pointer {
                    XCTAssertEqual(copy.scenes[event.name], expected.scenes[original.name])
                    original.name = event.name
                }
                if event != original { return XCTFail("\(event) is not \(original)") }
            }
        }
    }

    func testNoNameLeavesTheScript() throws {
        let (text, json) = try data([hostileReport()])
        for forbidden in ["<", ">", "&", "\u{2028}", "\u{2029}"] {
            XCTAssertFalse(text.unicodeScalars.contains(forbidden.unicodeScalars.first!), forbidden.debugDescription)
        }
        let log = try XCTUnwrap(try logs(json).first)
        XCTAssertEqual(log["name"] as? String, "<b>&\u{1B}.jsonl")
        XCTAssertEqual((log["header"] as? [String: String])?["name"], "</title>")
        let copy = try embedded(log)
        let names = copy.events.map { copy.scenes[$0.name] }
        XCTAssertEqual(names.map { Array($0.utf8) }, hostileNames.map { Array($0.utf8) })
    }

    func testTheCheckOfMarkupFindsUnescapedText() {
        XCTAssert(JSONText.quoted(hostileNames[0]).contains("</script>"))
        XCTAssertFalse(ScriptText.quoted(hostileNames[0]).contains("<"))
    }

    func testThePageIsTheHeadTheDataAndTheTail() throws {
        let report = Report([try recording("w04_mutter")], policy: .default)
        let page = String(decoding: try written { try PageData(report).write(to: $0) }, as: UTF8.self)
        let start = try XCTUnwrap(page.range(of: "<script type=\"application/json\" id=\"settle-data\">"))
        let end = try XCTUnwrap(page.range(of: "</script>", range: start.upperBound..<page.endIndex))
        let (text, _) = try data([try recording("w04_mutter")])
        XCTAssertEqual(String(page[start.upperBound..<end.lowerBound]), text)
        XCTAssert(page.contains("Content-Security-Policy"))
    }

    func testOfADamagedLogTheDataHasWhatIsBeforeTheFaultAndTheFaultsOfTheWholeLog() throws {
        let text = log(
            #"{"t_ns":1,"scene":"a","width":1,"height":1}"#, #"{"t_ns":2,"scene":"a","width":-1,"height":1}"#,
            "nonsense", #"{"t_ns":0,"scene":"a","width":3,"height":1}"#, "more nonsense")
        let broken = try ReportLog(reader(text))
        XCTAssertEqual(broken.events.map(\.at.nanoseconds), [1, 2])
        XCTAssertEqual(broken.findingsCount, 4)
        XCTAssertEqual(broken.findings.count, 4)
        XCTAssertEqual(broken.fault?.position, .line(4))
        let (_, json) = try data([broken])
        let log = try XCTUnwrap(try logs(json).first)
        XCTAssertEqual(log["fault"] as? String, broken.findings[1])
        XCTAssertEqual(log["findings"] as? [String], broken.findings)
        XCTAssertEqual(try embedded(log).events.count, 2)
    }

    func testFaultsAreAtMostTwentyOfAKindAndTheirNumber() throws {
        let lines = (0..<30).map { #"{"t_ns":\#(100 - $0),"scene":"a","width":1,"height":1}"# }
        let broken = try ReportLog(reader(log(lines.joined(separator: "\n"))))
        XCTAssertNil(broken.fault)
        XCTAssertEqual(broken.findingsCount, 29)
        XCTAssertEqual(broken.findings.count, 21)
        XCTAssertEqual(broken.findings.last, "test.jsonl: 29 faults: a time that goes back, the first 20 above")
    }

    func testAWindowHasTheEventsOfAReplaysWindow() throws {
        for name in ["w06_weston_long", "r06_metacity_suite"] {
            let scene = try recording(name).scenes[SceneNumber(rawValue: 0)]
            let windows = [
                ReplayWindow(scenes: [scene]), ReplayWindow(start: .seconds(3), duration: .seconds(20)),
                ReplayWindow(scenes: [scene], start: .seconds(5)), ReplayWindow(duration: .zero),
            ]
            for window in windows {
                let cut = try ReportLog(LogReader(path: Recordings.log(name)), window: window)
                let (_, json) = try data([cut])
                let bytes = try XCTUnwrap(
                    Data(base64Encoded: try XCTUnwrap(try logs(json)[0]["log"] as? String)))
                let embedded = try replayed(LogReader(ByteInput(bytes: Array(bytes), name: "embedded")))
                let expected = try replayed(LogReader(path: Recordings.log(name)), window: window)
                XCTAssertEqual(embedded.decisions, expected.decisions, "\(name) \(window)")
                XCTAssertEqual(cut.events.count, expected.summary.events, "\(name) \(window)")
            }
        }
    }

    func testOfMoreEventsThanAReportHoldsThereIsASample() throws {
        let text = log(#"{"t_ns":1,"scene":"a"}"#, #"{"t_ns":2,"scene":"a"}"#, #"{"t_ns":3,"scene":"b"}"#)
        XCTAssertFalse(try ReportLog(reader(text), eventsMax: 3).isSample)
        XCTAssertEqual(try ReportLog(reader(text), window: ReplayWindow(scenes: ["a"]), eventsMax: 2).events.count, 2)
        let sample = try ReportLog(reader(text), eventsMax: 2)
        XCTAssertTrue(sample.isSample)
        XCTAssertEqual(Set(sample.events.map(\.name)).count, 1)
        XCTAssert(try XCTUnwrap(sample.notes.last).contains("--start and --duration"))
        let whole = try data([ReportLog(reader(text))])
        XCTAssertFalse(whole.text.contains("samples"))
        XCTAssert(try data([sample, ReportLog(reader(text))]).text.contains("\n\"samples\":1,\n"))
    }

    func testBase64IsFoundations() throws {
        var random = SplitMix64(seed: 1)
        for count in Array(0...100) + [49_151, 49_152, 49_153, 100_000] {
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let text = try written { try Base64.write(bytes, to: $0) }
            XCTAssertEqual(String(decoding: text, as: UTF8.self), Data(bytes).base64EncodedString(), "\(count)")
        }
    }

    /// Of a log that another program wrote, a bad line costs itself.
    func testALineThatIsSkippedEndsNoLog() throws {
        let lines = [(1, "800, 600, array[0]"), (2, "8 10, 600, array"), (3, "820, 600, array[0]")]
        let text = lines.map { "[\(1000 + $0).000] xdg_toplevel@9.configure(\($1))\n" }.joined()
        let log = try ReportLog(LogReader(ByteInput(bytes: Array(text.utf8), name: "log")))
        XCTAssertEqual(log.events.count, 2)
        XCTAssertNil(log.fault)
        XCTAssertEqual(log.findingsCount, 1)
    }

    func testALogOfMoreThanABatchIsWhole() throws {
        var log = try recording("w04_mutter")
        let most = EventBatch.capacity + 5
        while log.events.count < most { log.events += log.events }
        log.events.removeLast(log.events.count - most)
        for index in log.events.indices { log.events[index].at = Timestamp(nanoseconds: UInt64(index)) }
        XCTAssertEqual(try embedded(XCTUnwrap(logs(data([log]).json).first)).events.count, most)
    }

    /// A log's chunks are read one after the other. The last of three is damaged, or its times go back.
    func testWhatIsBehindAWindowIsNoPartOfIt() throws {
        for isDamaged in [false, true] {
            var bytes = try written { output in
                let writer = try BinaryWriter(output, header: LogHeader(policy: .uikit))
                let scenes = SceneNames()
                let scene = scenes.number(of: "a")
                for first: UInt64 in [0, 1_000_000, 1000] {
                    let batch = EventBatch()
                    for number in 0..<UInt64(BinaryWriter.eventsPerChunk) {
                        batch.append(.connect(scene, at: Timestamp(nanoseconds: first + number % 500)))
                    }
                    try writer.write(batch, scenes: scenes)
                }
                try writer.flush()
            }
            if isDamaged { bytes[bytes.count - 100] ^= 1 }
            let window = ReplayWindow(duration: .microseconds(2))
            let log = try ReportLog(LogReader(ByteInput(bytes: bytes, name: "log")), window: window)
            XCTAssertEqual(log.events.count, BinaryWriter.eventsPerChunk)
            XCTAssertNil(log.fault)
            XCTAssertEqual(log.findingsCount > 0, true)
            XCTAssertEqual(log.span, .nanoseconds(1_000_499))
            XCTAssertEqual(log.header.policy, .uikit)
            // Only a server uses a policy, and a page has one of its own.
            XCTAssertNil(try embedded(logs(data([log]).json)[0]).header.policy)
        }
    }

    func testTextIsEscapedForAScript() {
        XCTAssertEqual(
            ScriptText.quoted("<&>\u{2028}\u{2029}\""), #""\u003c\u0026\u003e\u2028\u2029\"""#)
    }
}
