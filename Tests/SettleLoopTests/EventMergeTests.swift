import Settle
import TestSupport
import XCTest

@testable import SettleLoop

/// Events of many producers come in the order of their times, each producer's in its own order.
final class EventMergeTests: XCTestCase {
    func testRandomPiecesAreMergedAsASortWould() {
        for seed: UInt64 in 0..<50 {
            var random = SplitMix64(seed: seed)
            let pieces = (0..<(1 + random.below(20))).map { source in
                var at: UInt64 = 0
                return (0..<(1 + random.below(6))).map { number in
                    at += UInt64(random.below(4))
                    return Event.pointer(
                        button: UInt32(100 * source + number), at: Timestamp(nanoseconds: at), isPressed: true)
                }
            }
            // Of equal times, the lower source's come first.
            let expected = pieces.joined().sorted { ($0.at, $0.button) < ($1.at, $1.button) }.map(\.button)
            let memory = pieces.map { piece in
                let events = UnsafeMutableBufferPointer<Event>.allocate(capacity: piece.count)
                _ = events.initialize(from: piece)
                return events
            }
            defer { for events in memory { events.deallocate() } }
            var merge = EventMerge()
            for (source, events) in memory.enumerated() { merge.add(UnsafeBufferPointer(events), source: source) }
            var merged: [UInt32] = []
            while let run = merge.nextRun() {
                merged += run.map(\.button)
                if let runOut = merge.runOut {
                    XCTAssertEqual(runOut.done, pieces[runOut.source].count)
                    merge.drop()
                }
            }
            XCTAssertEqual(merged.count, expected.count)
            let times = Dictionary(uniqueKeysWithValues: pieces.joined().map { ($0.button, $0.at) })
            XCTAssertEqual(merged.map { times[$0] }, expected.map { times[$0] }, "seed \(seed)")
            for source in pieces.indices {
                let own = merged.filter { Int($0) / 100 == source }
                XCTAssertEqual(own, pieces[source].map(\.button), "seed \(seed)")
            }
            merge.end { _, _ in XCTFail("something is left") }
        }
    }

    func testAnEndSaysHowMuchOfEachPieceIsDone() {
        let events = [1, 3, 4, 2, 9].map { Event.pointer(button: 1, at: Timestamp(nanoseconds: $0), isPressed: true) }
        events.withUnsafeBufferPointer { events in
            var merge = EventMerge()
            merge.add(UnsafeBufferPointer(rebasing: events[..<3]), source: 7)
            merge.add(UnsafeBufferPointer(rebasing: events[3...]), source: 5)
            for count in [1, 1, 2] { XCTAssertEqual(merge.nextRun()?.count, count) }
            XCTAssertEqual(merge.runOut?.source, 7)
            var done: [Int: Int] = [:]
            merge.end { done[$0] = $1 }
            XCTAssertEqual(done, [7: 3, 5: 1])
        }
    }
}
