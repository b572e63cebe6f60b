/// What nobody can read as a log as it stands: nothing at all, compressed files, text that
/// is no UTF-8. Each is told by its first bytes.
enum ForeignContent {
    /// Refuses what cannot be read as it stands, and passes over a UTF-8 byte order mark.
    static func check(_ input: ByteInput) throws(LogError) {
        if let error = try error(input) { throw error }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        if input.available[0] == mark[0], try input.require(mark.count), input.available.starts(with: mark) {
            input.consume(mark.count)
        }
    }

    /// Why an input cannot be read as it stands. Waits for no more bytes than it takes to
    /// tell, as a stream may be live.
    static func error(_ input: ByteInput) throws(LogError) -> LogError? {
        guard try input.require(1) else {
            return LogError(.truncated, file: input.name, "the log is empty: it has 0 bytes")
        }
        for (magic, problem) in known where magic[0] == input.available[0] {
            if try input.require(magic.count), input.available.starts(with: magic) {
                return LogError(.malformed, file: input.name, problem)
            }
        }
        // Every text log begins with an ASCII character.
        guard try input.require(2) else { return nil }
        switch (input.available[0], input.available[1]) {
        case (1...0x7F, 0): return LogError(.malformed, file: input.name, utf16("UTF-16LE"))
        case (0, 1...0x7F): return LogError(.malformed, file: input.name, utf16("UTF-16BE"))
        default: return nil
        }
    }

    private static let known: [(magic: [UInt8], problem: String)] = [
        ([0x1F, 0x8B], compressed("gzip", "gzip -dc")),
        ([0x28, 0xB5, 0x2F, 0xFD], compressed("zstd", "zstd -dc")),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], compressed("xz", "xz -dc")),
        ([0x50, 0x4B, 0x03, 0x04], "this is a ZIP archive; extract the log from it first, with 'unzip'"),
        ([0xFF, 0xFE], utf16("UTF-16")),
        ([0xFE, 0xFF], utf16("UTF-16")),
    ]

    private static func compressed(_ name: String, _ tool: String) -> String {
        "this is compressed by \(name); decompress it first, with '\(tool)', and give - for the log to read a pipe"
    }

    private static func utf16(_ name: String) -> String {
        "this is UTF-16 text, and a log is UTF-8; convert it first, with 'iconv -f \(name) -t UTF-8'"
    }
}
