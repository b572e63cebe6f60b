/// A format's reader. A `read` that throws has appended the events before the fault; the
/// next `read` continues after the fault, if the format allows.
protocol FormatReader: AnyObject {
    /// Complete once `read` returned for the first time.
    var header: LogHeader { get }
    /// The names of the scenes of all events so far.
    var scenes: SceneNames { get }
    /// What the format could not represent, in sentences; complete at the log's end.
    var notes: [String] { get }
    /// Whether the log's end was not reached yet, or the log ended without an index that lists what
    /// was read. Only the binary encoding has an index.
    var lacksEnd: Bool { get }
    /// What others' lines were found, `nil` for our own encodings: there, a fault ends a replay.
    var foreign: ForeignCount? { get }
    /// Appends events to the batch; false at the log's end.
    func read(into batch: EventBatch) throws(LogError) -> Bool
}

extension FormatReader {
    var lacksEnd: Bool { true }
    var foreign: ForeignCount? { nil }
}

/// How much of a text that another program wrote was understood. One bad line costs itself, but a
/// text of which most is something else is probably no log of this format.
struct ForeignCount {
    /// What the format has, in the plural, for example `protocol messages`.
    let parts: String
    /// How many of these there were.
    var known = 0
    /// The lines that are none, and the first of them.
    var unknown = 0
    var firstUnknown = 0

    init(_ parts: String) { self.parts = parts }

    mutating func skip(line: Int) {
        if unknown == 0 { firstUnknown = line }
        unknown += 1
    }

    var note: String? {
        unknown == 0 ? nil : "Lines that are no \(parts) were skipped (\(unknown), the first is line \(firstUnknown))."
    }

    /// Why a log that was read to its end is none, `nil` if it is one.
    func problem(_ format: LogFormat, events: Int, faults: Int) -> String? {
        let isKnown = known >= unknown + faults
        if events > 0, isKnown { return nil }
        let all = [(parts, known), ("other lines", unknown), ("unreadable", faults)]
        let found = all.filter { $0.1 > 0 || !isKnown }.map { "\($0): \($1)" }.joined(separator: ", ")
        let first = unknown > 0 && !isKnown ? " (the first other line is line \(firstUnknown))" : ""
        if events > 0 {
            return "most of it is not of the format \(format) (\(found))\(first). Keep the lines of the format alone,"
                + " for example by grep; docs/reference/foreign-logs.md lists what is read"
        }
        if known > 0, isKnown {
            return "the log is of the format \(format), but has no size (\(found)); docs/reference/foreign-logs.md says"
                + " where sizes are"
        }
        return "no event was found by the format \(format) (\(found))\(first). If it is a log of another"
            + " format, name that with --format; docs/reference/foreign-logs.md lists what is read, and how"
    }
}

/// What a log says of the ends of interactions.
public struct LogSignals: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Pointer events.
    public static let pointer = LogSignals(rawValue: 1)
    /// Whether a scene is being resized (`resizing`), in geometry events.
    public static let flags = LogSignals(rawValue: 2)
}

/// Reads an event log of any format, batch by batch.
///
/// ```swift
/// let reader = try LogReader(path: "drag.settle")
/// let batch = EventBatch()
/// while try reader.read(into: batch) { … }
/// ```
///
/// Use it from one thread at a time.
public final class LogReader {
    public let format: LogFormat
    private let input: ByteInput
    private let reader: any FormatReader
    private var fault: LogError?
    private var ended = false
    private var events = 0
    /// What is skipped of a log that another program wrote: how many faults, and the first.
    private var skipped: (count: Int, first: LogError?) = (0, nil)
    /// Whether a fault that costs only itself is thrown as well, as for a list of all faults.
    package var reportsSkipped = false
    /// The fault that `read` threw last costs only itself: what follows it is read.
    package private(set) var hasSkippedLast = false
    /// The fault that `read` threw last is of the log as a whole, all of which was read.
    package private(set) var isOfAll = false
    /// What is left out of the events, as if the log did not have it.
    public var dropped: LogSignals = []

