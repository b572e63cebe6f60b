import Foundation

/// A `userInfo` dictionary as a binary property list, so that it can be sent to
/// other threads and stored. Not `Equatable`: equal dictionaries differ in their bytes.
package struct StoredDictionary: Sendable {
    /// Foundation's reader gives up on deeper nesting.
    static let nestingMax = 100

    private let propertyList: Data

    /// - Parameter name: what the dictionary is called in an error, such as `userInfo`.
    /// - Throws: `notPropertyList`, naming the first key whose value cannot be stored.
    package init(_ dictionary: [AnyHashable: Any], named name: String) throws(RestorationError) {
        let plain = try Self.storable(dictionary, at: name, nesting: 0)
        do {
            propertyList = try PropertyListSerialization.data(fromPropertyList: plain, format: .binary, options: 0)
        } catch {
            throw Self.unstorable(name, "cannot be written: \(error)")
        }
    }

    /// A copy of the dictionary that was stored.
    package var dictionary: [String: Any] {
        guard let dictionary = Self.parse(propertyList) else {
            preconditionFailure("a stored dictionary was checked when it was made")
        }
        return dictionary
    }

    private static func parse(_ data: Data) -> [String: Any]? {
        var format = PropertyListSerialization.PropertyListFormat.binary
        return (try? PropertyListBytes.value(data, format: &format)) as? [String: Any]
    }

    /// The value in types that Foundation's writer knows; it stops short of CGFloat.
    private static func storable(_ value: Any, at path: String, nesting: Int) throws(RestorationError) -> Any {
        guard nesting < nestingMax else { throw unstorable(path, "is nested more than \(nestingMax) levels deep") }
        switch value {
        case let number as CGFloat:
            return Double(number)
        case is String, is NSString, is NSNumber, is Bool, is Double, is Float, is Date, is NSDate, is Data, is NSData,
            is Int, is Int8, is Int16, is Int32, is Int64, is UInt, is UInt8, is UInt16, is UInt32, is UInt64:
            return value
        case let dictionary as [AnyHashable: Any]:
            var plain: [String: Any] = [:]
            for (key, value) in dictionary {
                guard let key = key.base as? String else {
                    throw unstorable("\(path)[\(key.base)]", "has a key of type \(type(of: key.base)), not a string")
                }
                plain[key] = try storable(value, at: "\(path).\(key)", nesting: nesting + 1)
            }
            return plain
        case let dictionary as NSDictionary:
            var entries: [AnyHashable: Any] = [:]
            for (key, value) in dictionary {
                guard let key = key as? AnyHashable else { throw unstorable(path, "has a key that is not a string") }
                entries[key] = value
            }
            return try storable(entries, at: path, nesting: nesting)
        case let array as [Any]:
            return try elements(array, at: path, nesting: nesting)
        case let array as NSArray:
            return try elements(array.map { $0 }, at: path, nesting: nesting)
        default:
            throw unstorable(path, "is of type \(type(of: value))")
        }
    }

    private static func elements(_ array: [Any], at path: String, nesting: Int) throws(RestorationError) -> [Any] {
        var plain: [Any] = []
        for (index, value) in array.enumerated() {
            plain.append(try storable(value, at: "\(path)[\(index)]", nesting: nesting + 1))
        }
        return plain
    }

    private static func unstorable(_ path: String, _ problem: String) -> RestorationError {
        RestorationError(
            kind: .notPropertyList, place: path, problem: "\(problem), which a property list cannot hold",
            advice: "store strings, numbers, booleans, dates, data, or arrays and dictionaries of them")
    }
}

extension StoredDictionary: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        propertyList = try container.decode(Data.self)
        guard Self.parse(propertyList) != nil else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not a property list of a dictionary with strings as keys")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(propertyList)
    }
}
