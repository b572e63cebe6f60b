import Settle
import SettleLog
import SettlePlatform
import TestSupport
import XCTest

@testable import SettleDemo

final class WrongMeterTests: XCTestCase {
    private let (small, large) = (PixelSize(width: 400, height: 400), PixelSize(width: 600, height: 400))
    private var meter = WrongMeter()

    private func at(_ milliseconds: UInt64) -> Timestamp { Timestamp(nanoseconds: milliseconds * 1_000_000) }

    func testNothingIsWrongBeforeTheFirstPicture() {
        meter.placeChanged(to: small, at: at(0))
        XCTAssertEqual(meter.wrong(at: at(500)), .zero)
        meter.shows(small, at: at(600))
        XCTAssertEqual(meter.wrong(at: at(900)), .zero)
        XCTAssertEqual(meter.stale(at: at(900)), .zero)
        XCTAssertNil(meter.caughtUpAfter)
    }

    func testThePartOfTheSizeAddsUpOverTime() {
        meter.placeChanged(to: small, at: at(0))
        meter.shows(small, at: at(0))
        meter.placeChanged(to: large, at: at(100))
        XCTAssertEqual(meter.part, 0.2)
        XCTAssertEqual(meter.wrong(at: at(200)), .milliseconds(20))
        // A picture of a size on the way, and then the right one.
        meter.shows(PixelSize(width: 500, height: 400), at: at(200))
        XCTAssertEqual(meter.part, 0.1)
        meter.shows(large, at: at(300))
        XCTAssertEqual(meter.wrong(at: at(900)), .milliseconds(30))
        XCTAssertEqual(meter.caughtUpAfter, .milliseconds(200))
    }

    func testItIsStaleFromTheFirstDifferenceAndCatchesUpAfterTheLastChange() {
        meter.placeChanged(to: small, at: at(0))
        meter.shows(small, at: at(0))
        meter.placeChanged(to: large, at: at(100))
        meter.placeChanged(to: PixelSize(width: 450, height: 400), at: at(200))
        meter.placeChanged(to: large, at: at(300))
        XCTAssertEqual(meter.stale(at: at(350)), .milliseconds(250))
        meter.shows(large, at: at(380))
        XCTAssertEqual(meter.stale(at: at(400)), .zero)
        XCTAssertEqual(meter.caughtUpAfter, .milliseconds(80))
    }

    func testASizeThatComesBackIsRightAtOnce() {
        meter.placeChanged(to: small, at: at(0))
        meter.shows(small, at: at(0))
        meter.placeChanged(to: large, at: at(100))
        meter.placeChanged(to: small, at: at(250))
        XCTAssertEqual(meter.stale(at: at(300)), .zero)
        XCTAssertEqual(meter.caughtUpAfter, .zero)
        XCTAssertEqual(meter.wrong(at: at(300)), .milliseconds(30))
    }

    func testRightAfterCountsFromLettingGoOrALaterChange() {
        meter.placeChanged(to: small, at: at(0))
        meter.shows(small, at: at(0))
        XCTAssertNil(meter.rightAfter)
        meter.placeChanged(to: large, at: at(100))
        meter.letGo(at: at(150))
        XCTAssertNil(meter.rightAfter, "still stale")
        meter.shows(large, at: at(190))
        XCTAssertEqual(meter.rightAfter, .milliseconds(40))
        // A picture that is there already, a change after letting go, and a hand that takes hold again.
        meter.letGo(at: at(300))
        meter.placeChanged(to: small, at: at(400))
        meter.letGo(at: at(410))
        meter.placeChanged(to: PixelSize(width: 401, height: 400), at: at(420))
        meter.shows(PixelSize(width: 401, height: 400), at: at(450))
        meter.placeChanged(to: small, at: at(500))
        meter.letGo(at: at(510))
        meter.takeHold()
        meter.shows(small, at: at(600))
        XCTAssertEqual(meter.rightAfterAll, [.milliseconds(40), .zero, .milliseconds(30)])
    }

    /// Two threads note what they did: a time may be a little before the last one.
    func testAnEarlierTimeCountsNothing() {
        meter.placeChanged(to: small, at: at(0))
        meter.shows(small, at: at(0))
        meter.placeChanged(to: large, at: at(100))
        meter.shows(large, at: at(90))
        XCTAssertEqual(meter.wrong(at: at(200)), .zero)
        XCTAssertEqual(meter.caughtUpAfter, .zero)
        // Nor is time counted twice that was counted already.
        meter.placeChanged(to: small, at: at(300))
        meter.placeChanged(to: PixelSize(width: 800, height: 400), at: at(400))
        let before = meter.wrong(at: at(400))
        meter.shows(PixelSize(width: 680, height: 400), at: at(350))
        XCTAssertEqual(meter.wrong(at: at(500)) - before, .milliseconds(10))
    }

