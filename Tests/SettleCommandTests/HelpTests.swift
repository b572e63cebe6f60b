import Settle
import SettleLog
import TestSupport
import XCTest

/// What the command says about itself.
final class HelpTests: XCTestCase {
    private let folder = TemporaryFolder()
    private static let verbs = [
        "replay", "info", "convert", "validate", "cat", "serve", "send", "record", "recover", "stress", "policy",
        "tune", "report", "pack", "anonymize",
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
            "--" + child.label!.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined() + " TIME"
        }
        XCTAssertGreaterThan(options.count, 4)
        for verb in ["replay", "serve", "stress", "policy", "tune", "convert", "report"] {
            let help = try printed(verb, "--help")
            for option in options { XCTAssert(help.contains("  " + option), "\(verb): \(option)") }
            let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            for text in [
                "--jump-delay TIME quiet time there after one large change, or none (50ms)",
                "--lock-delay TIME how long an orientation lock must hold (100ms)",
            ] { XCTAssert(words.contains(text), words) }
            XCTAssert(help.contains("(50ms)") && help.contains("(none)"), help)
        }
    }
}
