import Foundation
import TestSupport
import XCTest

@testable import SettleCommand

/// `settle pack`, which starts the Python package; a script stands in for Python.
final class PackVerbTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    /// A script in place of Python, which is asked first whether it has the package.
    private func python(_ body: String) throws -> String {
        let path = folder.file("python")
        try "#!/bin/sh\n[ \"$1\" != -c ] || exit 0\n\(body)\n".write(toFile: path, atomically: true, encoding: .utf8)
        XCTAssertEqual(chmod(path, 0o755), 0)
        return path
    }

    func testASignalEndsThePackage() throws {
        let python = try python("echo ready; exec sleep 1000")
        let run = try Running(
            ["SETTLE_PYTHON=\(python)", Running.command, "pack", "a", "b"], folder, program: "/usr/bin/env")
        run.wait("its start") { run.output == "ready\n" }
        kill(run.process.processIdentifier, SIGTERM)
        XCTAssertEqual(run.statusSoon(), SIGTERM)
        XCTAssertEqual(run.process.terminationReason, .uncaughtSignal)
        XCTAssertEqual(run.errors, "")
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
}
