import CSettle
import TestSupport
import XCTest

@testable import SettleLog

let noIndex = SETTLE_LOG_NO_INDEX.rawValue

/// What the C functions of settle_whole_log.h make of a log.
struct WholeLog {
    /// settle_log_measure's.
    var result: CInt
    var damage: UInt32 = 0
    var damagedAt: Int?
    var events: [settle_log_event] = []
    var names: [[UInt8]] = []
    var metadata: [UInt8] = []

    var isDamaged: Bool { damage & ~noIndex != 0 }

    /// Reads from memory that ends before an inaccessible page, into such memory of the measured size.
    init(_ bytes: [UInt8], salvages: Bool, file: StaticString = #filePath, line: UInt = #line) {
        let log = GuardedMemory(byteCount: bytes.count)
        UnsafeMutableRawBufferPointer(start: log.start, count: bytes.count).copyBytes(from: bytes)
        var whole = settle_log_whole()
        result = settle_log_measure(
            log.start.assumingMemoryBound(to: UInt8.self), bytes.count, salvages, &whole)
        guard result == SETTLE_LOG_OK.rawValue else { return }
        let size = settle_log_whole_size(&whole)
        // Claims cost nothing; the least has room for two slots.
        XCTAssert(size >= 8 && size <= 32 * bytes.count, "\(size) bytes for \(bytes.count)", file: file, line: line)
        let memory = GuardedMemory(byteCount: size)
        var contents = settle_log_contents()
        XCTAssertEqual(settle_log_read_whole(&whole, [3, 5], memory.start, size, &contents), 0, file: file, line: line)
        damage = contents.damage
        damagedAt = contents.damaged_at == Int(bitPattern: UInt.max) ? nil : Int(contents.damaged_at)
        events = Array(UnsafeBufferPointer(start: contents.events, count: contents.count))
        metadata = Array(UnsafeBufferPointer(start: whole.metadata, count: whole.metadata_bytes))
        for number in 0..<Int(contents.names_count) {
            let place = contents.names.names[number]
            let start = contents.names.bytes + place.from
            names.append(Array(UnsafeBufferPointer(start: start, count: place.count)))
            let found = settle_log_find_name(&contents.names, start, place.count)
            XCTAssertEqual(Int(found), number, "a name is found by its bytes", file: file, line: line)
        }
    }
}

/// What Swift's reader makes of the same bytes.
struct SwiftLog {
    /// The header's fault.
    var refusal: LogError?
    var events: [settle_log_event] = []
    var names: [[UInt8]] = []
    var faults: [LogError] = []
    /// The events before the first fault.
    var eventsBefore: Int?
    var hasLosses = false
    var lacksEnd = false
    var hasNote = false

    /// One for all, as it is large.
    nonisolated(unsafe) private static let batch = EventBatch()

    init(_ bytes: [UInt8], salvages: Bool) {
        do throws(LogError) {
            let reader = try BinaryReader(ByteInput(bytes: bytes, name: "test"), salvaging: salvages)
            let batch = Self.batch
            var isMore = true
            while isMore {
                batch.removeAll()
                do throws(LogError) {
                    isMore = try reader.read(into: batch)
                } catch {
                    faults.append(error)
                    eventsBefore = eventsBefore ?? events.count + batch.count
                }
                events += batch.events
            }
            names = (0..<reader.scenes.count).map { Array(reader.scenes[SceneNumber(rawValue: UInt32($0))].utf8) }
            hasLosses = !reader.losses.all.isEmpty || !reader.contradictions.isEmpty
            lacksEnd = reader.lacksEnd
            hasNote = !reader.notes.isEmpty
        } catch {
            refusal = error
        }
    }
}

/// What contradicts each other in the two readings of a log; empty if nothing does.
func contradictions(_ swift: SwiftLog, _ whole: WholeLog, salvages: Bool) -> [String] {
    let isOK = whole.result == SETTLE_LOG_OK.rawValue
    if let refusal = swift.refusal {
        let isNewer = whole.result == SETTLE_LOG_NEWER.rawValue
        if isNewer != (refusal.kind == .newerVersion) { return ["\(refusal), and the result is \(whole.result)"] }
        // A wrong checksum of the header alone leaves the chunks as they are.
        let isSaid = !isOK || !salvages && whole.damage & SETTLE_LOG_HEADER_DAMAGED.rawValue != 0
        return isSaid ? [] : ["\(refusal), but no damage"]
    }
    if !isOK {
        return salvages && swift.events.isEmpty && swift.hasLosses ? [] : ["the result is \(whole.result)"]
    }
    var found: [String] = []
    let isDamaged = salvages ? swift.hasLosses || !swift.faults.isEmpty : !swift.faults.isEmpty
    if isDamaged != whole.isDamaged { found.append("damage \(whole.damage), but \(swift.faults)") }
    if salvages {
        let isUnknown = whole.damage & noIndex != 0
        if swift.hasNote != isUnknown { found.append("note \(swift.hasNote), damage \(whole.damage)") }
        if isDamaged != (whole.damagedAt != nil) { found.append("damaged at \(whole.damagedAt ?? -1)") }
    } else {
        if let first = swift.faults.first, first.position != whole.damagedAt.map({ .byte(UInt64($0)) }) {
            found.append("damaged at \(whole.damagedAt ?? -1), but \(first)")
        }
        // What follows an index is a fault of its own, torn or not.
        let isTorn = whole.damage & (SETTLE_LOG_CHUNK_TORN.rawValue | SETTLE_LOG_FOLLOWED.rawValue)
        if isTorn == SETTLE_LOG_CHUNK_TORN.rawValue, swift.faults.first?.kind != .truncated {
            found.append("torn, but \(swift.faults)")
        }
        // The C functions stop at a fault, before the end.
        if !isDamaged, swift.lacksEnd != (whole.damage & noIndex != 0) {
            found.append("lacks its end: \(swift.lacksEnd), damage \(whole.damage)")
        }
    }
    let count = salvages ? swift.events.count : swift.eventsBefore ?? swift.events.count
    if !isSame(swift.events.prefix(count), swift.names, whole.events[...], whole.names) {
        found.append("\(whole.events.count) events, and not the \(count)")
    }
    return found
}

