import Foundation
import Settle
import SettleClock
import SettleLog
import SettlePlatform
import XCTest

@testable import SettleSources

/// Ends that come together: of the app, of clients and of the compositor; and what they leave.
final class WaylandEndsTests: XCTestCase {
    private func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    /// Waits until the app has ended, without a turn.
    private func waitForApp(of peers: WaylandPeers) {
        var information = siginfo_t()
        XCTAssertEqual(waitid(P_PID, id_t(peers.source.process), &information, WEXITED | WNOWAIT), 0)
    }

    func testAClientThatComesAfterTheAppsEndIsServedStill() throws {
        let peers = try WaylandPeers(["true"])
        waitForApp(of: peers)
        try peers.turn()
        XCTAssertTrue(peers.source.hasAppEnded)
        XCTAssertNil(peers.status)
        // Nothing else would wake whoever reads the source.
        XCTAssertLessThanOrEqual(try XCTUnwrap(peers.source.nextWake), MonotonicClock.now)
        let (client, compositor) = try peers.pair()
        XCTAssertEqual(peers.source.connectionCount, 1)
        for socket in [client, compositor] { socket.close() }
        try peers.run { peers.status != nil }
        XCTAssertEqual(peers.messages, [])
    }

    /// The compositor's queue is full of others.
    func testAClientThatWaitsWhenTheAppEndsIsServedOrClosed() throws {
        for isStopped in [false, true] {
            let peers = try WaylandPeers(isStopped ? ["sleep", "1000"] : ["true"], backlog: 0)
            let other = try UnixDomainSocket()
            try other.connect(to: peers.compositorPath)
            let client = try peers.client()
            defer { for socket in [other, client] { socket.close() } }
            if !isStopped { waitForApp(of: peers) }
            for _ in 0..<20 { try peers.turn() }
            XCTAssertNil(peers.status)
            XCTAssertEqual(peers.source.connectionCount, 0)
            if isStopped {
                XCTAssertTrue(peers.source.stop())
                try peers.run { peers.status != nil }
                XCTAssertEqual(peers.messages, [], "an app that was asked to end need not have connected")
                XCTAssertTrue(try peers.receive(client, count: 1).isEnd)
            } else {
                try peers.accept().close()
                let compositor = try peers.accept()
                try peers.send(client, [1, 2, 3, 4])
                XCTAssertEqual(try peers.receive(compositor, count: 4).bytes, [1, 2, 3, 4])
                compositor.close()
                client.shutdown()
                try peers.run { peers.status != nil }
            }
        }
    }

    /// A compositor that is killed may answer for a moment longer.
    func testACompositorThatAnsweredIsLookedForOnceMore() throws {
        let peers = try WaylandPeers(["true"])
        let (client, compositor) = try peers.pair()
        defer { client.close() }
        try peers.run { peers.source.hasAppEnded }
        compositor.close()
        XCTAssertTrue(try peers.receive(client, count: 1).isEnd)
        XCTAssertEqual(peers.messages, [])
        peers.endCompositor()
        try peers.run { peers.status != nil }
        XCTAssertEqual(peers.messages.count, 1)
        XCTAssertTrue(peers.messages.first?.contains("is gone") == true, "\(peers.messages)")
    }

    func testACompositorThatComesBackIsNotMissedAnyMore() throws {
        let peers = try WaylandPeers()
        let (client, compositor) = try peers.pair()
        defer { for socket in [client, compositor] { socket.close() } }
        XCTAssertNil(peers.source.nextWake)
        let before = try descriptors()
        peers.endCompositor()
        // The connection that is there goes on. Another one cannot be opened, which is closed at once.
        for _ in 0..<2 {
            let refused = try peers.client()
            XCTAssertTrue(try peers.receive(refused, count: 1).isEnd)
            refused.close()
        }
        XCTAssertEqual(peers.messages.count, 1)
        XCTAssertEqual(try descriptors(), before - 1, "the compositor's own")
        XCTAssertNotNil(peers.source.nextWake)
        let again = try UnixDomainSocket()
        defer { again.close() }
        try again.bind(to: peers.compositorPath)
        defer { try? SocketFile.remove(peers.compositorPath) }
        try again.listen(waitingMax: 1)
        let next = try peers.client()
        defer { next.close() }
        try peers.run { peers.source.connectionCount == 2 }
        XCTAssertNil(peers.source.nextWake, "the app has all the time that it likes")
    }

