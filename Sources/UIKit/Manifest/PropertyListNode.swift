import Foundation

/// A value in a property list with its key path, so that an error about the value's type
/// says where it is.
struct PropertyListNode {
    let file: String
    let keyPath: String
    let value: Any

    /// The root of a property list.
    ///
    /// - Throws: If the bytes are not a property list in XML or binary format.
    init(file: String, data: Data) throws(UISystem.ManifestError) {
        var format = PropertyListSerialization.PropertyListFormat.xml
        do {
            value = try PropertyListBytes.value(data, format: &format)
        } catch let error as PropertyListBytes.ContainsSet {
            throw UISystem.ManifestError(file: file, keyPath: "", problem: "is not a property list: \(error)")
        } catch {
            let reason = (error as NSError).userInfo["NSDebugDescription"] ?? "unreadable"
            throw UISystem.ManifestError(
                file: file, keyPath: "", problem: "is not a property list in XML or binary format: \(reason)")
        }
        // The OpenStep format reads any word as a string.
        guard format != .openStep else {
            throw UISystem.ManifestError(
                file: file, keyPath: "", problem: "is not a property list in XML or binary format")
        }
        self.file = file
        keyPath = ""
    }

    private init(file: String, keyPath: String, value: Any) {
        self.file = file
        self.keyPath = keyPath
        self.value = value
    }

    /// The value of a key in this dictionary; `nil` if it does not have the key.
    ///
    /// - Throws: If this is not a dictionary.
    func child(_ key: String) throws(UISystem.ManifestError) -> PropertyListNode? {
        try dictionary()[key].map { below(".\(key)", $0) }
    }

    /// The keys in ascending order, each with its value.
    ///
    /// - Throws: If this is not a dictionary.
    func children() throws(UISystem.ManifestError) -> [(key: String, node: PropertyListNode)] {
        try dictionary().sorted { $0.key < $1.key }.map { ($0.key, below(".\($0.key)", $0.value)) }
    }

    /// The elements of this array.
    ///
    /// - Throws: If this is not an array.
    func elements() throws(UISystem.ManifestError) -> [PropertyListNode] {
        guard let array = value as? [Any] else { throw mismatch("an array") }
        return array.enumerated().map { below("[\($0.offset)]", $0.element) }
    }

    /// - Throws: If this is not a string.
    func string() throws(UISystem.ManifestError) -> String {
        guard let string = value as? String else { throw mismatch("a string") }
        return string
    }

    /// A Boolean, also one that is written as the number 0 or 1, or as `YES`, `NO`, `true` or `false`, as
    /// on a device.
    ///
    /// - Throws: If this is none of these.
    func boolean() throws(UISystem.ManifestError) -> Bool {
        if let boolean = value as? Bool { return boolean }
        switch (value as? String)?.lowercased() {
        case "yes", "true": return true
        case "no", "false": return false
        default: throw mismatch("a boolean")
        }
    }

    /// An error about this value.
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
