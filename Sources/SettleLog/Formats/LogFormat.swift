/// A format of event logs. `LogFormat.allCases` is the list of all that this module reads:
/// detection, `--format`, help texts and error messages follow from it.
///
/// To add a format, write its reader and its `LogFormat` value in a file of their own, and
/// add the value to `allCases`.
public struct LogFormat: Sendable {
    /// The name in options, messages and `settle info`, for example `xev`.
    public let name: String
    /// The file name extensions, without the dot, that select the format if the content does
    /// not show it.
    public let fileExtensions: [String]
    /// The bytes that a log of a binary format begins with; empty for a text format.
    let magic: [UInt8]
    /// Whether a line is one that this format's logs begin with, and no other's.
    let recognizes: @Sendable (OpeningLine) -> Bool
    /// Opens a log: a file or, with `isStream`, a live stream with the bounds of one.
    let makeReader: @Sendable (ByteInput, _ isStream: Bool) throws(LogError) -> any FormatReader
    private let writer: (@Sendable (ByteOutput, LogHeader) throws(LogError) -> any LogWriting)?

    /// Every format. The first that recognizes a line is the log's.
    public static let allCases: [LogFormat] = [.jsonl, .settle, .waylandDebug, .xev, .rrweb, .asciicast]

    /// A format that others write.
    ///
    /// - Parameters:
    ///   - recognizes: Asked for each of a log's first lines that no earlier format recognized.
    ///   - makeReader: Opens a log.
    init(
        importer name: String, fileExtensions: [String] = [], recognizes: @escaping @Sendable (OpeningLine) -> Bool,
        makeReader: @escaping @Sendable (ByteInput) throws(LogError) -> any FormatReader
    ) {
        self.name = name
        self.fileExtensions = fileExtensions
        self.recognizes = recognizes
        self.makeReader = { input, _ throws(LogError) in try makeReader(input) }
        magic = []
        writer = nil
    }

    /// One of our own encodings, which are also written and sent as live streams.
    init(
        encoding name: String, fileExtensions: [String], magic: [UInt8] = [],
        recognizes: @escaping @Sendable (OpeningLine) -> Bool,
        makeReader: @escaping @Sendable (ByteInput, Bool) throws(LogError) -> any FormatReader,
        makeWriter: @escaping @Sendable (ByteOutput, LogHeader) throws(LogError) -> any LogWriting
    ) {
        self.name = name
        self.fileExtensions = fileExtensions
        self.magic = magic
        self.recognizes = recognizes
        self.makeReader = makeReader
        writer = makeWriter
    }
}

extension LogFormat {
    /// Whether `makeWriter` can write the format: true for our own encodings.
    public var canBeWritten: Bool { writer != nil }

    /// The format of this name, `nil` if there is none.
    public init?(named name: String) {
        guard let known = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = known
    }

    /// Whether a file's name has one of the format's extensions.
    public func matches(path: String) -> Bool { fileExtensions.contains { path.hasSuffix("." + $0) } }

    /// A writer whose header is already in the output.
    ///
    /// - Throws: `.malformed` for a header that the format cannot hold; `.io` when writing
    ///   fails.
    /// - Precondition: `canBeWritten`.
    public func makeWriter(_ output: ByteOutput, header: LogHeader) throws(LogError) -> any LogWriting {
        guard let writer else { preconditionFailure("logs of the format \(name) cannot be written") }
        return try writer(output, header)
    }
}

extension LogFormat: Hashable, CaseIterable, CustomStringConvertible {
    public static func == (a: LogFormat, b: LogFormat) -> Bool { a.name == b.name }

    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    public var description: String { name }
}
