import Settle
import SettleClock
import SettleLog
import SettlePlatform
import XCTest

@testable import SettleSources

/// A desktop whose windows fill a whole batch before a button is pressed, all of which has arrived
/// already: its descriptor becomes readable once.
private final class FullDesktop: GeometrySource {
    static let kind = TerminalSource.kind
    let header = LogHeader()
    let scenes = SceneNames()
    private let bell: EventDescriptor
    private var reads = 0
    var descriptor: Int32 { bell.number }

    init() throws {
        bell = try EventDescriptor()
        bell.signal()
    }

    func read(into batch: EventBatch) throws(SourceError) -> [SourceNews] {
        bell.drain()
        reads += 1
        if reads == 1 {
            let window = scenes.number(of: "w")
            while !batch.isFull {
                batch.append(.geometry(window, at: MonotonicClock.now, size: Size(width: 9, height: 9)), at: .line(0))
            }
        } else if reads == 2 {
            batch.append(.pointer(button: 1, at: MonotonicClock.now, isPressed: true), at: .line(0))
        }
        return []
    }
}

final class PointerButtonsTests: XCTestCase {
    func testWhatDidNotFitIntoABatchIsReadAtOnce() throws {
        let poll = try EpollDescriptor()
        let buttons = try XCTUnwrap(PointerButtons(poll) { try? FullDesktop() })
        let batch = EventBatch()
        XCTAssertTrue(waitUntilReadable(poll.number, nanoseconds: 60_000_000_000))
        buttons.read(into: batch)
        XCTAssertEqual(batch.count, 0)
        XCTAssertLessThanOrEqual(try XCTUnwrap(buttons.nextWake), MonotonicClock.now)
        buttons.read(into: batch)
        XCTAssertEqual(batch.count, 1)
        XCTAssertNil(buttons.nextWake)
    }
}
