import Foundation
import SettlePlatform
import TestSupport
import XCTest

/// The live verbs, under limits on descriptors that are too low for them or just enough. Those of an X
/// desktop, and settle-demo with a window, are checked by `scripts/checks/sources failures`.
final class DescriptorLimitTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    /// Runs the command under every limit from 4, as three are the standard ones and the
    /// system's loader needs one, to 32. Each line of the output: limit, exit status, message.
    ///
    /// - Parameters:
    ///   - listens: It runs until it is stopped, which it is once it listens.
    ///   - variables: The environment's, besides those of the script.
    private func run(
        _ command: String, listens: Bool, _ variables: [String: String]
    ) throws -> [(limit: Int, status: Int, message: String)] {
        let stop =
            "while kill -0 $p 2>/dev/null && ! grep -q listening \"$ERRORS\"; do sleep 0.01; done; kill $p 2>/dev/null"
        let script = """
            for n in $(seq 4 32); do
                : >"$ERRORS"
                (ulimit -n $n; exec \(command)) <"$INPUT" >/dev/null 2>"$ERRORS" & p=$!
                \(listens ? stop : "")
                wait $p
                echo "$n $? $(tr '\\n' ' ' <"$ERRORS")"
            done
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script]
        let settle = Bundle.main.bundleURL.appendingPathComponent("settle").path
        // Where temporary folders are made.
        let temporary = folder.file("temporary")
        try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
        process.environment = [
            "PATH": "/usr/bin:/bin", "SETTLE": settle, "ERRORS": folder.file("errors"), "FOLDER": folder.path,
            "TMPDIR": temporary, "INPUT": "/dev/null",
        ].merging(variables) { $1 }
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
        _ command: String, listens: Bool = false, variables: [String: String] = [:], file: StaticString = #filePath,
        line: UInt = #line
    ) throws {
        let runs = try run(command, listens: listens, variables)
        XCTAssertEqual(runs.map(\.limit), Array(4...32), file: file, line: line)
        for run in runs {
            let text = "\(run.limit): \(run.status) \(run.message)"
            XCTAssert(run.status == 0 || run.status == 3, text, file: file, line: line)
            if run.status == 3 { XCTAssert(run.message.contains("oo many open files"), text, file: file, line: line) }
        }
        XCTAssertEqual(runs.first?.status, 3, file: file, line: line)
        XCTAssertEqual(runs.last?.status, 0, file: file, line: line)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.file("temporary"))
        XCTAssertEqual(left, [], file: file, line: line)
    }

    func testStressEndsInOrderUnderEveryLimitOnDescriptors() throws {
        try check("$SETTLE stress --duration 5ms --producers 3 --overload block --build-time 1ms --json")
        try check("$SETTLE stress --duration 5ms")
    }

    func testPacedReplayEndsInOrderUnderEveryLimitOnDescriptors() throws {
        try check("$SETTLE replay --rate 100000 '\(Recordings.log("w04_mutter"))'")
    }

    func testServingEndsInOrderUnderEveryLimitOnDescriptors() throws {
        try check("$SETTLE serve --clients 8 --for 5ms $FOLDER/s")
    }

    func testRecordingASocketEndsInOrderUnderEveryLimitOnDescriptors() throws {
        try check("$SETTLE record --clients 8 --force --socket $FOLDER/r $FOLDER/r.settle", listens: true)
    }

    private func serve(_ limit: Int, _ options: String...) throws -> Running {
        // Without descriptors that another test had open when the shell was started.
        let script = """
            for d in /proc/$$/fd/*; do d=${d##*/}; [ $d -lt 3 ] || eval "exec $d>&-"; done
            ulimit -n \(limit); exec "$0" serve "$@"
            """
        return try Running(
            ["-c", script, Running.command] + options + [folder.file("s")], folder, program: "/bin/bash")
    }

    func testAServerThatListensTakesAllItsClientsUnderEveryLimitOnDescriptors() throws {
        let event = #"{"settle":"events","version":1}\#n{"t_ns":1,"scene":"a","width":1,"height":1}\#n"#
        var served = 0
        for limit in 4...32 {
            let server = try serve(limit, "--clients", "3")
            server.wait("a start") { server.errors.contains("listening") || !server.process.isRunning }
            guard server.errors.contains("listening") else {
                XCTAssertEqual(server.status(), 3, "\(limit)")
                XCTAssert(server.errors.contains("oo many open files"), "\(limit): \(server.errors)")
                XCTAssertEqual(served, 0, "\(limit) do not suffice, and fewer did")
                continue
            }
            served += 1
            let clients = try (0..<3).map { _ in try UnixDomainSocket() }
            for client in clients {
                try client.connect(to: folder.file("s"))
                client.sendIfPossible(Array(event.utf8))
            }
            server.wait("\(limit): a decision for each") { server.output.components(separatedBy: "rebuild").count > 3 }
            for client in clients { client.close() }
            XCTAssertEqual(server.stop(), 0, "\(limit)")
        }
        XCTAssertGreaterThan(served, 0)
    }

    func testAServerSaysHowManyDescriptorsItsClientsNeed() throws {
        let refused = try serve(32)
        XCTAssertEqual(refused.status(), 3)
        let said = try XCTUnwrap(
            refused.errors.firstMatch(
                of: #/64 clients need 66 descriptors, and (\d+) are left; raise the limit \(ulimit -n\) by (\d+), or/#),
            refused.errors)
        let lacks = try XCTUnwrap(Int(said.2))
        XCTAssertEqual(Int(said.1), 66 - lacks)
        XCTAssertFalse(FileManager.default.fileExists(atPath: folder.file("s")), "the socket is removed")
        XCTAssertEqual(try serve(32 + lacks - 1, "--for", "1ms").status(), 3)
        let enough = try serve(32 + lacks, "--for", "1ms")
        XCTAssertEqual(enough.status(), 0, enough.errors)
    }

    func testSendingEndsInOrderUnderEveryLimitOnDescriptors() throws {
        let server = try Running(["serve", folder.file("server")], folder)
        server.wait("listening") { server.errors.contains("listening on") }
        try check("$SETTLE send --linger 0 $FOLDER/server '\(Recordings.log("w04_mutter"))'")
        XCTAssertEqual(server.stop(), 0)
    }

    func testARunProgramEndsInOrderUnderEveryLimitOnDescriptors() throws {
        let terminal = try PlayedTerminal()
        try check("$SETTLE run -- true", variables: ["INPUT": terminal.name])
        try check("$SETTLE run --force --record $FOLDER/run.settle -- true", variables: ["INPUT": terminal.name])
    }

    func testAnAppBehindTheProxyEndsInOrderUnderEveryLimitOnDescriptors() throws {
        let compositor = try UnixDomainSocket()
        defer { compositor.close() }
        try compositor.bind(to: folder.file("compositor"))
        // Nobody takes the connections, by which each run finds out that somebody answers.
        try compositor.listen(waitingMax: 1000)
        let variables = ["WAYLAND_DISPLAY": folder.file("compositor")]
        try check("$SETTLE watch -- true", variables: variables)
        try check("$SETTLE watch --force --record $FOLDER/w.settle -- true", variables: variables)
        try check("$SETTLE record --force $FOLDER/r.settle -- true", variables: variables)
    }

    func testListingSourcesEndsInOrderUnderEveryLimitOnDescriptors() throws {
        for run in try run("$SETTLE sources", listens: false, ["DISPLAY": ":99"]) {
            XCTAssertEqual(run.status, 0, "\(run)")
        }
    }

    func testTheDesktopsVerbsEndInOrderUnderEveryLimitOnDescriptors() throws {
        // With too few descriptors a library cannot be loaded, with enough there is no server.
        let demo = "\(Running.built("settle-demo")) --seconds 1 --x11"
        for command in ["$SETTLE watch", "$SETTLE record --x11 $FOLDER/x.settle", demo] {
            for run in try run(command, listens: false, ["DISPLAY": folder.file("none")]) {
                XCTAssertEqual(run.status, 3, "\(command): \(run)")
                XCTAssert(run.message.hasPrefix("settle"), "\(command): \(run)")
            }
        }
        XCTAssertFalse(FileManager.default.fileExists(atPath: folder.file("x.settle")))
    }
}
