internal import CSettle
internal import Settle

/// The index at a binary log's end, which lists the chunks before it.
struct LogIndex {
    var entries: [settle_log_index_entry]
    /// The number of events in all.
    var events: UInt64
    /// The index's own offset in the file.
    var offset: UInt64
}

/// A live stream's index: of the list of chunks, only its length and a checksum.
struct StreamIndex {
    var chunks: Int
    var events: UInt64
    var entriesCRC: UInt32
    /// The index's own offset in the stream.
    var offset: UInt64
}

/// The chunks that were read up to an index, to compare with it.
struct ChunkList {
    struct Chunk {
        var entry: settle_log_index_entry
        /// Whether the whole chunk is intact, not only its header.
        var isWhole: Bool
    }

    /// Empty when chunks are only counted.
    private(set) var chunks: [Chunk] = []
    private(set) var count = 0
    private var events: UInt64 = 0
    /// The checksum of the entries that the index must have.
    private var crc: UInt32 = 0
    private let keepsChunks: Bool

    /// - Parameter keepsChunks: Whether the list is kept. If not, memory is bounded, and a
    ///   comparison only shows whether there is a difference, not where.
    init(keepsChunks: Bool) {
        self.keepsChunks = keepsChunks
    }

    mutating func add(_ entry: settle_log_index_entry, isWhole: Bool = true) {
        count += 1
        events += UInt64(entry.events)
        if keepsChunks {
            chunks.append(Chunk(entry: entry, isWhole: isWhole))
        } else {
            crc = Self.crc(crc, entry)
        }
    }

    private static func crc(_ crc: UInt32, _ entry: settle_log_index_entry) -> UInt32 {
        var entry = entry
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: SETTLE_LOG_FOOTER_ENTRY_BYTES) { bytes in
            settle_log_write_footer_entry(bytes.baseAddress, &entry)
            return settle_crc32c(crc, bytes.baseAddress, bytes.count)
        }
    }

    /// Whether an index lists exactly these chunks.
    func agrees(with index: LogIndex) -> Bool {
        guard count == index.entries.count, events == index.events,
            index.entries.last.map({ $0.end == index.offset }) ?? true
        else { return false }
        return zip(chunks, index.entries).allSatisfy { $0.entry.isSame(as: $1) }
    }

    /// The message if a stream's index contradicts these chunks; `nil` if it does not.
    func contradiction(of index: StreamIndex) -> String? {
        if (count, events, crc) == (index.chunks, index.events, index.entriesCRC) { return nil }
        return "it lists \(index.chunks) chunks with \(index.events) events, and not the \(count) with \(events)"
            + " that were read"
    }
}

extension settle_log_index_entry {
    fileprivate func isSame(as other: settle_log_index_entry) -> Bool {
        offset == other.offset && Shape(self) == Shape(other)
    }
}

/// An index entry without its offset.
private struct Shape: Hashable {
    let first: UInt64
    let last: UInt64
    let events: UInt32
    let bytes: UInt32

    init(_ entry: settle_log_index_entry) {
        (first, last, events, bytes) = (entry.first_ns, entry.last_ns, entry.events, entry.bytes)
    }
}

/// The differences between an index and the chunks before it. Chunks with the same length,
/// number of events and times are equal to an index.
struct IndexComparison {
    private let index: LogIndex
    private let chunks: [ChunkList.Chunk]
    /// The number in the index of each chunk, `nil` if the index does not list it.
    private var numbers: [Int?]
    /// The chunk of each entry of the index, `nil` if it was not found.
    private var found: [Int?]

    init(_ index: LogIndex, _ chunks: [ChunkList.Chunk]) {
        self.index = index
        self.chunks = chunks
        numbers = Array(repeating: nil, count: chunks.count)
        found = Array(repeating: nil, count: index.entries.count)
        match()
    }

