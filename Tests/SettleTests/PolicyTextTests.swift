import CSettle
import Foundation
import Settle
import TestSupport
import XCTest

/// A policy's one form as text: names and durations with units.
final class PolicyTextTests: XCTestCase {
    private func json(_ policy: Policy) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(policy), as: UTF8.self)
    }

    private func decoded(_ text: String) throws -> Policy {
        try JSONDecoder().decode(Policy.self, from: Data(text.utf8))
    }

    func testEveryDurationIsATextWithAUnit() throws {
        let policy = Policy(
            firstDelay: .nanoseconds(7), reportedEndDelay: .microseconds(250), releasedEndDelay: .milliseconds(16),
            discreteDelay: .seconds(1), quietDelay: .milliseconds(1_500), quietMaximum: .seconds(3600), jumpDelay: nil,
            lockDelay: .zero, pauseDelay: .nanoseconds(1_000_001), maximumWait: Policy.longestDelay,
            interactionTimeout: .seconds(90), liveSharePercent: 7, liveLimit: nil, liveInterval: .microseconds(1))
        let text = """
            {"discreteDelay":"1s","firstDelay":"7ns","interactionTimeout":"90s","jumpDelay":null,\
            "liveInterval":"1us","liveLimit":null,"liveShare":"7%","lockDelay":"0s",\
            "maximumWait":"1152921504.606846976s","pauseDelay":"1.000001ms","quietDelay":"1.5s",\
            "quietMaximum":"3600s","releasedEndDelay":"16ms","reportedEndDelay":"250us"}
            """
        XCTAssertEqual(try json(policy), text)
        XCTAssertEqual(try decoded(text), policy)
    }

    /// docs/reference/contract.md lists the fields of settle_policy.h with their defaults, in this order.
    func testTheContractHasTheFieldsOfTheCore() throws {
        let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let contract = try String(
            contentsOf: root.appendingPathComponent("docs/reference/contract.md"), encoding: .utf8)
        let section = try XCTUnwrap(contract.components(separatedBy: "\n## Policy").dropFirst().first)
        let rows = section.split(separator: "\n").drop { !$0.hasPrefix("|---") }.dropFirst().prefix {
            $0.hasPrefix("|")
        }
        let stated = rows.flatMap { row in
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return zip(cells[0].components(separatedBy: ", "), cells[1].components(separatedBy: ", ")).map { [$0, $1] }
        }
        var policy = settle_policy_default()
        let fields = withUnsafeBytes(of: &policy) { bytes in
            // Behind the struct's size.
            bytes.bindMemory(to: UInt64.self).dropFirst().enumerated().map { number, value in
                let name = settle_policy_field_at(UInt32(number)).map { String(cString: $0.pointee.name) } ?? ""
                if value == UInt64.max { return [name, "none"] }
                let text = Duration.nanoseconds(Int64(value)).withUnit
                return [name, value == 0 ? "0" : text.replacing(#/[a-z]+/#) { " \($0.output)" }]
            }
        }
        // In the core, what a later version adds comes last.
        func sorted(_ rows: [[String]]) -> [[String]] { rows.sorted { $0[0] < $1[0] } }
        XCTAssertEqual(sorted(stated), sorted(fields))
    }

    func testWhatIsMissingHasItsDefault() throws {
        XCTAssertEqual(try decoded("{}"), .default)
        XCTAssert(
            try decoded(#"{"quietDelay":"7ms","interactionTimeout":null,"jumpDelay":"none"}"#)
                == Policy(quietDelay: .milliseconds(7), jumpDelay: nil, interactionTimeout: nil))
    }

    func testFaultsNameTheKey() {
        let faults = [
            (#"{"quietDely":"7ms"}"#, "quietDely is no duration of a policy; did you mean 'quietDelay'?"),
            (#"{"lockDelay":null}"#, "lockDelay cannot be none"),
            (#"{"lockDelay":"none"}"#, "lockDelay cannot be none"),
            (#"{"lockDelay":"7"}"#, "lockDelay is '7'; give a number and a unit"),
            (#"{"lockDelay":"-7ms"}"#, "lockDelay is '-7ms'; give a number and a unit"),
            (#"{"pauseDelay":""}"#, "pauseDelay is ''; give a number and a unit"),
            (#"{"quietMaximum":"3600.000000001s"}"#, "quietMaximum is 3600.000000001s; it must be from 0s to 3600s"),
            (
                #"{"quietDelay":"501ms","quietMaximum":"500ms"}"#,
                "quietDelay is 501ms; it must be from 0s to 500ms, its quietMaximum"
            ),
            (#"{"quietDelay":"2h"}"#, "quietDelay is 7200s; it must be from 0s to 3600s"),
            (#"{"maximumWait":"9999999999999999999999h"}"#, "maximumWait is "),
            (#"{"liveShare":"30"}"#, "liveShare is '30'; give a whole percentage, as 30%, or none"),
            (#"{"liveShare":"30ms"}"#, "liveShare is '30ms'; give a whole percentage, as 30%, or none"),
            (#"{"liveShare":"0%"}"#, "liveShare is 0%; it must be from 1% to 100%"),
            (#"{"liveShare":"18446744073709551617%"}"#, "liveShare is 184%; it must be from 1% to 100%"),
            (#"{"liveShare":"%"}"#, "liveShare is '%'; give a whole percentage, as 30%, or none"),
        ]
        for (text, message) in faults {
            XCTAssertThrowsError(try decoded(text)) { error in
                guard case DecodingError.dataCorrupted(let context) = error else { return XCTFail("\(error)") }
                XCTAssert(context.debugDescription.contains(message), context.debugDescription)
                XCTAssertEqual(context.codingPath.last.map { message.hasPrefix($0.stringValue) }, true)
            }
        }
        XCTAssertThrowsError(try decoded(#"{"lockDelay":7}"#)) { XCTAssert($0 is DecodingError) }
        XCTAssertThrowsError(try decoded("[]")) { XCTAssert($0 is DecodingError) }
    }

    func testAQuietTimeThatIsGivenAloneTakesTheOtherAlong() throws {
        func times(_ policy: Policy) -> [Duration] { [policy.quietDelay, policy.quietMaximum] }
        let (ms, hour) = (Duration.milliseconds(1), Policy.longestQuietMaximum)
        let delays = [(0, 500), (500, 500), (501, 501), (2_000, 2_000), (3_600_000, 3_600_000)]
        for (delay, most) in delays {
            XCTAssertEqual(times(Policy(quietDelay: ms * delay)), [ms * delay, ms * most])
            XCTAssertEqual(times(try decoded(#"{"quietDelay":"\#(delay)ms"}"#)), [ms * delay, ms * most])
        }
        for (most, delay) in [(0, 0), (199, 199), (200, 200), (2_000, 200)] {
            XCTAssertEqual(times(Policy(quietMaximum: ms * most)), [ms * delay, ms * most])
            XCTAssertEqual(times(try decoded(#"{"quietMaximum":"\#(most)ms"}"#)), [ms * delay, ms * most])
        }
        XCTAssertEqual(times(Policy(quietDelay: ms * 600, quietMaximum: ms * 500)), [ms * 600, ms * 500])
        XCTAssertEqual(Policy(quietDelay: Policy.fitting, quietMaximum: Policy.fitting), .default)
        XCTAssertEqual(times(Policy(quietDelay: hour + ms)), [hour + ms, hour])
        XCTAssertEqual(times(Policy()), [ms * 200, ms * 500])
    }

    func testAnEnginesErrorNamesTheQuietMaximum() {
        var policy = Policy()
        policy.quietDelay = .seconds(2)
        XCTAssertThrowsError(try { _ = try Engine(policy: policy) }()) {
            XCTAssertEqual(
                "\($0)",
                "quietDelay is 2000000000 ns; it must be from 0 ns to 500000000 ns, the policy's quietMaximum")
        }
        XCTAssertThrowsError(try Policy(quietMaximum: .seconds(-1)).validate()) {
            XCTAssertEqual(
                $0 as? EngineError,
                EngineError.durationOutOfRange(name: "quietMaximum", value: .seconds(-1), most: .seconds(3600)))
        }
    }

    func testPoliciesOutOfRangeAreNotEncoded() {
        let policies = [
            Policy(firstDelay: .nanoseconds(-1)),
            Policy(quietDelay: .milliseconds(501), quietMaximum: .milliseconds(500)),
            Policy(quietMaximum: .seconds(3601)), Policy(maximumWait: Policy.longestDelay + .nanoseconds(1)),
        ]
        for policy in policies { XCTAssertThrowsError(try json(policy)) { XCTAssert($0 is EncodingError) } }
    }

    func testEveryNanosecondReadsBackAsItWasWritten() {
        var random = SplitMix64(seed: 11)
        for bits in 0..<63 {
            for _ in 0..<50 {
                let nanoseconds = random.next() & (1 << UInt64(bits + 1) - 1) & UInt64(Int64.max)
                let duration = Duration.nanoseconds(Int64(nanoseconds))
                XCTAssertEqual(Duration.nanoseconds(of: duration.withUnit), nanoseconds, "\(duration.withUnit)")
            }
        }
    }

    func testADurationForPeopleIsRoundedOrExact() {
        let texts: [(UInt64, rounded: String, exact: String, seconds: String)] = [
            (0, "0 s", "0 s", "0 s"), (820, "820 ns", "820 ns", "0.00000082 s"),
            (1_049, "1 µs", "1.049 µs", "0.000001049 s"), (1_050, "1.1 µs", "1.05 µs", "0.00000105 s"),
            (999_950, "1000 µs", "999.95 µs", "0.00099995 s"),
            (16_250_000, "16.3 ms", "16.25 ms", "0.01625 s"), (4_205_000_000, "4.21 s", "4.205 s", "4.205 s"),
            (59_994_999_999, "59.99 s", "59.994999999 s", "59.994999999 s"),
            (59_999_999_999, "60 s", "59.999999999 s", "59.999999999 s"),
            (60_000_000_000, "1 min 0 s", "60 s", "60 s"),
            (3_599_999_999_999, "59 min 59 s", "3599.999999999 s", "3599.999999999 s"),
            (3_600_000_000_000, "1 h 0 min", "3600 s", "3600 s"),
            (90_061_000_000_000, "25 h 1 min", "90061 s", "90061 s"),
        ]
        for (nanoseconds, rounded, exact, seconds) in texts {
            let duration = Duration.nanoseconds(Int64(nanoseconds))
            XCTAssertEqual(duration.text, rounded)
            XCTAssertEqual((.zero - duration).text, (nanoseconds > 0 ? "-" : "") + rounded)
            XCTAssertEqual(Policy.fixed(duration).description.prefix { $0 != "," }, "firstDelay \(exact)")
            XCTAssertEqual(Timestamp(nanoseconds: nanoseconds).description, seconds)
        }
    }

    func testNumbersAreDecimalAndRounded() {
        let texts: [(String, UInt64?)] = [
            ("0", 0), ("0.0", 0), ("00", 0), (".5ms", 500_000), ("5.ms", 5_000_000), ("1.5us", 1_500), ("1.5µs", 1_500),
            ("0.1s", 100_000_000), ("1.4ns", 1), ("1.5ns", 2), ("0.4999999999999999999999ns", 0),
            ("2min", 120_000_000_000),
            ("1h", 3_600_000_000_000), ("99999999999999999999h", .max), ("18446744073709551615ns", .max),
            ("", nil), (".", nil), ("0..0", nil), ("5", nil), ("1.5", nil), ("ms", nil), (".ms", nil), ("1.2.3ms", nil),
            ("1e3ms", nil), ("0x10ms", nil), ("+1ms", nil), ("-1ms", nil), ("infs", nil), ("nans", nil), ("5 ms", nil),
            ("٣ms", nil), ("1,5s", nil),
        ]
        for (text, nanoseconds) in texts { XCTAssertEqual(Duration.nanoseconds(of: text), nanoseconds, "\(text)") }
    }

    func testAServersBoundsHoldForEachDuration() {
        func fault(_ asked: Policy, upTo most: Duration = .seconds(10), server: Policy = .default) -> String? {
            do throws(PolicyFault) {
                try asked.validate(upTo: most, or: server)
                return nil
            } catch {
                return "\(error.name) \(error.problem)"
            }
        }
        XCTAssertEqual(fault(.default), nil)
        XCTAssertEqual(fault(Policy(lockDelay: .seconds(10))), nil)
        XCTAssert(
            fault(Policy(lockDelay: .seconds(11))) == "lockDelay is 11s; this server allows its clients at most 10s")
        // What the server waits for itself, it grants.
        XCTAssertEqual(fault(Policy(lockDelay: .seconds(11)), server: Policy(lockDelay: .seconds(11))), nil)
        XCTAssertEqual(fault(.default, upTo: .zero), nil)
        XCTAssert(
            fault(Policy(quietMaximum: .milliseconds(501)), upTo: .zero)
                == "quietMaximum is 501ms; this server allows its clients at most 500ms")
        // None of the limits is one only for the watchdog.
        XCTAssertEqual(fault(.uikit), "interactionTimeout cannot be none; the server's is 10s")
        XCTAssertEqual(fault(.uikit, server: .uikit), nil)
        XCTAssertEqual(fault(Policy(interactionTimeout: .seconds(3600)), server: .uikit), nil)
        XCTAssertEqual(fault(Policy(maximumWait: .seconds(3600))), nil)
        XCTAssert(
            fault(Policy(maximumWait: .seconds(3600)), server: Policy(maximumWait: .seconds(1)))
                == "maximumWait is 3600s; this server allows its clients at most 10s")
        XCTAssertEqual(fault(Policy(jumpDelay: nil), server: Policy(pauseDelay: .zero, maximumWait: .zero)), nil)
    }
}
