import CSettle

/// Makes the checksums of a binary log right, as far as its frames can be followed,
/// so that a fuzzer's changes reach what stands behind them.
enum BinaryLogMender {
    static func mended(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        guard var offset = mendHeader(&bytes) else { return bytes }
        while let next = mendChunk(&bytes, at: offset) { offset = next }
        mendFooter(&bytes, at: offset)
        return bytes
    }

    private static func mendHeader(_ bytes: inout [UInt8]) -> Int? {
        let fixed = SETTLE_LOG_FILE_HEADER_BYTES
        guard bytes.count >= fixed else { return nil }
        let end = fixed + Int(number(bytes, 12))
        guard end + 4 <= bytes.count else { return nil }
        seal(&bytes, 0..<end, at: end)
        return end + 4
    }

    /// Says where the next frame stands.
    private static func mendChunk(_ bytes: inout [UInt8], at start: Int) -> Int? {
        let fixed = SETTLE_LOG_CHUNK_HEADER_BYTES
        guard start + fixed <= bytes.count, bytes[start..<start + 4].elementsEqual(LogMagic.chunk) else { return nil }
        let end = start + fixed + Int(number(bytes, start + 4))
        if end <= bytes.count { seal(&bytes, start + fixed..<end, at: start + 40) }
        seal(&bytes, start..<start + 44, at: start + 44)
        return end <= bytes.count ? end : nil
    }

    private static func mendFooter(_ bytes: inout [UInt8], at start: Int) {
        let tail = bytes.count - SETTLE_LOG_FOOTER_TAIL_BYTES
        if tail > start { seal(&bytes, start..<tail, at: tail) }
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << (8 * UInt32($1)) }
    }

    private static func seal(_ bytes: inout [UInt8], _ range: Range<Int>, at offset: Int) {
        let crc = bytes.withUnsafeBytes { settle_crc32c(0, $0.baseAddress! + range.lowerBound, range.count) }
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: crc >> (8 * UInt32(index))) }
    }
}
