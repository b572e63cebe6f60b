internal import CSettle

/// A format of event logs. `LogFormat.allCases` is the list of all that this module reads:
/// detection, `--format`, help texts and error messages follow from it.
///
/// To add a format, give it a number, a name and how its first lines look in `log/format.c`,
/// write its reader and its `LogFormat` value in a file of their own, and add the value to
/// `allCases`.
public struct LogFormat: Sendable {
    /// The format's number in C, whose `settle_log_format_detect` recognizes it.
    let number: Int32
    /// Opens a log: a file or, with `isStream`, a live stream with the bounds of one.
    let makeReader: @Sendable (ByteInput, _ isStream: Bool) throws(LogError) -> any FormatReader
    private let writer: (@Sendable (ByteOutput, LogHeader) throws(LogError) -> any LogWriting)?

    /// Every format.
    public static let allCases: [LogFormat] = [
        .jsonl, .settle, .waylandDebug, .xev, .rrweb, .asciicast, .script, .ttyrec,
    ]

    /// A format that others write.
    init(
        _ number: settle_log_format,
        makeReader: @escaping @Sendable (ByteInput) throws(LogError) -> any FormatReader
    ) {
        self.number = number.rawValue
        self.makeReader = { input, _ throws(LogError) in try makeReader(input) }
        writer = nil
    }

    /// One of our own encodings, which are also written and sent as live streams.
    init(
        _ number: settle_log_format,
        makeReader: @escaping @Sendable (ByteInput, Bool) throws(LogError) -> any FormatReader,
        makeWriter: @escaping @Sendable (ByteOutput, LogHeader) throws(LogError) -> any LogWriting
    ) {
        self.number = number.rawValue
        self.makeReader = makeReader
        writer = makeWriter
    }
}

extension LogFormat {
    /// The name in options, messages and `settle info`, for example `xev`.
    public var name: String { String(cString: settle_log_format_name(number)) }

    /// The file name extension, without the dot, that selects the format if the content does
    /// not show it; `nil` for none.
    public var fileExtension: String? { settle_log_format_extension(number).map { String(cString: $0) } }
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
    public func matches(path: String) -> Bool { fileExtension.map { path.hasSuffix("." + $0) } ?? false }

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
    public static func == (a: LogFormat, b: LogFormat) -> Bool { a.number == b.number }

    public func hash(into hasher: inout Hasher) { hasher.combine(number) }

    public var description: String { name }
}
