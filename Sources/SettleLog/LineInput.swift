internal import SettlePlatform

/// Reads the lines of a text log one at a time.
final class LineInput {
    /// The longest line in bytes, without its newline; a longer one is a fault of its own
    /// and is skipped.
    static let lengthMax = 1 << 20

    let bytes: ByteInput
    /// In a live stream, lines are shorter, and a longer one is a fault before its end arrives.
    private let isStream: Bool
    /// The number of the line that `next` returned last.
    private(set) var number = 0
    private var pending = 0
    /// Whether the input has ended and its last line was returned.
    private(set) var isAtEnd = false
    /// Whether the line that `next` returned last had no newline: the file may be cut there.
    private(set) var isLastAndUnfinished = false

    init(_ bytes: ByteInput, isStream: Bool = false) {
        self.bytes = bytes
        self.isStream = isStream
    }

    /// Returns the next line without its end (`\n` or `\r\n`); `nil` after the last. Valid
    /// until the next call.
    ///
    /// - Parameter waiting: Whether to read from the input, which may block. If false, `nil`
    ///   can also mean that the line is not buffered yet: check `isAtEnd`.
    /// - Throws: `.malformed` for a line that is too long or, in a live stream, begins wrong;
    ///   `.io` when reading fails.
    func next(waiting: Bool = true) throws(LogError) -> UnsafeRawBufferPointer? {
        bytes.consume(pending)
        pending = 0
        var searched = 0
        while true {
            let available = bytes.available
            let newline = Self.newline(in: available, from: searched)
            searched = newline ?? available.count
            if isStream, newline == nil, let first = available.first(where: { ![0x20, 0x09, 0x0D].contains($0) }),
                first != UInt8(ascii: "{"), available[0] != UInt8(ascii: "#")
            {
                // The line's end may never arrive.
                number += 1
                throw fault("a line begins with neither { nor #")
            }
            // A fault in any case, whether or not the line's end has arrived with it.
            if isStream, searched > StreamLimits.lineBytes {
                number += 1
                throw fault("the line is longer than the \(StreamLimits.lineBytes) bytes that a live stream's may have")
            }
            if searched > Self.lengthMax { throw try skipLongLine() }
            if newline != nil { return line(available, length: searched, end: 1) }
            if !waiting { return nil }
            if try bytes.more() { continue }
            isAtEnd = searched == 0
            isLastAndUnfinished = searched > 0
            return isAtEnd ? nil : line(bytes.available, length: searched, end: 0)
        }
    }

    /// Passes the buffered bytes from the next line on to `read`, which returns how many lines of
    /// them it read, and their bytes with the newlines. They count as returned by `next`.
    func take(_ read: (UnsafeRawBufferPointer) -> (lines: Int, bytes: Int)) {
        bytes.consume(pending)
        pending = 0
        let taken = read(bytes.available)
        number += taken.lines
        bytes.consume(taken.bytes)
    }

    /// The most bytes of a line before its newline.
    var lengthMax: Int { isStream ? StreamLimits.lineBytes : Self.lengthMax }

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

    /// Makes an error at the line that `next` returned last, if there was one.
    func fault(_ problem: String, _ kind: LogError.Kind = .malformed) -> LogError {
        LogError(kind, file: bytes.name, at: number > 0 ? .line(number) : nil, problem)
    }
}
