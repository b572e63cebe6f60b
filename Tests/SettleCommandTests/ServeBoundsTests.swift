import Foundation
import Settle
import SettleLog
import SettleLoop
import SettlePlatform
import SettleServer
import TestSupport
import XCTest

/// `settle serve` keeps its bounds, whoever connects and whoever does not read.
final class ServeBoundsTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private static let header = #"{"settle":"events","version":1}"# + "\n"

    private func serve(_ arguments: String..., output: String? = nil) throws -> Running {
        let server = try Running(["serve", folder.file("s")] + arguments, folder, output: output)
        server.wait("listening") { server.errors.contains("listening on \(folder.file("s"))") }
        return server
    }

    private func client(_ bytes: [UInt8]) throws -> Int32 {
        let descriptor = try UnixSocket.connect(to: folder.file("s"))
        var bytes = bytes[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { break }
            bytes = bytes.dropFirst(count)
        }
        return descriptor
    }

    /// A process's memory in the machine's, in bytes.
    private func resident(_ server: Running) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(server.process.processIdentifier)/status", encoding: .utf8)
        let line = try XCTUnwrap(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return 1024 * (try XCTUnwrap(Int(line.split(separator: " ")[1])))
    }

    /// As many scenes with names as long as may be, a decision for each, and then half a
    /// line that is as long as may be.
    private var greedyLines: [UInt8] {
        var text = Self.header
        for number in 0..<StreamReader.scenesMax {
            let name = "\(number)" + String(repeating: "x", count: 32 - "\(number)".count)
            text += #"{"t_ns":1,"scene":"\#(name)","width":1,"height":1,"resizing":true,"locked":true}"# + "\n"
        }
        for _ in 0..<60_000 { text += " " }
        return Array(text.utf8)
    }

    /// The same in the binary encoding: as many scenes, the last names as long as the bound
    /// allows, and a chunk as large as these make it that lacks a byte.
    private func greedyChunks() throws -> [UInt8] {
        let names = SceneNames()
        let batch = EventBatch()
        for number in 0..<StreamReader.scenesMax {
            let length = number < 3072 ? 8 : 100
            let scene = names.number(of: "\(number)" + String(repeating: "x", count: length - "\(number)".count))
            batch.append(
                .geometry(
                    scene, at: Timestamp(nanoseconds: 1), size: Size(width: 0.1, height: Double(number)),
                    isInteractivelyResizing: true, isInterfaceOrientationLocked: true), at: .line(0))
        }
        let writer = try BinaryWriter(ByteOutput(path: folder.file("log")), header: LogHeader())
        try writer.write(batch, scenes: names)
        try writer.finish()
        let log = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file("log"))))
        let index = try XCTUnwrap(log.indices.last { log[$0...].starts(with: LogMagic.index) })
        let chunk = try XCTUnwrap(log.indices.last { log[$0...].starts(with: LogMagic.chunk) })
        return Array(log[..<index] + log[chunk..<index - 1])
    }

    /// Clients that have left or, in the middle of a chunk, were dropped.
    private func gone(_ server: Running) -> Int {
        server.errors.split(separator: "\n").count {
            $0.contains(" disconnected after ") || $0.contains(" was dropped after ")
        }
    }

    func testAClientsMemoryIsBounded() throws {
        let server = try serve("--clients", "60", "--policy", "uikit")
        let warm = try client(Array(Self.header.utf8))
        server.wait("a client") { server.errors.contains("client 1 connected") }
        let before = try resident(server)
        // Those who say nothing, those who say all they may, and those who say it at once.
        var clients: [Int32] = []
        for _ in 0..<30 { clients.append(try client([])) }
        server.wait("the silent") { server.errors.contains("client 31 connected") }
        let silent = try resident(server)
        let greed = [greedyLines, try greedyChunks()]
        for number in 0..<12 { clients.append(try client(greed[number % 2])) }
        server.wait("the greedy") {
            server.output.split(separator: "\n").count { $0.contains("Began") } == 12 * StreamReader.scenesMax
        }
        let greedy = try resident(server)
        XCTAssertLessThanOrEqual((silent - before) / 30, StreamServer.clientBytesMax / 8)
        XCTAssertLessThanOrEqual((greedy - silent) / 12, StreamServer.clientBytesMax)
        for descriptor in clients + [warm] { close(descriptor) }

        // Those who are gone leave nothing behind: the next ones find their memory.
        server.wait("their end") { gone(server) == 43 }
        for round in 1...10 {
            for _ in 0..<30 { close(try client(Array(Self.header.utf8))) }
            server.wait("short clients") { gone(server) == 43 + 30 * round }
        }
        let after = try resident(server)
        XCTAssertLessThanOrEqual(after - greedy, StreamServer.clientBytesMax)
        XCTAssertEqual(server.stop(), 0)
    }

    func testSIGTERMEndsItThoughNobodyReadsItsOutput() throws {
        for signal in [SIGTERM, SIGINT] {
            let pipe = folder.file("pipe\(signal)")
            XCTAssertEqual(mkfifo(pipe, 0o600), 0)
            let reader = open(pipe, O_RDWR)
            defer { close(reader) }
            let server = try serve("--policy", "uikit", output: pipe)
            let descriptor = try client(
                Array(
                    (0..<2000).reduce(into: Self.header) {
                        $0 += #"{"t_ns":1,"scene":"a","width":\#(1 + $1 % 2),"height":1}"# + "\n"
                    }.utf8))
            defer { close(descriptor) }
            // Full: the next decision finds no room.
            server.wait("a full pipe") {
                var count: Int32 = 0
                return ioctl(reader, UInt(FIONREAD), &count) == 0 && count > 60_000
            }
            let began = Date()
            XCTAssertEqual(server.stop(signal), 3)
            XCTAssertLessThan(Date().timeIntervalSince(began), 10)
            XCTAssert(server.errors.contains("decisions that the output has not taken are lost"), server.errors)
            XCTAssertFalse(FileManager.default.fileExists(atPath: folder.file("s")))
        }
    }

    func testADamagedClientIsToldOnStandardErrorAndCounted() throws {
        let server = try serve()
        let descriptor = try client(LogMagic.file + [UInt8](repeating: 0, count: 64))
        defer { close(descriptor) }
        server.wait("the reason") { server.errors.contains("client 1 was dropped after 0 events: byte 0: ") }
        XCTAssertEqual(server.stop(), 0)
        XCTAssert(server.errors.contains("; 1 client dropped"), server.errors)
    }

    func testWhatAClientWritesReachesTheTerminalEscapedAndShort() throws {
        let server = try serve()
        for (number, kind) in [#"\u001b[2J\n"#, String(repeating: "x", count: 50_000)].enumerated() {
            let descriptor = try client(
                Array((Self.header + #"{"t_ns":1,"kind":"\#(kind)","scene":"a"}"# + "\n").utf8))
            defer { close(descriptor) }
            server.wait("the reason") { server.errors.contains("client \(number + 1) was dropped after 0 events: ") }
        }
        XCTAssertEqual(server.stop(), 0)
        XCTAssert(server.errors.contains(#"unknown kind "\u001b[2J\u000a""#), server.errors)
        XCTAssert(server.errors.contains(#"unknown kind "xxxx"#), server.errors)
        XCTAssertFalse(server.errors.contains("\u{1B}"))
        XCTAssertFalse(server.errors.contains("lost"), server.errors)
    }

    /// Fills a pipe that is the program's standard error, and reads what it prints afterwards.
    func testReportsThatStandardErrorDoesNotAcceptAreCounted() throws {
        for lost in 1...2 {
            let pipe = folder.file("errors\(lost)")
            XCTAssertEqual(mkfifo(pipe, 0o600), 0)
            let errors = open(pipe, O_RDWR | O_NONBLOCK)
            defer { close(errors) }
            var text = ""
            /// Reads what is there.
            func read() -> String {
                var buffer = [UInt8](repeating: 0, count: 1 << 16)
                let count = SettlePlatform.read(errors, &buffer, buffer.count)
                if count > 0 { text += String(decoding: buffer[..<count], as: UTF8.self) }
                return text
            }
            let server = try Running(
                ["-c", #"exec "$0" serve "$1" 2>"$2""#, Running.command, folder.file("s"), pipe], folder,
                program: "/bin/sh")
            server.wait("listening") { read().contains("listening on") }
            var clients = [try client(Array(Self.header.utf8))]
            server.wait("a client") { read().contains("client 1 ") }
            let filler = [UInt8](repeating: 0x2E, count: 4096)
            while write(errors, filler, filler.count) > 0 {}
            for number in 0..<lost {
                // Its one decision is made after the report that it connected.
                clients.append(
                    try client(Array((Self.header + #"{"t_ns":1,"scene":"a","resizing":true}"# + "\n").utf8)))
                server.wait("a decision") { server.output.contains("\"\(number + 2):a\"") }
            }
            while read().hasSuffix(".") { text = "" }
            clients.append(try client(Array(Self.header.utf8)))
            let line = lost == 1 ? "1 line was lost" : "2 lines were lost"
            server.wait(line) { read().contains("settle: before this, \(line): standard error could not") }
            XCTAssertEqual(server.stop(), 0)
            for descriptor in clients { close(descriptor) }
        }
    }

    func testARefusedStartLeavesTheOlderFile() throws {
        let (file, older) = (folder.file("d"), folder.file("older"))
        let server = try serve("--policy", "uikit", "--decisions", file)
        let sender = try Running(["send", folder.file("s"), Recordings.log("w04_mutter"), "--linger", "0"], folder)
        XCTAssertEqual(sender.status(), 0, sender.errors)
        server.wait("its end") { server.errors.contains("client 1 disconnected") }
        func content(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
        server.wait("decisions") { content(file).hasSuffix("\n") }
        let decisions = content(file)
        try "older".write(toFile: older, atomically: true, encoding: .utf8)
        let refused: [([String], String)] = [
            (["serve", "--force", "--decisions", file, folder.file("s")], "another server listens there"),
            (["serve", "--force", "--decisions", file, folder.file("t")], "another process is writing into it"),
            (["record", "--force", "--socket", folder.file("t"), file], "another process is recording into it"),
            (["serve", "--force", "--decisions", older, folder.file("s")], "another server listens there"),
            (["record", "--force", "--socket", folder.file("s"), older], "another server listens there"),
            (["record", "--socket", folder.file("s"), folder.file("new")], "another server listens there"),
        ]
        for (arguments, problem) in refused {
            let run = try Running(arguments, folder)
            XCTAssertEqual(run.status(), 3, "\(arguments)")
            XCTAssert(run.errors.contains(problem), run.errors)
            XCTAssertEqual(content(file), decisions, "\(arguments)")
            XCTAssertEqual(content(older), "older", "\(arguments)")
        }
        for path in [folder.file("new"), folder.file("t")] {
            XCTAssertFalse(FileManager.default.fileExists(atPath: path), path)
        }
        XCTAssertEqual(try Running(["record", "--socket", "n", "n"], folder).status(), 2)
        XCTAssertEqual(server.stop(), 0)
    }

    func testSignalsEndItWhileItOpensAPipeThatNobodyReads() throws {
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            let pipe = folder.file("pipe\(signal)")
            XCTAssertEqual(mkfifo(pipe, 0o600), 0)
            let server = try Running(["serve", folder.file("s"), "--decisions", pipe], folder)
            server.wait("its socket") { FileManager.default.fileExists(atPath: self.folder.file("s")) }
            // It waits within the opening soon after; however far it is, a signal ends it.
            usleep(50_000)
            kill(server.process.processIdentifier, signal)
            server.wait("its end") { !server.process.isRunning }
            XCTAssertEqual(server.status(), 3)
            XCTAssertFalse(FileManager.default.fileExists(atPath: folder.file("s")))
        }
    }

    func testAHangUpEndsItInOrder() throws {
        let server = try serve()
        XCTAssertEqual(server.stop(SIGHUP), 0, server.errors)
        XCTAssertFalse(FileManager.default.fileExists(atPath: folder.file("s")))
    }

    func testSendNoticesAServersDeathAtOnce() throws {
        let slow = folder.file("slow.jsonl")
        let line = { (time: Int) in #"{"t_ns":\#(time),"scene":"a","width":\#(1 + time % 7),"height":1}"# + "\n" }
        try (Self.header + line(1) + line(3_600_000_000_000)).write(toFile: slow, atomically: true, encoding: .utf8)
        let one = folder.file("one.jsonl")
        try (Self.header + line(1)).write(toFile: one, atomically: true, encoding: .utf8)
        // Each would take an hour.
        let cases = [[one, "--linger", "1h"], [slow, "--rate", "1"], ["-"]]
        for signal in [SIGKILL, SIGTERM] {
            for arguments in cases {
                let server = try serve()
                let input = Pipe()
                input.fileHandleForWriting.write(Data((Self.header + line(1)).utf8))
                let sender = try Running(["send", folder.file("s")] + arguments, folder, input: input)
                server.wait("an event") { !server.output.isEmpty || server.errors.contains("connected") }
                _ = server.stop(signal)
                sender.wait("its end") { !sender.process.isRunning }
                XCTAssertEqual(sender.status(), 3, "\(arguments)")
                XCTAssert(sender.errors.contains("the server is gone"), sender.errors)
                try input.fileHandleForWriting.close()
            }
        }
    }
}
