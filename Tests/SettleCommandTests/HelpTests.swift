import Settle
import SettleLog
import SettleServer
import TestSupport
import XCTest

@testable import SettleCommand

/// What the command says about itself.
final class HelpTests: XCTestCase {
    private let folder = TemporaryFolder()
    private static let verbs = [
        "replay", "info", "convert", "validate", "cat", "serve", "send", "record", "recover", "stress", "policy",
        "tune", "report", "pack", "anonymize", "watch", "run", "sources",
    ]

    private func printed(_ arguments: String...) throws -> String {
        let run = try Running(arguments, folder)
        XCTAssertEqual(run.status(), 0, "\(arguments)")
        XCTAssertEqual(run.errors, "", "\(arguments)")
        return run.output
    }

    func testHelpAndVersionGoToStandardOutput() throws {
        XCTAssert(try printed("--version").hasPrefix("settle 0."))
        let overview = try printed("--help")
        for verb in Self.verbs {
            XCTAssert(overview.contains("\n  \(verb) "), verb)
            let help = try printed(verb, "--help")
            XCTAssert(help.hasPrefix("usage: settle \(verb)"))
            XCTAssertEqual(try printed("help", verb), help)
            XCTAssertLessThanOrEqual(help.split(separator: "\n").map(\.count).max() ?? 0, 90, verb)
        }
    }

    /// Formats and the fields of a policy are listed from their tables.
    func testHelpListsEveryFormatAndEveryFieldOfAPolicy() throws {
        let formats = LogFormat.allCases.map(\.name).joined(separator: ", ")
        for verb in ["replay", "info", "convert", "validate", "cat", "send", "record", "tune", "report", "anonymize"] {
            let words = try printed(verb, "--help").split(whereSeparator: \.isWhitespace).joined(separator: " ")
            XCTAssert(words.contains(formats), "\(verb): \(words)")
        }
        let options = Mirror(reflecting: Policy.default).children.map { child in
            let option = "--" + child.label!.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined()
            return option.hasSuffix("-percent") ? option.replacing("-percent", with: " N%") : option + " TIME"
        }
        XCTAssertGreaterThan(options.count, 4)
        let help = try printed("policy", "--help")
        for option in options { XCTAssert(help.contains("  " + option), option) }
        let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for text in [
            "--jump-delay TIME quiet time there after one large change out of calm, or none (50ms)",
            "--calm-delay TIME calm: so long without a change (500ms)",
            "--lock-delay TIME how long an orientation lock must hold (100ms)",
        ] { XCTAssert(words.contains(text), words) }
        XCTAssert(help.contains("(50ms)") && help.contains("(none)"), help)
    }

    /// The manual and the completions are made from the help: it has each option of the table, and no other.
    func testHelpListsTheOptionsOfTheTable() throws {
        for verb in SettleCommand.verbs {
            guard let specs = verb.specs() else {
                XCTAssertEqual(verb.name, "pack")
                continue
            }
            let entries = verb.help().split(separator: "\n").filter { $0.hasPrefix("  -") }
            let listed = entries.flatMap { entry -> [String] in
                let end = entry.dropFirst(2).firstRange(of: "  ")?.lowerBound ?? entry.endIndex
                return entry[..<end].matches(of: #/--([a-z0-9-]+)/#).map { String($0.1) }
            }
            XCTAssertEqual(Set(listed), Set(specs.filter(\.isPublic).map(\.name)), verb.name)
        }
    }

    /// Each verb's help has an example that the verb's options accept.
    func testEachHelpHasAnExample() throws {
        for verb in SettleCommand.verbs {
            let example = try XCTUnwrap(verb.help().firstMatch(of: #/\nexample: settle ([a-z]+) ?(.*)\n/#), verb.name)
            XCTAssertEqual(String(example.1), verb.name)
            let options = try verb.options(example.2.split(separator: " ").map(String.init))
            XCTAssertEqual(
                options.positional.isEmpty && options.command == nil, ["sources", "stress"].contains(verb.name),
                verb.name)
        }
    }

    // MARK: Defaults

    /// The options that a help lists, each with the word that stands alone in parentheses, its default.
    private func defaults(in help: String) -> [String: String] {
        var entries: [String] = []
        for line in help.split(separator: "\n") {
            if line.hasPrefix("  --") {
                entries.append(String(line))
            } else if line.hasPrefix("                "), !entries.isEmpty {
                entries[entries.count - 1] += line
            } else {
                // A paragraph is no part of an option, but one may follow.
                entries.append("")
            }
        }
        var found: [String: String] = [:]
        for entry in entries {
            guard let name = entry.firstMatch(of: #/^ +--([a-z0-9-]+)/#)?.1,
                let text = entry.matches(of: #/\(([^() ]+)\)/#).last?.1
            else { continue }
            found[String(name)] = String(text)
        }
        return found
    }

    /// What each verb takes where an option is not given, as the verb's code has it.
    private func taken() throws -> [String: [String: String]] {
        let none = try Options([], verb: "none", specs: [])
        XCTAssertEqual(try none.policy(), try PolicyOptions.policy("default").policy)
        XCTAssertNil(try none.pace())
        let stress = try StressOptions(none)
        let policy = Dictionary(
            uniqueKeysWithValues: try none.policy().texts.map { (PolicyOptions.option($0.name), $0.text ?? "none") }
        ).merging(["policy": "default"]) { $1 }
        let clients = ["clients": "\(ServeVerb.clientsStandard)"]
        var taken: [String: [String: String]] = [
            "replay": [
                "rate": "max", "build-cost": "\(ReplayVerb.buildCostStandard)", "trace": AppReplay.traceStandard,
            ],
            "serve": [
                "client-delay-maximum": StreamServer.clientDelayMaximum.withUnit,
                "decisions": ServeVerb.decisionsStandard,
            ].merging(clients) { $1 },
            "send": ["rate": "max", "linger": SendVerb.lingerStandard.withUnit],
            "record": [
                "flush-interval": RecordTarget.flushIntervalStandard.withUnit, "sync": RecordTarget.syncStandard,
            ].merging(clients) { $1 },
            "stress": [
                "producers": "\(stress.producers)", "scenes": "\(stress.scenes)", "rate": "\(Int(stress.rate ?? 0))",
                "mix": stress.mix.rawValue, "duration": stress.duration.withUnit,
                "overload": stress.overload.rawValue, "capacity": "\(stress.capacity)",
                "build-time": stress.buildTime.withUnit, "late-limit": stress.lateLimit?.withUnit ?? "none",
                "seed": "\(stress.seed)",
            ],
            // Also the Python package's own, here and in the next.
            "anonymize": ["step": "\(AnonymizeVerb.stepStandard)", "session": "session", "log": "log"],
            "pack": ["session-from": "path"],
        ]
        for verb in ["replay", "serve", "stress", "tune", "convert", "report", "watch", "run"] {
            taken[verb, default: [:]]["policy"] = policy["policy"]
        }
        taken["policy"] = policy
        return taken
    }

    func testEveryDefaultIsWhatTheHelpSays() throws {
        let taken = try taken()
        XCTAssertEqual(Set(SettleCommand.verbs.map(\.name)), Set(Self.verbs))
        for verb in SettleCommand.verbs {
            let (said, taken) = (defaults(in: verb.help()), taken[verb.name] ?? [:])
            for name in Set(said.keys).union(taken.keys) {
                XCTAssertEqual(said[name], taken[name], "settle \(verb.name) --\(name)")
            }
        }
    }
}
