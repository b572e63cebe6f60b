import Settle
import SettleHandlers
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleLoop

/// What a live engine passes on to the handlers that it makes.
final class MadeHandlersTests: XCTestCase {
    private func event(_ scene: SceneID, _ width: Double, resizing: Bool? = nil) -> Event {
        .geometry(
            scene, at: MonotonicClock.now, size: Size(width: width, height: 1), isInteractivelyResizing: resizing)
    }

    /// The end of a preview is reported to a policy that pays for previews, and to no other: it is an event. All runs where
    /// the configuration says.
    func testAPreviewsEndIsReportedWhereItPaysForTheNext() async throws {
        for (isPaid, prepares) in [(true, true), (false, true), (true, false), (false, false)] {
            var policy = Policy.prepared
            policy.pauseDelay = .milliseconds(1)
            policy.pauseSharePercent = isPaid ? 50 : nil
            let engine = try LiveEngine(policy: policy)
            let (shown, places) = (Locked<[Double]>([]), Locked<[Bool?]>([]))
            let executor = engine.executor
            let configuration = AssetRebuilder.Configuration(executor: executor)
            let note: @Sendable (Double?) -> Void = { width in
                places.change { $0.append(executor.isIsolatingCurrentContext()) }
                if let width { shown.change { $0.append(width) } }
            }
            let rebuilder =
                prepares
                ? try engine.makeRebuilder(
                    configuration, prepare: { _, _ in note(nil) }, show: { _, rebuild, _ in note(rebuild.size.width) })
                : try engine.makeRebuilder(
                    configuration, build: { _, rebuild in note(rebuild.size.width) }, preview: { _, _ in note(nil) })
            try engine.start()
            var source = try engine.makeSource()
            let scene = try engine.connect()
            source.send(event(scene, 1, resizing: false))
            shown.wait { $0.count == 1 }
            await rebuilder.waitUntilIdle()
            source.send(event(scene, 2, resizing: true))
            for _ in 0..<10_000 where rebuilder.statistics.previews.kept == 0 {
                try await Task.sleep(for: .milliseconds(1))
            }
            await rebuilder.waitUntilIdle()
            source.send(event(scene, 2, resizing: false))
            shown.wait { $0.count == 2 }
            engine.stop()
            XCTAssertEqual(shown.value, [1, 2])
            XCTAssertEqual(engine.statistics.engine.events, isPaid ? 4 : 3)
            XCTAssertEqual(rebuilder.statistics.previews.used, prepares ? 1 : 0)
            XCTAssertFalse(places.value.contains { $0 != true }, "not where it was asked for")
        }
    }

    /// A loop whose clock stands still.
    private final class StillLoop: LoopWaiting {
        private let loop: EventLoop
        var now = Timestamp(nanoseconds: 1_000_000_000)

        init() throws { loop = try EventLoop() }

        var bell: EventDescriptor { loop.bell }
        var backendDescriptor: Int32 { loop.backendDescriptor }
        func wake(at deadline: Timestamp) {}
        func run(_ mode: LoopMode) { loop.run(mode) }
        func close() { loop.close() }
    }

    /// Also one in which nothing came but a deadline passed, and none in which nothing was done.
    func testThePassHookHasTheTimeAndWhatIsNew() throws {
        let (loop, passes) = (try StillLoop(), Locked<[LiveEngine.Pass]>([]))
        let engine = try LiveEngine(
            .init(policy: Policy(firstDelay: .milliseconds(10))),
            hooks: .init(onPass: { pass in passes.change { $0.append(pass) } }), loop: loop, handler: { _ in })
        let scene = try engine.connect()
        let times = [1000, 1005, 1020, 1030, 1040].map { Timestamp(nanoseconds: UInt64($0) * 1_000_000) }
        for (index, time) in times.enumerated() {
            loop.now = time
            if index == 0 || index == 4 { engine.post(.geometry(scene, at: time, size: Size(width: 1, height: 1))) }
            engine.runOnce()
        }
        XCTAssertEqual(
            passes.value,
            [
                .init(at: times[0], events: 1, decisions: 0), .init(at: times[2], events: 0, decisions: 1),
                .init(at: times[4], events: 1, decisions: 0),
            ])
        engine.stop()
    }

    /// What is really built is reported at the time of the report.
    func testAFailureIsReportedNow() async throws {
        struct Failure: Error {}
        let engine = try LiveEngine(policy: .uikit)
        let rebuilder = try engine.makeRebuilder(build: { _, _ in throw Failure() })
        try engine.start()
        var source = try engine.makeSource()
        let scene = try engine.connect()
        source.send(event(scene, 1))
        for _ in 0..<10_000 where rebuilder.statistics.failed == 0 { try await Task.sleep(for: .milliseconds(1)) }
        await rebuilder.waitUntilIdle()
        engine.stop()
        XCTAssertEqual([engine.statistics.engine.events, engine.statistics.engine.regressions], [2, 0])
    }

    /// It is not even counted what a stream does not get after its end.
    func testAFinishedStreamIsForgottenWhereAnotherIsMade() throws {
        let engine = try LiveEngine(policy: .uikit)
        let scene = try engine.connect()
        let finished = engine.makeDecisionStream()
        finished.finish()
        let stream = engine.makeDecisionStream()
        engine.post(event(scene, 1))
        engine.runOnce()
        XCTAssertEqual([finished.statistics.dropped, stream.statistics.dropped], [0, 0])
        XCTAssertEqual(stream.statistics.waiting, 1)
        engine.stop()
    }

    /// More than a stream knows by itself.
    func testTheLiveLaneKnowsAllScenesOfTheEngine() throws {
        let scenes = 1100
        let engine = try LiveEngine(.init(scenesMax: scenes))
        let stream = engine.makeGeometryStream(frameInterval: .zero)
        for number in 1...scenes { engine.post(event(try engine.connect(), Double(number))) }
        engine.runOnce()
        engine.stop()
        XCTAssertEqual([stream.statistics.updates, stream.statistics.rejected], [UInt64(scenes), 0])
    }

    /// Two geometries of a scene come in two frames, however short these are.
    func testTheLiveLaneHasTheFrameThatWasAskedFor() async throws {
        let engine = try LiveEngine(.init())
        let clock = ManualClock()
        let stream = engine.makeGeometryStream(frameInterval: .microseconds(5), clock: clock)
        let scene = try engine.connect()
        var geometries = stream.makeAsyncIterator()
        engine.post(event(scene, 1))
        engine.runOnce()
        let one = await geometries.next()
        engine.post(event(scene, 2))
        engine.runOnce()
        let asleep = Task {
            await clock.waitForSleepers()
            defer { clock.advance(by: .microseconds(5)) }
            return clock.deadlines
        }
        let two = await geometries.next()
        let deadlines = await asleep.value
        XCTAssertEqual([one?.size?.width, two?.size?.width], [1, 2])
        XCTAssertEqual(deadlines, [Timestamp(nanoseconds: 5000)])
        engine.stop()
    }
}
