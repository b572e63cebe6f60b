import Foundation
import Settle
import SettleLog
import TestSupport
import XCTest

@testable import SettleReport

/// Traces in Chrome's format.
final class TraceTests: XCTestCase {
    private struct Trace {
        var entries: [[String: Any]]
        var other: [String: Any]

        init(_ bytes: [UInt8]) throws {
            let json = try XCTUnwrap(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
            entries = try XCTUnwrap(json["traceEvents"] as? [[String: Any]])
            // A Double does not keep the nanoseconds of some years.
            for key in ["ts", "dur"] {
                var numbers = String(decoding: bytes, as: UTF8.self)
                    .matches(
                        of: try Regex<(Substring, Substring, Substring)>("[^\\\\]\"\(key)\":([0-9]+)\\.([0-9]{3})[,}]")
                    )
                    .map { UInt64($0.output.1 + $0.output.2)! }[...]
                for index in entries.indices where entries[index][key] != nil {
                    entries[index][key] = try XCTUnwrap(numbers.popFirst())
                }
                XCTAssert(numbers.isEmpty)
            }
            other = try XCTUnwrap(json["otherData"] as? [String: Any])
        }

        func entries(_ phase: String, _ category: String? = nil) -> [[String: Any]] {
            entries.filter { $0["ph"] as? String == phase && (category == nil || $0["cat"] as? String == category) }
        }

        /// Nanoseconds of a key, from the log's first event.
        static func nanoseconds(_ entry: [String: Any], _ key: String = "ts") -> UInt64 {
            entry[key] as? UInt64 ?? .max
        }

        /// The names of the threads.
        var threads: [Int: String] {
            Dictionary(
                uniqueKeysWithValues: entries("M").filter { $0["name"] as? String == "thread_name" }.map {
                    ($0["tid"] as? Int ?? -1, ($0["args"] as? [String: Any])?["name"] as? String ?? "?")
                })
        }

        /// The decisions that the instants show.
        func decisions() throws -> [Expected] {
            let first = try XCTUnwrap(UInt64(try XCTUnwrap(other["first_ns"] as? String)))
            return try entries("i", "decision").map { entry in
                let arguments = try XCTUnwrap(entry["args"] as? [String: Any])
                let sides = ["width", "height"].map { (arguments[$0] as? NSNumber)?.doubleValue }
                return Expected(
                    at: first + Self.nanoseconds(entry), scene: try XCTUnwrap(threads[entry["tid"] as? Int ?? -1]),
                    kind: try XCTUnwrap(entry["name"] as? String),
                    size: sides[0].map { "\(Size(width: $0, height: sides[1] ?? -1))" } ?? "",
                    reason: arguments["reason"] as? String ?? "")
            }
        }

        /// What the format demands: phases that it knows, times that are not negative, and spans that are
        /// closed and, in a thread, lie apart or within each other.
        func faults() -> [String] {
            var faults: [String] = []
            var open: [String: Int] = [:]
            var began: [Int: UInt64] = [:]
            var spans: [Int: [(from: UInt64, to: UInt64)]] = [:]
            for entry in entries {
                let phase = entry["ph"] as? String ?? "?"
                if !["M", "B", "E", "X", "i", "C", "b", "e"].contains(phase) { faults.append("phase \(phase)") }
                if entry["pid"] as? Int == nil || entry["tid"] as? Int == nil { faults.append("no thread") }
                if !(entry["ts"] is UInt64) { faults.append("no time") }
                if phase == "M" { continue }
                let id = "\(entry["cat"] ?? "")/\(entry["id"] ?? "")"
                if phase == "b" { open[id, default: 0] += 1 }
                if phase == "e" { open[id, default: 0] -= 1 }
                if phase == "b" || phase == "e", ![0, 1].contains(open[id]) { faults.append("nested \(id)") }
                let thread = entry["tid"] as? Int ?? -1
                if phase == "B", began.updateValue(Self.nanoseconds(entry), forKey: thread) != nil {
                    faults.append("nested in \(thread)")
                }
                if phase == "E" {
                    guard let from = began.removeValue(forKey: thread), from <= Self.nanoseconds(entry) else {
                        faults.append("an end in \(thread)")
                        continue
                    }
                    spans[thread, default: []].append((from, Self.nanoseconds(entry)))
                }
                guard phase == "X" else { continue }
                if !(entry["dur"] is UInt64) { faults.append("no duration") }
                let from = Self.nanoseconds(entry)
                spans[thread, default: []].append((from, from + Self.nanoseconds(entry, "dur")))
            }
            faults += began.keys.map { "an interaction of \($0) is open" }
            faults += open.filter { $0.value != 0 }.map { "\($0.key) is open" }
            for (thread, spans) in spans {
                var around: [(from: UInt64, to: UInt64)] = []
                for span in spans.sorted(by: { ($0.from, $1.to) < ($1.from, $0.to) }) {
                    while let last = around.last, last.to <= span.from { around.removeLast() }
                    if let last = around.last, last.to < span.to {
                        faults.append("thread \(thread): \(last) overlaps \(span)")
                    }
                    around.append(span)
                }
            }
            return faults
        }
    }

