import CCommandLine
import Settle
import SettleLog
import SettlePlatform

/// One long option, which may have a short form.
struct OptionSpec {
    var name: String
    var takesValue: Bool
    /// The letter of its short form: an ASCII letter.
    var letter: Character?
    /// Whether `--help` names it: not what only the Python package uses.
    var isPublic = true

    static func flag(_ name: String) -> OptionSpec { OptionSpec(name: name, takesValue: false) }
    static func value(_ name: String, letter: Character? = nil) -> OptionSpec {
        OptionSpec(name: name, takesValue: true, letter: letter)
    }
}

/// Where the command to run stands among a verb's words.
enum CommandPlace: Sendable {
    /// The verb runs none.
    case none
    /// After `--`.
    case afterDashes
    /// At the first word that is no option and no option's value, or after `--`.
    case afterOptions
}

/// A verb's arguments, parsed by the C library's getopt_long: options in any order, as
/// `--name value` or `--name=value`, or as an unambiguous prefix; some also as `-n value`. `--` ends
/// the options.
struct Options {
    /// As they were given.
    let arguments: [String]
    private var values: [String: [String]] = [:]
    private(set) var positional: [String] = []
    /// The words of the command, for a verb that runs one; `nil` without one.
    private(set) var command: [String]?

    /// Arguments that are passed on as they are.
    init(positional: [String]) { (arguments, self.positional) = (positional, positional) }

    /// - Parameter place: Where a command to run stands. One after the options leaves no other words.
    init(_ arguments: [String], verb: String, specs: [OptionSpec], command place: CommandPlace = .none) throws {
        self.arguments = arguments
        var arguments = arguments
        if place == .afterDashes, let dashes = arguments.firstIndex(of: "--") {
            let words = Array(arguments[(dashes + 1)...])
            if words.isEmpty { throw Failure.usage("which command? Name it after --") }
            command = words
            arguments.removeSubrange(dashes...)
        }
        let names = specs.map { UnsafePointer(strdup($0.name)) }
        let owned = (["settle \(verb)"] + arguments).map { strdup($0) }
        defer {
            for name in names { free(UnsafeMutablePointer(mutating: name)) }
            for word in owned { free(word) }
        }
        // getopt_long moves options before the other words.
        var words = owned + [nil]
        let takesValue = specs.map(\.takesValue)
        let letters = specs.map { CChar($0.letter?.asciiValue ?? 0) }
        command_line_start(place == .afterOptions)
        while true {
            let step = command_line_next(Int32(owned.count), &words, names, letters, takesValue, specs.count)
            switch step.outcome {
            case COMMAND_LINE_OPTION:
                values[specs[Int(step.index)].name, default: []].append(step.value.map { String(cString: $0) } ?? "")
            case COMMAND_LINE_END:
                let rest = words[Int(step.next)..<owned.count].compactMap { $0.map { String(cString: $0) } }
                if place == .afterOptions { command = rest.isEmpty ? nil : rest } else { positional = rest }
                return
            default:
                let word = String(cString: step.word)
                if step.outcome == COMMAND_LINE_NO_VALUE { throw Failure.usage("\(word) needs a value") }
                throw Self.refusal(word, among: arguments, specs)
            }
        }
    }

    private static func refusal(_ word: String, among arguments: [String], _ specs: [OptionSpec]) -> Failure {
        let isLong = word.hasPrefix("--")
        // Of a long option with one dash, such as -x11, the C library names the first letter.
        let word = isLong ? word : arguments.first { $0.hasPrefix(word) } ?? word
        let name = String(word.drop { $0 == "-" }.prefix { $0 != "=" })
        let matching = specs.map(\.name).filter { $0.hasPrefix(name) }
        if isLong, matching.count > 1 {
            return .usage("\(word) could be \(matching.map { "--" + $0 }.joined(separator: " or "))")
        }
        if isLong, matching.count == 1 { return .usage("--\(matching[0]) takes no value") }
        let meant = matching.count == 1 ? matching[0] : closest(to: name, among: specs.map(\.name))
        return .usage("there is no option '\(word)'" + (meant.map { "; did you mean '--\($0)'?" } ?? ""))
    }

    func has(_ name: String) -> Bool { values[name] != nil }

    /// The last value given.
    func value(_ name: String) -> String? { values[name]?.last }

    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The one log to read.
    func log() throws -> String {
        guard let path = positional.first else {
            throw Failure.usage("which log? Name a file, or - for standard input")
        }
        guard positional.count == 1 else {
            throw Failure.usage("one log at a time; '\(positional[1])' is one too many")
        }
        try checkStandardInput(path)
        return path
    }

    /// Throws if standard input is to be the log and the policy.
    func checkStandardInput(_ log: String) throws {
        guard log == "-", value("policy") == "-" else { return }
        throw Failure.usage("standard input is either the log or the policy; name a file for the other")
    }

    func format(_ name: String = "format") throws -> LogFormat? {
        guard let text = value(name) else { return nil }
        guard let format = LogFormat(named: text) else {
            throw Failure.usage(
                "--\(name) is '\(text)'; known are \(FormatOption.names)")
        }
        return format
    }

    /// A duration with its unit, such as `50ms` or `1.5s`.
    func duration(_ name: String) throws -> Duration? {
        guard let text = value(name) else { return nil }
        guard let duration = Duration(text) else {
            if Duration.isTooLong(text) { throw Failure.usage("--\(name) is '\(text)'; it is at most 300000h") }
            throw Failure.usage(
                "--\(name) is '\(text)'; give a number and a unit (ns, us, ms, s, min, h), as 50ms or 1.5s")
        }
        return duration
    }

    /// The same; the inner value is `nil` for `none`.
    func optionalDuration(_ name: String) throws -> Duration?? {
        if value(name) == "none" { return .some(nil) }
        return try duration(name).map { .some($0) }
    }
}

extension Duration {
    /// A number with a unit; zero needs no unit. At most 300,000 hours.
    init?(_ text: String) {
        guard let nanoseconds = Self.nanoseconds(of: text), nanoseconds <= Self.longest else { return nil }
        self = .nanoseconds(Int64(nanoseconds))
    }

    private static let longest: UInt64 = 300_000 * 3_600_000_000_000

    static func isTooLong(_ text: String) -> Bool { nanoseconds(of: text).map { $0 > longest } ?? false }

    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
