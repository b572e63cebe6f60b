import Foundation
import Settle
import XCTest

@testable import SettleLoop

private func geometry(_ width: Double, at time: UInt64 = 1) -> Event {
    .geometry(
        SceneID(rawValue: 1), at: Timestamp(nanoseconds: time), size: Size(width: width, height: 1),
        isInteractivelyResizing: true)
}

/// Many producers, and more than the loop gets through.
final class OverloadTests: XCTestCase {
    func testAPassVisitsOnlyTheSourcesThatHaveSomething() throws {
        for idle in [10, 1000] {
            let engine = try LiveEngine(policy: .uikit)
            let scene = try engine.connect()
            var sources = try (0..<idle).map { _ in try engine.makeChannel(capacity: 2, overload: .conflate) }
            var sent: UInt64 = 0
            for (index, source) in sources.enumerated() where index % 7 == 3 {
                let event = Event.geometry(scene, at: MonotonicClock.now, size: Size(width: 5, height: 1))
                withUnsafePointer(to: event) { source.send($0, count: 1) }
                sent += 1
                engine.runOnce()
                XCTAssertEqual(engine.statistics.engine.events, sent)
                // The one that sends, and the one before it, which is let go.
                XCTAssertEqual(engine.loop.intake.sources.visits, 2 * sent - 1, "\(idle) idle sources")
                XCTAssertEqual(engine.loop.intake.sources.active.count, 1)
            }
            engine.runOnce()
            XCTAssertEqual(engine.loop.intake.sources.visits, 2 * sent)
            for _ in 0..<100 { engine.runOnce() }
            XCTAssertEqual(engine.loop.intake.sources.visits, 2 * sent)
            for source in sources { source.close() }
            engine.runOnce()
            XCTAssertEqual(engine.loop.intake.sources.visits, 2 * sent + UInt64(idle))
            XCTAssertEqual(engine.loop.intake.sources.all.count, 0)
            sources = []
            engine.stop()
        }
    }

    func testASourceThatIsGoneTakesItsCountAlong() throws {
        let engine = try LiveEngine(policy: .uikit)
        let scene = try engine.connect()
        for _ in 0..<3 { _ = try engine.makeChannel(capacity: 2, overload: .conflate) }
        do {
            var source = try engine.makeSource(capacity: 2)
            for width in 1...9 {
                source.send(.geometry(scene, at: MonotonicClock.now, size: Size(width: Double(width), height: 1)))
            }
            XCTAssertEqual(source.conflated, 6)
        }
        for _ in 0..<3 { engine.runOnce() }
        XCTAssertEqual(engine.loop.intake.sources.all.count, 3)
        XCTAssertEqual(engine.statistics.conflated, 6)
        XCTAssertEqual(engine.statistics.engine.events, 3)
        engine.stop()
    }

    /// The ring's, then what was held back, then what the ring got since.
    func testWhatIsHeldBackStandsBetweenOlderAndNewerEvents() throws {
        let engine = try LiveEngine(policy: .uikit)
        let source = try engine.makeChannel(capacity: 2, overload: .conflate)
        func send(_ width: Double) { withUnsafePointer(to: geometry(width)) { source.send($0, count: 1) } }
        func take(_ most: Int = .max) -> [Double] {
            let events = source.peek().prefix(most)
            let widths = events.map { $0.size!.width }
            source.pop(events.count)
            return widths
        }
        for width in 1...4 { send(Double(width)) }
        XCTAssert(source.look())
        XCTAssertFalse(source.isCut)
        send(5)
        // The ring is still full of what was looked at; a second batch begins.
        XCTAssertEqual(take(1), [1])
        send(6)
        XCTAssertEqual(take(), [2])
        XCTAssertEqual(take(), [4])
        XCTAssertEqual(take(), [])
        // All is taken: the second batch goes into the ring, and what is sent next as well.
        send(7)
        XCTAssert(source.look())
        XCTAssertEqual(take() + take() + take(), [7])
        XCTAssertFalse(source.look())
        XCTAssert(source.isEmpty)
        engine.stop()
    }

    /// The loop comes each time the producer has the batch in its hands.
    func testAProducerMovesWhatItHoldsBackOnceTheRingIsEmpty() throws {
        let (held, ring) = (HeldBack(), EventRing(capacity: 2))
        var late = LateEvents()
        held.begin(after: ring.pushed)
        var events = (0..<5).map { index in
            Event.pointer(button: index, isPressed: true, at: Timestamp(nanoseconds: UInt64(index)))
        }
        held.add(&events, count: 5)
        var buttons: [UInt32] = []
        for isLast in [false, false, true] {
            XCTAssertNil(held.take(into: &late))
            XCTAssert(held.isBegun)
            XCTAssertEqual(ring.waiting, 0)
            XCTAssertEqual(held.move(to: ring), isLast)
            buttons += ring.peek().map(\.button)
            ring.pop(ring.count)
        }
        XCTAssertEqual(buttons, [0, 1, 2, 3, 4])
        XCTAssertFalse(held.isBegun)
    }

    /// A loop that waits for a lock which producers hold nearly always gets a handful of
    /// passes here.
    func testProducersAtFullRateDoNotStarveTheLoop() throws {
        let (producers, each) = (16, 4000)
        let engine = try LiveEngine(policy: .uikit, scenesMax: producers)
        let scenes = try (0..<producers).map { _ in try engine.connect() }
        try engine.start()
        DispatchQueue.concurrentPerform(iterations: producers) { index in
            guard var source = try? engine.makeSource(capacity: 16) else { return }
            for number in 0..<each {
                source.send(
                    .geometry(
                        scenes[index], at: MonotonicClock.now, size: Size(width: Double(1 + number % 7), height: 1)))
            }
        }
        let passes = engine.statistics.passes
        engine.stop()
        XCTAssertGreaterThan(passes, 200)
        let statistics = engine.statistics
        XCTAssertEqual(statistics.engine.events + statistics.conflated, UInt64(producers * each))
    }

    func testALeadIsTooLongOnceEnoughEventsHaveWaitedLongEnough() {
        let ring = EventRing(capacity: 1024)
        var lead = Lead()
        let events = Array(repeating: geometry(1), count: Lead.eventsAhead)
        func sendAndMeasure() {
            XCTAssertEqual(ring.push(events, count: events.count), events.count)
            XCTAssert(lead.isToBeMeasured(afterSending: events.count))
            lead.measure(ring)
        }
        sendAndMeasure()
        XCTAssertFalse(lead.isTooLong, "they have not waited yet")
        ring.pop(ring.count)
        usleep(UInt32(Lead.longestNanoseconds / 1000))
        sendAndMeasure()
        XCTAssertFalse(lead.isTooLong, "those that waited were taken")
        usleep(UInt32(Lead.longestNanoseconds / 1000))
        sendAndMeasure()
        XCTAssert(lead.isTooLong)
        XCTAssertFalse(lead.isToBeMeasured(afterSending: Lead.eventsAhead - 1))
    }
}
