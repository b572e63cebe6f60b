import Foundation
import Settle
import SettleClock
import SettleLog
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleServer

/// A client's own policy: within the server's bounds, and for the client's scenes only.
final class ClientPolicyTests: XCTestCase {
    private func header(_ policy: String) -> String { #"{"settle":"events","version":1,"policy":\#(policy)}"# + "\n" }

    func testAClientsPolicyIsForItsOwnScenes() throws {
        let served = try Served(policy: Policy(firstDelay: .seconds(600)))
        let (plain, own, locked) = (try served.client(), try served.client(), try served.client())
        plain.write(Client.header)
        own.write(header(#"{"firstDelay":"20ms"}"#))
        locked.write(header(#"{"firstDelay":"10s","lockDelay":"0s"}"#))
        let at = MonotonicClock.now.nanoseconds
        for client in [plain, own, locked] { client.geometry("a", 3, at: at) }
        served.waitFor("2:a rebuild 3×1")
        // A whole policy: what is left out has its default rather than the server's.
        own.geometry("b", 5)
        served.waitFor("2:b rebuild 5×1")
        XCTAssertEqual(served.said.value, ["2:a rebuild 3×1", "2:b rebuild 5×1"])
        XCTAssertEqual(served.decisions.value[0].decision.at.nanoseconds, at + 20_000_000)
    }

    func testAnotherClientsPolicyTouchesNobody() throws {
        let served = try Served(policy: .uikit)
        let one = try served.client()
        one.write(Client.header)
        one.geometry("a", 3)
        served.waitFor("1:a rebuild 3×1")
        let slow = try served.client()
        slow.write(header(#"{"firstDelay":"10s","discreteDelay":"10s","interactionTimeout":null}"#))
        slow.geometry("a", 9)
        let refused = try served.client()
        refused.write(header(#"{"lockDelay":"10.000000001s"}"#))
        XCTAssertEqual(
            refused.lastWords(),
            "dropped: policy: lockDelay is 10.000000001s; this server allows its clients at most 10s\n")
        one.geometry("a", 4, resizing: true)
        one.geometry("a", 5, resizing: false)
        served.waitFor("1:a rebuild 5×1")
        XCTAssertFalse(served.said.value.contains { $0.hasPrefix("2:") })
        slow.leave()
        served.waitFor(.disconnected(events: 1), of: 2)
    }

    func testRefusalsNameTheKey() throws {
        let served = try Served(
            policy: Policy(lockDelay: .seconds(30), interactionTimeout: .seconds(60)), clientDelayMaximum: .seconds(1))
        let refusals = [
            (#"{"interactionTimeout":null}"#, "policy: interactionTimeout cannot be none; the server's is 60s"),
            (
                #"{"interactionTimeout":"61s"}"#,
                "policy: interactionTimeout is 61s; this server allows its clients at most 60s"
            ),
            (#"{"jumpDelay":"1001ms"}"#, "policy: jumpDelay is 1.001s; this server allows its clients at most 1s"),
            (
                #"{"quietDelay":"1ms","quietDely":"1ms"}"#,
                "line 1: the header cannot be read: policy: quietDely is no duration of a policy; did you mean"
                    + " 'quietDelay'?"
            ),
            (
                #"{"pauseShare":"101%"}"#,
                "line 1: the header cannot be read: policy: pauseShare is 101%; it must be from 1% to 100%"
            ),
            ("7", #"line 1: the header cannot be read: policy: a policy is an object, such as {"lockDelay":"100ms"}"#),
        ]
        for (number, (policy, reason)) in refusals.enumerated() {
            let client = try served.client()
            client.write(header(policy))
            XCTAssertEqual(client.lastWords(), "dropped: \(reason)\n")
            served.waitFor(.dropped(reason: reason, events: 0), of: number + 1)
        }
        // The server's own durations are granted, and previews, which it has none of itself.
        let client = try served.client()
        client.write(header(#"{"lockDelay":"30s","interactionTimeout":"60s","pauseDelay":"1ms"}"#))
        client.geometry("a", 3)
        client.geometry("a", 4, resizing: true)
        served.waitFor("\(refusals.count + 1):a preview(4×1)")
    }

    /// A rebuild's generation is written where the client's own policy takes reports, whatever the
    /// server's: without it the client could not report its builds.
    func testDecisionsTellWhetherTheClientsPolicyTakesReports() throws {
        for (server, asked, expected) in [
            (Policy.default, nil, false), (.default, #"{"liveShare":"30%"}"#, true), (.live, nil, true),
            (.default, #"{"pauseShare":"30%"}"#, true), (.prepared, nil, true),
            (.live, #"{"lockDelay":"1s"}"#, false),
        ] as [(Policy, String?, Bool)] {
            let text = asked.map(header) ?? #"{"settle":"events","version":1}"# + "\n"
            let bytes = Array((text + #"{"t_ns":1,"scene":"a","width":4,"height":1}"# + "\n").utf8)
            var ends: [Int32] = [0, 0]
            XCTAssertEqual(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends), 0)
            defer { for end in ends { close(end) } }
            XCTAssertEqual(send(ends[1], bytes, bytes.count, 0), bytes.count)
            shutdown(ends[1], Int32(SHUT_WR))
            var takesReports: [Bool] = []
            let stream = try StreamReader(
                ByteInput(client: ends[0], name: "client"),
                policy: ClientPolicy(server: server, delayMaximum: .seconds(10)), clock: { .latest },
                handler: { _, _, takes in takesReports.append(takes) })
            XCTAssertEqual(stream.run(), .complete(events: 1))
            XCTAssertEqual(takesReports, [expected], "\(asked ?? "none")")
        }
    }

    /// Recordings with previews and with interactions that the watchdog ends.
    func testALiveRecordingDecidesAsItsReplayByTheClientsPolicy() throws {
        let policy = Policy(pauseDelay: .milliseconds(20), interactionTimeout: .milliseconds(300))
        var (previews, timeouts) = (0, 0)
        for name in ["w08_mutter_real", "w12_mutter_nasty", "r01_openbox_xdotool_xterm", "r10_xephyr_rotate"] {
            let lines = try String(contentsOfFile: Recordings.log(name), encoding: .utf8).split(separator: "\n")
            let text =
                header(#"{"pauseDelay":"20ms","interactionTimeout":"300ms"}"#)
                + lines.dropFirst().joined(separator: "\n") + "\n"
            let bytes = Array(text.utf8)
            var ends: [Int32] = [0, 0]
            XCTAssertEqual(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends), 0)
            defer { for end in ends { close(end) } }
            XCTAssertEqual(send(ends[1], bytes, bytes.count, 0), bytes.count)
            shutdown(ends[1], Int32(SHUT_WR))

            var decided: [Decision.Kind] = []
            var times: [Timestamp] = []
            let stream = try StreamReader(
                ByteInput(client: ends[0], name: "client"),
                policy: ClientPolicy(server: .uikit, delayMaximum: .seconds(10)), clock: { .latest },
                handler: { decision, _, _ in
                    decided.append(decision.kind)
                    times.append(decision.at)
                })
            XCTAssertEqual(stream.run(), .complete(events: lines.count - 1))
            let replay = try LogReplay(LogReader(ByteInput(bytes: bytes, name: "log")), policy: policy)
            var (expected, expectedTimes): ([Decision.Kind], [Timestamp]) = ([], [])
            func take(_ decision: Decision, _ scene: String) {
                expected.append(decision.kind)
                expectedTimes.append(decision.at)
            }
            while try replay.readNext() { replay.submit(deliver: take) }
            replay.finish(deliver: take)
            XCTAssertEqual(decided, expected, name)
            XCTAssertEqual(times, expectedTimes, name)
            previews += replay.summary.previews
            timeouts += replay.summary.rebuildsByReason[.timeout] ?? 0
        }
        XCTAssertGreaterThan(previews, 10)
        XCTAssertGreaterThan(timeouts, 3)
    }
}
