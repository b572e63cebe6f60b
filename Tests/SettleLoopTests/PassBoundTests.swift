import Settle
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleLoop

/// A pass ends, whatever is sent meanwhile.
final class PassBoundTests: XCTestCase {
    /// A loop whose clock is read for each piece of events, and sends more of them each time.
    private final class RefillingLoop: LoopWaiting {
        private let loop: EventLoop
        var refill: () -> Void = {}

        init() throws { loop = try EventLoop() }

        var now: Timestamp {
            refill()
            return loop.now
        }
        var bell: EventDescriptor { loop.bell }
        var backendDescriptor: Int32 { loop.backendDescriptor }
        func wake(at deadline: Timestamp) { loop.wake(at: deadline) }
        func run(_ mode: LoopMode) { loop.run(mode) }
        func close() { loop.close() }
    }

    func testAPassTakesItsPiecesAndNoMoreFromAProducerThatNeverStops() throws {
        for producers in [1, 2] {
            let loop = try RefillingLoop()
            let engine = try LiveEngine(
                .init(policy: .uikit), loop: loop, bounds: .init(eventsPerPiece: 4, piecesPerPass: 3),
                handler: { _ in })
            let scene = try engine.connect()
            let sources = try (0..<producers).map { _ in try engine.makeChannel(capacity: 64, overload: .coalesce) }
            // A time to come, so that the clock is read for each piece.
            let events = (0..<4).map {
                Event.geometry(scene, at: .latest, size: Size(width: Double($0 + 1), height: 1))
            }
            var refills = 0
            loop.refill = {
                refills += 1
                // A pass without a bound ends here.
                if refills > 1000 { return }
                for source in sources { _ = source.push(events, count: 4) }
            }
            for pass in 1...5 {
                engine.runOnce()
                let taken = Int(engine.statistics.engine.events)
                XCTAssertGreaterThan(taken, 0)
                XCTAssertLessThanOrEqual(taken, 12 * pass, "\(producers) producers, pass \(pass)")
            }
            loop.refill = {}
            engine.stop()
        }
    }

    func testATurnTakesAllItsPieces() throws {
        let engine = try LiveEngine(
            .init(policy: .uikit), loop: EventLoop(), bounds: .init(eventsPerPiece: 4, piecesPerPass: 3),
            handler: { _ in })
        let (scene, channel) = (try engine.connect(), try engine.makeChannel(capacity: 64, overload: .coalesce))
        let events = (0..<20).map {
            Event.geometry(scene, at: MonotonicClock.now, size: Size(width: Double($0 + 1), height: 1))
        }
        XCTAssertEqual(channel.push(events, count: 20), 20)
        for (passes, taken) in [(1, 12), (2, 20), (3, 20)] as [(UInt64, UInt64)] {
            engine.runOnce()
            XCTAssertEqual(engine.statistics.engine.events, taken)
            XCTAssertEqual(engine.statistics.passes, passes)
        }
        engine.stop()
    }

    /// A turn that a deadline began: what its handler sends wakes the host at its end, and once.
    func testWhatAHandlerSendsWakesTheHostOnce() throws {
        let box = Locked<LiveEngine?>(nil)
        let engine = try LiveEngine(policy: .fixed(.milliseconds(30))) { decision in
            box.value?.post(.geometry(decision.scene, at: MonotonicClock.now, size: Size(width: 2, height: 1)))
            box.change { $0 = nil }
        }
        let scene = try engine.connect()
        var wakeUps: UInt64?
        // A slow machine may reach the deadline too early.
        for width in 1...20 where wakeUps == nil {
            box.change { $0 = engine }
            engine.post(.geometry(scene, at: MonotonicClock.now, size: Size(width: Double(2 * width + 1), height: 1)))
            engine.runOnce()
            let before = engine.statistics.wakeUps
            if box.value == nil { continue }
            usleep(40_000)
            engine.runOnce()
            if box.value == nil { wakeUps = engine.statistics.wakeUps - before }
        }
        XCTAssertEqual(wakeUps, 1)
        box.change { $0 = nil }
        engine.stop()
    }

    func testAHandlerThatSendsForEachDecisionIsCalledOnceInAPass() throws {
        let (calls, jobs) = (Locked(0), Locked(0))
        let box = Locked<LiveEngine?>(nil)
        let engine = try LiveEngine(policy: .uikit) { decision in
            calls.change { $0 += 1 }
            // A pass that goes on while there is work ends here.
            if calls.value > 1000 { return }
            let size = Size(width: Double(calls.value + 1), height: 1)
            box.value?.post(.geometry(decision.scene, at: MonotonicClock.now, size: size))
        }
        box.change { $0 = engine }
        engine.post(.geometry(try engine.connect(), at: MonotonicClock.now, size: Size(width: 1, height: 1)))
        Task.detached(executorPreference: engine.executor) { jobs.change { $0 += 1 } }
        for pass in 1...5 {
            engine.runOnce()
            XCTAssertEqual(calls.value, pass)
        }
        // What else the loop does comes after each pass.
        for _ in 0..<1000 where jobs.value == 0 { engine.runOnce() }
        XCTAssertEqual(jobs.value, 1)
        box.change { $0 = nil }
        engine.stop()
    }
}
