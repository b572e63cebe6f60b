import Foundation
import TestSupport
import XCTest

/// `settle stress`, `serve` and `send` as their users meet them.
final class LiveVerbsTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private func start(_ arguments: String...) throws -> Running { try Running(arguments, folder) }

    private func serve(_ arguments: String...) throws -> Running {
        let server = try Running(["serve", folder.file("s")] + arguments, folder)
        server.wait("listening") { server.errors.contains("listening on \(folder.file("s"))") }
        return server
    }

    /// The rebuilds among decisions as `scene width×height`.
    private func rebuilds(_ decisions: String, scenesOf prefix: String = "") throws -> [String] {
        try decisions.split(separator: "\n").compactMap { line in
            let object = try XCTUnwrap(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let scene = try XCTUnwrap(object["scene"] as? String)
            guard object["kind"] as? String == "rebuild", scene.hasPrefix(prefix) else { return nil }
            return "\(scene.dropFirst(prefix.count)) \(object["width"]!)×\(object["height"]!)"
        }
    }

    private func replayed(_ log: String) throws -> [String] {
        let replay = try start("replay", Recordings.log(log), "--policy", "uikit", "--decisions", "-")
        XCTAssertEqual(replay.status(), 0)
        return try rebuilds(replay.output)
    }

    /// A drag of ten minutes, an event each 10 ms.
    private func longDrag() throws -> String {
        var text = #"{"settle":"events","version":1}"# + "\n"
        for step in 0..<60_000 {
            text +=
                #"{"t_ns":\#(step * 10_000_000),"scene":"a","width":\#(100 + step % 500),"height":9,"resizing":true}"#
                + "\n"
        }
        let path = folder.file("drag.jsonl")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    func testServedRecordingsRebuildAsTheirReplaysDo() throws {
        let server = try serve("--policy", "uikit")
        let log = "r02_openbox_1000hz"
        let paced = try start("send", folder.file("s"), Recordings.log(log), "--rate", "3000", "--linger", "0")
        XCTAssertEqual(paced.status(), 0, paced.errors)
        XCTAssert(paced.errors.contains("5,712 events sent"), paced.errors)
        let fast = try start("send", folder.file("s"), Recordings.log(log), "--linger", "0")
        XCTAssertEqual(fast.status(), 0, fast.errors)
        XCTAssertEqual(server.stop(), 0)
        XCTAssertFalse(FileManager.default.fileExists(atPath: folder.file("s")))
        let expected = try replayed(log)
        XCTAssertGreaterThan(expected.count, 10)
        XCTAssertEqual(try rebuilds(server.output, scenesOf: "1:"), expected)
        XCTAssertEqual(try rebuilds(server.output, scenesOf: "2:"), expected)
        XCTAssert(server.errors.contains("client 2 disconnected after 5712 events"), server.errors)
    }

    func testTwoClientsAtOnceAndDecisionsInAFile() throws {
        let server = try serve("--policy", "uikit", "--decisions", folder.file("d.jsonl"))
        let logs = ["w04_mutter", "w12_mutter_nasty"]
        let senders = try logs.map {
            try start("send", folder.file("s"), Recordings.log($0), "--rate", "200", "--linger", "0")
        }
        for sender in senders { XCTAssertEqual(sender.status(), 0, sender.errors) }
        XCTAssertEqual(server.stop(), 0)
        let decisions = try String(contentsOfFile: folder.file("d.jsonl"), encoding: .utf8)
        let seen = try [rebuilds(decisions, scenesOf: "1:"), rebuilds(decisions, scenesOf: "2:")]
        // Which of them connected first is open.
        XCTAssertEqual(Set(seen), Set(try logs.map(replayed)))
        XCTAssertEqual(server.output, "")
    }

    func testTheLastRebuildComesWhileSendLingers() throws {
        let server = try serve()
        let log = """
            {"settle":"events","version":1}
            {"t_ns":1,"scene":"a","width":7,"height":9,"resizing":true}
            {"t_ns":2,"scene":"a","width":8,"height":9,"resizing":false}
            """
        try log.write(toFile: folder.file("a.jsonl"), atomically: true, encoding: .utf8)
        XCTAssertEqual(try start("send", folder.file("s"), folder.file("a.jsonl")).status(), 0)
        XCTAssertEqual(server.stop(), 0)
        XCTAssertEqual(try rebuilds(server.output), ["1:a 8×9"])
    }

    func testAKilledClientsInteractionEndsAndItsServerGoesOn() throws {
        let server = try serve("--clients", "1")
        let sender = try start("send", folder.file("s"), try longDrag(), "--rate", "1")
        server.wait("a drag") { server.output.contains("interactionBegan") }

        let second = try start("send", folder.file("s"), Recordings.log("w04_mutter"))
        XCTAssertEqual(second.status(), 3)
        XCTAssert(second.errors.contains("refused: a client is connected already"), second.errors)

        kill(sender.process.processIdentifier, SIGKILL)
        server.wait("the end") { server.output.contains(#""interactionEnded","reason":"disconnected""#) }
        server.wait("the report") { server.errors.contains("client 1 ") && server.errors.contains(" after ") }
        XCTAssertEqual(server.stop(), 0)
        XCTAssertEqual(try rebuilds(server.output), [])
    }

    func testASenderWhoseServerGoesAwaySaysSo() throws {
        let server = try serve()
        let sender = try start("send", folder.file("s"), try longDrag(), "--rate", "1")
        server.wait("a drag") { server.output.contains("interactionBegan") }
        XCTAssertEqual(server.stop(), 0)
        XCTAssert(server.errors.contains("as the server stopped"), server.errors)
        XCTAssertEqual(sender.status(), 3)
        XCTAssert(sender.errors.contains("the server is gone"), sender.errors)
        XCTAssertEqual(try start("send", folder.file("s"), Recordings.log("w04_mutter")).status(), 3)
    }

    func testServeStopsByItselfAndRefusesWhatItMust() throws {
        let brief = try start("serve", folder.file("s"), "--for", "50ms")
        XCTAssertEqual(brief.status(), 0, brief.errors)
        XCTAssertFalse(FileManager.default.fileExists(atPath: folder.file("s")))
        let wrong = try start("serve", Recordings.log("w04_mutter"))
        XCTAssertEqual(wrong.status(), 3)
        XCTAssert(wrong.errors.contains("there is a file that is no socket"), wrong.errors)
        XCTAssertEqual(try start("serve").status(), 2)
        XCTAssertEqual(try start("serve", "a", "b").status(), 2)
        XCTAssertEqual(try start("send", "a").status(), 2)

        // Every write to this device fails as on a full disk.
        let full = try serve("--policy", "uikit", "--decisions", "/dev/full")
        _ = try start("send", folder.file("s"), Recordings.log("w04_mutter")).status()
        XCTAssertEqual(full.status(), 3)
        XCTAssert(full.errors.contains("No space left on device"), full.errors)
        XCTAssertFalse(FileManager.default.fileExists(atPath: folder.file("s")))
    }

    func testStressVerifiesAndTells() throws {
        // How late a decision comes on a busy machine is no concern of these.
        let small = ["--duration", "300ms", "--scenes", "20", "--late-limit", "none"]
        let cases = [
            ["--rate", "20000"], ["--rate", "20000", "--producers", "3", "--build-time", "2ms"],
            ["--rate", "max", "--capacity", "16"], ["--rate", "max", "--overload", "block", "--mix", "drag"],
            ["--mix", "lock", "--policy", "uikit", "--maximum-wait", "20ms"],
            ["--mix", "pause", "--pause-delay", "5ms", "--interaction-timeout", "30ms"],
            ["--mix", "drag", "--live-share", "30%"],
            ["--mix", "drag", "--live-share", "60%", "--build-time", "1ms"],
        ]
        for arguments in cases {
            let run = try Running(["stress", "--json"] + small + arguments, folder)
            XCTAssertEqual(run.status(), 0, "\(arguments): \(run.output)")
            let object = try XCTUnwrap(
                JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any], "\(arguments)")
            XCTAssertEqual(object["violationsCount"] as? Int, 0)
            XCTAssertEqual(object["clamped"] as? Int, 0)
            let hasLive = object["liveRebuilds"] as? Int != 0
            XCTAssertEqual(hasLive, arguments.contains("--live-share"), "\(arguments)")
            XCTAssert(object["lateLimit_ns"] is NSNull)
            XCTAssertGreaterThan(object["rebuilds"] as? Int ?? 0, 20 - 1, "\(arguments)")
            XCTAssertEqual(object["interactionBegan"] as? Int, object["interactionEnded"] as? Int)
        }
        let text = try start("stress", "--duration", "50ms", "--late-limit", "none")
        XCTAssertEqual(text.status(), 0)
        XCTAssert(text.output.contains("Verified: no violation."), text.output)
        XCTAssertEqual(text.errors, "", "a file sees no progress")
    }

    func testASignalEndsAStressRunWithTheResultSoFar() throws {
        for (signal, rate) in [(SIGINT, "1000"), (SIGTERM, "1"), (SIGINT, "max")] {
            let run = try start("stress", "--duration", "1h", "--rate", rate, "--producers", "2", "--json")
            // Its threads are there, so it sends.
            let threads = "/proc/\(run.process.processIdentifier)/task"
            run.wait("its threads") {
                (try? FileManager.default.contentsOfDirectory(atPath: threads))?.count ?? 0 > 3
            }
            XCTAssertEqual(run.stop(signal), signal, run.errors)
            let object = try XCTUnwrap(
                JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any], run.output)
            XCTAssertGreaterThan(object["sent"] as? Int ?? 0, 0)
            XCTAssertEqual(object["violationsCount"] as? Int, 0)
        }
    }

    func testARateThatCannotBeKeptEndsWithTheRun() throws {
        let run = try Running(
            ["stress", "--json", "--rate", "1e9", "--duration", "100ms", "--late-limit", "none"], folder)
        XCTAssertEqual(run.status(), 0, run.errors)
        let object = try XCTUnwrap(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        XCTAssertLessThan(object["sent"] as? Int ?? .max, 100_000_000)
    }

    func testALongBuildDoesNotOutliveTheRun() throws {
        let run = try Running(
            ["stress", "--json", "--duration", "300ms", "--build-time", "24h", "--late-limit", "none"], folder)
        XCTAssertEqual(run.status(), 0, run.errors)
    }

    func testStressFailsARunWhoseDecisionsAreLate() throws {
        let run = try Running(
            ["stress", "--json", "--duration", "300ms", "--scenes", "20", "--late-limit", "1ns"], folder)
        XCTAssertEqual(run.status(), 1)
        let object = try XCTUnwrap(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        XCTAssertEqual(object["lateLimit_ns"] as? Int, 1)
        let violations = try XCTUnwrap(object["violations"] as? [String])
        XCTAssert(violations.contains { $0.hasSuffix("late; the limit is 1 ns") }, "\(violations)")
    }

    func testStressUsageFaults() throws {
        let cases: [([String], String)] = [
            (["log"], "stress takes no log"), (["--rate", "0"], "it is max or events per second"),
            (["--producers", "0"], "a whole number from 1 to 64"), (["--mix", "x"], "known are drag, discrete"),
            (["--capacity", "100"], "it is a power of two"), (["--overload", "x"], "known are coalesce, block"),
            (["--late-limit", "5"], "a number and a unit"),
            (["--duration", "0"], "more than 0"), (["--producers", "4", "--scenes", "3"], "a whole number from 4"),
        ]
        for (arguments, message) in cases {
            let run = try Running(["stress"] + arguments, folder)
            XCTAssertEqual(run.status(), 2, "\(arguments)")
            XCTAssert(run.errors.contains(message), "\(arguments): \(run.errors)")
        }
    }
}
