import Foundation

/// Reads property lists from untrusted bytes.
enum PropertyListBytes {
    struct ContainsSet: Error, CustomStringConvertible {
        var description: String { "it contains a set, which is not a type of property lists" }
    }

    /// - Throws: Foundation's error, or `ContainsSet`: the binary format has a marker for
    ///   sets, which are not allowed in a property list, and Foundation's reader crashes on
    ///   one.
    static func value(_ data: Data, format: inout PropertyListSerialization.PropertyListFormat) throws -> Any {
        if containsSet([UInt8](data)) { throw ContainsSet() }
        return try PropertyListSerialization.propertyList(from: data, options: [], format: &format)
    }

    private static let trailerBytes = 32

    /// Whether an object of a binary list is marked as a set. A table has each object's
    /// offset, and the trailer has the table's offset. The format is described in
    /// CFBinaryPList.c of Apple's CoreFoundation.
    private static func containsSet(_ bytes: [UInt8]) -> Bool {
        guard bytes.starts(with: "bplist".utf8), bytes.count > trailerBytes else { return false }
        let trailer = bytes.count - trailerBytes
        let width = Int(bytes[trailer + 6])
        let count = number(bytes, at: trailer + 8, bytes: 8)
        let table = number(bytes, at: trailer + 24, bytes: 8)
        // Foundation rejects a table that does not fit.
        guard width > 0, table <= UInt64(trailer), count <= (UInt64(trailer) - table) / UInt64(width) else {
            return false
        }
        return (0..<Int(count)).contains { index in
            let offset = number(bytes, at: Int(table) + index * width, bytes: width)
            return offset < UInt64(trailer) && bytes[Int(offset)] & 0xF0 == 0xC0
        }
    }

    private static func number(_ bytes: [UInt8], at start: Int, bytes count: Int) -> UInt64 {
        bytes[start..<start + count].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
