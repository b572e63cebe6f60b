internal import CSettle
internal import Settle

/// Walks a binary log's frames: chunks whose checksums hold, the index, and what is
/// damaged between them. It decodes no event.
final class BinaryFrames {
    enum Frame {
        /// The body is valid until the next call.
        case chunk(settle_log_chunk, body: UnsafePointer<UInt8>, at: UInt64)
        case index(LogIndex)
        /// A live stream's index, which is verified but not kept.
        case streamIndex(StreamIndex)
        /// - Parameter claimed: What the damaged chunk says of itself, if its header is whole.
        case damage(LogLoss, claimed: settle_log_index_entry?)
        case end
    }

    let input: ByteInput
    /// What the last call returned and the next one passes over.
    private var pending = 0
    private var followsIndex = false
    private let isStream: Bool
    /// Where the next frame begins.
    var position: UInt64 { input.offset + UInt64(pending) }

    static let fileMagic: [UInt8] = [0x89, 0x53, 0x54, 0x4C, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let chunkMagic: [UInt8] = Array("CHNK".utf8)
    private static let indexMagic: [UInt8] = Array("INDX".utf8)
    /// An index of so many chunks is read whatever stands before it: 8 KiB.
    private static let chunksBelieved: UInt64 = 256

    /// - Parameter isStream: For a live stream: a fault is thrown as soon as it is seen,
    ///   since whoever wrote it may neither write on nor go away, and the bounds are
    ///   `StreamLimits`.
    init(_ input: ByteInput, isStream: Bool = false) {
        self.input = input
        self.isStream = isStream
    }

    // MARK: The file's header

    func readHeader() throws(LogError) -> LogHeader {
        let fixed = SETTLE_LOG_FILE_HEADER_BYTES
        if isStream, try input.require(Self.fileMagic.count), !beginsLikeALog {
            throw fault("this is no binary event log: the magic number is another one")
        }
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
        guard hasChecksum(behind: fixed + metadata) else { throw fault("the file header's checksum differs") }
        let line = UnsafeRawBufferPointer(rebasing: input.available[fixed..<fixed + metadata])
        let header: LogHeader
        do throws(LogError) {
            header = try JSONLinesReader(ByteInput(bytes: Array(line), name: input.name)).header
        } catch {
            // Its checksum holds, so nothing was cut off.
            throw LogError(.malformed, file: input.name, at: .byte(UInt64(fixed)), error.problem)
        }
        pending = fixed + metadata + 4
        return header
    }

    /// Whether what is there of a header that was not read begins as one.
    var beginsLikeALog: Bool {
        zip(input.available, Self.fileMagic).allSatisfy { $0 == $1 }
    }

    /// Passes over a header that could not be read, to the first frame. A header whose
    /// checksum holds was meant as it is: what a newer version wrote is not damaged.
    func passHeader(_ error: LogError) throws(LogError) -> LogLoss {
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
        let found = try pass()
        return LogLoss(part: .header, bytes: start..<input.offset, problem: error.problem, isTorn: found == .end)
    }

    private func hasChecksum(behind length: Int) -> Bool {
        settle_crc32c(0, input.available.baseAddress, length) == input.littleEndian(at: length)
    }

    private func fault(_ problem: String, _ kind: LogError.Kind = .malformed) -> LogError {
        LogError(kind, file: input.name, at: .byte(input.offset), problem)
    }

    // MARK: Chunks and index

    /// The next frame. Only a failure to read is thrown, and a live stream's fault.
    func next() throws(LogError) -> Frame {
        input.consume(pending)
        pending = 0
        guard try input.require(SETTLE_LOG_CHUNK_MAGIC_BYTES) else {
            if input.available.isEmpty { return .end }
            let isIndex = Self.indexMagic.starts(with: input.available)
            return try damage(
                "the file ends within \(isIndex ? "its index" : "a chunk")", part: isIndex ? .index : .chunks,
                isTorn: true)
        }
        if input.starts(with: Self.indexMagic) { return isStream ? try streamIndex() : try index() }
        return try chunk()
    }

    private func chunk() throws(LogError) -> Frame {
        let fixed = SETTLE_LOG_CHUNK_HEADER_BYTES
        if isStream, !input.starts(with: Self.chunkMagic) {
            throw fault(followsIndex ? "something follows the index" : "no chunk begins here")
        }
        guard try input.require(fixed) else {
            return try damage("the file ends within a chunk, whose events are lost", isTorn: true)
        }
        var chunk = settle_log_chunk()
        switch settle_log_read_chunk_header(input.bytes, &chunk) {
        case SETTLE_LOG_OK.rawValue: break
        case SETTLE_LOG_NOT_A_LOG.rawValue:
            return try damage(followsIndex ? "something follows the index" : "no chunk begins here")
        case SETTLE_LOG_CHECKSUM.rawValue: return try damage("a chunk header's checksum differs")
        default: return try damage("a chunk header is out of range")
        }
        if followsIndex { return somethingFollows("a chunk follows the index") }
        let length = fixed + Int(chunk.body_bytes)
        if isStream { try holdToLimits(chunk, length) }
        guard try input.require(length) else {
            return try damage("the file ends within a chunk, whose events are lost", chunk, isTorn: true)
        }
        let body = input.bytes + fixed
        guard settle_crc32c(0, body, Int(chunk.body_bytes)) == chunk.body_crc else {
            return try damage("a chunk's checksum differs; its \(chunk.events) events are lost", chunk)
        }
        pending = length
        return .chunk(chunk, body: body, at: input.offset)
    }

    private func holdToLimits(_ chunk: settle_log_chunk, _ length: Int) throws(LogError) {
        if length > StreamLimits.chunkBytes || chunk.events > StreamLimits.chunkEvents {
            throw fault(
                "a chunk of \(length) bytes and \(chunk.events) events: a live stream's has at most \(StreamLimits.chunkBytes) and \(StreamLimits.chunkEvents)"
            )
        }
    }

    /// Passes over an index piece by piece, as its length grows with the stream's.
    private func streamIndex() throws(LogError) -> Frame {
        let start = input.offset
        let ends = "the stream ends within its index"
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
        let ends = "the file ends within its index"
        guard try input.require(fixed + tail) else { return try damage(ends, part: .index, isTorn: true) }
        var chunks: UInt32 = 0
        var events: UInt64 = 0
        _ = settle_log_read_footer_header(input.bytes, &chunks, &events)
        // A damaged count must not make us wait for gigabytes: every chunk had a header. Of
        // a short log most chunks may be missing.
        guard UInt64(chunks) <= max(Self.chunksBelieved, input.offset / UInt64(SETTLE_LOG_CHUNK_HEADER_BYTES)) else {
            return try damage("the index names more chunks than there were", part: .index)
        }
        let length = fixed + Int(chunks) * SETTLE_LOG_FOOTER_ENTRY_BYTES
        guard try input.require(length + tail) else { return try damage(ends, part: .index, isTorn: true) }
        var crc: UInt32 = 0
        var saidLength: UInt32 = 0
        let crcHere = settle_crc32c(0, input.bytes, length)
        guard settle_log_read_footer_tail(input.bytes + length, &crc, &saidLength) == SETTLE_LOG_OK.rawValue,
            crc == crcHere, Int(saidLength) == length + tail
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

    /// A fault before a whole frame, which the next call returns.
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
        let found = try pass()
        followsIndex = false
        var loss = LogLoss(
            part: found == .indexEnd ? .index : part, bytes: start..<input.offset, problem: problem,
            isTorn: isTorn && found != .frame)
        let claimed = chunk.map { settle_log_index_entry($0, at: start) }
        // What was passed behind the chunk's own end may have been other chunks.
        if let chunk, let claimed, input.offset < claimed.end + UInt64(SETTLE_LOG_CHUNK_HEADER_BYTES) {
            loss.events = Int(chunk.events)
            loss.times = chunk.times
        }
        return .damage(loss, claimed: claimed)
    }

    private enum Found {
        case frame
        /// The input's end, and all that was passed is an index, to go by its end.
        case indexEnd
        case end
    }

    /// Goes to the next place that looks like a chunk or an index.
    private func pass() throws(LogError) -> Found {
        let start = input.offset
        input.consume(min(1, input.available.count))
        let tail = SETTLE_LOG_FOOTER_TAIL_BYTES
        repeat {
            if let place = Self.frame(in: input.available) {
                input.consume(place)
                return .frame
            }
            // The last bytes may begin a magic number, or be the end of an index.
            input.consume(max(input.available.count - tail, 0))
        } while try input.more()
        var crc: UInt32 = 0
        var length: UInt32 = 0
        let hasTail =
            input.available.count == tail
            && settle_log_read_footer_tail(input.bytes, &crc, &length) == SETTLE_LOG_OK.rawValue
        input.consume(input.available.count)
        return hasTail && UInt64(length) == input.offset - start ? .indexEnd : .end
    }

    private static func frame(in bytes: UnsafeRawBufferPointer) -> Int? {
        let last = bytes.count - chunkMagic.count
        var place = 0
        while place <= last {
            if bytes[place] == chunkMagic[0] || bytes[place] == indexMagic[0] {
                let start = UnsafeRawBufferPointer(rebasing: bytes[place..<place + chunkMagic.count])
                if start.elementsEqual(chunkMagic) || start.elementsEqual(indexMagic) { return place }
            }
            place += 1
        }
        return nil
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
