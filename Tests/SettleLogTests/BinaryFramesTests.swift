import CSettle
import XCTest

/// The binary log's codec by itself: what a reader must refuse although its checksum is
/// right, and values that rarely occur.
final class BinaryFramesTests: XCTestCase {
    private let ok = SETTLE_LOG_OK.rawValue
    private let malformed = SETTLE_LOG_MALFORMED.rawValue

    private func chunk(_ change: (inout settle_log_chunk) -> Void = { _ in }) -> settle_log_chunk {
        var chunk = settle_log_chunk(
            first_ns: 10, last_ns: 20, body_bytes: 100, events: 5, scenes: 2, dictionary_bytes: 12, body_crc: 0)
        change(&chunk)
        return chunk
    }

    func testChunkHeader_eachImplausibleNumberIsRefused() {
        let right = chunk()
        let wrong = [
            chunk { $0.body_bytes = UInt32(SETTLE_LOG_BODY_MAX) + 1 },
            chunk { $0.dictionary_bytes = $0.body_bytes + 1 },
            chunk { $0.events = UInt32(SETTLE_LOG_EVENTS_MAX) + 1 },
            chunk { $0.scenes = $0.events + 1 },
            chunk { $0.first_ns = $0.last_ns + 1 },
            chunk { $0.last_ns = UInt64(Int64.max) + 1 },
        ]
        for (index, written) in ([right] + wrong).enumerated() {
            var (written, read) = (written, settle_log_chunk())
            var bytes = [UInt8](repeating: 0, count: Int(SETTLE_LOG_CHUNK_HEADER_BYTES))
            settle_log_write_chunk_header(&bytes, &written)
            XCTAssertEqual(settle_log_read_chunk_header(bytes, &read), index == 0 ? ok : malformed, "chunk \(index)")
        }
    }

    func testDictionary_eachNameMustFit() {
        /// Reads the only name of a dictionary, from an offset.
        func read(_ body: [UInt8], from start: Int = 0) -> (result: Int32, bytes: Int) {
            var chunk = chunk { $0.dictionary_bytes = UInt32(body.count) }
            var (offset, bytes) = (start, 0)
            var name: UnsafePointer<UInt8>?
            let result = settle_log_next_name(&chunk, body, &offset, &name, &bytes)
            XCTAssertEqual(offset, result == ok ? start + 2 + bytes : start)
            return (result, bytes)
        }
        func named(_ length: Int, of count: Int) -> [UInt8] {
            [UInt8(length & 255), UInt8(length >> 8)] + [UInt8](repeating: 97, count: count)
        }
        let most = Int(SETTLE_LOG_NAME_MAX)
        XCTAssertEqual(read(named(3, of: 3)).bytes, 3)
        XCTAssertEqual(read(named(0, of: 0)).result, ok)
        XCTAssertEqual(read(named(most, of: most)).bytes, most)
        XCTAssertEqual(read(named(most + 1, of: most + 1)).result, malformed)
        XCTAssertEqual(read(named(4, of: 3)).result, malformed)
        XCTAssertEqual(read([1]).result, malformed)
        XCTAssertEqual(read([]).result, malformed)
        XCTAssertEqual(read(named(3, of: 3), from: 6).result, malformed)
    }

    func testFooter_headerAndTailNeedTheirMagic() {
        var (chunks, events, crc, size) = (UInt32(0), UInt64(0), UInt32(0), UInt32(0))
        var header = [UInt8](repeating: 0, count: Int(SETTLE_LOG_FOOTER_HEADER_BYTES))
        var tail = [UInt8](repeating: 0, count: Int(SETTLE_LOG_FOOTER_TAIL_BYTES))
        XCTAssertEqual(settle_log_read_footer_header(header, &chunks, &events), SETTLE_LOG_NOT_A_LOG.rawValue)
        XCTAssertEqual(settle_log_read_footer_tail(tail, &crc, &size), SETTLE_LOG_NOT_A_LOG.rawValue)
        settle_log_write_footer_header(&header, 3, 1 << 40)
        XCTAssertEqual(settle_log_read_footer_header(header, &chunks, &events), ok)
        XCTAssertEqual([UInt64(chunks), events], [3, 1 << 40])
        settle_log_write_footer_tail(&tail, 7, 3)
        XCTAssertEqual(settle_log_read_footer_tail(tail, &crc, &size), ok)
        XCTAssertEqual([crc, size], [7, 16 + 3 * 32 + 16])
    }

    private func decoded(_ events: [settle_log_event], first: UInt64) -> (result: Int32, events: [settle_log_event]) {
        var chunk = chunk {
            $0.first_ns = first
            $0.last_ns = 1_000
            $0.events = UInt32(events.count)
            $0.scenes = 1
            $0.dictionary_bytes = 0
        }
        var sizes = [settle_log_size()]
        var body = [UInt8](repeating: 0, count: events.count * Int(SETTLE_LOG_EVENT_BYTES_MAX))
        chunk.body_bytes = UInt32(settle_log_encode(&chunk, events, &sizes, &body))
        var read = Array(repeating: settle_log_event(), count: events.count)
        var count: UInt32 = 0
        let result = settle_log_decode(&chunk, body, &sizes, &read, &count)
        return (result, Array(read.prefix(Int(count))))
    }

    private func press(_ button: UInt32, at: UInt64) -> settle_log_event {
        settle_log_event(
            at_ns: at, width: 0, height: 0, name: button, kind: UInt16(SETTLE_POINTER.rawValue),
            flags: UInt16(SETTLE_PRESSED.rawValue))
    }

    func testResults_haveNames() {
        let results = [
            ok, SETTLE_LOG_NOT_A_LOG.rawValue, SETTLE_LOG_NEWER.rawValue, SETTLE_LOG_CHECKSUM.rawValue, malformed,
        ]
        XCTAssertEqual(
            (results + [-14]).map { String(cString: settle_log_result_name($0)) },
            [
                "SETTLE_LOG_OK", "SETTLE_LOG_NOT_A_LOG", "SETTLE_LOG_NEWER", "SETTLE_LOG_CHECKSUM",
                "SETTLE_LOG_MALFORMED",
                "unknown",
            ])
    }

    func testEvents_buttonsOfEveryNumberOfBytesComeBack() {
        let buttons: [UInt32] = [1, 255, 256, 65_535, 65_536, .max, 0]
        let read = decoded(buttons.map { press($0, at: 500) }, first: 500)
        XCTAssertEqual(read.result, ok)
        XCTAssertEqual(read.events.map(\.button), buttons)
    }

    func testEvents_timesOutsideTheChunksAreRefused() {
        XCTAssertEqual(decoded([press(1, at: 500), press(1, at: 1_000)], first: 500).result, ok)
        for outside: UInt64 in [499, 1_001] {
            let read = decoded([press(1, at: 500), press(1, at: outside)], first: 500)
            XCTAssertEqual(read.result, malformed, "\(outside)")
            XCTAssertEqual(read.events.map(\.at_ns), [500])
        }
    }
}

extension settle_log_event {
    init(at_ns: UInt64, width: Double, height: Double, name: UInt32, kind: UInt16, flags: UInt16) {
        self.init()
        self.at_ns = at_ns
        self.width = width
        self.height = height
        self.name = name
        self.kind = kind
        self.flags = flags
    }
}
