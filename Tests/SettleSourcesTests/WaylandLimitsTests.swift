import Foundation
import Settle
import SettleLog
import SettlePlatform
import XCTest

@testable import SettleSources

/// Clients and compositors that are busy, gone or too many, one after another in one turn.
final class WaylandLimitsTests: XCTestCase {
    /// The most turns that something may take which waits for nothing.
    private static let turnsMax = 20

    func testABusyCompositorIsNotAskedWithoutPauseWhenAConnectionEnds() throws {
        let peers = try WaylandPeers(backlog: 1)
        var sockets = [try peers.client()]
        defer { for socket in sockets { socket.close() } }
        let first = try peers.accept()
        // The compositor takes none of these, so one of them waits in the source, and others before it.
        for _ in 0..<6 { sockets.append(try peers.client()) }
        for _ in 0..<Self.turnsMax { try peers.turn() }
        XCTAssertNotNil(peers.source.nextWake)
        let count = peers.source.connectionCount
        sockets.removeFirst().close()
        first.close()
        try peers.run { peers.source.connectionCount < count }
        // What cannot be served is not waited for, except by the clock.
        var isQuiet = false
        for _ in 0..<Self.turnsMax where !isQuiet {
            try peers.turn()
            isQuiet = !isReadable(peers.source.descriptor)
        }
        XCTAssertTrue(isQuiet)
        XCTAssertNotNil(peers.source.nextWake)
    }

    func testAClientThatComesWithTheEndOfAStoppedAppIsNotServed() throws {
        let peers = try WaylandPeers()
        XCTAssertTrue(peers.source.stop())
        // The system reports the end first, then the client.
        var information = siginfo_t()
        XCTAssertEqual(waitid(P_PID, id_t(peers.source.process), &information, WEXITED | WNOWAIT), 0)
        let client = try peers.client()
        defer { client.close() }
        for _ in 0..<Self.turnsMax where peers.status == nil { try peers.turn() }
        XCTAssertEqual(peers.status, 143)
        XCTAssertEqual(peers.source.connectionCount, 0)
    }

    func testAStopDoesNotWaitForWhatALauncherHasStarted() throws {
        let file = NSTemporaryDirectory() + "settle-launched-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let peers = try WaylandPeers(["sh", "-c", "sleep 1000 & echo $! >\(file)"], adopts: true)
        try peers.run { peers.source.hasAppEnded }
        let launched = try XCTUnwrap(Int32(String(contentsOfFile: file, encoding: .utf8).dropLast()))
        defer { kill(launched, SIGKILL) }
        for _ in 0..<Self.turnsMax { try peers.turn() }
        XCTAssertNil(peers.status)
        XCTAssertTrue(peers.source.stop())
        for _ in 0..<Self.turnsMax where peers.status == nil { try peers.turn() }
        XCTAssertEqual(peers.status, 0)
    }

    /// Not even the reserve helps when the whole system has no descriptor left.
    func testClientsAreServedAgainWhenThereAreDescriptorsAgain() throws {
        let peers = try WaylandPeers()
        var limit = rlimit()
        XCTAssertEqual(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit), 0)
        let client = try peers.client()
        defer { client.close() }
        var none = rlimit(rlim_cur: 3, rlim_max: limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
        for _ in 0..<Self.turnsMax { try peers.turn() }
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        XCTAssertEqual(peers.messages.count, 1)
        XCTAssertEqual(peers.source.connectionCount, 0)
        XCTAssertFalse(isReadable(peers.source.descriptor))
        try peers.run { peers.source.connectionCount == 1 }
        let compositor = try peers.accept()
        defer { compositor.close() }
        try peers.send(client, [1, 2, 3, 4])
        XCTAssertEqual(try peers.receive(compositor, count: 4).bytes, [1, 2, 3, 4])
    }

