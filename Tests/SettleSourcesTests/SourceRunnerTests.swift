import Settle
import SettleClock
import SettleLog
import SettlePlatform
import SettleSources
import XCTest

/// A source of events that a test gives it.
private final class ScriptedSource: GeometrySource {
    static let kind = SourceKind(
        name: "scripted", summary: "a test's events", unit: "px", hasResizingFlag: false, pointer: nil,
        timeStamps: .receipt, names: "given", problem: { nil },
        open: { _ throws(SourceError) in throw SourceError("the test makes it") })
    let header = LogHeader(source: "scripted")
    let scenes = SceneNames()
    let descriptor: Int32
    private let bell: EventDescriptor
    /// What each call of `read` gives.
    private var script: [[SourceNews]]
    private var sizes = 0
    var eventsPerRead = 1
    var failure: SourceError?
    /// Calls of `stop` until the program that it runs ends.
    var stopsNeeded = 0
    /// After how long it is to be read again.
    var pause: Duration?
    var nextWake: Timestamp? { pause.map { MonotonicClock.now + $0 } }

    init(_ script: [[SourceNews]]) throws {
        bell = try EventDescriptor()
        descriptor = bell.number
        self.script = script
        bell.signal()
    }

    func read(into batch: EventBatch) throws(SourceError) -> [SourceNews] {
        let scene = scenes.number(of: "window")
        for _ in 0..<eventsPerRead where !batch.isFull {
            sizes += 1
            batch.append(
                .geometry(scene, at: MonotonicClock.now, size: Size(width: Double(sizes), height: 1)), at: .line(0))
        }
        if stopsNeeded == -1 { return [.ended(status: 137)] }
        if let failure, script.isEmpty { throw failure }
        return script.isEmpty ? [] : script.removeFirst()
    }
}

extension ScriptedSource {
    func stop() -> Bool {
        if stopsNeeded == 0 { return false }
        stopsNeeded = stopsNeeded == 1 ? -1 : stopsNeeded - 1
        return true
    }
}

private final class Collector: SourceSink {
    var widths: [Double] = []
    var times: [Timestamp] = []
    var advances: [Timestamp] = []
    var news: [SourceNews] = []
    var nextDeadline: Timestamp?

    func receive(_ batch: EventBatch, scenes: SceneNames, news: [SourceNews]) {
        for index in 0..<batch.count {
            widths.append(batch[index].size!.width)
            times.append(batch[index].at)
        }
        self.news += news
    }

    func advance(to now: Timestamp) { advances.append(now) }
}

/// Asks for the end at a pass.
private final class Again: SourceSink {
    private let stop: EventDescriptor
    private let last: Int
    private(set) var passes = 0
    init(_ stop: EventDescriptor, at last: Int) { (self.stop, self.last) = (stop, last) }
    func receive(_ batch: EventBatch, scenes: SceneNames, news: [SourceNews]) {
        passes += 1
        if passes == last { stop.signal() }
    }
}

final class SourceRunnerTests: XCTestCase {
    func testEventsNewsAndTheEndReachTheSink() throws {
        let source = try ScriptedSource([[.message("hello")], [.ended(status: 7)]])
        let sink = Collector()
        XCTAssertEqual(try SourceRunner(source, into: sink).run(), .ended(status: 7))
        XCTAssertEqual(sink.widths, [1, 2])
        XCTAssertEqual(sink.news, [.message("hello"), .ended(status: 7)])
    }

    func testAnEventIsNeverEarlierThanTheTimeToWhichTheSinkHasAdvanced() throws {
        let source = try ScriptedSource(Array(repeating: [], count: 50) + [[.ended(status: 0)]])
        let sink = Collector()
        _ = try SourceRunner(source, into: sink).run()
        XCTAssertEqual(sink.advances.count, 51)
        for (time, now) in zip(sink.times, sink.advances) { XCTAssertGreaterThanOrEqual(time, now) }
    }

