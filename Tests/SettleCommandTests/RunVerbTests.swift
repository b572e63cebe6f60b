import Foundation
import SettleLog
import TestSupport
import XCTest

@testable import SettleCommand

/// `settle run`: where its options end, and programs where there is no terminal.
final class RunVerbTests: XCTestCase {
    private let folder = TemporaryFolder()

    private func command(_ words: String...) throws -> [String]? { try RunVerb.verb.options(words).command }

    func testOptionsEndAtTheFirstWordThatIsNone() throws {
        XCTAssertEqual(try command("htop", "-d", "5"), ["htop", "-d", "5"])
        XCTAssertEqual(try command("--report", "vim", "--help", "--", "-x"), ["vim", "--help", "--", "-x"])
        XCTAssertEqual(try command("--record", "a.settle", "--live=30%", "vim", "--report"), ["vim", "--report"])
        XCTAssertEqual(try command("--report", "--", "--odd", "-d"), ["--odd", "-d"])
        XCTAssertEqual(try command("--report", "--", "vim", "--", "a"), ["vim", "--", "a"])
        XCTAssertEqual(try command("-", "a"), ["-", "a"])
        for none in [[], ["--"], ["--report"]] { XCTAssertNil(try RunVerb.verb.options(none).command) }
        let options = try RunVerb.verb.options(["--record", "a.settle", "vim", "--report"])
        XCTAssertEqual(options.value("record"), "a.settle")
        XCTAssertFalse(options.has("report"))
    }

    func testHelpIsSettlesOnlyBeforeTheProgram() throws {
        for words in [["--help"], ["-h"], ["--report", "--help", "echo"]] {
            let run = try Running(["run"] + words, folder)
            XCTAssertEqual(run.statusSoon(), 0)
            XCTAssert(run.output.hasPrefix("usage: settle run"), run.output)
        }
        let run = try Running(["run", "echo", "-h", "--help"], folder)
        XCTAssertEqual(run.statusSoon(), 0)
        XCTAssertEqual(run.output, "-h --help\n")
    }

    func testAWrongOptionAndNoProgramAreUsageErrors() throws {
        for (words, said) in [
            (["--reprot", "vim"], "there is no option '--reprot'; did you mean '--report'?"),
            (["-d", "5", "htop"], "there is no option '-d'"),
            (["--record"], "--record needs a value"), (["--report"], "which command? Name it after the options"),
        ] {
            let run = try Running(["run"] + words, folder)
            XCTAssertEqual(run.statusSoon(), 2)
            XCTAssert(run.errors.contains(said) && run.errors.contains("settle run --help"), run.errors)
        }
    }

    func testWithoutATerminalTheProgramIsSimplyRun() throws {
        let input = Pipe()
        let run = try Running(
            ["run", "--report", "sh", "-c", "cat; echo err >&2; exit 7"], folder, input: input)
        input.fileHandleForWriting.write(Data("through\n".utf8))
        try input.fileHandleForWriting.close()
        XCTAssertEqual(run.statusSoon(), 7)
        XCTAssertEqual(run.output, "through\n")
        XCTAssertEqual(run.errors, "settle: 0 sizes come: there is no terminal\nerr\n")
        // A signal that ends it is a signal's end for whoever waits for settle.
        let killed = try Running(["run", "sh", "-c", "kill -TERM $$"], folder)
        XCTAssertEqual(killed.statusSoon(), SIGTERM)
        XCTAssertEqual(killed.process.terminationReason, .uncaughtSignal)
        // Its signals are those that settle was started with.
        let signals = try Running(["run", "grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"], folder)
        let alone = try Running(["-E", "Sig(Blk|Ign)", "/proc/self/status"], folder, program: "/bin/grep")
        XCTAssertEqual(signals.statusSoon(), 0)
        XCTAssertEqual(alone.statusSoon(), 0)
        XCTAssertEqual(signals.output, alone.output)
    }

    func testWithoutATerminalARecordingIsEmptyAndOneThatCannotBeginRunsNothing() throws {
        let log = folder.file("empty.settle")
        XCTAssertEqual(try Running(["run", "--record", log, "true"], folder).statusSoon(), 0)
        let info = try Running(["validate", log], folder)
        XCTAssertEqual(info.statusSoon(), 0, info.errors)
        let mark = folder.file("mark")
        let refused = try Running(["run", "--record", folder.file("none/log.settle"), "touch", mark], folder)
        XCTAssertEqual(refused.statusSoon(), 3)
        XCTAssertFalse(FileManager.default.fileExists(atPath: mark))
    }

    func testAMissingProgramEndsWith127AndOneThatCannotRunWith126() throws {
        let plain = folder.file("plain")
        try Data("no program".utf8).write(to: URL(fileURLWithPath: plain))
        let folderPath = URL(fileURLWithPath: plain).deletingLastPathComponent().path
        for (program, status) in [
            ("/there/is/none", 127), ("no-such-program-at-all", 127), ("", 127), (plain, 126), (folderPath, 126),
            (plain + "/below", 126),
        ] {
            let run = try Running(["run", "--", program, "-x"], folder)
            XCTAssertEqual(run.statusSoon(), Int32(status), program)
            XCTAssert(run.errors.hasPrefix("settle: cannot start '\(program)': "), run.errors)
        }
    }
}
