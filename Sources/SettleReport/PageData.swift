internal import CGeneratedPage
internal import Settle
internal import SettleLog

/// A report as a page: the page's head, the logs as JSON text, and the page's tail.
///
/// `docs/guide/reports.md` defines the JSON text. Each log is in it in the binary encoding.
struct PageData {
    private let report: Report

    init(_ report: Report) { self.report = report }

    /// Writes the page.
    ///
    /// - Throws: `.malformed` for an event that the binary encoding cannot hold; `.io` when writing
    ///   fails.
    func write(to output: ByteOutput) throws(LogError) {
        try Self.writePage(to: output) { () throws(LogError) in try writeData(to: output) }
    }

    /// Writes the page around data.
    static func writePage(to output: ByteOutput, data: () throws(LogError) -> Void) throws(LogError) {
        func write(_ part: report_page_part) throws(LogError) {
            try output.write(UnsafeRawBufferPointer(start: part.text, count: part.bytes))
        }
        try write(report_page_head())
        try data()
        try write(report_page_tail())
    }

    /// Writes the JSON text alone.
    func writeData(to output: ByteOutput) throws(LogError) {
        let generator = ScriptText.quoted("settle \(Engine.version)")
        let policy = ScriptText.escaped(report.policy.json)
        let samples = report.logs.count(where: \.isSample)
        let sampled = samples > 0 ? ",\n\"samples\":\(samples)" : ""
        try output.write(
            "{\"settle\":\"report\",\"version\":1,\"generator\":\(generator),\n\"policy\":\(policy)\(sampled),\n\"logs\":["
        )
        for (number, log) in report.logs.enumerated() {
            try output.write(number == 0 ? "\n" : ",\n")
            try output.write(Self.description(of: log))
            try output.write(",\"log\":\"")
            try Base64.write(try log.binary(), to: output)
            try output.write("\"}")
        }
        try output.write("\n]}")
    }

    /// The members of a log's object, without those of its events.
    private static func description(of log: ReportLog) -> String {
        let header = [
            ("clock", log.header.clock), ("unit", log.header.unit), ("source", log.header.source),
            ("name", log.header.name),
        ]
        let fields = [
            ("name", ScriptText.quoted(log.name)),
            ("format", log.format.map(ScriptText.quoted) ?? "null"),
            ("header", "{" + header.map { "\"\($0)\":\(ScriptText.quoted($1))" }.joined(separator: ",") + "}"),
            ("events", "\(log.events.count)"),
            ("findings", list(log.findings)),
            ("findingsCount", "\(log.findingsCount)"),
            ("fault", log.fault.map { ScriptText.quoted($0.description.escaped) } ?? "null"),
            ("notes", list(log.notes.map(\.escaped))),
        ]
        return "{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",")
    }

    private static func list(_ lines: [String]) -> String {
        "[" + lines.map(ScriptText.quoted).joined(separator: ",") + "]"
    }
}

extension ReportLog {
    /// The events in the binary encoding.
    fileprivate func binary() throws(LogError) -> [UInt8] {
        let bytes = CollectedBytes()
        let output = ByteOutput(name: name) { bytes.add($0) }
        var header = header
        // Only `settle serve` uses it.
        header.policy = nil
        let writer = try BinaryWriter(output, header: header)
        let batch = EventBatch()
        for event in events {
            batch.append(event)
            if batch.isFull {
                try writer.write(batch, scenes: scenes)
                batch.removeAll()
            }
        }
        try writer.write(batch, scenes: scenes)
        try writer.finish()
        return bytes.all
    }
}

/// The bytes of an output that is used by one thread.
private final class CollectedBytes: @unchecked Sendable {
    private(set) var all: [UInt8] = []
    func add(_ bytes: UnsafeRawBufferPointer) { all.append(contentsOf: bytes) }
}