    func testEventsBeforeAFailureAreReceived() throws {
        let source = try ScriptedSource([[]])
        source.failure = SourceError("the display is gone")
        let sink = Collector()
        XCTAssertThrowsError(try SourceRunner(source, into: sink).run()) {
            XCTAssertEqual("\($0)", "the display is gone")
        }
        XCTAssertEqual(sink.widths, [1, 2])
    }

    func testAFullBatchIsReadAgainBeforeTimeAdvances() throws {
        let source = try ScriptedSource([[], [.ended(status: 0)]])
        source.eventsPerRead = EventBatch.capacity + 10
        let sink = Collector()
        _ = try SourceRunner(source, into: sink).run()
        XCTAssertEqual(sink.widths.count, 2 * EventBatch.capacity)
        XCTAssertEqual(sink.advances.count, 0)
    }

    func testAFloodIsReadOncePerInterval() throws {
        let source = try ScriptedSource(Array(repeating: [], count: 20) + [[.ended(status: 0)]])
        let sink = Collector()
        _ = try SourceRunner(source, into: sink, interval: .milliseconds(3)).run()
        for (now, next) in zip(sink.advances, sink.advances.dropFirst()) {
            XCTAssertGreaterThanOrEqual(now.duration(to: next), .milliseconds(3))
        }
        XCTAssertEqual(sink.advances.count, 21)
    }

    func testStopping() throws {
        let stop = try EventDescriptor()
        let source = try ScriptedSource([])
        stop.signal()
        XCTAssertEqual(try SourceRunner(source, into: Collector()).run(until: stop.number), .stopped)
    }

    /// Also while there is always more to read.
    func testAFloodIsStopped() throws {
        let stop = try EventDescriptor()
        let source = try ScriptedSource(Array(repeating: [], count: 50) + [[.ended(status: 9)]])
        source.eventsPerRead = EventBatch.capacity
        let sink = Again(stop, at: 3)
        XCTAssertEqual(try SourceRunner(source, into: sink).run(until: stop.number), .stopped)
        XCTAssertLessThan(sink.passes, 10)
    }

    /// A source may have work to do although nothing is readable.
    func testASourceIsReadWhenItWakes() throws {
        let source = try ScriptedSource([[], [], [.ended(status: 4)]])
        _ = drainCounter(source.descriptor)
        source.pause = .milliseconds(2)
        let sink = Collector()
        sink.nextDeadline = MonotonicClock.now + .seconds(60)
        XCTAssertEqual(try SourceRunner(source, into: sink).run(), .ended(status: 4))
        XCTAssertLessThan(try XCTUnwrap(sink.advances.last), try XCTUnwrap(sink.nextDeadline))
    }

    func testAProgramIsAskedToEndAtEachStop() throws {
        let stop = try EventDescriptor()
        let source = try ScriptedSource([])
        source.stopsNeeded = 2
        stop.signal()
        let sink = Again(stop, at: 20)
        XCTAssertEqual(try SourceRunner(source, into: sink).run(until: stop.number), .ended(status: 137))
        XCTAssertGreaterThanOrEqual(sink.passes, 20)
    }

    func testADeadlineOfTheSinkEndsTheWait() throws {
        let source = try ScriptedSource([])
        source.eventsPerRead = 0
        _ = drainCounter(source.descriptor)
        let stop = try EventDescriptor()
        final class Deadline: SourceSink {
            var nextDeadline: Timestamp? = MonotonicClock.now.advanced(by: .milliseconds(20))
            var stop: EventDescriptor
            init(_ stop: EventDescriptor) { self.stop = stop }
            func receive(_ batch: EventBatch, scenes: SceneNames, news: [SourceNews]) {}
            func advance(to now: Timestamp) {
                guard let deadline = nextDeadline, now >= deadline else { return }
                nextDeadline = nil
                stop.signal()
            }
        }
        XCTAssertEqual(try SourceRunner(source, into: Deadline(stop)).run(until: stop.number), .stopped)
    }
}
