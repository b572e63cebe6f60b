import Settle
import SettleLog
import XCTest

@testable import SettleCommand

/// Names and sizes of `settle anonymize`; what it does from the outside: Tests/Cases/command/anonymize.cases.
final class AnonymizeTests: XCTestCase {
    func testTwoScenesNeverBecomeOne() throws {
        let scenes = SceneNames()
        for name in ["a", "b", "c"] { _ = scenes.number(of: name) }
        try NameReplacements { $0 + "!" }.extend(from: scenes)
        XCTAssertThrowsError(try NameReplacements { $0 == "c" ? "A" : $0.uppercased() }.extend(from: scenes)) {
            XCTAssertEqual(($0 as? Failure)?.code, .io)
        }
    }

    func testEveryRoundedSizeIsWhatTheEngineTakesItFor() {
        let sides = [0, 1e-320, 1, 3.5, 1e15, 1e16, 0x1.fffffffffffffp1023, .infinity, -.infinity, .nan, -2, -0.0]
        for step in [1, 2, 3, 7, 8, 1000, 999_999, 1_000_000] as [Double] {
            for width in sides {
                for height in sides {
                    let size = Size(width: width, height: height)
                    let rounded = SizeStep(length: step).rounded(size)
                    XCTAssertEqual(rounded.isValid, size.isValid, "\(size) \(step)")
                    XCTAssertEqual(rounded.isStated, size.isStated, "\(size) \(step)")
                    if !size.isValid { XCTAssertEqual(rounded, SizeStep.rejected) }
                }
            }
        }
    }

    /// A scene of a coarse log has 65,536 sizes; then it begins with the first one anew.
    func testACoarseLogTellsTheSizesOfAScene() throws {
        let coarse = try CoarseEvents()
        let scenes = SceneNames()
        let (a, b) = (scenes.number(of: "a"), scenes.number(of: "b"))
        func size(_ number: Int, of scene: SceneNumber) throws -> Size? {
            let size = Size(width: Double(1 + number), height: 5)
            return try coarse.next(.geometry(scene, at: Timestamp(nanoseconds: UInt64(number)), size: size)).size
        }
        let first = Size(width: 400, height: 300)
        var seen: Set<Size> = []
        for number in 0..<1 << 16 { seen.insert(try XCTUnwrap(size(number, of: a))) }
        XCTAssertEqual(seen.count, 1 << 16)
        XCTAssertEqual(try size(3, of: b), first, "each scene has sizes of its own")
        XCTAssertEqual(try size(1 << 16, of: a), first)
        XCTAssertEqual(try size(7, of: a), Size(width: 408, height: 300))
        XCTAssertEqual(try size(1 << 16, of: a), first, "a size that comes back is the same")
    }
}
