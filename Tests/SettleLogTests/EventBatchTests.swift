import Settle
import XCTest

@testable import SettleLog

/// A batch that a live source fills.
final class EventBatchTests: XCTestCase {
    func testWhatDoesNotFitStaysForTheNextBatch() {
        let batch = EventBatch()
        func press(_ time: Int) -> LogEvent {
            .pointer(button: 0, at: Timestamp(nanoseconds: UInt64(time)), isPressed: true)
        }
        batch.append(press(0))
        var events = (1...EventBatch.capacity + 1).map(press)
        batch.move(&events)
        XCTAssert(batch.isFull)
        XCTAssertEqual((0..<batch.count).map { batch[$0] }, (0..<EventBatch.capacity).map(press))
        XCTAssertEqual(events, [press(EventBatch.capacity), press(EventBatch.capacity + 1)])
        batch.move(&events)
        XCTAssertEqual(events.count, 2, "a full batch takes nothing")
        batch.removeAll()
        batch.move(&events)
        XCTAssertEqual([batch.count, events.count], [2, 0])
    }

    func testWhatIsLeftKeepsItsPlace() {
        let batch = EventBatch(recordsPositions: true)
        let scene = SceneNumber(rawValue: 0)
        batch.append(.pointer(button: 1, at: .zero, isPressed: true), at: .line(3))
        batch.append(.geometry(scene, at: .zero, size: nil, isInteractivelyResizing: true), at: .line(5))
        batch.append(.pointer(button: 1, at: .zero, isPressed: false), at: .line(7))
        batch.append(.connect(scene, at: .zero), at: .line(9))
        batch.remove([.pointer, .flags])
        XCTAssertEqual(batch.positions, [.line(5), .line(9)])
        XCTAssertEqual((0..<batch.count).map { batch[$0].kind }, [.geometry, .connect])
        XCTAssertNil(batch[0].isInteractivelyResizing)
    }
}
