import Foundation
import TestSupport
import XCTest

@testable import SettleCommand

/// `settle pack`, which starts the Python package; a script stands in for Python.
final class PackVerbTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    /// Starts the command with another Python.
    private func start(_ arguments: String..., python: String, input: Pipe? = nil) throws -> Running {
        try Running(
            ["SETTLE_PYTHON=\(python)", "SETTLE_COMMAND=other", Running.command] + arguments, folder, input: input,
            program: "/usr/bin/env")
    }

    /// A script that has the package, unless `check` is another status than 0.
    private func python(_ body: String, check: Int = 0) throws -> String {
        let path = folder.file("python")
        let text = """
            #!/usr/bin/env bash
            if [ "$1" = -c ]; then echo noise; exit \(check); fi
            \(body)

            """
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        XCTAssertEqual(chmod(path, 0o755), 0)
        return path
    }

    func testArgumentsStreamsAndStatusAreThePackages() throws {
        let python = try python(#"printf '%s\n' "$SETTLE_COMMAND" "$PYTHONSAFEPATH" "$@"; cat; echo oh >&2; exit 7"#)
        let input = Pipe()
        let run = try start("pack", "a b", "--jobs=2", "", "ö", "--", "-c", python: python, input: input)
        input.fileHandleForWriting.write(Data("input\n".utf8))
        try input.fileHandleForWriting.close()
        XCTAssertEqual(run.statusSoon(), 7)
        XCTAssertEqual(run.errors, "oh\n")
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        XCTAssertEqual(
            lines, ["other", "1", "-m", "settle", "pack", "a b", "--jobs=2", "", "ö", "--", "-c", "input", ""])
    }

    func testThePackageConvertsByThisCommandUnlessAnotherIsNamed() throws {
        let python = try python(#"printf '%s' "$SETTLE_COMMAND""#)
        let run = try Running(
            ["-u", "SETTLE_COMMAND", "SETTLE_PYTHON=\(python)", Running.command, "pack", "a", "b"], folder,
            program: "/usr/bin/env")
        XCTAssertEqual(run.statusSoon(), 0)
        XCTAssertEqual(run.output, URL(fileURLWithPath: Running.command).resolvingSymlinksInPath().path)
    }

    func testASignalEndsThePackage() throws {
        let run = try start("pack", "a", "b", python: try python("echo ready; exec sleep 1000"))
        run.wait("its start") { run.output == "ready\n" }
        kill(run.process.processIdentifier, SIGTERM)
        XCTAssertEqual(run.statusSoon(), SIGTERM)
        XCTAssertEqual(run.process.terminationReason, .uncaughtSignal)
        XCTAssertEqual(run.errors, "")
    }

    func testWithoutPythonOrThePackageItSaysWhatToInstall() throws {
        let missing = folder.file("missing")
        let without = try python("echo started", check: 1)
        for (python, problem) in [
            (missing, "\(missing) cannot be started: No such file or directory"),
            (without, "\(without) has no package settle"),
        ] {
            let run = try start("pack", "a", "b", python: python)
            XCTAssertEqual(run.statusSoon(), 3)
            XCTAssertEqual(run.output, "")
            XCTAssert(run.errors.hasPrefix("settle: \(problem); "), run.errors)
            XCTAssert(run.errors.contains("scripts/build-wheel") && run.errors.contains("pip install"), run.errors)
            XCTAssertEqual(run.errors.filter { $0 == "\n" }.count, 1, run.errors)
        }
    }

    func testTheOutputOfThePackageIsReadWhole() throws {
        setenv("SETTLE_PYTHON", try python(#"printf '%0100000d\n' 7; [ "$3 $4" = "json a b" ] || exit "$4""#), 1)
        defer { unsetenv("SETTLE_PYTHON") }
        let bytes = try PythonPackage.output(of: ["json", "a b"])
        XCTAssertEqual(bytes.count, 100_001)
        XCTAssertEqual(bytes.suffix(2), Array("7\n".utf8)[...])
        for (status, code) in [("1", ExitCode.findings), ("2", .usage), ("3", .io), ("9", .io)] {
            XCTAssertThrowsError(try PythonPackage.output(of: ["json", status])) { error in
                XCTAssertEqual((error as? Failure)?.code, code)
                XCTAssert((error as? Failure)?.message.hasSuffix("ended with status \(status)") == true, "\(error)")
            }
        }
    }

    func testItsHelpNeedsNoPython() throws {
        let run = try start("pack", "--help", python: folder.file("missing"))
        XCTAssertEqual(run.statusSoon(), 0)
        XCTAssert(run.output.hasPrefix("usage: settle pack [OPTION]... DIR OUT"), run.output)
    }
}
