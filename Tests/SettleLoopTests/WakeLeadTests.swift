import Settle
import XCTest

@testable import SettleLoop

final class WakeLeadTests: XCTestCase {
    private func learn(_ lead: inout WakeLead, late: [UInt64], times: Int) {
        for number in 0..<times {
            let asked = Timestamp(nanoseconds: 1_000_000_000 + UInt64(number) * 1_000_000)
            lead.learn(asked: asked, woken: Timestamp(nanoseconds: asked.nanoseconds + late[number % late.count]))
        }
    }

    func testItGrowsToWhatAWakeUpTakes() {
        var lead = WakeLead()
        learn(&lead, late: [130_000], times: 20)
        XCTAssertEqual(lead.nanoseconds, 130_000)
    }

    func testItShrinksWhereWakingIsQuick() {
        var lead = WakeLead()
        learn(&lead, late: [0], times: 200)
        XCTAssertLessThan(lead.nanoseconds, 21_000)
        XCTAssertGreaterThanOrEqual(lead.nanoseconds, WakeLead.bounds.lowerBound)
    }

    func testItCoversMostOfWhatVaries() {
        var lead = WakeLead()
        learn(&lead, late: [60_000, 80_000, 100_000, 120_000], times: 400)
        XCTAssertGreaterThan(lead.nanoseconds, 100_000)
        XCTAssertLessThanOrEqual(lead.nanoseconds, 120_000)
    }

    func testOneLongStallCostsNoMoreThanTheBound() {
        var lead = WakeLead()
        learn(&lead, late: [3_000_000], times: 30)
        XCTAssertEqual(lead.nanoseconds, WakeLead.bounds.upperBound)
    }

    func testAnEarlierWakeUpTeachesNothing() {
        var lead = WakeLead()
        let before = lead.nanoseconds
        lead.learn(asked: Timestamp(nanoseconds: 1_000_000), woken: Timestamp(nanoseconds: 999_999))
        XCTAssertEqual(lead.nanoseconds, before)
    }
}
