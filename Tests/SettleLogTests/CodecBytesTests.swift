import CSettle
import TestSupport
import XCTest

/// The codec byte by byte: what stands where, to the last bit of each field, and that no
/// byte beyond what it is given is read or written.
final class CodecBytesTests: XCTestCase {
    private let ok = SETTLE_LOG_OK.rawValue
    private let malformed = SETTLE_LOG_MALFORMED.rawValue

    // MARK: Frames

    func testFooter_itsLengthHasAllItsBytes() {
        for chunks: UInt32 in [0, 1, 7, 255, 2_047, 600_000, 134_217_726] {
            var tail = [UInt8](repeating: 0, count: Int(SETTLE_LOG_FOOTER_TAIL_BYTES))
            settle_log_write_footer_tail(&tail, 0x8765_4321, chunks)
            var (crc, bytes) = (UInt32(0), UInt32(0))
            XCTAssertEqual(settle_log_read_footer_tail(tail, &crc, &bytes), ok)
            XCTAssertEqual(crc, 0x8765_4321)
            XCTAssertEqual(bytes, 16 + chunks * 32 + 16)
        }
    }

    func testFooter_aLengthThatHoldsNoWholeEntriesIsRefused() {
        for wrong: UInt32 in [0, 31, 33, 63, 65] {
            var tail = [UInt8](repeating: 0, count: Int(SETTLE_LOG_FOOTER_TAIL_BYTES))
            settle_log_write_footer_tail(&tail, 1, 0)
            for byte in 0..<4 { tail[4 + byte] = UInt8(truncatingIfNeeded: wrong >> UInt32(8 * byte)) }
            var (crc, bytes) = (UInt32(0), UInt32(0))
            XCTAssertEqual(settle_log_read_footer_tail(tail, &crc, &bytes), malformed, "\(wrong)")
        }
    }

    /// Writes a frame into memory that is not zero before, and not longer than the frame.
    private func written(_ count: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Void) -> [UInt8] {
        let memory = GuardedMemory(byteCount: count)
        write(memory.start.assumingMemoryBound(to: UInt8.self))
        return Array(UnsafeRawBufferPointer(start: memory.start, count: count))
    }

    /// docs/reference/log-format.md, byte for byte.
    func testFrames_areWrittenWholeAndNotBeyondTheirEnd() {
        XCTAssertEqual(
            written(16) { settle_log_write_file_header($0, 0x0403_0201) }, LogMagic.file + [3, 0, 0, 0, 1, 2, 3, 4])
        XCTAssertEqual(
            written(16) { settle_log_write_footer_header($0, 0x0403_0201, 0x0C0B_0A09_0807_0605) },
            LogMagic.index + Array(1...12))
        XCTAssertEqual(
            written(16) { settle_log_write_footer_tail($0, 0x0403_0201, 1) },
            [1, 2, 3, 4, 64, 0, 0, 0] + LogMagic.end)
        var entry = settle_log_index_entry(
            offset: 0x0807_0605_0403_0201, first_ns: 0x100F_0E0D_0C0B_0A09, last_ns: 0x1817_1615_1413_1211,
            events: 0x1C1B_1A19, bytes: 0x201F_1E1D)
        XCTAssertEqual(written(32) { settle_log_write_footer_entry($0, &entry) }, Array(1...32))
        var chunk = settle_log_chunk(
            first_ns: 0x1817_1615_1413_1211, last_ns: 0x201F_1E1D_1C1B_1A19, body_bytes: 0x0807_0605,
            events: 0x0C0B_0A09, scenes: 0x100F_0E0D, dictionary_bytes: 0x2423_2221, body_crc: 0x2C2B_2A29)
        let bytes = written(48) { settle_log_write_chunk_header($0, &chunk) }
        XCTAssertEqual(Array(bytes.prefix(44)), LogMagic.chunk + Array(5...36) + [0, 0, 0, 0] + Array(41...44))
        let crc = settle_crc32c_portable(0, bytes, 44)
        XCTAssertEqual(Array(bytes.suffix(4)), (0..<4).map { UInt8(truncatingIfNeeded: crc >> (8 * $0)) })
    }

