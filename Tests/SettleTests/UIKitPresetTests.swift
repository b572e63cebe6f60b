import Settle
import TestSupport
import XCTest

/// The preset `uikit` against the predicate that UIKit code tests in each callback.
final class UIKitPresetTests: XCTestCase {
    func testUIKit_decidesAsThePredicateAtEveryEvent() throws {
        for seed: UInt64 in 0..<500 {
            var random = SplitMix64(seed: seed)
            var engine = try Engine(.init(policy: .uikit, scenesMax: 1, decisionsMax: 1 + random.below(2)))
            let scene = try engine.connect()
            var decided: [String] = []
            var expected: [String] = []
            var (size, built, interacting): (Size?, Size?, Bool) = (nil, nil, false)
            var ms = 0
            for _ in 0..<100 {
                ms += random.below(3)
                let newSize = random.chance(70) ? random.pick([Size.a, .b, .c, .zero]) : nil
                let flag = random.chance(50) ? random.chance(50) : nil
                engine.submit(.at(ms, scene, newSize, resizing: flag)) { decided += $0.rebuildText }

                if let newSize, newSize != .zero { size = newSize }
                interacting = flag ?? interacting
                if !interacting, let size, size != built {
                    built = size
                    expected.append("\(ms) \(size)")
                }
                if random.chance(50) { engine.advance(to: .ms(ms)) { decided += $0.rebuildText } }
            }
            engine.finish { decided += $0.rebuildText }
            XCTAssertEqual(decided, expected, "seed \(seed)")
        }
    }
}

extension Decision {
    fileprivate var rebuildText: [String] {
        rebuild.map { ["\(at.nanoseconds / 1_000_000) \($0.size)"] } ?? []
    }
}
