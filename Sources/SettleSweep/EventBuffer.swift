internal import CSettle
internal import Settle
internal import SettleLog
internal import SettlePlatform

/// A log's events in memory, in the C codec's form.
///
/// Memory is asked for by `realloc` and `posix_memalign`, which return an error where Swift's own
/// allocation would stop the program: a log may be larger than the memory.
struct EventBuffer: ~Copyable {
    private(set) var events: UnsafeMutablePointer<settle_event>?
    private(set) var count = 0
    private var capacity = 0

    deinit { free(events) }

    /// Appends events; false if there is no memory for them.
    mutating func append(_ new: UnsafeMutableBufferPointer<settle_event>) -> Bool {
        if count + new.count > capacity {
            let wanted = max(count + new.count, capacity + capacity / 2)
            let size = MemoryLayout<settle_event>.stride * wanted
            guard let grown = realloc(events, size) else { return false }
            events = grown.assumingMemoryBound(to: settle_event.self)
            capacity = wanted
        }
        if let events, let first = new.baseAddress { (events + count).initialize(from: first, count: new.count) }
        count += new.count
        return true
    }
}

/// Memory that begins at a cache line; `nil` for none. For one owner, who frees it.
func allocateLines(byteCount: Int) -> UnsafeMutableRawPointer? {
    var memory: UnsafeMutableRawPointer?
    return posix_memalign(&memory, 64, max(byteCount, 64)) == 0 ? memory : nil
}

/// Frees what `allocateLines` returned.
func freeLines(_ memory: UnsafeMutableRawPointer?) { free(memory) }
