internal import SettleLog

/// JSON text within a page's `<script>` element: nothing in it can end the element or begin markup.
enum ScriptText {
    static func quoted(_ text: String) -> String { escaped(JSONText.quoted(text)) }

    /// JSON text whose characters that mean something to HTML are escaped. In JSON they are within
    /// strings only.
    static func escaped(_ json: String) -> String {
        var out = ""
        out.reserveCapacity(json.utf8.count)
        for scalar in json.unicodeScalars {
            switch scalar {
            case "<": out += "\\u003c"
            case ">": out += "\\u003e"
            case "&": out += "\\u0026"
            case "\u{2028}": out += "\\u2028"
            case "\u{2029}": out += "\\u2029"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }
}

/// RFC 4648, section 4.
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    /// Bytes that are encoded at a time; a multiple of 3.
    private static let block = 3 << 14

    /// Writes bytes as text.
    ///
    /// - Throws: `.io` when writing fails.
    static func write(_ bytes: [UInt8], to output: ByteOutput) throws(LogError) {
        var text: [UInt8] = []
        text.reserveCapacity(block / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: block) {
            text.removeAll(keepingCapacity: true)
            encode(bytes[start..<min(start + block, bytes.count)], into: &text)
            try output.write(text)
        }
    }

    private static func encode(_ bytes: ArraySlice<UInt8>, into text: inout [UInt8]) {
        for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.endIndex)]
            var bits = group.reduce(0) { $0 << 8 | UInt32($1) }
            bits <<= 8 * UInt32(3 - group.count)
            for digit in 0..<4 {
                let isPadding = digit > group.count
                text.append(isPadding ? UInt8(ascii: "=") : digits[Int(bits >> (18 - 6 * UInt32(digit)) & 63)])
            }
        }
    }
}
