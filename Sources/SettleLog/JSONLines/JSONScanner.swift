internal import Settle

/// A problem with a line of JSON.
package struct JSONFault: Error {
    package var problem: String

    package init(problem: String) { self.problem = problem }
}

/// A pull scanner over JSON text that allocates nothing: JSON Lines logs are read with it at
/// a million events per second. The importers' JSON is decoded by Foundation instead.
package struct JSONScanner {
    private let base: UnsafePointer<UInt8>
    private var at: Int
    private let end: Int
    /// The deepest nesting of ignored values.
    private static let depthMax = 64

    package init(_ bytes: UnsafeRawBufferPointer) {
        // An empty line has no address; any will do, as nothing is read.
        base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress ?? UnsafePointer(bitPattern: 1)!
        at = 0
        end = bytes.count
    }

    private func fault(_ problem: String) -> JSONFault {
        let text = UnsafeBufferPointer(start: base, count: end)
        let lines = text.prefix(at).split(separator: 0x0A, omittingEmptySubsequences: false)
        let name = text.contains(0x0A) ? "text" : "line"
        let column = "column \((lines.last?.count ?? 0) + 1)"
        return JSONFault(
            problem: at >= end
                ? "the \(name) ends early: \(problem)"
                : "\(problem) at \(name == "line" ? column : "line \(lines.count), \(column)")")
    }

    package var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return at >= end
        }
    }

    /// The number of bytes that are not read yet.
    package var rest: Int { end - at }

    /// The number of the line that was read last, from 1.
    var line: Int { UnsafeBufferPointer(start: base, count: at).count { $0 == 0x0A } + 1 }

    private mutating func skipSpace() {
        while at < end, base[at] == 0x20 || base[at] == 0x09 || base[at] == 0x0D || base[at] == 0x0A { at += 1 }
    }

    /// The next byte that is no space, without moving past it; `nil` at the end.
    package mutating func peek() -> UInt8? {
        skipSpace()
        return at < end ? base[at] : nil
    }

    /// Moves past a character.
    ///
    /// - Throws: If the next character other than a space is another one.
    @inline(__always)
    package mutating func expect(_ character: UInt8) throws(JSONFault) {
        guard peek() == character else { throw fault("expected '\(Character(Unicode.Scalar(character)))'") }
        at += 1
    }

    /// Moves past a character if it is next, and returns whether it was.
    package mutating func skip(_ character: UInt8) -> Bool {
        guard peek() == character else { return false }
        at += 1
        return true
    }

    /// A string's bytes between the quotes, escapes left as they are and unchecked.
    private struct RawString {
        var bytes: UnsafeRawBufferPointer
        var hasEscapes: Bool
        var isASCII: Bool
    }

    private mutating func rawString() throws(JSONFault) -> RawString {
        try expect(UInt8(ascii: "\""))
        let start = at
        var hasEscapes = false
        var bits: UInt8 = 0
        while at < end {
            switch base[at] {
            case 0x22:
                at += 1
                let bytes = UnsafeRawBufferPointer(start: base + start, count: at - 1 - start)
                return RawString(bytes: bytes, hasEscapes: hasEscapes, isASCII: bits < 0x80)
            case 0x5C:
                hasEscapes = true
                at += 2
            case 0..<0x20:
                throw fault("a control character stands in a string")
            default:
                bits |= base[at]
                at += 1
            }
        }
        throw fault("a string is not closed")
    }

    /// Calls `body` with a string's bytes, escapes resolved. They may be invalid UTF-8:
    /// a body that looks them up need not check what it knows already.
    mutating func bytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(JSONFault) -> Result
    ) throws(JSONFault) -> Result {
        let raw = try rawString()
        return raw.hasEscapes ? try Self.unescaped(raw.bytes, body) : try body(raw.bytes)
    }

    package mutating func string() throws(JSONFault) -> String {
        try bytes { bytes throws(JSONFault) in try Self.text(bytes) }
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) throws(JSONFault) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw JSONFault(problem: "a string is not valid UTF-8")
        }
        return text
    }

    /// Skips a string, but validates it as if it were read.
    private mutating func skipString() throws(JSONFault) {
        let raw = try rawString()
        if raw.hasEscapes {
            _ = try Self.unescaped(raw.bytes) { bytes throws(JSONFault) in try Self.text(bytes) }
        } else if !raw.isASCII {
            _ = try Self.text(raw.bytes)
        }
    }

    mutating func bool() throws(JSONFault) -> Bool {
        if skipWord("true") { return true }
        if skipWord("false") { return false }
        throw fault("expected true or false")
    }

    private mutating func skipWord(_ word: StaticString) -> Bool {
        skipSpace()
        guard end - at >= word.utf8CodeUnitCount else { return false }
        for index in 0..<word.utf8CodeUnitCount where base[at + index] != word.utf8Start[index] { return false }
        at += word.utf8CodeUnitCount
        return true
    }

    /// A whole number from 0 to `most`.
    mutating func integer(upTo most: UInt64) throws(JSONFault) -> UInt64 {
        let (bytes, value) = try number()
        if let value, value <= most { return value }
        let text = String(decoding: bytes, as: UTF8.self)
        throw JSONFault(problem: "\(text) is not a whole number from 0 to \(most)")
    }

    /// Any JSON number; one too large for a Double is infinite.
    package mutating func double() throws(JSONFault) -> Double {
        let (bytes, value) = try number()
        if let value, value <= 1 << 53 { return Double(value) }
        guard let parsed = Double(String(decoding: bytes, as: UTF8.self)) else {
            throw JSONFault(problem: "'\(String(decoding: bytes, as: UTF8.self))' is not a number")
        }
        return parsed
    }

    /// A number's text, by JSON's grammar, and its value if it is plain digits.
    private mutating func number() throws(JSONFault) -> (UnsafeRawBufferPointer, UInt64?) {
        skipSpace()
        let start = at
        var plain: UInt64? = 0
        if at < end, base[at] == 0x2D {
            at += 1
            plain = nil
        }
        let digits = at
        while at < end, let digit = digit() {
            if let value = plain {
                let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
                let (sum, carry) = tenfold.addingReportingOverflow(digit)
                plain = overflow || carry ? nil : sum
            }
            at += 1
        }
        guard at > digits, at == digits + 1 || base[digits] != 0x30 else { throw fault("expected a number") }
        if at < end, base[at] == 0x2E {
            at += 1
            plain = nil
            try skipDigits()
        }
        if at < end, base[at] | 0x20 == 0x65 {
            at += 1
            plain = nil
            if at < end, base[at] == 0x2B || base[at] == 0x2D { at += 1 }
            try skipDigits()
        }
        return (UnsafeRawBufferPointer(start: base + start, count: at - start), plain)
    }

    private func digit() -> UInt64? {
        let value = base[at] &- 0x30
        return value < 10 ? UInt64(value) : nil
    }

    private mutating func skipDigits() throws(JSONFault) {
        let start = at
        while at < end, digit() != nil { at += 1 }
        if at == start { throw fault("expected a digit") }
    }

    /// Passes over any value.
    package mutating func skipValue(depth: Int = 0) throws(JSONFault) {
        guard depth < Self.depthMax else { throw fault("values are nested more than \(Self.depthMax) deep") }
        switch peek() {
        case 0x22: try skipString()
        case 0x7B:
            try members { scanner, _ throws(JSONFault) in try scanner.skipValue(depth: depth + 1) }
        case 0x5B:
            try expect(UInt8(ascii: "["))
            if skip(UInt8(ascii: "]")) { return }
            repeat { try skipValue(depth: depth + 1) } while skip(UInt8(ascii: ","))
            try expect(UInt8(ascii: "]"))
        case 0x74, 0x66: _ = try bool()
        case 0x6E: guard skipWord("null") else { throw fault("expected null") }
        default: _ = try number()
        }
    }

    /// Calls `member` with each key of an object; it must take the value.
    @inline(__always)
    package mutating func members(
        _ member: (inout JSONScanner, UnsafeRawBufferPointer) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        try expect(UInt8(ascii: "{"))
        if skip(UInt8(ascii: "}")) { return }
        repeat {
            let key = try rawString()
            try expect(UInt8(ascii: ":"))
            if key.hasEscapes || !key.isASCII {
                try unusualMember(key.bytes, member)
            } else {
                try member(&self, key.bytes)
            }
        } while skip(UInt8(ascii: ","))
        try expect(UInt8(ascii: "}"))
    }

    /// A key is what its escapes stand for: `"\u0074_ns"` is `"t_ns"`.
    @inline(never)
    private mutating func unusualMember(
        _ key: UnsafeRawBufferPointer,
        _ member: (inout JSONScanner, UnsafeRawBufferPointer) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        try Self.unescaped(key) { key throws(JSONFault) in
            _ = try Self.text(key)
            try member(&self, key)
        }
    }

    /// Calls `body` with a string's bytes once its escapes are resolved, RFC 8259 section 7.
    private static func unescaped<Result>(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(JSONFault) -> Result
    ) throws(JSONFault) -> Result {
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var at = 0
        while at < bytes.count {
            guard bytes[at] == 0x5C else {
                out.append(bytes[at])
                at += 1
                continue
            }
            let kind = at + 1 < bytes.count ? bytes[at + 1] : 0
            if kind == 0x75 {
                at += try appendCharacter(UnsafeRawBufferPointer(rebasing: bytes[at...]), to: &out)
            } else {
                guard let plain = plainEscape(kind) else { throw badEscape(bytes[at...].prefix(2)) }
                out.append(plain)
                at += 2
            }
        }
        return try out.withUnsafeBufferPointer { out throws(JSONFault) in try body(UnsafeRawBufferPointer(out)) }
    }

    /// Appends what `\uXXXX`, or a pair of them, stands for; says how long it is.
    private static func appendCharacter(
        _ escape: UnsafeRawBufferPointer, to out: inout [UInt8]
    ) throws(JSONFault) -> Int {
        guard let unit = codeUnit(escape, 0) else { throw badEscape(escape.prefix(6)) }
        guard (0xD800..<0xE000).contains(unit) else {
            append(unit, to: &out)
            return 6
        }
        // Half a character must not become any character: names would merge.
        guard unit < 0xDC00, let low = codeUnit(escape, 6), (0xDC00..<0xE000).contains(low) else {
            throw badEscape(escape.prefix(6), "a lone surrogate, which is half a character")
        }
        append(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00), to: &out)
        return 12
    }

    private static func badEscape(_ bytes: Slice<UnsafeRawBufferPointer>, _ why: String = "") -> JSONFault {
        let isPrintable = bytes.allSatisfy { (0x21...0x7E).contains($0) }
        let text = isPrintable ? " \(String(decoding: bytes, as: UTF8.self))" : ""
        return JSONFault(problem: "a string has a bad escape\(text)\(why.isEmpty ? "" : ", \(why)")")
    }

    private static func append(_ scalar: UInt32, to out: inout [UInt8]) {
        guard let scalar = Unicode.Scalar(scalar) else { return }
        out.append(contentsOf: String(Character(scalar)).utf8)
    }

    private static func plainEscape(_ kind: UInt8) -> UInt8? {
        switch kind {
        case 0x22, 0x5C, 0x2F: kind
        case 0x62: 0x08
        case 0x66: 0x0C
        case 0x6E: 0x0A
        case 0x72: 0x0D
        case 0x74: 0x09
        default: nil
        }
    }

    /// The number of an escape `\uXXXX` that stands here, `nil` when none does.
    private static func codeUnit(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> UInt32? {
        guard at + 6 <= bytes.count, bytes[at] == 0x5C, bytes[at + 1] == 0x75 else { return nil }
        var value: UInt32 = 0
        for index in at + 2..<at + 6 {
            guard let digit = Character(Unicode.Scalar(bytes[index])).hexDigitValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
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
