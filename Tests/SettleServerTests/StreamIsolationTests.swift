import Foundation
import Settle
import SettleLog
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleServer

/// What one client of a server does is nothing to another.
final class StreamIsolationTests: XCTestCase {
    /// A server with a good client, 1, and a bad one, 2.
    private func served() throws -> (server: Served, good: Client, bad: Client) {
        let served = try Served()
        let good = try served.client()
        served.reports.wait { $0.count == 1 }
        let bad = try served.client()
        for client in [good, bad] { client.write(Client.header) }
        return (served, good, bad)
    }

    /// Waits until the server has taken all that the client wrote.
    private func settle(_ client: Client, _ number: Int, _ served: Served) {
        client.geometry("sync", 1 + served.said.value.count)
        served.said.wait { $0.last?.hasPrefix("\(number):sync rebuild") ?? false }
    }

    func testAButtonThatAClientHoldsStopsNobodyElsesRebuild() throws {
        let (served, good, bad) = try served()
        bad.pointer(1, true)
        settle(bad, 2, served)
        good.geometry("a", 3)
        good.geometry("a", 4)
        served.waitFor("1:a rebuild 4×1")
        XCTAssertFalse(served.said.value.contains("1:a began"))
    }

    func testAClientsReleaseEndsNobodyElsesDrag() throws {
        let (served, good, bad) = try served()
        good.geometry("a", 3)
        good.pointer(1, true)
        good.geometry("a", 4)
        served.waitFor("1:a began")
        bad.pointer(1, true)
        bad.pointer(1, false)
        settle(bad, 2, served)
        good.geometry("a", 5)
        good.pointer(1, false)
        served.waitFor("1:a rebuild 5×1")
        XCTAssertEqual(
            served.said.value.filter { $0.hasPrefix("1:") },
            ["1:a rebuild 3×1", "1:a began", "1:a ended released", "1:a rebuild 5×1"])
    }

    func testButtonsWithoutEndRefuseNobodyElses() throws {
        let (served, good, bad) = try served()
        for button in 0..<100 { bad.pointer(UInt32.max - UInt32(button), true) }
        settle(bad, 2, served)
        good.geometry("a", 3)
        good.pointer(1, true)
        good.geometry("a", 4)
        good.pointer(1, false)
        served.waitFor("1:a rebuild 4×1")
        XCTAssert(served.said.value.contains("1:a began"))
        // Beyond 32 they are rejected, as in a replay; the client is not at fault.
        bad.leave()
        served.waitFor(.disconnected(events: 101), of: 2)
    }

    /// A random client beside others that do all they can: its decisions are those of its
    /// log's replay, with the same times, to the last.
    func testNoHostileClientChangesADecisionOfAnother() throws {
        var (decisions, spoiled) = (0, 0)
        for seed in UInt64(0)..<200 {
            let run = try HostileRun(seed: seed)
            let expected = try run.verify()
            decisions += expected.count
            // What a button that somebody else presses and holds would come to.
            if try run.replayed(behind: #"{"t_ns":1,"kind":"pointer","button":9,"pressed":true}"# + "\n") != expected {
                spoiled += 1
            }
        }
        XCTAssertGreaterThan(decisions, 2000, "the runs decide enough to compare")
        XCTAssertGreaterThan(spoiled, 50, "the comparison sees what others do")
    }

    func testAFloodDelaysAnotherClientsDecisionByTwoQueuesAtMost() throws {
        let folder = TemporaryFolder()
        let gate = DispatchSemaphore(value: 0)
        let names = Locked<[String]>([])
        let server = try StreamServer(
            .init(path: folder.file("s"), policy: .uikit), report: { _ in },
            handler: { decision in
                if names.value.isEmpty { gate.wait() }
                names.change { $0.append(decision.name) }
            })
        try server.start()
        defer { server.stop() }
        let (good, flood) = (try Client(folder.file("s")), try Client(folder.file("s")))
        for client in [good, flood] { client.write(Client.header) }
        let delivery = try XCTUnwrap(server.delivery)
        let lines = (0..<2000).map { #"{"t_ns":1,"scene":"f","width":\#(1 + $0 % 2),"height":1}"# + "\n" }.joined()
        let writing = DispatchQueue(label: "flood")
        writing.async { flood.write(lines) }
        // Of the flood, what was taken as a whole waits with the handler, the rest in the queue.
        func wait(_ count: Int) {
            let end = Date(timeIntervalSinceNow: 10)
            while delivery.waiting != count, Date() < end { usleep(500) }
            XCTAssertEqual(delivery.waiting, count)
        }
        wait(DecisionDelivery.waitingMax)
        good.geometry("a", 3)
        wait(DecisionDelivery.waitingMax + 1)
        gate.signal()
        names.wait { $0.contains("1:a") && $0.count == 2001 }
        let place = try XCTUnwrap(names.value.firstIndex(of: "1:a"))
        XCTAssertLessThanOrEqual(place, 2 * DecisionDelivery.waitingMax)
        writing.sync {}
    }
}

/// One good client and some hostile ones, from one thread and one random stream.
private final class HostileRun {
    private let seed: UInt64
    private var random: SplitMix64
    private let policy: Policy
    /// The server's time, which only the good client moves: so its events meet the same
    /// deadlines however the threads run.
    private let clock = Locked<UInt64>(1_000_000_000)
    private let served: Served
    private let good: Client
    private var log = ""
    private var events = 0
    private var connected: Set<Int> = []
    private var hostile: [Client] = []