    /// Opens a log.
    ///
    /// - Parameters:
    ///   - path: The file; `-` is standard input.
    ///   - format: `nil` to detect it by the content, or else by the file name's extension.
    /// - Throws: `.io` when the file cannot be read; `.malformed`, `.truncated` or
    ///   `.newerVersion` for a log whose beginning cannot be read.
    public convenience init(path: String, format: LogFormat? = nil) throws(LogError) {
        try self.init(ByteInput(path: path), format: format)
    }

    /// Reads a live stream: JSON Lines or the binary encoding, detected by its first byte.
    /// Waits for the header. Reading ends at the first fault; exceeding a bound of live
    /// streams is one.
    ///
    /// - Throws: As `init(path:format:)`.
    public convenience init(stream input: ByteInput) throws(LogError) {
        try self.init(input, format: LogFormat.detectStream(input), isStream: true)
    }

    /// Reads a log from an input; see `init(path:format:)`.
    public convenience init(_ input: ByteInput, format: LogFormat? = nil) throws(LogError) {
        try self.init(input, format: format, isStream: false)
    }

    private init(_ input: ByteInput, format: LogFormat?, isStream: Bool) throws(LogError) {
        self.input = input
        try ForeignContent.check(input, unpacks: !isStream)
        if let format {
            self.format = format
        } else {
            self.format = try LogFormat.detect(input)
        }
        reader = try self.format.makeReader(input, isStream)
    }

    /// The file's name as it was given.
    public var name: String { input.name }
    /// Which file is read, `nil` for a pipe.
    public var file: FileIdentity? { input.file }
    /// The log's metadata; of some formats complete only after the first `read`.
    public var header: LogHeader { reader.header }
    /// The names of the scenes of all events so far.
    public var scenes: SceneNames { reader.scenes }
    /// What the format could not represent, in sentences; complete once `read` returned false.
    public var notes: [String] {
        guard let first = skipped.first, !reportsSkipped else { return reader.notes }
        let place = first.position.map { "\($0): " } ?? ""
        let what = "What cannot be read was skipped (\(skipped.count)), the first: \(place)\(first.problem)."
        return reader.notes + [what]
    }
    /// Whether the log ended without an index that lists what was read, so that events may be
    /// missing. True until `read` returned false. Always true for a text log, as one that was
    /// cut between two lines looks whole.
    public var lacksEnd: Bool { reader.lacksEnd }
    /// The bytes read so far, and the input's length in bytes, `nil` for a pipe.
    public var progress: (read: UInt64, of: UInt64?) { (input.offset, input.length) }

    /// Why a log of which nothing, or little, was understood is none.
    private func endFault(_ last: Int) -> LogError? {
        guard let problem = reader.foreign?.problem(format, events: events + last, faults: skipped.count) else {
            return nil
        }
        return LogError(.malformed, file: name, problem)
    }

    /// Replaces the batch's events by the next ones.
    ///
    /// - Returns: False at the log's end.
    /// - Throws: At a fault, after the events before it were returned. The next call
    ///   continues after the fault if the format allows, and otherwise returns false. Of a log that another
    ///   program wrote, what cannot be read is skipped and noted; but at its end, it is a fault if no event
    ///   was found, or if most of it is something else.
    public func read(into batch: EventBatch) throws(LogError) -> Bool {
        batch.removeAll()
        while batch.count == 0 {
            if let fault {
                self.fault = nil
                throw fault
            }
            hasSkippedLast = false
            if ended { return false }
            do throws(LogError) {
                if try !reader.read(into: batch) {
                    ended = true
                    fault = endFault(batch.count)
                    isOfAll = fault != nil
                }
            } catch {
                if case .io = error.kind { ended = true }
                if error.kind == .malformed, reader.foreign != nil {
                    if skipped.count == 0 { skipped.first = error }
                    skipped.count += 1
                    if reportsSkipped { (fault, hasSkippedLast) = (error, true) }
                } else {
                    fault = error
                }
            }
            events += batch.count
            if !dropped.isEmpty { batch.remove(dropped) }
        }
        return true
    }
}
