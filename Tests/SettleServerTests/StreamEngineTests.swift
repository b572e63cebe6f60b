import Foundation
import Settle
import SettleLog
import TestSupport
import XCTest

@testable import SettleServer

final class StreamEngineTests: XCTestCase {
    /// The clock is far beyond the stream's deadline when that fires, and what comes later is older than the clock.
    func testTimeIsThatOfTheLastDeadlineSoThatALateEventKeepsItsStamp() throws {
        let now = Locked(UInt64(500))
        let decided = Locked<[UInt64]>([])
        let engine = try StreamEngine(
            policy: ClientPolicy(server: .default, delayMaximum: .seconds(60)),
            clock: {
                now.change { $0 += 100 }
                return Timestamp(nanoseconds: now.value * 1_000_000)
            },
            handler: { decision, _, _ in decided.change { $0.append(decision.at.nanoseconds / 1_000_000) } })
        let (pipe, scenes, batch) = (Pipe(), SceneNames(), EventBatch())
        func receive(_ ms: UInt64, _ width: Double) throws {
            batch.removeAll()
            batch.append(
                .geometry(
                    scenes.number(of: "a"), at: Timestamp(nanoseconds: ms * 1_000_000),
                    size: Size(width: width, height: 100)), at: .line(1))
            try engine.receive(batch, names: scenes)
            engine.waitUntilReadable(pipe.fileHandleForReading.fileDescriptor)
        }
        try receive(0, 100)
        try receive(10, 500)
        try receive(100, 900)
        XCTAssertEqual(decided.value, [0, 60, 300])
    }

    /// An event that was sent before the clock showed a deadline postpones it, however late it is read.
    func testWhatWasSentBeforeADeadlineIsAppliedBeforeItFires() throws {
        let (reads, decided, pipe) = (Locked(0), Locked<[UInt64]>([]), Pipe())
        let sending = pipe.fileHandleForWriting.fileDescriptor
        let engine = try StreamEngine(
            policy: ClientPolicy(server: .default, delayMaximum: .seconds(60)),
            clock: {
                // It is sent between the first time and the second one, which is behind the deadline.
                reads.change { $0 += 1 }
                if reads.value == 2 { XCTAssertEqual(write(sending, "{", 1), 1) }
                return Timestamp(nanoseconds: reads.value < 2 ? 20_000_000 : 500_000_000)
            },
            handler: { decision, _, _ in decided.change { $0.append(decision.at.nanoseconds / 1_000_000) } })
        let (scenes, batch) = (SceneNames(), EventBatch())
        for (at, width): (UInt64, Double) in [(0, 100), (10_000_000, 500), (50_000_000, 510)] {
            batch.removeAll()
            batch.append(
                .geometry(
                    scenes.number(of: "a"), at: Timestamp(nanoseconds: at), size: Size(width: width, height: 100)))
            try engine.receive(batch, names: scenes)
            if at == 10_000_000 { engine.waitUntilReadable(pipe.fileHandleForReading.fileDescriptor) }
        }
        XCTAssertEqual(decided.value, [0])
        XCTAssertEqual(reads.value, 3)
        withExtendedLifetime(pipe) {}
    }
}