    /// Matches chunks at their listed offsets first, then the others in their order.
    private mutating func match() {
        let numbersByOffset = Dictionary(index.entries.indices.map { (index.entries[$0].offset, $0) }) { first, _ in
            first
        }
        for chunk in chunks.indices {
            guard let number = numbersByOffset[chunks[chunk].entry.offset], found[number] == nil,
                index.entries[number].isSame(as: chunks[chunk].entry)
            else { continue }
            (numbers[chunk], found[number]) = (number, chunk)
        }
        var left: [Shape: [Int]] = [:]
        for number in index.entries.indices.reversed() where found[number] == nil {
            left[Shape(index.entries[number]), default: []].append(number)
        }
        for chunk in chunks.indices where numbers[chunk] == nil {
            guard let number = left[Shape(chunks[chunk].entry)]?.popLast() else { continue }
            (numbers[chunk], found[number]) = (number, chunk)
        }
    }

    /// The entries whose chunks are missing or damaged.
    var unread: [(number: Int, entry: settle_log_index_entry)] {
        index.entries.indices.lazy.filter { found[$0].map { !chunks[$0].isWhole } ?? true }
            .map { ($0, index.entries[$0]) }
    }

    /// The missing chunks, in the order of the file.
    ///
    /// - Parameters:
    ///   - damaged: The numbers of the entries whose chunks were in damaged parts.
    ///   - start: The offset of the first chunk.
    func missing(except damaged: Set<Int>, from start: UInt64) -> [LogLoss] {
        var losses: [LogLoss] = []
        var offset = start
        for number in index.entries.indices {
            if let chunk = found[number] {
                offset = chunks[chunk].entry.end
            } else if !damaged.contains(number) {
                losses.append(Self.loss(index.entries[number], at: offset))
            }
        }
        return losses
    }

    private static func loss(_ entry: settle_log_index_entry, at offset: UInt64) -> LogLoss {
        LogLoss(
            part: .chunks, bytes: offset..<offset, problem: "a chunk that the index lists is missing", isTorn: false,
            events: Int(entry.events), times: entry.times)
    }

    /// The message if the index contradicts the chunks; `nil` if it does not.
    ///
    /// - Parameter isMoved: Whether an earlier part of the file may have another length than
    ///   when it was written, so that the chunks' offsets may differ from the index.
    func contradiction(missing: [LogLoss], isMoved: Bool) -> String? {
        var parts: [String] = []
        if let first = missing.first {
            let events = missing.reduce(0) { $0 + ($1.events ?? 0) }
            parts.append(
                "\(Self.counted(missing.count, "chunk")) with \(Self.counted(events, "event"))"
                    + " missing, at byte \(first.bytes.lowerBound)\(missing.count > 1 ? " and behind it" : "")")
        }
        let unlisted = chunks.indices.filter { numbers[$0] == nil && chunks[$0].isWhole }.map { chunks[$0].entry }
        if let first = unlisted.first {
            let events = unlisted.reduce(0) { $0 + Int($1.events) }
            parts.append(
                "\(Self.counted(unlisted.count, "chunk")) with \(Self.counted(events, "event"))"
                    + " that it does not list, at byte \(first.offset)\(unlisted.count > 1 ? " and behind it" : "")")
        }
        if parts.isEmpty { parts += order(isMoved: isMoved) }
        let events = index.entries.reduce(0) { $0 + UInt64($1.events) }
        if events != index.events { parts.append("\(index.events) events in all, and \(events) in its list") }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    private func order(isMoved: Bool) -> [String] {
        let order = numbers.compactMap { $0 }
        if zip(order, order.dropFirst()).contains(where: { $0 > $1 }) { return ["chunks in another order"] }
        if isMoved { return [] }
        let isShifted = index.entries.indices.contains { number in
            found[number].map { chunks[$0].entry.offset != index.entries[number].offset } ?? false
        }
        let endsElsewhere = index.entries.last.map { $0.end != index.offset } ?? false
        return isShifted || endsElsewhere ? ["chunks at other offsets"] : []
    }

    private static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
