import Foundation
import Settle
import SettlePlatform
import Synchronization
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
        let each = 1 + SourceList.emptyPassesMax
        for idle in [10, 1000] {
            let engine = try LiveEngine(policy: .uikit)
            let scene = try engine.connect()
            var sources = try (0..<idle).map { _ in try engine.makeChannel(capacity: 2, overload: .coalesce) }
            var sent: UInt64 = 0
            for (index, source) in sources.enumerated() where index % 7 == 3 {
                let event = Event.geometry(scene, at: MonotonicClock.now, size: Size(width: 5, height: 1))
                withUnsafePointer(to: event) { source.send($0, count: 1) }
                sent += 1
                engine.runOnce()
                XCTAssertEqual(engine.statistics.engine.events, sent)
                XCTAssertLessThanOrEqual(engine.loop.input.sources.active.count, each, "\(idle) idle sources")
            }
            // A look that finds the event, and then so many in vain.
            for _ in 0..<100 { engine.runOnce() }
            XCTAssertEqual(engine.loop.input.sources.visits, sent * UInt64(each))
            XCTAssertEqual(engine.loop.input.sources.active.count, 0)
            for source in sources { source.close() }
            engine.runOnce()
            XCTAssertEqual(engine.loop.input.sources.visits, sent * UInt64(each) + UInt64(idle))
            XCTAssertEqual(engine.loop.input.sources.all.count, 0)
            sources = []
            engine.stop()
        }
    }

    func testCoalescedEventsAreCountedAfterTheirSourceIsGone() throws {
        let engine = try LiveEngine(policy: .uikit)
        let scene = try engine.connect()
        for _ in 0..<3 { _ = try engine.makeChannel(capacity: 2, overload: .coalesce) }
        for round: UInt64 in 1...3 {
            do {
                var source = try engine.makeSource(capacity: 2)
                for width in 1...9 {
                    source.send(.geometry(scene, at: MonotonicClock.now, size: Size(width: Double(width), height: 1)))
                }
                XCTAssertEqual(source.coalesced, 6)
            }
            for _ in 0..<3 { engine.runOnce() }
            XCTAssertEqual(engine.loop.input.sources.all.count, 3)
            XCTAssertEqual(engine.statistics.coalesced, 6 * round)
            XCTAssertEqual(engine.statistics.engine.events, 3 * round)
        }
        engine.stop()
    }

    /// The ring's, then what was held back, then what the ring got since.
    func testWhatIsHeldBackStandsBetweenOlderAndNewerEvents() throws {
        let engine = try LiveEngine(policy: .uikit)
        let source = try engine.makeChannel(capacity: 2, overload: .coalesce)
        func send(_ width: Double) { withUnsafePointer(to: geometry(width)) { source.send($0, count: 1) } }
        func pop(_ most: Int = .max) -> [Double] {
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
        XCTAssertEqual(pop(1), [1])
        send(6)
        XCTAssertEqual(pop(), [2])
        XCTAssertEqual(pop(), [4])
        XCTAssertEqual(pop(), [])
        // All is taken: the second batch goes into the ring, and what is sent next as well.
        send(7)
        XCTAssert(source.look())
        XCTAssertEqual(pop() + pop() + pop(), [7])
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
            Event.pointer(button: index, at: Timestamp(nanoseconds: UInt64(index)), isPressed: true)
        }
        held.add(&events, count: 5)
        var buttons: [UInt32] = []
        for isLast in [false, false, true] {
            XCTAssertNil(held.claim(into: &late))
            XCTAssert(held.isBegun)
            XCTAssertEqual(ring.waiting, 0)
            XCTAssertEqual(held.move(to: ring), isLast)
            buttons += ring.peek().map(\.button)
            ring.pop(ring.count)
        }
        XCTAssertEqual(buttons, [0, 1, 2, 3, 4])
        XCTAssertFalse(held.isBegun)
    }

    /// A loop that waits for what producers hold nearly always gets no processor: it sleeps.
    /// One that waits for nothing gets as much of it as each producer does.
    func testProducersAtFullRateDoNotStarveTheLoop() throws {
        let (producers, each) = (16, 20_000)
        let engine = try LiveEngine(.init(policy: .uikit, scenesMax: producers))
        let scenes = try (0..<producers).map { _ in try engine.connect() }
        let sources = try (0..<producers).map { _ in try engine.makeChannel(capacity: 16, overload: .coalesce) }
        let running = Atomic(producers)
        let producersTime = Atomic<UInt64>(0)
        let threads = try zip(sources, scenes).map { source, scene in
            try WorkerThread {
                for number in 0..<each {
                    let size = Size(width: Double(1 + number % 7), height: 1)
                    let event = Event.geometry(scene, at: MonotonicClock.now, size: size)
                    withUnsafePointer(to: event) { source.send($0, count: 1) }
                }
                producersTime.add(processorTime(), ordering: .relaxed)
                running.subtract(1, ordering: .releasing)
            }
        }
        let before = processorTime()
        // As soon as one ends, the others share what it had.
        while running.load(ordering: .acquiring) == producers { engine.runOnce() }
        let loopsTime = processorTime() - before
        while running.load(ordering: .acquiring) > 0 { engine.runOnce() }
        for thread in threads { thread.join() }
        engine.stop()
        let share = Double(loopsTime) / (Double(producersTime.load(ordering: .relaxed)) / Double(producers))
        // Measured: 7 to 10, and 0.02 to 0.03 with a lock in each source.
        XCTAssertGreaterThan(share, 0.5, "the loop's processor time over a producer's")
        let statistics = engine.statistics
        XCTAssertEqual(statistics.engine.events + statistics.coalesced, UInt64(producers * each))
    }

    func testABacklogIsTooOldOnceEnoughEventsHaveWaitedLongEnough() {
        let ring = EventRing(capacity: 1024)
        var backlog = ProducerBacklog()
        let events = Array(repeating: geometry(1), count: ProducerBacklog.eventsMax)
        func sendAndMeasure() {
            XCTAssertEqual(ring.push(events, count: events.count), events.count)
            XCTAssert(backlog.isMeasurementDue(afterSending: events.count))
            backlog.measure(ring)
        }
        sendAndMeasure()
        XCTAssertFalse(backlog.isTooOld, "they have not waited yet")
        ring.pop(ring.count)
        usleep(UInt32(ProducerBacklog.longestNanoseconds / 1000))
        sendAndMeasure()
        XCTAssertFalse(backlog.isTooOld, "those that waited were popped")
        usleep(UInt32(ProducerBacklog.longestNanoseconds / 1000))
        sendAndMeasure()
        XCTAssert(backlog.isTooOld)
        XCTAssertFalse(backlog.isMeasurementDue(afterSending: ProducerBacklog.eventsMax - 1))
    }

    /// Where few wait, the loop is not behind, and what was waited for before does not count.
    func testABacklogThatWasShortIsYoungAgain() {
        let ring = EventRing(capacity: 1024)
        var backlog = ProducerBacklog()
        let scene = SceneID(rawValue: 1)
        func push(_ count: Int) {
            let events = (0..<count).map { _ in Event.flush(scene, at: .zero) }
            XCTAssertEqual(events.withUnsafeBufferPointer { ring.push($0.baseAddress!, count: count) }, count)
        }
        func pop(_ count: Int) {
            XCTAssertGreaterThanOrEqual(ring.count, count)
            ring.pop(count)
        }
        push(ProducerBacklog.eventsMax)
        backlog.measure(ring)
        pop(ProducerBacklog.eventsMax - 2)
        push(10)
        backlog.measure(ring)
        usleep(UInt32(ProducerBacklog.longestNanoseconds / 1000))
        // The first ones are not taken yet.
        push(ProducerBacklog.eventsMax)
        backlog.measure(ring)
        XCTAssertFalse(backlog.isTooOld)
        XCTAssertFalse(backlog.isMeasurementDue(afterSending: ProducerBacklog.eventsMax - 1))
    }

    /// A producer that was too far ahead coalesces no more once the loop has caught up.
    func testAProducerWhoseBacklogIsGoneSendsEachEvent() throws {
        let engine = try LiveEngine(policy: .uikit)
        var source = try engine.makeSource(capacity: 4096)
        let scene = try engine.connect()
        func send(_ count: Int) {
            for _ in 0..<count { source.send(.flush(scene, at: .zero)) }
        }
        for _ in 0..<4 {
            send(ProducerBacklog.eventsMax)
            usleep(UInt32(ProducerBacklog.longestNanoseconds / 1000))
        }
        let coalesced = source.coalesced
        XCTAssertGreaterThan(coalesced, 0)
        for _ in 0..<3 {
            engine.runOnce()
            send(20)
        }
        XCTAssertEqual(source.coalesced, coalesced)
        engine.stop()
    }
}

/// Nanoseconds the calling thread has run.
private func processorTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
