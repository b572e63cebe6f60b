extension LogFormat {
    /// Detects the format of a log from its beginning, or else from its file name's extension.
    ///
    /// Reads no further than it takes to recognize a format.
    ///
    /// - Throws: `.malformed` if neither shows the format; `.io` when reading fails.
    static func detect(_ input: ByteInput) throws(LogError) -> LogFormat {
        while true {
            // The next bytes of a live stream may take long to arrive: decide as soon as
            // they cannot change the result.
            let start = UnsafeRawBufferPointer(rebasing: input.available.prefix(openingLength))
            if let format = recognize(wholeLines(of: start), isAll: false) { return format }
            guard input.available.count < openingLength, try input.more() else { break }
        }
        let start = UnsafeRawBufferPointer(rebasing: input.available.prefix(openingLength))
        if let format = recognize(start, isAll: true) ?? allCases.first(where: { $0.matches(path: input.name) }) {
            return format
        }
        let names = allCases.map(\.name).joined(separator: ", ")
        throw LogError(
            .malformed, file: input.name,
            "neither the content nor the file name shows the format; name it with --format (\(names))")
    }

    /// Detects the encoding of a live stream from its first byte. Waits for that byte.
    ///
    /// - Throws: `.truncated` for a stream without any; `.io` when reading fails.
    static func detectStream(_ input: ByteInput) throws(LogError) -> LogFormat {
        guard try input.require(1), let first = input.available.first else {
            throw LogError(.truncated, file: input.name, "the stream is empty")
        }
        return first == settle.magic.first ? .settle : .jsonl
    }

    /// A format must be recognizable within this many bytes and lines.
    private static let openingLength = 1 << 16
    private static let openingLines = 200

    /// The beginning, without a last line that is too short to show its format.
    private static func wholeLines(of start: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let end = start.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let isLong = start[end...].drop(while: isSpace).count >= OpeningLine.lengthMax
        return isLong || binaryFormat(of: start) != nil ? start : UnsafeRawBufferPointer(rebasing: start[..<end])
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    private static func binaryFormat(of start: UnsafeRawBufferPointer) -> LogFormat? {
        allCases.first { !$0.magic.isEmpty && start.starts(with: $0.magic) }
    }

    /// - Parameter isAll: Whether no later bytes can show more of the format.
    private static func recognize(_ start: UnsafeRawBufferPointer, isAll: Bool) -> LogFormat? {
        if let format = binaryFormat(of: start) { return format }
        for line in start.split(separator: UInt8(ascii: "\n"), maxSplits: openingLines).prefix(openingLines) {
            let text = line.drop(while: isSpace)
            guard let first = text.first, first != UInt8(ascii: "#") else { continue }
            let line = OpeningLine(start[text.startIndex...], isAll: isAll)
            if let format = allCases.first(where: { $0.recognizes(line) }) { return format }
            // A format must show in the first object.
            if line.object != nil { return nil }
        }
        return nil
    }
}
