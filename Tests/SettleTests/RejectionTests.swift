import Settle
import XCTest

/// What `submit` returns, and the conveniences that submit one event.
final class RejectionTests: XCTestCase {
    func testSubmitTellsWhyAnEventIsRejected() throws {
        var engine = try Engine()
        let scene = try engine.connect()
        let (good, bad) = (Size(width: 1, height: 1), Size(width: -1, height: 1))
        let stranger = SceneID(rawValue: 77)
        let before = engine.statistics
        XCTAssertEqual(engine.submit(.geometry(scene, at: .zero, size: good)) { _ in }, nil)
        XCTAssertEqual(engine.submit(.geometry(scene, at: .zero, size: bad)) { _ in }, .size)
        XCTAssertEqual(engine.submit(.geometry(stranger, at: .zero, size: good)) { _ in }, .scene)
        XCTAssertEqual(engine.submit(.flush(scene, at: Timestamp(nanoseconds: .max))) { _ in }, .event)
        for button in 0..<16 {
            XCTAssertEqual(engine.submit(.pointer(button: UInt32(button), at: .zero, isPressed: true)) { _ in }, nil)
        }
        XCTAssertEqual(engine.submit(.pointer(button: 16, at: .zero, isPressed: true)) { _ in }, .event)
        let new = engine.statistics.since(before)
        XCTAssertTrue(new.events == 17 && new.rejectedSizes == 1 && new.rejectedScenes == 1 && new.rejectedEvents == 2)
        XCTAssertTrue(new.scenes == 0 && new.rejected == 4)
    }

    func testWhatWasCountedSinceIsTheDifferenceOfEachNumber() throws {
        let engine = try Engine()
        func counts(_ unit: UInt64, scenes: Int) -> Engine.Statistics {
            var counts = engine.statistics
            (counts.events, counts.rejectedSizes, counts.rejectedScenes) = (unit, 2 * unit, 3 * unit)
            (counts.rejectedEvents, counts.regressions, counts.decisions) = (4 * unit, 5 * unit, 6 * unit)
            (counts.scenes, counts.feedback) = (scenes, 8 * unit)
            return counts
        }
        let new = counts(7, scenes: 1).since(counts(4, scenes: 3))
        XCTAssertEqual(
            Mirror(reflecting: new).children.map { "\($0.value)" }, ["3", "6", "9", "12", "15", "18", "-2", "24"])
        XCTAssertEqual(new.rejected, 27)
    }

    func testFlushCancelAndDisconnectAreEvents() throws {
        var engine = try Engine(policy: .fixed(.milliseconds(50)))
        let scene = try engine.connect()
        var kinds: [Decision.Kind] = []
        engine.submit(.geometry(scene, at: .zero, size: Size(width: 1, height: 1))) { _ in }
        XCTAssertTrue(engine.isPending(scene))
        XCTAssertEqual(engine.flush(scene, at: Timestamp(nanoseconds: 5)) { kinds.append($0.kind) }, nil)
        XCTAssertTrue(kinds == [.rebuild(Rebuild(size: Size(width: 1, height: 1), reason: .flush))])
        engine.submit(.geometry(scene, at: Timestamp(nanoseconds: 6), size: Size(width: 2, height: 1))) { _ in }
        XCTAssertEqual(engine.cancel(scene, at: Timestamp(nanoseconds: 7)) { kinds.append($0.kind) }, nil)
        XCTAssertTrue(!engine.isPending(scene) && kinds.count == 1)
        XCTAssertEqual(engine.disconnect(scene, at: Timestamp(nanoseconds: 8)) { kinds.append($0.kind) }, nil)
        XCTAssertEqual(engine.flush(scene, at: Timestamp(nanoseconds: 9)) { _ in }, .scene)
    }
}
