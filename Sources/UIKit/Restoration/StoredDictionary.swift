import Foundation

/// A `userInfo` dictionary as a binary property list, so that it can be sent to
/// other threads and stored. Not `Equatable`: equal dictionaries differ in their bytes.
package struct StoredDictionary: Sendable {
    private let propertyList: Data

    /// The entries that could not be stored, each with its key: the first of them, if they
    /// are many. They are told where the dictionary is made, and are not stored.
    package let leftOut: [UISystem.RestorationError]
    package let leftOutCount: Int

    /// Stores what can be stored; the rest is in `leftOut`.
    ///
    /// - Parameter name: what the dictionary is called there, such as `userInfo`.
    /// - Throws: `unstorable`, if Foundation cannot write or read what should be plain.
    package init(_ dictionary: [AnyHashable: Any], named name: String) throws(UISystem.RestorationError) {
        var encoder = StoredValueEncoder()
        let plain = encoder.plain(dictionary, at: name)
        do {
            propertyList = try PropertyListSerialization.data(fromPropertyList: plain, format: .binary, options: 0)
        } catch {
            throw Self.unstorable(name, "cannot be written: \(error)")
        }
        // One that cannot be read back would cost the whole session at the next launch.
        guard Self.dictionary(propertyList) != nil else { throw Self.unstorable(name, "cannot be read back") }
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
            kind: .unstorable, place: name, problem: problem, advice: "the previously stored state is kept")
    }
}

extension StoredDictionary: Codable {
    /// The version of the file that is decoded; the present one where it is not said.
    static let versionKey = CodingUserInfoKey(rawValue: "settle.session.version")!

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let data = try container.decode(Data.self)
        if decoder.userInfo[Self.versionKey] as? UInt32 == 1 {
            // That version had property lists as they are, so a key with a $ was an app's own.
            guard let plain = Self.propertyList(data) as? [String: Any] else { throw Self.corrupt(container) }
            try self.init(plain, named: "userInfo")
        } else {
            guard Self.dictionary(data) != nil else { throw Self.corrupt(container) }
            self.init(checked: data)
        }
    }

    private static func corrupt(_ container: any SingleValueDecodingContainer) -> DecodingError {
        DecodingError.dataCorruptedError(in: container, debugDescription: "no property list of a stored dictionary")
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(propertyList)
    }
}
