import Foundation

/// Converts between the values of `NSUserActivity.userInfo` and those of a property list.
///
/// | value | in the property list |
/// |---|---|
/// | string, number, Boolean, date, data | itself |
/// | array | an array |
/// | dictionary whose keys are strings that do not begin with `$` | a dictionary |
/// | any other dictionary | `{$Dictionary: [key, value, key, value …]}` |
/// | set | `{$Set: [element …]}` |
/// | null | `{$Null: true}` |
/// | UUID | `{$UUID: string}` |
/// | URL | `{$URL: [string]}`, `{$URL: [relative string, base]}` |
enum StoredValue {
    /// Levels of the property list, without a tagged value's own two. Foundation's reader
    /// rejects more than 512.
    static let nestingMax = 100

    enum Tag: String {
        case dictionary = "$Dictionary"
        case set = "$Set"
        case null = "$Null"
        case uuid = "$UUID"
        case url = "$URL"
    }

    /// Linux's Foundation has equal nulls with different hashes, so that a set may contain
    /// several. All values here use this one.
    private static let null = NSNull()

    /// The value for a property list's value; `nil` if there is none.
    static func value(of plain: Any) -> Any? {
        switch plain {
        case let dictionary as [String: Any]:
            guard dictionary.count == 1, let (key, content) = dictionary.first, key.hasPrefix("$") else {
                let values = dictionary.compactMapValues(value(of:))
                return values.count == dictionary.count ? values : nil
            }
            return Tag(rawValue: key).flatMap { value(of: content, tagged: $0) }
        case let array as [Any]: return values(of: array)
        default: return plain
        }
    }

    private static func values(of array: [Any]) -> [Any]? {
        let values = array.compactMap(value(of:))
        return values.count == array.count ? values : nil
    }

    private static func value(of content: Any, tagged tag: Tag) -> Any? {
        switch tag {
        case .null: return null
        case .uuid: return (content as? String).flatMap(UUID.init)
        case .url:
            guard let parts = content as? [String], let string = parts.first, parts.count <= 2 else { return nil }
            guard parts.count == 2 else { return URL(string: string) }
            return URL(string: parts[1]).flatMap { URL(string: string, relativeTo: $0) }
        case .set:
            guard let elements = (content as? [Any]).flatMap(values(of:)) else { return nil }
            let hashable = elements.compactMap(hashable)
            return hashable.count == elements.count ? Set(hashable) : nil
        case .dictionary:
            guard let pairs = (content as? [Any]).flatMap(values(of:)), pairs.count.isMultiple(of: 2) else {
                return nil
            }
            var dictionary: [AnyHashable: Any] = [:]
            for index in stride(from: 0, to: pairs.count, by: 2) {
                guard let key = hashable(pairs[index]) else { return nil }
                dictionary[key] = pairs[index + 1]
            }
            return dictionary
        }
    }

    /// A value as a key or as an element of a set; `nil` if it is not hashable.
    private static func hashable(_ value: Any) -> AnyHashable? {
        switch StoredContent(value) {
        case .array(let array):
            let elements = array.compactMap(hashable)
            return elements.count == array.count ? AnyHashable(elements) : nil
        case .set(let set):
            let elements = set.compactMap(hashable)
            return elements.count == set.count ? AnyHashable(Set(elements)) : nil
        case .dictionary(let entries):
            let pairs = entries.compactMap { entry in
                hashable(entry.key).flatMap { key in hashable(entry.value).map { (key, $0) } }
            }
            return pairs.count == entries.count ? AnyHashable(Dictionary(pairs) { first, _ in first }) : nil
        case nil:
            return (value as? NSNumber).map(hashable) ?? value as? AnyHashable
        }
    }

    /// A Swift number. As `NSNumber`s, true and 1 are equal, and a set could not contain
    /// both.
    private static func hashable(_ number: NSNumber) -> AnyHashable {
        switch String(cString: number.objCType) {
        case "c": number.boolValue
        case "f": number.floatValue
        case "d": number.doubleValue
        case "Q": number.uint64Value
        default: number.intValue
        }
    }
}

