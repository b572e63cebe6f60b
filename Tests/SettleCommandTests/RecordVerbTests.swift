import Foundation
import TestSupport
import XCTest

/// `settle record` of what is live; of files: Tests/Cases/command/record.cases. What fails below the
/// recorder is `scripts/checks/recording`'s.
final class RecordVerbTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private var out: String { folder.file("out.settle") }
    private let w04 = Recordings.log("w04_mutter")
    private static let header =
        #"{"settle":"events","version":1,"clock":"monotonic","unit":"px","source":"test","name":""}"# + "\n"

    private func lines(_ widths: Range<Int>) -> String {
        widths.map { #"{"t_ns":\#($0),"scene":"a","width":\#($0),"height":9,"resizing":true}"# + "\n" }.joined()
    }

    private func start(_ arguments: String...) throws -> Running { try Running(arguments, folder) }

    /// Records a pipe that stays open.
    private func recordPipe(_ arguments: String...) throws -> (recorder: Running, write: (String) -> Void) {
        let pipe = Pipe()
        let recorder = try Running(["record", "--acknowledge"] + arguments + ["-", out], folder, input: pipe)
        return (recorder, { text in pipe.fileHandleForWriting.write(Data(text.utf8)) })
    }

    private func cat(_ path: String) throws -> String {
        let cat = try start("cat", path)
        _ = cat.status()
        return cat.output
    }

    func testWhatWasAcknowledgedSurvivesAKill() throws {
        let (recorder, write) = try recordPipe("--flush-interval", "10ms", "--sync", "flush")
        write(Self.header + lines(1..<4))
        recorder.wait("an acknowledgement") { recorder.output.contains(#"{"events":3,"#) }
        write(lines(4..<6))
        recorder.wait("another") { recorder.output.contains(#"{"events":5,"#) }
        XCTAssertEqual(recorder.stop(SIGKILL), SIGKILL)
        let recover = try start("recover", out, folder.file("whole.settle"))
        XCTAssertEqual(recover.status(), 1, recover.errors)
        XCTAssert(recover.errors.contains("its index was missing or damaged and was made anew"), recover.errors)
        XCTAssert(recover.errors.contains("5 events recovered, whether any is lost is unknown"), recover.errors)
        XCTAssertEqual(try cat(folder.file("whole.settle")), Self.header + lines(1..<6))

        // Where it was killed, it goes on.
        let pipe = Pipe()
        let again = try Running(["record", "--append", "-", out], folder, input: pipe)
        pipe.fileHandleForWriting.write(Data((Self.header + lines(6..<8)).utf8))
        try pipe.fileHandleForWriting.close()
        XCTAssertEqual(again.status(), 0, again.errors)
        XCTAssertEqual(try cat(out), Self.header + lines(1..<8))
        XCTAssertEqual(try start("validate", out).status(), 0)
    }

    func testASignalEndsTheRecordingWithAllThatHasArrived() throws {
        for signal in [SIGINT, SIGTERM] {
            let (recorder, write) = try recordPipe("--force", "--flush-interval", "1h")
            write(Self.header + lines(1..<2))
            recorder.wait("the file") { FileManager.default.fileExists(atPath: out) }
            write(lines(2..<1000) + #"{"t_ns":1000,"sce"#)
            XCTAssertEqual(recorder.stop(signal), 0, recorder.errors)
            XCTAssert(recorder.errors.contains("999 events"), recorder.errors)
            XCTAssert(recorder.output.hasSuffix("\n") && recorder.output.contains(#"{"events":999,"#), recorder.output)
            XCTAssertEqual(try cat(out), Self.header + lines(1..<1000))
            let recover = try start("recover", "--force", out, folder.file("whole.settle"))
            XCTAssertEqual(recover.status(), 0)
            XCTAssertFalse(recover.errors.contains("index"), recover.errors)
            try FileManager.default.removeItem(atPath: out)
        }
    }

    func testASignalBeforeTheFirstEventLeavesNothing() throws {
        let (recorder, _) = try recordPipe()
        // Signals are held back before the reading thread starts.
        let threads = "/proc/\(recorder.process.processIdentifier)/task"
        recorder.wait("its threads") {
            (try? FileManager.default.contentsOfDirectory(atPath: threads))?.count ?? 0 > 1
        }
        XCTAssertEqual(recorder.stop(SIGINT), 0, recorder.errors)
        XCTAssert(recorder.errors.contains("nothing was recorded"), recorder.errors)
        XCTAssertFalse(FileManager.default.fileExists(atPath: out))
    }

    func testASignalBehindWhatTellsNoFormatYetEndsInOrder() throws {
        let starts = ["# a comment\n# another\n": [], "# a comment\n": ["--format", "jsonl"], "\n": []]
        for (start, format) in starts {
            let pipe = Pipe()
            let recorder = try Running(["record"] + format + ["-", out], folder, input: pipe)
            pipe.fileHandleForWriting.write(Data(start.utf8))
            let threads = "/proc/\(recorder.process.processIdentifier)/task"
            recorder.wait("its threads") {
                (try? FileManager.default.contentsOfDirectory(atPath: threads))?.count ?? 0 > 1
            }
            XCTAssertEqual(recorder.stop(), 0, "\(start.debugDescription): \(recorder.errors)")
            try? FileManager.default.removeItem(atPath: out)
        }
    }

    func testSIGQUITEndsARecordingByTheSignal() throws {
        let (recorder, write) = try recordPipe("--flush-interval", "0", "--sync", "never")
        write(Self.header + lines(1..<2))
        recorder.wait("an acknowledgement") { !recorder.output.isEmpty }
        XCTAssertEqual(recorder.stop(SIGQUIT), SIGQUIT)
        XCTAssertEqual(recorder.process.terminationReason, .uncaughtSignal)
        XCTAssertFalse(recorder.errors.contains("crashed"), recorder.errors)
    }

    func testOneTornByteWas() throws {
        // What a recorder that was killed had begun: one byte of a chunk.
        let (recorder, write) = try recordPipe("--force", "--flush-interval", "0", "--sync", "never")
        write(Self.header + lines(1..<2))
        recorder.wait("an acknowledgement") { !recorder.output.isEmpty }
        XCTAssertEqual(recorder.stop(SIGKILL), SIGKILL)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: out))
        try file.seekToEnd()
        try file.write(contentsOf: Data([0x43]))
        try file.close()
        let again = try start("record", "--append", w04, out)
        XCTAssertEqual(again.status(), 0, again.errors)
        XCTAssert(again.errors.contains("its last 1 byte was torn and cut off"), again.errors)
    }

    func testOtherFormatsAreRecordedAsTheyCome() throws {
        let (recorder, write) = try recordPipe("--format", "wayland-debug", "--flush-interval", "0", "--sync", "never")
        write("[2029149.260] xdg_toplevel@10.configure(640, 480, array[4])\n")
        recorder.wait("an acknowledgement") { recorder.output.contains(#"{"events":"#) }
        XCTAssertEqual(recorder.stop(), 0, recorder.errors)
        XCTAssert(try cat(out).contains(#""width":640,"height":480"#))
    }

    func testTheFirstLinesOfEveryFormatAreRecordedAtOnce() throws {
        let formats = [
            Self.header + lines(1..<2), "[2029149.260] xdg_toplevel@10.configure(640, 480, array[4])\n",
            "ConfigureNotify event, serial 18, synthetic NO, window 0x1,\n"
                + "    event 0x1, window 0x1, (1,20), width 478, height 303,\n"
                + "    border_width 0, above 0x20032f, override NO\n\n",
            #"{"version": 2, "width": 80, "height": 24}"# + "\n",
            #"[{"type":4,"timestamp":1000,"data":{"width":640,"height":480}},"# + "\n",
            #"[{"type":4,"data":{"href":"x","width":640,"height":480},"timestamp":1},"# + "\n",
        ]
        for format in formats {
            let (recorder, write) = try recordPipe("--force", "--flush-interval", "1ms", "--sync", "never")
            write(format)
            recorder.wait("an acknowledgement of \(format)") { recorder.output.contains(#"{"events":1,"#) }
            _ = recorder.stop()
            let cat = try self.cat(out)
            XCTAssertEqual(cat.split(separator: "\n").count, 2, cat)
        }
    }

    func testWhatOthersDoToTheFileEndsTheRecording() throws {
        let cases: [(String, (String) throws -> Void)] = [
            ("changed the file's length from", { truncate($0, 40) }),
            ("changed the file's length from", { truncate($0, 100_000) }),
            ("removed the file", { unlink($0) }), ("moved or replaced the file", { rename($0, $0 + ".moved") }),
            (
                "moved or replaced the file",
                {
                    rename($0, $0 + ".moved")
                    try Data("other".utf8).write(to: URL(fileURLWithPath: $0))
                }
            ),
        ]
        for (message, harm) in cases {
            for goesOn in [false, true] {
                // Noticed by the time alone, and when more is written.
                let (recorder, write) = try recordPipe(
                    "--force", "--flush-interval", goesOn ? "0" : "5ms", "--sync", goesOn ? "never" : "interval=5ms")
                write(Self.header + lines(1..<4))
                recorder.wait("an acknowledgement") { recorder.output.contains(#"{"events":3,"#) }
                try harm(out)
                if goesOn { write(lines(4..<5)) }
                XCTAssertEqual(recorder.status(), 3, recorder.errors)
                XCTAssert(recorder.errors.contains("another process \(message)"), recorder.errors)
                XCTAssert(recorder.errors.contains(" events are safe in its first "), recorder.errors)
                XCTAssertFalse(recorder.output.contains(#"{"events":4,"#))
            }
        }
    }

    func testOneRecorderAFile() throws {
        let (recorder, write) = try recordPipe("--flush-interval", "0", "--sync", "never")
        write(Self.header + lines(1..<2))
        recorder.wait("an acknowledgement") { !recorder.output.isEmpty }
        for option in ["--append", "--force"] {
            let second = try start("record", option, w04, out)
            XCTAssertEqual(second.status(), 3)
            XCTAssert(second.errors.contains("another process is recording into it"), second.errors)
        }
        XCTAssertEqual(recorder.stop(), 0)
        XCTAssertEqual(try cat(out), Self.header + lines(1..<2))
    }

    func testASocketsClientsAreRecordedAsServeTakesThem() throws {
        let socket = folder.file("s")
        let recorder = try start("record", "--acknowledge", "--flush-interval", "10ms", "--socket", socket, out)
        recorder.wait("listening") { recorder.errors.contains("listening on \(socket)") }
        let logs = ["w04_mutter", "r02_openbox_1000hz"]
        for log in logs {
            let sender = try start("send", socket, Recordings.log(log), "--linger", "0")
            XCTAssertEqual(sender.status(), 0, sender.errors)
        }
        // One that vanishes in the middle of a drag.
        let pipe = Pipe()
        let sender = try Running(["send", socket, "-"], folder, input: pipe)
        pipe.fileHandleForWriting.write(Data((Self.header + lines(1..<3)).utf8))
        recorder.wait("its coming") { recorder.errors.contains("client 3 connected") }
        // Its two events, behind the others' and the end of the scenes they left open.
        let others = 172 + 5712 + 3
        recorder.wait("its events") { recorder.output.contains(#"{"events":\#(others + 2),"#) }
        XCTAssertEqual(sender.stop(SIGKILL), SIGKILL)
        recorder.wait("its end") { recorder.errors.contains("client 3 disconnected after 2 events") }
        XCTAssertEqual(recorder.stop(), 0, recorder.errors)
        XCTAssertFalse(FileManager.default.fileExists(atPath: socket))
        XCTAssertEqual(try start("validate", out).status(), 0)

        let replay = try start("replay", out, "--policy", "uikit", "--decisions", "-")
        XCTAssertEqual(replay.status(), 0, replay.errors)
        for (client, log) in logs.enumerated() {
            let alone = try start("replay", Recordings.log(log), "--policy", "uikit", "--decisions", "-")
            XCTAssertEqual(alone.status(), 0)
            XCTAssertEqual(
                try rebuilds(replay.output, client: "\(client + 1):"), try rebuilds(alone.output, client: ""), log)
            XCTAssertGreaterThan(try rebuilds(alone.output, client: "").count, 5)
        }
        XCTAssert(replay.output.contains(#""scene":"3:a","kind":"interactionEnded","reason":"disconnected""#))
    }

    func testAWriteThatFailsAsAClientLeavesEndsTheRecording() throws {
        let socket = folder.file("s")
        // Nothing but a client makes it write.
        let recorder = try start(
            "record", "--acknowledge", "--flush-interval", "0", "--sync", "never", "--socket", socket, out)
        recorder.wait("listening") { recorder.errors.contains("listening on \(socket)") }
        let pipe = Pipe()
        let sender = try Running(["send", socket, "-", "--linger", "0"], folder, input: pipe)
        pipe.fileHandleForWriting.write(Data((Self.header + lines(1..<3)).utf8))
        recorder.wait("its events") { recorder.output.contains(#"{"events":2,"#) }
        unlink(out)
        try pipe.fileHandleForWriting.close()
        _ = sender.status()
        XCTAssertEqual(recorder.statusSoon(), 3, recorder.errors)
        XCTAssert(recorder.errors.contains("another process removed the file"), recorder.errors)
    }

    func testASignalEndsARecordingWhoseReportsNobodyReads() throws {
        let (socket, errors) = (folder.file("s"), folder.file("errors"))
        XCTAssertEqual(mkfifo(errors, 0o600), 0)
        let reader = open(errors, O_RDWR | O_NONBLOCK)
        defer { close(reader) }
        let recorder = try Running(
            ["-c", #"exec "$0" record --socket "$1" "$2" 2>"$3""#, Running.command, socket, out, errors], folder,
            program: "/bin/sh")
        recorder.wait("its socket") { FileManager.default.fileExists(atPath: socket) }
        let filler = [UInt8](repeating: 0x2E, count: 4096)
        while write(reader, filler, filler.count) > 0 {}
        for _ in 0..<3 { XCTAssertEqual(try start("send", socket, w04, "--linger", "0").status(), 0) }
        kill(recorder.process.processIdentifier, SIGTERM)
        XCTAssertEqual(recorder.statusSoon(), 0)
        XCTAssertEqual(try start("validate", out).status(), 0)
    }

    private func rebuilds(_ decisions: String, client: String) throws -> [String] {
        try decisions.split(separator: "\n").compactMap { line in
            let object = try XCTUnwrap(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let scene = try XCTUnwrap(object["scene"] as? String)
            guard object["kind"] as? String == "rebuild", scene.hasPrefix(client) else { return nil }
            return "\(scene.dropFirst(client.count)) \(object["width"]!)×\(object["height"]!)"
        }
    }
}
