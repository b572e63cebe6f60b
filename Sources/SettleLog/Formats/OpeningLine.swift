/// One of the first lines of a log, for a format to recognize.
struct OpeningLine {
    /// From the line's first character other than a space to the last byte read so far.
    let rest: Slice<UnsafeRawBufferPointer>
    /// Whether no later bytes can show more of the format.
    let isAll: Bool
    /// The top-level keys of the JSON object that begins with this line; `nil` if none does.
    let object: JSONKeys?

    /// Enough bytes of a line to recognize its format. A line of a web page's recording may
    /// have megabytes.
    static let lengthMax = 512

    init(_ rest: Slice<UnsafeRawBufferPointer>, isAll: Bool) {
        self.rest = rest
        self.isAll = isAll
        object = rest.first == UInt8(ascii: "{") ? JSONKeys(rest) : nil
    }

    /// The line's text, at most `lengthMax` bytes of it.
    var text: String {
        String(decoding: rest.prefix(Self.lengthMax).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// The keys of the first object in the JSON array that begins with this line.
    var arrayElement: JSONKeys? {
        guard rest.first == UInt8(ascii: "[") else { return nil }
        let element = rest.dropFirst().drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
        return element.first == UInt8(ascii: "{") ? JSONKeys(element) : nil
    }
}

/// The top-level keys of a JSON object of one or more lines, as far as it has been read.
struct JSONKeys {
    /// Each key with the first byte of its value.
    private let values: [String: UInt8]
    /// Whether the object's end has been read.
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
            // Cut off, nested too deeply, or not JSON: only the keys before that point count.
            isWhole = false
        }
        self.values = values
    }

    func has(_ key: String) -> Bool { values[key] != nil }

    /// The first byte of a key's value, `nil` without such a key.
    func first(_ key: String) -> UInt8? { values[key] }
}
