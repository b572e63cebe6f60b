/// What is wrong with an Info.plist, at which key, and what to do about it.
package struct ManifestError: Error, Hashable, Sendable {
    /// The file as it was named.
    package var file: String
    /// For example `UISceneConfigurations.UIWindowSceneSessionRoleApplication[0]`; empty
    /// for the file as a whole.
    package var keyPath: String
    package var problem: String
}

extension ManifestError: CustomStringConvertible {
    package var description: String {
        keyPath.isEmpty ? "\(file): \(problem)" : "\(file): \(keyPath): \(problem)"
    }
}
