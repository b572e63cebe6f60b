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
}
