import Foundation

/// Property lists from bytes that may say anything.
enum PropertyListBytes {
    struct HoldsSet: Error, CustomStringConvertible {
        var description: String { "a set is in it, which no property list can hold" }
    }

    /// - Throws: what Foundation says of the bytes, or `HoldsSet`: the binary format has a
    ///   mark for sets, no property list may have one, and Foundation's reader does not
    ///   refuse it but crashes.
    static func value(_ data: Data, format: inout PropertyListSerialization.PropertyListFormat) throws -> Any {
        if holdsSet([UInt8](data)) { throw HoldsSet() }
        return try PropertyListSerialization.propertyList(from: data, options: [], format: &format)
    }

    private static let trailerBytes = 32

    /// Whether an object of a binary list is marked as a set. Each object's offset stands
    /// in a table, and the trailer says where that is; the format is described in
    /// CFBinaryPList.c of Apple's CoreFoundation.
    private static func holdsSet(_ bytes: [UInt8]) -> Bool {
        guard bytes.starts(with: "bplist".utf8), bytes.count > trailerBytes else { return false }
        let trailer = bytes.count - trailerBytes
        let width = Int(bytes[trailer + 6])
        let count = number(bytes, at: trailer + 8, bytes: 8)
        let table = number(bytes, at: trailer + 24, bytes: 8)
        // Foundation refuses a table that does not fit.
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
