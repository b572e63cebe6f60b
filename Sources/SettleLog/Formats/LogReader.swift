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
    /// Appends events to the batch; false at the log's end.
    func read(into batch: EventBatch) throws(LogError) -> Bool
}

extension FormatReader {
    var lacksEnd: Bool { true }
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
        try ForeignContent.check(input)
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
    public var notes: [String] { reader.notes }
    /// Whether the log ended without an index that lists what was read, so that events may be
    /// missing. True until `read` returned false. Always true for a text log, as one that was
    /// cut between two lines looks whole.
    public var lacksEnd: Bool { reader.lacksEnd }
    /// The bytes read so far, and the input's length in bytes, `nil` for a pipe.
    public var progress: (read: UInt64, of: UInt64?) { (input.offset, input.length) }

    /// Replaces the batch's events by the next ones.
    ///
    /// - Returns: False at the log's end.
    /// - Throws: At a fault, after the events before it were returned. The next call
    ///   continues after the fault if the format allows, and otherwise returns false.
    public func read(into batch: EventBatch) throws(LogError) -> Bool {
        batch.removeAll()
        while batch.count == 0 {
            if let fault {
                self.fault = nil
                throw fault
            }
            if ended { return false }
            do {
                if try !reader.read(into: batch) { ended = true }
            } catch {
                fault = error
                if case .io = error.kind { ended = true }
            }
            if !dropped.isEmpty { batch.remove(dropped) }
        }
        return true
    }
}
