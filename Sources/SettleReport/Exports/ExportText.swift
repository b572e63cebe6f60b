internal import Settle
internal import SettleLog

/// Text that is appended to again and again, and passed to an output in blocks. What is written for
/// every event is added in pieces, without a `String` of its own.
struct ExportText {
    private(set) var bytes: [UInt8] = []

    /// Bytes from which a block is passed on.
    private static let blockSize = 1 << 16

    mutating func add(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func add(text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func add(_ number: UInt64) {
        var rest = number
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = 20
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    /// A length as JSON has it.
    mutating func add(length: Double) {
        if length >= 1, length < 1e15, let whole = UInt64(exactly: length) { return add(whole) }
        add(text: JSONText.length(length))
    }

    mutating func add(_ flag: Bool) { flag ? add("true") : add("false") }

    /// Adds a time in microseconds, with three decimals.
    mutating func add(microsecondsOf nanoseconds: UInt64) {
        let (whole, fraction) = nanoseconds.quotientAndRemainder(dividingBy: 1000)
        add(whole)
        bytes.append(UInt8(ascii: "."))
        for unit: UInt64 in [100, 10, 1] {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: fraction / unit % 10))
        }
    }

    /// Passes what was added to an output.
    ///
    /// - Parameter all: Also less than a block.
    mutating func write(to output: ByteOutput, all: Bool = false) throws(LogError) {
        if !all, bytes.count < Self.blockSize { return }
        try output.write(bytes)
        bytes.removeAll(keepingCapacity: true)
    }
}
