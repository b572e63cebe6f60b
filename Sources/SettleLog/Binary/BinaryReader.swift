internal import CSettle
internal import Settle

/// Reads the binary encoding. A log without a footer, or cut anywhere, gives every
/// whole chunk; after a damaged chunk the next intact one is looked for.
final class BinaryReader: FormatReader {
    private(set) var header = LogHeader()
    let scenes = SceneNames()
    private(set) var notes: [String] = []
    private let input: ByteInput
    /// Of the chunk at hand: its dictionary's numbers in `scenes`, and its decoder's room.
    private var numbers: [SceneID] = []
    private var sizes: [settle_log_size] = []
    private var sawFooter = false

    /// What the footer says, for `info`; `nil` until the footer was read.
    private(set) var index: [settle_log_index_entry]?

    static func isMagic(_ start: UnsafeRawBufferPointer) -> Bool {
        start.count >= 8 && (0..<8).allSatisfy { start[$0] == magic[$0] }
    }

    static let magic: [UInt8] = [0x89, 0x53, 0x54, 0x4C, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let chunkMagic: [UInt8] = Array("CHNK".utf8)
    private static let footerMagic: [UInt8] = Array("INDX".utf8)

    init(_ input: ByteInput) throws(LogError) {
        self.input = input
        let fixed = SETTLE_LOG_FILE_HEADER_BYTES
        guard try input.require(fixed) else { throw fault("the file ends within its header", .truncated) }
        var raw = settle_log_file_header()
        switch settle_log_read_file_header(input.bytes, &raw) {
        case SETTLE_LOG_OK.rawValue: break
        case SETTLE_LOG_NOT_A_LOG.rawValue: throw fault("this is no binary event log: the magic number is another one")
        case SETTLE_LOG_NEWER.rawValue:
            throw fault(
                "format version \(raw.major) is newer than the \(SETTLE_LOG_MAJOR) that this program reads; use a newer settle",
                .newerVersion)
        default: throw fault("the file header is damaged")
        }
        let metadata = Int(raw.metadata_bytes)
        guard try input.require(fixed + metadata + 4) else {
            throw fault("the file ends within its header", .truncated)
        }
        let crc = settle_crc32c(0, input.available.baseAddress, fixed + metadata)
        guard crc == input.littleEndian(at: fixed + metadata) else { throw fault("the file header's checksum differs") }
        let line = UnsafeRawBufferPointer(rebasing: input.available[fixed..<fixed + metadata])
        header = try JSONLinesReader(ByteInput(bytes: Array(line), name: input.name)).header
        input.consume(fixed + metadata + 4)
    }

    private func fault(_ problem: String, _ kind: LogError.Kind = .malformed) -> LogError {
        LogError(kind, file: input.name, at: .byte(input.offset), problem)
    }

    func read(into batch: EventBatch) throws(LogError) -> Bool {
        // A batch holds a chunk; a second one may not fit any more.
        guard batch.count == 0 else { return true }
        guard try input.require(SETTLE_LOG_CHUNK_MAGIC_BYTES) else { return try end() }
        if input.starts(with: Self.footerMagic) { return try readFooter() }
        try readChunk(into: batch)
        return true
    }

    private func end() throws(LogError) -> Bool {
        let rest = input.available.count
        if rest > 0 {
            let torn = fault("the file ends within a chunk", .truncated)
            input.consume(rest)
            throw torn
        }
        if !sawFooter {
            notes.append("The log has no index at its end: its writer did not finish. Every whole chunk was read.")
        }
        return false
    }

    private func readChunk(into batch: EventBatch) throws(LogError) {
        let fixed = SETTLE_LOG_CHUNK_HEADER_BYTES
        guard try input.require(fixed) else { throw torn() }
        var chunk = settle_log_chunk()
        switch settle_log_read_chunk_header(input.bytes, &chunk) {
        case SETTLE_LOG_OK.rawValue: break
        case SETTLE_LOG_NOT_A_LOG.rawValue: throw try skipDamage("no chunk begins here")
        case SETTLE_LOG_CHECKSUM.rawValue: throw try skipDamage("a chunk header's checksum differs")
        default: throw try skipDamage("a chunk header is out of range")
        }
        let length = fixed + Int(chunk.body_bytes)
        guard try input.require(length) else { throw torn() }
        let body = input.bytes + fixed
        guard settle_crc32c(0, body, Int(chunk.body_bytes)) == chunk.body_crc else {
            throw try skipDamage("a chunk's checksum differs; its \(chunk.events) events are lost")
        }
        let position = LogPosition.byte(input.offset)
        guard readDictionary(chunk, body), decode(chunk, body, at: position, into: batch) else {
            let malformed = fault("a chunk's content is malformed behind event \(batch.count) of \(chunk.events)")
            input.consume(length)
            throw malformed
        }
        input.consume(length)
    }

    /// The file ends inside the chunk at hand, which is lost with it.
    private func torn() -> LogError {
        let problem = fault("the file ends within a chunk, whose events are lost", .truncated)
        sawFooter = true
        input.consume(input.available.count)
        return problem
    }

    /// Goes to the next place that looks like a chunk or the footer.
    private func skipDamage(_ problem: String) throws(LogError) -> LogError {
        let start = input.offset
        input.consume(1)
        while try input.require(Self.chunkMagic.count) {
            let available = input.available
            let last = available.count - Self.chunkMagic.count
            var at = 0
            while at <= last, !Self.isFrame(available, at) { at += 1 }
            input.consume(at)
            if at <= last { break }
        }
        if input.available.count < Self.chunkMagic.count { input.consume(input.available.count) }
        let skipped = input.offset - start
        return LogError(
            .malformed, file: input.name, at: .byte(start), "\(problem); \(skipped) bytes are passed over")
    }

    private static func isFrame(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> Bool {
        (bytes[at] == chunkMagic[0] || bytes[at] == footerMagic[0])
            && (zip(bytes[at...], chunkMagic).allSatisfy(==) || zip(bytes[at...], footerMagic).allSatisfy(==))
    }

    private func readDictionary(_ chunk: settle_log_chunk, _ body: UnsafePointer<UInt8>) -> Bool {
        numbers.removeAll(keepingCapacity: true)
        var chunk = chunk
        var offset = 0
        for _ in 0..<chunk.scenes {
            var name: UnsafePointer<UInt8>?
            var length = 0
            guard settle_log_next_name(&chunk, body, &offset, &name, &length) == SETTLE_LOG_OK.rawValue,
                let number = scenes.number(ofUTF8: UnsafeRawBufferPointer(start: name, count: length))
            else { return false }
            numbers.append(number)
        }
        return offset == chunk.dictionary_bytes
    }

    private func decode(
        _ chunk: settle_log_chunk, _ body: UnsafePointer<UInt8>, at position: LogPosition, into batch: EventBatch
    ) -> Bool {
        if sizes.count < numbers.count {
            sizes = Array(repeating: settle_log_size(), count: max(numbers.count, 2 * sizes.count))
        }
        var chunk = chunk
        var result = SETTLE_LOG_OK.rawValue
        batch.append(at: position) { events in
            var decoded: UInt32 = 0
            events.withMemoryRebound(to: settle_event.self, capacity: Int(chunk.events)) { raw in
                result = settle_log_decode(&chunk, body, &sizes, raw, &decoded)
                for index in 0..<Int(decoded) where raw[index].kind != SETTLE_POINTER.rawValue {
                    raw[index].scene = numbers[Int(raw[index].scene)].rawValue
                }
            }
            return Int(decoded)
        }
        return result == SETTLE_LOG_OK.rawValue
    }

    private func readFooter() throws(LogError) -> Bool {
        sawFooter = true
        let fixed = SETTLE_LOG_FOOTER_HEADER_BYTES
        let tail = SETTLE_LOG_FOOTER_TAIL_BYTES
        guard try input.require(fixed + tail) else {
            throw try damagedFooter("the file ends within its index", .truncated)
        }
        var chunks: UInt32 = 0
        var events: UInt64 = 0
        _ = settle_log_read_footer_header(input.bytes, &chunks, &events)
        let entries = Int(chunks) * SETTLE_LOG_FOOTER_ENTRY_BYTES
        // A damaged count must not make us wait for gigabytes: every chunk had a header.
        guard UInt64(chunks) <= input.offset / UInt64(SETTLE_LOG_CHUNK_HEADER_BYTES) else {
            throw try damagedFooter("the index names more chunks than there were", .malformed)
        }
        if let length = input.length, UInt64(fixed + entries + tail) > length - input.offset {
            throw try damagedFooter("the index does not fit into the file", .truncated)
        }
        guard try input.require(fixed + entries + tail) else {
            throw try damagedFooter("the file ends within its index", .truncated)
        }
        var crc: UInt32 = 0
        var length: UInt32 = 0
        let crcHere = settle_crc32c(0, input.bytes, fixed + entries)
        guard settle_log_read_footer_tail(input.bytes + fixed + entries, &crc, &length) == SETTLE_LOG_OK.rawValue,
            crc == crcHere, Int(length) == fixed + entries + tail
        else { throw try damagedFooter("the index at the end is damaged; the events before it are whole", .malformed) }
        index = (0..<Int(chunks)).map { number in
            var entry = settle_log_index_entry()
            settle_log_read_footer_entry(input.bytes + fixed + number * SETTLE_LOG_FOOTER_ENTRY_BYTES, &entry)
            return entry
        }
        input.consume(fixed + entries + tail)
        guard try !input.require(1) else { throw try damagedFooter("something follows the index", .malformed) }
        return false
    }

    /// Nothing after the footer can be trusted: the rest is passed over.
    private func damagedFooter(_ problem: String, _ kind: LogError.Kind) throws(LogError) -> LogError {
        let fault = fault(problem, kind)
        repeat { input.consume(input.available.count) } while try input.more()
        return fault
    }
}

extension ByteInput {
    fileprivate var bytes: UnsafePointer<UInt8> {
        available.baseAddress!.assumingMemoryBound(to: UInt8.self)
    }

    fileprivate func starts(with magic: [UInt8]) -> Bool {
        available.count >= magic.count && magic.indices.allSatisfy { available[$0] == magic[$0] }
    }

    fileprivate func littleEndian(at offset: Int) -> UInt32 {
        UInt32(littleEndian: available.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
