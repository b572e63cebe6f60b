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

    /// What is read of it: pieces, one with each call; it fails after the last one.
    private final class Desktop: GeometrySource {
        static let kind = TerminalSource.kind
        let header = LogHeader()
        let scenes = SceneNames()
        private let bell: EventDescriptor
        private var pieces: [[(button: UInt32, isPressed: Bool)]]
        let nextWake: Timestamp? = Timestamp(nanoseconds: 77)
        var descriptor: Int32 { bell.number }

        init(_ pieces: [[(button: UInt32, isPressed: Bool)]]) throws {
            self.pieces = pieces
            bell = try EventDescriptor()
            // Readable for ever, as a connection is that has ended.
            bell.signal()
        }

        func read(into batch: EventBatch) throws(SourceError) -> [SourceNews] {
            if pieces.isEmpty { throw SourceError("the display has gone") }
            for change in pieces.removeFirst() {
                batch.append(.pointer(button: change.button, at: .zero, isPressed: change.isPressed), at: .line(0))
            }
            return []
        }
    }

    func testWhatIsHeldWhenItFailsIsReleasedAndItIsWaitedForNoLonger() throws {
        let poll = try EpollDescriptor()
        // Held, so that its descriptor stays open.
        nonisolated(unsafe) let desktop = try Desktop(
            [[(3, true), (1, true), (2, true)], [(1, false), (4, true), (4, false)]])
        let buttons = try XCTUnwrap(PointerButtons(poll) { desktop })
        let batch = EventBatch()
        XCTAssertNil(buttons.nextWake)
        XCTAssertTrue(waitUntilReadable(poll.number, nanoseconds: 60_000_000_000))
        for _ in 0..<2 {
            buttons.read(into: batch)
            XCTAssertEqual(buttons.nextWake, Timestamp(nanoseconds: 77), "the source's own")
        }
        buttons.read(into: batch)
        XCTAssertNil(buttons.nextWake)
        let said = (0..<batch.count).map { "\(batch[$0].isPressed ? "+" : "-")\(batch[$0].button)" }
        XCTAssertEqual(said, ["+3", "+1", "+2", "-1", "+4", "-4", "-2", "-3"])
        XCTAssertFalse(isReadable(poll.number))
        buttons.read(into: batch)
        XCTAssertEqual(batch.count, said.count)
        withExtendedLifetime(desktop) {}
    }

    func testThatItHasOpenedIsTakenOnce() throws {
        let poll = try EpollDescriptor()
        let buttons = try XCTUnwrap(PointerButtons(poll) { try? FullDesktop() })
        let batch = EventBatch()
        XCTAssertTrue(waitUntilReadable(poll.number, nanoseconds: 60_000_000_000))
        for _ in 0..<2 { buttons.read(into: batch) }
        XCTAssertFalse(isReadable(poll.number))
    }
}
