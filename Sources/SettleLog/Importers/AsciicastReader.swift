internal import CSettle
internal import FoundationEssentials
internal import Settle

/// Reads a terminal recording, asciicast version 2 or 3, as specified at
/// https://docs.asciinema.org/manual/asciicast/v2/ and …/v3/.
///
/// The first line is a header with the terminal's size. Each line after it is
/// `[time, code, data]`. The code `r` is a new size; its data is `COLSxROWS`. In version 2,
/// the time is in seconds since the start; in version 3, since the previous event. Version 3
/// also allows comments.
final class AsciicastReader: FormatReader {
    let header: LogHeader
    let scenes = SceneNames()
    let notes = [
        "A terminal recording does not say when the user was resizing, and has no pointer. Its sizes are in"
            + " character cells."
    ]
    private let lines: LineInput
    private let timing: Timing
    private var first: LogEvent?
    /// The header's line.
    private let firstLine: Int
    private var count = ForeignCount("lines of a recording")
    private var elapsedNanoseconds: UInt64 = 0

    private enum Timing {
        case sinceStart
        case sinceLastEvent
    }

    /// The longest time in seconds. In nanoseconds it is below 2^63.
    private static let secondsMax = 9e9
    /// The most Unicode scalars of the title that become the log's name.
    private static let nameLength = 1024

    init(_ input: ByteInput) throws(LogError) {
        lines = LineInput(input)
        let line = try Self.headerLine(lines)
        firstLine = lines.number
        let described = try? JSONDecoder().decode(CastHeader.self, from: Data(line))
        var version = described?.version
        if described == nil { version = try Self.versionOverLines(line, lines) }
        guard let version else {
            throw lines.fault(
                #"no asciicast header, which is an object with a "version"; versions 2 and 3 are read"#,
                lines.isLastAndUnfinished ? .truncated : .malformed)
        }
        timing = try Self.timing(of: version, lines)
        guard let described else {
            throw lines.fault(
                "the header of version \(version) is not one line of JSON",
                lines.isLastAndUnfinished ? .truncated : .malformed)
        }
        guard let size = described.size else { throw lines.fault("the header does not state the terminal's size") }
        // The length of a log's header is bounded, that of a recording's title is not.
        let name = String(String.UnicodeScalarView((described.title ?? "").unicodeScalars.prefix(Self.nameLength)))
        header = LogHeader(clock: "monotonic", unit: "cell", source: "asciicast", name: name)
        first = .geometry(scenes.number(of: "terminal"), at: Timestamp(nanoseconds: 0), size: size)
    }

    var foreign: ForeignCount? { count }

    func read(into batch: EventBatch) throws(LogError) -> Bool {
        if let first, !batch.isFull {
            batch.append(first, at: .line(firstLine))
            self.first = nil
        }
        while !batch.isFull {
            // Return the events that have arrived before waiting for more: a pipe may be live.
            guard let line = try lines.next(waiting: batch.count == 0) else { return !lines.isAtEnd }
            if line.isEmpty || timing == .sinceLastEvent && line[0] == 0x23 { continue }
            let resize = try resize(line)
            count.known += 1
            guard let resize else { continue }
            batch.append(resize, at: .line(lines.number))
        }
        return true
    }

    private static func timing(of version: CastVersion, _ lines: LineInput) throws(LogError) -> Timing {
        switch version {
        case .number(2): return .sinceStart
        case .number(3): return .sinceLastEvent
        case .number(1): throw lines.fault("asciicast version 1 has no resize events; versions 2 and 3 are read")
        case .number(3...):
            throw lines.fault("asciicast version \(version) is newer than those read here, 2 and 3", .newerVersion)
        case .number: throw lines.fault("asciicast version \(version) is unknown; versions 2 and 3 are read")
        case .text:
            throw lines.fault("the header's version is \(version), which is unknown; the numbers 2 and 3 are read")
        }
    }

    /// The first line that is neither blank nor a comment.
    private static func headerLine(_ lines: LineInput) throws(LogError) -> UnsafeRawBufferPointer {
        while true {
            let line: UnsafeRawBufferPointer?
            do throws(LogError) {
                line = try lines.next()
            } catch {
                guard error.kind == .malformed else { throw error }
                throw lines.fault("\(error.problem), so it is probably asciicast version 1, which has no resize events")
            }
            guard let line else {
                throw LogError(
                    .truncated, file: lines.bytes.name, "the file is empty, an asciicast starts with a header")
            }
            if line.contains(where: { ![0x20, 0x09].contains($0) }), line[0] != 0x23 { return line }
        }
    }

    /// The version in a header of several lines, as version 1 is usually written.
    private static func versionOverLines(
        _ first: UnsafeRawBufferPointer, _ lines: LineInput
    ) throws(LogError) -> CastVersion? {
        guard first.first == UInt8(ascii: "{") else { return nil }
        var line: UnsafeRawBufferPointer? = first
        for _ in 0..<headerLinesMax {
            guard let bytes = line else { return nil }
            var text = TextScanner(bytes)
            text.skipSpaces()
            _ = text.skip("{") || text.skip(",")
            text.skipSpaces()
            if text.skip("\"version\"") {
                text.skipSpaces()
                guard text.skip(":") else { return nil }
                text.skipSpaces()
                return text.unsigned().map { .number(Double($0)) }
            }
            line = try lines.next()
        }
        return nil
    }