    func testWhereTheAppHasEndedACompositorsAbsenceIsNotWaitedFor() throws {
        let peers = try WaylandPeers()
        let (client, compositor) = try peers.pair()
        peers.endCompositor()
        let refused = try peers.client()
        XCTAssertTrue(try peers.receive(refused, count: 1).isEnd)
        kill(peers.source.process, SIGKILL)
        try peers.run { peers.source.hasAppEnded }
        XCTAssertNil(peers.source.nextWake)
        for socket in [client, compositor, refused] { socket.close() }
        try peers.run { peers.status != nil }
        XCTAssertEqual(peers.status, 137)
    }

    func testAWindowIsGoneWhenItsConnectionEnds() throws {
        for isStopped in [false, true] {
            let peers = try WaylandPeers()
            let (client, compositor) = try peers.pair()
            try peers.send(client, WaylandBytes.client.bytes)
            var events = WaylandBytes()
            events.configure(1, 1)
            try peers.send(compositor, events.bytes)
            try peers.run { !peers.events.isEmpty }
            let before = MonotonicClock.now
            if isStopped { XCTAssertTrue(peers.source.stop()) } else { client.close() }
            try peers.run { peers.events.count == 2 }
            XCTAssertGreaterThanOrEqual(peers.events[1].at, before)
            if isStopped { client.close() }
            compositor.close()
        }
    }

    // MARK: Parts