/// Whether two lists of events with their names are the same in every bit.
private func isSame(
    _ a: ArraySlice<settle_log_event>, _ aNames: [[UInt8]], _ b: ArraySlice<settle_log_event>, _ bNames: [[UInt8]]
) -> Bool {
    guard a.count == b.count else { return false }
    let numbers = Dictionary(bNames.enumerated().map { ($1, UInt32($0)) }) { first, _ in first }
    let renamed = a.map { event in
        var event = event
        if event.kind != SETTLE_POINTER.rawValue { event.name = numbers[aNames[Int(event.name)]] ?? .max }
        return event
    }
    return renamed.withUnsafeBytes { a in b.withUnsafeBytes { a.elementsEqual($0) } }
}

/// Reads in both ways, with and without salvage, and expects no contradiction.
func assertReadAlike(_ bytes: [UInt8], _ what: String, file: StaticString = #filePath, line: UInt = #line) {
    for salvages in [false, true] {
        let found = contradictions(
            SwiftLog(bytes, salvages: salvages), WholeLog(bytes, salvages: salvages), salvages: salvages)
        XCTAssertEqual(found, [], "\(what), \(salvages ? "salvaged" : "as it is")", file: file, line: line)
    }
}

// MARK: Logs in parts

/// A binary log's parts.
struct LogParts {
    var header: [UInt8]
    var chunks: [[UInt8]]
    var index: [UInt8]

    /// - Precondition: The log is whole.
    init(_ bytes: [UInt8]) throws {
        let reader = try BinaryReader(ByteInput(bytes: bytes, name: "test"))
        let batch = EventBatch()
        while try reader.read(into: batch) { batch.removeAll() }
        let entries = try XCTUnwrap(reader.index?.entries)
        header = Array(bytes[..<Int(try XCTUnwrap(entries.first).offset)])
        chunks = entries.map { Array(bytes[Int($0.offset)..<Int($0.end)]) }
        index = Array(bytes[Int(try XCTUnwrap(entries.last).end)...])
    }

    init(header: [UInt8] = LogParts.header(), chunks: [[UInt8]]) {
        self.header = header
        self.chunks = chunks
        index = LogParts.index(of: chunks, from: header.count)
    }

    var bytes: [UInt8] { header + chunks.flatMap { $0 } + index }
    var withoutIndex: [UInt8] { header + chunks.flatMap { $0 } }

    static func header(_ metadata: String = String(jsonHeader.dropLast())) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: SETTLE_LOG_FILE_HEADER_BYTES)
        settle_log_write_file_header(&bytes, UInt32(metadata.utf8.count))
        bytes[8] = 1
        bytes += Array(metadata.utf8)
        return bytes + littleEndian(settle_crc32c(0, bytes, bytes.count))
    }

    /// A chunk with right checksums, whatever it claims.
    static func chunk(
        names: [[UInt8]], events: [UInt8], count: UInt32, scenes: UInt32? = nil, dictionaryBytes: Int? = nil
    ) -> [UInt8] {
        let dictionary = names.flatMap { littleEndian(UInt16($0.count)) + $0 }
        let body = dictionary + events
        var chunk = settle_log_chunk()
        chunk.last_ns = UInt64(Int64.max)
        chunk.body_bytes = UInt32(body.count)
        chunk.events = count
        chunk.scenes = scenes ?? UInt32(names.count)
        chunk.dictionary_bytes = UInt32(dictionaryBytes ?? dictionary.count)
        chunk.body_crc = settle_crc32c(0, body, body.count)
        var header = [UInt8](repeating: 0, count: SETTLE_LOG_CHUNK_HEADER_BYTES)
        settle_log_write_chunk_header(&header, &chunk)
        return header + body
    }

    /// The index of these chunks, by what their headers say.
    static func index(of chunks: [[UInt8]], from start: Int) -> [UInt8] {
        var offset = start
        var entries: [settle_log_index_entry] = []
        for chunk in chunks {
            var raw = settle_log_chunk()
            _ = settle_log_read_chunk_header(chunk, &raw)
            entries.append(settle_log_index_entry(raw, at: UInt64(offset)))
            offset += chunk.count
        }
        return index(of: entries)
    }

    static func index(of entries: [settle_log_index_entry], events: UInt64? = nil) -> [UInt8] {
        let fixed = SETTLE_LOG_FOOTER_HEADER_BYTES + SETTLE_LOG_FOOTER_TAIL_BYTES
        var bytes = [UInt8](repeating: 0, count: fixed + entries.count * SETTLE_LOG_FOOTER_ENTRY_BYTES)
        let sum = entries.reduce(0) { $0 + UInt64($1.events) }
        settle_log_write_footer(&bytes, entries, UInt32(entries.count), events ?? sum)
        return bytes
    }

    static func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian, Array.init)
    }

    /// A chunk whose checksums are right again.
    static func sealed(_ chunk: [UInt8]) -> [UInt8] {
        var chunk = chunk
        let body = chunk[SETTLE_LOG_CHUNK_HEADER_BYTES...]
        chunk.replaceSubrange(40..<44, with: littleEndian(settle_crc32c(0, Array(body), body.count)))
        chunk.replaceSubrange(44..<48, with: littleEndian(settle_crc32c(0, chunk, 44)))
        return chunk
    }
}
