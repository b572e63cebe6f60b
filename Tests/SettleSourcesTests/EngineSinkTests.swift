import Settle
import SettleClock
import SettleLog
import SettleLoop
import SettlePlatform
import SettleSources
import TestSupport
import XCTest

/// The events of a source in a live engine.
final class EngineSinkTests: XCTestCase {
    private let names = SceneNames()
    private let batch = EventBatch()

    private func size(_ scene: String, _ width: Double) {
        batch.append(
            .geometry(names.number(of: scene), at: MonotonicClock.now, size: Size(width: width, height: 9)),
            at: .line(0))
    }

    private func receive(_ sink: EngineSink) {
        sink.receive(batch, scenes: names, news: [])
        batch.removeAll()
    }

    func testEachSceneIsConnectedOnceAndItsLastSizeIsBuilt() throws {
        let rebuilds = LockedValueBox<[SceneID: Double]>([:])
        let engine = try LiveEngine(.init()) { decision in
            if case .rebuild(let rebuild) = decision.kind {
                rebuilds.withLock { $0[decision.scene] = rebuild.size.width }
            }
        }
        try engine.start()
        var connected: [String: SceneID] = [:]
        let sink = try EngineSink(engine) { scene, name in
            XCTAssertNil(connected[name])
            connected[name] = scene
        }
        for width in 1...100 {
            size("a", Double(width))
            size("b", Double(2 * width))
            receive(sink)
        }
        engine.stop()
        XCTAssertEqual(rebuilds.withLock { $0 }, [connected["a"]!: 100, connected["b"]!: 200])
        XCTAssertEqual(sink.refused, 0)
    }

    func testABatchIsSentInOrderWithoutWhatIsRejected() throws {
        let rebuilds = LockedValueBox<[Double]>([])
        let engine = try LiveEngine(.init(policy: .uikit)) { decision in
            if case .rebuild(let rebuild) = decision.kind { rebuilds.withLock { $0.append(rebuild.size.width) } }
        }
        try engine.start()
        let sink = try EngineSink(engine)
        // Rejected, which leaves a hole where the batch's events become the engine's.
        batch.append(.disconnect(names.number(of: "gone"), at: MonotonicClock.now))
        size("a", 1)
        batch.append(.pointer(button: 1, at: MonotonicClock.now, isPressed: true))
        size("b", 2)
        batch.append(.disconnect(names.number(of: "gone"), at: MonotonicClock.now))
        size("a", 3)
        size("a", 4)
        batch.append(.pointer(button: 1, at: MonotonicClock.now, isPressed: false))
        receive(sink)
        engine.stop()
        XCTAssertEqual(rebuilds.withLock { $0 }, [1, 2, 4], "a's size after the drag, once")
        XCTAssertEqual(engine.statistics.engine.rejectedScenes, 0)
        XCTAssertEqual(sink.refused, 0)
    }

    func testASceneThatComesBackIsANewOneAndTooManyAreCounted() throws {
        let engine = try LiveEngine(.init(scenesMax: 2))
        try engine.start()
        var connected: [String] = []
        let sink = try EngineSink(engine) { _, name in connected.append(name) }
        size("a", 1)
        batch.append(.disconnect(names.number(of: "a"), at: MonotonicClock.now), at: .line(0))
        size("a", 2)
        size("b", 2)
        size("c", 2)
        receive(sink)
        // Of three scenes that are there at the end, two fit.
        let refused = sink.refused
        XCTAssertGreaterThanOrEqual(refused, 1)
        engine.stop()
        size("d", 1)
        receive(sink)
        XCTAssertEqual(connected.prefix(2), ["a", "a"])
        XCTAssertEqual(sink.refused, refused + 1)
    }
}