    func testFooter_eachByteOfItsMagicNumbersCounts() {
        var (chunks, events, crc, size) = (UInt32(0), UInt64(0), UInt32(0), UInt32(0))
        for index in 0..<8 {
            var header = written(16) { settle_log_write_footer_header($0, 1, 1) }
            header[index] ^= 0x20
            let expected = index < 4 ? SETTLE_LOG_NOT_A_LOG.rawValue : ok
            XCTAssertEqual(settle_log_read_footer_header(header, &chunks, &events), expected, "byte \(index)")
            var tail = written(16) { settle_log_write_footer_tail($0, 1, 1) }
            tail[8 + index] ^= 0x20
            XCTAssertEqual(settle_log_read_footer_tail(tail, &crc, &size), SETTLE_LOG_NOT_A_LOG.rawValue)
        }
    }

    func testFrames_areFoundUpToTheLastBytes() {
        for magic in [LogMagic.chunk, LogMagic.index] {
            for (before, behind) in [(0, 0), (0, 3), (1, 0), (5, 0), (5, 9)] {
                let bytes = [UInt8](repeating: 67, count: before) + magic + [UInt8](repeating: 73, count: behind)
                XCTAssertEqual(settle_log_find_frame(bytes, bytes.count), before)
                let cut = bytes.prefix(before + 3)
                XCTAssertEqual(
                    cut.withUnsafeBufferPointer { settle_log_find_frame($0.baseAddress, $0.count) }, before + 3)
            }
        }
        XCTAssertEqual(settle_log_find_frame(nil, 0), 0)
    }

    func testFrames_numbersFarBeyondTheirBoundsAreRefused() {
        var header = settle_log_file_header()
        var bytes = written(16) { settle_log_write_file_header($0, 1 << 24) }
        XCTAssertEqual(settle_log_read_file_header(bytes, &header), malformed)
        for (events, scenes) in [(1 << 24 | 5, 0), (5, 1 << 24 | 1)] as [(UInt32, UInt32)] {
            var (chunk, read) = (settle_log_chunk(), settle_log_chunk())
            (chunk.events, chunk.scenes) = (events, scenes)
            bytes = written(48) { settle_log_write_chunk_header($0, &chunk) }
            XCTAssertEqual(settle_log_read_chunk_header(bytes, &read), malformed)
        }
    }

    func testDictionary_aNameEndsWithinItWhereverItBegins() {
        var chunk = settle_log_chunk()
        let body: [UInt8] = [1, 0, 97, 2, 0, 98, 99, 100]
        for (count, expected) in [(6, malformed), (7, ok), (8, ok)] {
            chunk.dictionary_bytes = UInt32(count)
            var (offset, length) = (3, 0)
            var name: UnsafePointer<UInt8>?
            XCTAssertEqual(settle_log_next_name(&chunk, body, &offset, &name, &length), expected, "\(count) bytes")
            XCTAssertEqual(offset, expected == ok ? 7 : 3)
        }
    }

    func testFrames_eachFieldComesBackWithAllItsBits() {
        var entry = settle_log_index_entry(
            offset: 0x8182_8384_8586_8788, first_ns: 0x9192_9394_9596_9798, last_ns: 0xA1A2_A3A4_A5A6_A7A8,
            events: 0xB1B2_B3B4, bytes: 0xC1C2_C3C4)
        var read = settle_log_index_entry()
        var bytes = [UInt8](repeating: 0, count: Int(SETTLE_LOG_FOOTER_ENTRY_BYTES))
        settle_log_write_footer_entry(&bytes, &entry)
        XCTAssertEqual(bytes[0..<9], [0x88, 0x87, 0x86, 0x85, 0x84, 0x83, 0x82, 0x81, 0x98])
        settle_log_read_footer_entry(bytes, &read)
        XCTAssertEqual([read.offset, read.first_ns, read.last_ns], [entry.offset, entry.first_ns, entry.last_ns])
        XCTAssertEqual([read.events, read.bytes], [entry.events, entry.bytes])

        var (chunks, events) = (UInt32(0), UInt64(0))
        settle_log_write_footer_header(&bytes, 0xD1D2_D3D4, 0xE1E2_E3E4_E5E6_E7E8)
        XCTAssertEqual(settle_log_read_footer_header(bytes, &chunks, &events), ok)
        XCTAssertEqual(chunks, 0xD1D2_D3D4)
        XCTAssertEqual(events, 0xE1E2_E3E4_E5E6_E7E8)
    }

