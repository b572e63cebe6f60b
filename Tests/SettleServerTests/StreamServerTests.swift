import Foundation
import Settle
import SettleClock
import SettleLog
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleServer

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
        one.leave()
        served.waitFor(.disconnected(events: 3), of: 1)
        two.leave()
        served.waitFor(.disconnected(events: 2), of: 2)
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
        let served = try Served()
        let client = try served.client()
        client.write(Client.header)
        for number in 0...StreamReader.scenesMax { client.geometry("\(number)", 3, resizing: true) }
        XCTAssertEqual(client.lastWords(), "dropped: line 4098: it names more than 4096 scenes\n")
        served.server.stop()
        XCTAssertEqual(served.said.value.count { $0.hasSuffix("ended disconnected") }, StreamReader.scenesMax)
        XCTAssertEqual(served.server.statistics.dropped, 1)
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
        served.waitFor(.disconnected(events: 4), of: 1)
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

    func testADeadlineIsDueAtItsTimeWhileTheStreamIsSilent() throws {
        let clock = Locked<UInt64>(1_000_000_000)
        let served = try Served(
            policy: Policy(firstDelay: .milliseconds(10)), clock: { Timestamp(nanoseconds: clock.value) })
        let client = try served.client()
        client.write(Client.header)
        client.geometry("a", 3, at: clock.value)
        clock.change { $0 += 10_000_000 }
        served.waitFor("1:a rebuild 3×1")
        XCTAssertEqual(served.decisions.value.map(\.decision.at.nanoseconds), [1_010_000_000])
    }

    func testASilentStreamSleepsUntilItsDeadline() throws {
        let looks = Locked(0)
        let served = try Served(policy: Policy(firstDelay: .milliseconds(30))) {
            looks.change { $0 += 1 }
            return MonotonicClock.now
        }
        let client = try served.client()
        client.write(Client.header)
        client.geometry("a", 3)
        served.waitFor("1:a rebuild 3×1")
        XCTAssertLessThan(looks.value, 20)
    }

    /// Clients that have closed but are not yet let go do not count.
    func testAClientBehindThoseThatHaveClosedIsServed() throws {
        let served = try Served(clientsMax: 4)
        for round in 0..<20 {
            for _ in 0..<4 { try served.client().leave() }
            let good = try served.client()
            good.write(Client.header)
            good.geometry("a", 1 + round)
            served.waitFor("\(5 * (round + 1)):a rebuild \(1 + round)×1")
            good.leave()
        }
        XCTAssertEqual(served.server.statistics.refused, 0)
    }

    func testOneClientTooManyIsRefusedUntilAnotherLeaves() throws {
        let served = try Served(clientsMax: 2)
        let (one, two) = (try served.client(), try served.client())
        served.reports.wait { $0.count == 2 }
        XCTAssertEqual(try served.client().lastWords(), "refused: 2 clients are connected already\n")
        served.waitFor(.refused(reason: "2 clients are connected already"), of: 3)
        XCTAssertEqual(served.server.statistics.refused, 1)
        one.leave()
        served.waitFor(.disconnected(events: 0), of: 1)
        // The report comes before the place is free.
        var tries = 0
        repeat {
            tries += 1
            let client = try served.client()
            client.write(Client.header)
            client.geometry("a", tries)
            served.reports.wait { $0.contains { $0.client == 3 + tries } }
            if served.reports.value.contains(where: { $0.client == 3 + tries && $0.change.isConnecting }) {
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
            let server = try StreamServer(.init(path: path), report: { _ in }, handler: { _ in })
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
        XCTAssert(refusal(served.folder.file("no/s")).hasSuffix("No such file or directory"))
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

    func testAnotherServersSocketAtThePathStays() throws {
        let served = try Served()
        XCTAssertEqual(rename(served.path, served.folder.file("moved")), 0)
        let other = try UnixDomainSocket()
        defer { other.close() }
        try other.bind(to: served.path)
        served.server.stop()
        var status = stat()
        XCTAssertEqual(lstat(served.path, &status), 0, "a server that stops removes only its own socket")
    }

    func testAStrangersLockOnTheFolderStopsNoServer() throws {
        let folder = TemporaryFolder()
        // Whoever may read a folder may lock it.
        let stranger = open(folder.file("."), O_RDONLY)
        defer { close(stranger) }
        XCTAssertEqual(flock(stranger, LOCK_EX), 0)
        let path = folder.file("s")
        let server = try StreamServer(.init(path: path), report: { _ in }, handler: { _ in })
        try server.start()
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.file(".")), ["s"])
        server.stop()

        // A file that a stranger could have open is not waited for: the next name is taken.
        for (number, name) in ["s.lock", "s.lock.1"].enumerated() {
            XCTAssert(FileManager.default.createFile(atPath: folder.file(name), contents: nil))
            XCTAssertEqual(chmod(folder.file(name), number == 0 ? 0o644 : 0o606), 0)
        }
        XCTAssertEqual(symlink("elsewhere", folder.file("s.lock.2")), 0)
        let next = try StreamServer(.init(path: path), report: { _ in }, handler: { _ in })
        try next.start()
        next.stop()
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: folder.file(".")).sorted(),
            ["s.lock", "s.lock.1", "s.lock.2"])
        for number in 3..<SocketPathClaim.namesMax {
            XCTAssertEqual(mkdir(folder.file("s.lock.\(number)"), 0o700), 0)
        }
        XCTAssertThrowsError(try StreamServer(.init(path: path), report: { _ in }, handler: { _ in }).start()) {
            XCTAssert("\($0)".contains("s.lock and the 99 names after it are not files of our own"), "\($0)")
        }
    }

    func testAStartThatFailsOpensNothingAndAFailedOpeningStopsTheServer() throws {
        let served = try Served()
        let refused = try StreamServer(.init(path: served.path), report: { _ in }, handler: { _ in })
        XCTAssertThrowsError(try refused.start { XCTFail("opened though another server listens") })

        struct Full: Error {}
        let path = served.folder.file("t")
        let server = try StreamServer(.init(path: path), report: { _ in }, handler: { _ in })
        XCTAssertThrowsError(try server.start { throw Full() }) { XCTAssert($0 is Full) }
        XCTAssertFalse(FileManager.default.fileExists(atPath: path))
    }

    func testAServerThatCannotServeSaysSoBeforeItsFirstClient() throws {
        let folder = TemporaryFolder()
        XCTAssertThrowsError(
            try StreamServer(
                .init(path: folder.file("s"), policy: Policy(firstDelay: .seconds(-1))), report: { _ in },
                handler: { _ in })
        ) { XCTAssert($0 is EngineError, "\($0)") }

        let server = try StreamServer(
            .init(path: folder.file("s"), clientsMax: 500), report: { _ in }, handler: { _ in })
        var limit = rlimit()
        XCTAssertEqual(getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit), 0)
        // What other tests left open counts too.
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(UInt.init).max() ?? 0
        var less = limit
        less.rlim_cur = open + 100
        XCTAssertEqual(setrlimit(Int32(RLIMIT_NOFILE.rawValue), &less), 0)
        defer { setrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) }
        XCTAssertThrowsError(try server.start()) {
            XCTAssert("\($0)".contains(": too many open files: 500 clients need 502 descriptors, and "), "\($0)")
            let numbers = "\($0)".matches(of: /(\d+) (?:is|are) left; .* by (\d+),/).first.map {
                [Int($0.1), Int($0.2)].compactMap(\.self).reduce(0, +)
            }
            XCTAssertEqual(numbers, 502, "\($0): what is left, and what is lacking")
        }
        XCTAssertFalse(FileManager.default.fileExists(atPath: folder.file("s")))
    }

    func testAnAnswerIsWaitedForAndNoLonger() throws {
        var ends: [Int32] = [0, 0]
        XCTAssertEqual(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends), 0)
        defer { close(ends[0]) }
        let begun = MonotonicClock.now
        XCTAssertFalse(UnixSocket.waitForAnswer(ends[0], milliseconds: 5))
        XCTAssertGreaterThanOrEqual(MonotonicClock.now - begun, .milliseconds(5))
        close(ends[1])
        for milliseconds: Int32 in [-1, 0, 60_000] {
            XCTAssertTrue(UnixSocket.waitForAnswer(ends[0], milliseconds: milliseconds))
        }
        XCTAssertLessThan(MonotonicClock.now - begun, .seconds(50))
    }

    /// The server has looked for the first bytes in vain, long after the events' times.
    func testALogInOneBurstDecidesAsItsReplayHoweverLongTheConnectionWasSilent() throws {
        let looks = Locked(0)
        let clock: StreamEngine.Clock = {
            looks.change { $0 += 1 }
            return Timestamp(nanoseconds: 1_000_000_000_000)
        }
        let text =
            Client.header
            + (0..<200).map { number in
                #"{"t_ns":\#(number * 300_000_000),"scene":"a","width":\#(1 + number % 7),"height":1,"#
                    + #""resizing":\#(number % 20 < 10)}"# + "\n"
            }.joined()
        let pausing = Policy(pauseDelay: .milliseconds(100), interactionTimeout: .milliseconds(250))
        for (isSilent, policy) in [(false, Policy.default), (true, .default), (false, pausing), (true, pausing)] {
            var ends: [Int32] = [0, 0]
            XCTAssertEqual(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends), 0)
            defer { for end in ends { close(end) } }
            let decided = Locked<[String]>([])
            let input = ByteInput(client: ends[0], name: "client")
            let own = ClientPolicy(server: policy, delayMaximum: .zero)
            let stream = try StreamReader(input, policy: own, clock: clock) { decision, scene, _ in
                decided.change { $0.append("\(decision.at.nanoseconds) \(scene) \(decision.kind)") }
            }
            let bytes = Array(text.utf8)
            if isSilent {
                // Written once the reader has looked at the clock for the empty socket, or
                // after a while, if it does not look.
                let before = looks.value
                DispatchQueue.global().async { [end = ends[1]] in
                    for _ in 0..<100 where looks.value == before { usleep(1000) }
                    usleep(10_000)
                    _ = send(end, bytes, bytes.count, 0)
                    shutdown(end, Int32(SHUT_WR))
                }
            } else {
                XCTAssertEqual(send(ends[1], bytes, bytes.count, 0), bytes.count)
                shutdown(ends[1], Int32(SHUT_WR))
            }
            XCTAssertEqual(stream.run(), .complete(events: 200))
            let replay = try LogReplay(
                LogReader(ByteInput(bytes: bytes, name: "log"), format: .jsonl), policy: policy)
            var expected: [String] = []
            let take = { (decision: Decision, scene: String) in
                expected.append("\(decision.at.nanoseconds) \(scene) \(decision.kind)")
            }
            while try replay.readNext() { replay.submit(deliver: take) }
            XCTAssertGreaterThan(expected.count, 100)
            XCTAssertEqual(expected.contains { $0.contains("preview") }, policy == pausing)
            XCTAssertEqual(expected.contains { $0.contains("timeout") }, policy == pausing)
            XCTAssertEqual(Array(decided.value.prefix(expected.count)), expected)
        }
    }

    func testOfServersThatStartAtOneDeadSocketOneListens() throws {
        let folder = TemporaryFolder()
        let path = folder.file("s")
        for round in 0..<50 {
            // A socket on which nobody listens any more.
            let dead = try UnixDomainSocket()
            try dead.bind(to: path)
            dead.close()
            let servers = try (0..<6).map { _ in
                try StreamServer(.init(path: path), report: { _ in }, handler: { _ in })
            }
            let refusals = Locked<[String]>([])
            DispatchQueue.concurrentPerform(iterations: servers.count) { number in
                do { try servers[number].start() } catch { refusals.change { $0.append("\(error)") } }
            }
            XCTAssertEqual(
                refusals.value, Array(repeating: "\(path): another server listens there", count: 5), "round \(round)")
            let client = try Client(path)
            client.write("x\n")
            XCTAssert(client.lastWords().hasPrefix("dropped"))
            for server in servers { server.stop() }
            XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.file(".")), [])
        }
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
        XCTAssertEqual(served.said.value.count { $0.hasSuffix("a ended disconnected") }, 5)
        for client in clients { XCTAssertEqual(client.lastWords(), "") }
    }

    func testABinaryStreamDecidesAsTheReplay() throws {
        let folder = TemporaryFolder()
        let reader = try LogReader(path: Recordings.log("w04_mutter"))
        let path = folder.file("w04.settle")
        let writer = try BinaryWriter(ByteOutput(path: path), header: reader.header)
        let batch = EventBatch()
        while try reader.read(into: batch) { try writer.write(batch, scenes: reader.scenes) }
        try writer.finish()

        let served = Locked<[String]>([])
        let stream = try StreamReader(ByteInput(path: path), policy: .uikit) { decision, scene in
            if case .rebuild(let rebuild) = decision.kind { served.change { $0.append("\(scene) \(rebuild.size)") } }
        }
        XCTAssertEqual(stream.run(), .complete(events: 172))
        let replay = try LogReplay(LogReader(path: path), policy: .uikit)
        var sizes: [String] = []
        let take = { (decision: Decision, scene: String) in
            if case .rebuild(let rebuild) = decision.kind { sizes.append("\(scene) \(rebuild.size)") }
        }
        while try replay.readNext() { replay.submit(deliver: take) }
        replay.finish(deliver: take)
        XCTAssertEqual(served.value, sizes)
        XCTAssertGreaterThan(sizes.count, 5)
    }
}
