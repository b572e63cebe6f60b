#if canImport(Glibc)
    internal import Glibc
#endif

/// The lines of a text log, one at a time.
final class LineInput {
    /// The longest line in bytes; a longer one is a fault of its own and is skipped.
    static let lengthMax = 1 << 20

    let bytes: ByteInput
    /// Of a live stream lines are shorter, and nothing behind a longer one is waited for.
    private let isStream: Bool
    /// The number of the line that `next` returned last.
    private(set) var number = 0
    private var pending = 0
    /// The last line was returned, and every byte of the input with it.
    private(set) var isAtEnd = false
    /// The line that `next` returned last had no end: the file may have been cut there.
    private(set) var isLastAndUnfinished = false

    init(_ bytes: ByteInput, isStream: Bool = false) {
        self.bytes = bytes
        self.isStream = isStream
    }

    /// The next line without its end (`\n` or `\r\n`), `nil` after the last. Valid
    /// until the next call.
    ///
    /// - Parameter waiting: Without it, `nil` also says that the line has not been
    ///   read from the input yet; `isAtEnd` tells which.
    func next(waiting: Bool = true) throws(LogError) -> UnsafeRawBufferPointer? {
        bytes.consume(pending)
        pending = 0
        var searched = 0
        while true {
            let available = bytes.available
            if let length = Self.newline(in: available, from: searched) {
                return line(available, length: length, end: 1)
            }
            searched = available.count
            if isStream, searched > StreamLimits.lineBytes {
                number += 1
                throw fault("the line is longer than the \(StreamLimits.lineBytes) bytes that a live stream's may have")
            }
            if searched > Self.lengthMax { throw try skipLongLine() }
            if !waiting { return nil }
            if try bytes.more() { continue }
            isAtEnd = searched == 0
            isLastAndUnfinished = searched > 0
            return isAtEnd ? nil : line(bytes.available, length: searched, end: 0)
        }
    }

    private static func newline(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = bytes.baseAddress, start < bytes.count,
            let found = memchr(base + start, 0x0A, bytes.count - start)
        else { return nil }
        return base.distance(to: UnsafeRawPointer(found))
    }

    private func line(_ available: UnsafeRawBufferPointer, length: Int, end: Int) -> UnsafeRawBufferPointer {
        number += 1
        pending = length + end
        let isCRLF = length > 0 && available[length - 1] == 0x0D
        return UnsafeRawBufferPointer(rebasing: available[0..<(isCRLF ? length - 1 : length)])
    }

    private func skipLongLine() throws(LogError) -> LogError {
        number += 1
        let problem = LogError(
            .malformed, file: bytes.name, at: .line(number), "the line is longer than \(Self.lengthMax) bytes")
        while true {
            if let length = Self.newline(in: bytes.available, from: 0) {
                pending = length + 1
                return problem
            }
            bytes.consume(bytes.available.count)
            if try !bytes.more() { return problem }
        }
    }

    /// A fault at the line that `next` returned last, if there was one.
    func fault(_ problem: String, _ kind: LogError.Kind = .malformed) -> LogError {
        LogError(kind, file: bytes.name, at: number > 0 ? .line(number) : nil, problem)
    }
}