    private func trace(_ log: ReportLog, policy: Policy = .default) throws -> Trace {
        try Trace(exported("trace", log.events, log.scenes, policy: policy))
    }

    func testTheInstantsAreTheReplaysDecisions() throws {
        for name in Recordings.names where name != "w06_weston_long" {
            for policy in [Policy.uikit, Policy(pauseDelay: .milliseconds(50))] {
                let trace = try trace(recording(name), policy: policy)
                let expected = try replayed(LogReader(path: Recordings.log(name)), policy: policy)
                XCTAssertEqual(trace.faults(), [], name)
                XCTAssertEqual(try trace.decisions(), expected.decisions, name)
                XCTAssertEqual(trace.entries("B", "interaction").count, expected.summary.interactions, name)
                XCTAssertEqual(trace.entries("X", "lag").count, expected.summary.rebuilds, name)
                XCTAssertEqual(trace.entries("C").count, expected.summary.everyChange, name)
            }
        }
    }

    func testRandomLogsAreBalanced() throws {
        var (open, buttons) = (0, 0)
        for seed: UInt64 in 0..<300 {
            let (events, scenes, policy) = randomLog(seed)
            let trace = try Trace(exported("trace", events, scenes, policy: policy))
            if trace.faults() != [] { return XCTFail("seed \(seed): \(trace.faults())") }
            open += trace.entries("E").count { ($0["args"] as? [String: Any])?["open"] as? Bool == true }
            buttons += trace.entries("b").count
        }
        XCTAssertGreaterThan(open, 20)
        XCTAssertGreaterThan(buttons, 200)
    }

    func testTheCheckFindsPlantedFaults() throws {
        let good = try exported("trace", recording("r06_metacity_suite").events, recording("r06_metacity_suite").scenes)
        let text = String(decoding: good, as: UTF8.self)
        XCTAssertEqual(try Trace(good).faults(), [])
        for (part, planted) in [
            (",\"ts\":0.000", ""),
            ("\"ph\":\"e\"", "\"ph\":\"b\""), ("\"dur\":", "\"duration\":"), ("\"ph\":\"X\"", "\"ph\":\"Q\""),
            ("\"ph\":\"E\"", "\"ph\":\"i\""),
        ] {
            let range = try XCTUnwrap(text.range(of: part))
            let faulty = text.replacingCharacters(in: range, with: planted)
            XCTAssertNotEqual(try Trace(Array(faulty.utf8)).faults(), [], part)
        }
    }

    func testHostileNamesAreThreads() throws {
        let (events, scenes) = hostileLog()
        let trace = try Trace(exported("trace", events, scenes))
        XCTAssertEqual(trace.faults(), [])
        let names = trace.threads.filter { $0.key > 1 }.sorted { $0.key < $1.key }.map { Array($0.value.utf8) }
        XCTAssertEqual(names, hostileNames.map { Array($0.utf8) })
    }

