extension String {
    /// The text with control characters escaped as in JSON, since a terminal would obey them.
    package var escaped: String {
        var out = ""
        for scalar in unicodeScalars {
            if Self.isControl(scalar) {
                let digits = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    /// The text, or its beginning and an ellipsis if it has more than so many bytes of UTF-8.
    ///
    /// - Parameter bytesMax: At least the 3 bytes of the ellipsis.
    package func shortened(toBytes bytesMax: Int) -> String {
        if utf8.count <= bytesMax { return self }
        var out = ""
        var bytes = "…".utf8.count
        for scalar in unicodeScalars {
            bytes += UTF8.width(scalar)
            if bytes > bytesMax { break }
            out.unicodeScalars.append(scalar)
        }
        return out + "…"
    }

    /// Includes the characters that change the direction of text or end a line.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
