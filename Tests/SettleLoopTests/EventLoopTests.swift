import SettlePlatform
import XCTest

@testable import SettleLoop

/// The loop that Package.swift has chosen: by libuv, or by `poll`.
final class EventLoopTests: XCTestCase {
    private func milliseconds(_ milliseconds: Double) -> Timestamp {
        MonotonicClock.now.advanced(by: .microseconds(Int(milliseconds * 1000)))
    }

    /// Whether a host that waits so long for the loop is woken.
    private func isReadable(_ loop: EventLoop, within milliseconds: Int32) -> Bool {
        var waiting = pollfd(fd: loop.backendDescriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, milliseconds) == 1
    }

    func testAWaitEndsAtItsDeadlineAndNotBefore() throws {
        let loop = try EventLoop()
        defer { loop.close() }
        for wait in [0, 0.3, 1.7, 2.9, 0.9] {
            let deadline = milliseconds(wait)
            loop.wake(at: deadline)
            loop.run(.once)
            XCTAssertGreaterThanOrEqual(MonotonicClock.now, deadline)
        }
    }

    func testTheBellEndsAWaitAndWakesOnce() throws {
        let loop = try EventLoop()
        defer { loop.close() }
        let deadline = milliseconds(10_000)
        loop.wake(at: deadline)
        for _ in 0..<200 { loop.bell.signal() }
        loop.run(.once)
        XCTAssertLessThan(MonotonicClock.now, deadline)
        XCTAssertFalse(loop.bell.wait(milliseconds: 0))
    }

    func testAHostIsWokenOnceAtEachDeadlineAndNotBefore() throws {
        let loop = try EventLoop()
        defer { loop.close() }
        loop.run(.withoutWaiting)
        XCTAssertFalse(isReadable(loop, within: 0))
        for wait in [2.9, 1.2, 0] {
            let deadline = milliseconds(wait)
            loop.wake(at: deadline)
            XCTAssert(isReadable(loop, within: 5_000))
            XCTAssertGreaterThanOrEqual(MonotonicClock.now, deadline)
            loop.run(.withoutWaiting)
            XCTAssertFalse(isReadable(loop, within: 5))
        }
    }

    func testAnEarlierDeadlineWakesAHostThatWaitsForALaterOne() throws {
        let loop = try EventLoop()
        defer { loop.close() }
        loop.run(.withoutWaiting)
        loop.wake(at: milliseconds(60_000))
        loop.wake(at: milliseconds(1))
        XCTAssert(isReadable(loop, within: 5_000))
    }
}
