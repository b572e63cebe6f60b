import Foundation
import TestSupport
import XCTest

/// The verbs with a loop, under limits on descriptors that are too low for it or just enough.
final class DescriptorLimitTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    /// Runs the command under every limit from 4, as three are the standard ones and the
    /// system's loader needs one, to 32. Each line of the output: limit, exit status, message.
    ///
    /// - Parameter listens: It runs until it is stopped, which it is once it listens.
    private func run(_ command: String, listens: Bool) throws -> [(limit: Int, status: Int, message: String)] {
        let stop =
            "while kill -0 $p 2>/dev/null && ! grep -q listening \"$ERRORS\"; do sleep 0.01; done; kill $p 2>/dev/null"
        let script = """
            for n in $(seq 4 32); do
                : >"$ERRORS"
                (ulimit -n $n; exec \(command)) >/dev/null 2>"$ERRORS" & p=$!
                \(listens ? stop : "")
                wait $p
                echo "$n $? $(tr '\\n' ' ' <"$ERRORS")"
            done
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script]
        let settle = Bundle.main.bundleURL.appendingPathComponent("settle").path
        process.environment = [
            "PATH": "/usr/bin:/bin", "SETTLE": settle, "ERRORS": folder.file("errors"), "FOLDER": folder.file(""),
        ]
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return try text.split(separator: "\n").map { line in
            let words = line.split(separator: " ", maxSplits: 2)
            return (
                try XCTUnwrap(Int(words[0])), try XCTUnwrap(Int(words[1])), words.count > 2 ? String(words[2]) : ""
            )
        }
    }

    private func check(
        _ command: String, listens: Bool = false, file: StaticString = #filePath, line: UInt = #line
    ) throws {
        let runs = try run(command, listens: listens)
        XCTAssertEqual(runs.map(\.limit), Array(4...32), file: file, line: line)
        for run in runs {
            let text = "\(run.limit): \(run.status) \(run.message)"
            XCTAssert(run.status == 0 || run.status == 3, text, file: file, line: line)
            if run.status == 3 { XCTAssert(run.message.contains("oo many open files"), text, file: file, line: line) }
        }
        XCTAssertEqual(runs.first?.status, 3, file: file, line: line)
        XCTAssertEqual(runs.last?.status, 0, file: file, line: line)
    }

    func testStressEndsInOrderUnderEveryLimitOnDescriptors() throws {
        try check("$SETTLE stress --duration 5ms --producers 3 --overload block --build-time 1ms --json")
        try check("$SETTLE stress --duration 5ms")
    }

    func testPacedReplayEndsInOrderUnderEveryLimitOnDescriptors() throws {
        try check("$SETTLE replay --rate 100000 '\(Recordings.log("w04_mutter"))'")
    }

    func testServingEndsInOrderUnderEveryLimitOnDescriptors() throws {
        try check("$SETTLE serve --for 5ms $FOLDER/s")
    }

    func testRecordingASocketEndsInOrderUnderEveryLimitOnDescriptors() throws {
        try check("$SETTLE record --force --socket $FOLDER/r $FOLDER/r.settle", listens: true)
    }
}
