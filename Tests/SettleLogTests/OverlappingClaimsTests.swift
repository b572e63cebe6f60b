import CSettle
import XCTest

@testable import SettleLog

/// Parts of a log that overlap and each claim the rest: reading takes time in proportion to the log,
/// as the bytes that are checked in vain are bounded.
final class OverlappingClaimsTests: XCTestCase {
    /// A chunk of 1,000 events.
    private let long = LogParts.chunk(
        names: [[0x61]], events: [0x10, 0, 0, 0, 0, 0] + Array(repeating: 0, count: 3 * 999), count: 1_000)

    /// The chunk behind headers of chunks that claim everything up to its end, with wrong checksums.
    private func nested(_ headers: Int) -> [UInt8] {
        var rest = long
        for _ in 0..<headers {
            var chunk = settle_log_chunk()
            (chunk.body_bytes, chunk.body_crc) = (UInt32(rest.count), settle_crc32c(0, rest, rest.count) ^ 1)
            var header = [UInt8](repeating: 0, count: SETTLE_LOG_CHUNK_HEADER_BYTES)
            settle_log_write_chunk_header(&header, &chunk)
            rest = header + rest
        }
        return LogParts.header() + rest
    }

    /// The events that are salvaged.
    private func saved(_ bytes: [UInt8], _ what: String, line: UInt = #line) -> Int {
        assertReadAlike(bytes, what, line: line)
        let (swift, whole) = (SwiftLog(bytes, salvages: true), WholeLog(bytes, salvages: true))
        XCTAssertEqual(swift.events.count, whole.events.count, line: line)
        return whole.events.count
    }

    func testAWholeChunkWithinAFewClaimsIsSaved() {
        for headers in 0...3 { XCTAssertEqual(saved(nested(headers), "\(headers)"), 1_000) }
    }

    func testNoByteIsCheckedForEachOfManyClaims() {
        // Four times the log's length was checked in vain before it.
        for headers in [10, 400] { XCTAssertEqual(saved(nested(headers), "\(headers)"), 0) }
    }

    func testAWholeChunkBehindManyClaimsIsSaved() {
        // It is far enough behind them to pay for itself.
        let damaged = nested(400).dropLast(10)
        XCTAssertEqual(saved(damaged + long, "behind"), 1_000)
    }

    /// Heads of indices and the tails that belong to them, from the outermost inwards; all with wrong
    /// checksums but one.
    private func nestedIndices(_ count: Int, right: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for outer in (0..<count).reversed() {
            let entries = count - 1 - outer
            var header = [UInt8](repeating: 0, count: SETTLE_LOG_FOOTER_HEADER_BYTES)
            var tail = [UInt8](repeating: 0, count: SETTLE_LOG_FOOTER_TAIL_BYTES)
            settle_log_write_footer_header(&header, UInt32(entries), 0)
            bytes = header + bytes
            let crc = settle_crc32c(0, bytes, bytes.count)
            settle_log_write_footer_tail(&tail, outer == right ? crc : crc ^ 1, UInt32(entries))
            bytes += tail
        }
        return LogParts.header() + long + bytes
    }

    func testTheSameHoldsForIndices() {
        // Something follows an index that was found.
        let followed = SETTLE_LOG_FOLLOWED.rawValue
        for (right, isFound) in [(1, true), (3, true), (100, false)] {
            let bytes = nestedIndices(200, right: right)
            XCTAssertEqual(WholeLog(bytes, salvages: true).damage & followed != 0, isFound, "index \(right)")
            let faults = SwiftLog(bytes, salvages: true).faults.map(\.problem)
            XCTAssertEqual(faults.contains { $0.contains("follows the index") }, isFound, "index \(right)")
        }
    }
}
