import Foundation

/// A place in a property list that knows its key path, so that every wrong type is told
/// by where it stands.
struct PropertyListNode {
    let file: String
    let keyPath: String
    let value: Any

    /// - Throws: if the bytes are no property list, XML or binary.
    init(file: String, data: Data) throws(UISystem.ManifestError) {
        var format = PropertyListSerialization.PropertyListFormat.xml
        do {
            value = try PropertyListBytes.value(data, format: &format)
        } catch let error as PropertyListBytes.HoldsSet {
            throw UISystem.ManifestError(file: file, keyPath: "", problem: "is no property list: \(error)")
        } catch {
            let reason = (error as NSError).userInfo["NSDebugDescription"] ?? "unreadable"
            throw UISystem.ManifestError(
                file: file, keyPath: "", problem: "is no property list, XML or binary: \(reason)")
        }
        // The format before these two takes any word for a string.
        guard format != .openStep else {
            throw UISystem.ManifestError(file: file, keyPath: "", problem: "is no property list, XML or binary")
        }
        self.file = file
        keyPath = ""
    }

    private init(file: String, keyPath: String, value: Any) {
        self.file = file
        self.keyPath = keyPath
        self.value = value
    }

    /// The value of a key in this dictionary; nil if it lacks.
    func child(_ key: String) throws(UISystem.ManifestError) -> PropertyListNode? {
        try dictionary()[key].map { below(".\(key)", $0) }
    }

    /// The keys in order, each with its value.
    func children() throws(UISystem.ManifestError) -> [(key: String, node: PropertyListNode)] {
        try dictionary().sorted { $0.key < $1.key }.map { ($0.key, below(".\($0.key)", $0.value)) }
    }

    func elements() throws(UISystem.ManifestError) -> [PropertyListNode] {
        guard let array = value as? [Any] else { throw mismatch("an array") }
        return array.enumerated().map { below("[\($0.offset)]", $0.element) }
    }

    func string() throws(UISystem.ManifestError) -> String {
        guard let string = value as? String else { throw mismatch("a string") }
        return string
    }

    func boolean() throws(UISystem.ManifestError) -> Bool {
        // A cast alone would take the numbers 0 and 1 as well.
        guard type(of: value) == Bool.self, let boolean = value as? Bool else { throw mismatch("a boolean") }
        return boolean
    }

    func problem(_ text: String) -> UISystem.ManifestError {
        UISystem.ManifestError(file: file, keyPath: keyPath, problem: text)
    }

    private func dictionary() throws(UISystem.ManifestError) -> [String: Any] {
        guard let dictionary = value as? [String: Any] else { throw mismatch("a dictionary") }
        return dictionary
    }

    private func below(_ step: String, _ value: Any) -> PropertyListNode {
        let path = keyPath + step
        return PropertyListNode(
            file: file, keyPath: path.hasPrefix(".") ? String(path.dropFirst()) : path, value: value)
    }

    private func mismatch(_ expected: String) -> UISystem.ManifestError {
        problem("expected \(expected), found \(found)")
    }

    private var found: String {
        if type(of: value) == Bool.self { return "a boolean" }
        return switch value {
        case is String: "a string"
        case is Date: "a date"
        case is Data: "data"
        case is [Any]: "an array"
        case is [AnyHashable: Any]: "a dictionary"
        case is NSNumber: "a number"
        default: "\(type(of: value))"
        }
    }
}
