import Foundation

/// A `userInfo` dictionary as a binary property list, which can be stored and sent to other
/// threads. Not `Equatable`, as the bytes of equal dictionaries may differ.
package struct StoredDictionary: Sendable {
    private let propertyList: Data

    /// The first entries, by their keys, that could not be stored, each with its key. They
    /// are known only where the dictionary is made.
    package let leftOut: [UISystem.RestorationError]
    /// The number of entries that could not be stored.
    package let leftOutCount: Int

    /// Stores what can be stored; the rest is in `leftOut`.
    ///
    /// - Parameter name: The dictionary's name in `leftOut`, for example `userInfo`.
    /// - Throws: `unstorable`, if Foundation cannot write or read the property list.
    package init(_ dictionary: [AnyHashable: Any], named name: String) throws(UISystem.RestorationError) {
        var encoder = StoredValueEncoder()
        let plain = encoder.plain(dictionary, at: name)
        do {
            propertyList = try PropertyListSerialization.data(fromPropertyList: plain, format: .binary, options: 0)
        } catch {
            throw Self.unstorable(name, "cannot be written: \(error)")
        }
        // One that cannot be read would make the whole session unusable at the next launch.
        guard Self.dictionary(propertyList) != nil else { throw Self.unstorable(name, "cannot be read again") }
        leftOut = encoder.leftOut
        leftOutCount = encoder.leftOutCount
    }

    private init(checked: Data) {
        propertyList = checked
        leftOut = []
        leftOutCount = 0
    }

    /// A copy of the dictionary that was stored.
    package var dictionary: [AnyHashable: Any] {
        guard let dictionary = Self.dictionary(propertyList) else {
            preconditionFailure("a stored dictionary was checked when it was made")
        }
        return dictionary
    }

    private static func dictionary(_ data: Data) -> [AnyHashable: Any]? {
        propertyList(data).flatMap(StoredValue.value(of:)) as? [AnyHashable: Any]
    }

    private static func propertyList(_ data: Data) -> Any? {
        var format = PropertyListSerialization.PropertyListFormat.binary
        return try? PropertyListBytes.value(data, format: &format)
    }

    private static func unstorable(_ name: String, _ problem: String) -> UISystem.RestorationError {
        UISystem.RestorationError(
            kind: .unstorable, location: name, problem: problem, advice: "the previously stored state is kept")
    }
}

extension StoredDictionary: Codable {
    /// The version of the file that is decoded; the present one if it is not set. No string is refused.
    static let versionKey = CodingUserInfoKey(rawValue: "settle.session.version")!

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let data = try container.decode(Data.self)
        if decoder.userInfo[Self.versionKey] as? UInt32 == 1 {
            // Version 1 has no tags: a key that begins with $ is the app's own.
            guard let plain = Self.propertyList(data) as? [String: Any] else { throw Self.corrupt(container) }
            try self.init(plain, named: "userInfo")
        } else {
            guard Self.dictionary(data) != nil else { throw Self.corrupt(container) }
            self.init(checked: data)
        }
    }

    private static func corrupt(_ container: any SingleValueDecodingContainer) -> DecodingError {
        DecodingError.dataCorruptedError(in: container, debugDescription: "the data is not a stored dictionary")
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(propertyList)
    }
}
