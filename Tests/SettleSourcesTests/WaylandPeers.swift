import Settle
import SettleClock
import SettleLog
import SettlePlatform
import XCTest

@testable import SettleSources

/// A compositor, clients and the source between them, all on the test's thread.
final class WaylandPeers {
    let source: WaylandSource
    private let folder: PrivateFolder
    private let listener: UnixDomainSocket
    private var isListening = true
    let compositorPath: String
    private(set) var events: [LogEvent] = []
    private(set) var messages: [String] = []
    private(set) var status: Int32?
    private let batch = EventBatch()

    /// - Parameters:
    ///   - command: The app, which has no connection of its own.
    ///   - backlog: How many connections may wait for the compositor.
    ///   - adopts: Whether the source waits for what the app leaves behind.
    init(_ command: [String] = ["sleep", "1000"], backlog: Int32 = 100, adopts: Bool = false) throws {
        folder = try PrivateFolder(in: "/tmp", prefix: "settle-test-")
        compositorPath = folder.path + "/compositor"
        listener = try UnixDomainSocket()
        try listener.bind(to: compositorPath)
        try listener.listen(waitingMax: backlog)
        listener.setNonblocking()
        source = try WaylandSource(
            command: command, compositor: WaylandCompositor(path: compositorPath), folders: [folder.path],
            adopts: adopts)
    }

    deinit {
        if status == nil { _ = source.stop() }
        endCompositor()
    }

    /// Removes the compositor's socket: nobody answers any more.
    func endCompositor() {
        guard isListening else { return }
        isListening = false
        listener.close()
        try? SocketFile.remove(compositorPath)
    }

    /// Lets the source do what it can now.
    func turn() throws {
        batch.removeAll()
        let news = try source.read(into: batch)
        for index in 0..<batch.count { events.append(batch[index]) }
        for item in news {
            if case .message(let text) = item { messages.append(text) }
            if case .ended(let status) = item { self.status = status }
        }
    }

    /// Runs the source until something is true. Fails after a minute.
    func run(until isTrue: () throws -> Bool, file: StaticString = #filePath, line: UInt = #line) throws {
        let limit = MonotonicClock.now.advanced(by: .seconds(60))
        while try !isTrue() {
            guard MonotonicClock.now < limit else { return XCTFail("it does not come true", file: file, line: line) }
            try turn()
            waitUntilReadable(source.descriptor, nanoseconds: 1_000_000)
        }
    }

    /// A client of the app.
    func client() throws -> UnixDomainSocket {
        let socket = try UnixDomainSocket()
        socket.setNonblocking()
        try socket.connect(to: source.socketPath)
        return socket
    }

    /// A connection that the source has opened.
    func accept() throws -> UnixDomainSocket {
        var accepted: UnixDomainSocket?
        try run {
            do {
                accepted = try listener.accept()
            } catch let error as SystemError where error.isAgain {}
            return accepted != nil
        }
        accepted?.setNonblocking()
        return try XCTUnwrap(accepted)
    }

    /// A client, and the connection that was opened for it.
    func pair() throws -> (client: UnixDomainSocket, compositor: UnixDomainSocket) {
        let client = try client()
        return (client, try accept())
    }

    /// Everything that a socket has received, until a number of bytes or the end of the stream.
    func receive(_ socket: UnixDomainSocket, count: Int) throws -> (bytes: [UInt8], descriptors: [Int32], isEnd: Bool) {
        var bytes: [UInt8] = []
        var descriptors: [Int32] = []
        var isEnd = false
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        try run {
            while bytes.count < count, !isEnd {
                let received = try buffer.withUnsafeMutableBytes { bytes throws(SystemError) in
                    try socket.receive(into: bytes, descriptors: &descriptors)
                }
                guard let received else { return false }
                isEnd = received == 0
                bytes += buffer[..<received]
            }
            return true
        }
        return (bytes, descriptors, isEnd)
    }

    /// Sends bytes, and descriptors with the first of them.
    func send(_ socket: UnixDomainSocket, _ bytes: [UInt8], _ descriptors: [Int32] = []) throws {
        var sent = 0
        try run {
            while sent < bytes.count {
                let taken = try bytes[sent...].withUnsafeBytes { rest throws(SystemError) in
                    try socket.send(rest, descriptors: sent == 0 ? descriptors : [])
                }
                guard let taken else { return false }
                sent += taken
            }
            return true
        }
    }
}