/// Converts a dictionary to a property list without the entries that cannot be stored.
struct StoredValueEncoder {
    /// Of the entries that were left out, each with its key, the first `leftOutMax` by their
    /// keys.
    var leftOut: [UISystem.RestorationError] {
        Array(found.sorted { $0.location < $1.location }.prefix(Self.leftOutMax))
    }
    private(set) var leftOutCount = 0
    static let leftOutMax = 100
    /// At most twice `leftOutMax`. A dictionary has no order, so all have to be compared.
    private var found: [UISystem.RestorationError] = []

    /// The dictionary without the entries that cannot be stored, in a property list's types.
    mutating func plain(_ dictionary: [AnyHashable: Any], at path: String) -> Any {
        entries(dictionary.map { ($0.key.base, $0.value) }, at: path, nesting: 0)
    }

    /// An entry whose value cannot be stored is left out. If an element of an array or a set
    /// cannot be stored, the entry with the whole array or set is left out: without the
    /// element it would be a different value.
    private mutating func entries(_ entries: [(key: Any, value: Any)], at path: String, nesting: Int) -> Any {
        let isPlain = entries.allSatisfy { Self.name($0.key)?.hasPrefix("$") == false }
        var plain: [String: Any] = [:]
        var pairs: [Any] = []
        for (key, value) in entries {
            let name = Self.name(key)
            let location = name.map { "\(path).\($0)" } ?? "\(path)[\(key)]"
            do throws(UISystem.RestorationError) {
                if isPlain, let name {
                    plain[name] = try self.plain(value, at: location, nesting: nesting + 1)
                } else {
                    let key = try self.plain(key, at: "the key of \(location)", nesting: nesting + 2)
                    pairs += [key, try self.plain(value, at: location, nesting: nesting + 2)]
                }
            } catch {
                leftOutCount += 1
                found.append(error)
                if found.count == 2 * Self.leftOutMax { found = leftOut }
            }
        }
        if isPlain { return plain }
        return [StoredValue.Tag.dictionary.rawValue: pairs]
    }

    private static func name(_ key: Any) -> String? { (key as? any StoredContainer) == nil ? key as? String : nil }

    private mutating func plain(_ value: Any, at path: String, nesting: Int) throws(UISystem.RestorationError) -> Any {
        guard nesting < StoredValue.nestingMax else {
            throw Self.unstorable(path, "is nested more than \(StoredValue.nestingMax) levels deep")
        }
        switch StoredContent(value) {
        case .array(let array): return try elements(array, at: path, nesting: nesting + 1)
        case .set(let set):
            return [StoredValue.Tag.set.rawValue: try elements(set, at: path, nesting: nesting + 2)]
        case .dictionary(let entries): return self.entries(entries, at: path, nesting: nesting)
        case nil: return try leaf(value, at: path)
        }
    }

    private func leaf(_ value: Any, at path: String) throws(UISystem.RestorationError) -> Any {
        switch value {
        case let number as CGFloat:
            // Foundation's writer does not support CGFloat.
            return Double(number)
        case is String, is NSString, is NSNumber, is Bool, is Double, is Float, is Date, is NSDate, is Data, is NSData,
            is Int, is Int8, is Int16, is Int32, is Int64, is UInt, is UInt8, is UInt16, is UInt32, is UInt64:
            return value
        case is NSNull: return [StoredValue.Tag.null.rawValue: true]
        case let uuid as UUID: return [StoredValue.Tag.uuid.rawValue: uuid.uuidString]
        case let url as URL:
            let plain = [
                StoredValue.Tag.url.rawValue: [url.relativeString] + (url.baseURL.map { [$0.absoluteString] } ?? [])
            ]
            guard StoredValue.value(of: plain) as? URL == url else {
                throw Self.unstorable(path, "is a URL that its text does not represent")
            }
            return plain
        default: throw Self.unstorable(path, "is of type \(type(of: value))")
        }
    }

    private mutating func elements(_ array: [Any], at path: String, nesting: Int) throws(UISystem.RestorationError)
        -> [Any]
    {
        var plain: [Any] = []
        for (index, value) in array.enumerated() {
            plain.append(try self.plain(value, at: "\(path)[\(index)]", nesting: nesting))
        }
        return plain
    }

    private static func unstorable(_ path: String, _ problem: String) -> UISystem.RestorationError {
        UISystem.RestorationError(
            kind: .unstorable, location: path, problem: "\(problem), which cannot be stored",
            advice: "store strings, numbers, Booleans, dates, data, URLs, UUIDs, NSNull, or arrays, sets and "
                + "dictionaries of them")
    }
}
