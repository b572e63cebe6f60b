internal import Settle
internal import SettleLog

/// Text that is appended to again and again, and passed to an output in blocks.
struct ExportText {
    private(set) var bytes: [UInt8] = []

    /// Bytes from which a block is passed on.
    private static let blockSize = 1 << 16

    mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func add(_ number: UInt64) {
        var rest = number
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    /// Passes what was added to an output.
    ///
    /// - Parameter all: Also less than a block.
    mutating func pass(to output: ByteOutput, all: Bool = false) throws(LogError) {
        if !all, bytes.count < Self.blockSize { return }
        try output.write(bytes)
        bytes.removeAll(keepingCapacity: true)
    }
}
