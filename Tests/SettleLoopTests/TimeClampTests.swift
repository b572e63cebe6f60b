import Settle
import XCTest

@testable import SettleLoop

/// A time later than the clock is taken as now, and moves nobody else's.
final class TimeClampTests: XCTestCase {
    private let hour: UInt64 = 3_600_000_000_000

    func testOneEventFromTheFutureFreezesNoScene() throws {
        let quick = Policy.fixed(.milliseconds(5))
        let decisions = Collected()
        let engine = try LiveEngine(policy: quick) { decisions.add($0) }
        try engine.start()
        let (one, other) = (try engine.connect(), try engine.connect())
        var source = try engine.makeSource()
        // What a producer sends that stamps by CLOCK_REALTIME, or counts in another unit.
        let future = Timestamp(nanoseconds: MonotonicClock.now.nanoseconds + hour)
        source.send(.geometry(one, at: future, size: Size(width: 1, height: 1)))
        source.send(.geometry(other, at: MonotonicClock.now, size: Size(width: 2, height: 1)))
        decisions.wait { $0.count == 2 }
        let now = MonotonicClock.now
        engine.stop()
        XCTAssertEqual(decisions.rebuildWidths.sorted(), [1, 2])
        for decision in decisions.all { XCTAssertLessThanOrEqual(decision.at, now) }
        XCTAssertEqual(engine.statistics.clamped, 1)
    }

    func testTheClockIsReadForEventsToComeAlone() {
        let events = UnsafeMutableBufferPointer<Event>.allocate(capacity: 10)
        defer { events.deallocate() }
        for late in 0..<10 {
            events.initialize(repeating: .pointer(button: 1, at: Timestamp(nanoseconds: 5), isPressed: true))
            events[late].at = Timestamp(nanoseconds: 6)
            for count in 0..<10 {
                var looks = 0
                var clamp = TimeClamp {
                    looks += 1
                    return Timestamp(nanoseconds: 6)
                }
                clamp.note(Timestamp(nanoseconds: 5))
                clamp.apply(to: UnsafeMutableBufferPointer(rebasing: events[..<count]))
                XCTAssertEqual(looks, late < count ? 1 : 0, "\(late) of \(count)")
                XCTAssertEqual(clamp.clamped, 0)
            }
        }
    }

    /// By every way into the engine, alone and among others' events.
    func testEveryWayInIsClamped() throws {
        let engine = try LiveEngine(policy: .default)
        let scene = try engine.connect()
        var source = try engine.makeSource(capacity: 2)
        var other = try engine.makeSource()
        func future() -> Timestamp { Timestamp(nanoseconds: MonotonicClock.now.nanoseconds + hour) }
        func size(_ width: Double, at time: Timestamp) -> Event {
            .geometry(scene, at: time, size: Size(width: width, height: 1))
        }
        func run(_ clamped: UInt64, line: UInt = #line) {
            engine.runOnce()
            XCTAssertEqual(engine.statistics.clamped, clamped, line: line)
            XCTAssertLessThanOrEqual(engine.loop.input.engine.now, MonotonicClock.now, line: line)
        }
        // First, last and amid a batch.
        for place in 0..<3 {
            let batch = (0..<3).map { size(Double($0 + 1), at: $0 == place ? future() : MonotonicClock.now) }
            other.send(batch.span)
            run(UInt64(place + 1))
        }
        // Held back, as the ring is full.
        for width in 1...3 { source.send(size(Double(width), at: future())) }
        run(6)
        source.send(size(5, at: future()))
        other.send(size(6, at: future()))
        run(8)
        engine.post(.flush(scene, at: future()))
        engine.post(.cancel(scene, at: MonotonicClock.now))
        run(9)
        engine.post(.disconnect(scene, at: future()))
        other.send(.pointer(button: 1, at: future(), isPressed: true))
        run(11)
        // What the last turn takes.
        other.send(.pointer(button: 1, at: future(), isPressed: false))
        engine.stop()
        XCTAssertEqual(engine.statistics.clamped, 12)
        XCTAssertEqual(engine.statistics.engine.rejected, 0)
    }

    func testWhatWasSentAfterTheLoopLookedAtTheClockKeepsItsTime() {
        nonisolated(unsafe) var readings = 0
        var timeClamp = TimeClamp {
            readings += 1
            return Timestamp(nanoseconds: 20)
        }
        func clamped(_ times: [UInt64]) -> [UInt64] {
            var events = times.map { Event.flush(SceneID(rawValue: 1), at: Timestamp(nanoseconds: $0)) }
            events.withUnsafeMutableBufferPointer { timeClamp.apply(to: $0) }
            return events.map(\.at.nanoseconds)
        }
        timeClamp.note(Timestamp(nanoseconds: 10))
        XCTAssertEqual(clamped([3, 10, 7]), [3, 10, 7])
        XCTAssertEqual(readings, 0, "the clock is read only when an event is later than its last reading")
        XCTAssertEqual(clamped([3, 15, 7]), [3, 15, 7])
        XCTAssertEqual(readings, 1)
        XCTAssertEqual(timeClamp.clamped, 0)
        // A time out of range is the engine's to reject.
        XCTAssertEqual(clamped([21, 5, 20, 1 << 63, 99]), [20, 5, 20, 1 << 63, 20])
        XCTAssertEqual(timeClamp.clamped, 2)
    }
}