    func testTooManyConnectionsAreSaidOnceWhateverTheirNumber() throws {
        let peers = try WaylandPeers()
        var sockets: [UnixDomainSocket] = []
        defer { for socket in sockets { socket.close() } }
        for count in 1...3 {
            peers.source.connectionsMax = count
            let (client, compositor) = try peers.pair()
            let refused = try peers.client()
            XCTAssertTrue(try peers.receive(refused, count: 1).isEnd)
            sockets += [client, compositor, refused]
        }
        XCTAssertEqual(peers.messages.count, 1)
        XCTAssertTrue(peers.messages[0].contains("1 connection,"), peers.messages[0])
    }

    /// What this process has open.
    private func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    /// An app that passes the sockets of its own connections, which then end, whoever ends them and wherever the sockets
    /// are by then.
    private func passOwnSockets(isRead: Bool, isEndedByCompositor: Bool) throws {
        let peers = try WaylandPeers()
        let (first, second) = (try peers.pair(), try peers.pair())
        // A message of an object that nobody knows, without arguments.
        let message: [UInt8] = [9, 0, 0, 0, 0, 0, 8, 0]
        for (from, to) in [(first.client, first.compositor), (second.compositor, second.client)] {
            if isRead {
                for _ in 0..<3 { try peers.send(from, message, [from.descriptor]) }
                let received = try peers.receive(to, count: 3 * message.count)
                XCTAssertEqual(received.descriptors.count, 3)
                closeDescriptors(received.descriptors)
                continue
            }
            // Until the proxy holds what nobody takes.
            let bytes = Array(repeating: message, count: 1 << 13).flatMap(\.self)
            var refusals = 0
            while refusals < 100 {
                let taken = try bytes.withUnsafeBytes { bytes throws(SystemError) in
                    try from.send(bytes, descriptors: [from.descriptor])
                }
                refusals = taken == nil ? refusals + 1 : 0
                try peers.turn()
            }
        }
        for pair in [first, second] {
            if isEndedByCompositor { pair.compositor.shutdown() } else { pair.client.shutdown() }
            pair.client.close()
            pair.compositor.close()
        }
        try peers.run { peers.source.connectionCount == 0 }
        XCTAssertEqual(peers.messages, [])
    }

    func testSocketsThatAnAppPassesOfItsOwnLeaveNoDescriptors() throws {
        try passOwnSockets(isRead: true, isEndedByCompositor: false)
        let before = try descriptors()
        for isRead in [true, false] {
            for isEndedByCompositor in [true, false] {
                try passOwnSockets(isRead: isRead, isEndedByCompositor: isEndedByCompositor)
                XCTAssertEqual(try descriptors(), before, "\(isRead) \(isEndedByCompositor)")
            }
        }
    }

    func testWhatAClientSentLastIsHandedOnAlsoAfterTheAppHasEnded() throws {
        let peers = try WaylandPeers(["true"])
        let (client, compositor) = try peers.pair()
        defer { compositor.close() }
        // Until both sockets and the proxy are full.
        let bytes = (0..<1 << 22).map { UInt8(truncatingIfNeeded: $0 % 251) }
        var (sent, refusals) = (0, 0)
        while refusals < 100 {
            let taken = try bytes[sent...].withUnsafeBytes { rest throws(SystemError) in
                try client.send(rest, descriptors: [])
            }
            refusals = taken == nil ? refusals + 1 : 0
            sent += taken ?? 0
            try peers.turn()
        }
        try peers.run { peers.source.hasAppEnded }
        client.close()
        // By which the proxy learns that the client has gone.
        let event: [UInt8] = [1, 2, 3, 4]
        XCTAssertEqual(event.withUnsafeBytes { try? compositor.send($0, descriptors: []) }, 4)
        for _ in 0..<Self.turnsMax { try peers.turn() }
        XCTAssertNil(peers.status)
        let received = try peers.receive(compositor, count: sent + 1)
        XCTAssertEqual(received.bytes.count, sent)
        XCTAssertTrue(received.bytes.elementsEqual(bytes[..<sent]))
        XCTAssertTrue(received.isEnd)
    }
}