    func testChunkHeader_theLargestNumbersComeBack() {
        for dictionary in [0, 0x0102_0304, UInt32(SETTLE_LOG_BODY_MAX)] {
            var written = settle_log_chunk(
                first_ns: 0x0102_0304_0506_0708, last_ns: UInt64(Int64.max), body_bytes: UInt32(SETTLE_LOG_BODY_MAX),
                events: UInt32(SETTLE_LOG_EVENTS_MAX), scenes: UInt32(SETTLE_LOG_EVENTS_MAX),
                dictionary_bytes: dictionary, body_crc: 0xF1F2_F3F4)
            var (bytes, read) = ([UInt8](repeating: 0xA5, count: 48), settle_log_chunk())
            settle_log_write_chunk_header(&bytes, &written)
            XCTAssertEqual(settle_log_read_chunk_header(bytes, &read), ok)
            XCTAssertEqual([read.first_ns, read.last_ns], [written.first_ns, written.last_ns])
            XCTAssertEqual(
                [read.body_bytes, read.events, read.scenes, read.dictionary_bytes, read.body_crc],
                [written.body_bytes, written.events, written.scenes, written.dictionary_bytes, written.body_crc])
            // Reserved.
            XCTAssertEqual(bytes[36..<40], [0, 0, 0, 0])
        }
    }

    func testChunkHeader_anyChangedByteIsNoticed() {
        var (written, read) = (settle_log_chunk(), settle_log_chunk())
        var bytes = [UInt8](repeating: 0, count: 48)
        settle_log_write_chunk_header(&bytes, &written)
        XCTAssertEqual(settle_log_read_chunk_header(bytes, &read), ok)
        for index in bytes.indices {
            bytes[index] ^= 0x80
            let expected = index < 4 ? SETTLE_LOG_NOT_A_LOG : SETTLE_LOG_CHECKSUM
            XCTAssertEqual(settle_log_read_chunk_header(bytes, &read), expected.rawValue, "byte \(index)")
            bytes[index] ^= 0x80
        }
    }

    func testFileHeader_versionsAndMetadataAtTheirBounds() {
        var bytes = [UInt8](repeating: 0, count: Int(SETTLE_LOG_FILE_HEADER_BYTES))
        var header = settle_log_file_header()
        func read(major: UInt16, minor: UInt16 = 0, metadata: UInt32) -> Int32 {
            settle_log_write_file_header(&bytes, metadata)
            (bytes[8], bytes[9]) = (UInt8(major & 255), UInt8(major >> 8))
            (bytes[10], bytes[11]) = (UInt8(minor & 255), UInt8(minor >> 8))
            return settle_log_read_file_header(bytes, &header)
        }
        let most = UInt32(SETTLE_LOG_METADATA_MAX)
        XCTAssertEqual(read(major: 1, minor: 0x0203, metadata: most), ok)
        XCTAssertEqual([UInt32(header.major), UInt32(header.minor), header.metadata_bytes], [1, 0x0203, most])
        XCTAssertEqual(read(major: 1, metadata: 0), ok)
        XCTAssertEqual(read(major: 1, metadata: most + 1), malformed)
        XCTAssertEqual(read(major: 0, metadata: 0), malformed)
        XCTAssertEqual(read(major: 3, metadata: 0), ok)
        for newer: UInt16 in [4, 256, 257] {
            XCTAssertEqual(read(major: newer, metadata: 0), SETTLE_LOG_NEWER.rawValue)
        }
        for index in 0..<8 {
            settle_log_write_file_header(&bytes, 0)
            bytes[index] ^= 1
            XCTAssertEqual(settle_log_read_file_header(bytes, &header), SETTLE_LOG_NOT_A_LOG.rawValue)
        }
    }

