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

    static let version: UInt64 = 1

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
                header = try Self.header(line, lines)
            } catch {
                throw lines.fault("the header cannot be read: \(error.problem)")
            }
            return
        }
        throw lines.fault("the log is empty; its first line must be \(Self.exampleHeader)", .truncated)
    }

    private static let exampleHeader = #"{"settle":"events","version":1,…}"#

    private static func header(_ line: UnsafeRawBufferPointer, _ lines: LineInput) throws(JSONFault) -> LogHeader {
        var header = LogHeader()
        var content = ""
        var version: UInt64?
        var scanner = JSONScanner(line)
        try scanner.members { scanner, key throws(JSONFault) in
            if key.isText("settle") {
                content = try scanner.string()
            } else if key.isText("version") {
                version = try scanner.integer(upTo: .max)
            } else if key.isText("clock") {
                header.clock = try scanner.string()
            } else if key.isText("unit") {
                header.unit = try scanner.string()
            } else if key.isText("source") {
                header.source = try scanner.string()
            } else if key.isText("name") {
                header.name = try scanner.string()
            } else if key.isText("policy") {
                header.policy = try policy(&scanner)
            } else {
                try scanner.skipValue()
            }
        }
        guard scanner.isAtEnd else { throw JSONFault(problem: "something follows the header's object") }
        guard content == "events", let version else {
            throw JSONFault(problem: "this is no event log's header; the first line must be \(exampleHeader)")
        }
        guard version == Self.version else {
            throw JSONFault(problem: "version \(version) is not known here; this program reads version \(Self.version)")
        }
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

    private static func policy(_ scanner: inout JSONScanner) throws(JSONFault) -> Policy {
        do throws(JSONFault) {
            return try Policy(&scanner)
        } catch {
            throw JSONFault(problem: "policy: \(error.problem)")
        }
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
                        UnsafeMutableRawPointer(events.baseAddress)?.assumingMemoryBound(to: settle_log_event.self),
                        events.count, &used)
                }
                return (count, used)
            }
            return count
        }
    }

    /// What a line's keys said; `nil` for a key that was absent.
    private struct Fields {
        var at: UInt64?
        var kind = LogEvent.Kind.geometry
        var scene: SceneNumber?
        var width: Double?
        var height: Double?
        var resizing: Bool?
        var locked: Bool?
        var orientation: InterfaceOrientation?
        var button: UInt64?
        var pressed: Bool?
    }

    /// A line's event, `nil` for a line of spaces.
    private func event(_ line: UnsafeRawBufferPointer) throws(JSONFault) -> LogEvent? {
        var scanner = JSONScanner(line)
        if scanner.isAtEnd { return nil }
        var fields = Fields()
        try scanner.members { scanner, key throws(JSONFault) in try readValue(of: key, from: &scanner, into: &fields) }
        guard scanner.isAtEnd else { throw JSONFault(problem: "something follows the event's object") }
        return try event(fields)
    }

    @inline(__always)
    private func readValue(
        of key: UnsafeRawBufferPointer, from scanner: inout JSONScanner, into fields: inout Fields
    ) throws(JSONFault) {
        if key.isText("t_ns") {
            fields.at = try scanner.integer(upTo: Timestamp.latest.nanoseconds)
        } else if key.isText("scene") {
            fields.scene = try scene(&scanner)
        } else if key.isText("width") {
            fields.width = try scanner.double()
        } else if key.isText("height") {
            fields.height = try scanner.double()
        } else if key.isText("resizing") {
            fields.resizing = try scanner.bool()
        } else if key.isText("kind") {
            fields.kind = try scanner.bytes { text throws(JSONFault) in try Self.kind(text) }
        } else if key.isText("locked") {
            fields.locked = try scanner.bool()
        } else if key.isText("orientation") {
            fields.orientation = try Self.orientation(scanner.string())
        } else if key.isText("button") {
            fields.button = try scanner.integer(upTo: UInt64(UInt32.max))
        } else if key.isText("pressed") {
            fields.pressed = try scanner.bool()
        } else {
            if notes.isEmpty, key.isText("w") || key.isText("h") {
                notes = [
                    #"Line \#(lines.number) has the key "w" or "h", which is ignored: a size is "width" and "height"."#
                ]
            }
            try scanner.skipValue()
        }
    }

    private func scene(_ scanner: inout JSONScanner) throws(JSONFault) -> SceneNumber {
        let number = try scanner.bytes { name in
            name.count <= SceneNames.nameLengthMax ? scenes.number(ofUTF8: name) : nil
        }
        if let number { return number }
        if let problem = scenes.fullProblem { throw JSONFault(problem: problem) }
        throw JSONFault(problem: "a scene's name must be valid UTF-8 of at most \(SceneNames.nameLengthMax) bytes")
    }

    private static func kind(_ text: UnsafeRawBufferPointer) throws(JSONFault) -> LogEvent.Kind {
        if text.isText("geometry") { return .geometry }
        if text.isText("pointer") { return .pointer }
        if text.isText("connect") { return .connect }
        if text.isText("disconnect") { return .disconnect }
        throw JSONFault(
            problem:
                "unknown kind \"\(String(decoding: text, as: UTF8.self))\"; known are geometry, connect, disconnect and pointer"
        )
    }

    private static func orientation(_ text: String) throws(JSONFault) -> InterfaceOrientation {
        if let known = InterfaceOrientation(logName: text) { return known }
        let names = InterfaceOrientation.allCases.map(\.logName).joined(separator: ", ")
        throw JSONFault(problem: "unknown orientation \"\(text)\"; known are \(names)")
    }

    private func event(_ fields: Fields) throws(JSONFault) -> LogEvent {
        guard let nanoseconds = fields.at else { throw JSONFault(problem: #""t_ns" is missing"#) }
        let at = Timestamp(nanoseconds: nanoseconds)
        if fields.kind == .pointer {
            guard let button = fields.button else { throw JSONFault(problem: #""button" is missing"#) }
            guard let pressed = fields.pressed else { throw JSONFault(problem: #""pressed" is missing"#) }
            return .pointer(button: UInt32(button), isPressed: pressed, at: at)
        }
        guard let scene = fields.scene else { throw JSONFault(problem: #""scene" is missing"#) }
        if fields.kind == .connect { return .connect(scene, at: at) }
        if fields.kind == .disconnect { return .disconnect(scene, at: at) }
        guard (fields.width == nil) == (fields.height == nil) else {
            throw JSONFault(problem: fields.width == nil ? #""height" without "width""# : #""width" without "height""#)
        }
        var size: Size?
        if let width = fields.width, let height = fields.height { size = Size(width: width, height: height) }
        return .geometry(
            scene, at: at, size: size, isInteractivelyResizing: fields.resizing,
            isInterfaceOrientationLocked: fields.locked, orientation: fields.orientation)
    }
}

extension InterfaceOrientation {
    /// The contract's word for it.
    package var logName: String {
        switch self {
        case .portrait: "portrait"
        case .portraitUpsideDown: "portraitUpsideDown"
        case .landscapeLeft: "landscapeLeft"
        case .landscapeRight: "landscapeRight"
        }
    }

    init?(logName: String) {
        guard let known = Self.allCases.first(where: { $0.logName == logName }) else { return nil }
        self = known
    }
}

extension LogFormat {
    /// The contract's JSON Lines.
    public static let jsonl = LogFormat(
        encoding: "jsonl", fileExtensions: ["jsonl"],
        recognizes: { line in line.object.map { $0.has("settle") || $0.has("t_ns") } ?? false },
        makeReader: { input, isStream throws(LogError) in try JSONLinesReader(input, isStream: isStream) },
        makeWriter: { output, header throws(LogError) in try JSONLinesWriter(output, header: header) })

    /// The same with one parser for all lines, for tests and benchmarks that compare the two ways.
    @_spi(Careful) public static let carefulJSONL = LogFormat(
        encoding: "jsonl", fileExtensions: [], recognizes: { _ in false },
        makeReader: { input, isStream throws(LogError) in
            try JSONLinesReader(input, isStream: isStream, isFast: false)
        },
        makeWriter: { output, header throws(LogError) in try JSONLinesWriter(output, header: header) })
}
