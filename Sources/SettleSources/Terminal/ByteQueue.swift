internal import SettlePlatform

/// Bytes on their way from one descriptor to another, neither of which blocks.
struct ByteQueue: Sendable {
    /// What a read or a write met.
    enum Outcome: Hashable, Sendable {
        case moved
        /// It would block.
        case blocked
        /// The other end has gone.
        case ended
    }

    /// The queue reads no more while it holds so many bytes. The program, or the terminal, then
    /// waits as it would without us.
    static let capacity = 1 << 16
    /// The most that one read takes.
    private static let pieceMax = 1 << 14

    /// The bytes, of which the first `taken` have been written: fewer than `capacity` between two
    /// calls.
    var bytes: [UInt8] = []
    private var taken = 0
    /// How many bytes have been written from the beginning.
    private(set) var written: UInt64 = 0

    var isEmpty: Bool { taken == bytes.count }
    var isFull: Bool { bytes.count - taken >= Self.capacity }

    /// Writes what there is, as far as the descriptor takes it.
    mutating func write(to descriptor: Int32) -> Outcome {
        while !isEmpty {
            let count = bytes[taken...].withUnsafeBytes { SettlePlatform.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                guard errno == EAGAIN else { return .ended }
                dropWritten()
                return .blocked
            }
            taken += count
            written += UInt64(count)
        }
        bytes.removeAll(keepingCapacity: true)
        taken = 0
        return .moved
    }

    /// A reader that stays slow never empties the queue, which would grow without end. To move
    /// what waits costs little if as much has been written since.
    private mutating func dropWritten() {
        guard taken >= Self.capacity else { return }
        bytes.removeFirst(taken)
        taken = 0
    }

    /// Reads once from a descriptor.
    ///
    /// - Parameter body: Called with what was read.
    static func read(from descriptor: Int32, _ body: (UnsafeRawBufferPointer) -> Void) -> Outcome {
        withUnsafeTemporaryAllocation(byteCount: pieceMax, alignment: 16) { buffer in
            while true {
                let count = SettlePlatform.read(descriptor, buffer.baseAddress, buffer.count)
                if count > 0 {
                    body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    return .moved
                }
                if count < 0, errno == EINTR { continue }
                return count < 0 && errno == EAGAIN ? .blocked : .ended
            }
        }
    }
}
