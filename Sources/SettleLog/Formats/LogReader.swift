internal import Settle

/// The encodings of event logs.
public enum LogFormat: String, Hashable, Sendable, CaseIterable {
    /// The contract's JSON Lines.
    case jsonl
    /// The binary encoding of `docs/log-format.md`.
    case settle
    /// Text that a Wayland client prints under `WAYLAND_DEBUG=1`.
    case waylandDebug = "wayland-debug"
    /// The text of `xev`.
    case xev
    /// A terminal recording, asciicast version 2 or 3.
    case asciicast
    /// A web page's recording.
    case rrweb
}

/// One encoding's reader. A `read` that throws has put everything before the fault
/// into the batch; the next `read` goes on behind the fault, if the format allows.
protocol FormatReader: AnyObject {
    var header: LogHeader { get }
    var scenes: SceneNames { get }
    /// What the log could not tell, in sentences; complete at the end of the log.
    var notes: [String] { get }
    /// The log's end was reached without an index that lists what was read. Only the
    /// binary encoding has one.
    var lacksEnd: Bool { get }
    /// Appends events to the batch; false when the log is at its end.
    func read(into batch: EventBatch) throws(LogError) -> Bool
}

extension FormatReader {
    var lacksEnd: Bool { true }
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

    /// Opens a log; `-` is standard input. The content tells the format, then the
    /// file name's extension; `format` overrides both.
    public convenience init(path: String, format: LogFormat? = nil) throws(LogError) {
        try self.init(ByteInput(path: path), format: format)
    }

    /// Reads a stream that is still being written: JSON Lines or the binary encoding,
    /// as its first byte says. Waits for the header. Nothing behind a fault is read, and
    /// the stream is held to bounds that keep the reader's memory small.
    public convenience init(stream input: ByteInput) throws(LogError) {
        try self.init(input, format: LogFormat.detectStream(input), isStream: true)
    }

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
        switch self.format {
        case .jsonl: reader = try JSONLinesReader(input, isStream: isStream)
        case .settle: reader = try BinaryReader(input, isStream: isStream)
        case .waylandDebug: reader = WaylandDebugReader(input)
        case .xev: reader = XevReader(input)
        case .asciicast: reader = try AsciicastReader(input)
        case .rrweb: reader = RrwebReader(input)
        }
    }

    /// The file's name as it was given.
    public var name: String { input.name }
    /// Which file is read, `nil` for a pipe.
    public var file: FileIdentity? { input.file }
    public var header: LogHeader { reader.header }
    public var scenes: SceneNames { reader.scenes }
    /// What the format could not tell, in sentences; complete once `read` returned false.
    public var notes: [String] { reader.notes }
    /// Whether the log came to an end without an index that lists what was read, so that
    /// nobody knows whether events are missing. Known once `read` returned false. Always
    /// so of a text log, as one that was cut between two lines looks whole.
    public var lacksEnd: Bool { reader.lacksEnd }
    /// How much was read and how much there is, in bytes; the latter is `nil` for a pipe.
    public var progress: (read: UInt64, of: UInt64?) { (input.offset, input.length) }

    /// Replaces the batch's events by the next ones; false at the end of the log.
    ///
    /// At a fault, what stands before it is returned first, then the fault is
    /// thrown. Reading on is allowed: it goes on behind the fault where the format
    /// can, and else finds the end.
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
        }
        return true
    }
}
