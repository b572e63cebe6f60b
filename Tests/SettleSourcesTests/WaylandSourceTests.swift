import Foundation
import Settle
import SettleClock
import SettleLog
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleSources

final class WaylandSourceTests: XCTestCase {
    private func randomBytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        return (0..<count / 8).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }
    }

    /// What the pipes of `numbered` hold; closes them.
    private func numbers(_ descriptors: [Int32]) -> [UInt64] {
        descriptors.map {
            var value: UInt64 = 0
            read($0, &value, 8)
            close($0)
            return value
        }
    }

    /// Pipes that hold a number each.
    private func numbered(_ values: Range<UInt64>) -> [Int32] {
        values.map { value in
            var ends: [Int32] = [0, 0]
            XCTAssertEqual(pipe(&ends), 0)
            var value = value
            XCTAssertEqual(write(ends[1], &value, 8), 8)
            close(ends[1])
            return ends[0]
        }
    }

    func testBytesPassUnchangedInBothDirections() throws {
        let peers = try WaylandPeers()
        let (client, compositor) = try peers.pair()
        defer { for socket in [client, compositor] { socket.close() } }
        for (from, to) in [(client, compositor), (compositor, client)] {
            let bytes = randomBytes(4096, seed: 1)
            try peers.send(from, bytes)
            XCTAssertEqual(try peers.receive(to, count: 4096).bytes, bytes)
        }
    }

    func testDescriptorsPassInTheirOrder() throws {
        for count in [1, 28, UInt64(UnixDomainSocket.descriptorsMax)] {
            let peers = try WaylandPeers()
            let (client, compositor) = try peers.pair()
            defer { for socket in [client, compositor] { socket.close() } }
            for (from, to) in [(client, compositor), (compositor, client)] {
                let sent = numbered(1..<count + 1)
                try peers.send(from, Array(repeating: 7, count: 8), sent)
                closeDescriptors(sent)
                let received = try peers.receive(to, count: 8)
                XCTAssertEqual(numbers(received.descriptors), Array(1..<count + 1))
            }
        }
    }

    func testADescriptorIsThereWithTheByteThatItCameWith() throws {
        let peers = try WaylandPeers()
        let (client, compositor) = try peers.pair()
        defer { for socket in [client, compositor] { socket.close() } }
        var random = SplitMix64(seed: 2)
        var sentBytes = 0
        var firstByteOfDescriptor: [Int] = []
        var receivedDescriptors = 0
        var receivedBytes = 0
        var buffer = [UInt8](repeating: 0, count: 50)
        for _ in 0..<3000 {
            let bytes = Array(repeating: UInt8(1), count: 4 * (1 + random.below(40)))
            let passed = random.below(4)
            let descriptors = numbered(1..<UInt64(passed) + 1)
            firstByteOfDescriptor += Array(repeating: sentBytes, count: passed)
            try peers.send(client, bytes, descriptors)
            closeDescriptors(descriptors)
            sentBytes += bytes.count
            if random.chance(70) { try peers.turn() }
            // Now and then the other side reads, a little or much.
            for _ in 0..<random.below(8) {
                var descriptors: [Int32] = []
                let size = 1 + random.below(50)
                let count = try buffer[..<size].withUnsafeMutableBytes { bytes throws(SystemError) in
                    try compositor.receive(into: bytes, descriptors: &descriptors)
                }
                closeDescriptors(descriptors)
                receivedDescriptors += descriptors.count
                receivedBytes += count ?? 0
                let needed = firstByteOfDescriptor.count { $0 < receivedBytes }
                XCTAssertGreaterThanOrEqual(receivedDescriptors, needed)
            }
        }
        let rest = try peers.receive(compositor, count: sentBytes - receivedBytes)
        closeDescriptors(rest.descriptors)
        XCTAssertEqual(receivedDescriptors + rest.descriptors.count, firstByteOfDescriptor.count)
    }

    func testASideThatDoesNotReadStopsTheOther() throws {
        let peers = try WaylandPeers()
        let (client, compositor) = try peers.pair()
        defer { for socket in [client, compositor] { socket.close() } }
        let bytes = randomBytes(1 << 24, seed: 3)
        var sent = 0
        var refusals = 0
        while refusals < 1000 {
            let taken = try bytes[sent...].withUnsafeBytes { rest throws(SystemError) in
                try client.send(rest, descriptors: [])
            }
            refusals = taken == nil ? refusals + 1 : 0
            sent += taken ?? 0
            try peers.turn()
        }
        // Two sockets' buffers and a chunk.
        XCTAssertLessThan(sent, 1 << 21)
        // The other direction goes on meanwhile.
        try peers.send(compositor, [1, 2, 3, 4])
        XCTAssertEqual(try peers.receive(client, count: 4).bytes, [1, 2, 3, 4])
        XCTAssertEqual(try peers.receive(compositor, count: sent).bytes, Array(bytes[..<sent]))
    }

    func testAWindowBecomesEventsAndAMalformedMessagePasses() throws {
        let peers = try WaylandPeers()
        let (client, compositor) = try peers.pair()
        defer { for socket in [client, compositor] { socket.close() } }
        let hello = WaylandBytes.client.bytes
        try peers.send(client, hello)
        XCTAssertEqual(try peers.receive(compositor, count: hello.count).bytes, hello)
        var events = WaylandBytes()
        events.configure(640, 480, [3])
        let before = MonotonicClock.now
        try peers.send(compositor, events.bytes)
        XCTAssertEqual(try peers.receive(client, count: events.bytes.count).bytes, events.bytes)
        let event = try XCTUnwrap(peers.events.first)
        XCTAssertEqual(peers.source.scenes[event.name], "editor 1:8")
        XCTAssertEqual(event.size, Size(width: 640, height: 480))
        XCTAssertEqual(event.isInteractivelyResizing, true)
        XCTAssertGreaterThanOrEqual(event.at, before)

        var malformed = WaylandBytes()
        malformed.raw(8, 2, length: 2)
        try peers.send(client, malformed.bytes + hello)
        XCTAssertEqual(try peers.receive(compositor, count: 8 + hello.count).bytes, malformed.bytes + hello)
        XCTAssertEqual(peers.messages.count, 1)
        XCTAssertEqual(peers.events.map(\.kind), [.geometry, .disconnect])
        try peers.send(compositor, events.bytes)
        XCTAssertEqual(try peers.receive(client, count: events.bytes.count).bytes, events.bytes)
        XCTAssertEqual(peers.events.count, 2)
    }

    func testAnEndIsHandedOnAfterTheLastBytes() throws {
        let peers = try WaylandPeers()
        var (client, compositor) = try peers.pair()
        try peers.send(client, [1, 2, 3, 4])
        client.close()
        let last = try peers.receive(compositor, count: 5)
        XCTAssertEqual(last.bytes, [1, 2, 3, 4])
        XCTAssertTrue(last.isEnd)
        compositor.close()

        (client, compositor) = try peers.pair()
        // The compositor ends the connection with a message that says why, and has not read all.
        try peers.send(client, [9, 9, 9, 9])
        try peers.send(compositor, [5, 6, 7, 8])
        compositor.close()
        let reason = try peers.receive(client, count: 5)
        XCTAssertEqual(reason.bytes, [5, 6, 7, 8])
        XCTAssertTrue(reason.isEnd)
        client.close()
    }

    func testManyClientsAreApartAndTooManyAreRefused() throws {
        let peers = try WaylandPeers(backlog: 3)
        peers.source.connectionsMax = 40
        let pairs = try (0..<40).map { _ in try peers.pair() }
        for (number, pair) in pairs.enumerated() { try peers.send(pair.client, [UInt8(number), 0, 0, 0]) }
        for (number, pair) in pairs.enumerated() {
            XCTAssertEqual(try peers.receive(pair.compositor, count: 4).bytes, [UInt8(number), 0, 0, 0])
        }
        for _ in 0..<3 {
            let refused = try peers.client()
            XCTAssertTrue(try peers.receive(refused, count: 1).isEnd)
            refused.close()
        }
        XCTAssertEqual(peers.messages.count, 1)
        pairs[0].client.close()
        XCTAssertTrue(try peers.receive(pairs[0].compositor, count: 1).isEnd)
        pairs[0].compositor.close()
        try peers.run { peers.source.connectionCount == 39 }
        let another = try peers.pair()
        try peers.send(another.client, [1, 2, 3, 4])
        XCTAssertEqual(try peers.receive(another.compositor, count: 4).bytes, [1, 2, 3, 4])
        for socket in pairs.dropFirst().flatMap({ [$0.client, $0.compositor] }) + [another.client, another.compositor] {
            socket.close()
        }
    }

    /// The compositor's queue holds less than the clients that come at once.
    func testABusyCompositorIsAskedAgain() throws {
        let peers = try WaylandPeers(backlog: 1)
        let clients = try (0..<30).map { _ in try peers.client() }
        for _ in 0..<100 { try peers.turn() }
        XCTAssertNotNil(peers.source.nextWake)
        let compositors = try clients.map { _ in try peers.accept() }
        XCTAssertEqual(peers.source.connectionCount, 30)
        XCTAssertEqual(peers.messages, [])
        for socket in clients + compositors { socket.close() }
    }

    func testTheEndHasTheStatusOfTheApp() throws {
        for (script, status) in [("exit 0", 0), ("exit 42", 42), ("kill -KILL $$", 137)] as [(String, Int32)] {
            let peers = try WaylandPeers(["sh", "-c", script])
            try peers.run { peers.status != nil }
            XCTAssertEqual(peers.status, status, script)
            XCTAssertEqual(peers.messages.count, 1)
            XCTAssertTrue(peers.messages[0].hasPrefix("sh has ended without a connection to Wayland"), script)
        }
    }

    func testAnAppWhoseConnectionIsClosedHadOne() throws {
        let peers = try WaylandPeers(["true"])
        let (client, compositor) = try peers.pair()
        for socket in [client, compositor] { socket.close() }
        try peers.run { peers.status != nil }
        XCTAssertEqual(peers.messages, [])
    }

    func testTheAppFindsTheSocketInAPrivateFolderThatIsRemoved() throws {
        let file = NSTemporaryDirectory() + "settle-wayland-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        var peers: WaylandPeers? = try WaylandPeers(
            ["sh", "-c", "test -S \"$WAYLAND_DISPLAY\" && stat -c '%a %n' \"${WAYLAND_DISPLAY%/*}\" > \(file)"])
        try peers?.run { peers?.status != nil }
        XCTAssertEqual(peers?.status, 0)
        let folder = String(try XCTUnwrap(peers).source.socketPath.dropLast("/wayland-0".count))
        XCTAssertEqual(try String(contentsOfFile: file, encoding: .utf8), "700 \(folder)\n")
        XCTAssertTrue(FileManager.default.fileExists(atPath: folder))
        peers = nil
        XCTAssertFalse(FileManager.default.fileExists(atPath: folder))
    }

    func testConnectionsThatOutliveTheAppGoOnUntilItIsStopped() throws {
        let peers = try WaylandPeers(["true"])
        let (client, compositor) = try peers.pair()
        defer { for socket in [client, compositor] { socket.close() } }
        for _ in 0..<100 {
            try peers.turn()
            waitUntilReadable(peers.source.descriptor, nanoseconds: 1_000_000)
        }
        try peers.send(client, [1, 2, 3, 4])
        XCTAssertEqual(try peers.receive(compositor, count: 4).bytes, [1, 2, 3, 4])
        XCTAssertNil(peers.status)
        try peers.run { peers.source.hasAppEnded }
        XCTAssertTrue(peers.source.stop())
        try peers.run { peers.status != nil }
        XCTAssertEqual(peers.status, 0)
        XCTAssertTrue(try peers.receive(client, count: 1).isEnd)
    }

    func testStoppingAsksTheAppToEndAndThenKillsIt() throws {
        let polite = try WaylandPeers(["sleep", "1000"])
        XCTAssertTrue(polite.source.stop())
        try polite.run { polite.status != nil }
        XCTAssertEqual(polite.status, 143)

        let deaf = try WaylandPeers(["sh", "-c", "trap '' TERM; exec sleep 1000"])
        try deaf.run {
            try String(contentsOfFile: "/proc/\(deaf.source.process)/comm", encoding: .utf8) == "sleep\n"
        }
        XCTAssertTrue(deaf.source.stop())
        for _ in 0..<50 {
            try deaf.turn()
            waitUntilReadable(deaf.source.descriptor, nanoseconds: 1_000_000)
        }
        XCTAssertNil(deaf.status)
        XCTAssertTrue(deaf.source.stop())
        try deaf.run { deaf.status != nil }
        XCTAssertEqual(deaf.status, 137)
    }

    func testAStopEndsWhatTheAppLeavesBehind() throws {
        let peers = try WaylandPeers()
        let (client, compositor) = try peers.pair()
        defer { for socket in [client, compositor] { socket.close() } }
        let hello = WaylandBytes.client.bytes
        try peers.send(client, hello)
        var events = WaylandBytes()
        events.configure(1, 1)
        try peers.send(compositor, events.bytes)
        try peers.run { !peers.events.isEmpty }
        XCTAssertTrue(peers.source.stop())
        try peers.run { peers.status != nil }
        XCTAssertEqual(peers.events.map(\.kind), [.geometry, .disconnect])
        XCTAssertTrue(try peers.receive(client, count: events.bytes.count + 1).isEnd)
    }

    func testWithoutACompositorTheAppHasSomeTimeToEnd() throws {
        let peers = try WaylandPeers()
        let (client, compositor) = try peers.pair()
        defer { client.close() }
        peers.endCompositor()
        compositor.close()
        XCTAssertTrue(try peers.receive(client, count: 1).isEnd)
        XCTAssertEqual(peers.messages.count, 1)
        XCTAssertNotNil(peers.source.nextWake)
        XCTAssertThrowsError(try peers.run { false }) {
            XCTAssertTrue("\($0)".hasPrefix("the Wayland compositor at \(peers.compositorPath) is gone"), "\($0)")
        }
    }

    func testACompositorIsMissedAlsoByAClientThatSends() throws {
        let peers = try WaylandPeers()
        let (client, compositor) = try peers.pair()
        peers.endCompositor()
        compositor.close()
        let hello = WaylandBytes.client.bytes
        XCTAssertEqual(hello.withUnsafeBytes { try? client.send($0, descriptors: []) }, hello.count)
        try peers.run { !peers.messages.isEmpty }
        XCTAssertTrue(peers.messages[0].contains("is gone"), peers.messages[0])
        client.close()
    }

    func testAClientThatGoesIsNoLossOfTheCompositor() throws {
        let peers = try WaylandPeers()
        let (client, compositor) = try peers.pair()
        // Nobody would answer, if it were asked for.
        peers.endCompositor()
        client.close()
        XCTAssertTrue(try peers.receive(compositor, count: 1).isEnd)
        compositor.close()
        try peers.run { peers.source.connectionCount == 0 }
        XCTAssertEqual(peers.messages, [])
    }

    func testAnAppThatEndsWithItsCompositorEndsInOrder() throws {
        let peers = try WaylandPeers(["sleep", "1000"])
        let (client, compositor) = try peers.pair()
        peers.endCompositor()
        compositor.close()
        XCTAssertTrue(try peers.receive(client, count: 1).isEnd)
        client.close()
        XCTAssertTrue(peers.source.stop())
        try peers.run { peers.status != nil }
        XCTAssertEqual(peers.status, 143)
    }

    func testWhatIsMissingIsNamed() throws {
        let folder = try PrivateFolder(in: "/tmp", prefix: "settle-test-")
        func problem(_ make: () throws -> WaylandSource) -> String {
            do {
                _ = try make()
                return "none"
            } catch {
                return "\(error)"
            }
        }
        let compositor = WaylandCompositor(path: "/there/is/none")
        XCTAssertEqual(
            problem { try WaylandSource(command: ["/there/is/none"], compositor: compositor, folders: [folder.path]) },
            "/there/is/none cannot be started: No such file or directory; check its name, and that it is installed")
        XCTAssertEqual(
            problem { try WaylandSource(command: [], compositor: compositor, folders: [folder.path]) },
            "no app was named; name its command")
        let noFolder = problem {
            try WaylandSource(command: ["true"], compositor: compositor, folders: ["/no", "/none"])
        }
        XCTAssertTrue(noFolder.contains("/no (mkdtemp: No such file or directory) or in /none"), noFolder)
        XCTAssertFalse(compositor.isAnswering)
        let deep = folder.path + "/" + String(repeating: "x", count: 100)
        try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: false)
        // A path that is too long for a socket is passed over, and nothing is left in it.
        let source = try WaylandSource(command: ["true"], compositor: compositor, folders: [deep, folder.path])
        XCTAssertTrue(source.socketPath.hasPrefix(folder.path + "/settle-"))
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: deep), [])
        try FileManager.default.removeItem(atPath: deep)
    }

    func testNoDescriptorIsLeftOpen() throws {
        func open() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        let before = try open()
        do {
            let peers = try WaylandPeers(["true"])
            let (client, compositor) = try peers.pair()
            let passed = numbered(1..<29)
            // The other side does not take them.
            try peers.send(client, [1, 2, 3, 4], passed)
            closeDescriptors(passed)
            for _ in 0..<10 { try peers.turn() }
            client.close()
            compositor.close()
            try peers.run { peers.status != nil }
        }
        XCTAssertEqual(try open(), before)
    }
}