    /// Without its variable it is the one that libwayland takes.
    func testTheCompositorIsFoundByTheEnvironment() throws {
        let names = ["WAYLAND_SOCKET", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"]
        let before = names.map { ($0, environmentVariable($0)) }
        defer { for (name, value) in before { if let value { setenv(name, value, 1) } else { unsetenv(name) } } }
        for name in names { unsetenv(name) }
        func problem() -> String {
            do throws(SourceError) { return "found \(try WaylandCompositor().path)" } catch { return error.description }
        }
        XCTAssertTrue(problem().contains("XDG_RUNTIME_DIR is not set"), problem())
        setenv("XDG_RUNTIME_DIR", "/there/is", 1)
        XCTAssertTrue(problem().hasPrefix("no Wayland compositor answers at /there/is/wayland-0;"), problem())
        setenv("WAYLAND_DISPLAY", "none", 1)
        XCTAssertTrue(problem().hasPrefix("no Wayland compositor answers at /there/is/none;"), problem())
        setenv("WAYLAND_DISPLAY", "/neither", 1)
        XCTAssertTrue(problem().hasPrefix("no Wayland compositor answers at /neither;"), problem())
        setenv("WAYLAND_SOCKET", "7", 1)
        XCTAssertTrue(problem().hasPrefix("WAYLAND_SOCKET passes one open connection"), problem())
    }

    func testAFolderWhosePathIsTooLongIsLeftAsItWas() throws {
        let parent = try PrivateFolder(in: "/tmp", prefix: "settle-test-")
        let long = parent.path + "/" + String(repeating: "x", count: UnixDomainSocket.pathLengthMax)
        XCTAssertEqual(mkdir(long, 0o700), 0)
        defer { rmdir(long) }
        let before = try descriptors()
        for _ in 0..<3 {
            let listener = try WaylandListener(in: [long, parent.path])
            XCTAssertTrue(listener.path.hasPrefix(parent.path + "/settle-"))
            XCTAssertEqual(try descriptors(), before + 2, "its socket and the reserve")
        }
        XCTAssertEqual(try descriptors(), before)
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: long), [])
        XCTAssertThrowsError(try WaylandListener(in: [long])) {
            XCTAssertTrue("\($0)".contains("\(long) (bind: Invalid argument); set XDG_RUNTIME_DIR"), "\($0)")
        }
    }

    func testEachClientTooManyIsRefused() throws {
        let listener = try WaylandListener(in: ["/tmp"])
        let clients = try (0..<3).map { _ in
            let client = try UnixDomainSocket()
            try client.connect(to: listener.path)
            return client
        }
        defer { for client in clients { client.close() } }
        var limit = rlimit()
        XCTAssertEqual(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit), 0)
        let free = try UnixDomainSocket()
        free.close()
        var none = rlimit(rlim_cur: rlim_t(free.descriptor), rlim_max: limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
        let outcomes = (0..<4).map { _ in listener.accept() }
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        for outcome in outcomes.prefix(3) {
            guard case .refused = outcome else { return XCTFail("\(outcomes)") }
        }
        guard case .nobody = listener.accept() else { return XCTFail("somebody is left") }
        for client in clients { XCTAssertTrue(client.hasPeerClosed) }
    }

    private func pair() throws -> (UnixDomainSocket, UnixDomainSocket) {
        var ends: [Int32] = [0, 0]
        XCTAssertEqual(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends), 0)
        return (UnixDomainSocket(descriptor: ends[0]), UnixDomainSocket(descriptor: ends[1]))
    }

    /// What passes is kept no longer than it takes, and nothing that came with it after the end.
    func testAPipeKeepsNothing() throws {
        let ((source, from), (to, destination)) = (try pair(), try pair())
        let pipe = WaylandPipe(from: from, to: to)
        let secret = Array("secret".utf8)
        func send() throws -> Int? {
            try secret.withUnsafeBytes { try source.send($0, descriptors: [source.descriptor]) }
        }
        XCTAssertEqual(try send(), 6)
        var decoded: [UInt8] = []
        try pipe.turn { decoded += $0 }
        XCTAssertEqual(decoded, secret)
        XCTAssertEqual(Array(pipe.chunk[..<6]), Array(repeating: 0, count: 6))
        destination.close()
        let before = try descriptors()
        XCTAssertEqual(try send(), 6)
        try pipe.turn { _ in }
        XCTAssertEqual(pipe.phase, .ended(by: .destination))
        XCTAssertEqual(try descriptors(), before)
        XCTAssertThrowsError(try send(), "nobody takes more")
        for socket in [source, from, to] { socket.close() }
    }

    /// A descriptor goes with the first bytes, though the rest of them waits.
    func testADescriptorPassesOnce() throws {
        let ((source, from), (to, destination)) = (try pair(), try pair())
        defer { for socket in [source, from, to, destination] { socket.close() } }
        for socket in [from, to, destination] { socket.setNonblocking() }
        for (socket, option) in [(source, SO_SNDBUF), (to, SO_SNDBUF)] {
            var size: Int32 = option == SO_SNDBUF && socket.descriptor == source.descriptor ? 1 << 20 : 1
            setsockopt(socket.descriptor, SOL_SOCKET, option, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        let pipe = WaylandPipe(from: from, to: to)
        let bytes = [UInt8](repeating: 7, count: 40_000)
        XCTAssertEqual(try bytes.withUnsafeBytes { try source.send($0, descriptors: [source.descriptor]) }, bytes.count)
        let received = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
        defer { received.deallocate() }
        var (count, turns, descriptors) = (0, 0, [Int32]())
        while count < bytes.count {
            try pipe.turn { _ in }
            turns += 1
            while let more = try destination.receive(into: received, descriptors: &descriptors) { count += more }
        }
        XCTAssertGreaterThan(turns, 1, "it was sent at once")
        XCTAssertEqual(descriptors.count, 1)
        for descriptor in descriptors { close(descriptor) }
    }
}