    // MARK: Events

    /// Decodes from memory of exactly these bytes, behind which there is none.
    private func decode(
        _ body: [UInt8], events count: Int = 1, scenes: Int = 1, dictionary: Int = 0, first: UInt64 = 0,
        last: UInt64 = UInt64(Int64.max)
    ) -> (result: Int32, events: [settle_log_event]) {
        var chunk = settle_log_chunk(
            first_ns: first, last_ns: last, body_bytes: UInt32(body.count), events: UInt32(count),
            scenes: UInt32(scenes), dictionary_bytes: UInt32(dictionary), body_crc: 0)
        let source = GuardedMemory(byteCount: body.count)
        source.start.copyMemory(from: body, byteCount: body.count)
        let sizes = GuardedMemory(byteCount: scenes * MemoryLayout<settle_log_size>.stride)
        let events = GuardedMemory(byteCount: count * MemoryLayout<settle_log_event>.stride)
        var decoded: UInt32 = .max
        let result = settle_log_decode(
            &chunk, source.start.assumingMemoryBound(to: UInt8.self),
            sizes.start.assumingMemoryBound(to: settle_log_size.self),
            events.start.assumingMemoryBound(to: settle_log_event.self), &decoded)
        let read = UnsafeBufferPointer(
            start: events.start.assumingMemoryBound(to: settle_log_event.self), count: Int(decoded))
        return (result, Array(read))
    }

    private let says: UInt8 = 1 << 4
    private let geometry = UInt8(SETTLE_GEOMETRY.rawValue)
    private let pointer = UInt8(SETTLE_POINTER.rawValue)
    private let sizeKnown = UInt8(SETTLE_SIZE_KNOWN.rawValue)

    func testEvents_aSizeCodeWithoutASizeIsRefused() {
        for code: UInt8 in 1...3 {
            let deltas = [UInt8](repeating: 0, count: [0, 2, 4, 16][Int(code)])
            // Geometry that knows no size, and a disconnect.
            for (kind, flags) in [(geometry, 0), (UInt8(SETTLE_DISCONNECT.rawValue), sizeKnown)] {
                let event = [says | code << 2, 0, 0, kind, flags, 0]
                XCTAssertEqual(decode(event).result, malformed)
                XCTAssertEqual(decode(event + deltas).result, malformed)
                XCTAssertEqual(decode([says, 0, 0, kind, flags, 0]).result, ok)
            }
        }
    }

    func testEvents_reservedBitsKindsFlagsAndScenesAreRefused() {
        let flagsAll = UInt16(SETTLE_FLAGS_ALL.rawValue)
        func flagged(_ kind: UInt8, _ flags: UInt16) -> [UInt8] {
            [says, 0, 0, kind, UInt8(flags & 255), UInt8(flags >> 8)]
        }
        XCTAssertEqual(decode([0, 0, 0]).result, ok)
        XCTAssertEqual(decode([1 << 7, 0, 0]).result, malformed)
        XCTAssertEqual(decode(flagged(pointer, 0), scenes: 0).result, ok)
        XCTAssertEqual(decode(flagged(pointer + 1, 0)).result, malformed)
        for orientation: UInt16 in 0..<8 {
            let flags = flagsAll & ~(7 << 4) | orientation << 4
            for kind in [geometry, pointer] {
                let result = decode(flagged(kind, flags & ~UInt16(sizeKnown))).result
                XCTAssertEqual(result, orientation <= 4 ? ok : malformed, "orientation \(orientation)")
            }
            let expected = orientation <= 4 ? [flags] : []
            XCTAssertEqual(decode(flagged(pointer, flags), scenes: 0).events.map(\.flags), expected)
        }
        for bit in 0..<16 where flagsAll & 1 << bit == 0 {
            XCTAssertEqual(decode(flagged(geometry, 1 << bit)).result, malformed, "bit \(bit)")
        }
        // The scene in one byte: of two, of one.
        XCTAssertEqual(decode([1 << 5, 0, 0, 1], scenes: 2).events.map(\.name), [1])
        XCTAssertEqual(decode([1 << 5, 0, 0, 1], scenes: 1).result, malformed)
        XCTAssertEqual(decode([0, 0, 0], scenes: 0).result, malformed)
    }

