import Settle
import SettleClock
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleLog
@testable import SettleServer

/// A recording of clients that come and go.
final class RecordedClientsTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private func stream(_ client: Int) -> ByteInput {
        let text = """
            {"settle":"events","version":1}
            {"t_ns":1,"scene":"window","width":\(client),"height":1}
            {"t_ns":2,"scene":"other window","width":\(client),"height":2}
            """
        return ByteInput(bytes: Array(text.utf8), name: "client \(client)")
    }

    func testARecordingForgetsTheScenesOfClientsThatAreGone() throws {
        let recorder = try LogRecorder(
            path: folder.file("log"), header: LogHeader(), flushInterval: .seconds(3600), sync: .never)
        let clients = 3000
        for client in 1...clients {
            let reader = StreamReader(stream(client), client: "\(client)", recorder: recorder)
            XCTAssertEqual(reader.run(), .complete(events: 2))
            XCTAssertLessThanOrEqual(recorder.scenesKnown, 4, "client \(client)")
        }
        try recorder.finish()

        let log = try LogReader(path: folder.file("log"))
        let batch = EventBatch()
        var read: [String] = []
        while try log.read(into: batch) {
            for index in 0..<batch.count {
                let event = batch[index]
                read.append("\(log.scenes[event.name]) \(event.size?.description ?? "gone")")
            }
        }
        let expected = (1...clients).flatMap { client in
            [
                "\(client):window \(client)×1", "\(client):other window \(client)×2", "\(client):window gone",
                "\(client):other window gone",
            ]
        }
        XCTAssertEqual(read, expected)
    }

    func testEventsThatCouldNotBeRecordedAreNoneOfTheClients() throws {
        let recorder = try LogRecorder(
            path: folder.file("log"), header: LogHeader(), flushInterval: .zero, sync: .never)
        XCTAssertEqual(StreamReader(stream(1), client: "1", recorder: recorder).run(), .complete(events: 2))
        unlink(folder.file("log"))
        for client in [2, 3] {
            let end = StreamReader(stream(client), client: "\(client)", recorder: recorder).run()
            guard case .faulty(let reason, let events) = end else { return XCTFail("\(end)") }
            XCTAssert(reason.hasPrefix("another process removed the file; 0 events are safe"), reason)
            XCTAssertEqual(events, 0, "client \(client)")
        }
    }

    func testAClientsEndDisconnectsItsScenesAndReleasesTheButtonsThatAnEngineHolds() throws {
        let pointer = { (button: UInt32, isPressed: Bool) in
            #"{"t_ns":2,"kind":"pointer","button":\#(button),"pressed":\#(isPressed)}"#
        }
        // One more than are held: the last, 0, is not.
        let buttons = (0...UInt32(Engine.buttonsLimit)).reversed()
        let lines =
            [
                #"{"t_ns":1,"scene":"a","width":1,"height":1}"#, #"{"t_ns":1,"scene":"b","width":1,"height":1}"#,
                #"{"t_ns":2,"kind":"disconnect","scene":"a"}"#,
            ] + buttons.map { pointer($0, true) } + [pointer(5, false)]
        let log = try recorded(lines)
        let batch = EventBatch()
        var added: [String] = []
        XCTAssert(try log.read(into: batch))
        for index in lines.count..<batch.count {
            let event = batch[index]
            XCTAssertGreaterThan(event.at, Timestamp(nanoseconds: 2), "it ends now")
            let isPointer = event.kind == .pointer && !event.isPressed
            added.append(isPointer ? "release \(event.button)" : "\(event.kind) \(log.scenes[event.name])")
        }
        XCTAssertEqual(
            added, ["disconnect c:b"] + buttons.reversed().filter { $0 != 0 && $0 != 5 }.map { "release \($0)" })
    }

    /// What is recorded of a client that writes these lines.
    private func recorded(_ lines: [String]) throws -> LogReader {
        let text = ([#"{"settle":"events","version":1}"#] + lines).joined(separator: "\n")
        let recorder = try LogRecorder(path: folder.file("log"), header: LogHeader(), sync: .never)
        let reader = StreamReader(ByteInput(bytes: Array(text.utf8), name: "c"), client: "c", recorder: recorder)
        XCTAssertEqual(reader.run(), .complete(events: lines.count))
        try recorder.finish()
        return try LogReader(path: folder.file("log"))
    }

    /// More than a batch of a stream holds.
    func testTheEndOfAsManyScenesAsThereCanBeIsRecordedOnce() throws {
        let scenes = (0..<StreamReader.scenesMax).map { "\($0)" }
        let lines =
            scenes.map { #"{"t_ns":1,"scene":"\#($0)","width":1,"height":1}"# }
            + [7, 3].map { #"{"t_ns":1,"kind":"pointer","button":\#($0),"pressed":true}"# }
        let log = try recorded(lines)
        let batch = EventBatch()
        var added: [String] = []
        while try log.read(into: batch) {
            for event in (0..<batch.count).map({ batch[$0] }) where event.kind == .disconnect || !event.isPressed {
                if event.kind == .disconnect { added.append(log.scenes[event.name]) }
                if event.kind == .pointer { added.append("release \(event.button)") }
            }
        }
        XCTAssertEqual(added, scenes.map { "c:\($0)" } + ["release 3", "release 7"])
    }

    func testNamesAreForgottenAndTheirNumbersGivenAgain() {
        let names = SceneNames()
        var random = SplitMix64(seed: 7)
        var known: [SceneNumber: String] = [:]
        for step in 0..<5000 {
            if random.chance(45) || known.count > 200 {
                let gone = known.keys.sorted { $0.rawValue < $1.rawValue }.filter { _ in random.chance(30) }
                names.remove(gone)
                for scene in gone { known[scene] = nil }
            } else {
                // The empty name is one as well.
                let name = known.values.contains("") ? "scene \(step)" : ""
                let scene = names.number(of: name)
                XCTAssertNil(known[scene], "a number is given twice")
                known[scene] = name
            }
            if step % 50 == 0 {
                for (scene, name) in known {
                    XCTAssertEqual(names[scene], name)
                    XCTAssertEqual(names.number(of: name), scene)
                    names.withUTF8(of: Int(scene.rawValue)) { XCTAssert($0.elementsEqual(name.utf8)) }
                }
            }
        }
        XCTAssertLessThanOrEqual(names.count, 201)
    }

    func testClientsOfARecordingHaveTheirOwnScenesAndFaults() throws {
        let recorder = try LogRecorder(path: folder.file("log"), header: LogHeader(), sync: .never)
        let reports = Locked<[StreamReport]>([])
        let server = try StreamServer(.init(path: folder.file("s")), recorder: recorder) { report in
            reports.change { $0.append(report) }
        }
        try server.start()
        func client(_ number: Int, _ body: (Client) -> Void) throws {
            let client = try Client(folder.file("s"))
            client.write(Client.header)
            body(client)
            client.leave()
            reports.wait { $0.contains { $0.client == number && !$0.change.isConnecting } }
        }
        try client(1) { client in
            client.geometry("a", 3, resizing: true)
            client.write(#"{"t_ns":1,"kind":"pointer","button":7,"pressed":true}"# + "\n")
        }
        // Its name fits into a stream but, with the client's number, not into a log.
        try client(2) { client in
            client.geometry(String(repeating: "x", count: 1024), 4)
            XCTAssert(client.lastWords().contains("a scene's name is longer than 1024 bytes"))
        }
        try client(3) { client in
            client.geometry("a", 5, at: Timestamp.latest.nanoseconds)
            client.write(#"{"t_ns":1,"scene":"b","kind":"disconnect"}"# + "\n")
        }
        server.stop()
        try recorder.finish()

        let reader = try LogReader(path: folder.file("log"))
        let batch = EventBatch()
        var events: [String] = []
        while try reader.read(into: batch) {
            for index in 0..<batch.count {
                let event = batch[index]
                XCTAssertLessThanOrEqual(event.at, MonotonicClock.now)
                let what = event.kind == .pointer ? "\(event.button) \(event.isPressed)" : reader.scenes[event.name]
                events.append("\(what) \(event.kind)\(event.size.map { " \($0)" } ?? "")")
            }
        }
        XCTAssertEqual(
            events,
            [
                "1:a geometry 3×1", "7 true pointer", "1:a disconnect", "7 false pointer",
                "3:a geometry 5×1", "3:b disconnect", "3:a disconnect",
            ])
    }
}
