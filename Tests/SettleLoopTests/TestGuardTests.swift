import Foundation
import XCTest

/// The limits of each test, `Tests/Guard`.
final class TestGuardTests: XCTestCase {
    /// What a test does that runs by itself in another process, where the variable names it.
    private enum Deed: String, CaseIterable {
        /// Starts a program in a session of its own, and hangs.
        case hang
        /// Computes without end.
        case compute
        /// Starts a program that computes without end, and waits for it.
        case letCompute
        /// Waits for longer than its processor time may be, and ends.
        case wait
        /// Sends itself signals that were ignored at its start, and writes which ones a program that it starts ignores.
        case signal
    }

    private static let (deedVariable, pathVariable) = ("SETTLE_GUARDED_TEST", "SETTLE_GUARDED_PATH")
    private static let name = "testGuard_endsATestByItsProcessorTimeOrAtLastByTheClock"

    private func run(_ deed: Deed) throws {
        switch deed {
        case .hang:
            try start("setsid sh -c 'echo $$ >\"$0.new\"; mv \"$0.new\" \"$0\"; sleep 600' \"$0\" &")
            while true { sleep(600) }
        case .compute: while true {}
        case .letCompute: try start("while :; do :; done").waitUntilExit()
        case .wait: Thread.sleep(forTimeInterval: 2.5)
        case .signal:
            for number in Self.signals { kill(getpid(), number) }
            try start("grep SigIgn: /proc/self/status >\"$0\"").waitUntilExit()
        }
    }

    private static let signals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1]

    @discardableResult
    private func start(_ script: String) throws -> Process {
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "/bin/sh")
        program.arguments = ["-c", script, try XCTUnwrap(ProcessInfo.processInfo.environment[Self.pathVariable])]
        try program.run()
        return program
    }

    /// A process of its own in which this test does a deed.
    private final class Guarded {
        let tests = Process()
        private let errors = Pipe()

        /// - Parameter before: What a shell does before it becomes the process.
        init(_ deed: Deed, path: String, seconds: Int, wallSeconds: Int, before: String = "") throws {
            tests.executableURL = URL(fileURLWithPath: "/bin/sh")
            tests.arguments = [
                "-c", "\(before) exec \"$0\" \"$1\"", CommandLine.arguments[0],
                "SettleLoopTests.TestGuardTests/\(TestGuardTests.name)",
            ]
            let own = [
                TestGuardTests.deedVariable: deed.rawValue, TestGuardTests.pathVariable: path,
                "SETTLE_TEST_SECONDS": "\(seconds)", "SETTLE_TEST_WALL_SECONDS": "\(wallSeconds)",
            ]
            tests.environment = ProcessInfo.processInfo.environment.merging(own) { $1 }
            tests.standardOutput = FileHandle.nullDevice
            tests.standardError = errors
            try tests.run()
        }

        /// What it said when the guard, which ends what was started, has ended.
        func end() -> String {
            let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            tests.waitUntilExit()
            return said
        }
    }

    func testGuard_endsATestByItsProcessorTimeOrAtLastByTheClock() throws {
        if let deed = ProcessInfo.processInfo.environment[Self.deedVariable] {
            return try run(try XCTUnwrap(Deed(rawValue: deed)))
        }
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let hanging = try Guarded(.hang, path: path, seconds: 60, wallSeconds: 3)
        let computing = try [Deed.compute, .letCompute].map {
            try Guarded($0, path: path, seconds: 1, wallSeconds: 600)
        }
        let waiting = try Guarded(.wait, path: path, seconds: 1, wallSeconds: 600)

        let prefix = "error: TestGuardTests.\(Self.name): no end within "
        XCTAssertEqual(hanging.end(), prefix + "3 s\n")
        for test in computing { XCTAssertEqual(test.end(), prefix + "1 s of processor time\n") }
        for test in [hanging] + computing { XCTAssertEqual(test.tests.terminationReason, .uncaughtSignal) }
        XCTAssertEqual(waiting.end(), "")
        XCTAssertEqual(waiting.tests.terminationStatus, 0)

        let started = try XCTUnwrap(Int32(String(contentsOfFile: path, encoding: .utf8).dropLast()))
        let state = try? String(contentsOfFile: "/proc/\(started)/stat", encoding: .utf8)
        XCTAssert(state.map { $0.contains(") Z ") } ?? true, "the program runs still: \(state ?? "")")
    }

    /// As under `nohup`, or in the background of a shell without job control.
    func testGuard_signalsThatAreIgnoredReachWhatTestsStart() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let test = try Guarded(
            .signal, path: path, seconds: 60, wallSeconds: 600, before: "trap '' HUP INT QUIT TERM USR1;")
        XCTAssertEqual(test.end(), "")
        XCTAssertEqual(test.tests.terminationStatus, 0, "the signals have no effect on the tests")
        let line = try String(contentsOfFile: path, encoding: .utf8)
        let ignored = try XCTUnwrap(
            line.split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0, radix: 16) }, line)
        for number in Self.signals { XCTAssertEqual(ignored >> (number - 1) & 1, 0, "signal \(number): \(line)") }
    }
}
