import Settle
import SettleLog
import SettleSources

/// `settle sources`: what each live source can know.
enum SourcesVerb {
    static let verb = Verb(
        name: "sources", summary: "list the live sources and what each can know", specs: [],
        help: help, run: run)

    static let help = """
        usage: settle sources
        example: settle sources

        Prints each kind of live source: what it can know of windows, what of its packages is
        needed, and whether it can be used here and now.
        """

    private static func run(_ options: Options) throws -> ExitCode {
        if let word = options.positional.first { throw Failure.usage("'\(word)' is one word too many") }
        try Terminal.print(SourceKind.all.map(text).joined(separator: "\n"))
        return .fine
    }

    private static func text(_ kind: SourceKind) -> String {
        var rows = [
            ("sizes in", kind.unit),
            ("resizing flag", kind.hasResizingFlag ? "yes: states when an interactive resize begins and ends" : "no"),
            ("pointer", kind.pointer ?? "no"),
            ("time stamps", kind.timeStamps == .receipt ? "of receipt" : "of the sender"),
            ("names", kind.names),
            ("orientation", kind.hasOrientation ? "yes" : "no"),
        ]
        if !kind.packages.isEmpty { rows.append(("packages", kind.packages.joined(separator: " "))) }
        rows.append(("here", kind.problem().map { "no: \($0.escaped)" } ?? "yes"))
        let lines = rows.map { name, text in "  \(name)\(String(repeating: " ", count: 15 - name.count))\(text)\n" }
        return "\(kind.name): \(kind.summary)\n" + lines.joined()
    }
}
