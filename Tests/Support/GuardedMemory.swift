import SettlePlatform

/// Memory between two inaccessible pages. It ends directly before one, so a read or write
/// past its end crashes at once, unlike on the heap. So does one before its start if the
/// memory fills whole pages.
public final class GuardedMemory {
    public let start: UnsafeMutableRawPointer
    public let byteCount: Int
    private let mapping: UnsafeMutableRawPointer
    private let mappedBytes: Int

    /// Every byte is `filler`, so that reading uninitialized memory does not give zeros.
    public init(byteCount: Int, filler: UInt8 = 0xA5) {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let usable = (byteCount + page - 1) / page * page
        mappedBytes = page + usable + page
        mapping = mmap(nil, mappedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        precondition(mapping != MAP_FAILED, "there is no memory for \(byteCount) bytes")
        for guarded in [mapping, mapping + page + usable] {
            precondition(mprotect(guarded, page, PROT_NONE) == 0, "a page cannot be protected")
        }
        self.byteCount = byteCount
        start = mapping + page + usable - byteCount
        memset(mapping + page, Int32(filler), usable)
    }

    deinit { munmap(mapping, mappedBytes) }
}