    /// Keys may be in any order, and the output is one of them.
    private static let headerLinesMax = 1 << 16

    /// The event of a line, `nil` if it is not a new size.
    private func resize(_ line: UnsafeRawBufferPointer) throws(LogError) -> LogEvent? {
        if let interval = Self.timeOfOther(line), !lines.isLastAndUnfinished || line.last == UInt8(ascii: "]") {
            if timing == .sinceLastEvent { try advance(Double(String(decoding: interval, as: UTF8.self))) }
            return nil
        }
        guard let entry = try? JSONDecoder().decode(CastEntry.self, from: Data(line)) else {
            throw lines.fault("not [time, code, data]", lines.isLastAndUnfinished ? .truncated : .malformed)
        }
        try advance(entry.seconds)
        guard entry.code == "r" else { return nil }
        guard let size = entry.data.flatMap(Self.size) else { throw lines.fault("the new size is not COLSxROWS") }
        return .geometry(scenes.number(of: "terminal"), at: Timestamp(nanoseconds: elapsedNanoseconds), size: size)
    }

    private func advance(_ seconds: Double?) throws(LogError) {
        guard let seconds, seconds >= 0, seconds <= Self.secondsMax else {
            throw lines.fault("the time is not between 0 and \(Int(Self.secondsMax)) seconds")
        }
        let timeNanoseconds = UInt64((seconds * 1e9).rounded())
        guard timing == .sinceLastEvent else {
            elapsedNanoseconds = timeNanoseconds
            return
        }
        guard Double(elapsedNanoseconds) + Double(timeNanoseconds) <= Self.secondsMax * 1e9 else {
            throw lines.fault("the times add up to more than \(Int(Self.secondsMax)) seconds")
        }
        elapsedNanoseconds += timeNanoseconds
    }

    /// The time of a line that certainly has no new size; `nil` if it may have one. Nearly all
    /// lines are terminal output, which thus need not be decoded as JSON.
    private static func timeOfOther(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var text = TextScanner(line)
        guard text.skip("[") else { return nil }
        text.skipSpaces()
        guard let number = text.run({ $0.isASCIIDigit || "+-.eE".utf8.contains($0) }), number.count < 32 else {
            return nil
        }
        text.skipSpaces()
        guard text.skip(",") else { return nil }
        text.skipSpaces()
        guard text.skip("\""), let code = text.identifier(), !code.isText("r"), text.skip("\"") else { return nil }
        return number
    }

    /// Parses `COLSxROWS`. Negative numbers are accepted here: the engine rejects and counts them.
    private static func size(_ data: String) -> Size? {
        var data = data
        return data.withUTF8 { bytes in
            var text = TextScanner(UnsafeRawBufferPointer(bytes))
            guard let columns = text.signed(), text.skip("x"), let rows = text.signed(), text.isAtEnd else {
                return nil
            }
            return Size(width: Double(columns), height: Double(rows))
        }
    }
}

private enum CastVersion: CustomStringConvertible {
    case number(Double)
    case text(String)

    var description: String {
        switch self {
        case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
        case .text(let text): JSONText.quoted(text)
        }
    }
}

/// The keys of the header that are used. Other keys may have any value.
private struct CastHeader: Decodable {
    let version: CastVersion?
    let title: String?
    let size: Size?

    private enum Key: String, CodingKey {
        case version, title, width, height, term, cols, rows
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        let number = try? fields.decode(Double.self, forKey: .version)
        let text = try? fields.decode(String.self, forKey: .version)
        version = number.map(CastVersion.number) ?? text.map(CastVersion.text)
        title = try? fields.decode(String.self, forKey: .title)
        // Version 3 moved the size into `term`.
        let terminal = try? fields.nestedContainer(keyedBy: Key.self, forKey: .term)
        let width = try? terminal?.decode(Double.self, forKey: .cols) ?? fields.decode(Double.self, forKey: .width)
        let height = try? terminal?.decode(Double.self, forKey: .rows) ?? fields.decode(Double.self, forKey: .height)
        if let width, let height {
            size = Size(width: width, height: height)
        } else {
            size = nil
        }
    }
}

private struct CastEntry: Decodable {
    let seconds: Double
    let code: String
    /// `nil` if it is not a string.
    let data: String?

    init(from decoder: any Decoder) throws {
        var elements = try decoder.unkeyedContainer()
        seconds = try elements.decode(Double.self)
        code = try elements.decode(String.self)
        data = try? elements.decode(String.self)
    }
}

extension LogFormat {
    /// A terminal recording, asciicast version 2 or 3.
    public static let asciicast = LogFormat(
        SETTLE_FORMAT_ASCIICAST, makeReader: { input throws(LogError) in try AsciicastReader(input) })
}
