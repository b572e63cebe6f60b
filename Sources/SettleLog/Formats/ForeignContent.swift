/// Content that cannot be a log: an empty input, a compressed file, text that is not UTF-8.
/// Each is recognized by its first bytes.
enum ForeignContent {
    /// Rejects an input that cannot be a log, and skips a UTF-8 byte order mark.
    static func check(_ input: ByteInput) throws(LogError) {
        if let error = try error(input) { throw error }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if input.available[0] == mark[0], try input.require(mark.count), input.available.starts(with: mark) {
            input.consume(mark.count)
        }
    }

    /// Why an input cannot be a log, `nil` if it may be one. Waits for no more bytes than
    /// this takes, as the input may be a live stream.
    static func error(_ input: ByteInput) throws(LogError) -> LogError? {
        guard try input.require(1) else {
            return LogError(.truncated, file: input.name, "the log is empty: it has 0 bytes")
        }
        for (magic, problem) in known where magic[0] == input.available[0] {
            if try input.require(magic.count), input.available.starts(with: magic) {
                return LogError(.malformed, file: input.name, problem)
            }
        }
        guard let name = try wideText(input) else { return nil }
        return LogError(.malformed, file: input.name, wide(name))
    }

    /// The encoding of text in UTF-16 or UTF-32, `nil` for any other input. Every text log
    /// begins with an ASCII character or a byte order mark.
    private static func wideText(_ input: ByteInput) throws(LogError) -> String? {
        guard try input.require(2) else { return nil }
        switch (input.available[0], input.available[1]) {
        case (0, 1...0x7F): return "UTF-16BE"
        case (1...0x7F, 0), (0xFF, 0xFE), (0xFE, 0xFF), (0, 0): break
        default: return nil
        }
        let start = try input.require(4) ? Array(input.available[..<4]) : []
        switch (input.available[0], input.available[1]) {
        case (0xFF, 0xFE): return start.suffix(2) == [0, 0] ? "UTF-32" : "UTF-16"
        case (0xFE, 0xFF): return "UTF-16"
        case (0, 0):
            if start.suffix(2) == [0xFE, 0xFF] { return "UTF-32" }
            return start.count == 4 && start[2] == 0 && (1...0x7F).contains(start[3]) ? "UTF-32BE" : nil
        default: return start.suffix(2) == [0, 0] ? "UTF-32LE" : "UTF-16LE"
        }
    }

    private static let known: [(magic: [UInt8], problem: String)] = [
        (Array("<!DOCTYPE html>".utf8), page), (Array("<svg".utf8), "this is a picture; give the log that it shows"),
        ([0x1F, 0x8B], compressed("gzip", "gzip -dc")),
        ([0x28, 0xB5, 0x2F, 0xFD], compressed("zstd", "zstd -dc")),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], compressed("xz", "xz -dc")),
        ([0x50, 0x4B, 0x03, 0x04], "this is a ZIP archive; extract the log from it first, with 'unzip'"),
    ]

    private static let page =
        "this is a web page; give the log itself (docs/guide/reports.md says how to get the logs out of a report)"

    private static func compressed(_ name: String, _ tool: String) -> String {
        "this is compressed by \(name); decompress it first, with '\(tool)', and give - for the log to read a pipe"
    }

    private static func wide(_ name: String) -> String {
        "this is \(name.prefix(6)) text, and a log is UTF-8; convert it first, with 'iconv -f \(name) -t UTF-8'"
    }
}
