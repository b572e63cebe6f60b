internal import CSettle
public import Settle

/// A part of a binary log that could not be read.
public struct LogLoss: Hashable, Sendable {
    /// The kinds of parts that a binary log has.
    public enum Part: Hashable, Sendable {
        /// The file's header, which has no events.
        case header
        /// Chunks, which have the events.
        case chunks
        /// The list of chunks at the end, which can be rebuilt from them.
        case index
    }

    public var part: Part
    /// The bytes of the file, counted from 0; empty for a chunk that an index lists and that
    /// is missing.
    public var bytes: Range<UInt64>
    /// What is wrong with it, as part of a sentence.
    public var problem: String
    /// The file ends within this part.
    public var isTorn: Bool
    /// The number of lost events, `nil` if unknown.
    public var events: Int?
    /// The earliest and latest of their times, `nil` if unknown.
    public var times: ClosedRange<Timestamp>?

    func error(_ file: String) -> LogError {
        let skipped = isTorn || bytes.isEmpty ? "" : "; \(bytes.count) bytes are skipped"
        return LogError(isTorn ? .truncated : .malformed, file: file, at: .byte(bytes.lowerBound), problem + skipped)
    }
}

/// Losses in the order of the file. Adjacent losses are merged.
struct LogLosses {
    private(set) var all: [LogLoss] = []
    /// The end of the chunk at the beginning of the last loss, by that chunk's header.
    private var claimedEnd: UInt64 = 0

    /// - Parameter claimedEnd: The end of the damaged chunk by its own header, `nil` if the
    ///   header is damaged too. Damage up to there adds no events: they are the chunk's own.
    mutating func add(_ loss: LogLoss, claimedEnd: UInt64? = nil) {
        guard var last = all.last, last.bytes.upperBound == loss.bytes.lowerBound, last.part != .header else {
            all.append(loss)
            self.claimedEnd = claimedEnd ?? loss.bytes.upperBound
            return
        }
        last.bytes = last.bytes.lowerBound..<loss.bytes.upperBound
        last.isTorn = loss.isTorn
        if loss.bytes.upperBound > self.claimedEnd, loss.part == .chunks {
            last.events = Self.sum(last, loss)
            last.times = Self.span(last.times, loss.times)
            self.claimedEnd = claimedEnd ?? loss.bytes.upperBound
        }
        if loss.part == .chunks { last.part = .chunks }
        all[all.count - 1] = last
    }

    private static func sum(_ a: LogLoss, _ b: LogLoss) -> Int? {
        let before = a.part == .chunks ? a.events : 0
        guard let before, let events = b.events else { return nil }
        return before + events
    }

    private static func span(_ a: ClosedRange<Timestamp>?, _ b: ClosedRange<Timestamp>?) -> ClosedRange<Timestamp>? {
        guard let a else { return b }
        guard let b else { return a }
        return min(a.lowerBound, b.lowerBound)...max(a.upperBound, b.upperBound)
    }

    /// Adds the number and the times of lost events that only an index knows.
    ///
    /// - Parameters:
    ///   - lost: The entries of the index whose chunks could not be read, with their numbers.
    ///   - start: The offset of the first chunk that the index is about.
    /// - Returns: The numbers of the entries whose chunks were in damaged parts.
    mutating func complete(
        by lost: [(number: Int, entry: settle_log_index_entry)], from start: UInt64
    ) -> Set<Int> {
        let lost = lost.sorted { $0.entry.offset < $1.entry.offset }
        var next = lost.startIndex
        var found: Set<Int> = []
        for number in firstIndex(from: start)..<all.endIndex
        where all[number].part == .chunks && all[number].events == nil {
            let bytes = all[number].bytes
            while next < lost.endIndex, lost[next].entry.range.upperBound <= bytes.lowerBound { next += 1 }
            let first = next
            while next < lost.endIndex, lost[next].entry.offset < bytes.upperBound { next += 1 }
            // Chunks behind an earlier index may be in no index.
            guard first < next else { continue }
            let here = lost[first..<next]
            all[number].events = here.reduce(0) { $0 + Int($1.entry.events) }
            all[number].times = here.reduce(nil) { Self.span($0, $1.entry.times) }
            found.formUnion(here.map(\.number))
        }
        return found
    }

    /// Adds missing chunks, none before `start`, without merging them with damaged parts.
    mutating func insert(_ missing: [LogLoss], from start: UInt64) {
        let first = firstIndex(from: start)
        all += missing
        all[first...].sort { $0.bytes.lowerBound < $1.bytes.lowerBound }
    }

    /// The index of the first loss that begins at `start` or behind: the work for an index of a log
    /// is in proportion to what is before it, not to the whole log.
    private func firstIndex(from start: UInt64) -> Int {
        var first = all.endIndex
        while first > 0, all[first - 1].bytes.lowerBound >= start { first -= 1 }
        return first
    }

    /// Whether anything is lost from `start` on.
    func contains(from start: UInt64) -> Bool { all.last.map { $0.bytes.lowerBound >= start } ?? false }
}

extension settle_log_index_entry {
    init(_ chunk: settle_log_chunk, at offset: UInt64) {
        self.init(
            offset: offset, first_ns: chunk.first_ns, last_ns: chunk.last_ns, events: chunk.events,
            bytes: UInt32(SETTLE_LOG_CHUNK_HEADER_BYTES) + chunk.body_bytes)
    }

    /// A damaged index may have any offset, so this wraps around instead of trapping.
    var end: UInt64 { offset &+ UInt64(bytes) }
    var range: Range<UInt64> { offset..<max(offset, end) }
}

extension settle_log_chunk {
    /// The chunk's smallest and largest time.
    var times: ClosedRange<Timestamp> { span(first_ns, last_ns) }
}

extension settle_log_index_entry {
    var times: ClosedRange<Timestamp> { span(first_ns, last_ns) }
}

private func span(_ first: UInt64, _ last: UInt64) -> ClosedRange<Timestamp> {
    Timestamp(nanoseconds: first)...Timestamp(nanoseconds: max(first, last))
}
