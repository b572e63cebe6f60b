import Settle
import SettleLog
import SettlePlatform

/// The options that choose a policy, for replay, serve, stress, tune and policy.
enum PolicyOptions {
    static var specs: [OptionSpec] { [.value("policy")] + Policy.names.map { .value(option($0)) } }

    private static var first: String {
        HelpText.option(
            "--policy NAME|FILE",
            "start from this policy: default, prepared, live, uikit, or a file that settle policy wrote; - is standard input"
                + " (default)", column: 28)
    }

    /// The options by name, for the verbs other than policy, which explains each.
    static var help: String {
        let names = Policy.names.map { "--" + option($0) }.joined(separator: ", ")
        let lines = HelpText.wrapped("", names, column: 2, HelpText.width)
        let text = HelpText.option("", "change a field of it: settle policy --help explains each", column: 28)
        return ([first] + lines + [text]).joined(separator: "\n")
    }

    /// The options with what each does.
    static var explanation: String {
        let lines = zip(Policy.names, Policy.meanings).map { name, meaning in
            let none = Policy.limits.contains(name) ? ", or none" : ""
            let value = Policy.percentages.contains(name) ? "N%" : "TIME"
            return HelpText.option("--\(option(name)) \(value)", "\(meaning)\(none) (\(standard(name)))", column: 28)
        }
        return ([first] + lines).joined(separator: "\n")
    }

    /// The duration in `Policy.default`, as a user would write it.
    private static func standard(_ name: String) -> String {
        Policy.default.texts.first { $0.name == name }?.text ?? Policy.noneText
    }

    /// The option for a duration: `lock-delay` for `lockDelay`.
    static func option(_ name: String) -> String {
        name.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined()
    }

    /// The policies that have a name.
    private static let named: [(name: String, policy: Policy)] = [
        ("default", .default), ("prepared", .prepared), ("live", .live), ("uikit", .uikit),
    ]

    /// The policy that has a name or is in a file, and that file.
    static func policy(_ nameOrFile: String) throws -> (policy: Policy, file: FileIdentity?) {
        if let known = named.first(where: { $0.name == nameOrFile }) { return (known.policy, nil) }
        if nameOrFile != "-", access(nameOrFile, F_OK) != 0, errno == ENOENT {
            let guess = closest(to: nameOrFile, among: named.map(\.name)).map { "; did you mean '\($0)'?" } ?? ""
            throw Failure.usage(
                "--policy is '\(nameOrFile)'; there is no such file, and the names are default, prepared, live and uikit\(guess)"
            )
        }
        do throws(LogError) {
            return try Policy.read(path: nameOrFile)
        } catch {
            // What the command line is given is wrong, rather than a log.
            guard error.kind == .malformed else { throw error }
            throw Failure.usage("\(error)")
        }
    }
}

extension Options {
    /// The policy that the options describe.
    func policy() throws -> Policy { try policyAndFile().policy }

    /// The same, and the file that `--policy` names, into which nothing is printed.
    func policyAndFile() throws -> (policy: Policy, file: FileIdentity?) {
        let (base, file) = try PolicyOptions.policy(value("policy") ?? "default")
        try Outputs.checkStandardOutput(file)
        let texts = Policy.names.compactMap { name in value(PolicyOptions.option(name)).map { (name, $0 as String?) } }
        do throws(PolicyFault) { return (try Policy(base, texts: texts), file) } catch {
            throw Failure.usage("--\(PolicyOptions.option(error.name)) \(error.problem)")
        }
    }

    /// How many times real speed, `nil` for as fast as possible.
    func pace() throws -> Double? {
        guard let text = value("rate"), text != "max" else { return nil }
        guard let rate = Double(text), rate >= 0.001, rate <= 1e6 else {
            throw Failure.usage("--rate is '\(text)'; it is max or a number from 0.001 to 1000000")
        }
        return rate
    }

    /// A whole number within a range.
    func number(_ name: String, _ range: ClosedRange<Int>, default standard: Int) throws -> Int {
        guard let text = value(name) else { return standard }
        guard let number = Int(text), range.contains(number) else {
            throw Failure.usage(
                "--\(name) is '\(text)'; it is a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
