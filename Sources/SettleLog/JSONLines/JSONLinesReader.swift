internal import CSettle
internal import Settle

/// Reads the contract's JSON Lines encoding.
final class JSONLinesReader: FormatReader {
    private(set) var header = LogHeader()
    let scenes: SceneNames
    private(set) var notes: [String] = []
    private let lines: LineInput
    /// Whether the plain lines go through the C function, which finds in them what `event` does.
    private let isFast: Bool
    /// How many lines `event` read.
    private(set) var otherLines = 0

    /// Reads the header, the first line that is not a comment.
    ///
    /// - Parameters:
    ///   - isStream: Whether the bounds of a live stream hold.
    ///   - isFast: Whether to read plain lines faster; false for tests that compare the two ways.
    init(_ input: ByteInput, isStream: Bool = false, isFast: Bool = true) throws(LogError) {
        self.isFast = isFast
        lines = LineInput(input, isStream: isStream)
        scenes = SceneNames(isStream: isStream)
        while let line = try lines.next() {
            var scanner = JSONScanner(line)
            if line.first == UInt8(ascii: "#") || scanner.isAtEnd { continue }
            do throws(JSONFault) {
                header = try Self.header(line)
            } catch {
                throw lines.fault("the header cannot be read: \(error.problem)")
            }
            return
        }
        throw lines.fault("the log is empty; its first line must be \(Self.exampleHeader)", .truncated)
    }

    private static let exampleHeader = #"{"settle":"events","version":1,…}"#

    private static func header(_ line: UnsafeRawBufferPointer) throws(JSONFault) -> LogHeader {
        var scanner = JSONScanner(line)
        let read = try scanner.header()
        var header = LogHeader()
        if read.clock.bytes != nil { header.clock = String(read.clock) }
        if read.unit.bytes != nil { header.unit = String(read.unit) }
        if read.source.bytes != nil { header.source = String(read.source) }
        if read.name.bytes != nil { header.name = String(read.name) }
        if read.has_policy { header.policy = Policy(read.policy) }
        // What is read can be written in either encoding.
        let length = header.line.utf8.count
        guard length <= SETTLE_LOG_METADATA_MAX else {
            throw JSONFault(
                problem:
                    "its clock, unit, source, name and policy make a header of \(length) bytes; a log's has at most"
                    + " \(SETTLE_LOG_METADATA_MAX)")
        }
        return header
    }

    func read(into batch: EventBatch) throws(LogError) -> Bool {
        while true {
            if isFast { readPlainLines(into: batch) }
            if batch.isFull { return true }
            // Return the events that have arrived before waiting for more: a pipe may be live.
            guard let line = try lines.next(waiting: batch.count == 0) else { return !lines.isAtEnd }
            guard let first = line.first, first != UInt8(ascii: "#") else { continue }
            otherLines += 1
            do throws(JSONFault) {
                if let event = try event(line) { batch.append(event, at: .line(lines.number)) }
            } catch {
                throw lines.fault(error.problem, lines.isLastAndUnfinished ? .truncated : .malformed)
            }
        }
    }

    /// Reads the buffered lines up to the next one that `event` must read: one that is faulty,
    /// unusual, at the end of the buffer or the first with a scene's name.
    private func readPlainLines(into batch: EventBatch) {
        batch.appendLines(from: lines.number + 1) { events in
            var count = 0
            lines.take { bytes in
                var used = 0
                count = scenes.withTable { names in
                    settle_log_read_json_lines(
                        bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, lines.lengthMax, names,
                        events.baseAddress, events.count, &used)
                }
                return (count, used)
            }
            return count
        }
    }

    /// A line's event, `nil` for a line of spaces.
    private func event(_ line: UnsafeRawBufferPointer) throws(JSONFault) -> LogEvent? {
        var scanner = JSONScanner(line)
        if scanner.isAtEnd { return nil }
        var read = try scanner.event()
        if read.has_short_size, notes.isEmpty {
            notes = [
                #"Line \#(lines.number) has the key "w" or "h", which is ignored: a size is "width" and "height"."#
            ]
        }
        if read.scene.bytes != nil { read.event.name = try scene(read.scene).rawValue }
        return LogEvent(read.event)
    }

    private func scene(_ name: settle_json_string) throws(JSONFault) -> SceneNumber {
        if let number = try name.withBytes({ name in scenes.number(ofUTF8: name) }) { return number }
        throw JSONFault(problem: scenes.fullProblem ?? "a scene's name is not valid UTF-8")
    }
}

extension InterfaceOrientation {
    /// The contract's word for it.
    package var logName: String {
        String(cString: settle_orientation_name(UInt32(rawValue)))
    }
}

extension LogFormat {
    /// The contract's JSON Lines.
    public static let jsonl = LogFormat(
        SETTLE_FORMAT_JSON_LINES,
        makeReader: { input, isStream throws(LogError) in try JSONLinesReader(input, isStream: isStream) },
        makeWriter: { output, header throws(LogError) in try JSONLinesWriter(output, header: header) })

    /// The same with one parser for all lines, for tests and benchmarks that compare the two ways.
    @_spi(Careful) public static let carefulJSONL = LogFormat(
        SETTLE_FORMAT_JSON_LINES,
        makeReader: { input, isStream throws(LogError) in
            try JSONLinesReader(input, isStream: isStream, isFast: false)
        },
        makeWriter: { output, header throws(LogError) in try JSONLinesWriter(output, header: header) })
}
