import Foundation
import XCTest

/// The limit of time of each test, `Tests/Guard`.
final class TestGuardTests: XCTestCase {
    /// Run by itself in another process, where it starts a program in a session of its own and hangs.
    func testGuard_endsATestThatHangsAndWhatItStarted() throws {
        let variable = "SETTLE_HANGING_TEST"
        if let path = ProcessInfo.processInfo.environment[variable] {
            let program = Process()
            program.executableURL = URL(fileURLWithPath: "/bin/sh")
            program.arguments = [
                "-c", "setsid sh -c 'echo $$ >\"$0.new\"; mv \"$0.new\" \"$0\"; sleep 600' \"$0\" &", path,
            ]
            try program.run()
            while true { sleep(600) }
        }
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (tests, errors) = (Process(), Pipe())
        tests.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        tests.arguments = ["SettleLoopTests.TestGuardTests/testGuard_endsATestThatHangsAndWhatItStarted"]
        tests.environment = ProcessInfo.processInfo.environment.merging([variable: path, "SETTLE_TEST_SECONDS": "3"]) {
            $1
        }
        tests.standardOutput = FileHandle.nullDevice
        tests.standardError = errors
        try tests.run()
        // Ends when the guard, which ends what was started, has ended.
        let said = try XCTUnwrap(String(data: errors.fileHandleForReading.readDataToEndOfFile(), encoding: .utf8))
        tests.waitUntilExit()
        XCTAssertEqual(tests.terminationReason, .uncaughtSignal)
        XCTAssertEqual(
            said, "error: TestGuardTests.testGuard_endsATestThatHangsAndWhatItStarted: no end within 3 s\n")
        let started = try XCTUnwrap(Int32(String(contentsOfFile: path, encoding: .utf8).dropLast()))
        let state = try? String(contentsOfFile: "/proc/\(started)/stat", encoding: .utf8)
        XCTAssert(state.map { $0.contains(") Z ") } ?? true, "the program runs still: \(state ?? "")")
    }
}
