extension UISystem {
    /// What is wrong with an Info.plist, and where.
    public struct ManifestError: Swift.Error, Hashable, Sendable {
        /// The file's path.
        public let file: String
        /// For example `UISceneConfigurations.UIWindowSceneSessionRoleApplication[0]`; empty
        /// for the file as a whole.
        public let keyPath: String
        /// What is wrong and, where that is not obvious, what to do.
        public let problem: String
    }
}

extension UISystem.ManifestError: CustomStringConvertible {
    public var description: String {
        keyPath.isEmpty ? "\(file): \(problem)" : "\(file): \(keyPath): \(problem)"
    }
}
