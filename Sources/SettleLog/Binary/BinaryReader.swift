internal import CSettle
internal import Settle

/// Reads the binary encoding. Returns every intact chunk, also of a log without an index or
/// with a torn end. After a damaged chunk it continues with the next intact one.
final class BinaryReader: FormatReader {
    private(set) var header = LogHeader()
    let scenes: SceneNames
    private(set) var notes: [String] = []
    private let frames: BinaryFrames
    /// The numbers in `scenes` of the current chunk's dictionary, and its decoder's memory.
    private var numbers: [UInt32] = []
    private var sizes: [settle_log_size] = []
    /// Whether an index was reached, intact or not, or the log is torn.
    private var sawEnd = false
    /// The parts that could not be read so far.
    private(set) var losses = LogLosses()
    /// The last intact index read so far.
    private(set) var index: LogIndex?
    /// The chunks since the last index. They begin at `start`.
    private var chunks: ChunkList
    private let isStream: Bool
    /// Whether a live stream's index was read and matches its chunks.
    private var isListed = false
    private var start: UInt64
    /// The contradictions between indices and the chunks before them.
    private(set) var contradictions: [LogError] = []
    /// Whether chunks may follow, or be missing, that no index lists: also before the log's end.
    private(set) var lacksEnd = true

    /// Reads the header.
    ///
    /// - Parameters:
    ///   - salvaging: Whether to skip a damaged file header, as a loss, and to begin at the
    ///     first chunk.
    ///   - isStream: Whether the input is a live stream. Then memory is bounded for any number
    ///     of chunks, and the error for a wrong index does not say which chunk differs.
    /// - Throws: `.newerVersion`; unless `salvaging`, any other fault of the header; `.io` when
    ///   reading fails.
    init(_ input: ByteInput, salvaging: Bool = false, isStream: Bool = false) throws(LogError) {
        frames = BinaryFrames(input, isStream: isStream)
        scenes = SceneNames(isStream: isStream)
        chunks = ChunkList(keepsChunks: !isStream)
        self.isStream = isStream
        start = 0
        do throws(LogError) {
            header = try frames.readHeader()
        } catch {
            if case .io = error.kind { throw error }
            guard salvaging else { throw error }
            losses.add(try frames.skipHeader(error))
        }
        start = frames.position
    }

    func read(into batch: EventBatch) throws(LogError) -> Bool {
        // A batch has space for one chunk; a second one may not fit.
        guard batch.count == 0 else { return true }
        while true {
            switch try frames.next() {
            case .chunk(let chunk, let body, let offset):
                chunks.add(settle_log_index_entry(chunk, at: offset))
                try decode(chunk, body, at: offset, into: batch)
                return true
            case .index(let index):
                sawEnd = true
                try compare(index)
            case .streamIndex(let index):
                sawEnd = true
                try compare(index)
            case .damage(let loss, let claimed):
                if loss.isTorn || loss.part == .index { sawEnd = true }
                if let claimed { chunks.add(claimed, isWhole: false) }
                losses.add(loss, claimedEnd: claimed?.end)
                throw loss.error(frames.input.name)
            case .end:
                lacksEnd = isStream ? !isListed : index == nil || chunks.count > 0
                if !sawEnd {
                    notes.append(
                        "The log has no index at its end: its writer did not finish, or appended to an unfinished"
                            + " log. Every whole chunk was read; whether others are missing is unknown.")
                }
                return false
            }
        }
    }

    /// Compares an index with the chunks since the previous one.
    private func compare(_ index: LogIndex) throws(LogError) {
        defer {
            self.index = index
            chunks = ChunkList(keepsChunks: true)
            start = frames.position
        }
        // An index behind an index is reported already, and is about the same chunks.
        if chunks.agrees(with: index) || self.index != nil && chunks.count == 0 { return }
        guard let problem = contradiction(of: index) else { return }
        let error = LogError(
            .malformed, file: frames.input.name, at: .byte(index.offset),
            "the index contradicts what stands before it: \(problem)")
        contradictions.append(error)
        throw error
    }

    private func compare(_ index: StreamIndex) throws(LogError) {
        if let problem = chunks.contradiction(of: index) {
            throw LogError(
                .malformed, file: frames.input.name, at: .byte(index.offset),
                "the index contradicts what stands before it: \(problem)")
        }
        isListed = true
    }

    private func contradiction(of index: LogIndex) -> String? {
        let comparison = IndexComparison(index, chunks.chunks)
        let damaged = losses.complete(by: comparison.unread, from: start)
        let missing = comparison.missing(except: damaged, from: start)
        let isMoved =
            self.index != nil || losses.contains(from: start) || losses.all.first?.part == .header
        losses.insert(missing, from: start)
        return comparison.contradiction(missing: missing, isMoved: isMoved)
    }

    private func decode(
        _ chunk: settle_log_chunk, _ body: UnsafePointer<UInt8>, at offset: UInt64, into batch: EventBatch
    ) throws(LogError) {
        if readDictionary(chunk, body), decodeEvents(chunk, body, at: .byte(offset), into: batch) { return }
        let problem =
            scenes.fullProblem ?? "a chunk's content is malformed behind event \(batch.count) of \(chunk.events)"
        losses.add(
            LogLoss(
                part: .chunks, bytes: settle_log_index_entry(chunk, at: offset).range, problem: problem, isTorn: false,
                events: Int(chunk.events) - batch.count, times: chunk.times))
        throw LogError(.malformed, file: frames.input.name, at: .byte(offset), problem)
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
            numbers.append(number.rawValue)
        }
        return offset == chunk.dictionary_bytes
    }

    private func decodeEvents(
        _ chunk: settle_log_chunk, _ body: UnsafePointer<UInt8>, at position: LogPosition, into batch: EventBatch
    ) -> Bool {
        if sizes.count < numbers.count {
            sizes = Array(repeating: settle_log_size(), count: max(numbers.count, 2 * sizes.count))
        }
        var chunk = chunk
        var result = SETTLE_LOG_OK.rawValue
        batch.append(at: position) { events in
            var decoded: UInt32 = 0
            result = settle_log_decode_as(&chunk, body, numbers, &sizes, events, &decoded)
            return Int(decoded)
        }
        return result == SETTLE_LOG_OK.rawValue
    }
}

extension LogFormat {
    /// The binary encoding of `docs/reference/log-format.md`.
    public static let settle = LogFormat(
        SETTLE_FORMAT_BINARY,
        makeReader: { input, isStream throws(LogError) in try BinaryReader(input, isStream: isStream) },
        makeWriter: { output, header throws(LogError) in try BinaryWriter(output, header: header) })
}
