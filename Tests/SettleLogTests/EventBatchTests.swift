import Settle
import SettleLog
import XCTest

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
}
