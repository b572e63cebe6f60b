import TestSupport
import XCTest

@testable import UIKit

/// Random inequalities and priorities against all corners of the same system.
@MainActor final class RandomPriorityTests: XCTestCase {
    /// - Returns: False if a length is negative, which becomes 0 only in the frame, or
    ///   if nothing had to be solved.
    private func check(_ system: RandomPriorities, _ lines: [RandomPriorities.Line], _ what: String) throws -> Bool {
        let (found, best) = (system.found, try XCTUnwrap(system.best(lines)))
        let lengths = stride(from: 1, to: best.count, by: 2).map { best[$0] }
        guard lengths.allSatisfy({ $0 > -1e-6 }) else { return false }
        // What no inequality, priority or own size moves keeps its last value, also where another length
        // becomes negative with it.
        if system.root.constraintState?.plans.allSatisfy(\.groups.isEmpty) == true { return false }
        let (a, b) = (system.violations(found, lines), system.violations(best, lines))
        for (x, y) in zip(a, b) where abs(x - y) > 1e-3 {
            XCTFail(
                "\(what): \(found) violates by \(a), \(best) by \(b): \(system.constraints) "
                    + "\(system.boxes.map(\.width))")
        }
        return true
    }

    func testNoCornerViolatesRandomSystemsLess() async throws {
        var platform = UISystem.Platform.pad
        // Frames are hardly rounded.
        platform.screenScale = 0x1p20
        let app = try TestApp(platform: platform).launched()
        var (contradictory, checked) = (0, 0)
        for seed in 0..<3_000 as Range<UInt64> {
            let system = RandomPriorities(seed: seed)
            NSLayoutConstraint.activate(system.constraints)
            system.root.layoutIfNeeded()
            let lines = system.counting()
            guard try check(system, lines, "seed \(seed)") else { continue }
            checked += 1
            contradictory += lines.count < system.lines.count ? 1 : 0
        }
        XCTAssertEqual(app.system.unsupportedConstraints, [])
        XCTAssertGreaterThan(checked, 2_500)
        XCTAssertGreaterThan(contradictory, 100)
    }
}
