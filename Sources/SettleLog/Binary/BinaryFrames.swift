internal import CSettle
internal import Settle

/// Reads a binary log's frames in order: chunks with correct checksums, the index, and the
/// damaged parts between them. It decodes no events.
final class BinaryFrames {
    enum Frame {
        /// The body is valid until the next call.
        case chunk(settle_log_chunk, body: UnsafePointer<UInt8>, at: UInt64)
        case index(LogIndex)
        /// A live stream's index, which is verified but not kept.
        case streamIndex(StreamIndex)
        /// - Parameter claimed: The index entry by the damaged chunk's own header, `nil` if the
        ///   header is damaged too.
        case damage(LogLoss, claimed: settle_log_index_entry?)
        case end
    }

    let input: ByteInput
    /// The bytes of the frame that the last call returned. The next call consumes them.
    private var pending = 0
    private var followsIndex = false
    private let isStream: Bool
    /// Whether the input's last bytes are those of an index, which only a writer that
    /// finished leaves. Set when damage was skipped up to the input's end.
    private(set) var endsWithIndexTail = false
    private var whole: String { isStream ? "the stream" : "the file" }
    /// The offset of the next frame.
    var position: UInt64 { input.offset + UInt64(pending) }

    static let fileMagic: [UInt8] = withUnsafeBytes(of: settle_log_file_magic, Array.init)
    private static let chunkMagic: [UInt8] = withUnsafeBytes(of: settle_log_chunk_magic, Array.init)
    private static let indexMagic: [UInt8] = withUnsafeBytes(of: settle_log_footer_magic, Array.init)
    /// An index of at most this many chunks (8 KiB) is read even if fewer bytes precede it
    /// than so many chunks have.
    private static let chunksBelieved: UInt64 = 256
    /// The bytes of parts whose checksums differed.
    private var vain: UInt64 = 0

    /// - Parameter isStream: Whether the input is a live stream. Then every fault is thrown as
    ///   soon as it is seen, since more bytes may never arrive, and the bounds of
    ///   `StreamLimits` apply.
    init(_ input: ByteInput, isStream: Bool = false) {
        self.input = input
        self.isStream = isStream
    }

    // MARK: The file's header