    func testAnEmptyLogIsAnEmptyTrace() throws {
        XCTAssertEqual(try Trace(exported("trace", [], SceneNames())).entries("X").count, 0)
    }

    /// Times are exact to the nanosecond, however large the clock's.
    func testTimesAreRelativeAndExact() throws {
        let scenes = SceneNames()
        let start: UInt64 = 1_790_000_000_123_456_789
        let events = [0, 1, 1_234_567].map { offset in
            LogEvent.geometry(
                scenes.number(of: "a"), at: Timestamp(nanoseconds: start + offset),
                size: Size(width: Double(offset + 1), height: 1))
        }
        let bytes = try exported("trace", events, scenes)
        XCTAssertEqual(try Trace(bytes).entries("C").map { Trace.nanoseconds($0) }, [0, 1, 1_234_567])
        XCTAssert(String(decoding: bytes, as: UTF8.self).contains("\"ts\":1234.567,"))
    }

    /// An event that is rejected moves no time, and the trace begins with it all the same.
    func testATraceBeginsWithItsFirstEventWhateverItIs() throws {
        let scenes = SceneNames()
        let name = scenes.number(of: "a")
        let events = [
            LogEvent.geometry(name, at: Timestamp(nanoseconds: 5_000_000), size: Size(width: -1, height: 1)),
            LogEvent.geometry(name, at: Timestamp(nanoseconds: 7_000_000), size: Size(width: 10, height: 10)),
        ]
        let bytes = try exported("trace", events, scenes)
        XCTAssert(String(decoding: bytes, as: UTF8.self).contains("\"first_ns\":\"5000000\""))
        XCTAssertEqual(try Trace(bytes).entries("C").map { Trace.nanoseconds($0) }, [2_000_000])
    }

    /// In order, also of buttons that are held at the log's end.
    func testWhatIsHeldAtTheEndIsReleased() throws {
        let scenes = SceneNames()
        let events = [3, 1, 2].enumerated().map { number, button in
            LogEvent.pointer(button: UInt32(button), at: Timestamp(nanoseconds: UInt64(number)), isPressed: true)
        }
        let trace = try Trace(exported("trace", events, scenes))
        XCTAssertEqual(trace.entries("e").compactMap { $0["name"] as? String }, ["button 1", "button 2", "button 3"])
        XCTAssertEqual(trace.entries("b").map { Trace.nanoseconds($0) }, [0, 1, 2])
        XCTAssertEqual(trace.entries("e").map { Trace.nanoseconds($0) }, [2, 2, 2])
    }

    /// The change came before the interaction in which its rebuild is live.
    func testTheLagOfALiveRebuildBeginsWithinItsInteraction() throws {
        let text = log(
            "{\"t_ns\":0,\"scene\":\"a\",\"width\":500,\"height\":400,\"resizing\":false}",
            "{\"t_ns\":95000000,\"scene\":\"a\",\"kind\":\"finished\",\"generation\":1,\"cost_ns\":20000000}",
            "{\"t_ns\":100000000,\"scene\":\"a\",\"width\":510,\"height\":400}",
            "{\"t_ns\":101000000,\"scene\":\"a\",\"resizing\":true}",
            "{\"t_ns\":400000000,\"scene\":\"a\",\"resizing\":false}")
        let (batch, source) = (EventBatch(), try reader(text))
        XCTAssertTrue(try source.read(into: batch))
        let trace = try Trace(exported("trace", (0..<batch.count).map { batch[$0] }, source.scenes, policy: .live))
        XCTAssertEqual(trace.entries("B").map { Trace.nanoseconds($0) }, [101_000_000])
        XCTAssertEqual(trace.entries("X").map { Trace.nanoseconds($0) }, [0, 101_000_000])
    }
}
