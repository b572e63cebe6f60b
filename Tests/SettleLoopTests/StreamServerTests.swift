import Foundation
import Settle
import SettleLog
import TestSupport
import XCTest

@testable import SettleLoop

/// An engine with a server in front of it, and what both told.
private final class Served: @unchecked Sendable {
    let folder = TemporaryFolder()
    let names = StreamNames()
    let engine: LiveEngine
    let server: StreamServer
    let reports = Locked<[StreamReport]>([])
    /// `1:a began`, `1:a rebuild 3×1`, as it came.
    let said = Locked<[String]>([])
    var path: String { folder.file("s") }

    init(policy: Policy = .uikit, clientsMax: Int = 64, scenesMax: Int = 1024) throws {
        engine = try LiveEngine(policy: policy, scenesMax: scenesMax) { [said, names] decision in
            let name = names.name(of: decision.scene) ?? "?"
            XCTAssertLessThanOrEqual(decision.at, MonotonicClock.now, "a decision came early")
            said.change { $0.append("\(name) \(Self.text(decision.kind))") }
        }
        server = try StreamServer(path: folder.file("s"), engine: engine, names: names, clientsMax: clientsMax) {
            [reports] report in reports.change { $0.append(report) }
        }
        try engine.start()
        try server.start()
    }

    deinit {
        server.stop()
        engine.stop()
    }

    private static func text(_ kind: Decision.Kind) -> String {
        switch kind {
        case .interactionBegan: "began"
        case .interactionEnded(let reason, _): "ended \(reason.rawValue)"
        case .rebuild(let rebuild): "rebuild \(rebuild.size)"
        case .lockChanged(let isLocked): "locked \(isLocked)"
        }
    }

    func waitFor(_ text: String, file: StaticString = #filePath, line: UInt = #line) {
        said.wait({ $0.contains(text) }, file: file, line: line)
    }

    func waitFor(_ change: StreamReport.Change, of client: Int, file: StaticString = #filePath, line: UInt = #line) {
        reports.wait({ $0.contains(StreamReport(client: client, change: change)) }, file: file, line: line)
    }

    func client() throws -> Client { try Client(path) }
}

/// The other end of the socket.
private final class Client {
    private var descriptor: Int32

    init(_ path: String) throws { descriptor = try UnixSocket.connect(to: path) }
    deinit { leave() }

    static let header = #"{"settle":"events","version":1}"# + "\n"

    func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count <= 0 { return }
            bytes = bytes.dropFirst(count)
        }
    }

    func geometry(_ scene: String, _ width: Int, resizing: Bool? = nil, at: UInt64 = MonotonicClock.now.nanoseconds) {
        let flag = resizing.map { #","resizing":\#($0)"# } ?? ""
        write(#"{"t_ns":\#(at),"scene":"\#(scene)","width":\#(width),"height":1\#(flag)}"# + "\n")
    }

    /// What the server says to the end of the connection.
    func lastWords() -> String {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 512)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count <= 0 { return String(decoding: text, as: UTF8.self) }
            text += buffer[..<count]
        }
    }

    func leave() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }
}

final class StreamServerTests: XCTestCase {
    func testOnlyTheOwnerMayUseTheSocketAndItGoesWithTheServer() throws {
        let served = try Served()
        var status = stat()
        XCTAssertEqual(lstat(served.path, &status), 0)
        XCTAssertEqual(status.st_mode & 0o7777, 0o600)
        XCTAssertEqual(status.st_mode & S_IFMT, S_IFSOCK)
        DispatchQueue.concurrentPerform(iterations: 3) { _ in served.server.stop() }
        XCTAssertFalse(FileManager.default.fileExists(atPath: served.path))
        XCTAssertThrowsError(try served.server.start())

        XCTAssertNil(StreamServer.objection(to: 1000, of: 1000))
        XCTAssertNil(StreamServer.objection(to: 0, of: 1000))
        XCTAssertEqual(
            StreamServer.objection(to: 1001, of: 1000),
            "user 1001 is neither user 1000, who runs the server, nor root")
    }

