import Settle
import SettleLog

/// `settle policy`: writes the policy that options describe.
enum PolicyVerb {
    static let verb = Verb(
        name: "policy", summary: "write the policy that options describe, for --policy",
        specs: PolicyOptions.specs + [Outputs.force],
        help: help, run: run)

    static let help = """
        usage: settle policy [OPTION]... [FILE]
        example: settle policy --quiet-delay 300ms patient.json

        Writes the policy that the options describe as JSON, in the form that --policy FILE
        reads: an object with every duration by its name, as text with a unit, such as
        "50ms", or null for none. FILE is a file or, by default, - for standard output.

        \(PolicyOptions.explanation)

          --force                   replace FILE if it exists

        In a file, a duration that is left out has its default. An unknown name, a value of
        another type and a duration out of range are errors.
        TIME is a number with a unit: ns, us, ms, s, min, h.
        \(Outputs.rule)
        """

    private static func run(_ options: Options) throws -> ExitCode {
        guard options.positional.count <= 1 else {
            throw Failure.usage("one file at a time; '\(options.positional[1])' is one too many")
        }
        let (policy, input) = try options.policyAndFile()
        let file = OutputFile(options.positional.first ?? "-", replaces: options.has("force"), input: input)
        let output = try Outputs.open(file)
        try output.writeLine(policy.json)
        try output.finish()
        return .fine
    }
}
