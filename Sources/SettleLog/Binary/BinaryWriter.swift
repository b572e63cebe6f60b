internal import CSettle
internal import Settle

/// Writes the binary encoding of `docs/reference/log-format.md`.
public final class BinaryWriter: LogWriting {
    /// The most events of a chunk, about a second of a fast mouse. A torn end of the file
    /// loses at most this many. Smaller chunks make larger files; this size costs one percent.
    public static let eventsPerChunk = 1 << 10

    private let output: ByteOutput
    private let chunkCapacity: Int
    private let events: UnsafeMutablePointer<settle_log_event>
    private let encoded: UnsafeMutablePointer<UInt8>
    private var count = 0
    private var firstTime = UInt64.max
    private var lastTime: UInt64 = 0
    private var dictionary: [UInt8] = []
    /// Each scene's number in the current chunk, plus one; 0 if the chunk does not name it.
    private var chunkNumbers: [UInt32] = []
    private var chunkScenes: [Int] = []
    private var sizes: [settle_log_size] = []
    private var index: [settle_log_index_entry] = []
    private var total: UInt64 = 0

    /// Writes the header.
    ///
    /// - Throws: `.malformed` for a header of more than 65,536 bytes; `.io` when writing fails.
    public convenience init(_ output: ByteOutput, header: LogHeader) throws(LogError) {
        try self.init(output, header: header, eventsPerChunk: Self.eventsPerChunk)
    }

    convenience init(_ output: ByteOutput, header: LogHeader, eventsPerChunk: Int) throws(LogError) {
        self.init(output, continuing: [], eventsPerChunk: eventsPerChunk)
        let metadata = Array(header.line.utf8)
        guard metadata.count <= SETTLE_LOG_METADATA_MAX else {
            throw LogError(.malformed, file: output.name, "the header is longer than \(SETTLE_LOG_METADATA_MAX) bytes")
        }
        var bytes = [UInt8](repeating: 0, count: SETTLE_LOG_FILE_HEADER_BYTES)
        settle_log_write_file_header(&bytes, UInt32(metadata.count))
        bytes += metadata
        bytes += withUnsafeBytes(of: settle_crc32c(0, bytes, bytes.count).littleEndian, Array.init)
        try output.write(bytes)
    }

    /// Appends to a log. `output` is at the end of its last chunk, and `index` lists its chunks.
    init(
        _ output: ByteOutput, continuing index: [settle_log_index_entry],
        eventsPerChunk: Int = BinaryWriter.eventsPerChunk
    ) {
        precondition((1...SETTLE_LOG_EVENTS_MAX).contains(eventsPerChunk))
        self.output = output
        self.index = index
        total = index.reduce(0) { $0 + UInt64($1.events) }
        chunkCapacity = eventsPerChunk
        events = .allocate(capacity: eventsPerChunk)
        encoded = .allocate(capacity: eventsPerChunk * SETTLE_LOG_EVENT_BYTES_MAX)
    }

    deinit {
        events.deallocate()
        encoded.deallocate()
    }

    /// Appends events.
    ///
    /// - Throws: `.malformed` for a time after 2^63 − 1 ns; `.io` when writing fails.
    public func write(_ batch: EventBatch, scenes: SceneNames) throws(LogError) {
        for index in 0..<batch.count {
            let event = batch[index]
            guard event.at <= .latest else {
                throw LogError(
                    .malformed, file: output.name,
                    "the time \(event.at.nanoseconds) ns is out of range; a log's times are at most 2^63 − 1 ns")
            }
            append(event, number: event.kind == .pointer ? event.button : chunkNumber(of: event.name, scenes))
            if count == chunkCapacity { try writeChunk() }
        }
    }

    /// Writes all events with system calls, the last ones in a chunk that may be small.
    ///
    /// - Throws: `.io` when writing fails.
    public func flush() throws(LogError) {
        if count > 0 { try writeChunk() }
        try output.flush()
    }

    /// Writes the index and completes the output. A file gets its name now.
    ///
    /// - Throws: `.io` when writing fails.
    public func finish() throws(LogError) {
        try writeEnd(withIndex: true)
        try output.finish()
    }

