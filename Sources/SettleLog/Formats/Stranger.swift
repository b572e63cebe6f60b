/// Files of other programs that are no logs of sizes, but that people have where they look for one.
struct Stranger {
    /// With its article.
    let name: String
    /// What it lacks, or how it becomes a log.
    let advice: String
    /// The heading of docs/reference/foreign-logs.md that says more.
    let heading: String
    private let isShown: @Sendable (String) -> Bool

    /// What a file's beginning shows, `nil` if none of them.
    static func detect(_ bytes: UnsafeRawBufferPointer) -> Stranger? {
        let opening = String(decoding: bytes.prefix(openingBytes), as: UTF8.self)
        return all.first { $0.isShown(opening) }
    }

    private static let openingBytes = 1 << 12

    private static let noSizes = "it has no sizes"
    private static let recipe = "a few lines make a log of it"

    private static let all = [
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
        Stranger(name: "JSON of another form", advice: recipe, heading: "json-of-another-form") {
            guard let first = $0.first(where: { !$0.isWhitespace }) else { return false }
            return first == "[" || first == "{" && $0.contains("\":")
        },
        Stranger(name: "a table of comma-separated values", advice: recipe, heading: "tables") { opening in
            let lines = opening.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: true)
            return lines.count > 1
                && lines.prefix(2).allSatisfy { $0.contains(",") || $0.contains("\t") || $0.contains(";") }
                && lines[1].contains(where: \.isNumber)
        },
    ]
}
