import Foundation
import TestSupport
import XCTest

/// What a program said until it ended.
struct ProgramRun {
    let output: String
    let errors: String
    let status: Int32
    let wasKilled: Bool

    /// Runs a program that was built beside the tests.
    init(_ program: String, _ arguments: [String] = [], environment: [String: String] = [:], input: String? = nil)
        throws
    {
        let folder = TemporaryFolder()
        let (output, errors) = (folder.file("output"), folder.file("errors"))
        for file in [output, errors] { try Data().write(to: URL(fileURLWithPath: file)) }
        let process = Process()
        process.executableURL = Bundle.main.bundleURL.appendingPathComponent(program)
        process.arguments = arguments
        let own = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("UIKIT_") }
        process.environment = own.merging(environment) { $1 }
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle(forWritingAtPath: errors)
        process.standardInput = input.flatMap { FileHandle(forReadingAtPath: $0) } ?? FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        self.output = try String(contentsOfFile: output, encoding: .utf8)
        self.errors = try String(contentsOfFile: errors, encoding: .utf8)
        status = process.terminationStatus
        wasKilled = process.terminationReason == .uncaughtSignal && status == SIGKILL
    }

    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// Of a replay's full trace the app's lines with a text, each with its scene; none may come while a person
    /// resizes that scene.
    func lines(of text: String, _ name: String, line: UInt = #line) -> [(scene: Substring, line: String)] {
        var (isResizing, scene): ([Substring: Bool], Substring) = ([:], "")
        var found: [(Substring, String)] = []
        for said in lines {
            if said.contains(text) {
                XCTAssertNotEqual(isResizing[scene], true, "\(name): under a hand: \(said)", line: line)
                found.append((scene, said))
            }
            let words = said.split(separator: " ")
            guard said.contains(" s  "), words.count > 3 else { continue }
            scene = words[2]
            guard words[3] == "didUpdateEffectiveGeometry" else { continue }
            isResizing[scene] = said.hasSuffix("resizing begins") || said.hasSuffix("resizing")
        }
        XCTAssertFalse(isResizing.isEmpty, name, line: line)
        return found
    }
}

/// The traces that are known to be right: what the guide's command prints.
enum Golden {
    /// The recordings whose traces are kept: the short ones, of each window system and with a rotation. The others
    /// have lines of the same kinds, and are judged by the rules.
    static let recordings = ["r10_xephyr_rotate", "w01_weston_wlclient", "w04_mutter", "w12_mutter_nasty"]

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Golden")

    static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent("\(name).txt"), encoding: .utf8)
    }

    /// The first line that differs, `nil` when none does.
    static func difference(_ name: String, _ output: String) throws -> String? {
        let expected = try text(name).split(separator: "\n", omittingEmptySubsequences: false)
        let said = output.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, (wanted, got)) in zip(expected, said).enumerated() where wanted != got {
            return "\(name), line \(index + 1): wanted\n\(wanted)\ngot\n\(got)"
        }
        return expected.count == said.count ? nil : "\(name): wanted \(expected.count) lines, got \(said.count)"
    }
}

let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
let stories = repository.appendingPathComponent("Sources/Examples/Stories")