    /// Removes the numbers, so that they can stand for other names from the next event on.
    func forget(_ scenes: some Sequence<SceneNumber>) {
        // The current chunk's dictionary keeps the old name.
        for scene in scenes where Int(scene.rawValue) < chunkNumbers.count { chunkNumbers[Int(scene.rawValue)] = 0 }
    }

    /// Completes the log, but leaves the file open.
    ///
    /// - Parameter withIndex: Whether to write an index, which states that no chunk is missing.
    /// - Throws: `.io` when writing fails.
    func writeEnd(withIndex: Bool) throws(LogError) {
        if count > 0 { try writeChunk() }
        if withIndex { try writeFooter() }
        try output.flush()
    }

    /// The number of events that were passed to `write`.
    var received: UInt64 { total + UInt64(count) }
    /// The number of those that are in complete chunks.
    var inChunks: UInt64 { total }

    /// The number of events and the end of the chunks that are complete within the first
    /// `bytes` bytes of the file.
    func whole(in bytes: UInt64) -> (events: UInt64, end: UInt64?) {
        let whole = index.prefix { $0.end <= bytes }
        return (whole.reduce(0) { $0 + UInt64($1.events) }, whole.last?.end)
    }

    private func append(_ event: LogEvent, number: UInt32) {
        events[count] = event.raw
        events[count].name = number
        count += 1
        firstTime = min(firstTime, event.at.nanoseconds)
        lastTime = max(lastTime, event.at.nanoseconds)
    }

    private func chunkNumber(of scene: SceneNumber, _ scenes: SceneNames) -> UInt32 {
        let number = Int(scene.rawValue)
        if number >= chunkNumbers.count {
            chunkNumbers.append(contentsOf: repeatElement(0, count: max(scenes.count, number + 1) - chunkNumbers.count))
        }
        if chunkNumbers[number] == 0 {
            chunkScenes.append(number)
            chunkNumbers[number] = UInt32(chunkScenes.count)
            scenes.withUTF8(of: number) { name in
                dictionary.append(UInt8(truncatingIfNeeded: name.count))
                dictionary.append(UInt8(truncatingIfNeeded: name.count >> 8))
                dictionary.append(contentsOf: name)
            }
        }
        return chunkNumbers[number] - 1
    }

    private func writeChunk() throws(LogError) {
        var chunk = settle_log_chunk()
        chunk.first_ns = firstTime
        chunk.last_ns = lastTime
        chunk.events = UInt32(count)
        chunk.scenes = UInt32(chunkScenes.count)
        chunk.dictionary_bytes = UInt32(dictionary.count)
        if sizes.count < chunkScenes.count {
            sizes = Array(repeating: settle_log_size(), count: max(chunkScenes.count, 2 * sizes.count))
        }
        let length = settle_log_encode(&chunk, events, &sizes, encoded)
        chunk.body_bytes = UInt32(dictionary.count + length)
        chunk.body_crc = settle_crc32c(settle_crc32c(0, dictionary, dictionary.count), encoded, length)

        var header = [UInt8](repeating: 0, count: SETTLE_LOG_CHUNK_HEADER_BYTES)
        settle_log_write_chunk_header(&header, &chunk)
        index.append(settle_log_index_entry(chunk, at: output.count))
        try output.write(header)
        try output.write(dictionary)
        try output.write(UnsafeRawBufferPointer(start: encoded, count: length))
        startChunk()
    }

    private func startChunk() {
        total += UInt64(count)
        count = 0
        firstTime = .max
        lastTime = 0
        for scene in chunkScenes { chunkNumbers[scene] = 0 }
        chunkScenes.removeAll(keepingCapacity: true)
        dictionary.removeAll(keepingCapacity: true)
    }

    private func writeFooter() throws(LogError) {
        let fixed = SETTLE_LOG_FOOTER_HEADER_BYTES + SETTLE_LOG_FOOTER_TAIL_BYTES
        var bytes = [UInt8](repeating: 0, count: fixed + index.count * SETTLE_LOG_FOOTER_ENTRY_BYTES)
        settle_log_write_footer(&bytes, index, UInt32(index.count), total)
        try output.write(bytes)
    }
}
