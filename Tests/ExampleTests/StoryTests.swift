import Foundation
import TestSupport
import XCTest

/// The example's whole life, run by its scripts: drive, lock, drag, display, background,
/// kill, return.
final class StoryTests: XCTestCase {
    private func run(_ story: String, state: String) throws -> ProgramRun {
        try ProgramRun(
            "settle-game",
            environment: [
                "UIKIT_SCRIPT": stories.appendingPathComponent("\(story).script").path, "UIKIT_TRACE": "brief",
                "UIKIT_STATE": state,
            ])
    }

    func testTheStoryIsTheGoldenOne() throws {
        let state = TemporaryFolder()
        let drive = try run("drive", state: state.path)
        XCTAssert(drive.wasKilled, "status \(drive.status): \(drive.errors)")
        XCTAssertNil(try Golden.difference("drive", drive.output))
        XCTAssertEqual(drive.errors, "")
        let back = try run("return", state: state.path)
        XCTAssertEqual(back.status, 0)
        XCTAssertNil(try Golden.difference("return", back.output))
        XCTAssertEqual(back.errors, "")
    }

    /// The guide shows a part of the trace, as it is.
    func testTheGuideShowsTheTrace() throws {
        let guide = try String(contentsOf: repository.appendingPathComponent("docs/guide/scenes.md"), encoding: .utf8)
        let block = try XCTUnwrap(guide.components(separatedBy: "```text\n").dropFirst().first)
        let shown = block.components(separatedBy: "```")[0].split(separator: "\n").dropFirst().joined(separator: "\n")
        XCTAssert(try Golden.text("drive").contains(shown), "not in Golden/drive.txt:\n\(shown)")
        XCTAssert(shown.contains("resizing ends"), shown)
    }

    /// The guide's command is that of a program that scripts/demo has built.
    func testTheGuidesCommandRunsWhatTheDemoBuilds() throws {
        let guide = try String(contentsOf: repository.appendingPathComponent("docs/guide/scenes.md"), encoding: .utf8)
        let command = try XCTUnwrap(guide.split(separator: "\n").first { $0.hasPrefix("$ UIKIT_SCRIPT=") }).dropFirst(
            2)
        let words = command.split(separator: " ")
        let program = try XCTUnwrap(words.last)
        XCTAssert(program.hasPrefix(".build/release/"), "the demo builds for release")
        let demo = try String(contentsOf: repository.appendingPathComponent("scripts/demo"), encoding: .utf8)
        let built = try XCTUnwrap(demo.split(separator: "\n").first { $0.hasPrefix("products=(") })
        let products = built.split { "=() ".contains($0) }
        XCTAssert(products.contains(program.dropFirst(".build/release/".count)), String(built))
        XCTAssert(demo.contains("swift build -c release --product \"$1\""))
        XCTAssertEqual(words.dropLast(), ["UIKIT_SCRIPT=Sources/Examples/Stories/drive.script", "UIKIT_TRACE=brief"])
    }

    /// The comparison must detect an app that restarts without its state.
    func testAnAppThatForgotIsSeen() throws {
        let back = try run("return", state: TemporaryFolder().path)
        let difference = try XCTUnwrap(Golden.difference("return", back.output))
        XCTAssert(difference.contains("configurationForConnecting"), "it is made anew: \(difference)")
    }

    func testAPhoneRefusesToDragAndSaysWhere() throws {
        let run = try ProgramRun(
            "settle-game",
            environment: [
                "UIKIT_SCRIPT": stories.appendingPathComponent("drive.script").path, "UIKIT_PLATFORM": "phone",
            ])
        XCTAssertEqual(run.status, 1)
        XCTAssert(run.errors.contains("drive.script: line 9: 'drag 900x700 200' was refused"), run.errors)
    }

    /// A stranger starts an example without a variable, or asks for help.
    func testExamplesExplainThemselves() throws {
        let guide = try String(contentsOf: repository.appendingPathComponent("docs/guide/scenes.md"), encoding: .utf8)
        let variables = Set(guide.matches(of: #/`(UIKIT_\w+)`/#).map { String($0.1) })
        for program in ["settle-mail", "settle-game"] {
            for word in ["--help", "-h"] {
                let run = try ProgramRun(program, [word])
                XCTAssertEqual(run.status, 0, run.errors)
                XCTAssert(run.output.hasPrefix("usage: [VARIABLE=VALUE]... \(program)\n"), run.output)
                XCTAssertEqual(Set(run.output.matches(of: #/(UIKIT_\w+)=/#).map { String($0.1) }), variables)
                XCTAssertEqual(run.errors, "")
            }
            let (process, errors) = (Process(), Pipe())
            process.executableURL = Bundle.main.bundleURL.appendingPathComponent(program)
            let folder = TemporaryFolder()
            process.environment = ["HOME": folder.path]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = errors
            try process.run()
            // It runs until it is ended.
            let said = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
            process.terminate()
            process.waitUntilExit()
            XCTAssert(said.hasPrefix("\(program) runs, but has no screen"), said)
            XCTAssert(said.hasSuffix("see \(program) --help\n"), said)
            folder.remove()
        }
    }
}
