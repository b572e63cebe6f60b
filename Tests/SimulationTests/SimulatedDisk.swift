import SettlePlatform
import TestSupport

@testable import SettleLog

/// A faulty disk with one real file. Calls write fewer bytes, are interrupted or fail, and a
/// power failure may lose bytes that were not synced.
final class SimulatedDisk: @unchecked Sendable {
    private var random: SplitMix64
    private let faultPercent: Int
    /// The number of bytes that survive a power failure.
    private(set) var synced: UInt64 = 0
    /// The number of bytes that survive the end of the program.
    private(set) var written: UInt64 = 0
    private(set) var faults = 0
    private var isFull = false

    init(_ random: SplitMix64, faultPercent: Int) {
        self.random = random
        self.faultPercent = faultPercent
    }

    /// Frees space, and syncs all `length` bytes.
    func mend(length: UInt64) {
        isFull = false
        (written, synced) = (length, length)
    }

    var calls: FileCalls {
        FileCalls(
            write: { self.write($0, $1, $2) }, datasync: { self.sync($0) }, truncate: { self.truncate($0, $1) })
    }

    private func fail(_ code: Int32) -> Int32 {
        faults += 1
        errno = code
        return -1
    }

    private func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
        var count = count
        if isFull { return Int(fail(ENOSPC)) }
        if random.chance(faultPercent) {
            switch random.below(4) {
            case 0: return Int(fail(EINTR))
            case 1: return Int(fail(EIO))
            case 2: isFull = true
            default: break
            }
            faults += 1
            count = random.below(count) + (isFull ? 0 : 1)
            if count == 0 { return Int(fail(ENOSPC)) }
        }
        let result = SettlePlatform.write(descriptor, bytes, count)
        written += UInt64(max(result, 0))
        return result
    }

    private func sync(_ descriptor: Int32) -> Int32 {
        if random.chance(faultPercent) { return fail(random.pick([EINTR, EIO])) }
        synced = written
        return 0
    }

    private func truncate(_ descriptor: Int32, _ length: UInt64) -> Int32 {
        if random.chance(faultPercent) { return fail(random.pick([EINTR, EIO])) }
        (written, synced) = (length, min(synced, length))
        return ftruncate(descriptor, off_t(length))
    }
}
