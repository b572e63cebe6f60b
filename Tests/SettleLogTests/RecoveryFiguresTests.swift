import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// All that a recovery says of a log: what of it is there, what is lost, and how sure that is.
final class RecoveryFiguresTests: XCTestCase {
    private func figures(_ bytes: [UInt8]) throws -> String {
        let recovery = try LogRecovery(ByteInput(bytes: bytes, name: "test"))
        try recovery.run(to: ByteOutput(name: "out") { _ in })
        let lost = recovery.eventsLost
        let parts = recovery.losses.map { "\($0.part) \($0.events.map { "\($0)" } ?? "unknown")" }
        return "\(recovery.events) events, \(recovery.hadIndex ? "index" : "no index"), \(lost.atLeast)"
            + " \(lost.isExact ? "exactly" : "at least") lost, \(recovery.outcome), \(parts.joined(separator: " + "))"
    }

    /// Chunks of three events, 0, 1 and 2, with their index or without.
    func testWhatIsSaidOfEachLog() throws {
        let scenes = SceneNames()
        let events = (0..<9).map { step in
            LogEvent.geometry(
                scenes.number(of: "a"), at: Timestamp(nanoseconds: UInt64(step)), size: Size(width: 1, height: 1))
        }
        let whole = try written(as: .settle, eventsPerChunk: 3, scenes: scenes, events)
        let reader = try BinaryReader(ByteInput(bytes: whole, name: "test"))
        let batch = EventBatch()
        while try reader.read(into: batch) { batch.removeAll() }
        let chunks = try XCTUnwrap(reader.index?.entries).map { Int($0.offset)..<Int($0.end) }
        let withoutIndex = Array(whole[..<chunks[2].upperBound])
        func changed(_ bytes: [UInt8], _ chunk: Int, at offset: Int) -> [UInt8] {
            var bytes = bytes
            bytes[chunks[chunk].lowerBound + offset] ^= 1
            return bytes
        }
        // Announces an event more than there are: 4 for 3, and its checksums are right.
        var longer = whole
        longer[chunks[1].lowerBound + 8] += 1
        longer.replaceSubrange(chunks[1], with: LogParts.sealed(Array(longer[chunks[1]])))
        let last = chunks[1].count - 1
        for (bytes, expected) in [
            (whole, "9 events, index, 0 exactly lost, complete, "),
            (withoutIndex, "9 events, no index, 0 at least lost, unknown, "),
            (whole + whole[chunks[0]], "12 events, index, 0 at least lost, unknown, index unknown"),
            (changed(whole, 1, at: last), "6 events, index, 3 exactly lost, lossy, chunks 3"),
            (changed(whole, 1, at: 8), "6 events, index, 3 exactly lost, lossy, chunks 3"),
            (changed(withoutIndex, 1, at: last), "6 events, no index, 3 at least lost, lossy, chunks 3"),
            (changed(withoutIndex, 1, at: 8), "6 events, no index, 0 at least lost, lossy, chunks unknown"),
            (changed(changed(whole, 0, at: last), 1, at: 8), "3 events, index, 6 exactly lost, lossy, chunks 6"),
            (
                whole[..<chunks[1].lowerBound] + [0, 0, 0] + whole[chunks[1].lowerBound...],
                "9 events, index, 0 at least lost, lossy, chunks unknown"
            ),
            (longer, "9 events, index, 4 exactly lost, lossy, chunks 1 + chunks 3"),
        ] {
            XCTAssertEqual(try figures(bytes), expected)
        }
    }

    /// What lies within a chunk by that chunk's own header is the chunk's, also of the second one.
    func testDamageWithinAChunkThatIsLostAddsNoEvents() {
        func loss(_ bytes: Range<UInt64>, _ events: Int?) -> LogLoss {
            LogLoss(part: .chunks, bytes: bytes, problem: "lost", isTorn: false, events: events)
        }
        var losses = LogLosses()
        losses.add(loss(0..<10, 3), claimedEnd: 10)
        losses.add(loss(10..<15, 4), claimedEnd: 20)
        losses.add(loss(15..<18, nil))
        losses.add(loss(18..<20, 100), claimedEnd: 19)
        XCTAssertEqual(losses.all.map(\.events), [7])
        losses.add(loss(20..<30, 5), claimedEnd: 30)
        XCTAssertEqual(losses.all.map(\.events), [12])
        XCTAssertEqual(losses.all.map(\.bytes), [0..<30])
    }
}
