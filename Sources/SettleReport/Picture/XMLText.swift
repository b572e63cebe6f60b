internal import SettleLog

/// Text for XML.
enum XMLText {
    /// The text with what XML reserves as references. Control characters, which XML forbids, are
    /// escaped as in messages.
    static func escaped(_ text: String) -> String {
        text.escaped.unicodeScalars.reduce(into: "") { out, scalar in
            switch scalar {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            case "\u{FFFE}", "\u{FFFF}": out += "\\u" + String(scalar.value, radix: 16)
            default: out.unicodeScalars.append(scalar)
            }
        }
    }
}
