import Foundation
import SettleLog
import TestSupport
import XCTest

@testable import SettleCommand

/// The rows of `settle replay`; what it prints: Tests/Cases/command/replay.cases.
final class ReplayFiguresTests: TuneTestCase {
    /// Rows and their legend: above the most events neither speaks of a throttle.
    func testALogOfTooManyEventsHasNeitherTheThrottlesRowNorItsLegend() throws {
        for (most, hasThrottle) in [(172, true), (171, false)] {
            let replay = try LogReplay(LogReader(path: w04), policy: .default)
            let figures = ReplayFigures(eventsMost: most)
            replay.observe = { figures.add($0, names: $1) }
            while try replay.readNext() { replay.submit { _, _ in } }
            replay.finish { _, _ in }
            try figures.finish(replay, policy: .default, fault: nil)
            let text = ReplayReport(
                replay: replay, cost: ReplayVerb.buildCostStandard, took: .seconds(1), isComplete: nil,
                figures: figures,
                isLive: false
            ).text
            XCTAssertEqual(text.contains("throttle"), hasThrottle, text)
            XCTAssertEqual(text.contains("more than 171 events"), !hasThrottle, text)
            for name in ["every size", "debounce"] {
                XCTAssertEqual(text.components(separatedBy: name).count, 3, "\(name): a row and a meaning in \(text)")
            }
        }
    }
}
