internal import SettlePlatform

/// Reads one line of a foreign log from left to right.
///
/// A method that does not match leaves the position unchanged, so that another can be tried.
struct TextScanner {
    private let bytes: UnsafeRawBufferPointer
    private var index = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { index == bytes.count }

    /// The bytes behind the current position.
    var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[index...]) }

    /// Skips `text`; false if the rest does not begin with it.
    mutating func skip(_ text: StaticString) -> Bool {
        guard rest.starts(with: text) else { return false }
        index += text.utf8CodeUnitCount
        return true
    }

    /// Skips to the position behind the next occurrence of `byte`; false if there is none.
    mutating func skip(past byte: UInt8) -> Bool {
        guard skip(to: byte) else { return false }
        index += 1
        return true
    }

    /// Skips to the next occurrence of `byte`; false if there is none.
    mutating func skip(to byte: UInt8) -> Bool {
        guard index < bytes.count, let found = memchr(bytes.baseAddress! + index, Int32(byte), bytes.count - index)
        else { return false }
        index = bytes.baseAddress!.distance(to: UnsafeRawPointer(found))
        return true
    }

    mutating func skipSpaces() {
        while index < bytes.count, bytes[index] == 0x20 { index += 1 }
    }

    /// Reads the bytes up to the first that is no member; `nil` if there are none.
    mutating func run(_ isMember: (UInt8) -> Bool) -> UnsafeRawBufferPointer? {
        let start = index
        while index < bytes.count, isMember(bytes[index]) { index += 1 }
        return start == index ? nil : UnsafeRawBufferPointer(rebasing: bytes[start..<index])
    }

    /// Reads ASCII letters, digits and underscores; `nil` if there are none.
    mutating func identifier() -> UnsafeRawBufferPointer? {
        run { $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x5F }
    }

    /// Reads a decimal number without a sign; `nil` if there is none or it exceeds 64 bits.
    mutating func unsigned() -> UInt64? {
        let start = index
        guard let digits = run(\.isASCIIDigit) else { return nil }
        var value: UInt64 = 0
        for digit in digits {
            let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isTooLargeStill) = tens.addingReportingOverflow(UInt64(digit & 0x0F))
            guard !isTooLarge, !isTooLargeStill else {
                index = start
                return nil
            }
            value = sum
        }
        return value
    }

    /// Reads a decimal number with an optional `-`; `nil` if there is none or it exceeds 64 bits.
    mutating func signed() -> Int64? {
        let start = index
        let isNegative = skip("-")
        guard let magnitude = unsigned(), let value = Int64(exactly: magnitude) else {
            index = start
            return nil
        }
        return isNegative ? -value : value
    }
}

extension UInt8 {
    var isASCIIDigit: Bool { self >= 0x30 && self <= 0x39 }
    var isASCIILetter: Bool { (self | 0x20) >= 0x61 && (self | 0x20) <= 0x7A }
    var isHexDigit: Bool { isASCIIDigit || (self | 0x20) >= 0x61 && (self | 0x20) <= 0x66 }
}

extension UnsafeRawBufferPointer {
    /// Where a text begins first.
    ///
    /// - Parameter anchor: The place in the text of a byte that is rare elsewhere, which is searched for.
    func find(_ text: StaticString, anchor: Int = 0) -> Int? {
        let length = text.utf8CodeUnitCount
        guard let base = baseAddress, count >= length else { return nil }
        let last = count - length + anchor
        var index = anchor
        while index <= last, let found = memchr(base + index, Int32(text.utf8Start[anchor]), last + 1 - index) {
            let start = base.distance(to: UnsafeRawPointer(found)) - anchor
            if memcmp(base + start, text.utf8Start, length) == 0 { return start }
            index = start + anchor + 1
        }
        return nil
    }

    func starts(with text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        return count >= length && UnsafeRawBufferPointer(rebasing: self[0..<length]).isText(text)
    }

    func ends(with text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        return count >= length && UnsafeRawBufferPointer(rebasing: self[(count - length)...]).isText(text)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes are exactly these characters.
    @inline(__always)
    func isText(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index] != text.utf8Start[index] { return false }
        return true
    }
}
