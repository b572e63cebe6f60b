extension LogFormat {
    /// Tells a log's format from its beginning, then from the file name's extension.
    static func detect(_ input: ByteInput) throws(LogError) -> LogFormat {
        while input.available.count < sniffLength, try input.more() {
            // A stream may be live, and its next bytes long in coming: what is there
            // decides as soon as more of it would decide the same.
            if let format = fromContent(wholeLines(of: input.available)) { return format }
        }
        let start = UnsafeRawBufferPointer(rebasing: input.available.prefix(sniffLength))
        if let format = fromContent(start) ?? fromExtension(input.name) { return format }
        if start.isEmpty {
            throw LogError(.truncated, file: input.name, "the log is empty")
        }
        let names = allCases.map(\.rawValue).joined(separator: ", ")
        throw LogError(
            .malformed, file: input.name,
            "neither the content nor the name tells the format; say it with --format (\(names))")
    }

    /// Tells which of our own encodings a stream has, by its first byte.
    static func detectStream(_ input: ByteInput) throws(LogError) -> LogFormat {
        guard try input.require(1), let first = input.available.first else {
            throw LogError(.truncated, file: input.name, "the stream is empty")
        }
        return first == BinaryReader.magic[0] ? .settle : .jsonl
    }

    private static let sniffLength = 1 << 16
    /// Enough of a line to tell: one of a web page's recording may be megabytes long.
    private static let lineLength = 512

    /// The beginning without a last line of which too little is there to tell.
    private static func wholeLines(of start: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let end = start.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let isLong = start[end...].drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }.count >= lineLength
        let isBinary = BinaryReader.isMagic(start)
        return isLong || isBinary ? start : UnsafeRawBufferPointer(rebasing: start[..<end])
    }

    private static func fromExtension(_ name: String) -> LogFormat? {
        if name.hasSuffix(".jsonl") { return .jsonl }
        if name.hasSuffix(".settle") { return .settle }
        if name.hasSuffix(".cast") { return .asciicast }
        return nil
    }

    private static func fromContent(_ start: UnsafeRawBufferPointer) -> LogFormat? {
        if BinaryReader.isMagic(start) { return .settle }
        for line in start.split(separator: UInt8(ascii: "\n")).prefix(200) {
            let line = line.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            guard let first = line.first, first != UInt8(ascii: "#") else { continue }
            let text = String(decoding: line.prefix(lineLength), as: UTF8.self)
            if first == UInt8(ascii: "{") { return fromObject(text) }
            if isWaylandDebug(text) { return .waylandDebug }
            if text.contains(" event, serial "), text.contains("synthetic ") { return .xev }
            if first == UInt8(ascii: "["), text.dropFirst().drop(while: \.isWhitespace).first.map({ $0 == "{" }) ?? true
            {
                return .rrweb
            }
        }
        return nil
    }

    private static func fromObject(_ text: String) -> LogFormat? {
        if text.contains(#""settle""#) || text.contains(#""t_ns""#) { return .jsonl }
        if text.contains(#""version""#), !text.contains(#""timestamp":"#) || text.contains(#""width""#) {
            return .asciicast
        }
        if text.contains(#""type""#) || text.contains(#""events""#) { return .rrweb }
        return nil
    }

    /// `[2029077.485] …`: a stamp of milliseconds with three decimals.
    private static func isWaylandDebug(_ text: String) -> Bool {
        guard text.first == "[", let close = text.firstIndex(of: "]") else { return false }
        let stamp = text[text.index(after: text.startIndex)..<close].drop { $0 == " " }.split(separator: ".")
        return stamp.count == 2 && stamp[1].count == 3
            && stamp.allSatisfy { $0.allSatisfy { $0.isASCII && $0.isNumber } } && text.contains("(")
    }
}