    /// Every length of time, scene and size, cut after each byte: what is whole is read,
    /// nothing beyond it, and what is left over is refused.
    func testEvents_endExactlyWhereTheirBytesEnd() {
        for code in 0..<64 {
            let (time, size, scene) = (code & 3, code >> 2 & 3, code >> 4 & 3)
            var body = [says | UInt8(time | size << 2 | scene << 5)]
            body += [UInt8](repeating: 1, count: [2, 3, 4, 8][time])
            body += [geometry, sizeKnown, 0]
            body += [UInt8](repeating: 0, count: [0, 1, 2, 4][scene])
            body += [UInt8](repeating: 2, count: [0, 2, 4, 16][size])
            XCTAssertEqual(decode(body).result, ok, "code \(code)")
            XCTAssertEqual(decode(body + [0]).result, malformed, "code \(code)")
            for length in 0..<body.count {
                let cut = decode(Array(body.prefix(length)))
                XCTAssertEqual(cut.result, malformed, "code \(code), \(length) bytes")
                XCTAssertEqual(cut.events.count, 0, "code \(code), \(length) bytes")
            }
            // Behind a dictionary, and twice, the second time where little is left.
            XCTAssertEqual(decode([7, 7, 7] + body, dictionary: 3).result, ok)
            let twice = decode(body + body, events: 2, last: .max)
            XCTAssertEqual(twice.events.count, 2, "code \(code)")
        }
    }

    func testEvents_eachFieldIsReadWithAllItsBits() throws {
        let wide: [UInt8] = [0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x08]
        let times = (0..<4).map { code in
            decode([UInt8(code)] + wide.prefix([2, 3, 4, 8][code]), first: 0).events.map(\.at_ns)
        }
        XCTAssertEqual(times, [[0x8281], [0x83_8281], [0x8483_8281], [0x0887_8685_8483_8281]])
        let scenes = (1..<4).map { code in
            decode([says | UInt8(code) << 5, 0, 0, pointer, 0, 0] + wide.prefix([0, 1, 2, 4][code]), scenes: 0)
                .events.map(\.name)
        }
        XCTAssertEqual(scenes, [[0x81], [0x8281], [0x8483_8281]])
        let head: [UInt8] = [says | 1 << 2, 0, 0, geometry, sizeKnown, 0]
        // 100 × 100, then minus 1 and minus 2, then minus 256 and plus 258.
        let deltas = decode(
            head + [100, 100, 1 << 2, 0, 0, 0xFF, 0xFE, 2 << 2, 0, 0, 0x00, 0xFF, 0x02, 0x01], events: 3)
        XCTAssertEqual(deltas.result, ok)
        XCTAssertEqual(deltas.events.map(\.width), [100, 99, -157])
        XCTAssertEqual(deltas.events.map(\.height), [100, 98, 356])
    }

    func testEvents_timesAtBothEndsOfTheChunkAreRead() {
        // Two bytes of time after the first.
        XCTAssertEqual(decode([0, 0, 0, 0, 5, 0], events: 2, first: 10, last: 15).events.map(\.at_ns), [10, 15])
        XCTAssertEqual(decode([0, 0, 0, 0, 6, 0], events: 2, first: 10, last: 15).events.map(\.at_ns), [10])
        // Eight bytes are two's complement: minus one.
        let back = [UInt8(3)] + [UInt8](repeating: 0xFF, count: 8)
        XCTAssertEqual(decode([0, 1, 0] + back, events: 2, first: 10, last: 15).events.map(\.at_ns), [11, 10])
        XCTAssertEqual(decode([0, 0, 0] + back, events: 2, first: 10, last: 15).result, malformed)
    }