    func testTwoClientsHaveTheirOwnScenes() throws {
        let served = try Served()
        let (one, two) = (try served.client(), try served.client())
        for client in [one, two] { client.write(Client.header) }
        one.geometry("a", 3)
        two.geometry("a", 4)
        one.geometry("a", 5, resizing: true)
        two.geometry("a", 6)
        one.geometry("a", 7, resizing: false)
        for text in ["1:a rebuild 3×1", "2:a rebuild 4×1", "2:a rebuild 6×1", "1:a rebuild 7×1"] {
            served.waitFor(text)
        }
        XCTAssertEqual(served.engine.statistics.engine.scenes, 2)
        one.leave()
        served.waitFor(.left(events: 3), of: 1)
        two.leave()
        served.waitFor(.left(events: 2), of: 2)
    }

    func testAMalformedClientIsDroppedAndHarmsNobody() throws {
        let served = try Served()
        let good = try served.client()
        good.write(Client.header)
        good.geometry("a", 3, resizing: true)
        served.waitFor("1:a began")
        let bad = try served.client()
        bad.write(Client.header)
        bad.geometry("x", 9, resizing: true)
        bad.write("{broken\n")
        XCTAssert(bad.lastWords().hasPrefix("dropped: line 3: "))
        served.waitFor("2:x ended disconnected")
        let rubbish = try served.client()
        rubbish.write("hello\n")
        XCTAssert(rubbish.lastWords().hasPrefix("dropped: line 1: the header cannot be read"))
        good.geometry("a", 5, resizing: false)
        served.waitFor("1:a rebuild 5×1")
        XCTAssertEqual(served.said.value.filter { $0.hasPrefix("1:") }.count, 3)
    }

    func testAStreamMayNotNameScenesWithoutEnd() throws {
        let served = try Served(scenesMax: 8192)
        let client = try served.client()
        client.write(Client.header)
        for number in 0...StreamReader.scenesMax { client.geometry("\(number)", 3, resizing: true) }
        XCTAssertEqual(client.lastWords(), "dropped: it names more than 4096 scenes\n")
        served.server.stop()
        served.engine.stop()
        XCTAssertEqual(served.engine.statistics.engine.scenes, 0)

        let small = try Served(scenesMax: 3)
        let next = try small.client()
        next.write(Client.header)
        for number in 0...3 { next.geometry("\(number)", 3, resizing: true) }
        XCTAssert(next.lastWords().hasPrefix("dropped: 3 scenes are connected already"))
    }

    func testAClientThatVanishesEndsItsInteractionAndReleasesItsButtons() throws {
        let served = try Served()
        let client = try served.client()
        client.write(Client.header)
        client.geometry("flag", 3, resizing: true)
        client.geometry("x11", 3)
        client.write(#"{"t_ns":1,"kind":"pointer","button":1,"pressed":true}"# + "\n")
        client.geometry("x11", 4)
        served.waitFor("1:flag began")
        served.waitFor("1:x11 began")
        client.leave()
        served.waitFor("1:flag ended disconnected")
        served.waitFor("1:x11 ended disconnected")
        served.waitFor(.left(events: 4), of: 1)
        // Nothing is held any more: a change of another's scene is no drag.
        let next = try served.client()
        next.write(Client.header)
        next.geometry("b", 3)
        next.geometry("b", 4)
        served.waitFor("2:b rebuild 4×1")
        XCTAssertFalse(served.said.value.contains("2:b began"))
    }

    func testATimeToComeIsTakenAsNow() throws {
        let served = try Served()
        let (one, two) = (try served.client(), try served.client())
        for client in [one, two] { client.write(Client.header) }
        one.geometry("a", 3, at: Timestamp.latest.nanoseconds)
        served.waitFor("1:a rebuild 3×1")
        two.geometry("a", 4)
        served.waitFor("2:a rebuild 4×1")
    }

    func testOneClientTooManyIsRefusedUntilAnotherLeaves() throws {
        let served = try Served(clientsMax: 2)
        let (one, two) = (try served.client(), try served.client())
        served.reports.wait { $0.count == 2 }
        XCTAssertEqual(try served.client().lastWords(), "refused: 2 clients are connected already\n")
        served.waitFor(.refused(reason: "2 clients are connected already"), of: 3)
        one.leave()
        served.waitFor(.left(events: 0), of: 1)
        // The report comes before the place is free.
        var tries = 0
        repeat {
            tries += 1
            let client = try served.client()
            client.write(Client.header)
            client.geometry("a", tries)
            served.reports.wait { $0.contains { $0.client == 3 + tries } }
            if served.reports.value.contains(where: { $0.client == 3 + tries && $0.change.isComing }) {
                served.waitFor("\(3 + tries):a rebuild \(tries)×1")
                break
            }
        } while tries < 1000
        XCTAssertLessThan(tries, 1000)
        two.leave()
    }

    func testOnlyADeadServersSocketIsReplaced() throws {
        let served = try Served()
        func start(_ path: String) throws {
            let server = try StreamServer(path: path, engine: served.engine, names: served.names) { _ in }
            try server.start()
            server.stop()
        }
        func refusal(_ path: String) -> String {
            do {
                try start(path)
                return "none"
            } catch {
                return "\(error)"
            }
        }
        XCTAssertEqual(refusal(served.path), "\(served.path): another server listens there")
        let file = served.folder.file("file")
        try "text".write(toFile: file, atomically: true, encoding: .utf8)
        XCTAssertEqual(refusal(file), "\(file): there is a file that is no socket; it is left alone")
        XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), "text")
        XCTAssert(refusal(served.folder.file("no/s")).hasSuffix("cannot open its folder: No such file or directory"))
        let long = served.folder.file(String(repeating: "x", count: 108))
        XCTAssertEqual(refusal(long), "\(long): a socket's path has 1 to 107 bytes")

