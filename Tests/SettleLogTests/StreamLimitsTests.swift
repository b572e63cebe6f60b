import CSettle
import Foundation
import Settle
import TestSupport
import XCTest

@testable import SettleLog

/// A live stream is held to its bounds, and nothing behind a fault is waited for.
final class StreamLimitsTests: XCTestCase {
    /// What reading a stream gave whose writer has written some bytes and is silent since.
    private struct Reading {
        var events = 0
        var fault: LogError?
        /// Whether the reader wanted more than was written.
        var waited = false
        var reads = 0
    }

    private func read(_ bytes: [UInt8]) throws -> Reading {
        var ends: [Int32] = [0, 0]
        XCTAssertEqual(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends), 0)
        let (reading, writing) = (ends[0], ends[1])
        defer { for end in ends { close(end) } }
        var left = bytes[...]
        var result = Reading()
        let input = ByteInput(client: reading, name: "client")
        // The writer's turn, on the same thread: it fills the socket whenever it is read.
        input.willRead = { _ in
            result.reads += 1
            while !left.isEmpty {
                let count = left.withUnsafeBytes { send(writing, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
                guard count > 0 else { return }
                left = left.dropFirst(count)
            }
            var waiting = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
            if poll(&waiting, 1, 0) > 0 || result.waited { return }
            result.waited = true
            shutdown(writing, Int32(SHUT_WR))
        }
        do throws(LogError) {
            let reader = try LogReader(stream: input)
            let batch = EventBatch.forStream()
            while try reader.read(into: batch) { result.events += batch.count }
        } catch {
            result.fault = error
        }
        return result
    }

    private func log(_ events: Int = 6) throws -> [UInt8] {
        let scenes = SceneNames()
        let names = [scenes.number(of: "a"), scenes.number(of: "b")]
        return try written(
            as: .settle, eventsPerChunk: 3, scenes: scenes,
            (0..<events).map {
                .geometry(
                    names[$0 % 2], at: Timestamp(nanoseconds: UInt64($0)), size: Size(width: Double($0), height: 1))
            })
    }

    func testADamagedBinaryStreamIsAtFaultAtOnce() throws {
        let whole = try log()
        let fine = try read(whole)
        XCTAssertEqual(fine.events, 6)
        XCTAssertNil(fine.fault)
        let header = 16 + Int(whole[12]) + Int(whole[13]) << 8 + 4
        let footer = whole.count - 16 - 2 * 32 - 16
        XCTAssertEqual(Array(whole[header..<header + 4]), LogMagic.chunk)
        XCTAssertEqual(Array(whole[footer..<footer + 4]), LogMagic.index)
        for place in whole.indices {
            for change: UInt8 in [0x01, 0x80, 0xFF] {
                var bytes = whole
                bytes[place] ^= change
                let reading = try read(bytes)
                XCTAssertNotNil(reading.fault, "byte \(place)")
                XCTAssertLessThanOrEqual(reading.events, place < header ? 0 : 6)
                // A length that grew within its bounds is only seen once so much is there;
                // a first byte of another kind begins a line.
                let mayWait = place == 0 || (12..<16).contains(place) || (footer + 4..<footer + 8).contains(place)
                if !mayWait { XCTAssertFalse(reading.waited, "byte \(place) of \(whole.count)") }
            }
        }
    }

    func testNothingBehindADamagedChunkIsRead() throws {
        let whole = try log()
        let chunk = try XCTUnwrap(whole.indices.first { whole[$0...].starts(with: LogMagic.chunk) })
        let behind = [UInt8](repeating: 0, count: 8 << 20)
        for (place, problem) in [(8, "a chunk header's checksum differs"), (48, "a chunk's checksum differs")] {
            var bytes = whole
            bytes[chunk + place] ^= 1
            let reading = try read(bytes + behind)
            XCTAssertEqual(reading.fault?.problem.hasPrefix(problem), true, "\(reading)")
            XCTAssertLessThanOrEqual(reading.reads, 2)
        }
    }

    func testAStreamsChunksAreBounded() throws {
        let file = try log()
        let chunk = try XCTUnwrap(file.indices.first { file[$0...].starts(with: LogMagic.chunk) })
        func claim(_ body: Int, events: Int) throws -> Reading {
            var raw = settle_log_chunk()
            (raw.body_bytes, raw.events) = (UInt32(body), UInt32(events))
            var header = [UInt8](repeating: 0, count: SETTLE_LOG_CHUNK_HEADER_BYTES)
            settle_log_write_chunk_header(&header, &raw)
            return try read(file[..<chunk] + header)
        }
        let most = StreamLimits.chunkBytes - SETTLE_LOG_CHUNK_HEADER_BYTES
        XCTAssert(try claim(most, events: StreamLimits.chunkEvents).waited)
        for (bytes, events) in [(most + 1, 1), (most, StreamLimits.chunkEvents + 1), (SETTLE_LOG_BODY_MAX, 1)] {
            let reading = try claim(bytes, events: events)
            XCTAssertFalse(reading.waited)
            XCTAssertEqual(reading.fault?.problem.contains("a live stream's has at most 131072 and 4096"), true)
        }
    }

    func testAStreamsLinesAndNamesAreBounded() throws {
        let header = #"{"settle":"events","version":1}"# + "\n"
        let long = try read(Array((header + "{" + String(repeating: "x", count: StreamLimits.lineBytes)).utf8))
        XCTAssertEqual(long.fault?.position, .line(2))
        XCTAssertEqual(long.fault?.problem, "the line is longer than the 65536 bytes that a live stream's may have")
        XCTAssertFalse(long.waited)

        let wrong = try read(Array((header + "x").utf8))
        XCTAssertEqual(wrong.fault?.position, .line(2))
        XCTAssertEqual(wrong.fault?.problem, "a line begins with neither { nor #")

        let name = String(repeating: "n", count: 1000)
        let events = (0..<200).map { #"{"t_ns":1,"scene":"\#(name)\#($0)"}"# + "\n" }
        let named = try read(Array((header + events.joined()).utf8))
        XCTAssertEqual(
            named.fault?.problem, "the names of its scenes have more than 131072 bytes together")
        XCTAssertEqual(named.events, 130)
    }

    func testAStreamMayEndWithAnIndexOfAnyLength() throws {
        // Its index has 3,200,000 bytes of them.
        let bytes = try written(
            as: .settle, eventsPerChunk: 1, scenes: SceneNames(),
            (0..<20_000).map { .pointer(button: 1, at: Timestamp(nanoseconds: UInt64($0)), isPressed: $0 % 2 == 0) })
        let reading = try read(bytes)
        XCTAssertNil(reading.fault)
        XCTAssertEqual(reading.events, 20_000)
        let followed = try read(bytes + [0])
        XCTAssertEqual(followed.events, 20_000)
        XCTAssertEqual(followed.fault?.problem, "something follows the index")
        XCTAssertFalse(followed.waited)
        XCTAssertEqual(try read(bytes + Array("CHUNK".utf8)).fault?.problem, "something follows the index")
    }

    func testAWrongByteIsAFaultAsSoonAsItHasCome() throws {
        let whole = try log()
        let chunk = try XCTUnwrap(whole.indices.first { whole[$0...].starts(with: LogMagic.chunk) })
        let header = Array(#"{"settle":"events","version":1}"#.utf8) + [0x0A]
        let cases: [([UInt8], String)] = [
            ([0x89, 0x53, 0x00], "this is no binary event log: the magic number is another one"),
            (whole[..<chunk] + [0x00], "no chunk begins here"),
            (whole[..<chunk] + Array("CHX".utf8), "no chunk begins here"),
            (whole[..<chunk] + Array("IND!".utf8), "no chunk begins here"),
            (whole + [0x43], "something follows the index"),
            (Array("xxxxxxxx".utf8), "a line begins with neither { nor #"),
            (header + Array("  x".utf8), "a line begins with neither { nor #"),
        ]
        for (bytes, problem) in cases {
            let reading = try read(bytes)
            XCTAssertEqual(reading.fault?.problem, problem)
            XCTAssertFalse(reading.waited, "\(problem), \(bytes.count) bytes")
        }
        // Right so far.
        for bytes in [
            whole[..<chunk] + Array("CH".utf8), whole[..<chunk] + Array("IN".utf8), header + Array(" {".utf8),
        ] {
            XCTAssert(try read(Array(bytes)).waited)
        }
    }
}
