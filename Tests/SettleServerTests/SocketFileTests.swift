import Foundation
import Settle
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleServer

/// The file of a server's socket, and what is left of servers and clients that cannot begin.
final class SocketFileTests: XCTestCase {
    private let folder = TemporaryFolder()
    override func tearDown() { folder.remove() }

    private func descriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    private func server(_ path: String) throws -> StreamServer {
        try StreamServer(.init(path: path), report: { _ in }, handler: { _ in })
    }

    /// The file is removed once. What has its path later may be another server's, of the same inode.
    func testAFileThatComesBackStays() throws {
        let (path, other) = (folder.file("s"), folder.file("other"))
        let server = try server(path)
        try server.start()
        XCTAssertEqual(link(path, other), 0)
        server.removeSocket()
        XCTAssertFalse(FileManager.default.fileExists(atPath: path))
        XCTAssertEqual(rename(other, path), 0)
        server.removeSocket()
        server.stop()
        XCTAssertTrue(FileManager.default.fileExists(atPath: path))
    }

    func testWhatCannotBeginLeavesNoDescriptor() throws {
        let (path, file) = (folder.file("s"), folder.file("file"))
        let listener = try UnixDomainSocket()
        defer { listener.close() }
        try listener.bind(to: path)
        try listener.listen(waitingMax: 8)
        try "text".write(toFile: file, atomically: true, encoding: .utf8)
        // One whose path is taken, by a server and by a file, and two whose path cannot be.
        let refused = try [path, file, folder.file("no/s"), folder.file(String(repeating: "x", count: 108))].map(server)
        let before = try descriptors()
        for server in refused { XCTAssertThrowsError(try server.start()) }
        for path in [file, folder.file("none")] {
            XCTAssertThrowsError(try UnixSocket.connect(to: path)) {
                XCTAssertTrue("\($0)".hasPrefix("\(path): cannot connect: "), "\($0)")
            }
        }
        XCTAssertEqual(try descriptors(), before)
        let dead = try UnixDomainSocket()
        try dead.bind(to: folder.file("dead"))
        dead.close()
        for _ in 0..<3 {
            let next = try server(folder.file("dead"))
            try next.start()
            XCTAssertThrowsError(try next.start()) { XCTAssertTrue("\($0)".hasSuffix("was started before"), "\($0)") }
            next.stop()
        }
        XCTAssertEqual(try descriptors(), before)
    }

    /// What its programs inherit is not what others connected with.
    func testNoDescriptorOfASocketIsForPrograms() throws {
        let path = folder.file("s")
        let listener = try UnixDomainSocket()
        try listener.bind(to: path)
        try listener.listen(waitingMax: 1)
        let client = try UnixDomainSocket()
        try client.connect(to: path)
        let accepted = try XCTUnwrap(try listener.accept())
        // One end passes itself.
        let byte: [UInt8] = [1]
        XCTAssertEqual(try byte.withUnsafeBytes { try client.send($0, descriptors: [client.descriptor]) }, 1)
        var passed: [Int32] = []
        var buffer = byte
        XCTAssertEqual(try buffer.withUnsafeMutableBytes { try accepted.receive(into: $0, descriptors: &passed) }, 1)
        XCTAssertEqual(passed.count, 1)
        for descriptor in [listener, client, accepted].map(\.descriptor) + passed {
            XCTAssertEqual(fcntl(descriptor, F_GETFD), FD_CLOEXEC)
        }
        closeDescriptors(passed)
        accepted.close()
        // Nobody reads any more, which is an error and no signal.
        let former = signal(SIGPIPE, SIG_DFL)
        XCTAssertThrowsError(try byte.withUnsafeBytes { try client.send($0, descriptors: []) }) {
            XCTAssertEqual(($0 as? SystemError)?.code, EPIPE)
        }
        client.sendIfPossible(byte)
        signal(SIGPIPE, former)
        for socket in [listener, client] { socket.close() }
    }

    func testALinkToASocketIsNoSocket() throws {
        let path = folder.file("s")
        let socket = try UnixDomainSocket()
        defer { socket.close() }
        try socket.bind(to: path)
        XCTAssertEqual(symlink(path, folder.file("link")), 0)
        guard case .other = try SocketFile.find(folder.file("link")) else { return XCTFail("a link is followed") }
        guard case .socket = try SocketFile.find(path) else { return XCTFail("the socket is none") }
        guard case .nothing = try SocketFile.find(folder.file("none")) else { return XCTFail("nothing is something") }
        XCTAssertThrowsError(try SocketFile.find(path + "/below")) {
            XCTAssertEqual($0 as? SystemError, SystemError(call: "lstat", code: ENOTDIR))
        }
        XCTAssertThrowsError(try UnixDomainSocket().isAnswered(at: folder.file("none"))) {
            XCTAssertEqual(($0 as? SystemError)?.code, ENOENT)
        }
    }

    func testALockThatIsHeldOrNotOursLeavesNoDescriptor() throws {
        let path = folder.file("lock")
        guard case .locked(let lock) = try FileLock.attempt(path) else { return XCTFail("not locked") }
        XCTAssertTrue(FileManager.default.createFile(atPath: folder.file("open"), contents: nil))
        XCTAssertEqual(chmod(folder.file("open"), 0o644), 0)
        let before = try descriptors()
        for _ in 0..<3 {
            guard case .held = try FileLock.attempt(path) else { return XCTFail("locked twice") }
            guard case .notOurs = try FileLock.attempt(folder.file("open")) else { return XCTFail("others' file") }
        }
        XCTAssertEqual(try descriptors(), before)
        lock.remove()
    }
}
