import Settle
import SettleHandlers
import Testing

/// A stream has one consumer at a time. A second iteration ends at once and is counted.
@Suite
struct HandlersOneConsumerTests {
    @Test func aSecondConsumerOfDecisionsGetsNothing() async {
        let stream = DecisionStream()
        var first = stream.makeAsyncIterator()
        var second = stream.makeAsyncIterator()
        for number in 1...2 { stream.yield(decision(at: UInt64(number))) }
        #expect(await second.next() == nil)
        #expect(stream.statistics.refusedConsumers == 1)
        #expect(await first.next() == decision(at: 1))
        #expect(await second.next() == nil, "it stays at its end")
        #expect(await first.next() == decision(at: 2))
    }

    @Test func aSecondConsumerOfGeometriesGetsNothing() async {
        let stream = GeometryStream()
        var first = stream.makeAsyncIterator()
        var second = stream.makeAsyncIterator()
        stream.update(.geometry(SceneID(rawValue: 1), at: .zero, size: Size(width: 1, height: 1)))
        #expect(await second.next() == nil)
        #expect(stream.statistics.refusedConsumers == 1)
        #expect(await first.next()?.size == Size(width: 1, height: 1))
    }

    /// The iterator that was refused must not unregister the other when it goes.
    @Test func aRefusedConsumerLeavesTheOtherAlone() async {
        let stream = DecisionStream()
        var first = stream.makeAsyncIterator()
        do { _ = stream.makeAsyncIterator() }
        stream.yield(decision(at: 1))
        #expect(await first.next() == decision(at: 1))
        #expect(stream.statistics.refusedConsumers == 1)
    }

    @Test func oneConsumerAfterTheOtherIsFine() async {
        let stream = DecisionStream()
        stream.yield(decision(at: 1))
        for _ in 0..<3 { _ = stream.makeAsyncIterator() }
        var last = stream.makeAsyncIterator()
        #expect(await last.next() == decision(at: 1))
        #expect(stream.statistics.refusedConsumers == 0)
    }

    private func decision(at nanoseconds: UInt64) -> Decision {
        Decision(at: Timestamp(nanoseconds: nanoseconds), scene: SceneID(rawValue: 1), kind: .interactionBegan)
    }
}