        // Moved away, it stays behind when its server stops.
        let stale = served.folder.file("stale")
        XCTAssertEqual(rename(served.path, stale), 0)
        served.server.stop()
        var status = stat()
        XCTAssertEqual(lstat(stale, &status), 0)
        XCTAssertEqual(refusal(stale), "none")
    }

    func testClientsOfARecordingHaveTheirOwnScenesAndFaults() throws {
        let folder = TemporaryFolder()
        let recorder = try LogRecorder(path: folder.file("log"), header: LogHeader(), sync: .never)
        let reports = Locked<[StreamReport]>([])
        let server = try StreamServer(path: folder.file("s"), recorder: recorder) { report in
            reports.change { $0.append(report) }
        }
        try server.start()
        func client(_ number: Int, _ body: (Client) -> Void) throws {
            let client = try Client(folder.file("s"))
            client.write(Client.header)
            body(client)
            client.leave()
            reports.wait { $0.contains { $0.client == number && !$0.change.isComing } }
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
                let what = event.kind == .pointer ? "\(event.button) \(event.isPressed)" : reader.scenes[event.scene]
                events.append("\(what) \(event.kind!)\(event.size.map { " \($0)" } ?? "")")
            }
        }
        XCTAssertEqual(
            events,
            [
                "1:a geometry 3×1", "7 true pointer", "1:a disconnect", "7 false pointer",
                "3:a geometry 5×1", "3:b disconnect", "3:a disconnect",
            ])
    }

    func testStoppingDisconnectsClients() throws {
        let served = try Served()
        let clients = try (0..<5).map { _ in try served.client() }
        for client in clients {
            client.write(Client.header)
            client.geometry("a", 3, resizing: true)
        }
        served.said.wait { $0.count == 5 }
        served.server.stop()
        for number in 1...5 { served.waitFor(.stopped(events: 1), of: number) }
        served.engine.stop()
        XCTAssertEqual(served.said.value.count { $0.hasSuffix("a ended disconnected") }, 5)
        for client in clients { XCTAssertEqual(client.lastWords(), "") }
    }

    func testABinaryStreamDecidesAsTheReplay() throws {
        let served = try Served()
        let reader = try LogReader(path: Recordings.log("w04_mutter"))
        let path = served.folder.file("w04.settle")
        let writer = try BinaryWriter(ByteOutput(path: path), header: reader.header)
        let batch = EventBatch()
        while try reader.read(into: batch) { try writer.write(batch, scenes: reader.scenes) }
        try writer.finish()

        let stream = try StreamReader(
            ByteInput(path: path), client: "file", engine: served.engine, names: served.names)
        XCTAssertEqual(stream.run(), .complete(events: 172))
        let replay = try LogReplay(LogReader(path: path), policy: .uikit)
        let sizes = Locked<[String]>([])
        let take = { (decision: Decision, scene: String) in
            if case .rebuild(let rebuild) = decision.kind {
                sizes.change { $0.append("file:\(scene) rebuild \(rebuild.size)") }
            }
        }
        while try replay.readNext() { replay.submit(deliver: take) }
        replay.finish(deliver: take)
        served.engine.stop()
        XCTAssertEqual(served.said.value.filter { $0.contains("rebuild") }, sizes.value)
        XCTAssertGreaterThan(sizes.value.count, 5)
    }
}

extension StreamReport.Change {
    fileprivate var isComing: Bool { if case .came = self { true } else { false } }
}