    /// Reads the file's header.
    ///
    /// - Throws: `.truncated`, `.malformed` or `.newerVersion` for a header that cannot be
    ///   read; `.io` when reading fails.
    func readHeader() throws(LogError) -> LogHeader {
        let fixed = SETTLE_LOG_FILE_HEADER_BYTES
        if isStream, try !beginsWithOne(of: [Self.fileMagic]) {
            throw fault("this is no binary event log: the magic number is another one")
        }
        guard try input.require(fixed) else { throw fault("\(whole) ends within its header", .truncated) }
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
            throw fault("\(whole) ends within its header", .truncated)
        }
        guard hasChecksum(behind: fixed + metadata) else { throw fault("the file header's checksum differs") }
        let line = UnsafeRawBufferPointer(rebasing: input.available[fixed..<fixed + metadata])
        let header: LogHeader
        do throws(LogError) {
            header = try JSONLinesReader(ByteInput(bytes: Array(line), name: input.name)).header
        } catch {
            // Its checksum is correct, so nothing was cut off.
            throw LogError(.malformed, file: input.name, at: .byte(UInt64(fixed)), error.problem)
        }
        pending = fixed + metadata + 4
        return header
    }

    /// Reads until the next bytes are one of the magic numbers, or cannot become one: a live
    /// stream's wrong byte is a fault as soon as it arrives. True also if the stream ends
    /// within a magic number or before one.
    private func beginsWithOne(of magics: [[UInt8]]) throws(LogError) -> Bool {
        while true {
            let start = input.available
            guard let magic = magics.first(where: { zip(start, $0).allSatisfy { $0 == $1 } }) else { return false }
            if start.count >= magic.count { return true }
            if try !input.more() { return true }
        }
    }

    /// Whether the bytes of a header that could not be read begin like a binary log.
    var beginsLikeALog: Bool {
        zip(input.available, Self.fileMagic).allSatisfy { $0 == $1 }
    }

    /// Whether the input can be the beginning of a log whose header is torn. The metadata is
    /// JSON text without control characters. Every chunk has control characters, so a header
    /// with a damaged length that reaches into the chunks is not a torn one.
    var isTornHeader: Bool {
        guard beginsLikeALog else { return false }
        let fixed = SETTLE_LOG_FILE_HEADER_BYTES
        guard input.available.count > fixed else { return true }
        let metadata = Int(input.littleEndian(at: fixed - 4))
        return input.available.dropFirst(fixed).prefix(metadata).allSatisfy { $0 >= 0x20 }
    }

    /// Skips a header that could not be read, to the first frame.
    ///
    /// - Throws: `error` itself if a newer version wrote the header: its checksum is correct,
    ///   so it is not damaged. `.io` when reading fails.
    func skipHeader(_ error: LogError) throws(LogError) -> LogLoss {
        if error.kind == .newerVersion {
            var raw = settle_log_file_header()
            _ = settle_log_read_file_header(input.bytes, &raw)
            let length = SETTLE_LOG_FILE_HEADER_BYTES + Int(raw.metadata_bytes)
            if raw.metadata_bytes <= SETTLE_LOG_METADATA_MAX, try input.require(length + 4),
                hasChecksum(behind: length)
            {
                throw error
            }
        }
        let start = input.offset
        // The first frame may be the input's first bytes.
        let found = try skipToFrame(beyond: 0)
        return LogLoss(part: .header, bytes: start..<input.offset, problem: error.problem, isTorn: found == .end)
    }

    private func hasChecksum(behind length: Int) -> Bool {
        settle_crc32c(0, input.available.baseAddress, length) == input.littleEndian(at: length)
    }

    private func fault(_ problem: String, _ kind: LogError.Kind = .malformed) -> LogError {
        LogError(kind, file: input.name, at: .byte(input.offset), problem)
    }

    // MARK: Chunks and index

    /// Reads the next frame.
    ///
    /// - Throws: `.io` when reading fails; for a live stream, also its fault.
    func next() throws(LogError) -> Frame {
        input.consume(pending)
        pending = 0
        if isStream {
            if followsIndex, try input.require(1) { throw fault("something follows the index") }
            if try !beginsWithOne(of: [Self.chunkMagic, Self.indexMagic]) { throw fault("no chunk begins here") }
        }
        guard try input.require(SETTLE_LOG_CHUNK_MAGIC_BYTES) else {
            if input.available.isEmpty { return .end }
            if !followsIndex, Self.indexMagic.starts(with: input.available) {
                return try damage("\(whole) ends within its index", part: .index, isTorn: true)
            }
            return try noChunk()
        }
        if input.starts(with: Self.indexMagic) { return isStream ? try streamIndex() : try index() }
        return try chunk()
    }

    private func chunk() throws(LogError) -> Frame {
        let fixed = SETTLE_LOG_CHUNK_HEADER_BYTES
        guard try input.require(fixed) else {
            return try noChunk()
        }
        var chunk = settle_log_chunk()
        switch settle_log_read_chunk_header(input.bytes, &chunk) {
        case SETTLE_LOG_OK.rawValue: break
        case SETTLE_LOG_NOT_A_LOG.rawValue:
            return try noChunk()
        case SETTLE_LOG_CHECKSUM.rawValue: return try damage("a chunk header's checksum differs")
        default: return try damage("a chunk header is out of range")
        }
        if followsIndex { return somethingFollows("a chunk follows the index") }
        let length = fixed + Int(chunk.body_bytes)
        if isStream { try checkStreamLimits(chunk, length) }
        guard try input.require(length) else {
            return try damage("\(whole) ends within a chunk, whose events are lost", chunk, isTorn: true)
        }
        let body = input.bytes + fixed
        let end = input.offset + UInt64(length)
        guard settle_log_has_checksum(body, Int(chunk.body_bytes), end, chunk.body_crc, &vain) else {
            return try damage(
                "a chunk's checksum differs; \(chunk.events == 1 ? "its 1 event is" : "its \(chunk.events) events are") lost",
                chunk)
        }
        pending = length
        return .chunk(chunk, body: body, at: input.offset)
    }

    /// The frame for bytes that are no complete chunk header.
    private func noChunk() throws(LogError) -> Frame {
        if followsIndex { return try damage("something follows the index") }
        guard zip(input.available, Self.chunkMagic).allSatisfy({ $0 == $1 }) else {
            return try damage("no chunk begins here")
        }
        return try damage("\(whole) ends within a chunk, whose events are lost", isTorn: true)
    }

    private func checkStreamLimits(_ chunk: settle_log_chunk, _ length: Int) throws(LogError) {
        if length > StreamLimits.chunkBytes || chunk.events > StreamLimits.chunkEvents {
            throw fault(
                "a chunk of \(length) bytes and \(chunk.events) events: a live stream's has at most \(StreamLimits.chunkBytes) and \(StreamLimits.chunkEvents)"
            )
        }
    }

    /// Reads an index in pieces without keeping it, as its length grows with the stream's.
    private func streamIndex() throws(LogError) -> Frame {
        let start = input.offset
        let ends = "\(whole) ends within its index"
        guard try input.require(SETTLE_LOG_FOOTER_HEADER_BYTES) else { throw fault(ends, .truncated) }
        var chunks: UInt32 = 0
        var events: UInt64 = 0
        _ = settle_log_read_footer_header(input.bytes, &chunks, &events)
        guard UInt64(chunks) <= start / UInt64(SETTLE_LOG_CHUNK_HEADER_BYTES) else {
            throw fault("the index names more chunks than there were")
        }
        var left = Int(chunks) * SETTLE_LOG_FOOTER_ENTRY_BYTES
        let length = SETTLE_LOG_FOOTER_HEADER_BYTES + left + SETTLE_LOG_FOOTER_TAIL_BYTES
        var crcHere = settle_crc32c(0, input.bytes, SETTLE_LOG_FOOTER_HEADER_BYTES)
        var entriesCRC: UInt32 = 0
        input.consume(SETTLE_LOG_FOOTER_HEADER_BYTES)
        while left > 0 {
            guard try input.require(1) else { throw fault(ends, .truncated) }
            let piece = min(left, input.available.count)
            crcHere = settle_crc32c(crcHere, input.bytes, piece)
            entriesCRC = settle_crc32c(entriesCRC, input.bytes, piece)
            input.consume(piece)
            left -= piece
        }
        guard try input.require(SETTLE_LOG_FOOTER_TAIL_BYTES) else { throw fault(ends, .truncated) }
        var crc: UInt32 = 0
        var saidLength: UInt32 = 0
        guard settle_log_read_footer_tail(input.bytes, &crc, &saidLength) == SETTLE_LOG_OK.rawValue,
            crc == crcHere, Int(saidLength) == length
        else { throw fault("the index at the end is damaged; the events before it were taken") }
        pending = SETTLE_LOG_FOOTER_TAIL_BYTES
        followsIndex = true
        return .streamIndex(StreamIndex(chunks: Int(chunks), events: events, entriesCRC: entriesCRC, offset: start))
    }

    private func index() throws(LogError) -> Frame {
        let fixed = SETTLE_LOG_FOOTER_HEADER_BYTES
        let tail = SETTLE_LOG_FOOTER_TAIL_BYTES
        let ends = followsIndex ? "something follows the index" : "\(whole) ends within its index"
        guard try input.require(fixed + tail) else { return try damage(ends, part: .index, isTorn: !followsIndex) }
        var chunks: UInt32 = 0
        var events: UInt64 = 0
        _ = settle_log_read_footer_header(input.bytes, &chunks, &events)
        // A damaged count must not make us wait for gigabytes: every chunk had a header. Of
        // a short log most chunks may be missing.
        guard UInt64(chunks) <= max(Self.chunksBelieved, input.offset / UInt64(SETTLE_LOG_CHUNK_HEADER_BYTES)) else {
            return try damage("the index names more chunks than there were", part: .index)
        }
        let length = fixed + Int(chunks) * SETTLE_LOG_FOOTER_ENTRY_BYTES
        guard try input.require(length + tail) else { return try damage(ends, part: .index, isTorn: !followsIndex) }
        var crc: UInt32 = 0
        var saidLength: UInt32 = 0
        guard settle_log_read_footer_tail(input.bytes + length, &crc, &saidLength) == SETTLE_LOG_OK.rawValue,
            Int(saidLength) == length + tail,
            settle_log_has_checksum(input.bytes, length, input.offset + UInt64(length), crc, &vain)
        else {
            return try damage("the index at the end is damaged; the events before it are whole", part: .index)
        }
        if followsIndex { return somethingFollows("another index follows the index") }
        let entries = (0..<Int(chunks)).map { number in
            var entry = settle_log_index_entry()
            settle_log_read_footer_entry(input.bytes + fixed + number * SETTLE_LOG_FOOTER_ENTRY_BYTES, &entry)
            return entry
        }
        pending = length + tail
        followsIndex = true
        return .index(LogIndex(entries: entries, events: events, offset: input.offset))
    }

    // MARK: Damage

    /// The fault that a frame follows an index. The next call returns that frame.
    private func somethingFollows(_ problem: String) -> Frame {
        followsIndex = false
        let loss = LogLoss(part: .index, bytes: input.offset..<input.offset, problem: problem, isTorn: false)
        return .damage(loss, claimed: nil)
    }

    private func damage(
        _ problem: String, _ chunk: settle_log_chunk? = nil, part: LogLoss.Part = .chunks, isTorn: Bool = false
    ) throws(LogError) -> Frame {
        if isStream { throw fault(problem, isTorn ? .truncated : .malformed) }
        let start = input.offset
        let found = try skipToFrame(beyond: 1)
        followsIndex = false
        var loss = LogLoss(
            part: found == .indexEnd ? .index : part, bytes: start..<input.offset, problem: problem,
            isTorn: isTorn && found == .end && !endsWithIndexTail)
        let claimed = chunk.map { settle_log_index_entry($0, at: start) }
        // Bytes that were skipped behind the chunk's own end may have been other chunks.
        if let chunk, let claimed, input.offset < claimed.end + UInt64(SETTLE_LOG_CHUNK_HEADER_BYTES) {
            loss.events = Int(chunk.events)
            loss.times = chunk.times
        }
        return .damage(loss, claimed: claimed)
    }

    private enum Found {
        case frame
        /// The input's end. By its last bytes, everything that was skipped is an index.
        case indexEnd
        case end
    }

    /// Skips at least `count` bytes, to a position that looks like a chunk or an index.
    private func skipToFrame(beyond count: Int) throws(LogError) -> Found {
        let start = input.offset
        input.consume(min(count, input.available.count))
        let tail = SETTLE_LOG_FOOTER_TAIL_BYTES
        repeat {
            let position = settle_log_find_frame(input.available.baseAddress, input.available.count)
            if position < input.available.count {
                input.consume(position)
                return .frame
            }
            // The last bytes may begin a magic number, or be the end of an index.
            input.consume(max(input.available.count - tail, 0))
        } while try input.more()
        var crc: UInt32 = 0
        var length: UInt32 = 0
        endsWithIndexTail =
            input.available.count == tail
            && settle_log_read_footer_tail(input.bytes, &crc, &length) == SETTLE_LOG_OK.rawValue
        input.consume(input.available.count)
        return endsWithIndexTail && UInt64(length) == input.offset - start ? .indexEnd : .end
    }
}

extension ByteInput {
    fileprivate var bytes: UnsafePointer<UInt8> {
        // Asked for only where `fill` has found bytes.
        available.baseAddress!.assumingMemoryBound(to: UInt8.self)
    }

    fileprivate func starts(with magic: [UInt8]) -> Bool {
        available.count >= magic.count && magic.indices.allSatisfy { available[$0] == magic[$0] }
    }

    fileprivate func littleEndian(at offset: Int) -> UInt32 {
        UInt32(littleEndian: available.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