    /// What is written for sizes, times and scenes around the borders of their lengths.
    func testEvents_takeTheFewestBytes() {
        func bytes(_ events: [settle_log_event], scenes: Int = 1) -> Int {
            var chunk = settle_log_chunk()
            chunk.events = UInt32(events.count)
            chunk.scenes = UInt32(scenes)
            chunk.last_ns = UInt64(Int64.max)
            let sizes = GuardedMemory(byteCount: scenes * MemoryLayout<settle_log_size>.stride)
            let out = GuardedMemory(byteCount: events.count * Int(SETTLE_LOG_EVENT_BYTES_MAX))
            let count = settle_log_encode(
                &chunk, events, sizes.start.assumingMemoryBound(to: settle_log_size.self),
                out.start.assumingMemoryBound(to: UInt8.self))
            let body = Array(UnsafeRawBufferPointer(start: out.start, count: count))
            let read = decode(body, events: events.count, scenes: scenes)
            XCTAssertEqual(read.result, ok)
            XCTAssertEqual(read.events.map(\.width), events.map(\.width))
            XCTAssertEqual(read.events.map(\.height), events.map(\.height))
            XCTAssertEqual(read.events.map(\.at_ns), events.map(\.at_ns))
            XCTAssertEqual(read.events.map(\.name), events.map(\.name))
            return count
        }
        func sized(_ width: Double, _ height: Double, at: UInt64 = 0, scene: UInt32 = 0) -> settle_log_event {
            settle_log_event(
                at_ns: at, width: width, height: height, name: scene, kind: UInt16(geometry), flags: UInt16(sizeKnown))
        }
        // Tag and time, then kind and flags.
        let plain = 3 + 3
        XCTAssertEqual(bytes([sized(0, 0)]), plain)
        for (length, count) in [
            (1.0, 2), (127, 2), (-127, 2), (128, 4), (32_767, 4), (-32_767, 4), (32_768, 16), (0.5, 16),
        ] {
            XCTAssertEqual(bytes([sized(length, 1)]), plain + count, "\(length)")
            XCTAssertEqual(bytes([sized(1, length)]), plain + count, "\(length)")
        }
        // The second says no size at all, or only a time.
        XCTAssertEqual(bytes([sized(5, 6), sized(5, 6)]), plain + 2 + 3)
        XCTAssertEqual(bytes([sized(5, 6), sized(5, 7)]), plain + 2 + 3 + 2)
        XCTAssertEqual(bytes([sized(5, 6), sized(4, 6)]), plain + 2 + 3 + 2)
        for (time, count) in [
            (UInt64(65_535), 2), (65_536, 3), (1 << 24 - 1, 3), (1 << 24, 4), (1 << 32 - 1, 4), (1 << 32, 8),
        ] {
            XCTAssertEqual(bytes([sized(0, 0, at: time)]), 1 + count + 3, "\(time)")
        }
        for (scene, count) in [(UInt32(1), 1), (255, 1), (256, 2), (65_535, 2), (65_536, 4)] {
            XCTAssertEqual(bytes([sized(0, 0, scene: scene)], scenes: 65_537), plain + count, "\(scene)")
        }
    }

    // MARK: Checksum

    /// Each way of computing it, for every length around the words and the blocks that it takes at once.
    func testChecksum_bothWaysAgreeForEveryLengthAndReadNoByteMore() {
        for count in [Array(0...64), Array(760...780), Array(1530...1545), [6144]].joined() {
            let bytes = GuardedMemory(byteCount: count)
            for index in 0..<count {
                bytes.start.storeBytes(of: UInt8(index * (37 + index / 256) & 255), toByteOffset: index, as: UInt8.self)
            }
            XCTAssertEqual(
                settle_crc32c(0x1234_5678, bytes.start, count), settle_crc32c_portable(0x1234_5678, bytes.start, count),
                "\(count) bytes")
        }
    }
}
