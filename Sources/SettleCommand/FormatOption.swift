import SettleLog

/// The option `--format`, which lists the formats of `LogFormat.allCases`.
enum FormatOption {
    static let spec = OptionSpec.value("format")

    /// Its help.
    ///
    /// - Parameters:
    ///   - input: The argument that the option is about, for example `of IN: `.
    ///   - column: The column at which the explanations of options begin.
    static func help(_ input: String = "", column: Int) -> String {
        HelpText.option("--format FORMAT", input + names, column: column)
    }

    /// The names of all formats.
    static var names: String { LogFormat.allCases.map(\.name).joined(separator: ", ") }

    /// The formats that can be written.
    static var writable: [LogFormat] { LogFormat.allCases.filter(\.canBeWritten) }
}

/// Lays out help texts.
enum HelpText {
    /// The longest line.
    static let width = 88

    /// `  --option TIME   what it does`, in lines whose texts begin at `column`.
    static func option(_ option: String, _ text: String, column: Int) -> String {
        wrapped("  " + option, text, column: column, width).joined(separator: "\n")
    }

    /// A label and a text, in lines of at most `width` characters whose texts begin at `column`. A label that is too
    /// long has a line of its own. No line ends at a no-break space, which is printed as a space.
    static func wrapped(_ label: String, _ text: String, column: Int, _ width: Int) -> [String] {
        let indent = String(repeating: " ", count: column)
        var lines: [String] = []
        var line = label
        if line.count + 1 > column, label.contains(where: { $0 != " " }) {
            lines.append(line)
            line = indent
        } else {
            line += String(repeating: " ", count: column - line.count)
        }
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                (line, isEmpty) = (indent, true)
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return (lines + [line]).map { $0.replacing("\u{A0}", with: " ") }
    }

    /// Rows of a table whose first column is aligned to the left and whose others are to the right.
    static func aligned(_ rows: [[String]], indent: Int = 2) -> [String] {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let first = String(repeating: " ", count: indent) + row[0] + spaces(widths[0] - row[0].count)
            let cells = zip(row, widths).dropFirst().map { spaces(2 + $1 - $0.count) + $0 }
            return String((first + cells.joined()).reversed().drop { $0 == " " }.reversed())
        }
    }

    private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}
