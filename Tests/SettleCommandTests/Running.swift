import Foundation
import TestSupport
import XCTest

/// A process of the command whose output goes to files.
final class Running {
    let process = Process()
    private let files: TemporaryFolder
    private let name = UUID().uuidString
    /// Foundation's own wait for the end takes up to 50 ms more.
    private let ended = DispatchSemaphore(value: 0)

    /// The path of the command `settle`: `$SETTLE`, or the one that was built beside the tests.
    static let command = ProcessInfo.processInfo.environment["SETTLE"] ?? built("settle")

    /// The path of a program that was built beside the tests.
    static func built(_ name: String) -> String { Bundle.main.bundleURL.appendingPathComponent(name).path }

    /// - Parameters:
    ///   - output: A file for standard output, instead of `output`.
    ///   - program: Another than the command.
    init(
        _ arguments: [String], _ files: TemporaryFolder, input: Pipe? = nil, output: String? = nil,
        program: String? = nil
    ) throws {
        self.files = files
        process.executableURL =
            URL(fileURLWithPath: program ?? Self.command)
        process.arguments = arguments
        process.standardInput = input ?? FileHandle.nullDevice
        let handles = [
            try output.map { try FileHandle(forWritingTo: URL(fileURLWithPath: $0)) }
                ?? Self.handle(files.file("\(name).out")),
            try Self.handle(files.file("\(name).err")),
        ]
        process.standardOutput = handles[0]
        process.standardError = handles[1]
        process.terminationHandler = { [ended] _ in ended.signal() }
        try process.run()
        // Foundation keeps a process with a handler, and its handles, for longer than its test.
        for handle in handles { try handle.close() }
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    private static func handle(_ path: String) throws -> FileHandle {
        try Data().write(to: URL(fileURLWithPath: path))
        return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    }

    var output: String { text("out") }
    var errors: String { text("err") }
    private func text(_ kind: String) -> String {
        (try? String(contentsOfFile: files.file("\(name).\(kind)"), encoding: .utf8)) ?? ""
    }

    /// Waits for the end and returns the exit status.
    func status() -> Int32 {
        ended.wait()
        ended.signal()
        return process.terminationStatus
    }

    /// Waits at most ten seconds for the end, then kills the process. Returns the exit status.
    func statusSoon(file: StaticString = #filePath, line: UInt = #line) -> Int32 {
        wait("the end", { !process.isRunning }, file: file, line: line)
        return process.isRunning ? stop(SIGKILL) : status()
    }

    /// Waits until it is so; a test that waits ten seconds has failed.
    func wait(_ what: String, _ isSo: () -> Bool, file: StaticString = #filePath, line: UInt = #line) {
        let end = Date(timeIntervalSinceNow: 10)
        while !isSo() {
            if Date() > end { return XCTFail("\(what): \(output)\(errors)", file: file, line: line) }
            usleep(2000)
        }
    }

    func stop(_ signal: Int32 = SIGTERM) -> Int32 {
        kill(process.processIdentifier, signal)
        return status()
    }
}
