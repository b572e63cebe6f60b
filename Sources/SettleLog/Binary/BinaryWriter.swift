internal import CSettle
internal import Settle

/// Writes the binary encoding of `docs/log-format.md`.
public final class BinaryWriter: LogWriting {
    /// Events of a chunk: what a torn end of the file can cost at most, a second of a
    /// fast mouse. Smaller chunks make larger files: this costs one percent.
    public static let eventsPerChunk = 1 << 10

    private let output: ByteOutput
    private let chunkCapacity: Int
    private let events: UnsafeMutablePointer<settle_log_event>
    private let encoded: UnsafeMutablePointer<UInt8>
    private var count = 0
    private var firstTime = UInt64.max
    private var lastTime: UInt64 = 0
    private var dictionary: [UInt8] = []
    /// Each scene's number in the chunk at hand, plus one; 0 for none.
    private var chunkNumbers: [UInt32] = []
    private var chunkScenes: [Int] = []
    private var sizes: [settle_log_size] = []
    private var index: [settle_log_index_entry] = []
    private var total: UInt64 = 0

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

    /// Goes on behind a log's header and chunks, which `output` stands behind.
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

    public func write(_ batch: EventBatch, scenes: SceneNames) throws(LogError) {
        for index in 0..<batch.count {
            let event = batch[index]
            guard event.at <= .latest else { throw output.refuses("of a time behind 2^63 − 1 ns") }
            switch event.kind {
            case .geometry, .connect, .disconnect:
                append(event, scene: chunkNumber(of: event.scene, scenes))
            case .pointer:
                append(event, scene: event.button)
            case .flush, .cancel, .built, nil: throw output.refuses(event)
            }
            if count == chunkCapacity { try writeChunk() }
        }
    }

    /// Hands what was written to the system, in a chunk that may be a small one.
    public func flush() throws(LogError) {
        if count > 0 { try writeChunk() }
        try output.flush()
    }

    public func finish() throws(LogError) {
        try writeEnd(withIndex: true)
        try output.finish()
    }

    /// Takes scenes' numbers for new ones from now on, as they were removed from the names.
    func forget(_ scenes: some Sequence<SceneID>) {
        // The chunk at hand keeps the name it has of it.
        for scene in scenes where Int(scene.rawValue) < chunkNumbers.count { chunkNumbers[Int(scene.rawValue)] = 0 }
    }

    /// Completes the log, but leaves the file open.
    ///
    /// - Parameter withIndex: An index says that the chunks before it are all.
    func writeEnd(withIndex: Bool) throws(LogError) {
        if count > 0 { try writeChunk() }
        if withIndex { try writeFooter() }
        try output.flush()
    }

    /// Events that were handed in, and those among them that stand in whole chunks.
    var received: UInt64 { total + UInt64(count) }
    var inChunks: UInt64 { total }

    /// The events and the end of the chunks that are whole in the first `bytes` bytes.
    func whole(in bytes: UInt64) -> (events: UInt64, end: UInt64?) {
        let whole = index.prefix { $0.end <= bytes }
        return (whole.reduce(0) { $0 + UInt64($1.events) }, whole.last?.end)
    }

    private func append(_ event: Event, scene: UInt32) {
        var raw = settle_log_event()
        raw.at_ns = event.at.nanoseconds
        raw.width = event.size?.width ?? 0
        raw.height = event.size?.height ?? 0
        raw.name = scene
        raw.kind = event.kind?.rawValue ?? 0
        raw.flags = event.flagBits
        events[count] = raw
        count += 1
        firstTime = min(firstTime, event.at.nanoseconds)
        lastTime = max(lastTime, event.at.nanoseconds)
    }

    private func chunkNumber(of scene: SceneID, _ scenes: SceneNames) -> UInt32 {
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
        index.append(
            settle_log_index_entry(
                offset: output.count, first_ns: firstTime, last_ns: lastTime, events: chunk.events,
                bytes: UInt32(header.count) + chunk.body_bytes))
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
        var bytes = [UInt8](repeating: 0, count: SETTLE_LOG_FOOTER_HEADER_BYTES)
        settle_log_write_footer_header(&bytes, UInt32(index.count), total)
        var room = [UInt8](repeating: 0, count: SETTLE_LOG_FOOTER_ENTRY_BYTES)
        for var entry in index {
            settle_log_write_footer_entry(&room, &entry)
            bytes += room
        }
        var tail = [UInt8](repeating: 0, count: SETTLE_LOG_FOOTER_TAIL_BYTES)
        settle_log_write_footer_tail(&tail, settle_crc32c(0, bytes, bytes.count), UInt32(index.count))
        try output.write(bytes + tail)
    }
}
