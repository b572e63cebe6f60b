import Settle
import SettleHandlers
import XCTest

/// A stream has one consumer at a time. A second iteration ends at once and is counted.
final class HandlersOneConsumerTests: XCTestCase {
    func testASecondConsumerOfDecisionsGetsNothing() async {
        let stream = DecisionStream()
        var first = stream.makeAsyncIterator()
        var second = stream.makeAsyncIterator()
        for number in 1...2 { stream.yield(decision(at: UInt64(number))) }
        let refused = await second.next()
        XCTAssertEqual(refused, nil)
        XCTAssertEqual(stream.statistics.refusedConsumers, 1)
        let next = await first.next()
        XCTAssertEqual(next, decision(at: 1))
        let refusedAgain = await second.next()
        XCTAssertEqual(refusedAgain, nil, "it stays at its end")
        let afterNext = await first.next()
        XCTAssertEqual(afterNext, decision(at: 2))
    }

    func testASecondConsumerOfGeometriesGetsNothing() async {
        let stream = GeometryStream()
        var first = stream.makeAsyncIterator()
        var second = stream.makeAsyncIterator()
        stream.update(.geometry(SceneID(rawValue: 1), at: .zero, size: Size(width: 1, height: 1)))
        let refused = await second.next()
        XCTAssertEqual(refused, nil)
        XCTAssertEqual(stream.statistics.refusedConsumers, 1)
        let next = await first.next()?.size
        XCTAssertEqual(next, Size(width: 1, height: 1))
    }

    /// The iterator that was refused must not unregister the other when it goes.
    func testARefusedConsumerLeavesTheOtherAlone() async {
        let stream = DecisionStream()
        var first = stream.makeAsyncIterator()
        do { _ = stream.makeAsyncIterator() }
        stream.yield(decision(at: 1))
        let next = await first.next()
        XCTAssertEqual(next, decision(at: 1))
        XCTAssertEqual(stream.statistics.refusedConsumers, 1)
    }

    func testAnIteratorThatGoesLaterLeavesTheNextOneAlone() async {
        let stream = DecisionStream()
        let task = Task {
            var ended: DecisionStream.AsyncIterator? = stream.makeAsyncIterator()
            let nothing = await ended?.next()
            XCTAssertNil(nothing, "it is cancelled")
            let next = stream.makeAsyncIterator()
            ended = nil
            _ = stream.makeAsyncIterator()
            return withExtendedLifetime(next) { stream.statistics.refusedConsumers }
        }
        task.cancel()
        let refused = await task.value
        XCTAssertEqual(refused, 1)
    }

    func testOneConsumerAfterTheOtherIsFine() async {
        let stream = DecisionStream()
        stream.yield(decision(at: 1))
        for _ in 0..<3 { _ = stream.makeAsyncIterator() }
        var last = stream.makeAsyncIterator()
        let next = await last.next()
        XCTAssertEqual(next, decision(at: 1))
        XCTAssertEqual(stream.statistics.refusedConsumers, 0)
    }

    private func decision(at nanoseconds: UInt64) -> Decision {
        Decision(at: Timestamp(nanoseconds: nanoseconds), scene: SceneID(rawValue: 1), kind: .interactionBegan)
    }
}
