internal import CSettle
internal import CUnpack
internal import FoundationEssentials

/// Events in strings: JSON as text, or packed by zlib or gzip, as bytes in base64 or as characters up to U+00FF, which is
/// how rrweb's `pack` writes them.
enum RrwebPacking {
    enum Content {
        /// JSON.
        case events([UInt8])
        /// Something else.
        case text
        case damaged
    }

    /// What a string holds, with its quotes.
    static func unpacked(_ quoted: UnsafeRawBufferPointer, atMost most: Int) throws(LogError) -> Content {
        guard quoted.count > shortest, let text = decoded(quoted) else { return .text }
        if isJSON(text) { return .events(text) }
        if let bytes = Data(base64Encoded: Data(text)).map({ [UInt8]($0) }), isPacked(bytes) {
            return try unpack(bytes, atMost: most) ?? .text
        }
        guard let bytes = characters(text), isPacked(bytes) else { return .text }
        return try unpack(bytes, atMost: most) ?? .damaged
    }

    /// No packed event is shorter, with its quotes.
    private static let shortest = 16

    /// A string's bytes, its escapes resolved; `nil` if it is not valid.
    static func decoded(_ quoted: UnsafeRawBufferPointer) -> [UInt8]? {
        var json = settle_json()
        var string = settle_json_string()
        settle_json_start(&json, quoted.baseAddress, quoted.count)
        guard settle_json_read_string(&json, &string) else { return nil }
        return [UInt8](unsafeUninitializedCapacity: string.decoded) { buffer, count in
            if let base = buffer.baseAddress { settle_json_decode(&string, base) }
            count = string.decoded
        }
    }

    /// A string in quotes, as text; empty if it is none.
    static func text(_ quoted: UnsafeRawBufferPointer) -> String {
        String(decoding: decoded(quoted) ?? [], as: UTF8.self)
    }

    private static func isJSON(_ bytes: [UInt8]) -> Bool {
        bytes.first == UInt8(ascii: "{") || bytes.first == UInt8(ascii: "[")
    }

    /// The bytes that characters up to U+00FF stand for; `nil` if there is another one.
    private static func characters(_ text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            guard let byte = UInt8(exactly: scalar.value) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    /// Whether bytes begin as zlib's do (RFC 1950: a method of 8, and a check of two bytes), or gzip's.
    private static func isPacked(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 2 else { return false }
        let isZlib = bytes[0] & 0x0F == 8 && (Int(bytes[0]) << 8 + Int(bytes[1])) % 31 == 0
        return isZlib || bytes[0] == 0x1F && bytes[1] == 0x8B
    }

    private static func unpack(_ bytes: [UInt8], atMost most: Int) throws(LogError) -> Content? {
        let name = "a packed event"
        var unpacking = try Unpacking(UNPACK_GZIP, bytes, name)
        var made: [UInt8] = []
        let step = UnsafeMutableRawBufferPointer.allocate(byteCount: Unpacking.stepBytes, alignment: 16)
        defer { step.deallocate() }
        while made.count <= most {
            do throws(LogError) {
                let count = try unpacking.unpack(into: step, name) { () throws(LogError) in nil }
                if count == 0 { return isJSON(made) ? .events(made) : nil }
                made.append(contentsOf: step[..<count])
            } catch {
                return nil
            }
        }
        return nil
    }
}
