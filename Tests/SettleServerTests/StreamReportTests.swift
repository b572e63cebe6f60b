import Settle
import SettleLog
import TestSupport
import XCTest

@testable import SettleServer

/// What a server says and counts of all its clients, and when.
final class StreamReportTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    /// A server with a clock of the test's, and what it said with what it had counted by then.
    private final class World: @unchecked Sendable {
        let clock = Locked<UInt64>(1_000_000_000)
        let said = Locked<[String]>([])
        let begins = Locked(0)
        let ends = Locked<[String]>([])
        let server = Locked<StreamServer?>(nil)

        func start(_ path: String) throws {
            let made = try StreamServer(
                .init(path: path, policy: .uikit, clientsMax: 2),
                clock: { [clock] in Timestamp(nanoseconds: clock.value) },
                report: { [said, server] report in
                    if report.change.isConnecting {
                        return said.change { $0.append("client \(report.client) connected") }
                    }
                    guard let counts = server.value?.statistics else { return }
                    said.change {
                        $0.append(
                            "\(report) (\(counts.clients) clients, \(counts.refused) refused, \(counts.dropped) dropped,"
                                + " \(counts.events) events, \(counts.clamped) clamped)")
                    }
                },
                handler: { [begins, ends] decision in
                    if case .interactionBegan = decision.decision.kind { begins.change { $0 += 1 } }
                    guard case .interactionEnded(let reason, _) = decision.decision.kind else { return }
                    ends.change {
                        $0.append(
                            "\(decision.name) \(reason.rawValue) \(decision.decision.at.nanoseconds / 1_000_000_000)")
                    }
                })
            server.change { $0 = made }
            try made.start()
        }

        /// Waits until something is said, and for the client's place.
        func waitFor(_ text: String, line: UInt = #line) {
            said.wait({ $0.last?.hasPrefix(text) ?? false }, line: line)
        }
    }

    func testWhatIsSaidAndCountedOfAllClients() throws {
        let world = World()
        let path = folder.file("s")
        try world.start(path)
        func client(_ number: Int) throws -> Client {
            let client = try Client(path)
            client.write(Client.header)
            world.waitFor("client \(number) connected")
            return client
        }
        let first = try client(1)
        first.geometry("a", 3, resizing: true, at: 1_000_000_000)
        let second = try client(2)
        XCTAssertEqual(try Client(path).lastWords(), "refused: 2 clients are connected already\n")
        world.waitFor("client 3 was refused")
        second.geometry("b", 3, resizing: true, at: 2_000_000_000)
        second.geometry("b", 4, resizing: true, at: 1_000_000_000)
        world.begins.wait { $0 == 2 }
        world.clock.change { $0 = 4_000_000_000 }
        second.write("{broken\n")
        XCTAssert(second.lastWords().hasPrefix("dropped: line 4: "))
        world.waitFor("client 2 was dropped")
        world.ends.wait { $0.count == 1 }
        // One that only looks whether somebody listens, one with an event, and one that the end finds.
        try Client(path).leave()
        world.waitFor("client 4 disconnected")
        let third = try client(5)
        third.geometry("c", 3, at: 9_000_000_000)
        third.leave()
        world.waitFor("client 5 disconnected")
        first.geometry("a", 4, resizing: false, at: 5_000_000_000)
        world.ends.wait { $0.count == 2 }
        world.clock.change { $0 = 7_000_000_000 }
        first.leave()
        world.waitFor("client 1 disconnected")
        let last = try client(6)
        last.geometry("a", 3, resizing: true, at: 7_000_000_000)
        world.begins.wait { $0 == 3 }
        // The server's end cuts a line off, which is no fault of the client's.
        last.write("{")
        world.server.value?.stop()
        let counts = world.server.value?.statistics
        world.server.change { $0 = nil }
        let said = world.said.value.map { $0.replacing(/: line 4: .* \(/, with: ": line 4 (") }
        XCTAssertEqual(
            said.prefix(10).joined(separator: "\n"),
            """
            client 1 connected
            client 2 connected
            client 3 was refused: 2 clients are connected already (3 clients, 1 refused, 0 dropped, 0 events, 0 clamped)
            client 2 was dropped after 2 events: line 4 (3 clients, 1 refused, 1 dropped, 2 events, 1 clamped)
            client 4 connected
            client 4 disconnected after 0 events (4 clients, 1 refused, 1 dropped, 2 events, 1 clamped)
            client 5 connected
            client 5 disconnected after 1 event (5 clients, 1 refused, 1 dropped, 3 events, 2 clamped)
            client 1 disconnected after 2 events (5 clients, 1 refused, 1 dropped, 5 events, 3 clamped)
            client 6 connected
            """)
        XCTAssertEqual(world.ends.value, ["2:b disconnected 4", "1:a reported 4", "6:a disconnected 7"])
        XCTAssertEqual(said.last?.hasPrefix("client 6 was disconnected after 1 event, as the server stopped"), true)
        XCTAssertEqual([counts?.events, counts?.clients, counts?.dropped, counts?.clamped], [6, 6, 1, 3])
    }

    func testAReasonIsOneShortLineWithoutControlCharacters() throws {
        let served = try Served()
        let kinds = [
            #"\u001b[2J\n\u202e"#, String(repeating: "é", count: 5000), String(repeating: #"\u0001"#, count: 400),
        ]
        for (number, kind) in kinds.enumerated() {
            let client = try served.client()
            client.write(Client.header + #"{"t_ns":1,"kind":"\#(kind)","scene":"a"}"# + "\n")
            let words = client.lastWords()
            XCTAssert(words.hasPrefix("dropped: line 2: unknown kind \""), words)
            XCTAssertEqual(words.filter { $0 == "\n" }.count, 1, words)
            XCTAssertFalse(words.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x202E }, words)
            XCTAssertLessThan(words.utf8.count, 600)
            let reason = String(words.dropFirst("dropped: ".count).dropLast())
            served.waitFor(.dropped(reason: reason, events: 0), of: number + 1)
        }
    }

    func testStopReturnsAfterTheHandlersLastCall() throws {
        let (begun, ended) = (Locked(0), Locked(0))
        let server = try StreamServer(
            .init(path: folder.file("s"), policy: .live), report: { _ in },
            handler: { decision in
                XCTAssertTrue(decision.takesReports)
                begun.change { $0 += 1 }
                usleep(20_000)
                ended.change { $0 += 1 }
            })
        try server.start()
        let client = try Client(folder.file("s"))
        client.write(Client.header)
        client.geometry("a", 3, resizing: true)
        begun.wait { $0 > 0 }
        server.stop()
        XCTAssertEqual(begun.value, ended.value)
    }

    func testWhyNothingIsRecordedOfAClientIsSaidToIt() throws {
        struct Full: Error, CustomStringConvertible { let description = "no room for a log" }
        let isFull = Locked(true)
        let recorder = try LogRecorder(path: folder.file("log"), header: LogHeader(), sync: .never)
        let server = try StreamServer(
            .init(path: folder.file("s"), clientsMax: 1),
            recorder: { if isFull.value { throw Full() } else { recorder } },
            report: { _ in })
        try server.start()
        XCTAssertEqual(try Client(folder.file("s")).lastWords(), "dropped: no room for a log\n")
        isFull.change { $0 = false }
        let client = try Client(folder.file("s"))
        client.write(Client.header)
        XCTAssertEqual(try Client(folder.file("s")).lastWords(), "refused: a client is connected already\n")
        server.stop()
        try recorder.finish()
        XCTAssertEqual([server.statistics.dropped, server.statistics.refused], [1, 1])
    }

    func testAReportIsASentence() {
        typealias Change = StreamReport.Change
        let changes: [(Change, String)] = [
            (.connected(process: 7), "connected, process 7"), (.disconnected(events: 1), "disconnected after 1 event"),
            (.dropped(reason: "r", events: 1), "was dropped after 1 event: r"),
            (.dropped(reason: "r", events: 2), "was dropped after 2 events: r"),
            (.refused(reason: "r"), "was refused: r"),
            (.stopped(events: 1), "was disconnected after 1 event, as the server stopped"),
            (.stopped(events: 0), "was disconnected after 0 events, as the server stopped"),
        ]
        for (change, text) in changes {
            XCTAssertEqual("\(StreamReport(client: 4, change: change))", "client 4 \(text)")
        }
    }
}
