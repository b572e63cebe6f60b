import CSettle
import Foundation
import Settle
import TestSupport
import XCTest

/// A policy's one form as text: what Tests/Cases/policies cannot say of it.
final class PolicyTextTests: XCTestCase {
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

    /// All fields, as those are the defaults that are not named.
    func testWhatAPolicyWithOneDelayHas() {
        func fields(_ policy: Policy) -> String {
            policy.texts.map { "\($0.name) \($0.text ?? "none")" }.joined(separator: ", ")
        }
        XCTAssertEqual(
            fields(.fixed(.milliseconds(7))),
            "firstDelay 7ms, reportedEndDelay 7ms, releasedEndDelay 7ms, discreteDelay 7ms, quietDelay 7ms, jumpDelay none,"
                + " calmDelay 500ms, lockDelay 7ms, pauseDelay none, pauseShare none, maximumWait none,"
                + " interactionTimeout none, liveShare none, liveLimit 16ms, liveInterval 16ms, livePause none")
        XCTAssertEqual(
            fields(.immediate(lockDelay: .milliseconds(7))),
            "firstDelay 0s, reportedEndDelay 0s, releasedEndDelay 0s, discreteDelay 0s, quietDelay 0s, jumpDelay none,"
                + " calmDelay 0s, lockDelay 7ms, pauseDelay none, pauseShare none, maximumWait none,"
                + " interactionTimeout none, liveShare none, liveLimit 16ms, liveInterval 16ms, livePause none")
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
            fault(Policy(calmDelay: .milliseconds(501)), upTo: .zero)
                == "calmDelay is 501ms; this server allows its clients at most 500ms")
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
