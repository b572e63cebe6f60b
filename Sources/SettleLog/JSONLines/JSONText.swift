/// Pieces of JSON text that the writers and the command share.
package enum JSONText {
    /// A quoted string, escaped by RFC 8259 section 7.
    package static func quoted(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) else { return "\"\(text)\"" }
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\t": out += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }

    /// An object of fields whose values are JSON already.
    package static func object(_ fields: [(String, String)]) -> String {
        "{" + fields.map { "\(quoted($0.0)):\($0.1)" }.joined(separator: ",") + "}"
    }

    /// A length: whole numbers without a fraction, others in the shortest form that
    /// reads back the same. JSON has no word for what is not finite: a number too
    /// large for a Double reads back as infinite, which is rejected just as well.
    package static func length(_ value: Double) -> String {
        if let whole = Int64(exactly: value), abs(value) < 1e15, whole != 0 || value.sign == .plus {
            return String(whole)
        }
        if value.isFinite { return "\(value)" }
        return value == -.infinity ? "-1e999" : "1e999"
    }
}
