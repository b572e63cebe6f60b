internal import CSettle
internal import Settle

/// What the index at a binary log's end says of the chunks before it.
struct LogIndex {
    var entries: [settle_log_index_entry]
    /// The number of events in all.
    var events: UInt64
    /// Where in the file it stands.
    var offset: UInt64
}

/// The same of a live stream's index, of which only a checksum is kept.
struct StreamIndex {
    var chunks: Int
    var events: UInt64
    var entriesCRC: UInt32
    /// Where in the stream it stands.
    var offset: UInt64
}

/// The chunks of a log up to its index, to be compared with that.
struct ChunkList {
    struct Chunk {
        var entry: settle_log_index_entry
        /// Otherwise only its header is.
        var isWhole: Bool
    }

    /// Empty when chunks are only counted.
    private(set) var chunks: [Chunk] = []
    private(set) var count = 0
    private var events: UInt64 = 0
    /// Of the entries that an index should have.
    private var crc: UInt32 = 0
    private let keepsChunks: Bool

    /// - Parameter keepsChunks: Without it the memory is bounded, and a comparison only
    ///   says whether all is as the index says.
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

    /// Whether an index says exactly this.
    func agrees(with index: LogIndex) -> Bool {
        guard count == index.entries.count, events == index.events,
            index.entries.last.map({ $0.end == index.offset }) ?? true
        else { return false }
        return zip(chunks, index.entries).allSatisfy { $0.entry.isSame(as: $1) }
    }

    /// In which words a stream's index contradicts chunks that were only counted.
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

/// What an index says of a chunk, other than its place.
private struct Shape: Hashable {
    let first: UInt64
    let last: UInt64
    let events: UInt32
    let bytes: UInt32

    init(_ entry: settle_log_index_entry) {
        (first, last, events, bytes) = (entry.first_ns, entry.last_ns, entry.events, entry.bytes)
    }
}

/// What differs between an index and the chunks before it. Chunks of equal length,
/// number of events and times are the same to an index.
struct IndexComparison {
    private let index: LogIndex
    private let chunks: [ChunkList.Chunk]
    /// Of each chunk, its number in the index.
    private var numbers: [Int?]
    /// Of each entry of the index, the chunk that it is about.
    private var found: [Int?]

    init(_ index: LogIndex, _ chunks: [ChunkList.Chunk]) {
        self.index = index
        self.chunks = chunks
        numbers = Array(repeating: nil, count: chunks.count)
        found = Array(repeating: nil, count: index.entries.count)
        match()
    }

    /// Chunks at their places first; the others in their order.
    private mutating func match() {
        let places = Dictionary(index.entries.indices.map { (index.entries[$0].offset, $0) }) { first, _ in first }
        for chunk in chunks.indices {
            guard let number = places[chunks[chunk].entry.offset], found[number] == nil,
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

    /// Entries whose chunks cannot be read: missing or damaged.
    var unread: [(number: Int, entry: settle_log_index_entry)] {
        index.entries.indices.lazy.filter { found[$0].map { !chunks[$0].isWhole } ?? true }
            .map { ($0, index.entries[$0]) }
    }

    /// What is missing, in the order of the file.
    ///
    /// - Parameters:
    ///   - damaged: Entries whose chunks stood in what was passed over.
    ///   - start: Where the first chunk stands, or should stand.
    func missing(except damaged: Set<Int>, from start: UInt64) -> [LogLoss] {
        var losses: [LogLoss] = []
        var place = start
        for number in index.entries.indices {
            if let chunk = found[number] {
                place = chunks[chunk].entry.end
            } else if !damaged.contains(number) {
                losses.append(Self.loss(index.entries[number], at: place))
            }
        }
        return losses
    }

    private static func loss(_ entry: settle_log_index_entry, at place: UInt64) -> LogLoss {
        LogLoss(
            part: .chunks, bytes: place..<place, problem: "a chunk that the index lists is missing", isTorn: false,
            events: Int(entry.events), times: entry.times)
    }

    /// In which words the index contradicts the chunks; `nil` when it does not.
    ///
    /// - Parameter isMoved: Something before has been found to be longer or shorter than
    ///   it was, so that chunks need not stand at their places.
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
        return isShifted || endsElsewhere ? ["chunks at other places"] : []
    }

    private static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
