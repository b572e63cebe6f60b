import Settle
import Testing

@testable import SettleHandlers

/// The program stops in a child process of its own.
@Suite
struct HandlersOneConsumerTests {
    @Test func aSecondConsumerOfDecisionsStopsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            let stream = DecisionStream()
            let first = stream.makeAsyncIterator()
            let second = stream.makeAsyncIterator()
            withExtendedLifetime((first, second)) {}
        }
    }

    @Test func aSecondConsumerOfGeometriesStopsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            let stream = GeometryStream()
            let first = stream.makeAsyncIterator()
            let second = stream.makeAsyncIterator()
            withExtendedLifetime((first, second)) {}
        }
    }

    @Test func oneConsumerAfterTheOtherIsFine() {
        let stream = DecisionStream()
        for _ in 0..<3 { _ = stream.makeAsyncIterator() }
    }
}
