import Foundation

/// Whether an app opts out of resizing, by `UIRequiresFullScreen` and
/// `UIRequiresFullScreenIgnoredStartingWithVersion` (Apple's reference of the two keys).
package struct FullScreenRequirement: Hashable, Sendable {
    package var isRequired = false
    /// Major, minor and patch of the first system version that ignores the requirement.
    private var ignoredFrom: [Int]?

    package init() {}

    /// Whether the requirement applies on a system of that version.
    package func applies(on version: OperatingSystemVersion) -> Bool {
        guard isRequired, let ignoredFrom else { return isRequired }
        return [version.majorVersion, version.minorVersion, version.patchVersion].lexicographicallyPrecedes(ignoredFrom)
    }

    /// - Parameter warnings: Gets what the app should change, a line each.
    /// - Throws: `ManifestError` for a value of the wrong type or an invalid version.
    init(_ root: PropertyListNode, warnings: inout [String]) throws(UISystem.ManifestError) {
        let (name, misspelt) = ("UIRequiresFullScreen", "UIRequiresFullscreen")
        let versionKey = "UIRequiresFullScreenIgnoredStartingWithVersion"
        var required = try root.child(name)?.boolean()
        if let value = try root.child(misspelt)?.boolean() {
            warnings.append(
                required == nil
                    ? "\(misspelt): read as \(name), which is the key's spelling; rename it"
                    : "\(misspelt): ignored, as \(name) is there; remove it")
            required = required ?? value
        }
        isRequired = required ?? false
        if isRequired {
            warnings.append("\(name): deprecated and ignored by a later release; adapt to any size and remove it")
        }
        guard let node = try root.child(versionKey) else { return }
        ignoredFrom = try Self.version(node)
        if !isRequired { warnings.append("\(versionKey): has no effect unless \(name) is true; remove it") }
    }

    private static func version(_ node: PropertyListNode) throws(UISystem.ManifestError) -> [Int] {
        let text = try node.string()
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        // Int also parses a sign.
        let numbers = parts.compactMap { $0.allSatisfy(\.isNumber) ? Int($0) : nil }
        guard numbers.count == parts.count, 1...3 ~= parts.count else {
            throw node.problem("expected a version such as 26 or 26.1, found \"\(text)\"")
        }
        return numbers + Array(repeating: 0, count: 3 - numbers.count)
    }
}
