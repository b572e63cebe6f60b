/// Files of other programs that are no logs of sizes, but that people have where they look for one.
struct Stranger {
    /// With its article.
    let name: String
    /// What it lacks, or how it becomes a log.
    let advice: String
    /// The heading of docs/reference/foreign-logs.md that says more.
    let heading: String
    let isShown: @Sendable (String) -> Bool

    /// Says what is read, and how the rest becomes a log.
    static let page = "docs/reference/foreign-logs.md"

    /// What a file's beginning shows, `nil` if none of them.
    static func detect(_ bytes: UnsafeRawBufferPointer) -> Stranger? {
        let opening = String(decoding: bytes.prefix(openingBytes), as: UTF8.self)
        return all.first { $0.isShown(opening) }
    }

    private static let openingBytes = 1 << 12

    private static let noSizes = "it has no sizes"
    private static let recipe = "a few lines make a log of it"
    private static let noTimes = "without times nothing can be decided"

    private static let all = [
        Stranger(
            name: "binary data", advice: "a log is text, or text that gzip, xz, zstd or bzip2 packed",
            heading: "logs-of-other-programs"
        ) { $0.unicodeScalars.contains("\0") },
        Stranger(name: "a Chrome trace", advice: noSizes, heading: "without-sizes") {
            $0.contains("\"traceEvents\"") || $0.first == "[" && $0.contains("\"ph\":")
        },
        Stranger(name: "the output of evtest", advice: noSizes, heading: "without-sizes") {
            $0.hasPrefix("Input driver version is") || $0.contains("Event: time ") && $0.contains(" (EV_")
        },
        Stranger(name: "a recording of libinput", advice: noSizes, heading: "without-sizes") {
            $0.hasPrefix("# libinput record") || $0.contains("\nlibinput:\n") && $0.contains("evdev:")
        },
        Stranger(name: "the output of xinput", advice: noSizes, heading: "without-sizes") {
            $0.contains("EVENT type ") && $0.contains("detail: ") || $0.contains("motion a[0]=")
        },
        Stranger(name: "a log of the X server", advice: noSizes, heading: "without-sizes") {
            $0.contains("] (II) ") || $0.contains("] (--) ")
        },
        Stranger(name: "window events of sway or i3", advice: noSizes, heading: "without-sizes") {
            $0.contains("\"change\":") && $0.contains("\"container\":")
        },
        Stranger(name: "a trace of xtrace", advice: recipe, heading: "xtrace") {
            ($0.contains(":>:") || $0.contains(":<:")) && ($0.contains("Event ") || $0.contains("Request("))
        },
        Stranger(name: "a log of mpv", advice: recipe, heading: "mpv") { $0.contains("][cplayer] ") },
        Stranger(
            name: "the output of WAYLAND_DEBUG without its time stamps", advice: noTimes, heading: "without-times"
        ) { opening in
            ["xdg_surface", "xdg_toplevel", "wl_surface"].contains { name in
                opening.contains(name + "#") || opening.contains(name + "@")
            }
        },
        Stranger(
            name: "what script recorded of a terminal", advice: "give the file of its times instead", heading: "script"
        ) { $0.hasPrefix("Script started on ") },
        Stranger(name: "a recording of rrweb without its time stamps", advice: noTimes, heading: "without-times") {
            isJSON($0) && $0.contains("\"type\"") && $0.contains("\"href\"") && $0.contains("\"width\"")
                && !$0.contains("timestamp")
        },
        Stranger(name: "JSON of another form", advice: recipe, heading: "json-of-another-form", isShown: isJSON),
        Stranger(
            name: "a table of comma-separated values", advice: recipe, heading: "tables", isShown: isTable),
    ]

    /// Whether a text begins as JSON does: much else begins with a bracket, such as a log's time stamp.
    @Sendable private static func isJSON(_ opening: String) -> Bool {
        var rest = opening.utf8.drop(while: isSpace)
        guard let first = rest.popFirst() else { return false }
        rest = rest.drop(while: isSpace)
        guard let second = rest.first else { return false }
        if first == UInt8(ascii: "{") { return second == UInt8(ascii: "\"") && opening.contains("\":") }
        guard first == UInt8(ascii: "[") else { return false }
        if "[{\"".utf8.contains(second) { return true }
        rest = rest.drop { $0.isASCIIDigit || "+-.eE".utf8.contains($0) }.drop(while: isSpace)
        return (second.isASCIIDigit || second == UInt8(ascii: "-")) && rest.first == UInt8(ascii: ",")
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    /// Whether the first lines have as many cells each, and the last of them at least two numbers: prose has commas, too.
    @Sendable private static func isTable(_ opening: String) -> Bool {
        let lines = opening.split(maxSplits: 3, whereSeparator: \.isNewline).prefix(3)
        return [",", ";", "\t"].contains { separator in
            let rows = lines.map { $0.split(separator: separator, omittingEmptySubsequences: false) }
            guard let last = rows.last, rows.count > 1, rows.allSatisfy({ $0.count == last.count }) else {
                return false
            }
            return last.count { Double($0.filter { $0 != " " && $0 != "\"" }) != nil } > 1
        }
    }
}
