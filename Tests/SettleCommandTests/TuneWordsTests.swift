import Settle
import XCTest

@testable import SettleCommand

/// How `settle tune` writes figures and policies.
final class TuneWordsTests: XCTestCase {
    func testAFigureBesideTodaysIsAPercentageOrAMultiple() {
        for (today, figure, words) in [
            (10.0, 100.0, "×10"), (10, 1000, "×100"), (10, 99, "+890 %"), (100, 105, "+5 %"), (1000, 1005, "+0.5 %"),
            (1000, 1101, "+10 %"), (100, 90, "-10 %"), (100, 95, "-5 %"), (1000, 899, "-10 %"), (100, 0, "-100 %"),
        ] { XCTAssertEqual(TuneReport.versus(today, figure), words, "\(today) \(figure)") }
        for same in [(0.0, 5.0), (5, 5), (0, 0)] { XCTAssertNil(TuneReport.versus(same.0, same.1)) }
    }

    /// Each duration in the largest unit of which it is a whole number.
    func testAPolicyIsCodeToCopy() {
        var policy = Policy.default
        policy.firstDelay = .microseconds(1500)
        policy.reportedEndDelay = .nanoseconds(1_000_001)
        policy.discreteDelay = .zero
        policy.quietDelay = .milliseconds(1500)
        policy.jumpDelay = nil
        policy.maximumWait = .seconds(90)
        policy.liveSharePercent = 30
        let code = PolicyCode(policy: policy)
        XCTAssertEqual(
            code.swift,
            "Policy(firstDelay: .microseconds(1500), reportedEndDelay: .nanoseconds(1000001), discreteDelay: .zero, "
                + "quietDelay: .milliseconds(1500), jumpDelay: nil, maximumWait: .seconds(90), liveSharePercent: 30)")
        XCTAssertEqual(
            code.c,
            [
                "settle_policy policy = settle_policy_default();", "policy.first_delay_ns = 1500000;",
                "policy.reported_end_delay_ns = 1000001;", "policy.discrete_delay_ns = 0;",
                "policy.quiet_delay_ns = 1500000000;", "policy.jump_delay_ns = SETTLE_NEVER;",
                "policy.maximum_wait_ns = 90000000000;", "policy.live_share_percent = 30;",
            ])
    }
}
