internal import SettleLog

enum XMLText {
    /// Text shortened to fit into so many units of a picture, whatever the
    /// viewer's font: a wide one, bold, is assumed.
    ///
    /// - Parameters:
    ///   - size: The font's size.
    ///   - suffix: Stands behind the text, and is not shortened.
    static func fitted(_ text: String, size: Double, width: Double, suffix: String = "") -> String {
        let text = text.escaped
        var left = width / size - ems(suffix)
        if ems(text) <= left { return text + suffix }
        left -= ems("…")
        var out = ""
        for scalar in text.unicodeScalars {
            left -= ems(scalar)
            if left < 0 { break }
            out.unicodeScalars.append(scalar)
        }
        return out + "…" + suffix
    }

    private static func ems(_ text: String) -> Double { text.unicodeScalars.reduce(0) { $0 + ems($1) } }

    /// The width of a character in the font's size.
    private static func ems(_ scalar: Unicode.Scalar) -> Double {
        switch scalar.value {
        case _ where " il.,:;'|!jft()[]-/".unicodeScalars.contains(scalar): 0.46
        case _ where "mwMW@%…—".unicodeScalars.contains(scalar): 1.11
        case 0x41...0x5A: 0.84
        case ..<0x80: 0.72
        case ..<0x1100: 0.9
        case ..<0x1F000: 1.05
        default: 1.4
        }
    }

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
