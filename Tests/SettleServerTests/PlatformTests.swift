import Foundation
import Settle
import SettleClock
import SettlePlatform
import TestSupport
import XCTest

/// The locks, conditions and sockets of SettlePlatform that the server uses.
final class PlatformTests: XCTestCase {
    private let folder = TemporaryFolder()

    private func text(_ attempt: FileLock.Attempt) -> String {
        switch attempt {
        case .locked: "locked"
        case .held: "held"
        case .notOurs: "not ours"
        }
    }

    func testAFileIsLockedOnceUntilItIsRemoved() throws {
        let path = folder.file("lock")
        for _ in 0..<2 {
            guard case .locked(let lock) = try FileLock.attempt(path) else { return XCTFail("not locked") }
            XCTAssertEqual(text(try FileLock.attempt(path)), "held")
            lock.remove()
            XCTAssertFalse(FileManager.default.fileExists(atPath: path))
        }
    }

    func testAFileThatOthersCanOpenIsNotLocked() throws {
        let path = folder.file("open")
        XCTAssert(FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o644]))
        XCTAssertEqual(text(try FileLock.attempt(path)), "not ours")
        try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: path)
        XCTAssertEqual(text(try FileLock.attempt(folder.file("link"))), "not ours")
        XCTAssertThrowsError(try FileLock.attempt(folder.file("none/lock"))) {
            XCTAssertEqual(($0 as? SystemError)?.code, ENOENT)
        }
        XCTAssertEqual(mkfifo(folder.file("fifo"), 0o600), 0)
        XCTAssertEqual(text(try FileLock.attempt(folder.file("fifo"))), "not ours")
    }

    func testAnEmptyVariableIsNone() {
        for (value, expected) in [(nil, nil), ("", nil), ("x", "x")] as [(String?, String?)] {
            if let value { setenv("SETTLE_TEST", value, 1) } else { unsetenv("SETTLE_TEST") }
            XCTAssertEqual(environmentVariable("SETTLE_TEST"), expected)
        }
        unsetenv("SETTLE_TEST")
    }

    func testErrorsSayWhetherDescriptorsAreLacking() {
        for (code, isLacking) in [(EMFILE, true), (ENFILE, true), (ETOOMANYREFS, true), (EACCES, false), (0, false)] {
            XCTAssertEqual(SystemError(call: "open", code: code).isOutOfDescriptors, isLacking, "\(code)")
        }
    }

    func testATimerThatIsSetToThePastFires() throws {
        for time in [0, 1, MonotonicClock.now.nanoseconds] {
            let timer = try TimerDescriptor()
            timer.set(to: time)
            XCTAssertTrue(timer.wait(milliseconds: 1000), "\(time)")
        }
    }

    func testEachReadyDescriptorIsNamedOnceByItsKey() throws {
        let (epoll, bells) = (try EpollDescriptor(), try (0..<3).map { _ in try EventDescriptor() })
        try epoll.watch(bells[0].number, for: .reading, key: 7)
        try epoll.watch(bells[1].number, for: .reading)
        try epoll.watch(bells[2].number, for: .reading, key: 9)
        for bell in bells.prefix(2) { bell.signal() }
        for (ignored, expected) in [(nil, [0, 7]), (bells[0], [0])] as [(EventDescriptor?, [UInt64])] {
            if let ignored { epoll.ignore(ignored.number) }
            var keys: [UInt64] = []
            XCTAssertEqual(epoll.ready { keys.append($0) }, expected.count)
            XCTAssertEqual(keys.sorted(), expected)
        }
    }

    func testADescriptorOfWhichNothingIsWantedIsReadyOnceItsOtherEndHasHungUp() throws {
        let (epoll, pipe) = (try EpollDescriptor(), Pipe())
        let end = pipe.fileHandleForReading.fileDescriptor
        // The first key counts.
        for (wanted, key) in [(.reading, 5), ([], 0)] as [(EpollDescriptor.Interest, UInt64)] {
            try epoll.watch(end, for: wanted, key: key)
            XCTAssertEqual(epoll.ready { _ in }, 0)
        }
        try pipe.fileHandleForWriting.write(contentsOf: [1])
        XCTAssertEqual(epoll.ready { _ in }, 0, "nothing is wanted of it")
        try pipe.fileHandleForWriting.close()
        XCTAssertEqual(epoll.ready { XCTAssertEqual($0, 5) }, 1)
    }

    func testAConditionIsSignalledOrReachesItsDeadline() throws {
        let (mutex, condition) = (PthreadMutex(), PthreadCondition())
        let deadline = MonotonicClock.now.advanced(by: .milliseconds(20))
        var returns = 0
        mutex.withLock {
            repeat {
                condition.wait(mutex, until: deadline.nanoseconds)
                returns += 1
            } while MonotonicClock.now < deadline
        }
        XCTAssertLessThanOrEqual(returns, 10, "a wait lasts until the deadline, but for a few spurious returns")

        nonisolated(unsafe) var isSet = false
        let thread = try WorkerThread {
            mutex.withLock {
                isSet = true
                condition.broadcast()
            }
        }
        mutex.withLock { while !isSet { condition.wait(mutex) } }
        thread.join()
    }

    func testASocketIsAnsweredWhileItListens() throws {
        let path = folder.file("s")
        let server = try UnixDomainSocket()
        try server.bind(to: path)
        func isAnswered() throws -> Bool {
            let probe = try UnixDomainSocket()
            defer { probe.close() }
            return try probe.isAnswered(at: path)
        }
        XCTAssertFalse(try isAnswered())
        try server.listen(waitingMax: 8)
        XCTAssertTrue(try isAnswered())

        XCTAssertTrue(isReadable(server.descriptor))
        let client = try XCTUnwrap(try server.accept())
        XCTAssertEqual(client.peer?.user, effectiveUser)
        XCTAssertEqual(client.peer?.process, getpid())
        XCTAssertFalse(waitUntilReadable(server.descriptor, nanoseconds: 1_000))
        for socket in [client, server] { socket.close() }
        XCTAssertFalse(try isAnswered())
    }

    func testASocketWhoseQueueIsFullIsAnswered() throws {
        let server = try UnixDomainSocket()
        try server.bind(to: folder.file("full"))
        try server.listen(waitingMax: 1)
        let probes = try (0..<4).map { _ in try UnixDomainSocket() }
        for probe in probes { XCTAssertTrue(try probe.isAnswered(at: folder.file("full"))) }
        for socket in probes + [server] { socket.close() }
    }

    func testAPathOfASocketHasABound() throws {
        let longest = String(repeating: "a", count: UnixDomainSocket.pathLengthMax)
        XCTAssertTrue(UnixDomainSocket.accepts(path: longest))
        for path in ["", longest + "a", "a\0b"] {
            XCTAssertFalse(UnixDomainSocket.accepts(path: path))
            let socket = try UnixDomainSocket()
            defer { socket.close() }
            XCTAssertThrowsError(try socket.bind(to: path))
        }
    }
}