    init(seed: UInt64) throws {
        self.seed = seed
        random = SplitMix64(seed: seed)
        policy = RandomStream(seed: seed).policy
        let clock = clock
        served = try Served(policy: policy, clientsMax: 4) { Timestamp(nanoseconds: clock.value) }
        good = try served.client()
        served.reports.wait { $0.count == 1 }
        good.write(Client.header)
    }

    /// Compares, and returns the replay's decisions.
    func verify() throws -> [String] {
        for _ in 0..<50 {
            if random.chance(50) { actWell() } else { try actBadly() }
        }
        // The end as an event of the log: what is due before it is decided.
        advance()
        for scene in connected.sorted() { say(#""kind":"disconnect","scene":"\#(scene)""#) }
        good.leave()
        served.reports.wait { [events] in $0.contains(StreamReport(client: 1, change: .disconnected(events: events))) }
        served.server.stop()
        let decided = served.decisions.value.filter { $0.client == 1 }
            .map { "\($0.decision.at.nanoseconds) \($0.scene) \($0.decision.kind)" }
        let expected = try replayed()
        XCTAssertEqual(decided, expected, "seed \(seed)")
        return expected
    }

    func replayed(behind start: String = "") throws -> [String] {
        let text = Client.header + start + log
        let replay = try LogReplay(
            LogReader(ByteInput(bytes: Array(text.utf8), name: "log"), format: .jsonl), policy: policy)
        var decisions: [String] = []
        let take = { (decision: Decision, scene: String) in
            decisions.append("\(decision.at.nanoseconds) \(scene) \(decision.kind)")
        }
        while try replay.readNext() { replay.submit(deliver: take) }
        replay.finish(deliver: take)
        return decisions
    }

    private func advance() {
        let step = random.pick([0, 1, 1_000, 1_000_000, 20_000_000, 100_000_000, 5_000_000_000])
        clock.change { $0 += UInt64(step) }
    }

    /// Writes an event of the good client at the clock's time.
    private func say(_ keys: String) {
        let line = #"{"t_ns":\#(clock.value),\#(keys)}"# + "\n"
        log += line
        events += 1
        good.write(line)
    }

    private func actWell() {
        advance()
        let scene = random.below(3)
        switch random.below(10) {
        case 0: say(#""kind":"pointer","button":\#(random.below(3)),"pressed":\#(random.chance(50))"#)
        case 1 where connected.contains(scene):
            connected.remove(scene)
            say(#""kind":"disconnect","scene":"\#(scene)""#)
        case 2:
            connected.insert(scene)
            say(#""kind":"connect","scene":"\#(scene)""#)
        default:
            connected.insert(scene)
            var keys = #""scene":"\#(scene)""#
            if random.chance(80) { keys += #","width":\#(1 + random.below(3)),"height":1"# }
            if random.chance(30) { keys += #","resizing":\#(random.chance(60))"# }
            if random.chance(20) { keys += #","locked":\#(random.chance(50))"# }
            say(keys)
        }
    }

    private func actBadly() throws {
        if hostile.isEmpty || random.chance(20) {
            // One too many is refused; with three some die in the middle of things.
            if hostile.count > 3 { hostile.remove(at: random.below(hostile.count)).leave() }
            let client = try served.client()
            if random.chance(80) { client.write(Client.header) }
            hostile.append(client)
        }
        let place = random.below(hostile.count)
        if !hostile[place].write(attack(), waiting: false) { hostile.remove(at: place) }
    }

    private func attack() -> [UInt8] {
        let time = random.pick([0, 1, clock.value, clock.value + 1, UInt64(Int64.max), UInt64.max])
        let scene = random.below(3)
        switch random.below(9) {
        case 0:
            let buttons = (0..<40).map { UInt32.max - UInt32($0) }
            return lines(buttons.map { #""kind":"pointer","button":\#($0),"pressed":true"# }, time)
        case 1: return lines((0..<3).map { #""kind":"pointer","button":\#($0),"pressed":true"# }, time)
        case 2: return lines((0..<3).map { #""kind":"pointer","button":\#($0),"pressed":false"# }, time)
        case 3: return lines((0..<100).map { #""scene":"\#($0)","width":\#($0),"height":1,"resizing":true"# }, time)
        case 4:
            let cycle = [#""kind":"disconnect","scene":"\#(scene)""#, #""scene":"\#(scene)","width":7,"height":7"#]
            return lines((0..<100).map { cycle[$0 % 2] }, time)
        case 5: return lines([#""scene":"\#(scene)","width":1e999,"height":-1"#], time)
        // Half a line, and bytes of no sense.
        case 6: return Array(#"{"t_ns":\#(time),"scene":"\#(scene)","wid"#.utf8)
        case 7: return (0..<64).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        default:
            return lines([#""scene":"\#(scene)","width":\#(random.below(9)),"height":1,"locked":true"#], time)
        }
    }

    private func lines(_ keys: [String], _ time: UInt64) -> [UInt8] {
        Array(keys.map { #"{"t_ns":\#(time),\#($0)}"# + "\n" }.joined().utf8)
    }
}
