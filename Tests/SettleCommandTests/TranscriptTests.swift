import Foundation
import TestSupport
import XCTest

/// What the command prints, word for word: Tests/Cases/command and the examples of the guides.
final class TranscriptTests: XCTestCase {
    /// A command line, and what stands behind it.
    private struct Step {
        var line: String
        var stated: [String] = []
    }

    private struct NotTranscript: Error { var line: String }

    private static let root = Recordings.folder.deletingLastPathComponent().deletingLastPathComponent()

    func testEachTranscriptIsWhatTheCommandPrints() throws {
        XCTAssertGreaterThan(try playAll { $0 != "output.cases" }, 100)
    }

    /// A test of its own, as it starts the command a thousand times.
    func testEachWayToWriteAFileIsWhatItsTranscriptSays() throws {
        XCTAssertGreaterThan(try playAll { $0 == "output.cases" }, 15)
    }

    private func playAll(_ isPlayed: (String) -> Bool) throws -> Int {
        var count = 0
        for file in try Recordings.cases(of: "command") where isPlayed(file.lastPathComponent) {
            let text = try String(contentsOf: file, encoding: .utf8)
            for (number, block) in text.components(separatedBy: "\n\n").enumerated() {
                let (commands, differences) = try play(block)
                for difference in differences {
                    XCTFail("\(file.lastPathComponent), block \(number + 1), prints\n\(difference)")
                }
                count += commands
            }
        }
        return count
    }

    func testADifferenceIsFound() throws {
        let block = "a case\n$ settle policy --policy prepare >&2  ! --policy is…\n$ cat p; echo b; exit 3\n"
        let rest = "| b\n! cat: p: No such file or directory\n? 3"
        XCTAssertEqual(try play(block + rest).differences, [])
        for (from, to) in [("! cat: p", "! cat: q"), ("| b", "| c"), ("? 3", "? 2"), ("| b\n", ""), ("? 3", "")] {
            XCTAssertEqual(try play(block + rest.replacing(from, with: to)).differences.count, 1, from)
        }
        XCTAssertEqual(try play(block.replacing("is…", with: "are…") + rest).differences.count, 1)
        XCTAssertThrowsError(try play("a case\n$ true\nanother line"))
    }

    /// Blocks of the guides that begin with a command.
    func testTheExamplesOfTheGuidesAreCurrent() throws {
        for name in ["docs/guide/choosing-a-policy.md"] {
            let text = try String(contentsOf: Self.root.appending(path: name), encoding: .utf8)
            let examples = text.components(separatedBy: "```\n$ ").dropFirst().map {
                $0.components(separatedBy: "\n```")[0].split(
                    separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            }
            XCTAssertFalse(examples.isEmpty, name)
            for example in examples {
                let printed = try run(String(example[0]), in: folder()).filter { $0.hasPrefix("|") }
                let expected = example[1].components(separatedBy: "\n").map { "| " + $0 }
                XCTAssertEqual(printed.joined(separator: "\n"), expected.joined(separator: "\n"), name)
            }
        }
    }

    /// Plays a block in a folder of its own; returns how many commands it has, and what those print that do not print
    /// what is stated.
    private func play(_ block: String) throws -> (commands: Int, differences: [String]) {
        let folder = try folder()
        var (count, differences, file, step): (Int, [String], String?, Step?) = (0, [], nil, nil)
        func finish() throws {
            guard let done = step else { return }
            var printed = try run(done.line, in: folder)
            // Zero need not be stated, nor what follows an ellipsis.
            let expected = done.stated.last?.hasPrefix("?") == true ? done.stated : done.stated + ["? 0"]
            for (index, line) in expected.enumerated() where line.last == "…" && index < printed.count {
                if printed[index].hasPrefix(line.dropLast()) { printed[index] = line }
            }
            if printed != expected { differences.append("$ \(done.line)\n\(printed.joined(separator: "\n"))") }
            (count, step) = (count + 1, nil)
        }
        for line in block.components(separatedBy: "\n") where !line.hasPrefix("#") && !line.isEmpty {
            let text = CasePair.controlCharacters(in: line.dropFirst(2))
            switch line.prefix(2) {
            case "> ":
                try finish()
                file = folder.file(text)
                try Data().write(to: URL(fileURLWithPath: file!))
            case "  ":
                let output = try XCTUnwrap(FileHandle(forWritingAtPath: try XCTUnwrap(file)))
                try output.seekToEnd()
                try output.write(contentsOf: Data((text + "\n").utf8))
            case "$ ":
                try finish()
                step = Step(line: text)
                // A usage error may stand behind its command.
                guard let fault = text.firstRange(of: "  ! ") else { continue }
                step?.line = String(text[..<fault.lowerBound])
                let verb = try XCTUnwrap(text[..<fault.lowerBound].matches(of: #/settle ([a-z]+)/#).last).1
                step?.stated = [
                    "! settle: \(text[fault.upperBound...])", "! Try 'settle \(verb) --help'.", "? 2",
                ]
            case "| ", "|", "! ", "!", "? ": step?.stated.append(line.count == 1 ? line + " " : line.prefix(2) + text)
            default: if step != nil { throw NotTranscript(line: line) }
            }
        }
        try finish()
        return (count, differences)
    }

    private func folder() throws -> TemporaryFolder {
        let folder = TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("Tests"), withDestinationPath: Self.root.appending(path: "Tests").path)
        return folder
    }

    /// What a line of the shell prints: lines with their sign, and its status.
    private func run(_ line: String, in folder: TemporaryFolder) throws -> [String] {
        let streams = TemporaryFolder()
        let enter = #"cd "$1" && PATH=$2:$PATH && set -o pipefail && eval "$3""#
        let tools = (Running.command as NSString).deletingLastPathComponent
        let shell = try Running(["-c", enter, "sh", folder.path, tools, line], streams, program: "/bin/bash")
        let status = shell.status()
        func lines(_ text: String, _ sign: String) -> [String] {
            var lines = text.components(separatedBy: "\n")
            if lines.last == "" { lines.removeLast() }
            return lines.map { sign + " " + $0 }
        }
        return lines(shell.output, "|") + lines(shell.errors, "!") + ["? \(status)"]
    }
}
