import Settle
import TestSupport
import XCTest

/// Rule 10: a handle names one life of a scene.
final class SceneLifeTests: XCTestCase {
    func testRule10_noHandleOfTenThousandLivesIsTakenForAnother() throws {
        var engine = try Engine(.init(scenesMax: 1))
        var seen: Set<SceneID> = []
        var last = try engine.connect()
        for life in 0..<10_000 {
            XCTAssertTrue(seen.insert(last).inserted, "life \(life) has the handle of an earlier one")
            engine.submit(.disconnect(last, at: .ms(life))) { _ in }
            let next = try engine.connect()
            engine.submit(.at(life, last, .a)) { _ in }
            XCTAssertFalse(engine.isPending(last))
            last = next
        }
        XCTAssertEqual(engine.statistics.rejectedScenes, 10_000)
    }

    func testRule10_handlesStayApartInALargeEngine() throws {
        var engine = try Engine(.init(scenesMax: Engine.scenesLimit))
        let first = try engine.connect()
        engine.submit(.disconnect(first, at: .ms(0))) { _ in }
        for life in 0..<10_000 {
            let scene = try engine.connect()
            XCTAssertNotEqual(scene, first, "life \(life)")
            engine.submit(.disconnect(scene, at: .ms(0))) { _ in }
        }
    }
}
