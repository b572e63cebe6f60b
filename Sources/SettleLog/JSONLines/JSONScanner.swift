internal import CSettle
package import Settle

/// A problem with a text of JSON.
package struct JSONFault: Error {
    package var problem: String

    package init(problem: String) { self.problem = problem }
}

/// Reads JSON text value by value, with the core's reader, which allocates nothing. The importers' JSON is
/// decoded by Foundation instead.
package struct JSONScanner {
    private var json = settle_json()

    /// - Parameter bytes: The text, which must outlive the scanner.
    package init(_ bytes: UnsafeRawBufferPointer) { settle_json_start(&json, bytes.baseAddress, bytes.count) }

    package var isAtEnd: Bool { mutating get { peek() == nil } }

    /// The number of bytes that are not read yet.
    package var rest: Int { json.count - json.at }

    /// The number of the line that was read last, from 1.
    var line: Int { UnsafeBufferPointer(start: json.bytes, count: json.at).count { $0 == 0x0A } + 1 }

    /// Throws the fault that the core found. Mutating, so that the argument's effects come first.
    private mutating func check(_ isFine: Bool) throws(JSONFault) {
        if !isFine { throw JSONFault(json) }
    }

    /// The next byte that is no space, without moving past it; `nil` at the end.
    package mutating func peek() -> UInt8? { UInt8(exactly: settle_json_peek(&json)) }

    /// Moves past a character.
    ///
    /// - Throws: If the next character other than a space is another one.
    package mutating func expect(_ character: UInt8) throws(JSONFault) {
        try check(settle_json_expect(&json, CChar(character)))
    }

    /// Moves past a character if it is next, and returns whether it was.
    package mutating func skip(_ character: UInt8) -> Bool { settle_json_skip(&json, CChar(character)) }

    package mutating func string() throws(JSONFault) -> String {
        var string = settle_json_string()
        try check(settle_json_read_string(&json, &string))
        return String(string)
    }

    /// Any JSON number; one too large for a Double is infinite.
    package mutating func double() throws(JSONFault) -> Double {
        var value = 0.0
        try check(settle_json_read_double(&json, Self.double, &value))
        return value
    }

    /// The number of a text by JSON's grammar.
    private static let double: settle_json_double = { text, count in
        Double(String(decoding: UnsafeRawBufferPointer(start: text, count: count), as: UTF8.self)) ?? .nan
    }

    /// Passes over any value.
    package mutating func skipValue() throws(JSONFault) { try check(settle_json_skip_value(&json)) }

    /// Calls `member` with each key of an object; it must take the value.
    package mutating func members(
        _ member: (inout JSONScanner, UnsafeRawBufferPointer) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        var (isFirst, key) = (true, settle_json_string())
        while settle_json_next_member(&json, &isFirst, &key) {
            try key.withBytes { key throws(JSONFault) in try member(&self, key) }
        }
        try check(json.problem_count == 0)
    }

    // MARK: What event logs have in it

    /// The event of a line; its name is not set.
    mutating func event() throws(JSONFault) -> settle_json_event {
        var event = settle_json_event()
        try check(settle_json_read_event(&json, Self.double, &event))
        return event
    }

    mutating func header() throws(JSONFault) -> settle_json_header {
        var header = settle_json_header()
        try check(settle_json_read_header(&json, &header))
        return header
    }

    /// The policy of the object that is next.
    package mutating func policy() throws(JSONFault) -> Policy {
        var policy = settle_policy()
        try check(settle_json_read_policy(&json, &policy))
        return Policy(policy)
    }
}

extension Policy {
    init(_ form: settle_policy) { self = withUnsafePointer(to: form) { Policy(storedAt: $0) } }
}

extension JSONFault {
    fileprivate init(_ json: settle_json) {
        problem = withUnsafeBytes(of: json.problem) { String(decoding: $0.prefix(json.problem_count), as: UTF8.self) }
    }
}

extension settle_json_string {
    /// Calls `body` with the bytes, escapes resolved.
    func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(JSONFault) -> Result
    ) throws(JSONFault) -> Result {
        if decoded == count { return try body(UnsafeRawBufferPointer(start: bytes, count: count)) }
        var string = self
        let bytes = [UInt8](unsafeUninitializedCapacity: decoded) { bytes, count in
            settle_json_decode(&string, bytes.baseAddress)
            count = string.decoded
        }
        return try bytes.withUnsafeBufferPointer { bytes throws(JSONFault) in try body(UnsafeRawBufferPointer(bytes)) }
    }
}

extension String {
    /// The text of a string of JSON, which is valid UTF-8.
    init(_ string: settle_json_string) {
        var string = string
        self.init(unsafeUninitializedCapacity: string.decoded) {
            settle_json_decode(&string, $0.baseAddress)
            return string.decoded
        }
    }
}
