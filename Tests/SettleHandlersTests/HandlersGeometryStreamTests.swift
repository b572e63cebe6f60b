import Settle
import XCTest

@testable import SettleHandlers

/// The live lane's stream, on a clock moved by hand.
final class HandlersGeometryStreamTests: XCTestCase {
    private let frame = Duration.milliseconds(16)

    private func event(_ scene: SceneID, _ width: Int) -> Event {
        .geometry(scene, at: Timestamp(nanoseconds: 0), size: .wide(width))
    }

    /// A consumer in a task of its own, and what it got, until its end.
    private func consume(_ stream: GeometryStream) -> (task: Task<Void, Never>, texts: AsyncStream<String>) {
        let (texts, announce) = AsyncStream<String>.makeStream()
        let task = Task {
            for await geometry in stream {
                announce.yield("\(geometry.scene.rawValue):\(Int(geometry.size!.width))")
            }
            announce.finish()
        }
        return (task, texts)
    }

    func testStream_waitsOutTheFrameOnItsClock() async {
        let clock = ManualClock()
        let stream = GeometryStream(frameInterval: frame, clock: clock)
        var texts = consume(stream).texts.makeAsyncIterator()
        stream.update(event(.s, 1))
        let first = await texts.next()
        XCTAssertEqual(first, "1:1")

        stream.update(event(.s, 2))
        await clock.waitForSleepers()
        XCTAssertEqual(clock.deadlines, [Timestamp.zero.advanced(by: frame)])
        stream.update(event(.s, 3))
        // Another scene need not wait for this one's frame.
        stream.update(event(.t, 9))
        let other = await texts.next()
        XCTAssertEqual(other, "2:9")
        clock.advance(by: frame)
        let third = await texts.next()
        XCTAssertEqual(third, "1:3")
        stream.finish()
        let end = await texts.next()
        XCTAssertNil(end)
    }

    func testStream_afterFinishTheRestComesAtTheSamePace() async {
        let clock = ManualClock()
        let stream = GeometryStream(frameInterval: frame, clock: clock)
        var texts = consume(stream).texts.makeAsyncIterator()
        stream.update(event(.s, 1))
        _ = await texts.next()
        stream.update(event(.s, 2))
        stream.finish()
        stream.update(event(.s, 3))
        await clock.waitForSleepers()
        clock.advance(by: frame)
        let last = await texts.next()
        let end = await texts.next()
        XCTAssertEqual([last, end], ["1:2", nil])
        XCTAssertEqual(stream.statistics.updates, 2)
    }

    func testStream_cancellationEndsTheWaitAndKeepsTheRest() async {
        let clock = ManualClock()
        let stream = GeometryStream(frameInterval: frame, clock: clock)
        let consumer = consume(stream)
        var texts = consumer.texts.makeAsyncIterator()
        stream.update(event(.s, 1))
        _ = await texts.next()
        stream.update(event(.s, 2))
        await clock.waitForSleepers()
        consumer.task.cancel()
        await consumer.task.value
        XCTAssertEqual(clock.deadlines, [], "the wait for the frame is cancelled with it")

        clock.advance(by: frame)
        var rest: [String] = []
        for await geometry in stream {
            rest.append("\(geometry.scene.rawValue):\(Int(geometry.size!.width))")
            break
        }
        XCTAssertEqual(rest, ["1:2"])
        XCTAssertEqual(stream.statistics.refusedConsumers, 0, "the cancelled iteration has ended")
    }

    func testStream_onTheRealClockKeepsItsFrames() async {
        let (frame, frames) = (Duration.milliseconds(2), 5)
        let stream = GeometryStream(frameInterval: frame)
        let clock = SuspendingClock()
        let start = clock.now
        stream.update(event(.s, 50))
        var widths: [Int] = []
        for await geometry in stream {
            widths.append(Int(geometry.size!.width))
            if widths.count > frames {
                stream.finish()
            } else {
                let last = 100 * widths.count
                for width in last - 99...last { stream.update(event(.s, width)) }
            }
        }
        XCTAssertEqual(widths, [50, 100, 200, 300, 400, 500], "the latest of each frame")
        // The first needs no frame, and each further one a whole frame more.
        XCTAssertGreaterThanOrEqual(start.duration(to: clock.now), frame * frames)
    }

    func testStream_whenItIsGoneTheRestComesAndThenTheEnd() async {
        var stream: GeometryStream? = GeometryStream(frameInterval: .zero)
        var geometries = stream?.makeAsyncIterator()
        stream?.update(.geometry(.s, at: .zero, size: .wide(100)))
        stream = nil
        let (first, second) = (await geometries?.next(), await geometries?.next())
        XCTAssertEqual(first?.size, .wide(100))
        XCTAssertNil(second)
    }
}
