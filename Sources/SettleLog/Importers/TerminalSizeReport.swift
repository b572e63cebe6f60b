internal import Settle

/// Finds `ESC [ 8 ; ROWS ; COLS t` in output that comes in pieces.
struct TerminalSizeReport {
    private static let start: [UInt8] = [0x1B, 0x5B, 0x38, 0x3B]
    /// How many bytes of the start have come; then the two numbers follow.
    private var known = 0
    private var numbers: [UInt32] = []

    /// Reads up to the end of a report.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> (bytes: Int, size: Size?) {
        var index = 0
        while index < bytes.count {
            if known == 0 {
                var text = TextScanner(UnsafeRawBufferPointer(rebasing: bytes[index...]))
                guard text.skip(to: 0x1B) else { return (bytes.count, nil) }
                index = bytes.count - text.rest.count
            }
            let byte = bytes[index]
            index += 1
            if known < Self.start.count {
                known = byte == Self.start[known] ? known + 1 : byte == 0x1B ? 1 : 0
                numbers = [0]
            } else if byte.isASCIIDigit, numbers[numbers.count - 1] < 100_000 {
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + UInt32(byte & 0x0F)
            } else if byte == 0x3B, numbers.count == 1 {
                numbers.append(0)
            } else {
                known = byte == 0x1B ? 1 : 0
                if byte == 0x74, numbers.count == 2, numbers[0] > 0, numbers[1] > 0 {
                    return (index, Size(width: Double(numbers[1]), height: Double(numbers[0])))
                }
            }
        }
        return (bytes.count, nil)
    }
}
