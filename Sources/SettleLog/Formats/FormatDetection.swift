extension LogFormat {
    /// Tells a log's format from its beginning, then from the file name's extension.
    static func detect(_ input: ByteInput) throws(LogError) -> LogFormat {
        while true {
            // A stream may be live, and its next bytes long in coming: what is there
            // decides as soon as more of it would decide the same.
            let start = UnsafeRawBufferPointer(rebasing: input.available.prefix(sniffLength))
            if let format = fromContent(wholeLines(of: start), isAll: false) { return format }
            guard input.available.count < sniffLength, try input.more() else { break }
        }
        let start = UnsafeRawBufferPointer(rebasing: input.available.prefix(sniffLength))
        if let format = fromContent(start, isAll: true) ?? fromExtension(input.name) { return format }
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

    /// - Parameter isAll: Nothing else comes that could tell more.
    private static func fromContent(_ start: UnsafeRawBufferPointer, isAll: Bool) -> LogFormat? {
        if BinaryReader.isMagic(start) { return .settle }
        for line in start.split(separator: UInt8(ascii: "\n"), maxSplits: 200).prefix(200) {
            let line = line.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            guard let first = line.first, first != UInt8(ascii: "#") else { continue }
            if first == UInt8(ascii: "{") {
                return fromObject(JSONKeys(start[line.startIndex...]), isAll: isAll)
            }
            let text = String(decoding: line.prefix(lineLength), as: UTF8.self)
            if isWaylandDebug(text) { return .waylandDebug }
            if text.contains(" event, serial "), text.contains("synthetic ") { return .xev }
            if first == UInt8(ascii: "["), isRrwebArray(start[line.startIndex...].dropFirst()) { return .rrweb }
        }
        return nil
    }

    private static func fromObject(_ object: JSONKeys, isAll: Bool) -> LogFormat? {
        if object.has("settle") || object.has("t_ns") { return .jsonl }
        if object.isRrwebEvent || object.first("events") == UInt8(ascii: "[") { return .rrweb }
        // Keys that are still to come may tell that it is another format's version.
        guard let version = object.first("version"), object.isWhole || isAll else { return nil }
        // Many a JSON file has a version that is text.
        let isNumber = version.isASCIIDigit || version == UInt8(ascii: "-")
        return isNumber || ["term", "width", "stdout"].contains(where: object.has) ? .asciicast : nil
    }

    private static func isRrwebArray(_ elements: Slice<UnsafeRawBufferPointer>) -> Bool {
        let first = elements.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
        return first.first == UInt8(ascii: "{") && JSONKeys(first).isRrwebEvent
    }

    /// `[2029077.485] …`: a stamp of milliseconds with three decimals.
    private static func isWaylandDebug(_ text: String) -> Bool {
        guard text.first == "[", let close = text.firstIndex(of: "]") else { return false }
        let stamp = text[text.index(after: text.startIndex)..<close].drop { $0 == " " }.split(separator: ".")
        return stamp.count == 2 && stamp[1].count == 3
            && stamp.allSatisfy { $0.allSatisfy { $0.isASCII && $0.isNumber } } && text.contains("(")
    }
}

/// The top-level keys of a JSON object of one or more lines, as far as it is there.
private struct JSONKeys {
    /// Each key with the first byte of its value.
    private let values: [String: UInt8]
    let isWhole: Bool

    init(_ bytes: Slice<UnsafeRawBufferPointer>) {
        var values: [String: UInt8] = [:]
        var scanner = JSONScanner(UnsafeRawBufferPointer(rebasing: bytes))
        do throws(JSONFault) {
            try scanner.members { scanner, key throws(JSONFault) in
                values[String(decoding: key, as: UTF8.self)] = scanner.peek() ?? 0
                try scanner.skipValue()
            }
            isWhole = true
        } catch {
            // Cut off, nested deep, or no JSON: what came before tells enough or not.
            isWhole = false
        }
        self.values = values
    }

    func has(_ key: String) -> Bool { values[key] != nil }

    func first(_ key: String) -> UInt8? { values[key] }

    /// An event's data may be megabytes long, so that its time stamp is out of sight.
    var isRrwebEvent: Bool {
        first("type")?.isASCIIDigit == true && has("data") && (has("timestamp") || !isWhole)
    }
}
