extension UISystem {
    /// What is wrong with an Info.plist, in which file, at which key, and what to do.
    package struct ManifestError: Swift.Error, Hashable, Sendable {
        /// The file's path as the caller passed it.
        package var file: String
        /// For example `UISceneConfigurations.UIWindowSceneSessionRoleApplication[0]`; empty
        /// for the file as a whole.
        package var keyPath: String
        package var problem: String
    }
}

extension UISystem.ManifestError: CustomStringConvertible {
    package var description: String {
        keyPath.isEmpty ? "\(file): \(problem)" : "\(file): \(keyPath): \(problem)"
    }
}
