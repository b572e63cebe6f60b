import TestSupport
import XCTest

@testable import UIKit

/// Constraints of random trees against a dense solution of the same equations.
@MainActor final class RandomConstraintTests: AppTestCase {
    private func assertEqual(
        _ a: [CGRect], _ b: [CGRect], _ seed: UInt64, file: StaticString = #filePath, line: UInt = #line
    ) {
        XCTAssertEqual(a.count, b.count, file: file, line: line)
        for (index, (x, y)) in zip(a, b).enumerated() {
            let differences = [x.minX - y.minX, x.minY - y.minY, x.width - y.width, x.height - y.height]
            guard let worst = differences.map(abs).max(), worst < 1e-6 else {
                return XCTFail("seed \(seed), item \(index + 1): \(x) is not \(y)", file: file, line: line)
            }
        }
    }

    func testRandomSystemsHaveTheFramesOfADenseSolution() async throws {
        var solved = 0
        for seed in 0..<tried(10_000) as Range<UInt64> {
            let system = RandomConstraints(seed: seed)
            guard let expected = system.solvedFrames(scale: 2) else { continue }
            solved += 1
            NSLayoutConstraint.activate(system.constraints)
            system.layOut()
            assertEqual(system.frames, expected, seed)
            guard seed % 10 == 0 else { continue }
            // The same plan for another size.
            system.root.frame.size = CGSize(333, 777)
            system.layOut()
            try assertEqual(system.frames, XCTUnwrap(system.solvedFrames(scale: 2)), seed)
        }
        XCTAssertEqual(solved, tried(10_000))
        XCTAssertEqual(app.system.messages.filter { $0.contains("onstraint") }, [], "none conflicts or is left out")
    }

    func testTheOrderOfActivationChangesNoFrame() async throws {
        var random = SplitMix64(seed: 1)
        for seed in 0..<300 as Range<UInt64> {
            let system = RandomConstraints(seed: seed)
            var frames: [CGRect]?
            for _ in 0..<6 {
                let order = system.constraints.shuffled(using: &random)
                NSLayoutConstraint.activate(order)
                system.layOut()
                if let frames { assertEqual(system.frames, frames, seed) }
                XCTAssertTrue(order.allSatisfy { $0.status == .applied }, "seed \(seed)")
                frames = system.frames
                // One after the other, with layouts between.
                for constraint in order { constraint.isActive = false }
                let few = order.prefix(3)
                for constraint in few { constraint.isActive = true }
                system.layOut()
                for constraint in few { constraint.isActive = false }
            }
        }
    }

    /// The next permutation in the order of indices.
    private func next(_ order: [NSLayoutConstraint], among all: [NSLayoutConstraint]) -> [NSLayoutConstraint] {
        var indices = order.map { constraint in all.firstIndex { $0 === constraint }! }
        guard let low = indices.indices.dropLast().last(where: { indices[$0] < indices[$0 + 1] }) else { return all }
        let high = indices.indices.last { indices[$0] > indices[low] }!
        indices.swapAt(low, high)
        indices[(low + 1)...].reverse()
        return indices.map { all[$0] }
    }

    func testALayoutFromRightToLeftIsTheMirrorImage() async throws {
        var compared = 0
        for seed in 0..<1_000 as Range<UInt64> {
            let system = RandomConstraints(seed: seed, isDirectional: true)
            NSLayoutConstraint.activate(system.constraints)
            system.layOut()
            let frames = system.frames
            // A negative width becomes 0 at its smallest coordinate, which has no mirror image.
            guard frames.allSatisfy({ $0.width > 0 }) else { continue }
            compared += 1
            for item in system.items { item.view?.semanticContentAttribute = .forceRightToLeft }
            system.layOut()
            for (index, (frame, item)) in zip(frames, system.items.dropFirst()).enumerated() {
                let found = system.frames[index]
                let width = system.items[item.parent].view!.frame.width
                // A side between two pixels is rounded to the right in both directions.
                XCTAssertEqual(found.minX, width - frame.maxX, accuracy: 0.51, "seed \(seed), item \(index + 1)")
                XCTAssertEqual(found.width, frame.width, accuracy: 0.51, "seed \(seed), item \(index + 1)")
                XCTAssertEqual(found.minY, frame.minY, accuracy: 1e-6)
                XCTAssertEqual(found.height, frame.height, accuracy: 1e-6)
            }
        }
        XCTAssertGreaterThan(compared, 200)
        XCTAssertEqual(app.system.messages.filter { $0.contains("onstraint") }, [])
    }

    // MARK: Priorities

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
        for seed in 0..<tried(3_000) as Range<UInt64> {
            let system = RandomPriorities(seed: seed)
            NSLayoutConstraint.activate(system.constraints)
            system.root.layoutIfNeeded()
            let lines = system.counting()
            guard try check(system, lines, "seed \(seed)") else { continue }
            checked += 1
            contradictory += lines.count < system.lines.count ? 1 : 0
        }
        XCTAssertEqual(app.system.unsupportedConstraints, [])
        XCTAssertGreaterThan(checked, tried(2_500))
        XCTAssertGreaterThan(contradictory, tried(100))
    }
}