    /// A size that is said again is no change, and a hand lets go once.
    func testWhatIsSaidAgainCountsOnce() {
        meter.placeChanged(to: small, at: at(0))
        meter.shows(small, at: at(0))
        meter.placeChanged(to: large, at: at(100))
        meter.placeChanged(to: large, at: at(150))
        meter.letGo(at: at(160))
        meter.shows(large, at: at(200))
        XCTAssertEqual(meter.caughtUpAfter, .milliseconds(100))
        XCTAssertEqual(meter.rightAfterAll, [.milliseconds(40)])
        meter.placeChanged(to: small, at: at(300))
        meter.shows(small, at: at(390))
        XCTAssertEqual(meter.rightAfterAll, [.milliseconds(40)])
    }

    func testABuildThatIsGivenUpHasWorkAndNoPicture() throws {
        let changed = try EventDescriptor()
        let part = Part(JuliaPicture(cost: .microseconds(1), oneSample: .microseconds(1)), changed: changed)
        let result = part.make(small) { true }
        XCTAssertNil(result.picture)
        XCTAssertGreaterThan(result.processorTime, .zero)
        XCTAssertEqual(part.state.work, result.processorTime)
        XCTAssertEqual(part.state.builds, 0)
        XCTAssertTrue(part.state.costs.isEmpty)
        XCTAssertFalse(changed.drain())
        XCTAssertEqual(part.build(small), part.state.work - result.processorTime)
        XCTAssertEqual(part.state.builds, 1)
        XCTAssertEqual(part.state.costs.map(\.pixels), [160_000])
        XCTAssertEqual(part.state.shown?.size, small)
        XCTAssertTrue(changed.drain(), "a picture is drawn when it is there")
    }

    func testTheCostOfBuildsIsALineThroughThem() {
        var state = Part.State()
        state.costs = [4, 6, 8].map { (($0 - 2) * 500, .milliseconds($0), .milliseconds(2 * $0)) }
        XCTAssertEqual(state.cost(\.work).fixed, 2e6, accuracy: 1e-3)
        XCTAssertEqual(state.cost(\.work).perPixel, 2000, accuracy: 1e-6)
        XCTAssertEqual(state.cost(\.time).perPixel, 4000, accuracy: 1e-6)
        state.costs = [4, 6].map { (1000, .milliseconds($0), .zero) }
        XCTAssertEqual(state.cost(\.work).fixed, 5e6)
        XCTAssertEqual(state.cost(\.work).perPixel, 0)
    }

    func testARecordingHasTheEncodingOfItsName() throws {
        let recording = Recording(system: "x11", isOn: true)
        recording.geometry(small, isResizing: true, at: at(5))
        recording.finished(1, at: at(9), cost: .milliseconds(3))
        let folder = TemporaryFolder()
        defer { folder.remove() }
        for (name, format) in [("a.settle", "settle"), ("a.jsonl", "jsonl"), ("a.txt", "jsonl")] {
            try recording.write(to: ByteOutput(path: folder.file(name)))
            let reader = try LogReader(path: folder.file(name))
            let batch = EventBatch()
            XCTAssertTrue(try reader.read(into: batch))
            XCTAssertEqual(reader.format.name, format, name)
            XCTAssertEqual(reader.header.name, "settle-demo", name)
            XCTAssertEqual((0..<batch.count).map { batch[$0].at }, [at(5), at(9)], name)
            XCTAssertEqual(batch[1].build?.cost, .milliseconds(3), name)
        }
    }

    /// It may be longer than what is read at once.
    func testALongRecordingIsWrittenToItsEnd() throws {
        let (recording, none) = (Recording(system: "x11", isOn: true), Recording(system: "x11", isOn: false))
        for index in 0..<UInt64(EventBatch.capacity) {
            for one in [recording, none] { one.pointer(button: 1, at: at(index), isPressed: index % 2 == 0) }
        }
        recording.finished(1, at: at(1_000_000), cost: .seconds(2) + .nanoseconds(7))
        let folder = TemporaryFolder()
        defer { folder.remove() }
        try recording.write(to: ByteOutput(path: folder.file("a.settle")))
        let reader = try LogReader(path: folder.file("a.settle"))
        let batch = EventBatch()
        var (count, last): (Int, LogEvent?) = (0, nil)
        while try reader.read(into: batch) {
            count += batch.count
            last = batch[batch.count - 1]
        }
        XCTAssertEqual(count, EventBatch.capacity + 1)
        XCTAssertEqual(last?.build?.cost, .seconds(2) + .nanoseconds(7))
        XCTAssertEqual(none.text.split(separator: "\n").count, 1)
    }

    func testARecordingIsInTheOrderOfItsTimes() {
        let recording = Recording(system: "x11", isOn: true)
        recording.geometry(small, isResizing: nil, at: at(5))
        recording.finished(1, at: at(9), cost: .milliseconds(3))
        recording.pointer(button: 3, at: at(7), isPressed: true)
        recording.geometry(large, isResizing: true, at: at(9))
        XCTAssertEqual(
            recording.text,
            """
            {"settle":"events","version":1,"clock":"monotonic","unit":"px","source":"x11","name":"settle-demo"}
            {"t_ns":5000000,"scene":"demo","width":400,"height":400}
            {"t_ns":7000000,"kind":"pointer","button":3,"pressed":true}
            {"t_ns":9000000,"scene":"demo","kind":"finished","generation":1,"cost_ns":3000000}
            {"t_ns":9000000,"scene":"demo","width":600,"height":400,"resizing":true}

            """)
    }
}
