import Foundation
import Settle
import SettleLog
import TestSupport
import XCTest

@testable import SettleReport

/// A log in memory.
func reader(_ text: String, name: String = "test.jsonl") throws -> LogReader {
    try LogReader(ByteInput(bytes: Array(text.utf8), name: name))
}

func recording(_ name: String) throws -> ReportLog { try ReportLog(LogReader(path: Recordings.log(name))) }

/// A JSON Lines log of lines after the header.
func log(_ lines: String...) -> String {
    (["{\"settle\":\"events\",\"version\":1}"] + lines).joined(separator: "\n") + "\n"
}

/// The decisions of a replay, in the contract's words.
func replayed(_ reader: LogReader, policy: Policy = .default, window: ReplayWindow = ReplayWindow()) throws
    -> (decisions: [Expected], summary: ReplaySummary)
{
    let replay = try LogReplay(reader, policy: policy, window: window)
    var decisions: [Expected] = []
    while try replay.readNext() { replay.submit { decisions.append(Expected($0, $1)) } }
    replay.finish { decisions.append(Expected($0, $1)) }
    return (decisions, replay.summary)
}

/// A decision as an export shows it.
struct Expected: Equatable {
    var at: UInt64
    var scene: String
    var kind: String
    var size: String
    var reason: String

    init(at: UInt64, scene: String, kind: String, size: String, reason: String) {
        (self.at, self.scene, self.kind, self.size, self.reason) = (at, scene, kind, size, reason)
    }

    init(_ decision: Decision, _ scene: String) {
        let fields = DecisionFields(decision)
        self.init(
            at: decision.at.nanoseconds, scene: scene, kind: fields.kind,
            size: fields.size.map { "\($0)" } ?? "", reason: fields.reason ?? "")
    }
}

/// Names that would be markup, control a terminal, or end a string or a field.
let hostileNames = [
    "</script><script>alert(1)</script>", "<!--<script>", "a&amp;b", "\u{2028}\u{2029}", "\u{1B}[2J", "\"quoted\"",
    "comma, and\r\nlines", "]]>", "\\u003c", "=1+1", "\u{202E}right", "\u{FFFE}\u{FFFF}", "é", "e\u{301}", "",
]

/// A log with an event of each name.
func hostileLog() -> (events: [LogEvent], scenes: SceneNames) {
    let scenes = SceneNames()
    let events = hostileNames.enumerated().map { number, name in
        LogEvent.geometry(
            scenes.number(of: name), at: Timestamp(nanoseconds: UInt64(number) * 1_000_000),
            size: Size(width: 100, height: 50.5))
    }
    return (events, scenes)
}

func hostileReport() -> ReportLog {
    var log = ReportLog(name: "<b>&\u{1B}.jsonl", unreadable: LogError(.malformed, file: "x", "made up"))
    (log.events, log.scenes) = hostileLog()
    log.header = LogHeader(clock: "<i>", unit: "&", source: "\"", name: "</title>")
    return log
}

/// The bytes that a body writes into an output.
func written(_ body: (ByteOutput) throws -> Void) throws -> [UInt8] {
    let folder = TemporaryFolder()
    let output = try ByteOutput(path: folder.file("out"))
    try body(output)
    try output.finish()
    return Array(try Data(contentsOf: URL(fileURLWithPath: folder.file("out"))))
}

/// The bytes of an export, written in batches of a few events.
func exported(
    _ name: String, _ events: [LogEvent], _ scenes: SceneNames, policy: Policy = .default, batch: Int = 7
) throws -> [UInt8] {
    let folder = TemporaryFolder()
    let output = try ByteOutput(path: folder.file("out"))
    let export = try XCTUnwrap(LogExport(named: name))
    let writer = try export.makeWriter(
        output, LogExportInput(log: "a \"log\"", header: LogHeader(name: "name"), policy: policy))
    let events = events[...]
    for start in stride(from: 0, to: events.count, by: batch) {
        let part = EventBatch()
        for event in events[start..<min(start + batch, events.count)] { part.append(event, at: .line(0)) }
        try writer.write(part, scenes: scenes)
    }
    try writer.finish()
    return Array(try Data(contentsOf: URL(fileURLWithPath: folder.file("out"))))
}

/// What of a random stream can stand in a log.
func randomLog(_ seed: UInt64) -> (events: [LogEvent], scenes: SceneNames, policy: Policy) {
    let stream = RandomStream(seed: seed)
    let scenes = SceneNames()
    let events = stream.actions.compactMap { action -> LogEvent? in
        guard case .event(let event) = action, event.at <= .latest else { return nil }
        return LogEvent(event, name: scenes.number(of: "scene \(event.scene.rawValue)"))
    }
    return (events, scenes, stream.policy)
}
